#include "chronoveil/engine/live/steps.h"

#include <algorithm>

#include "chronoveil/bound/counts.h"
#include "chronoveil/mechanisms/live.h"

namespace chronoveil::engine {

using mechanisms::kMissing;

namespace {

// A rehearsal closes each slot once and remembers only in memory.
class RehearsedParticipation final : public bound::Participation {
 public:
  std::int64_t last_slot() const override { return -1; }
  bound::ParticipationSeal seal() const override { return {}; }
  Result<std::vector<std::int64_t>> used_before(std::int64_t, const std::vector<std::string_view>& people) override {
    std::vector<std::int64_t> used;
    used.reserve(people.size());
    for (const std::string_view person : people) {
      const auto found = used_.find(std::string(person));
      used.push_back(found == used_.end() ? 0 : found->second);
    }
    return used;
  }
  Result<void> use(std::int64_t, const std::vector<std::string_view>& people,
                   const std::vector<std::int64_t>& pairs) override {
    for (std::size_t i = 0; i < people.size(); ++i) used_[std::string(people[i])] += pairs[i];
    return {};
  }

 private:
  std::unordered_map<std::string, std::int64_t> used_;
};

Result<std::unique_ptr<bound::Participation>> open_participation(const std::string& people, bound::Missing missing,
                                                                 const std::optional<bound::ParticipationAsOf>& as_of) {
  if (people.empty()) return std::make_unique<RehearsedParticipation>();
  return bound::Participation::open(people, missing, as_of);
}

}  // namespace

bool OpenStep::remembers(const Job& job, const mechanisms::PublicShape& shape) {
  return job.source.user && shape.unit == Unit::user && shape.max_steps < shape.series * shape.steps;
}

Result<OpenStep> OpenStep::make(const Job& job, const mechanisms::PublicShape& shape, const std::string& people,
                                bound::Missing missing, const std::optional<bound::ParticipationAsOf>& as_of) {
  OpenStep step;
  for (const std::string& key : job.keys) step.series_.emplace(key, static_cast<std::int64_t>(step.series_.size()));
  step.once_ = !rows_are_people(job) && job.series().duplicates == bound::Duplicates::refuse;
  step.zeros_ = rows_are_people(job);
  step.maximum_ = shape.maximum;
  step.counts_.assign(static_cast<std::size_t>(shape.series), step.zeros_ ? 0 : kMissing);
  if (!job.source.user) return step;
  const bound::Caps caps{shape.unit, shape.max_steps, shape.max_per_slot, shape.maximum};
  std::unique_ptr<bound::Participation> participation;
  if (remembers(job, shape)) {
    CV_TRY(participation, open_participation(people, missing, as_of));
  }
  step.participation_ = participation.get();
  step.people_.emplace(shape.series, caps, std::move(participation));
  return step;
}

std::optional<std::int64_t> OpenStep::series_of(const data::RecordBatch& batch, std::size_t row) const {
  if (series_.empty()) return 0;
  const auto found = series_.find(batch.series[row]);
  if (found == series_.end()) return std::nullopt;
  return found->second;
}

bool OpenStep::add(std::int64_t series, std::int64_t amount) {
  std::int64_t& count = counts_[static_cast<std::size_t>(series)];
  if (once_ && count != kMissing) return false;
  if (count == kMissing) {
    ++reported_;
    count = 0;
  }
  count = bound::add_up_to(maximum_, count, amount);
  ++rows_;
  return true;
}

std::optional<std::int64_t> OpenStep::remembered() const {
  if (participation_ == nullptr) return std::nullopt;
  return participation_->last_slot();
}

std::optional<bound::ParticipationSeal> OpenStep::seal() const {
  if (participation_ == nullptr) return std::nullopt;
  return participation_->seal();
}

Result<void> OpenStep::close(std::int64_t step, std::vector<std::int64_t>& counts) {
  if (people_) {
    if (!slot_) slot_ = people_->new_slot();
    CV_TRY(counts, people_->close(step, *slot_));
    slot_.reset();
  } else {
    counts = counts_;
  }
  forget();
  return {};
}

void OpenStep::forget() {
  std::fill(counts_.begin(), counts_.end(), zeros_ ? 0 : kMissing);
  reported_ = rows_ = 0;
}

}  // namespace chronoveil::engine
