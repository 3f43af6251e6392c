#include "chronoveil/simulate/truth.h"

#include <charconv>

#include "chronoveil/base/csv_time.h"

namespace chronoveil::simulate {
namespace {

template <class Number>
void append_number(TextFile& file, Number value) {
  constexpr std::size_t kLongest = 32;
  char* out = file.room(kLongest);
  file.advance(std::to_chars(out, out + kLongest, value).ptr);
}

void write_means(const Truth& truth, TextFile& file) {
  file.append("place,slot,mean,records\n");
  const std::vector<std::string> times = csv_times(truth.axis);
  std::size_t cell = 0;
  for (const std::string& key : truth.keys) {
    for (const std::string& time : times) {
      const std::int64_t records = truth.counts[cell];
      if (records > 0) {
        file.append(key);
        file.append(",");
        file.append(time);
        file.append(",");
        append_number(file, truth.sums[cell] / static_cast<double>(records));
        file.append(",");
        append_number(file, records);
        file.append("\n");
      }
      ++cell;
    }
  }
}

}  // namespace

void write_truth(const Truth& truth, TextFile& file) {
  if (!truth.sums.empty()) return write_means(truth, file);
  file.append(truth.keys.empty() ? "time,value\n" : "series,time,value\n");
  const std::vector<std::string> times = csv_times(truth.axis);
  const std::size_t steps = times.size();
  for (std::size_t cell = 0; cell < truth.counts.size(); ++cell) {
    if (!truth.keys.empty()) {
      file.append(truth.keys[cell / steps]);
      file.append(",");
    }
    file.append(times[cell % steps]);
    file.append(",");
    append_number(file, truth.counts[cell]);
    file.append("\n");
  }
}

void write_keys(const Truth& truth, TextFile& file) {
  for (const std::string& key : truth.keys) {
    file.append(key);
    file.append("\n");
  }
}

}  // namespace chronoveil::simulate
