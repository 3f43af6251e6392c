#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "chronoveil/engine/live/folder.h"
#include "chronoveil/engine/live/session.h"
#include "chronoveil/engine/live/state.h"
#include "chronoveil/engine/release/audit.h"
#include "chronoveil/engine/release/beside_ledger.h"
#include "chronoveil/engine/release/store.h"

namespace chronoveil::engine {
namespace {

namespace fs = std::filesystem;

// What a file says about a debit. What it leaves empty it does not say.
struct Witness {
  std::string path;
  ledger::DebitId debit;
  std::string chain_head;  // the hash of the debit's row
  std::string job;         // the digest of the debit's job
  std::string holder;      // the token of whoever opened the live release
  bool run = false;        // the debit is one of numbered uses
  std::int64_t used = 0;   // uses that are used up
  // The token of the second to last use: a crash may have come before the ledger was told of the last.
  std::optional<std::string> before = std::nullopt;
  // It says nothing that can be read, although it must name a debit: no ledger can be shown to have that debit.
  bool unreadable = false;
};

Witness unreadable(const fs::path& path, const std::string& dataset) {
  Witness witness{path.string(), {dataset, 0, std::nullopt}, "", "", ""};
  witness.unreadable = true;
  return witness;
}

// Takes "debit": {"id": ..., "chain_head": ...} out of a release and stops there: its values come last. A forecast is
// stored as several documents; in those of earlier versions the debit is only within "json": "{...}".
class DebitReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::string id, chain_head, document;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool string(string_t& text) override {
    if (depth_ == 2 && inside_ && key_ == "id") id = text;
    if (depth_ == 2 && inside_ && key_ == "chain_head") chain_head = text;
    if (depth_ == 1 && key_ == "json") document = text;
    return true;
  }
  bool key(string_t& name) override {
    key_ = name;
    return true;
  }
  bool start_object(std::size_t) override {
    if (depth_ == 1) inside_ = key_ == "debit";
    ++depth_;
    return true;
  }
  bool end_object() override {
    --depth_;
    return !(depth_ == 1 && inside_);
  }
  bool start_array(std::size_t) override {
    ++depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override { return false; }

 private:
  int depth_ = 0;
  bool inside_ = false;
  std::string key_;
};

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// A folder that is there but cannot be listed is an error, since it may hold witnesses: its rights were taken away, or
// it is a link to a disk that is not mounted. What is no folder holds no files.
Result<void> for_each_file(const fs::path& folder, const std::function<Result<void>(const fs::path&)>& look) {
  std::error_code error;
  const fs::file_status name = fs::symlink_status(folder, error);
  if (name.type() == fs::file_type::not_found) return {};
  if (name.type() != fs::file_type::none && name.type() != fs::file_type::directory) {
    const fs::file_type target = fs::status(folder, error).type();
    if (target != fs::file_type::directory && target != fs::file_type::not_found && target != fs::file_type::none)
      return {};
  }
  for (fs::directory_iterator file(folder, error), end; !error && file != end; file.increment(error))
    CV_CHECK(look(file->path()));
  if (!error) return {};
  return fail(ErrorKind::storage, "ledger",
              "'" + folder.string() + "' cannot be read, and what was paid with this ledger may lie there: " +
                  error.message() + "; mount its disk, or give the right to read it");
}

Result<void> check_listed(const fs::path& folder) {
  return for_each_file(folder, [](const fs::path&) { return Result<void>(); });
}

// The first bytes of a plain file; empty for anything else: a pipe would block, and a link may lead to an endless file.
std::string first_bytes(const fs::path& path, std::size_t most) {
  std::string bytes;
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return bytes;
  struct stat status {};
  if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
    bytes.resize(most);
    std::size_t had = 0;
    while (had < most) {
      const ssize_t got = ::read(file, bytes.data() + had, most - had);
      if (got <= 0) break;
      had += static_cast<std::size_t>(got);
    }
    bytes.resize(had);
  }
  ::close(file);
  return bytes;
}

bool is_plain_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(path, error));
}

