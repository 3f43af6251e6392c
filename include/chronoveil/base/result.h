// Result<T>: a value, or an Error that says which parameter is wrong and what would be valid.
// The core never prints, aborts or throws across a module; apps turn an Error into an exit code once.
#pragma once

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

struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string message;  // one line; quotes parameters and row numbers, never data values
};

template <class T>
using Result = tl::expected<T, Error>;

using Failure = tl::unexpected<Error>;

inline Failure fail(ErrorKind kind, std::string message) { return Failure(Error{kind, std::move(message)}); }

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
