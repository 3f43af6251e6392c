#include "chronoveil/temporal/device.h"

#include <string.h>  // explicit_bzero

#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/temporal/noisy_sorting.h"
#include "chronoveil/temporal/switching.h"
#include "chronoveil/temporal/threshold_dispatch.h"

namespace chronoveil::temporal {
namespace {

using Place = std::uint32_t;                   // where in the pool a value lies: this is what the kernels move
constexpr Place kNothing = ~Place{0};          // an empty slot
constexpr std::size_t kLargestValue = 65'536;  // bytes

using Kernel = std::variant<Switching<Place>, ThresholdDispatch<Place>, NoisySorting<Place>>;

struct Option {
  std::string_view name;
  cv_status status;
  const char* text;
};
constexpr Option kOptions[] = {
    {"mechanism", CV_BAD_MECHANISM, "mechanism: it must be one of those that cv_mechanism names"},
    {"value_size", CV_BAD_VALUE_SIZE, "value_size: it must be 1 to 65536 bytes"},
    {"window", CV_BAD_WINDOW, "window: it must be a whole number between 2 and 1048576"},
    {"stay", CV_BAD_STAY,
     "stay: it must be at least 1/window and less than 1 for CV_RANSWITCH and CV_STASWITCH, 0 for others"},
    {"threshold", CV_BAD_THRESHOLD, "threshold: it must be between 1 and window - 1 for CV_THRESHOLD, 0 for others"},
    {"epsilon", CV_BAD_EPSILON,
     "epsilon: it must be greater than 0, and neither tiny nor huge, for CV_NOISY_SORT, 0 for others"},
    {"key_law", CV_BAD_KEY_LAW, "key_law: it must be CV_LAPLACE or CV_STAIRCASE for CV_NOISY_SORT, 0 for others"},
    {"max_shift", CV_BAD_MAX_SHIFT,
     "max_shift: it must be between 1 and 16777216 for CV_NOISY_SORT (a stream needs it), 0 for others"},
    {"plateau", CV_BAD_PLATEAU, "plateau: it must be between 1 and window - 1, or 0, for CV_STAIRCASE, 0 for others"},
    {"random", CV_BAD_RANDOM, "random: it must be given: cv_libsodium or a function of the device"},
};

cv_status status_of(const Error& error) {
  for (const Option& option : kOptions) {
    if (error.parameter == option.name) return option.status;
  }
  return CV_BAD_MECHANISM;
}

template <class Made>
cv_status take(Made made, std::optional<Kernel>& kernel) {
  if (!made) return status_of(made.error());
  kernel.emplace(std::move(*made));
  return CV_OK;
}

cv_status make_kernel(const cv_options& options, std::optional<Kernel>& kernel) {
  const bool switches = options.mechanism == CV_RANSWITCH || options.mechanism == CV_STASWITCH;
  const bool dispatches = options.mechanism == CV_THRESHOLD;
  const bool sorts = options.mechanism == CV_NOISY_SORT;
  if (!switches && !dispatches && !sorts) return CV_BAD_MECHANISM;
  if (options.value_size < 1 || options.value_size > kLargestValue) return CV_BAD_VALUE_SIZE;
  // A parameter of another mechanism is a mistake that must be reported.
  if (!switches && options.stay != 0) return CV_BAD_STAY;
  if (!dispatches && options.threshold != 0) return CV_BAD_THRESHOLD;
  if (!sorts && options.epsilon != 0) return CV_BAD_EPSILON;
  if (sorts ? options.key_law != CV_LAPLACE && options.key_law != CV_STAIRCASE : options.key_law != 0)
    return CV_BAD_KEY_LAW;
  if (!sorts && options.max_shift != 0) return CV_BAD_MAX_SHIFT;
  if (!sorts && options.plateau != 0) return CV_BAD_PLATEAU;
  if (options.random == nullptr) return CV_BAD_RANDOM;
  if (switches) {
    return take(Switching<Place>::make({options.window, options.stay, options.mechanism == CV_STASWITCH}), kernel);
  }
  if (dispatches) return take(ThresholdDispatch<Place>::make({options.window, options.threshold}), kernel);
  const KeyLaw law = options.key_law == CV_STAIRCASE ? KeyLaw::staircase : KeyLaw::laplace;
  const auto unless_zero = [](std::int64_t option) { return option == 0 ? std::nullopt : std::optional(option); };
  return take(NoisySorting<Place>::make(
                  {options.window, options.epsilon, law, unless_zero(options.max_shift), unless_zero(options.plateau)}),
              kernel);
}

}  // namespace
}  // namespace chronoveil::temporal

