// Cells per second of denoising, every series by itself, and jointly with totals, by series and steps; CPU time and
// memory of one run.
//   post_bench [--toy]          on one core
//   post_bench --city           100,000 series of a week, jointly, on all cores that it may use
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <string_view>
#include <vector>

#include "chronoveil/post/joint/joint.h"
#include "chronoveil/post/shrink/shrink.h"
#include "timing.h"

namespace {

using namespace chronoveil;

// Days of 24 steps, alike but for size and a course of their own, under noise as large as they are.
std::vector<double> panel(std::int64_t series, std::int64_t steps) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> all;
  for (std::int64_t s = 0; s < series; ++s) {
    const double size = 100 + 30 * normal(random), own = 20 * normal(random);
    for (std::int64_t t = 0; t < steps; ++t) {
      const double time = static_cast<double>(t);
      all.push_back(size * (1 + 0.5 * std::sin(time * 0.2618)) + own * std::sin(time * 0.031) + 50 * normal(random));
    }
  }
  return all;
}

rusage used() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

double cpu_seconds() {
  const rusage usage = used();
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

enum class What { both, jointly };

void measure(std::int64_t series, std::int64_t steps, int repetitions, What asked = What::both, unsigned threads = 1) {
  const std::vector<double> values = panel(series, steps);
  const double cells = static_cast<double>(values.size());
  const auto line = [&](const char* what, auto work) {
    const double before = cpu_seconds();
    int runs = 0;
    const double rate = bench::items_per_second(cells, repetitions, [&] {
      ++runs;
      return work();
    });
    std::printf(
        "{\"name\": \"%s\", \"series\": %lld, \"steps\": %lld, \"per_second\": %.6g, \"cpu_seconds\": %.4g, "
        "\"peak_bytes\": %lld}\n",
        what, static_cast<long long>(series), static_cast<long long>(steps), rate, (cpu_seconds() - before) / runs,
        static_cast<long long>(used().ru_maxrss) * 1024);
    std::fflush(stdout);
  };
  if (asked == What::both) line("alone", [&] { return post::shrink(values, {steps, 50, 98, 24}); });
  post::JointSpec spec{steps, 50, 98, 24};
  spec.threads = threads;
  line("jointly", [&] { return post::shrink_jointly(values, spec); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--toy") {
    measure(3, 48, 1);
    return 0;
  }
  if (argc > 1 && std::string_view(argv[1]) == "--city") {
    measure(100'000, 168, 1, What::jointly, 0);
    return 0;
  }
  measure(10, 168, 5);
  measure(100, 168, 3);
  measure(1000, 168, 2);
  measure(100, 700, 2);
  measure(1000, 700, 1);
  measure(10000, 168, 1);
}
