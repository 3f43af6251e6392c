// Samples per second of every law, on one core, beside the generator that feeds them.
//   noise_bench [--toy]
#include <cstdint>
#include <string_view>
#include <vector>

#include "chronoveil/noise/sampler.h"
#include "timing.h"

namespace {

using namespace chronoveil;
using namespace chronoveil::noise;
using bench::items_per_second;
using bench::report;

// Small enough for the cache next to the processor: noise is added where the values are.
constexpr std::size_t kBlock = 4096;

volatile std::int64_t kept;  // keeps the compiler from removing results

struct Size {
  std::size_t blocks;
  int repetitions;
  double items() const { return static_cast<double>(blocks * kBlock); }
};

void generator(const Size& size, BitSource& bits) {
  std::vector<std::uint64_t> words(kBlock);
  const double per_second = items_per_second(size.items(), size.repetitions, [&] {
    for (std::size_t i = 0; i < size.blocks; ++i) bits.fill(words);
  });
  report("chacha20 bytes", 8 * per_second);
}

void bulk(Law law, double scale, const std::string& label, const Size& size, BitSource& bits) {
  const Sampler sampler = Sampler::make(law, scale).value();
  std::vector<std::int64_t> draws(kBlock);
  report(std::string(name(law)) + label, items_per_second(size.items(), size.repetitions, [&] {
           for (std::size_t i = 0; i < size.blocks; ++i) sampler.fill(draws, bits);
         }));
}

void one_by_one(Law law, const Size& size, BitSource& bits) {
  const Sampler sampler = Sampler::make(law, 0x1.8p20).value();
  std::int64_t sum = 0;
  report(std::string(name(law)) + " one by one", items_per_second(size.items(), size.repetitions, [&] {
           for (std::size_t i = 0; i < size.blocks * kBlock; ++i) sum += sampler(bits);
         }));
  kept = sum;
}

}  // namespace

int main(int argc, char** argv) {
  const bool toy = argc > 1 && std::string_view(argv[1]) == "--toy";
  const Size size = toy ? Size{10, 2} : Size{1'000, 60};
  BitSource bits;
  generator(size, bits);
  for (const Law law : kLaws) {
    // The usual grid has 2^20 to 2^21 steps in a scale; the strips are widest, so this is slowest, at its lower end.
    bulk(law, 0x1p20, "", size, bits);
    bulk(law, 0x1.8p20, " at 1.5 2^20 steps", size, bits);
    bulk(law, 0.5, " at half a step", size, bits);
    bulk(law, 0x1p40, " at 2^40 steps", size, bits);
    one_by_one(law, size, bits);
  }
  return 0;
}
