// Steps per second of running totals on one core, by the number of steps: from counts to totals with intervals, and
// beside it the noise alone.
//   totals_bench [--toy]
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/mechanisms/rehearsal.h"
#include "chronoveil/mechanisms/series/running_total.h"
#include "timing.h"

namespace {

using namespace chronoveil;

void measure(std::int64_t steps, int repetitions) {
  mechanisms::Request request;
  request.shape.steps = steps;
  request.shape.unit = Unit::event;
  request.epsilon = 1;
  request.delta = 1e-6;
  const auto line = [&](const char* what, auto work) {
    const double rate = bench::items_per_second(static_cast<double>(steps), repetitions, [&] {
      if (!work()) std::exit(1);
    });
    std::printf("{\"name\": \"%s\", \"steps\": %lld, \"per_second\": %.6g}\n", what, static_cast<long long>(steps),
                rate);
    std::fflush(stdout);
  };
  const auto plan = mechanisms::running_total().prepare(request);
  if (!plan) std::exit(1);
  const std::vector<std::int64_t> counts(static_cast<std::size_t>(steps), 7);
  line("planned", [&] { return mechanisms::running_total().prepare(request); });
  line("released", [&] { return mechanisms::rehearse(*plan, counts, 1); });
  line("noise alone", [&] {
    mechanisms::Draws draws = mechanisms::Draws::seeded(1);
    std::vector<std::int64_t> noise(counts.size(), 0);
    return draws.add_noise(noise, plan->noise, plan->scale, plan->grid);
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--toy") {
    measure(100, 1);
    return 0;
  }
  for (const std::int64_t steps : {1'000, 10'000, 100'000, 1'000'000}) measure(steps, 3);
}
