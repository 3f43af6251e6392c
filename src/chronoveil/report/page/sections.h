// Parts of the page of every kind of release.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/guarantee.h"
#include "chronoveil/base/slot_axis.h"
#include "chronoveil/mechanisms/parameters.h"
#include "chronoveil/report/page/markup.h"
#include "chronoveil/report/page/page.h"
#include "chronoveil/report/page/words.h"
#include "chronoveil/report/series/published.h"

namespace chronoveil::report {

// What a reader must know before any figure: the facts, and ε and δ beside them. A mark takes their place.
// β is that of a bound with confidence.
std::string promise(const Facts&, const Guarantee&, const std::string& mark, double beta = 0);

// The newest numbers of `all` series, one row each, at the top of a page; `what` names one of them: "newest value". A
// few are read at a glance; more would push everything else off the screen, and are folded.
std::string newest_table(std::string_view what, const Table&, std::size_t all);

// What kind of promise it is, assumptions, then `growth` (HTML), then what is not protected.
std::string promise_in_full(const Guarantee&, const std::string& mark, const std::vector<std::string>& not_protected,
                            std::string_view growth = "");

// A parameter as people read it, escaped.
std::string value_text(const mechanisms::Value&);

// <dt>label</dt><dd>html</dd>
std::string pair_of(std::string_view label, std::string_view html);

std::string budget_section(const std::optional<BudgetLeft>&, const std::optional<ledger::DebitReference>&);

std::string citation(const std::string& title, const SlotAxis&, const std::string& mechanism, const Guarantee&,
                     const std::string& mark, const std::optional<ledger::DebitReference>&);

// The same for a release without an axis; `what` describes it in full.
std::string citation(const std::string& what, const std::string& mechanism, const Guarantee&, const std::string& mark,
                     const std::optional<ledger::DebitReference>&);

std::string footer();

// An empty page whose banner says that the release is not private, if it has a mark.
Page page_of(std::string title, const std::string& mark);
// The beginning of an internal evaluation; `what` is evaluated (HTML).
Page internal_page(const std::string& title, const std::string& what, const std::string& mechanism, const Guarantee&,
                   const std::string& mark);
// How the section on how it was made begins: why this mechanism, an open list, and what the mechanism is.
template <class Found>
std::string how_made(const std::string& reason, const std::string& mechanism, const Found& found) {
  return (reason.empty() ? "" : "<p>" + escaped(reason) + "</p>\n") + "<dl class=\"pairs\">\n" +
         pair_of("Mechanism",
                 "<b>" + escaped(mechanism) + "</b>" + (found ? ": " + escaped((*found)->summary) : std::string()));
}

}  // namespace chronoveil::report