// A debit as names of files have it: "17", or "17+3" for a slot.
std::optional<ledger::DebitId> debit_in_name(const std::string& dataset, std::string_view text) {
  const auto plus = text.find('+');
  const std::optional<std::int64_t> number = number_in(text.substr(0, plus));
  if (!number) return std::nullopt;
  if (plus == std::string_view::npos) return ledger::DebitId{dataset, *number, std::nullopt};
  const std::optional<std::int64_t> slot = number_in(text.substr(plus + 1));
  if (!slot) return std::nullopt;
  return ledger::DebitId{dataset, *number, slot};
}

// "city-17.json", or "city-17+3.json" for a slot: the dataset may have dashes of its own.
std::optional<ledger::DebitId> debit_of_name(const std::string& name) {
  if (!name.ends_with(".json")) return std::nullopt;
  const std::string stem = name.substr(0, name.size() - 5);
  const auto dash = stem.rfind('-');
  if (dash == std::string::npos || !ledger::check_dataset_name(stem.substr(0, dash))) return std::nullopt;
  return debit_in_name(stem.substr(0, dash), std::string_view(stem).substr(dash + 1));
}

// Whether it was read to its end without a debit.
bool has_no_debit(std::string_view text, DebitReader& reader) {
  constexpr auto kJson = nlohmann::json::input_format_t::json;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &reader, kJson, false) || !reader.id.empty()) return false;
  if (reader.document.empty()) return true;
  const std::string document = std::exchange(reader, {}).document;
  return has_no_debit(document, reader);
}

constexpr std::size_t kMostOfRelease = std::size_t{4} << 20, kMostBefore = 4096;

Result<void> add_releases(const fs::path& folder, const std::string& dataset, std::vector<Witness>& all) {
  return for_each_file(folder, [&](const fs::path& path) -> Result<void> {
    const std::optional<ledger::DebitId> named = debit_of_name(path.filename().string());
    if (!named || named->dataset != dataset || !is_plain_file(path)) return {};
    // A file that cannot be read still has a name.
    Witness witness{path.string(), *named, "", "", "", false};
    DebitReader reader;
    const std::string text = first_bytes(path, kMostOfRelease);
    const std::size_t start = std::string_view(text).substr(0, kMostBefore).find('{');  // some begin with their length
    if (start != std::string::npos && has_no_debit(std::string_view(text).substr(start), reader)) return {};
    if (reader.id == named->text()) witness.chain_head = reader.chain_head;
    all.push_back(std::move(witness));
    return {};
  });
}

constexpr int kReads = 3;

Result<void> add_live(const fs::path& folder, const std::string& dataset, std::vector<Witness>& all) {
  return for_each_file(folder, [&](const fs::path& path) -> Result<void> {
    if (!ledger::check_dataset_name(path.filename().string())) return {};  // of no release, such as lost+found
    CV_CHECK(check_listed(path));
    std::error_code error;
    bool ours = true;
    for (const char* name : {"state.0", "state.1"})
      ours = ours && (!fs::exists(fs::symlink_status(path / name, error)) || is_plain_file(path / name));
    Result<std::optional<LiveState>> state = std::optional<LiveState>();
    // More than once: the process that publishes may write one of the two while the other is read, and then the other.
    for (int i = 0; i < kReads && ours && !(state && *state); ++i) state = read_live_state(path.string());
    if (!state || !*state) {
      // The opening is written after the first state and before the first debit. So before the opening a state may be
      // cut off or missing, and no debit was made; after it one of the two states is whole, unless it was damaged.
      if (LiveFolder::is_opening_in(path.string())) all.push_back(unreadable(path, dataset));
      return {};
    }
    const std::optional<LiveWitness> held = (*state)->witness();
    if (!held) return {};
    all.push_back({path.string(),
                   {dataset, held->debit, std::nullopt},
                   "",
                   "",
                   token_text(held->holder),
                   true,
                   held->asked,
                   token_text(held->before)});
    return {};
  });
}

