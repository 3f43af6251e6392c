// Draws of exact noise by themselves, so that anybody can test the samplers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "chronoveil/base/result.h"

namespace chronoveil::noise {

class Draws {
 public:
  // `law`: rounded_laplace, rounded_gaussian, discrete_laplace or discrete_gaussian. `scale`: Laplace b or Gaussian σ,
  // between 2^-40 and 2^40 times the grid. `grid`: a power of two; the largest within scale / 2^20 unless given. With a
  // seed the draws are the same every time, and not private.
  static Result<Draws> make(std::string_view law, double scale, std::optional<double> grid = std::nullopt,
                            std::optional<std::uint64_t> seed = std::nullopt);
  Draws(Draws&&) noexcept;
  Draws& operator=(Draws&&) noexcept;
  ~Draws();

  double grid() const;
  // Independent draws, in grid steps.
  void fill(std::span<std::int64_t> out);

  // Writes one as a decimal, exactly, at most kMaxSize characters, and returns the end of what was written.
  static constexpr std::size_t kMaxSize = 1100;
  char* write(std::int64_t draw, char* out) const;

 private:
  struct Inside;
  explicit Draws(std::unique_ptr<Inside>);
  std::unique_ptr<Inside> inside_;
};

}  // namespace chronoveil::noise
