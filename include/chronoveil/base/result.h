// Result<T>: a value, or an Error that says which parameter is wrong and what would be valid.
// The core never prints, aborts or throws across a module; apps turn an Error into an exit code once.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace chronoveil {

// The values are the exit codes of the command line.
enum class ErrorKind {
  internal = 1,
  usage = 2,
  bad_data = 3,
  over_budget = 4,
  storage = 5,
  cannot_certify = 6,
  interrupted = 130,
};

// What a key of a job is called where an error is shown, such as "--epsilon" for "privacy.epsilon".
using KeyNames = std::function<std::string(std::string_view key)>;

// The text with every key in backticks replaced by its name, and a value written as an option takes it; without names,
// the backticks alone go.
std::string with_key_names(std::string_view text, const KeyNames& names);

// What went wrong, as data. Doors (job files, the command line, bindings) put their own names on it with text().
struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string where = {};      // the file, row or event that it is about; empty: nothing of the kind
  std::string parameter = {};  // what is to blame, as its module calls it, or a key of a job; empty: no parameter
  std::string value = {};      // what the parameter was, if `valid` is there; never a data value
  std::string valid = {};  // completes "it must be", or is a sentence that starts with "it "; empty: `message` says all
  std::string message = {};  // one line; keys of a job stand in backticks: `source.duplicates = "sum"`
  bool in_doubt = false;     // nobody here knows whether what was to be written is there

  // "city.toml: privacy.epsilon: -1 is not valid; it must be a number greater than 0", in the words of a door.
  std::string text(const KeyNames& names = nullptr) const { return with_key_names(marked(), names); }
  // The same with every key in backticks, to be part of another message.
  std::string marked() const;
};

template <class T>
using Result = tl::expected<T, Error>;

using Failure = tl::unexpected<Error>;

inline Failure fail(ErrorKind kind, std::string message) {
  return Failure(Error{.kind = kind, .message = std::move(message)});
}
inline Failure fail(ErrorKind kind, std::string_view parameter, std::string message) {
  return Failure(Error{.kind = kind, .parameter = std::string(parameter), .message = std::move(message)});
}
// Puts a place in front of an error: a file, a row, an event.
template <class T>
Result<T> at(std::string_view where, Result<T> result) {
  if (!result) result.error().where.insert(0, std::string(where) + (result.error().where.empty() ? "" : ": "));
  return result;
}
inline Failure fail_at(std::string_view where, ErrorKind kind, std::string message) {
  return Failure(Error{.kind = kind, .where = std::string(where), .message = std::move(message)});
}

// "noise_multiplier: -1 is not valid; it must be a finite number greater than 0". What is valid completes "it must be",
// or is a sentence that starts with "it ".
Failure invalid(std::string_view parameter, std::string_view value, std::string_view valid);
Failure invalid(std::string_view parameter, double value, std::string_view valid);

// The shortest decimal that reads back as the same double.
std::string shortest(double value);

}  // namespace chronoveil

// Assigns the value of a Result to `lhs`, or returns its error from the enclosing function.
#define CV_CONCAT_INNER(a, b) a##b
#define CV_CONCAT(a, b) CV_CONCAT_INNER(a, b)
#define CV_TRY_IMPL(tmp, lhs, expr)                        \
  auto tmp = (expr);                                       \
  if (!tmp) return tl::unexpected(std::move(tmp).error()); \
  lhs = std::move(*tmp)
#define CV_TRY(lhs, expr) CV_TRY_IMPL(CV_CONCAT(cv_try_, __LINE__), lhs, expr)
// The same for Result<void>.
#define CV_CHECK(expr)                                                     \
  do {                                                                     \
    auto cv_checked = (expr);                                              \
    if (!cv_checked) return tl::unexpected(std::move(cv_checked).error()); \
  } while (0)
