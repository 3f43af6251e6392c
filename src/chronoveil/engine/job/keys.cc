#include "chronoveil/engine/job/keys.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "chronoveil/data/time/duration.h"
#include "chronoveil/engine/job/key_fields.h"
#include "chronoveil/engine/means/job.h"
#include "chronoveil/engine/train/job.h"
#include "chronoveil/ledger/stores/store.h"

namespace chronoveil::engine::key_fields {
namespace {

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

bool has_slots(const Job& job) { return !job.is<PerturbSpec>(); }  // else its steps are its rows

Result<void> read_delimiter(const Section& section, std::string_view key, Job& job) {
  std::string delimiter(1, job.source.delimiter);
  CV_CHECK(section.read(key, delimiter));
  if (delimiter.size() != 1) return invalid("source.delimiter", delimiter, "it must be one character");
  job.source.delimiter = delimiter[0];
  return {};
}
void tell_source_path(const Job& job, const std::string& key, Facts& facts) {
  const std::string& path = job.source.path;
  std::error_code ignored;
  const bool file = !path.empty() && path != "-";
  facts.emplace_back(key, file ? std::filesystem::absolute(path, ignored).lexically_normal().string() : path);
}
void tell_source_url(const Job& job, const std::string& key, Facts& facts) {
  facts.emplace_back(key, job.source.url.empty() ? "" : ledger::place_digest(job.source.url));  // no password in it
}
void tell_values(const Job& job, const std::string& key, Facts& facts) {
  tell(job.source.value, key, facts);
  tell(job.source.measure, key, facts);
}
// Some kinds fix the relation; it is part of what the job asks all the same.
Result<void> read_relation(const Section& section, std::string_view key, Job& job) {
  return read_word<Relation>(section, key, {{"add_remove", Relation::add_remove}, {"replace", Relation::replace}},
                             job.relation);
}
void tell_relation(const Job& job, const std::string& key, Facts& facts) {
  facts.emplace_back(key, std::string(name(job.relation)));
}
// 0 stands for an absent cap.
template <auto Member>
void tell_cap(const Job& job, const std::string& key, Facts& facts) {
  if constexpr (std::is_same_v<typename MemberOf<decltype(Member)>::type, SeriesSpec>)
    tell(is_of_counts(job) ? (job.series().*Member).value_or(0) : std::int64_t{0}, key, facts);
  else
    tell(field<Member>(job).value_or(0), key, facts);
}
template <auto Member>
constexpr JobKey cap(std::string_view section, std::string_view name) {
  return {section, name, read_field<Member>, tell_cap<Member>, kBelongs<Member>};
}
Result<void> read_public_counts(const Section& section, std::string_view key, Job& job) {
  if (!section.has(key)) return {};
  std::string counts;
  CV_CHECK(section.read(key, counts));
  CV_TRY(job.means().counts, read_counts("plan.counts", counts, job.path, job.means().counts_path));
  return {};
}
constexpr JobKey shape() {
  return {"places", "shape", nullptr, [](const Job& job, const std::string& key, Facts& facts) {
            if (has_part<PlaceGridSpec>(job))
              facts.emplace_back(key, job.means().grid->shape == PlaceShape::hexagon ? "hexagon" : "square");
          }};
}
// Read with the grid: all of them or none.
template <auto Member>
constexpr JobKey edge(std::string_view name) {
  return {"places", name, nullptr, tell_field<Member>, nullptr};
}
Result<void> read_lags(const Section& section, std::string_view key, Job& job) {
  job.train().lags_given = section.has(key);
  return section.read(key, job.train().model.lags);
}
void tell_lags(const Job& job, const std::string& key, Facts& facts) {
  if (!job.is<TrainSpec>()) return;
  facts.emplace_back("train.usual_lags", text_of(!job.train().lags_given));
  tell(job.train().model.lags, key, facts);
}
Result<void> read_spans_of(const Section& section, std::string_view key, Job& job) {
  TrainSpec& train = job.train();
  CV_CHECK(read_path(section, key, job.path, train.spans_path));
  if (train.spans_path.empty()) return {};
  CV_TRY(train.spans, read_spans(train.spans_path));
  return {};
}
void tell_spans(const Job& job, const std::string& key, Facts& facts) {
  if (!job.is<TrainSpec>()) return;
  for (const TrainSpec::Span& span : job.train().spans) {
    facts.emplace_back(key + ".series", span.series);
    facts.emplace_back(key + ".start", span.start);
    facts.emplace_back(key + ".end", span.end);
  }
}
// The mechanism checks its parameters; here they must only be single values.
Result<void> read_mechanism(const Section& section, std::string_view key, Job& job) {
  CV_CHECK(section.read(key, job.mechanism));
  for (const auto& [parameter, value] : section.values()) {
    if (parameter == key) continue;
    const bool single = std::visit(
        [&](const auto& held) {
          if constexpr (requires { mechanisms::Value(held); }) job.parameters.emplace(parameter, held);
          return requires { mechanisms::Value(held); };
        },
        value);
    if (!single) return fail(ErrorKind::usage, section.name_of(parameter) + ": it must be a single value");
  }
  return {};
}
void tell_mechanism(const Job& job, const std::string& key, Facts& facts) {
  facts.emplace_back(key, job.mechanism);
  for (const auto& [parameter, value] : job.parameters) {
    const auto* const text = std::get_if<std::string>(&value);
    facts.emplace_back("mechanism." + parameter,
                       text ? "\"" + *text + "\"" : std::visit([](const auto& held) { return text_of(held); }, value));
  }
}
Result<void> read_wait(const Section& section, std::string_view key, Job& job) {
  if (!section.has(key)) return {};
  if (job.live().clock != Clock::system)
    return fail(ErrorKind::usage, "live.wait: it goes with clock = \"system\"; --until is exact");
  std::string wait;
  CV_CHECK(section.read(key, wait));
  const std::optional<std::int64_t> duration = data::parse_duration(wait);
  if (!duration) return invalid("live.wait", wait, "it must be a whole number of s, min, h, d or w, such as 5min");
  job.live().wait = *duration;
  return {};
}

constexpr JobKey kKeys[] = {
    asked<&Job::dataset>("dataset", "name"),
    aside<&Job::purpose>("dataset", "purpose"),
    word<&SourceSpec::kind, kSourceKinds>("source", "kind"),
    {"source", "path", read_file<&SourceSpec::path>, tell_source_path},
    {"source", "url", read_field<&SourceSpec::url>, tell_source_url},
    asked<&SourceSpec::query>("source", "query"),
    asked<&SourceSpec::table>("source", "table"),
    column<&SourceSpec::user>("source", "user"),
    column<&SourceSpec::time>("source", "time"),
    column<&SourceSpec::series>("source", "series"),
    {"source", "value", read_name<&SourceSpec::value>, tell_values},
    {"source", "place"},
    column<&SourceSpec::longitude>("source", "longitude"),
    column<&SourceSpec::latitude>("source", "latitude"),
    asked<&SourceSpec::time_format>("source", "time_format"),
    asked<&SourceSpec::zone>("source", "zone"),
    {"source", "delimiter", read_delimiter, tell_field<&SourceSpec::delimiter>},
    asked<&SourceSpec::header>("source", "header"),
    word<&SeriesSpec::duplicates, kDuplicates>("source", "duplicates"),
    {"slots", "start", read_field<&data::SlotSpec::start>, tell_field<&data::SlotSpec::start>, has_slots},
    {"slots", "end", read_field<&data::SlotSpec::end>, tell_field<&data::SlotSpec::end>, has_slots},
    {"slots", "length", read_field<&data::SlotSpec::length>, tell_field<&data::SlotSpec::length>, has_slots},
    {"slots", "zone", read_field<&data::SlotSpec::zone>, tell_field<&data::SlotSpec::zone>, has_slots},
    {"series", "list"},
    {"series", "keys", nullptr, tell_field<&Job::keys>},
    asked<&SeriesSpec::disjoint>("series", "disjoint"),
    word<&Job::unit, kUnits>("privacy", "unit"),
    {"privacy", "relation", read_relation, tell_relation},
    asked<&Job::width>("privacy", "width"),
    cap<&Job::max_steps>("privacy", "max_steps"),
    asked<&SeriesSpec::max_per_slot>("privacy", "max_per_slot"),
    cap<&SeriesSpec::maximum>("privacy", "maximum"),
    word<&Job::analysis, kAnalyses>("privacy", "analysis"),
    asked<&Job::epsilon>("privacy", "epsilon"),
    asked<&Job::delta>("privacy", "delta"),
    asked<&MeansSpec::lower>("means", "lower"),
    asked<&MeansSpec::upper>("means", "upper"),
    word<&MeansSpec::counts_public, kCounts>("means", "counts"),
    asked<&MeansSpec::max_cells>("means", "max_cells"),
    asked<&MeansSpec::max_records>("means", "max_records"),
    asked<&MeansSpec::registered>("means", "registered"),
    asked<&MeansSpec::sparse_below>("means", "sparse_below"),
    // These decide the choice of the mechanism, which is part of what the job asks.
    asked<&MeansSpec::users>("plan", "users"),
    {"plan", "counts", read_public_counts, tell_field<&MeansSpec::counts>, has_part<MeansSpec>},
    {"places", "list"},
    {"places", "keys"},
    shape(),
    edge<&PlaceGridSpec::west>("west"),
    edge<&PlaceGridSpec::south>("south"),
    edge<&PlaceGridSpec::east>("east"),
    edge<&PlaceGridSpec::north>("north"),
    edge<&PlaceGridSpec::size>("size"),
    asked<&PerturbSpec::columns>("perturb", "columns"),
    asked<&PerturbSpec::keep>("perturb", "keep"),
    asked<&PerturbSpec::categories>("perturb", "categories"),
    word<&PerturbSpec::independent, kChannels>("perturb", "channels"),
    word<&PerturbSpec::times_move, kMoves>("perturb", "move"),
    asked<&PerturbSpec::has_times>("perturb", "times"),
    asked<&PerturbSpec::stream>("perturb", "stream"),
    asked<&PerturbSpec::window>("privacy", "window"),
    asked<&PerturbSpec::length>("perturb", "length"),
    asked<&PerturbSpec::lower>("perturb", "lower"),
    asked<&PerturbSpec::upper>("perturb", "upper"),
    aside<&PerturbSpec::average>("perturb", "average"),
    asked<&ModelConfig::model>("train", "model"),
    asked<&ModelConfig::context_length>("train", "context_length"),
    asked<&ModelConfig::forecast_length>("train", "forecast_length"),
    asked<&ModelConfig::hidden>("train", "hidden"),
    asked<&ModelConfig::layers>("train", "layers"),
    asked<&ModelConfig::heads>("train", "heads"),
    asked<&ModelConfig::inner>("train", "inner"),
    asked<&ModelConfig::kernel>("train", "kernel"),
    asked<&ModelConfig::head_features>("train", "head_features"),
    asked<&ModelConfig::season>("train", "season"),
    asked<&ModelConfig::spread>("train", "spread"),
    {"train", "lags", read_lags, tell_lags, has_part<TrainSpec>},
    asked<&TrainSpec::channels>("train", "channels"),
    word<&TrainSpec::top, kTops>("train", "top_level"),
    word<&TrainSpec::bottom, kBottoms>("train", "bottom_level"),
    asked<&TrainSpec::batch_size>("train", "batch_size"),
    asked<&TrainSpec::windows_per_series>("train", "windows_per_series"),
    asked<&TrainSpec::noise_multiplier>("train", "noise_multiplier"),
    asked<&TrainSpec::steps>("train", "steps"),
    asked<&TrainSpec::clip>("train", "clip"),
    word<&TrainSpec::optimiser, kOptimisers>("train", "optimiser"),
    asked<&TrainSpec::learning_rate>("train", "learning_rate"),
    asked<&TrainSpec::weight_decay>("train", "weight_decay"),
    asked<&TrainSpec::average>("train", "average"),
    asked<&TrainSpec::context_noise>("train", "context_noise"),
    asked<&TrainSpec::label_noise>("train", "label_noise"),
    asked<&TrainSpec::noise_unit>("train", "noise_unit"),
    asked<&TrainSpec::lower>("train", "lower"),
    asked<&TrainSpec::upper>("train", "upper"),
    word<&TrainSpec::fill, kFills>("train", "fill"),
    asked<&TrainSpec::calendar>("train", "calendar"),
    asked<&TrainSpec::spare_steps>("train", "spare_steps"),
    asked<&TrainSpec::initial_seed>("train", "initial_seed"),
    {"train", "spans", read_spans_of, tell_spans, has_part<TrainSpec>},
    aside<&TrainSpec::checkpoint_every>("train", "checkpoint_every"),
    {"mechanism", "name", read_mechanism, tell_mechanism},
    file<&SeriesSpec::public_sample>("plan", "sample"),
    file<&Job::csv>("output", "csv"),
    file<&Job::json>("output", "json"),
    file<&Job::report>("output", "report"),
    aside<&Job::title>("output", "title"),
    aside<&Job::level>("output", "level"),
    aside<&SeriesSpec::non_negative>("output", "non_negative"),
    aside<&SeriesSpec::integers>("output", "integers"),
    file<&PerturbSpec::internal>("output", "internal"),
    file<&TrainSpec::output>("output", "model"),
    {"output", "formulas", word<&Job::keeps_formulas, kFormulas>("", "").read},
    aside<&LiveSpec::name>("live", "name"),
    {"live", "after", word<&LiveSpec::continues, kAfter>("", "").read, nullptr, has_part<LiveSpec>},
    aside<&LiveSpec::max_gap>("live", "max_gap"),
    {"live", "clock", word<&LiveSpec::clock, kClocks>("", "").read, nullptr, has_part<LiveSpec>},
    {"live", "wait", read_wait, nullptr, has_part<LiveSpec>},
};

}  // namespace

std::span<const JobKey> table() { return kKeys; }

}  // namespace chronoveil::engine::key_fields

namespace chronoveil::engine {

std::span<const JobKey> job_keys() { return key_fields::table(); }

std::vector<std::string_view> section_names() {
  std::vector<std::string_view> names;
  for (const JobKey& key : job_keys())
    if (std::find(names.begin(), names.end(), key.section) == names.end()) names.push_back(key.section);
  return names;
}

std::vector<std::string_view> keys_of(std::string_view section) {
  std::vector<std::string_view> names;
  for (const JobKey& key : job_keys())
    if (key.section == section) names.push_back(key.name);
  return names;
}

Result<void> read_section(const JobTable& table, std::string_view section, Job& job) {
  const Section& values = table.section(section);
  if (section != "mechanism") CV_CHECK(values.only(keys_of(section)));
  for (const JobKey& key : job_keys())
    if (key.section == section && key.read && (!key.belongs || key.belongs(job)))
      CV_CHECK(key.read(values, key.name, job));
  return {};
}

Facts facts_of(const Job& job) {
  Facts facts;
  for (const JobKey& key : job_keys())
    if (key.tell) key.tell(job, std::string(key.section).append(".").append(key.name), facts);
  return facts;
}

}  // namespace chronoveil::engine
