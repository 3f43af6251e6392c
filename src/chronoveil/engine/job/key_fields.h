// Makes rows of the table of job keys from members of a job: how the member is read, and how it is told.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "chronoveil/engine/job/keys.h"
#include "chronoveil/engine/job/section_readers.h"

namespace chronoveil::engine::key_fields {

// The rows themselves, in key_table.cc.
std::span<const JobKey> table();

template <class>
struct MemberOf;
template <class Part, class T>
struct MemberOf<T Part::*> {
  using type = Part;
};

// The part of the job that holds the member; the job must be of the kind that has it.
template <class Part, class AnyJob>
auto& part_of(AnyJob& job) {
  if constexpr (std::is_same_v<Part, Job>)
    return job;
  else if constexpr (std::is_same_v<Part, data::SourceSpec>)
    return job.source;
  else if constexpr (std::is_same_v<Part, data::SlotSpec>)
    return job.slots;
  else if constexpr (std::is_same_v<Part, SeriesSpec>)
    return job.series();
  else if constexpr (std::is_same_v<Part, forecasting::ModelConfig>)
    return job.train().model;
  else if constexpr (std::is_same_v<Part, PlaceGridSpec>)
    return *job.places.grid;
  else
    return std::get<Part>(job.kind);
}

template <auto Member, class AnyJob>
auto& field(AnyJob& job) {
  return part_of<typename MemberOf<decltype(Member)>::type>(job).*Member;
}

template <class Part>
bool has_part(const Job& job) {
  constexpr bool always =
      std::is_same_v<Part, Job> || std::is_same_v<Part, data::SourceSpec> || std::is_same_v<Part, data::SlotSpec>;
  if constexpr (always)
    return true;
  else if constexpr (std::is_same_v<Part, SeriesSpec>)
    return is_of_counts(job);
  else if constexpr (std::is_same_v<Part, forecasting::ModelConfig>)
    return job.is<TrainSpec>();
  else if constexpr (std::is_same_v<Part, PlaceGridSpec>)
    return job.places.grid.has_value();
  else
    return job.is<Part>();
}

// How a value is told: lists item by item, absent values not at all.
inline std::string text_of(const std::string& text) { return text; }
inline std::string text_of(bool flag) { return flag ? "true" : "false"; }
inline std::string text_of(std::int64_t number) { return std::to_string(number); }
inline std::string text_of(std::uint32_t number) { return std::to_string(number); }
inline std::string text_of(double number) { return shortest(number); }
inline std::string text_of(char character) { return std::string(1, character); }

template <class T>
void tell(const T& value, const std::string& key, Facts& facts) {
  facts.emplace_back(key, text_of(value));
}
template <class T>
void tell(const std::optional<T>& value, const std::string& key, Facts& facts) {
  if (value) tell(*value, key, facts);
}
template <class T>
void tell(const std::vector<T>& values, const std::string& key, Facts& facts) {
  for (const T& value : values) tell(value, key, facts);
}

// Caps of counts are told for every kind of job, by default values where it has none: old debits have such digests.
template <auto Member>
void tell_field(const Job& job, const std::string& key, Facts& facts) {
  using Part = typename MemberOf<decltype(Member)>::type;
  if constexpr (std::is_same_v<Part, SeriesSpec>)
    tell((is_of_counts(job) ? job.series() : SeriesSpec()).*Member, key, facts);
  else if (has_part<Part>(job))
    tell(field<Member>(job), key, facts);
}

template <auto Member>
Result<void> read_field(const Section& section, std::string_view key, Job& job) {
  return section.read(key, field<Member>(job));
}
template <auto Member>
Result<void> read_file(const Section& section, std::string_view key, Job& job) {
  return read_path(section, key, job.path, field<Member>(job));
}
template <auto Member>
Result<void> read_name(const Section& section, std::string_view key, Job& job) {
  std::optional<std::string> column;
  CV_CHECK(read_column(section, key, column));
  if (column) field<Member>(job) = std::move(*column);
  return {};
}

// How a member is written down.
template <class T>
constexpr KeyShape shape_of(const T*) {
  if constexpr (std::is_same_v<T, bool>)
    return KeyShape::flag;
  else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, char>)
    return KeyShape::whole;
  else if constexpr (std::is_same_v<T, double>)
    return KeyShape::number;
  else if constexpr (std::is_same_v<T, std::vector<std::string>>)
    return KeyShape::texts;
  else
    return KeyShape::text;
}
template <class T>
constexpr KeyShape shape_of(const std::optional<T>*) {
  return shape_of(static_cast<const T*>(nullptr));
}
template <class Part, class T>
constexpr KeyShape shape_of(T Part::*) {
  return shape_of(static_cast<const T*>(nullptr));
}

template <auto Member>
constexpr auto kBelongs = &has_part<typename MemberOf<decltype(Member)>::type>;

template <auto Member>
constexpr JobKey asked(std::string_view section, std::string_view name) {
  return JobKey{section, name, read_field<Member>, tell_field<Member>, kBelongs<Member>}.of(shape_of(Member));
}
// Read, but not part of what the job asks: where outputs go, how they look.
template <auto Member>
constexpr JobKey aside(std::string_view section, std::string_view name) {
  return JobKey{section, name, read_field<Member>, nullptr, kBelongs<Member>}.of(shape_of(Member));
}
template <auto Member>
constexpr JobKey file(std::string_view section, std::string_view name) {
  return {section, name, read_file<Member>, nullptr, kBelongs<Member>};
}
template <auto Member>
constexpr JobKey column(std::string_view section, std::string_view name) {
  return {section, name, read_name<Member>, tell_field<Member>, kBelongs<Member>};
}

// One word out of a closed list; the same list reads and tells.
template <auto Member, const auto& Words>
constexpr JobKey word(std::string_view section, std::string_view name) {
  using T = typename std::decay_t<decltype(Words)>::value_type::second_type;
  return JobKey{section, name,
                [](const Section& in, std::string_view key, Job& job) {
                  return read_word<T>(in, key, {Words.begin(), Words.end()}, field<Member>(job));
                },
                [](const Job& job, const std::string& key, Facts& facts) {
                  using Part = typename MemberOf<decltype(Member)>::type;
                  const auto told = [&](const auto& value) {
                    const auto found = std::find_if(Words.begin(), Words.end(),
                                                    [&](const auto& pair) { return pair.second == value; });
                    facts.emplace_back(key, std::string(found->first));
                  };
                  if constexpr (std::is_same_v<Part, SeriesSpec>)
                    told((is_of_counts(job) ? job.series() : SeriesSpec()).*Member);
                  else if (has_part<Part>(job))
                    told(field<Member>(job));
                },
                kBelongs<Member>}
      .out_of([](const JobKind&) {
        std::vector<std::string> words;
        for (const auto& pair : Words) words.emplace_back(pair.first);
        return words;
      });
}

}  // namespace chronoveil::engine::key_fields
