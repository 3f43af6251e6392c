// What the table of job keys reads and tells in other ways than a member by itself.
#pragma once

#include <array>
#include <filesystem>

#include "chronoveil/data/time/duration.h"
#include "chronoveil/engine/job/key_fields.h"
#include "chronoveil/engine/means/means.h"
#include "chronoveil/engine/train/job.h"
#include "chronoveil/ledger/stores/store.h"
#include "chronoveil/mechanisms/catalogue.h"

namespace chronoveil::engine::key_fields {

template <class T>
using Word = std::pair<std::string_view, T>;
using accounting::Analysis;
using bound::Duplicates;
using data::SourceKind;
using data::SourceSpec;
using forecasting::BottomLevel;
using forecasting::Fill;
using forecasting::ModelConfig;
using forecasting::TopLevel;
using Optimiser = TrainSpec::Optimiser;
using Clock = LiveSpec::Clock;

constexpr auto kSourceKinds = std::to_array<Word<SourceKind>>({{"csv", SourceKind::csv},
                                                               {"sqlite", SourceKind::sqlite},
                                                               {"postgresql", SourceKind::postgresql},
                                                               {"memory", SourceKind::memory}});
constexpr auto kDuplicates =
    std::to_array<Word<Duplicates>>({{"refuse", Duplicates::refuse}, {"sum", Duplicates::sum}});
constexpr auto kUnits =
    std::to_array<Word<Unit>>({{"user", Unit::user}, {"event", Unit::event}, {"w-event", Unit::w_event}});
constexpr auto kAnalyses =
    std::to_array<Word<Analysis>>({{"certified", Analysis::certified}, {"published", Analysis::published}});
constexpr auto kCounts = std::to_array<Word<bool>>({{"public", true}, {"private", false}});
constexpr auto kChannels = std::to_array<Word<bool>>({{"joint", false}, {"independent", true}});
constexpr auto kMoves = std::to_array<Word<bool>>({{"values", false}, {"times", true}});
constexpr auto kTops = std::to_array<Word<TopLevel>>(
    {{"without_replacement", TopLevel::without_replacement}, {"iterate", TopLevel::iterate}});
constexpr auto kBottoms = std::to_array<Word<BottomLevel>>(
    {{"with_replacement", BottomLevel::with_replacement}, {"poisson", BottomLevel::poisson}});
constexpr auto kOptimisers = std::to_array<Word<Optimiser>>({{"adam", Optimiser::adam}, {"sgd", Optimiser::sgd}});
constexpr auto kFills =
    std::to_array<Word<Fill>>({{"window_mean", Fill::window_mean}, {"zero", Fill::zero}, {"last", Fill::last}});
constexpr auto kFormulas = std::to_array<Word<bool>>({{"refuse", false}, {"keep", true}});
constexpr auto kAfter = std::to_array<Word<bool>>({{"stop", false}, {"continue", true}});
constexpr auto kClocks = std::to_array<Word<Clock>>({{"until", Clock::until}, {"system", Clock::system}});

inline bool has_slots(const Job& job) { return !job.is<PerturbSpec>(); }  // else its steps are its rows
inline bool has_series(const Job& job) { return is_of_counts(job) || job.is<TrainSpec>(); }
inline bool has_people(const Job& job) { return is_of_counts(job) || job.is<MeansSpec>(); }
inline bool has_chart(const Job& job) { return !job.is<TrainSpec>(); }
inline bool has_sums(const Job& job) { return job.is<SeriesSpec>(); }  // of groups: not step by step
inline bool has_units(const Job& job) { return !job.is<MeansSpec>(); }

inline Result<void> read_delimiter(const Section& section, std::string_view key, Job& job) {
  std::optional<std::string> delimiter;
  CV_CHECK(section.read(key, delimiter));
  if (!delimiter) return {};
  if (delimiter->size() != 1) return invalid("source.delimiter", *delimiter, "it must be one character");
  job.source.delimiter = delimiter->front();
  return {};
}
// One that is not given counts as a comma, as it did before headers were asked: old debits have such digests.
inline void tell_delimiter(const Job& job, const std::string& key, Facts& facts) {
  tell(job.source.delimiter.value_or(','), key, facts);
}
inline void tell_wide(const Job& job, const std::string& key, Facts& facts) {
  if (is_of_counts(job) && job.series().wide) facts.emplace_back(key, "true");
}
inline void tell_areas(const Job& job, const std::string& key, Facts& facts) {
  if (!job.places.areas.empty()) facts.emplace_back(key, job.places.areas_digest);
}
inline void tell_path(const std::string& path, const std::string& key, Facts& facts) {
  std::error_code ignored;
  const bool file = !path.empty() && path != "-";
  facts.emplace_back(key, file ? std::filesystem::absolute(path, ignored).lexically_normal().string() : path);
}
inline void tell_source_path(const Job& job, const std::string& key, Facts& facts) {
  tell_path(job.source.path, key, facts);
}
inline void tell_url(const std::string& url, const std::string& key, Facts& facts) {
  facts.emplace_back(key, url.empty() ? "" : ledger::place_digest(url));  // no password in it
}
inline void tell_source_url(const Job& job, const std::string& key, Facts& facts) {
  tell_url(job.source.url, key, facts);
}
inline void tell_values(const Job& job, const std::string& key, Facts& facts) {
  tell(job.source.value, key, facts);
  tell(job.source.measure, key, facts);
}
// The relation of some kinds is not the job's to choose, and still part of what is asked.
inline Result<void> read_relation(const Section& section, std::string_view key, Job& job) {
  return read_word<Relation>(section, key, {{"add_remove", Relation::add_remove}, {"replace", Relation::replace}},
                             job.relation);
}
inline void tell_relation(const Job& job, const std::string& key, Facts& facts) {
  facts.emplace_back(key, std::string(name(job.relation)));
}
// 0 stands for a cap that is not there.
template <auto Member>
void tell_cap(const Job& job, const std::string& key, Facts& facts) {
  if constexpr (std::is_same_v<typename MemberOf<decltype(Member)>::type, SeriesSpec>)
    tell(is_of_counts(job) ? (job.series().*Member).value_or(0) : std::int64_t{0}, key, facts);
  else
    tell(field<Member>(job).value_or(0), key, facts);
}
template <auto Member>
constexpr JobKey cap(std::string_view section, std::string_view name) {
  return JobKey{section, name, read_field<Member>, tell_cap<Member>, kBelongs<Member>}.of(shape_of(Member));
}
// Steps without a bound are told like a cap that is not there: they ask the same, and old debits have such digests.
constexpr JobKey steps(std::string_view section, std::string_view name) {
  return JobKey{section, name,
                [](const Section& in, std::string_view key, Job& job) { return read_steps(in, key, job.max_steps); },
                [](const Job& job, const std::string& key, Facts& facts) {
                  tell(job.max_steps == kAllSteps ? 0 : job.max_steps.value_or(0), key, facts);
                }}
      .of(KeyShape::steps);
}
inline Result<void> read_users(const Section& section, std::string_view key, Job& job) {
  return section.read(key, job.is<MeansSpec>() ? job.means().users : job.series().users);
}
inline Result<void> read_public_counts(const Section& section, std::string_view key, Job& job) {
  if (!section.has(key)) return {};
  std::string counts;
  CV_CHECK(section.read(key, counts));
  CV_TRY(job.means().counts, read_counts("plan.counts", counts, job.path, job.means().counts_path));
  return {};
}
constexpr JobKey shape() {
  return {"places", "shape", nullptr, [](const Job& job, const std::string& key, Facts& facts) {
            if (has_part<PlaceGridSpec>(job))
              facts.emplace_back(key, job.places.grid->shape == PlaceShape::hexagon ? "hexagon" : "square");
          }};
}
// Read with the grid, all or none.
template <auto Member>
constexpr JobKey edge(std::string_view name) {
  return JobKey{"places", name, nullptr, tell_field<Member>, nullptr}.of(KeyShape::number);
}
inline Result<void> read_lags(const Section& section, std::string_view key, Job& job) {
  job.train().lags_given = section.has(key);
  return section.read(key, job.train().model.lags);
}
inline void tell_lags(const Job& job, const std::string& key, Facts& facts) {
  if (!job.is<TrainSpec>()) return;
  facts.emplace_back("train.usual_lags", text_of(!job.train().lags_given));
  tell(job.train().model.lags, key, facts);
}
inline Result<void> read_spans_of(const Section& section, std::string_view key, Job& job) {
  TrainSpec& train = job.train();
  CV_CHECK(read_path(section, key, job.path, train.spans_path));
  if (train.spans_path.empty()) return {};
  CV_TRY(train.spans, read_spans(train.spans_path));
  return {};
}
inline void tell_spans(const Job& job, const std::string& key, Facts& facts) {
  if (!job.is<TrainSpec>()) return;
  for (const TrainSpec::Span& span : job.train().spans) {
    facts.emplace_back(key + ".series", span.series);
    facts.emplace_back(key + ".start", span.start);
    facts.emplace_back(key + ".end", span.end);
  }
}
// What a mechanism understands is known to the mechanism; here only that its parameters are single values.
inline Result<void> read_mechanism(const Section& section, std::string_view key, Job& job) {
  CV_CHECK(section.read(key, job.mechanism));
  for (const auto& [parameter, value] : section.values()) {
    if (parameter == key) continue;
    const bool single = std::visit(
        [&job, &name = parameter](const auto& held) {
          if constexpr (requires { mechanisms::Value(held); }) job.parameters.emplace(name, held);
          return requires { mechanisms::Value(held); };
        },
        value);
    if (!single) return fail(ErrorKind::usage, section.name_of(parameter), "it must be a single value");
  }
  return {};
}
template <class Catalogue>
std::vector<std::string> names_in(const Catalogue& catalogue) {
  std::vector<std::string> names{"auto"};
  for (const auto* mechanism : catalogue) names.emplace_back(mechanism->name);
  return names;
}
inline std::vector<std::string> mechanism_names(const JobKind& kind) {
  if (std::holds_alternative<MeansSpec>(kind)) return names_in(mechanisms::cell_catalogue());
  if (std::holds_alternative<PerturbSpec>(kind)) return names_in(mechanisms::temporal_catalogue());
  return names_in(mechanisms::series_catalogue());
}
// Old debits are of jobs without groups.
inline void tell_groups(const Job& job, const std::string& key, Facts& facts) {
  if (is_of_counts(job)) tell(job.series().groups, key, facts);
}
inline void tell_mechanism(const Job& job, const std::string& key, Facts& facts) {
  facts.emplace_back(key, job.mechanism);
  for (const auto& [parameter, value] : job.parameters) {
    const auto* const text = std::get_if<std::string>(&value);
    facts.emplace_back("mechanism." + parameter,
                       text ? "\"" + *text + "\"" : std::visit([](const auto& held) { return text_of(held); }, value));
  }
}
inline Result<void> read_wait(const Section& section, std::string_view key, Job& job) {
  if (!section.has(key)) return {};
  if (job.live().clock != Clock::system)
    return fail(ErrorKind::usage, "live.wait", "it goes with clock = \"system\"; `run.until` is exact");
  std::string wait;
  CV_CHECK(section.read(key, wait));
  const std::optional<std::int64_t> duration = data::parse_duration(wait);
  if (!duration) return invalid("live.wait", wait, "it must be a whole number of s, min, h, d or w, such as 5min");
  job.live().wait = *duration;
  return {};
}

}  // namespace chronoveil::engine::key_fields
