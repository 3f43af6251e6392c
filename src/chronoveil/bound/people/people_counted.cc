#include "chronoveil/bound/people/people_counted.h"

#include <new>
#include <stdexcept>
#include <system_error>

#include "chronoveil/bound/cells/placed_values.h"
#include "chronoveil/bound/people/person_cells.h"
#include "chronoveil/bound/placed_rows.h"
#include "chronoveil/bound/tables/read_ahead.h"

namespace chronoveil::bound {
namespace {

using Of = PeopleQuestion::Of;

std::int64_t slots_filled(std::span<const PersonCell> cells, const std::vector<std::uint32_t>& longer) {
  const auto steps = static_cast<std::uint32_t>(longer.size());
  std::int64_t filled = 0;
  std::uint64_t last = 0;
  // Cells ascend, and so do the longer slots of one series: what is the same stands together.
  for (const PersonCell& each : cells) {
    const std::uint64_t pair = std::uint64_t{each.cell / steps} << 32 | longer[each.cell % steps];
    if (filled == 0 || pair != last) ++filled;
    last = pair;
  }
  return filled;
}

std::int64_t most_in_a_cell(std::span<const PersonCell> cells) {
  std::int64_t most = 0;
  for (const PersonCell& each : cells) most = std::max(most, each.amount);
  return most;
}

// One value of each person: that of the record with the least priority. Records are told apart by their place among the
// person's own, so that nobody else's rows matter.
class ChosenValues {
 public:
  void offer(std::uint32_t person, std::uint64_t priority, std::uint32_t value) {
    if (person >= chosen_.size()) chosen_.resize(std::size_t{person} + 1);
    Chosen& own = chosen_[person];
    if (own.records == 0 || priority < own.priority) own.priority = priority, own.value = value;
    ++own.records;
  }
  std::uint64_t records(std::uint32_t person) const { return person < chosen_.size() ? chosen_[person].records : 0; }
  std::int64_t of(std::uint32_t person) const { return chosen_[person].value; }

 private:
  struct Chosen {
    std::uint64_t records = 0, priority = 0;
    std::uint32_t value = 0;
  };
  std::vector<Chosen> chosen_;
};

std::size_t bin_of(const PeopleQuestion& question, std::int64_t number) {
  const auto after = std::upper_bound(question.first.begin(), question.first.end(), number);
  return after == question.first.begin() ? 0 : static_cast<std::size_t>(after - question.first.begin()) - 1;
}

Result<void> check_questions(const std::vector<PeopleQuestion>& questions, std::int64_t steps, bool has_values) {
  for (const PeopleQuestion& each : questions) {
    const bool fits = !each.first.empty() && std::is_sorted(each.first.begin(), each.first.end()) &&
                      (each.of != Of::slots || static_cast<std::int64_t>(each.longer.size()) == steps) &&
                      (each.of != Of::value || has_values);
    if (!fits) return fail(ErrorKind::internal, "look", "a question that does not fit the job");
  }
  return {};
}

PeopleCounted answers(const std::vector<PeopleQuestion>& questions, PersonCells& cells, const ChosenValues& values) {
  PeopleCounted all;
  for (const PeopleQuestion& each : questions) all.people.emplace_back(each.first.size());
  cells.for_each_person([&](std::span<const PersonCell> own) {
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const PeopleQuestion& each = questions[i];
      const std::int64_t number = each.of == Of::slots     ? slots_filled(own, each.longer)
                                  : each.of == Of::records ? most_in_a_cell(own)
                                                           : values.of(own.front().person);
      ++all.people[i][bin_of(each, number)];
    }
  });
  return all;
}

template <class Count>
Result<PeopleCounted> with_room(Count count) {
  try {
    return count();
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::storage, "not enough memory for the slots of everybody; shorten the span");
  } catch (const std::length_error&) {
    return fail(ErrorKind::storage, "more than 2^32 people; shorten the span");
  } catch (const std::system_error&) {
    return fail(ErrorKind::internal, "no second thread could be started to read with");
  }
}

}  // namespace

Result<PeopleCounted> count_people(data::RecordSource& source, const SlotAxis& axis,
                                   const std::vector<std::string>& keys, const std::vector<PeopleQuestion>& questions,
                                   DrawRight& right) {
  return with_room([&]() -> Result<PeopleCounted> {
    CV_CHECK(check_questions(questions, axis.steps(), false));
    CV_TRY(BitSource* const bits, right.bits());
    CV_TRY(const CellFinder finder, CellFinder::make(axis, keys, SipHash::with_key_from(*bits)));
    RowPlacer placer(source, finder, SipHash::with_key_from(*bits));
    PersonCells cells;
    CV_CHECK(use_all<PlacedRows>(placer, [&](const PlacedRows& rows) {
      for (const PlacedRow& row : rows.rows) cells.add(row.user, row.person, row.cell, row.amount);
    }));
    PeopleCounted all = answers(questions, cells, ChosenValues());
    all.counted = placer.left_out().counted();
    return all;
  });
}

Result<PeopleCounted> count_people(data::RecordSource& source, const SlotAxis& axis, const Places& places,
                                   const ValueGrid& grid, const std::vector<PeopleQuestion>& questions,
                                   DrawRight& right) {
  return with_room([&]() -> Result<PeopleCounted> {
    CV_CHECK(check_questions(questions, axis.steps(), true));
    CV_TRY(BitSource* const bits, right.bits());
    CV_TRY(ValuePlacer placer, ValuePlacer::make(source, axis, places, grid, *bits));
    const SipHash person_hash = SipHash::with_key_from(*bits), priority = SipHash::with_key_from(*bits);
    PersonCells cells;
    ChosenValues values;
    CV_CHECK(use_all<PlacedValues>(placer, [&](const PlacedValues& rows) {
      for (const PlacedValue& row : rows.rows) {
        const std::uint64_t hash = person_hash(row.user.view());
        const std::uint32_t person = cells.add(row.user, hash, row.cell, 1);
        values.offer(person, priority(hash, values.records(person)), row.value);
      }
    }));
    PeopleCounted all = answers(questions, cells, values);
    all.counted = placer.left_out().counted();
    return all;
  });
}

}  // namespace chronoveil::bound
