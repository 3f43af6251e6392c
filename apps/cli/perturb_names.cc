#include "perturb_names.h"

#include <cctype>
#include <string_view>
#include <utility>

#include "direct_job.h"

namespace chronoveil::cli {
namespace {

// Only whole names of keys: a section followed by anything else might be somebody's file.
constexpr std::pair<std::string_view, std::string_view> kKeys[] = {
    {"privacy.epsilon", "--epsilon"},
    {"privacy.delta", "--delta"},
    {"privacy.window", "--window"},
    {"privacy.analysis", "--analysis"},
    {"privacy.unit", "--unit"},
    {"perturb.columns", "--columns"},
    {"perturb.keep", "--keep"},
    {"perturb.channels", "--channels"},
    {"perturb.move", "--move"},
    {"perturb.length", "--length"},
    {"perturb.lower", "--lower"},
    {"perturb.upper", "--upper"},
    {"perturb.categories", "--categories"},
    {"mechanism.name", "--mechanism"},
    {"mechanism.stay", "--set stay"},
    {"mechanism.law", "--set law"},
    {"mechanism.max_shift", "--set max_shift"},
    {"mechanism.threshold", "--set threshold"},
};

bool is_part_of_a_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

void replace_first(std::string& text, std::string_view old, std::string_view with) {
  if (const std::size_t at = text.find(old); at != std::string::npos) text.replace(at, old.size(), with);
}

// Turns `key = "word"` or `key = 3` of a job into an option and its value: ` word`, ` 3`.
void write_value_as_an_option_does(std::string& text, std::size_t at) {
  constexpr std::string_view kIs = " = ";
  if (text.compare(at, kIs.size(), kIs) != 0) return;
  text.replace(at, kIs.size(), " ");
  if (text.size() <= at + 1 || text[at + 1] != '"') return;
  text.erase(at + 1, 1);
  if (const std::size_t end = text.find('"', at); end != std::string::npos) text.erase(end, 1);
}

}  // namespace

std::string with_perturb_options(std::string text) {
  replace_first(text, "perturb.times = false, --no-time", "--no-time");
  for (const auto& [key, option] : kKeys) {
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
      const std::size_t end = at + key.size();
      if ((at > 0 && (is_part_of_a_name(text[at - 1]) || text[at - 1] == '.' || text[at - 1] == '/')) ||
          (end < text.size() && is_part_of_a_name(text[end])))
        continue;
      text.replace(at, key.size(), option);
      write_value_as_an_option_does(text, at + option.size());
    }
  }
  return text;
}

Error with_perturb_options(Error error) {
  constexpr std::pair<std::string_view, std::string_view> kOwn[] = {
      {"perturb.times", "--no-time"},
      {"perturb.", "--"},
      {"unit:", "--unit:"},
      // There is no such option: the mechanism says what it hides.
      {"privacy.relation:", "the relation of this mechanism:"}};
  error = with_options(std::move(error), kOwn);
  error.message = with_perturb_options(std::move(error.message));
  return error;
}

}  // namespace chronoveil::cli
