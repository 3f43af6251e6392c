// A disk that fails when told to: a layer between SQLite and the real file system (a VFS) that counts every write,
// truncation and sync, fails the n-th, and remembers what each file held when it was last synced, which is all that a
// loss of power is sure to leave.
#pragma once

#include <map>
#include <string>

namespace chronoveil::ledger::testing {

class FaultyDisk {
 public:
  enum class Fault {
    full_once,      // the n-th operation finds no space or fails to sync, the next ones work
    full_from_now,  // and so do all that follow
    read_only,      // from the n-th on, the disk refuses to be written
  };

  // Every SQLite database opened while it lives is on this disk. One at a time.
  FaultyDisk();
  ~FaultyDisk();
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  // The next fault, counted from the operations that follow; 0 for none.
  void fail_at(int operation, Fault);
  bool has_failed() const;

  // Writes what a loss of power would leave of the files in one folder into another.
  void after_power_loss(const std::string& from_folder, const std::string& to_folder) const;
  // From now on a sync reports success without syncing: the twin that the tests must catch.
  void lie_about_syncs();
};

}  // namespace chronoveil::ledger::testing
