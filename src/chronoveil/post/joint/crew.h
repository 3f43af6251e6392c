// Threads that share the work of a panel, piece by piece. What a piece gives is its own and depends on no other piece,
// and what several give is put together in the order of the pieces: so nothing depends on how many threads there are.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

#include "chronoveil/base/system/workers.h"
#include "chronoveil/post/shrink/dictionary.h"

namespace chronoveil::post::joint {

class Crew {
 public:
  // threads = 0: one for each core, at most 8. There are never more than pieces.
  Crew(std::int64_t steps, std::int64_t season, Eigen::Index most_pieces, unsigned threads) {
    const unsigned cores = threads > 0 ? threads : std::clamp(std::thread::hardware_concurrency(), 1U, 8U);
    const auto pieces = static_cast<unsigned>(std::min<Eigen::Index>(most_pieces, cores));
    for (unsigned i = 0; i < std::max(1U, pieces); ++i) dictionaries_.emplace_back(steps, season);
  }

  // Of the thread that calls, while no piece is worked on.
  Dictionary& dictionary() { return dictionaries_.front(); }

  // Calls work(dictionary, piece) for each of 0..pieces−1; a dictionary is of one thread alone.
  template <class Work>
  void each(Eigen::Index pieces, const Work& work) {
    std::atomic<Eigen::Index> next = 0;
    const auto take = [&](unsigned worker) {
      for (Eigen::Index piece = next++; piece < pieces; piece = next++) work(dictionaries_[worker], piece);
    };
    try {
      on_workers(static_cast<unsigned>(dictionaries_.size()), take);
    } catch (const std::system_error&) {
      take(0);  // a thread could not be started, which must not cost a release that is paid for
    }
  }

 private:
  std::vector<Dictionary> dictionaries_;
};

// Batches of so many series.
inline Eigen::Index batches_of(Eigen::Index series) {
  return (series + DictionaryBatch::kSize - 1) / DictionaryBatch::kSize;
}

}  // namespace chronoveil::post::joint
