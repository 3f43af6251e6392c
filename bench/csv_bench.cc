// Megabytes of CSV per second, read and decoded into user, time and series on one core.
//   csv_bench [--toy] [--keep FILE]
// The file is made in memory (/dev/shm, or the folder for temporary files). The limit of the machine is finding every
// newline of the same bytes, read the same way. Rates are bytes per second. --keep leaves the file for the peers.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/data/record_source.h"
#include "newlines.h"
#include "timing.h"

namespace {

using namespace chronoveil;

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "csv_bench: %s\n", why.c_str());
  std::exit(1);
}

// Trips in a city: a card, a time, a stop, and columns that are not read.
std::size_t write_trips(const std::string& path, std::size_t bytes) {
  std::mt19937_64 random(1);
  std::ofstream file(path, std::ios::binary);
  std::string text = "card,ts,stop,line,fare\n";
  std::size_t written = 0;
  while (written + text.size() < bytes) {
    char row[128];
    const auto pick = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
    std::snprintf(row, sizeof row, "c%08u,2026-03-%02uT%02u:%02u:%02u,stop_%04u,M%u,%u.%02u\n", pick(1'000'000),
                  1 + pick(28), pick(24), pick(60), pick(60), pick(1000), pick(20), pick(9), pick(100));
    text += row;
    if (text.size() > 1 << 20) {
      file << text;
      written += text.size();
      text.clear();
    }
  }
  file << text;
  return written + text.size();
}

void read_records(const std::string& path, const std::string& zone) {
  data::SourceSpec spec;
  spec.path = path;
  spec.user = "card";
  spec.time = "ts";
  spec.series = "stop";
  spec.zone = zone;
  auto source = data::open_source(spec);
  if (!source) stop(source.error().text());
  data::RecordBatch batch;
  std::int64_t sum = 0;
  for (;;) {
    const auto more = (*source)->next(batch);
    if (!more) stop(more.error().text());
    if (!*more) break;
    sum += batch.time.back();
  }
  if (sum == 0) stop("no rows");
}

}  // namespace

int main(int argc, char** argv) {
  bool toy = false;
  std::string kept;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--toy") toy = true;
    if (std::string_view(argv[i]) == "--keep" && i + 1 < argc) kept = argv[++i];
  }
  std::string path = kept;
  if (kept.empty()) {
    path = access("/dev/shm", W_OK) == 0 ? "/dev/shm/csv_bench.XXXXXX" : "/tmp/csv_bench.XXXXXX";
    const int made = mkstemp(path.data());
    if (made < 0) stop("cannot make a file");
    close(made);
  }
  const auto bytes = static_cast<double>(write_trips(path, toy ? 200'000 : 200'000'000));
  const int repetitions = toy ? 1 : 5;
  double ours = 0, zoned = 0, limit = 0;
  for (int i = 0; i < repetitions; ++i) {  // in turns, so that other work of the machine slows all alike
    ours = std::max(ours, bench::items_per_second(bytes, 1, [&] { read_records(path, "UTC"); }));
    zoned = std::max(zoned, bench::items_per_second(bytes, 1, [&] { read_records(path, "Europe/Berlin"); }));
    limit = std::max(limit, bench::items_per_second(bytes, 1, [&] {
                       if (bench::newlines_in(path) == 0) stop("no lines");
                     }));
  }
  bench::report("csv bytes, times in UTC", ours);
  bench::report("csv bytes, local times", zoned);
  bench::report("newlines", limit);
  if (kept.empty()) std::filesystem::remove(path);
}
