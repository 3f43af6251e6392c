// chronoveil noise: prints draws, so that anybody can test the samplers.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/noise/draws.h"
#include "command.h"

namespace chronoveil::cli {

namespace {

struct NoiseOptions {
  std::string law;
  double scale = 0;
  std::string grid;
  std::string count = "1";
  std::optional<std::string> seed;
  bool json = false;
};

// Text for stdout in large pieces, by the system call: at tens of millions of lines a stream is the bottleneck.
class Output {
 public:
  Output() : buffer_(kSize) {}

  // Room for `size` more characters, to be written from the pointer returned and then handed to advance().
  Result<char*> room(std::size_t size) {
    if (kSize - used_ < size) CV_CHECK(flush());
    return buffer_.data() + used_;
  }
  void advance(const char* end) { used_ = static_cast<std::size_t>(end - buffer_.data()); }

  Result<void> text(std::string_view text) {
    CV_TRY(char* out, room(text.size()));
    std::memcpy(out, text.data(), text.size());
    advance(out + text.size());
    return {};
  }

  Result<void> flush() {
    if (const int problem = write_all(STDOUT_FILENO, {buffer_.data(), used_}))
      return fail(ErrorKind::storage, "stdout", std::string("could not be written: ") + std::strerror(problem));
    used_ = 0;
    return {};
  }

 private:
  static constexpr std::size_t kSize = std::size_t{1} << 18;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

// The whole text as an integer of that type. The parser of the command line would take 2^63 for 2^63 - 1 and a seed of
// -1 for 2^64 - 1.
template <class Integer>
Result<Integer> parse_integer(std::string_view option, const std::string& text, Integer least, std::string_view valid) {
  Integer value{};
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || value < least) return invalid(option, text, valid);
  return value;
}

constexpr const char* kGrids = "a power of two between 2^-1000 and 2^1000, like 0.5 or 2^-20";

// A number, or 2^N for those who would rather not write out 2^-20.
Result<double> parse_grid(const std::string& text) {
  const bool power = text.rfind("2^", 0) == 0;
  const char* const begin = text.data() + (power ? 2 : 0);
  const char* const end = text.data() + text.size();
  double step = 0;
  int exponent = 0;
  const auto parsed = power ? std::from_chars(begin, end, exponent) : std::from_chars(begin, end, step);
  if (parsed.ec != std::errc() || parsed.ptr != end) return invalid("--grid", text, kGrids);
  return power ? std::ldexp(1.0, exponent) : step;
}

Result<void> print_draws(const NoiseOptions& options, std::int64_t count, noise::Draws& noise) {
  Output output;
  if (options.json) {
    CV_CHECK(output.text("{\"law\":\"" + options.law + "\",\"scale\":" + shortest(options.scale) +
                         ",\"grid\":" + shortest(noise.grid()) + ",\"count\":" + std::to_string(count) +
                         ",\"seeded\":" + (options.seed ? "true" : "false") + ",\"values\":["));
  }
  const char separator = options.json ? ',' : '\n';
  std::array<std::int64_t, 1024> draws;
  for (std::int64_t left = count; left > 0;) {
    const auto size = static_cast<std::size_t>(std::min<std::int64_t>(left, draws.size()));
    noise.fill(std::span(draws.data(), size));
    left -= static_cast<std::int64_t>(size);
    for (std::size_t i = 0; i < size; ++i) {
      CV_TRY(char* out, output.room(noise::Draws::kMaxSize + 1));
      out = noise.write(draws[i], out);
      const bool last = left == 0 && i + 1 == size;
      if (!(options.json && last)) *out++ = separator;
      output.advance(out);
    }
  }
  if (options.json) CV_CHECK(output.text("]}\n"));
  return output.flush();
}

Result<void> run_noise(const NoiseOptions& options) {
  CV_TRY(const std::int64_t count, parse_integer<std::int64_t>("--count", options.count, 1, "between 1 and 2^63 - 1"));
  if (!(std::isfinite(options.scale) && options.scale > 0)) {
    return invalid("--scale", options.scale, "a finite number greater than 0");
  }
  std::optional<double> grid;
  if (!options.grid.empty()) {
    CV_TRY(grid, parse_grid(options.grid));
  }
  std::optional<std::uint64_t> seed;
  if (options.seed) {
    CV_TRY(seed, parse_integer<std::uint64_t>("--seed", *options.seed, 0, "between 0 and 2^64 - 1"));
  }
  Result<noise::Draws> noise = noise::Draws::make(options.law, options.scale, grid, seed);
  if (!noise && noise.error().parameter == "grid") return invalid("--grid", options.grid, kGrids);
  if (!noise) return tl::unexpected(std::move(noise).error());
  if (seed) std::fputs("seeded: not private\n", stderr);
  return print_draws(options, count, *noise);
}

}  // namespace

void add_noise_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<NoiseOptions>();
  CLI::App* command = app.add_subcommand("noise", "Print draws of exact noise, one per line");
  command->add_option("--law", options->law, "rounded_laplace, rounded_gaussian, discrete_laplace or discrete_gaussian")
      ->required();
  command->add_option("--scale", options->scale, "Laplace b or Gaussian sigma, in the unit of the values")->required();
  command->add_option("--grid", options->grid,
                      "The grid step, a power of two such as 0.5 or 2^-20; default: the largest within scale / 2^20");
  command->add_option("--count", options->count, "How many draws")->capture_default_str();
  command->add_option("--seed", options->seed,
                      "For tests and experiments only: the same draws every time, not private");
  add_json_flag(*command, options->json);
  add_example(*command, "chronoveil noise --law rounded_laplace --scale 2 --grid 2^-20 --count 5");
  on_run(*command, context, [options] { return run_noise(*options); });
}

}  // namespace chronoveil::cli
