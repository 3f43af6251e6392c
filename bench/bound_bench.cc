// Records bounded per second, from a CSV file to counts, and how much of that is reading.
//   bound_bench --make FILE ROWS    writes ROWS records: 200,000 people, 1000 sensors, 31 days
//   bound_bench FILE                reads and bounds it, under each unit, and reads it alone
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/bound/bounded_series.h"
#include "chronoveil/data/record_source.h"
#include "chronoveil/data/time/slots.h"
#include "timing.h"

namespace {

using namespace chronoveil;

constexpr int kPeople = 200'000;
constexpr int kSensors = 1000;
constexpr int kDays = 31;

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "bound_bench: %s\n", why.c_str());
  std::exit(1);
}

template <class T>
T must(Result<T> result) {
  if (!result) stop(result.error().message);
  return std::move(*result);
}

std::string sensor(int number) {
  std::string digits = std::to_string(number);
  return "s" + std::string(4 - digits.size(), '0') + digits;
}

void make_file(const std::string& path, std::int64_t rows) {
  std::ofstream file(path);
  file << "user,time,sensor\n";
  std::mt19937_64 random(1);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); };
  for (std::int64_t row = 0; row < rows; ++row) {
    char line[64];
    std::snprintf(line, sizeof line, "u%06d,2026-03-%02dT%02d:%02d:%02dZ,%s\n", below(kPeople), 1 + below(kDays),
                  below(24), below(60), below(60), sensor(below(kSensors)).c_str());
    file << line;
  }
  if (!file.flush()) stop("cannot write " + path);
}

std::int64_t count_rows(const data::SourceSpec& spec) {
  const auto source = must(data::open_source(spec));
  data::RecordBatch batch;
  std::int64_t rows = 0;
  while (must(source->next(batch))) rows += static_cast<std::int64_t>(batch.rows());
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc >= 4 && std::string_view(argv[1]) == "--make") {
    make_file(argv[2], std::atoll(argv[3]));
    return 0;
  }
  if (argc < 2) stop("needs a file");
  const int repetitions = argc > 2 && std::string_view(argv[2]) == "--toy" ? 1 : 5;
  data::SourceSpec spec;
  spec.path = argv[1];
  spec.user = "user";
  spec.series = "sensor";
  const SlotAxis axis = must(data::make_axis({"2026-03-01T00:00", "2026-04-01T00:00", "1h", "UTC"}));
  std::vector<std::string> keys;
  for (int number = 0; number < kSensors; ++number) keys.push_back(sensor(number));
  const auto rows = static_cast<double>(count_rows(spec));

  const auto measure = [&](const std::string& name, const bound::Caps& caps) {
    bench::report(name, bench::items_per_second(rows, repetitions, [&] {
                    const auto source = must(data::open_source(spec));
                    DrawRight right = DrawRight::not_private(BitSource());
                    const auto bounded = must(bound::bound_records(*source, axis, keys, caps, right));
                    if (bounded.left_out().outside_span > 0 || bounded.left_out().unlisted_series > 0) {
                      stop("rows were dropped");
                    }
                  }));
  };
  measure("bounded, unit user", {Unit::user, 20, 1});
  measure("bounded, unit event", {Unit::event, 0, 1});
  bench::report("read alone", bench::items_per_second(rows, repetitions, [&] { count_rows(spec); }));
}
