#include "chronoveil/noise/law.h"

namespace chronoveil::noise {

std::string_view name(Law law) {
  switch (law) {
    case Law::rounded_laplace: return "rounded_laplace";
    case Law::rounded_gaussian: return "rounded_gaussian";
    case Law::discrete_laplace: return "discrete_laplace";
    case Law::discrete_gaussian: return "discrete_gaussian";
  }
  return "";
}

Result<Law> parse_law(std::string_view text) {
  for (const Law law : kLaws) {
    if (name(law) == text) return law;
  }
  return invalid("law", text, "rounded_laplace, rounded_gaussian, discrete_laplace or discrete_gaussian");
}

}  // namespace chronoveil::noise
