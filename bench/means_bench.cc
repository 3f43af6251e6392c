// Records per second, from a CSV file to private means of all cells, and the memory that takes.
//   means_bench --make FILE ROWS                     writes ROWS records: 50,000 people, 834 places, 24 hours
//   means_bench FILE MECHANISM MAX_CELLS [--toy]     releases the means; one process each, so that the peak is its own
//   means_bench --newlines FILE ROWS [--toy]         finds the newlines of the file: the limit of the machine
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/bound/cells/bounded_cells.h"
#include "chronoveil/data/record_source.h"
#include "chronoveil/data/time/slots.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/draws.h"
#include "newlines.h"
#include "timing.h"

namespace {

using namespace chronoveil;

constexpr int kPeople = 50'000;
constexpr int kPlaces = 834;
constexpr int kHours = 24;
constexpr int kCellsOfAPerson = 20;  // at most
constexpr double kLower = 0, kUpper = 65;

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "means_bench: %s\n", why.c_str());
  std::exit(1);
}

template <class T>
T must(Result<T> result) {
  if (!result) stop(result.error().message);
  return std::move(*result);
}

std::string place_name(int number) {
  std::string digits = std::to_string(number);
  return "h" + std::string(4 - digits.size(), '0') + digits;
}

// Everybody is in some cells, in some of them often, and rows come in random order: the hardest case for look-ups.
void make_file(const std::string& path, std::int64_t rows) {
  std::ofstream file(path);
  file << "user,time,place,value\n";
  std::mt19937_64 random(1);
  std::normal_distribution<double> speed(20.66769, 8);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); };
  for (std::int64_t row = 0; row < rows; ++row) {
    const int person = below(kPeople);
    const int visit = std::min(below(kCellsOfAPerson), below(kCellsOfAPerson));
    // Where a person's visits are, the same in every row: a mixing of both numbers.
    const std::uint64_t mixed = std::mt19937_64::default_seed +
                                static_cast<std::uint64_t>(person * kCellsOfAPerson + visit) * 0x9e37'79b9'7f4a'7c15;
    const auto cell = static_cast<int>((mixed ^ mixed >> 29) % (kPlaces * kHours));
    char line[96];
    std::snprintf(line, sizeof line, "u%05d,2026-03-02T%02d:%02d:%02dZ,%s,%.2f\n", person, cell % kHours, below(60),
                  below(60), place_name(cell / kHours).c_str(), speed(random));
    file << line;
  }
  if (!file.flush()) stop("cannot write " + path);
}

struct Released {
  std::int64_t rows = 0, stayed = 0, published = 0;
};

// What the engine does between the debit and the report.
Released release(const data::SourceSpec& spec, const mechanisms::CellsPlan& plan) {
  const SlotAxis axis = must(data::make_axis({"2026-03-02T00:00", "2026-03-03T00:00", "1h", "UTC"}));
  bound::Places places;
  for (int number = 0; number < kPlaces; ++number) places.names.push_back(place_name(number));
  const bound::ValueGrid values = must(bound::ValueGrid::make(kLower, kUpper));
  const auto source = must(data::open_source(spec));
  mechanisms::Draws draws = mechanisms::Draws::seeded(1);
  const bound::BoundedCells cells =
      must(bound::bound_cells(*source, axis, places, {plan.shape.max_cells, {}}, values, draws.right()));
  const std::vector<CellEstimate> estimates = must(mechanisms::measure(plan, cells, draws));
  const bound::CellsLeftOut& left_out = cells.left_out();
  if (left_out.outside_span > 0 || left_out.unlisted_places > 0) stop("rows were dropped");
  return {left_out.rows, left_out.rows - left_out.over_cells,
          std::count_if(estimates.begin(), estimates.end(),
                        [](const CellEstimate& estimate) { return estimate.state == CellEstimate::State::published; })};
}

mechanisms::CellsPlan plan_for(std::string_view mechanism, std::int64_t max_cells) {
  mechanisms::CellRequest request;
  request.shape.places = kPlaces;
  request.shape.steps = kHours;
  request.shape.max_cells = max_cells;
  request.shape.lower = kLower;
  request.shape.upper = kUpper;
  request.epsilon = static_cast<double>(max_cells);  // 1 in a cell
  return must(must(mechanisms::find_cell_mechanism(mechanism))->prepare(request));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) stop("needs a file, a mechanism and max_cells");
  const std::string_view first = argv[1];
  const int repetitions = std::string_view(argv[argc - 1]) == "--toy" ? 1 : 3;
  if (first == "--make") {
    make_file(argv[2], std::atoll(argv[3]));
    return 0;
  }
  if (first == "--newlines") {
    const double rows = std::atof(argv[3]);
    bench::report("newlines", bench::items_per_second(rows, repetitions, [&] {
                    if (static_cast<double>(bench::newlines_in(argv[2])) != rows + 1) stop("other rows than were made");
                  }));
    return 0;
  }
  data::SourceSpec spec;
  spec.path = argv[1];
  spec.user = "user";
  spec.series = "place";
  spec.measure = "value";
  const mechanisms::CellsPlan plan = plan_for(argv[2], std::atoll(argv[3]));
  Released released;
  const double releases = bench::items_per_second(1, repetitions, [&] { released = release(spec, plan); });
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  std::printf("{\"name\": \"%s\", \"per_second\": %.6g, \"stayed\": %lld, \"published\": %lld, \"peak_bytes\": %lld}\n",
              argv[2], releases * static_cast<double>(released.rows), static_cast<long long>(released.stayed),
              static_cast<long long>(released.published), static_cast<long long>(used.ru_maxrss) * 1024);
}
