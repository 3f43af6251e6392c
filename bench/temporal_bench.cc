// Values per second of the mechanisms that move values in time, 8 bytes each and a window of 80, on one core, beside a
// plain copy of the same values.
//   temporal_bench [--toy]
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/temporal/device.h"
#include "chronoveil/temporal/noisy_sorting.h"
#include "chronoveil/temporal/switching.h"
#include "chronoveil/temporal/threshold_dispatch.h"
#include "timing.h"

namespace {

using namespace chronoveil;
using namespace chronoveil::temporal;
using bench::items_per_second;
using bench::report;

using Value = std::uint64_t;
constexpr std::int64_t kWindow = 80;
constexpr double kStay = 0.4;        // about q = 1/(e^ε + k - 1) for ε = 4
constexpr double kEpsilon = 4;       // of noisy_sort
constexpr std::int64_t kFar = 1000;  // its max_shift in a stream

class Bench {
 public:
  Bench(std::size_t size, int repetitions) : repetitions_(repetitions), values_(size), released_(size) {
    std::iota(values_.begin(), values_.end(), Value{1} << 40);
  }

  template <class Work>
  void measure(const std::string& name, Work work) {
    report(name, items_per_second(static_cast<double>(values_.size()), repetitions_, work));
  }

  void copy() {
    measure("copy", [&] { std::memcpy(released_.data(), values_.data(), values_.size() * sizeof(Value)); });
  }

  // A kernel as a stream; an empty slot is written as 0.
  template <class Kernel>
  void stream(const std::string& name, Kernel kernel) {
    measure(name, [&] {
      Value* out = released_.data();
      const auto sink = [&](std::optional<Value> value) { *out++ = value.value_or(0); };
      for (const Value value : values_) kernel.push(value, bits_, sink);
      if constexpr (requires { kernel.finish(bits_, sink); }) {
        kernel.finish(bits_, sink);
      } else {
        kernel.finish();
      }
    });
  }

  void whole(const std::string& name, KeyLaw law) {
    measure(name, [&] {
      const auto order =
          noisy_order(static_cast<std::int64_t>(values_.size()), {kWindow, kEpsilon, law, std::nullopt}, bits_);
      for (std::size_t i = 0; i < values_.size(); ++i) released_[i] = values_[order.value()[i]];
    });
  }

  void by_c_interface(const std::string& name) {
    cv_options options{};
    options.mechanism = CV_STASWITCH;
    options.value_size = sizeof(Value);
    options.window = kWindow;
    options.stay = kStay;
    options.random = &cv_libsodium;
    cv_stream* stream = nullptr;
    if (cv_open(&options, &stream) != CV_OK) return;
    measure(name, [&] {
      Value* out = released_.data();
      const auto write = [](void* context, const void* value) {
        std::memcpy((*static_cast<Value**>(context))++, value, sizeof(Value));
      };
      for (const Value value : values_) cv_push(stream, &value, write, &out);
      cv_finish(stream, write, &out);
    });
    cv_close(stream);
  }

 private:
  int repetitions_;
  std::vector<Value> values_, released_;
  BitSource bits_;
};

}  // namespace

int main(int argc, char** argv) {
  const bool toy = argc > 1 && std::string_view(argv[1]) == "--toy";
  Bench bench(toy ? 10'000 : 10'000'000, toy ? 2 : 7);
  bench.copy();
  bench.stream("ranswitch", Switching<Value>::make({kWindow, kStay, false}).value());
  bench.stream("staswitch", Switching<Value>::make({kWindow, kStay, true}).value());
  bench.by_c_interface("staswitch, C interface");
  bench.stream("threshold", ThresholdDispatch<Value>::make({kWindow, kWindow / 2}).value());
  for (const KeyLaw law : {KeyLaw::laplace, KeyLaw::staircase}) {
    const std::string name = law == KeyLaw::laplace ? "noisy_sort, laplace" : "noisy_sort, staircase";
    bench.whole(name + ", whole file", law);
    bench.stream(name + ", stream", NoisySorting<Value>::make({kWindow, kEpsilon, law, kFar}).value());
  }
  return 0;
}
