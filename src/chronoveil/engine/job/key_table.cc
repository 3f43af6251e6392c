// The rows of the table of job keys, in the order in which they are told.
#include "chronoveil/engine/job/key_readers.h"

namespace chronoveil::engine::key_fields {
namespace {

constexpr JobKey kKeys[] = {
    asked<&Job::dataset>("dataset", "name")
        .as("--dataset", "the dataset of the [ledger](ledger.md) that is debited", "needed"),
    aside<&Job::purpose>("dataset", "purpose").as("--purpose", "why, in words; goes into the ledger", "the span"),
    word<&SourceSpec::kind, kSourceKinds>("source", "kind")
        .as("--kind", "`csv`, `sqlite`, `postgresql`; `memory` in [programs that hand over their rows](library.md)",
            "`csv`")
        .offered_to(has_slots),
    JobKey{"source", "path", read_file<&SourceSpec::path>, tell_source_path}.as(
        "INPUT", "a CSV (plain, gzip, xz), `-`, or a SQLite database", "needed there"),
    JobKey{"source", "url", read_field<&SourceSpec::url>, tell_source_url}
        .as("INPUT", "of a PostgreSQL database: `postgresql://host/db`", "needed there")
        .offered_to(has_slots),
    asked<&SourceSpec::query>("source", "query")
        .as("--query", "of a database: the SELECT to read", "this or `table`")
        .offered_to(has_slots),
    asked<&SourceSpec::table>("source", "table")
        .as("--table", "of a database: the table to read", "this or `query`")
        .offered_to(has_slots),
    column<&SourceSpec::user>("source", "user")
        .as("--user", "the column that says who; without it rows are counts, and caps are declared", "absent")
        .offered_to(has_people),
    column<&SourceSpec::time>("source", "time").as("--time", "the column that says when", "`time`"),
    column<&SourceSpec::series>("source", "series")
        .as("--series", "the column that says which series", "absent")
        .offered_to(has_series),
    JobKey{"source", "value", read_name<&SourceSpec::value>, tell_values}
        .as("--value", "the column that says how many, or that is averaged or learned", "absent: 1 per row")
        .offered_to(has_slots),
    JobKey{"source", "place"}
        .as("--place", "of means: the column that says where", "absent")
        .offered_to(has_part<MeansSpec>),
    column<&SourceSpec::longitude>("source", "longitude")
        .as("--longitude", "of counts and means by place: the column of longitudes, in degrees", "absent")
        .offered_to(has_people),
    column<&SourceSpec::latitude>("source", "latitude")
        .as("--latitude", "of counts and means by place: the column of latitudes, in degrees", "absent")
        .offered_to(has_people),
    JobKey{"source", "wide", read_field<&SeriesSpec::wide>, tell_wide, has_part<SeriesSpec>}
        .as("--wide", "whether every series is a column of counts, called like its key in `[series]`; counts only",
            "`false`")
        .of(KeyShape::flag),
    asked<&SourceSpec::time_format>("source", "time_format")
        .as("--time-format",
            "`iso8601`, `epoch` (seconds), `epoch_ms`, `epoch_min`, or like `%d/%m/%Y`, `%Y-%m`, `%G-W%V`", "`iso8601`")
        .offered_to(has_slots),
    asked<&SourceSpec::zone>("source", "zone")
        .as("--zone", "the time zone, such as `Europe/Berlin`", "`UTC`")
        .offered_to(has_slots),
    JobKey{"source", "delimiter", read_delimiter, tell_delimiter}.as("--delimiter", "between the fields of a CSV",
                                                                     "what its header shows; `\",\"` without one"),
    asked<&SourceSpec::header>("source", "header")
        .as("--no-header", "whether the CSV has a header; without it columns are named by number, from 1", "`true`"),
    word<&SeriesSpec::duplicates, kDuplicates>("source", "duplicates")
        .as("--duplicates", "a second count for one series and slot: `refuse` or `sum`; counts only", "`refuse`"),
    JobKey{"slots", "start", read_field<&data::SlotSpec::start>, tell_field<&data::SlotSpec::start>, has_slots}.as(
        "--start", "the start of the first slot, such as `2026-03-01T00:00`", "needed"),
    JobKey{"slots", "end", read_field<&data::SlotSpec::end>, tell_field<&data::SlotSpec::end>, has_slots}.as(
        "--end", "the first instant after the span", "needed"),
    JobKey{"slots", "length", read_field<&data::SlotSpec::length>, tell_field<&data::SlotSpec::length>, has_slots}.as(
        "--length", "of a slot: `15min`, `1h`, `1d`, `1w`, `1mo`", "needed"),
    JobKey{"slots", "zone", read_field<&data::SlotSpec::zone>, tell_field<&data::SlotSpec::zone>, has_slots}.as(
        "", "of the slots", "that of the source"),
    JobKey{"series", "list"}
        .as("--series-list", "a file with the public keys of the series, one per line", "")
        .offered_to(has_series),
    JobKey{"series", "keys", nullptr, tell_field<&Job::keys>}
        .as("--series-key", "or the keys themselves: `[\"north\", \"south\"]`", "")
        .of(KeyShape::texts)
        .offered_to(has_series),
    JobKey{"series", "groups", read_file<&SeriesSpec::groups_path>, tell_groups, has_sums}.as(
        "--groups",
        "of counts: a public CSV `series,group`; sums of each group are [published, too](reports.md#totals)", "none"),
    asked<&SeriesSpec::disjoint>("series", "disjoint")
        .as("--disjoint", "declares that everybody is in one series only", "`false`"),
    word<&Job::unit, kUnits>("privacy", "unit")
        .as("--unit", "what is protected: `user`, `event`, `w-event`", "`user`; of `[perturb]`, `event`")
        .offered_to(has_units),
    JobKey{"privacy", "relation", read_relation, tell_relation}
        .as("--relation", "how neighbours differ: `add_remove` or `replace`; of means it is the mechanism's",
            "`add_remove`")
        .offered_to(is_of_counts),
    asked<&Job::width>("privacy", "width")
        .as("--width,--window", "slots in a row, for `w-event`", "needed there")
        .offered_to(has_series),
    steps("privacy", "max_steps")
        .as("--max-steps",
            "pairs of series and slot in which one person counts, over the whole job, or `all`; for `user`; of a job "
            "with `[train]`, steps of one series that are one person's, declared",
            "needed for `user`")
        .offered_to(has_series),
    JobKey{"privacy", "caps_from", read_field<&Job::caps_from>, nullptr, has_people}.as(
        "", "the debit of the [look](choosing_caps.md) that chose the caps, such as `city:3`; a look writes it",
        "none"),
    asked<&SeriesSpec::max_per_slot>("privacy", "max_per_slot")
        .as("--max-per-slot", "what one person adds to one slot", "1"),
    cap<&SeriesSpec::maximum>("privacy", "maximum")
        .as("--maximum", "a public maximum; larger counts are taken as this", "10⁸"),
    word<&Job::analysis, kAnalyses>("privacy", "analysis")
        .as("--analysis", "`certified`, or `published`: as in the papers, and not certified", "`certified`"),
    asked<&Job::epsilon>("privacy", "epsilon").as("--epsilon", "ε of this release", "needed"),
    asked<&Job::delta>("privacy", "delta").as("--delta", "δ of this release", "0"),
    asked<&MeansSpec::lower>("means", "lower")
        .as("--lower", "a public lower bound of a value; what is below is taken as this", "0"),
    asked<&MeansSpec::upper>("means", "upper")
        .as("--upper", "a public upper bound of a value; what is above is taken as this", "needed"),
    word<&MeansSpec::counts_public, kCounts>("means", "counts")
        .as("--counts", "who was where and when, with how many records: `public`, so not protected, or `private`",
            "needed"),
    asked<&MeansSpec::max_cells>("means", "max_cells")
        .as("--max-cells", "cells (a place in a slot) in which one person counts, over the whole job", "needed"),
    asked<&MeansSpec::max_records>("means", "max_records")
        .as("--max-records", "how many records of one person count in one cell: the first ones",
            "all; needed for `sum_over_count`"),
    asked<&MeansSpec::registered>("means", "registered")
        .as("--registered", "how many people there are in all", "needed for `registered_mean`"),
    asked<&MeansSpec::sparse_below>("means", "sparse_below")
        .as("--sparse-below",
            "cells with fewer users are not published; where counts are private, with fewer records by the noisy count",
            "1"),
    // What chooses the mechanism; the choice is part of what the job asks.
    // Of counts it chooses nothing, and is not asked.
    JobKey{"plan", "users", read_users, tell_field<&MeansSpec::users>, has_people}
        .of(KeyShape::whole)
        .as("--plan-users",
            "how many people a typical cell has, of counts a slot of a series: a release that would say nothing of so "
            "many is [refused](planning.md#what-would-say-nothing); of means, without counts, with "
            "`means.max_records` each",
            "none; 10,000 are assumed")
        .offered_to(has_people),
    JobKey{"plan", "counts", read_public_counts, tell_field<&MeansSpec::counts>, has_part<MeansSpec>}.as(
        "--plan-counts",
        "of means: public records of each person in a typical cell, a file of numbers or a list such as "
        "`\"417,398,12\"`",
        "none"),
    JobKey{"places", "list"}
        .as("--place-list", "of means: a file with the public places, one per line", "")
        .offered_to(has_part<MeansSpec>),
    JobKey{"places", "keys"}
        .as("--place-key", "of means: the places themselves instead", "")
        .of(KeyShape::texts)
        .offered_to(has_part<MeansSpec>),
    JobKey{"places", "areas", nullptr, tell_areas}
        .as("--areas", "a public GeoJSON file of polygons; a point is in the first that holds it", "")
        .offered_to(has_people),
    JobKey{"places", "name"}
        .as("--area-name", "of areas: the property that names them", "`name`")
        .offered_to(has_people),
    shape().as("--grid-shape", "of a grid: `hexagon` or `square`", "`hexagon`").offered_to(has_people),
    edge<&PlaceGridSpec::west>("west")
        .as("--grid", "of a grid: the west of its box, in degrees", "needed there")
        .offered_to(has_people),
    edge<&PlaceGridSpec::south>("south").as("--grid", "the south", "needed there").offered_to(has_people),
    edge<&PlaceGridSpec::east>("east").as("--grid", "the east", "needed there").offered_to(has_people),
    edge<&PlaceGridSpec::north>("north").as("--grid", "the north", "needed there").offered_to(has_people),
    edge<&PlaceGridSpec::size>("size")
        .as("--cell-size", "of a grid: metres between the middles of neighbouring places", "needed there")
        .offered_to(has_people),
    asked<&PerturbSpec::columns>("perturb", "columns")
        .as("--columns", "the columns to perturb; others that are named nowhere are left out",
            "all but the times and `keep`")
        .of(KeyShape::words),
    asked<&PerturbSpec::keep>("perturb", "keep")
        .as("--keep", "public columns that stay in place with the times", "none")
        .of(KeyShape::words),
    asked<&PerturbSpec::categories>("perturb", "categories")
        .as("--categories", "the public list of values, of `randomized_response`", "needed there")
        .of(KeyShape::words),
    word<&PerturbSpec::independent, kChannels>("perturb", "channels")
        .as("--channels",
            "`joint`: the columns of a row stay together; `independent`: each on its own, and costs add up", "`joint`"),
    word<&PerturbSpec::times_move, kMoves>("perturb", "move")
        .as("--move", "`values` among times that stay, or `times`: rows keep their values and get new times",
            "`values`"),
    asked<&PerturbSpec::has_times>("perturb", "times")
        .as("--no-time", "whether there is a column of times, `source.time`", "`true`"),
    asked<&PerturbSpec::stream>("perturb", "stream")
        .as("--stream",
            "rows leave while others still come, which takes a `delta`; automatic if `path` is `-` and there is one",
            "`false`"),
    asked<&PerturbSpec::window>("privacy", "window")
        .as("--window", "of a job with `[perturb]`: values less than this many rows apart may have changed places",
            "needed there"),
    asked<&PerturbSpec::length>("perturb", "length")
        .as("--length", "the public number of rows, where `unit` is `user`", "needed there"),
    asked<&PerturbSpec::lower>("perturb", "lower")
        .as("--lower", "a public lower bound, of mechanisms that change numbers", "needed there"),
    asked<&PerturbSpec::upper>("perturb", "upper")
        .as("--upper", "a public upper bound, of mechanisms that change numbers", "needed there"),
    aside<&PerturbSpec::average>("perturb", "average")
        .as("--average", "steps of the moving averages in the internal report", "the window"),
    asked<&ModelConfig::model>("train", "model")
        .as("",
            "`sign_lags`, which looks once; networks: `simple_feed_forward`, `deepar`, `itransformer`, `dlinear`; or "
            "`auto`, which so far always takes `sign_lags`",
            "`auto`"),
    asked<&ModelConfig::context_length>("train", "context_length")
        .as("",
            "steps that a window reads; of `sign_lags` how many past differences a forecast weighs. A network whose "
            "job "
            "leaves it out gets its batches and its season from public facts, too",
            "from the slots and the lengths of series"),
    asked<&ModelConfig::forecast_length>("train", "forecast_length")
        .as("", "steps that it forecasts", "one season of the slots: 24 hours, 7 days"),
    asked<&ModelConfig::hidden>("train", "hidden").as("", "how large the model is", "the model's own"),
    asked<&ModelConfig::layers>("train", "layers").as("", "how many layers it has", "the model's own"),
    asked<&ModelConfig::heads>("train", "heads").as("", "attention heads", "the model's own"),
    asked<&ModelConfig::inner>("train", "inner").as("", "width of the inner layers", "the model's own"),
    asked<&ModelConfig::kernel>("train", "kernel").as("", "steps of the moving average", "the model's own"),
    asked<&ModelConfig::head_features>("train", "head_features")
        .as("", "numbers per step that the last layer reads", "the model's own"),
    asked<&ModelConfig::season>("train", "season")
        .as("",
            "forecasts are learned as deviations from the value this many steps before, as in `season = 24` for hours: "
            "a network that has learned nothing yet then repeats the last season. At most `context_length`, for "
            "`deepar` "
            "its longest lag",
            "0: none"),
    asked<&ModelConfig::spread>("train", "spread")
        .as("",
            "with a `season`: how far from that value, as a share of the window's size, forecasts reach before "
            "anything is learned; a public guess",
            "0.1"),
    JobKey{"train", "lags", read_lags, tell_lags, has_part<TrainSpec>}.as(
        "", "of `deepar`: steps back that it reads too, `[1, 24, 168]`; they lengthen every window",
        "usual for the slots"),
    asked<&TrainSpec::seasons>("train", "seasons")
        .as("",
            "of `sign_lags`: how many steps apart values are that it compares, as in `[24, 168]` for hours with a "
            "weekly "
            "rhythm; each one more adds noise",
            "from the slots and the lengths of series"),
    asked<&TrainSpec::channels>("train", "channels")
        .as("", "columns that one model reads together, as one series", "`source.value` alone"),
    word<&TrainSpec::top, kTops>("train", "top_level")
        .as("", "how series are drawn: `without_replacement`, anew each step, or `iterate`, in turn",
            "`without_replacement`"),
    word<&TrainSpec::bottom, kBottoms>("train", "bottom_level")
        .as("", "how windows are drawn from a series: `with_replacement` or `poisson`", "`with_replacement`"),
    asked<&TrainSpec::batch_size>("train", "batch_size")
        .as("", "Λ, windows that a step takes on average", "128, or fewer where there are fewer series"),
    asked<&TrainSpec::windows_per_series>("train", "windows_per_series")
        .as("",
            "λ, how many of them come from one series: where series are few and long, for example "
            "`windows_per_series = 32`, so that a step does not take one window alone",
            "1"),
    asked<&TrainSpec::noise_multiplier>("train", "noise_multiplier")
        .as("", "σ: the steps follow from `epsilon` and `delta`", "this or `steps`"),
    asked<&TrainSpec::steps>("train", "steps")
        .as("", "or the steps: the noise follows. Both: they must be within `epsilon` and `delta`",
            "this or `noise_multiplier`"),
    asked<&TrainSpec::clip>("train", "clip").as("", "C, the norm to which the gradient of a window is clipped", "1e-4"),
    word<&TrainSpec::optimiser, kOptimisers>("train", "optimiser").as("", "`adam` or `sgd`; costs nothing", "`adam`"),
    asked<&TrainSpec::learning_rate>("train", "learning_rate").as("", "of the optimiser", "1e-3"),
    asked<&TrainSpec::weight_decay>("train", "weight_decay").as("", "of the optimiser", "1e-8"),
    asked<&TrainSpec::average>("train", "average")
        .as("", "decay of the moving average of iterates that is released; 0 releases the last", "0"),
    asked<&TrainSpec::context_noise>("train", "context_noise")
        .as("", "σ_C: fresh noise on what a window reads, in units of `noise_unit`", "0"),
    asked<&TrainSpec::label_noise>("train", "label_noise")
        .as("", "σ_F: fresh noise on what a window forecasts, in units of `noise_unit`", "0"),
    asked<&TrainSpec::noise_unit>("train", "noise_unit")
        .as("",
            "v: the most by which a change moves the values of a step, declared; with bounds, at least what they "
            "allow, and so enforced",
            "1; with bounds and noise, √D (`upper` − `lower`) for D channels"),
    asked<&TrainSpec::lower>("train", "lower")
        .as("",
            "a public lower bound, with `upper` or neither: what is outside is taken as the nearer one before any "
            "window is cut; what is missing stays missing",
            "none"),
    asked<&TrainSpec::upper>("train", "upper").as("", "a public upper bound", "none"),
    word<&TrainSpec::fill, kFills>("train", "fill")
        .as("", "missing values, from inside the window: `window_mean`, `zero`, `last`", "`window_mean`"),
    asked<&TrainSpec::calendar>("train", "calendar")
        .as("", "whether the model knows the hour, the weekday and the season", "`true`"),
    asked<&TrainSpec::spare_steps>("train", "spare_steps")
        .as("", "steps that may be lost to crashes and are made up for; planned and debited on top", "0"),
    asked<&TrainSpec::initial_seed>("train", "initial_seed")
        .as("", "of the weights before the first step; public", "1"),
    JobKey{"train", "spans", read_spans_of, tell_spans, has_part<TrainSpec>}.as(
        "", "a public CSV `series,start,end`, where series do not all span `[slots]`", "all do"),
    aside<&TrainSpec::checkpoint_every>("train", "checkpoint_every").as("", "steps between checkpoints", "200"),
    JobKey{"mechanism", "name", read_mechanism, tell_mechanism}
        .out_of(mechanism_names)
        .as("--mechanism", "one of the catalogue, or `auto`: chosen from public facts", "`auto`"),
    file<&SeriesSpec::public_sample>("plan", "sample")
        .as("--sample",
            "a CSV with a column `value` (and `series`), in order of time, that you declare public; errors are "
            "predicted on it",
            "none"),
    file<&Job::csv>("output", "csv")
        .as("--csv,--output", "the release as [CSV](reports.md)", "none; of a command, standard output"),
    JobKey{"output", "totals", read_file<&SeriesSpec::totals>, nullptr, is_of_counts}.as(
        "--totals", "of counts: [sums](reports.md#totals) over series and over days, weeks and months, as CSV",
        "`NAME_totals.csv` beside a `csv` called `NAME.csv`"),
    file<&Job::json>("output", "json").as("--json-out", "the release as JSON, with its guarantee and debit", "none"),
    file<&Job::report>("output", "report").as("--report", "the report, one HTML file", "none"),
    JobKey{"output", "chart", read_file<&Job::chart>, nullptr, has_chart}.as(
        "--chart", "the charts or the map as a picture, `FILE.svg` or `FILE.png`; not of a training", "none"),
    JobKey{"output", "geojson", read_file<&Job::geojson>, nullptr, has_people}.as(
        "--geojson", "of counts and means on a grid or by areas: [the cells as GeoJSON](reports.md#maps), for maps",
        "none"),
    aside<&Job::title>("output", "title").as("--title", "of the report", "the dataset"),
    aside<&Job::level>("output", "level").as("--level", "of the intervals", "0.95").offered_to(has_slots),
    aside<&SeriesSpec::non_negative>("output", "non_negative")
        .as("--allow-negative", "whether negative values become 0; changes no guarantee; counts only", "`true`"),
    aside<&SeriesSpec::integers>("output", "integers")
        .as("--integers", "whether values are rounded; changes no guarantee; counts only", "`false`"),
    aside<&MeansSpec::smooth>("output", "smooth")
        .as("--smooth",
            "whether means are [smoothed](post_processing.md#means-over-place-and-time) over place and time; changes "
            "no "
            "guarantee; means only",
            "`false`"),
    file<&PerturbSpec::internal>("output", "internal")
        .as("--internal", "of a job with `[perturb]`: a report for the owner alone", "none"),
    file<&TrainSpec::output>("output", "model").as("", "of a job with `[train]`: where the model goes", "needed there"),
    JobKey{"output", "formulas", word<&Job::keeps_formulas, kFormulas>("", "").read}.as(
        "--formulas", "`keep` where keys may begin [like a formula](reports.md#csv) in the CSV", "`refuse`"),
    aside<&LiveSpec::name>("live", "name")
        .as("", "of the release, under which it resumes", "that of the job file, without its ending"),
    JobKey{"live", "after", word<&LiveSpec::continues, kAfter>("", "").read, nullptr, has_part<LiveSpec>}.as(
        "", "the horizon: `stop`, or `continue` with a next span and a new debit", "`stop`"),
    aside<&LiveSpec::max_gap>("live", "max_gap")
        .as("", "a row, or a clock, more than this many steps ahead is refused", "a quarter of the steps, at least 10"),
    JobKey{"live", "clock", word<&LiveSpec::clock, kClocks>("", "").read, nullptr, has_part<LiveSpec>}.as(
        "", "where rows are people, what says which steps are over: `until`, given at each start, or `system`",
        "`until`"),
    file<&LiveSpec::rejects>("live", "rejects")
        .as("", "a CSV of the rows that were refused, with the reason; it holds data, and only its owner may read it",
            "none"),
    JobKey{"live", "wait", read_wait, nullptr, has_part<LiveSpec>}.as(
        "",
        "of the system's clock: how long after its end a step is closed, so that late rows count: `30s`, `5min`, `1h`",
        "`1min`"),
};

}  // namespace

std::span<const JobKey> table() { return kKeys; }

}  // namespace chronoveil::engine::key_fields
