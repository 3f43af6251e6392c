// The rows of a release CSV one by one: series,time,value,lower,upper,sampled; no series column for one series without
// a name. A release that is not private has a last column `mark` that says so in every row.
#pragma once

#include <string>
#include <vector>

namespace chronoveil::report {

// RFC 4180: quoted when it holds a comma, a quote or a line break, with quotes doubled. Blanks at an end are quoted
// too, since some readers drop them. Control characters, which only keys of older releases hold, are made visible.
std::string csv_field(const std::string& text);

class CsvRows {
 public:
  CsvRows(const std::vector<std::string>& keys, const std::string& mark);

  const std::string& header() const { return header_; }
  void append(std::string& out, std::size_t series, const std::string& time, double value, double lower, double upper,
              bool sampled) const;
  // What a row of this series begins with, before its time.
  const std::string& start(std::size_t series) const { return starts_[series]; }

 private:
  bool named_;
  std::string header_, end_;
  std::vector<std::string> starts_;
};

}  // namespace chronoveil::report
