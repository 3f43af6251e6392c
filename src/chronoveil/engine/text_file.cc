#include "chronoveil/engine/text_file.h"

#include <boost/locale/utf.hpp>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

namespace chronoveil::engine {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

template <class Number>
Result<std::vector<Number>> read_words(std::string_view what, const std::string& path, std::string_view valid) {
  CV_TRY(const std::string text, read_text_file(what, path));
  std::vector<Number> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    while (at != end && is_space(*at)) ++at;
    if (at == end) return numbers;
    Number number{};
    const auto parsed = std::from_chars(at, end, number);
    if (parsed.ec != std::errc() || (parsed.ptr != end && !is_space(*parsed.ptr)) ||
        !std::isfinite(static_cast<double>(number)))
      return fail(ErrorKind::usage, std::string(what) + ": word " + std::to_string(numbers.size() + 1) + " of '" +
                                        path + "' is not valid; it must be " + std::string(valid));
    numbers.push_back(number);
    at = parsed.ptr;
  }
}

}  // namespace

Result<std::string> read_text_file(std::string_view what, const std::string& path) {
  const auto failed = [&](int code) {
    return fail(ErrorKind::storage,
                std::string(what) + ": cannot read '" + path + "': " + std::generic_category().message(code));
  };
  const std::unique_ptr<std::FILE, CloseFile> file(path == "-" ? stdin : std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) return failed(errno);
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, file.get())) text.append(buffer, size);
  if (std::ferror(file.get()) != 0) return failed(errno);
  return text;
}

bool same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  if (a.empty() || b.empty() || a == "-" || b == "-") return false;
  std::error_code error;
  if (fs::exists(a, error) && fs::exists(b, error)) return fs::is_regular_file(a, error) && fs::equivalent(a, b, error);
  return fs::weakly_canonical(fs::absolute(a, error), error) == fs::weakly_canonical(fs::absolute(b, error), error);
}

bool is_utf8(std::string_view text) {
  using Utf8 = boost::locale::utf::utf_traits<char>;
  for (const char* at = text.data(); at != text.data() + text.size();) {
    const auto point = Utf8::decode(at, text.data() + text.size());
    if (point == boost::locale::utf::illegal || point == boost::locale::utf::incomplete) return false;
  }
  return true;
}

Result<std::vector<double>> read_numbers(std::string_view what, const std::string& path) {
  return read_words<double>(what, path, "a finite number");
}

Result<std::vector<std::int64_t>> read_integers(std::string_view what, const std::string& path) {
  return read_words<std::int64_t>(what, path, "a whole number");
}

}  // namespace chronoveil::engine
