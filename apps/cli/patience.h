// A computation that is given up after a number of seconds. Only for questions of interest: a debit is priced for as
// long as it takes.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "chronoveil/base/result.h"

namespace chronoveil::cli {

class Patience {
 public:
  double seconds() const { return seconds_; }
  // --patience
  static void add_option(CLI::App& command, Patience& patience);

  // What `work` returns, or cannot_certify ("pricing: ...") once it has computed for too long. Then it goes on until
  // the program ends, which is soon (see finish()), so it must own whatever it uses, and must not print.
  template <class T>
  Result<T> wait_for(const std::string& what, std::function<Result<T>()> work) const {
    auto result = std::make_shared<Result<T>>(fail(ErrorKind::internal, what, "no result"));
    if (finishes([result, work = std::move(work)] { *result = work(); })) return std::move(*result);
    return given_up(what);
  }

  // Ends the program without waiting for a computation that was given up; returns if there is none.
  static void finish(int exit_code);

 private:
  bool finishes(std::function<void()> work) const;
  Failure given_up(const std::string& what) const;

  double seconds_ = 4.5;  // so that an answer comes within five
};

}  // namespace chronoveil::cli
