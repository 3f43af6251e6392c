// The rules are those of SlotPeople and SlotBounder.
#include "chronoveil/bound/people/bound_in_turn.h"

#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "chronoveil/bound/caps.h"
#include "chronoveil/bound/cell_finder.h"
#include "chronoveil/bound/counts.h"
#include "chronoveil/bound/people/slot_bounder.h"
#include "chronoveil/bound/placed_rows.h"
#include "chronoveil/bound/tables/read_ahead.h"

namespace chronoveil::bound {
namespace {

// Who has used how much, while it is asked slot after slot; nothing is kept.
class UsesInMemory final : public Participation {
 public:
  std::int64_t last_slot() const override { return last_; }
  ParticipationSeal seal() const override { return {}; }
  Result<std::vector<std::int64_t>> used_before(std::int64_t, const std::vector<std::string_view>& people) override {
    std::vector<std::int64_t> used;
    for (const std::string_view person : people) {
      const auto found = used_.find(person);
      used.push_back(found == used_.end() ? 0 : found->second);
    }
    return used;
  }
  Result<void> use(std::int64_t step, const std::vector<std::string_view>& people,
                   const std::vector<std::int64_t>& pairs) override {
    for (std::size_t i = 0; i < people.size(); ++i) used_[std::string(people[i])] += pairs[i];
    last_ = step;
    return {};
  }

 private:
  std::map<std::string, std::int64_t, std::less<>> used_;
  std::int64_t last_ = -1;
};

Result<BoundedSeries> read_in_turn(data::RecordSource& source, const SlotAxis& axis,
                                   const std::vector<std::string>& keys, const Caps& caps) {
  const SipHash hash = SipHash::with_key_from(BitSource::for_this_thread());
  CV_TRY(const CellFinder finder, CellFinder::make(axis, keys, hash));
  const auto steps = static_cast<std::size_t>(finder.steps());
  SlotBounder bounder(finder.series(), caps, std::make_unique<UsesInMemory>());
  std::vector<std::unique_ptr<SlotPeople>> slots(steps);
  std::int64_t offered = 0, stayed = 0;
  RowPlacer placer(source, finder, hash);
  CV_CHECK(use_all<PlacedRows>(placer, [&](const PlacedRows& rows) {
    for (const PlacedRow& row : rows.rows) {
      std::unique_ptr<SlotPeople>& slot = slots[row.cell % steps];
      if (!slot) slot = bounder.new_slot();
      slot->add(row.user.view(), static_cast<std::int64_t>(row.cell / steps), row.amount);
      offered = add_up_to(kLargestCount, offered, row.amount);
    }
  }));
  std::vector<std::int64_t> counts(static_cast<std::size_t>(finder.cells()));
  for (std::size_t step = 0; step < steps; ++step) {
    if (!slots[step]) continue;
    CV_TRY(const std::vector<std::int64_t> of_slot, bounder.close(static_cast<std::int64_t>(step), *slots[step]));
    for (std::size_t series = 0; series < of_slot.size(); ++series) {
      counts[series * steps + step] = of_slot[series];
      stayed = add_up_to(kLargestCount, stayed, of_slot[series]);
    }
    slots[step].reset();
  }
  LeftOut left_out = placer.left_out();
  left_out.over_caps = offered - stayed;
  return BoundedSeries(finder.series(), finder.steps(), std::move(counts), caps, Basis::enforced, left_out);
}

}  // namespace

Result<BoundedSeries> bound_in_turn(data::RecordSource& source, const SlotAxis& axis,
                                    const std::vector<std::string>& keys, const Caps& caps) {
  try {
    CV_CHECK(check_caps(caps));
    return read_in_turn(source, axis, keys, caps);
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::storage, "not enough memory for the people of all slots");
  } catch (const std::length_error&) {
    return fail(ErrorKind::storage, "more than 2^32 people, or pairs of people and slots");
  } catch (const std::system_error&) {
    return fail(ErrorKind::internal, "no second thread could be started to read with");
  }
}

}  // namespace chronoveil::bound
