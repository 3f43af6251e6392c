#include "chronoveil/engine/release/assumptions.h"

namespace chronoveil::engine {

void add_reading(const data::SourceSpec& source, Reading reading, std::vector<Assumption>& all) {
  if (reading == Reading::whole) all.push_back(or_it_ends("every row can be read and is one that the job takes"));
  if (source.kind == data::SourceKind::csv && !source.header)
    all.push_back(
        {"there is no header, so the first row says how many fields all have, and others are refused: no person "
         "decides it",
         Basis::declared});
}

void add_not_empty(std::vector<Assumption>& all) {
  all.push_back({"some row counts; without one there is no release, which can be seen", Basis::declared});
}

void add_look(const std::string& debit, std::vector<Assumption>& all) {
  if (debit.empty()) return;
  for (Assumption& each : all)
    if (each.text == kJobIsPublic) each.text = "but for what a look proposed, " + each.text;
  all.push_back(caps_of(debit));
}

Assumption caps_of(const std::string& look, const std::string& but) {
  return {"caps: chosen by the look debited as " + look + (but.empty() ? "" : ", " + but) +
              ", and by public facts alone; its cost comes on top",
          Basis::declared};
}

}  // namespace chronoveil::engine