// How a checkpoint begins: with its debit and, from the second form on, the number of uses so far. The debit stays
// empty if it cannot be read.
void read_checkpoint(const fs::path& path, std::string& debit, std::int64_t& used) {
  constexpr std::string_view kFirst = "chronoveil checkpoint 1\n", kSecond = "chronoveil checkpoint 2\n";
  constexpr std::size_t kLength = 8, kMost = 256;
  const std::string bytes = first_bytes(path, kSecond.size() + 2 * (kLength + kMost));
  if (!bytes.starts_with(kFirst) && !bytes.starts_with(kSecond)) return;
  std::string_view rest = std::string_view(bytes).substr(kSecond.size());
  const auto block = [&] {
    const std::size_t length = rest.size() < kLength ? 0 : static_cast<unsigned char>(rest[0]);
    rest.remove_prefix(std::min(rest.size(), kLength));
    const std::string_view text = rest.substr(0, length);
    rest.remove_prefix(text.size());
    return text;
  };
  debit = block();
  if (bytes.starts_with(kSecond)) used = number_in(block()).value_or(0);
}

// How many steps a stored model took: at least one, and as many as the document beside it says.
std::int64_t steps_of_model(const fs::path& model) {
  const auto document = nlohmann::json::parse(first_bytes(model.string() + ".json", kMostOfRelease), nullptr, false);
  const auto uses = document.is_object() ? document.find("uses") : document.end();
  return uses != document.end() && uses->is_number_integer() ? std::max<std::int64_t>(uses->get<std::int64_t>(), 1) : 1;
}

// TRAINING/DATASET/DIGEST/ holds `checkpoint`, and model-17 with model-17.json, or model-17+3 for a slot, for each that
// was finished.
Result<void> add_training(const fs::path& folder, const std::string& dataset, std::vector<Witness>& all) {
  return for_each_file(folder, [&](const fs::path& job) -> Result<void> {
    if (job.filename().string().find_first_not_of("0123456789abcdef") != std::string::npos) return {};  // not ours
    return for_each_file(job, [&](const fs::path& path) -> Result<void> {
      const std::string name = path.filename().string();
      if (!is_plain_file(path)) return {};
      std::optional<ledger::DebitId> debit;
      std::int64_t used = 0;
      if (name.starts_with("model-")) {
        debit = debit_in_name(dataset, std::string_view(name).substr(6));
        if (debit) used = steps_of_model(path);
      }
      if (name == "checkpoint") {
        std::string text;
        read_checkpoint(path, text, used);
        if (const Result<ledger::DebitId> id = ledger::DebitId::parse(text); id && id->dataset == dataset) debit = *id;
        // A training replaces its checkpoint as a whole and removes it at the end.
        std::error_code error;
        if (!debit && fs::exists(fs::symlink_status(path, error))) all.push_back(unreadable(path, dataset));
      }
      if (debit) all.push_back({path.string(), *debit, "", job.filename().string(), "", true, used});
      return {};
    });
  });
}

struct Folders {
  std::vector<fs::path> releases;
  fs::path live, training;
};

Result<Folders> folders_of(const std::string& place) {
  CV_TRY(const ReleaseStore store, ReleaseStore::of_ledger(place));
  CV_TRY(const fs::path live, folder_beside(place, "live", ""));
  CV_TRY(const fs::path training, folder_beside(place, "training", ""));
  // Without a slash at the end, which would look through a link.
  return Folders{store.folders(), (live / "x").parent_path(), (training / "x").parent_path()};
}

bool is_debit_of(const ledger::Debit& debit, const Witness& witness) {
  return (witness.chain_head.empty() || debit.chain_head == witness.chain_head) && (!witness.run || debit.uses) &&
         (witness.job.empty() || debit.terms.job == witness.job) &&
         (witness.holder.empty() || (debit.terms.live && debit.terms.live->holder == witness.holder));
}

// Whether the ledger lost rows that followed the debit: uses, or that drawing began. A stored release was drawn after
// the ledger said so.
bool knows_less(const ledger::Debit& debit, const Witness& witness) {
  if (witness.run) return debit.used < witness.used && debit.token != witness.before;
  return debit.says_drawing && debit.state == ledger::State::reserved;
}

