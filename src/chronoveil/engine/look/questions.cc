#include "chronoveil/engine/look/questions.h"

#include <algorithm>
#include <array>

#include "chronoveil/engine/release/source.h"

namespace chronoveil::engine {
namespace {

constexpr std::array kUsualLengths = {"1h", "1d", "1w"};
constexpr std::size_t kMostLengths = 8;  // each makes the noise of all larger

Result<LookLength> with_length(const Job& job, const SlotAxis& axis, const std::string& length) {
  Job longer = job;
  longer.slots.length = length;
  LookLength made{length, {}, {}};
  CV_TRY(made.axis, axis_of(longer));
  CV_TRY(made.holds, slots_in(axis, made.axis));
  return made;
}

}  // namespace

Result<std::vector<std::uint32_t>> slots_in(const SlotAxis& axis, const SlotAxis& longer) {
  std::vector<std::uint32_t> all;
  std::size_t slot = 0;
  for (std::size_t i = 0; i + 1 < axis.boundaries.size(); ++i) {
    while (slot + 1 < longer.boundaries.size() && longer.boundaries[slot + 1] <= axis.boundaries[i]) ++slot;
    const bool inside = slot + 1 < longer.boundaries.size() && longer.boundaries[slot] <= axis.boundaries[i] &&
                        axis.boundaries[i + 1] <= longer.boundaries[slot + 1];
    if (!inside) return fail(ErrorKind::usage, "lengths", "each must be made of whole slots of the job");
    all.push_back(static_cast<std::uint32_t>(slot));
  }
  return all;
}

void add_bins(std::int64_t most, report::LookQuestion& question) {
  for (std::int64_t first = 1; first <= most;) {
    const std::int64_t next = std::max(first + 1, first + first / 2);
    question.first.push_back(static_cast<double>(first));
    question.last.push_back(static_cast<double>(std::min(next - 1, most)));
    first = next;
  }
}

Result<std::vector<LookLength>> lengths_of(const Job& job, const SlotAxis& axis, const LookOptions& options) {
  std::vector<LookLength> all;
  if (options.lengths.size() > kMostLengths)
    return fail(ErrorKind::usage, "lengths", "there may be at most " + std::to_string(kMostLengths));
  for (const std::string& length : options.lengths) {
    Result<LookLength> made = with_length(job, axis, length);
    if (!made)
      return invalid("lengths", length, "each must be a length whose slots are made of whole slots of the job");
    const auto same = [&](const LookLength& each) { return each.axis.steps() == made->axis.steps(); };
    if (std::any_of(all.begin(), all.end(), same)) return invalid("lengths", length, "each must be there once");
    all.push_back(std::move(*made));
  }
  if (!all.empty()) return all;
  CV_TRY(LookLength own, with_length(job, axis, job.slots.length));
  all.push_back(std::move(own));
  for (const char* usual : kUsualLengths) {
    Result<LookLength> made = with_length(job, axis, usual);
    if (made && made->axis.steps() >= 2 && made->axis.steps() < all.back().axis.steps())
      all.push_back(std::move(*made));
  }
  return all;
}

bool counts_records(const Job& job) {
  return is_of_counts(job) && (job.series().max_per_slot > 1 || job.source.value.has_value());
}

}  // namespace chronoveil::engine
