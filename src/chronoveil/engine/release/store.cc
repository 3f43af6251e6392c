#include "chronoveil/engine/release/store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/engine/job/text_file.h"
#include "chronoveil/engine/release/beside_ledger.h"

namespace chronoveil::engine {

namespace fs = std::filesystem;

Result<ReleaseStore> ReleaseStore::of_ledger(const std::string& place) {
  CV_TRY(const fs::path folder, folder_beside(place, "releases", ""));
  const std::string plain = (folder / "x").parent_path().string();  // without a slash at its end
  return ReleaseStore(plain, place.find("://") == std::string::npos ? place + ".releases" : plain);
}

Result<void> ReleaseStore::prepare() const {
  const std::error_code error = make_folders(fs::path(folder_).parent_path());
  if (error || (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST)) {
    const int code = error ? error.value() : errno;
    return fail(
        ErrorKind::storage, "ledger",
        "the folder '" + folder_ + "' for stored releases cannot be made: " + std::generic_category().message(code));
  }
  // Stored releases are evidence of debits: whoever removes them could pass off an older ledger as the latest.
  struct stat status {};
  if (::stat(folder_.c_str(), &status) == 0 && (status.st_mode & S_IWOTH) != 0)
    return fail(ErrorKind::storage, "ledger",
                "the folder '" + folder_ +
                    "' for stored releases may be written by everybody on this machine; take that "
                    "right away: chmod o-w");
  return check_writable("ledger", folder_ + "/release.json");
}

std::string ReleaseStore::path_of(const ledger::DebitId& id) const {
  // No name of a dataset has a +.
  const std::string slot = id.slot ? "+" + std::to_string(*id.slot) : "";
  return folder_ + "/" + id.dataset + "-" + std::to_string(id.sequence) + slot + ".json";
}

std::string ReleaseStore::present(const ledger::DebitId& id) const {
  std::string path = path_of(id), earlier = earlier_ + fs::path(path).filename().string().insert(0, "/");
  return ::access(path.c_str(), R_OK) != 0 && ::access(earlier.c_str(), R_OK) == 0 ? earlier : path;
}

bool ReleaseStore::has(const ledger::DebitId& id) const { return ::access(present(id).c_str(), R_OK) == 0; }

std::vector<fs::path> ReleaseStore::folders() const {
  std::error_code error;
  if (earlier_ == folder_ || fs::equivalent(earlier_, folder_, error)) return {folder_};
  return {folder_, earlier_};
}

Result<void> ReleaseStore::put(const ledger::DebitId& id, std::string text) const {
  return write_files({{path_of(id), std::move(text), 0600, false}});
}

Result<std::string> ReleaseStore::get(const ledger::DebitId& id) const {
  if (!has(id))
    return fail(ErrorKind::usage, "run.again", "no release of debit " + id.text() + " is stored with this ledger");
  return read_text_file("run.again", present(id), TextSize::document);
}

}  // namespace chronoveil::engine