struct cv_stream {
  using Place = chronoveil::temporal::Place;

  cv_stream(const cv_options& options, chronoveil::temporal::Kernel made)
      : kernel(std::move(made)),
        bits(chronoveil::BitSource::from_callback(options.random, options.random_context)),
        value_size(options.value_size) {
    const auto places =
        static_cast<std::size_t>(options.mechanism == CV_NOISY_SORT ? 2 * options.max_shift + 1 : options.window);
    pool.resize(places * value_size);
    leaving.reserve(places);
    free.reserve(places);
    empty_the_pool();
  }
  ~cv_stream() { explicit_bzero(pool.data(), pool.size()); }
  cv_stream(const cv_stream&) = delete;
  cv_stream& operator=(const cv_stream&) = delete;

  void empty_the_pool() {
    free.clear();
    for (std::size_t place = pool.size() / value_size; place > 0; --place) {
      free.push_back(static_cast<Place>(place - 1));
    }
  }

  // The kernels' sinks.
  void operator()(Place place) { leaving.push_back(place); }
  void operator()(std::optional<Place> place) { leaving.push_back(place.value_or(chronoveil::temporal::kNothing)); }

  // Values that leave in a step wait until all its bits are drawn and known to be random. After a step that failed
  // halfway the kernel cannot go on.
  template <class Step>
  cv_status run(Step step, cv_released_fn released, void* context) {
    if (state != CV_OK) return state;
    try {
      step();
    } catch (const std::bad_alloc&) {  // one draw of noise in 10^9 or so needs numbers of several hundred bits
      return state = CV_NO_MEMORY;
    }
    if (bits.failed()) return state = CV_NO_RANDOMNESS;
    for (const Place place : leaving) {
      if (place == chronoveil::temporal::kNothing) {
        released(context, nullptr);
      } else {
        released(context, &pool[place * value_size]);
        free.push_back(place);
      }
    }
    leaving.clear();
    return CV_OK;
  }

  chronoveil::temporal::Kernel kernel;
  chronoveil::BitSource bits;
  std::size_t value_size;
  std::vector<unsigned char> pool;  // the values that are held, each at its place
  std::vector<Place> free;          // places without a value
  std::vector<Place> leaving;
  cv_status state = CV_OK;  // an error ends the stream for good
};

cv_status cv_open(const cv_options* options, cv_stream** stream) {
  if (stream == nullptr) return CV_BAD_CALL;
  *stream = nullptr;
  if (options == nullptr) return CV_BAD_CALL;
  try {
    std::optional<chronoveil::temporal::Kernel> kernel;
    const cv_status made = chronoveil::temporal::make_kernel(*options, kernel);
    if (made == CV_OK) *stream = new cv_stream(*options, std::move(*kernel));
    return made;
  } catch (const std::bad_alloc&) {
    return CV_NO_MEMORY;
  }
}

cv_status cv_push(cv_stream* stream, const void* value, cv_released_fn released, void* context) {
  if (stream == nullptr || value == nullptr || released == nullptr) return CV_BAD_CALL;
  const auto step = [&] {
    const cv_stream::Place place = stream->free.back();
    stream->free.pop_back();
    std::memcpy(&stream->pool[place * stream->value_size], value, stream->value_size);
    std::visit([&](auto& kernel) { kernel.push(place, stream->bits, *stream); }, stream->kernel);
  };
  return stream->run(step, released, context);
}

cv_status cv_finish(cv_stream* stream, cv_released_fn released, void* context) {
  if (stream == nullptr || released == nullptr) return CV_BAD_CALL;
  const auto step = [&] {
    const auto finish = [&](auto& kernel) {
      if constexpr (requires { kernel.finish(stream->bits, *stream); }) {
        kernel.finish(stream->bits, *stream);
      } else {
        kernel.finish();  // what was sent beyond the last slot is lost
        stream->empty_the_pool();
      }
    };
    std::visit(finish, stream->kernel);
  };
  return stream->run(step, released, context);
}

void cv_close(cv_stream* stream) { delete stream; }

const char* cv_error_text(int status) {
  for (const auto& option : chronoveil::temporal::kOptions) {
    if (option.status == status) return option.text;
  }
  switch (status) {
    case CV_OK: return "all is well";
    case CV_BAD_CALL: return "a pointer that must be given is NULL";
    case CV_NO_MEMORY: return "there is not enough memory for this window or max_shift and value_size";
    case CV_NO_RANDOMNESS: return "random failed: nothing leaves this stream any more; open another one";
    default: return "this is no status of cv_open, cv_push or cv_finish";
  }
}