Result<std::vector<Contradiction>> contradictions_of(ledger::Ledger& ledger, const Folders& folders,
                                                     const std::string& dataset,
                                                     const std::vector<std::string>& names) {
  std::vector<Witness> witnesses;
  for (const fs::path& folder : {folders.live, folders.training}) CV_CHECK(check_listed(folder));
  for (const fs::path& folder : folders.releases) CV_CHECK(add_releases(folder, dataset, witnesses));
  CV_CHECK(add_live(folders.live / dataset, dataset, witnesses));
  CV_CHECK(add_training(folders.training / dataset, dataset, witnesses));
  std::vector<Contradiction> all;
  if (witnesses.empty()) return all;
  std::vector<ledger::Debit> history;
  if (std::find(names.begin(), names.end(), dataset) != names.end()) {
    CV_TRY(history, ledger.history(dataset));
  }
  std::map<std::int64_t, const ledger::Debit*> debits;
  for (const ledger::Debit& debit : history) debits[debit.id.sequence] = &debit;
  for (Witness& witness : witnesses) {
    if (witness.unreadable) {
      all.push_back({std::move(witness.path), std::move(witness.debit), false, true});
      continue;
    }
    const auto found = debits.find(witness.debit.sequence);
    std::optional<ledger::Debit> debit;
    if (found != debits.end())
      debit = witness.debit.slot ? ledger::slot_as_debit(*found->second, *witness.debit.slot) : *found->second;
    const bool there = debit && is_debit_of(*debit, witness);
    if (there && !knows_less(*debit, witness)) continue;
    all.push_back({std::move(witness.path), std::move(witness.debit), there});
  }
  std::sort(all.begin(), all.end(), [](const Contradiction& a, const Contradiction& b) { return a.path < b.path; });
  return all;
}

}  // namespace

std::string Contradiction::text() const {
  if (unreadable)
    return "the ledger may be older than '" + path +
           "', which is damaged or cannot be read; put that back as it was, or, if this ledger is surely the latest, "
           "take it away";
  const std::string lacks = there ? "it does not know all that was made of the debit " + debit.text()
                                  : "it does not have the debit " + debit.text() + " that this was paid with";
  return "the ledger is older than '" + path + "', or another one: " + lacks + "; put back the latest ledger";
}

Result<std::vector<Contradiction>> contradictions(ledger::Ledger& ledger, const std::string& place,
                                                  const std::string& dataset) {
  CV_TRY(const Folders folders, folders_of(place));
  CV_TRY(const std::vector<std::string> names, ledger.datasets());
  return contradictions_of(ledger, folders, dataset, names);
}

Result<std::vector<Contradiction>> contradictions(ledger::Ledger& ledger, const std::string& place) {
  CV_TRY(const Folders folders, folders_of(place));
  CV_TRY(const std::vector<std::string> names, ledger.datasets());
  std::set<std::string> datasets(names.begin(), names.end());
  for (const fs::path& folder : folders.releases)
    CV_CHECK(for_each_file(folder, [&](const fs::path& path) -> Result<void> {
      if (const auto named = debit_of_name(path.filename().string())) datasets.insert(named->dataset);
      return {};
    }));
  for (const fs::path& folder : {folders.live, folders.training})
    CV_CHECK(for_each_file(folder, [&](const fs::path& path) -> Result<void> {
      if (ledger::check_dataset_name(path.filename().string())) datasets.insert(path.filename().string());
      return {};
    }));
  std::vector<Contradiction> all;
  for (const std::string& dataset : datasets) {
    CV_TRY(std::vector<Contradiction> some, contradictions_of(ledger, folders, dataset, names));
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

Result<void> check_witnesses(ledger::Ledger& ledger, const std::string& place, const std::string& dataset,
                             const std::string& but) {
  CV_TRY(std::vector<Contradiction> found, contradictions(ledger, place, dataset));
  std::erase_if(found, [&](const Contradiction& one) { return one.unreadable && one.path == but; });
  if (found.empty()) return {};
  return fail(ErrorKind::storage, "ledger", found.front().text());
}

Result<void> check_witnesses(ledger::Ledger& ledger, const std::string& place) {
  CV_TRY(const std::vector<Contradiction> found, contradictions(ledger, place));
  if (found.empty()) return {};
  return fail(ErrorKind::storage, "ledger", found.front().text());
}

}  // namespace chronoveil::engine
