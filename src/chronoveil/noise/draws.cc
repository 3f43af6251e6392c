#include "chronoveil/noise/draws.h"

#include <utility>

#include "chronoveil/noise/grid/decimal.h"
#include "chronoveil/noise/grid/grid.h"
#include "chronoveil/noise/sampler.h"

namespace chronoveil::noise {

static_assert(Draws::kMaxSize == GridDecimal::kMaxSize);

struct Draws::Inside {
  Grid grid;
  Sampler sampler;
  std::optional<BitSource> seeded;
};

Draws::Draws(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Draws::Draws(Draws&&) noexcept = default;
Draws& Draws::operator=(Draws&&) noexcept = default;
Draws::~Draws() = default;

Result<Draws> Draws::make(std::string_view law, double scale, std::optional<double> grid,
                          std::optional<std::uint64_t> seed) {
  CV_TRY(const Grid step, grid ? Grid::make(*grid) : Grid::for_scale(scale));
  CV_TRY(const Law known, parse_law(law));
  const Result<double> steps = step.in_steps(scale);
  if (!steps || !(*steps >= kSmallestScale && *steps <= kLargestScale))
    return invalid("run.scale", scale, "between 2^-40 and 2^40 times the grid");
  CV_TRY(Sampler sampler, Sampler::make(known, *steps));
  auto inside = std::make_unique<Inside>(Inside{step, std::move(sampler), std::nullopt});
  if (seed) inside->seeded = BitSource::with_seed(*seed);
  return Draws(std::move(inside));
}

double Draws::grid() const { return inside_->grid.step(); }

void Draws::fill(std::span<std::int64_t> out) {
  inside_->sampler.fill(out, inside_->seeded ? *inside_->seeded : BitSource::for_this_thread());
}

char* Draws::write(std::int64_t draw, char* out) const { return GridDecimal(inside_->grid).write(draw, out); }

}  // namespace chronoveil::noise
