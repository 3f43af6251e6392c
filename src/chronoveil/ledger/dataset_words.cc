#include "chronoveil/ledger/dataset_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "chronoveil/base/plain_text.h"

namespace chronoveil::ledger {
namespace {

Result<Protected> promise_of(const DatasetWords& words) {
  Protected promise;
  CV_TRY(promise.relation, parse_relation(words.relation));
  const bool swap = promise.relation == Relation::swap;
  CV_TRY(promise.unit, parse_unit(words.unit.value_or(swap ? "event" : "user")));
  if (swap && !words.window)
    return fail(ErrorKind::usage, "window", "needed for relation swap: values less than this many steps apart");
  if (!swap && words.window)
    return invalid("window", std::to_string(*words.window), "left out unless the relation is swap");
  if (swap && words.width != 1)
    return invalid("width", std::to_string(words.width), "left out where the relation is swap; `window` says how far");
  promise.width = words.window.value_or(words.width);
  return promise;
}

Result<std::optional<Partition>> partition_of(const DatasetWords& words, const Protected& promise) {
  if (words.parts.empty() && !words.parts_by) {
    if (words.straddle) return invalid("straddle", std::to_string(*words.straddle), "left out without parts");
    return std::nullopt;
  }
  Partition partition;
  partition.straddle = words.straddle.value_or(safe_straddle(promise));
  if (words.parts_by) {
    if (*words.parts_by != "day") return invalid("parts_by", *words.parts_by, "day");
    if (!words.parts.empty())
      return invalid("parts", fmt::format("{}", fmt::join(words.parts, ",")), "left out with `parts_by`");
    partition.by = Partition::By::day;
  }
  for (const std::string& part : words.parts) CV_CHECK(check_plain_text("parts", part));
  partition.names = words.parts;
  return partition;
}

}  // namespace

Result<DatasetRequest> dataset_request(const DatasetWords& words) {
  CV_CHECK(check_dataset_name(words.name));
  DatasetRequest request;
  request.name = words.name;
  request.epsilon = words.epsilon;
  request.delta = words.delta;
  CV_TRY(request.promise, promise_of(words));
  if (words.filter) {
    CV_TRY(request.filter, parse_filter_kind(*words.filter));
  }
  if (words.renews) {
    CV_TRY(request.renews, parse_renewal(*words.renews));
  }
  CV_TRY(request.partition, partition_of(words, request.promise));
  return request;
}

}  // namespace chronoveil::ledger
