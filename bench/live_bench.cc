// A live release: steps that come one at a time, each published before the next is sent, beside the bare
// synchronisation of a small file on the same disk; and steps that come all at once, beside reading the rows alone.
//   live_bench [--toy]
// The files are made in the working folder, so that the caller chooses the disk that is measured.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include "chronoveil/data/live/input.h"
#include "chronoveil/engine/live/live.h"
#include "timing.h"

namespace {

using namespace chronoveil;
using bench::items_per_second;

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "live_bench: %s\n", why.c_str());
  std::exit(1);
}

// One count per minute, as lines.
std::string row(std::int64_t minute) {
  return std::to_string(1'600'000'020 + 60 * minute) + "," + std::to_string(200 + minute % 97) + "\n";
}

// The span of that many minutes that begins on the first of them.
std::string job_text(const std::string& mechanism, std::int64_t steps, const std::string& name) {
  const auto at = [](std::int64_t seconds) {
    const std::time_t instant = seconds;
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M", std::gmtime(&instant));
    return std::string(text);
  };
  return "version = 1\n[dataset]\nname = \"city\"\n[source]\npath = \"-\"\ntime = \"at\"\nvalue = \"count\"\n"
         "time_format = \"epoch\"\n[slots]\nstart = \"" +
         at(1'600'000'020) + "\"\nend = \"" + at(1'600'000'020 + 60 * steps) +
         "\"\nlength = \"1min\"\n[privacy]\nmax_steps = 500\nepsilon = 1\ndelta = 1e-6\n[mechanism]\nname = \"" +
         mechanism + "\"\n[output]\ncsv = \"" + name + ".csv\"\n[live]\nname = \"" + name + "\"\n";
}

class Stage {
 public:
  Stage() {
    if (mkdtemp(folder_.data()) == nullptr) stop("cannot make a folder");
    auto ledger = ledger::Ledger::open(at("ledger.db"));
    if (!ledger) stop(ledger.error().text());
    ledger::DatasetRequest request;
    request.name = "city";
    request.promise.unit = Unit::user;
    request.epsilon = 1000;
    request.delta = 1e-3;
    if (const auto created = ledger->create(request); !created) stop(created.error().text());
  }
  ~Stage() { std::filesystem::remove_all(folder_); }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  std::string at(const std::string& name) const { return folder_ + "/" + name; }

  // Publishes what `feed` writes to the program's standard input. `published` is told of every batch of lines.
  template <class Feed, class Published>
  void publish(const std::string& mechanism, std::int64_t steps, Feed feed, Published published) {
    const std::string name = mechanism + std::to_string(++releases_);
    const auto job = engine::parse_job(job_text(mechanism, steps, name), at(name + ".toml"));
    if (!job) stop(job.error().text());
    int ends[2];
    if (::pipe(ends) != 0 || ::dup2(ends[0], STDIN_FILENO) < 0) stop("cannot make a pipe");
    ::close(ends[0]);
    std::thread feeder([&] {
      feed(ends[1]);
      ::close(ends[1]);
    });
    engine::LiveOptions options;
    options.ledger = at("ledger.db");
    options.publish = [&](std::string_view lines) -> Result<void> {
      published(lines);
      return {};
    };
    const auto stands = engine::run_live(*job, options);
    feeder.join();
    if (!stands) stop(stands.error().text());
    if (stands->published != steps) stop("steps are missing");
  }

 private:
  std::string folder_ = "live_bench.XXXXXX";
  int releases_ = 0;
};

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0) stop("cannot write to the pipe");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Each row is sent once the one before is published.
double one_at_a_time(Stage& stage, const std::string& mechanism, std::int64_t steps) {
  int ready[2];
  if (::pipe(ready) != 0) stop("cannot make a pipe");
  const double rate = items_per_second(static_cast<double>(steps), 1, [&] {
    stage.publish(
        mechanism, steps,
        [&](int to) {
          write_all(to, "at,count\n");
          char one = 0;
          for (std::int64_t k = 0; k < steps && ::read(ready[0], &one, 1) == 1; ++k) write_all(to, row(k));
        },
        [&](std::string_view) { write_all(ready[1], "."); });
  });
  ::close(ready[0]);
  ::close(ready[1]);
  return rate;
}

double bare_synchronisations(const Stage& stage, std::int64_t number) {
  const int file = ::open(stage.at("bare").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const std::string bytes(400, 'x');
  const double rate = items_per_second(static_cast<double>(number), 1, [&] {
    for (std::int64_t i = 0; i < number; ++i)
      if (::pwrite(file, bytes.data(), bytes.size(), 0) < 0 || ::fdatasync(file) != 0) stop("cannot synchronise");
  });
  ::close(file);
  return rate;
}

std::string all_rows(std::int64_t steps) {
  std::string text = "at,count\n";
  for (std::int64_t k = 0; k < steps; ++k) text += row(k);
  return text;
}

double read_alone(const Stage& stage, const std::string& text, std::int64_t steps) {
  std::ofstream(stage.at("rows.csv")) << text;
  data::SourceSpec spec;
  spec.path = stage.at("rows.csv");
  spec.time = "at";
  spec.value = "count";
  spec.time_format = "epoch";
  return items_per_second(static_cast<double>(steps), 3, [&] {
    auto input = data::open_live_input(spec, false);
    data::Arrival arrival;
    while (input && *(*input)->next(arrival)) continue;
  });
}

double resident_megabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

int main(int argc, char** argv) {
  const bool toy = argc > 1 && std::string_view(argv[1]) == "--toy";
  const std::int64_t steps = toy ? 20 : 2'000, many = toy ? 5'000 : 1'000'000;
  const int repetitions = toy ? 1 : 5;
  Stage stage;
  // In turns, so that other work of the disk slows all of them alike.
  double asked = 0, carried = 0, bare = 0;
  for (int i = 0; i < repetitions; ++i) {
    bare = std::max(bare, bare_synchronisations(stage, steps));
    asked = std::max(asked, one_at_a_time(stage, "kalman", steps));
    carried = std::max(carried, one_at_a_time(stage, "fast", steps));
  }
  bench::report("bare synchronisations", bare);
  bench::report("steps one at a time, each asked", asked);
  bench::report("steps one at a time, few asked", carried);

  const std::string text = all_rows(many);
  bench::report("rows read alone", read_alone(stage, text, many));
  const double before = resident_megabytes();
  for (const char* mechanism : {"fast", "laplace", "kalman", "running_total"}) {
    bench::report("steps all at once, " + std::string(mechanism), items_per_second(static_cast<double>(many), 1, [&] {
                    stage.publish(
                        mechanism, many, [&](int to) { write_all(to, text); }, [](std::string_view) {});
                  }));
  }
  std::fprintf(stderr, "live_bench: %lld steps raised the memory by %.1f MB\n", static_cast<long long>(many),
               resident_megabytes() - before);
}
