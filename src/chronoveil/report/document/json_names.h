// Names of enumerations in a release JSON, shared by its writer and its reader.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/base/guarantee.h"
#include "chronoveil/base/measurement.h"

namespace chronoveil::report {

inline constexpr std::array<std::pair<std::string_view, NoiseKind>, 2> kNoiseNames = {
    {{"laplace", NoiseKind::laplace}, {"gaussian", NoiseKind::gaussian}}};
inline constexpr std::array<std::pair<std::string_view, accounting::Analysis>, 2> kAnalysisNames = {
    {{"certified", accounting::Analysis::certified}, {"published", accounting::Analysis::published}}};
inline const std::array<std::pair<std::string_view, Basis>, 2> kBasisNames = {
    {{name(Basis::enforced), Basis::enforced}, {name(Basis::declared), Basis::declared}}};
inline const std::array<std::pair<std::string_view, Certificate>, 4> kCertificateNames = {
    {{name(Certificate::exact), Certificate::exact},
     {name(Certificate::upper_bound), Certificate::upper_bound},
     {name(Certificate::upper_bound_with_confidence), Certificate::upper_bound_with_confidence},
     {name(Certificate::as_published), Certificate::as_published}}};

template <class Names, class Value>
std::string_view name_in(const Names& names, Value value) {
  for (const auto& [text, candidate] : names)
    if (candidate == value) return text;
  return "?";
}

}  // namespace chronoveil::report
