// What the JSON of every kind of release holds in the same form: how each part is written, and how it is read.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/base/guarantee.h"
#include "chronoveil/base/slot_axis.h"
#include "chronoveil/ledger/debit.h"
#include "chronoveil/mechanisms/parameters.h"
#include "chronoveil/report/document/json_fields.h"
#include "chronoveil/report/series/published.h"

namespace chronoveil::report {

// JSON has no infinity: null.
nlohmann::ordered_json finite_or_null(double value);
nlohmann::ordered_json or_null(const std::optional<double>&);
nlohmann::ordered_json or_null(const std::optional<std::int64_t>&);
// One line; bytes that are no UTF-8 are replaced.
std::string text_of(const nlohmann::ordered_json&);

// How the document of every release begins: its kind (series, means, perturb, look, train, forecast, backtest), the
// mark of what is not private, the title.
nlohmann::ordered_json head_json(std::string_view kind, const std::string& mark, const std::string& title);

nlohmann::ordered_json parameters_json(const mechanisms::Parameters&);
// With `beta` for a bound with confidence, and `nominal_epsilon`, `nominal_delta` where a paper states other numbers.
nlohmann::ordered_json price_json(const accounting::Price&);
// Where ε is not finite, `reason` is the mark of the release or the reason of the price. `width` of w-events, `window`
// of relation swap, `beta` of the price.
nlohmann::ordered_json guarantee_json(const Guarantee&, const accounting::Price&, const std::string& mark,
                                      const std::vector<std::string>& not_protected);
nlohmann::ordered_json debit_json(const std::optional<ledger::DebitReference>&);
nlohmann::ordered_json budget_json(const BudgetLeft&);
nlohmann::ordered_json software_json();

Result<Unit> unit_in(const Fields&);
Result<Relation> relation_in(const Fields&);
Result<mechanisms::Parameters> parameters_in(const Fields& plan);
// `analysis` stands beside the price, in its plan.
Result<accounting::Price> price_in(const Fields& plan);
Result<accounting::Event> event_in(const Fields& plan);
Result<Guarantee> guarantee_in(const Fields&);
Result<SlotAxis> axis_in(const Fields& document);
Result<std::optional<ledger::DebitReference>> debit_in(const Fields& document);
Result<std::optional<BudgetLeft>> budget_in(const Fields& document);

// The kind that a document says it is. Documents of earlier versions do not say: means have `cells`, perturb has a
// `view`, train a `model_sha256`; anything else is taken for series. Empty if it is not an object.
std::optional<std::string> kind_in(std::string_view text);

// Hands the text to `read`, as an object; false if it is none.
bool read_object(std::string_view text, const std::function<void(const Fields&)>& read);

// Hands the document to `read`, as an object. What other modules call a wrong parameter is bad data in a file.
template <class Read>
auto read_document(std::string_view text, Read read) -> decltype(read(std::declval<const Fields&>())) {
  std::optional<decltype(read(std::declval<const Fields&>()))> result;
  if (!read_object(text, [&](const Fields& document) { result.emplace(read(document)); }))
    return fail(ErrorKind::bad_data, "release", "this is not a release JSON");
  if (!*result && result->error().kind == ErrorKind::usage) {
    result->error().kind = ErrorKind::bad_data;
    return at("release", *std::move(result));
  }
  return *std::move(result);
}

}  // namespace chronoveil::report
