#include "chronoveil/engine/release_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "chronoveil/base/atomic_file.h"
#include "chronoveil/engine/beside_ledger.h"
#include "chronoveil/engine/text_file.h"
#include "chronoveil/ledger/store.h"

namespace chronoveil::engine {

namespace fs = std::filesystem;

Result<ReleaseStore> ReleaseStore::of_ledger(const std::string& place) {
  if (place.find("://") == std::string::npos) return ReleaseStore(place + ".releases");
  CV_TRY(const std::string own, ledger::default_ledger_path());
  return ReleaseStore(
      (fs::path(own).parent_path() / ("releases-" + ledger::place_digest(place).substr(0, 16))).string());
}

Result<void> ReleaseStore::prepare() const {
  const std::error_code error = make_folders(fs::path(folder_).parent_path());
  if (error || (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST)) {
    const int code = error ? error.value() : errno;
    return fail(ErrorKind::storage, "ledger: the folder '" + folder_ + "' for stored releases cannot be made: " +
                                        std::generic_category().message(code));
  }
  return check_writable("ledger", folder_ + "/release.json");
}

std::string ReleaseStore::path_of(const ledger::DebitId& id) const {
  return folder_ + "/" + id.dataset + "-" + std::to_string(id.sequence) + ".json";
}

bool ReleaseStore::has(const ledger::DebitId& id) const { return ::access(path_of(id).c_str(), R_OK) == 0; }

Result<void> ReleaseStore::put(const ledger::DebitId& id, std::string text) const {
  return write_files({{path_of(id), std::move(text), 0600, false}});
}

Result<std::string> ReleaseStore::get(const ledger::DebitId& id) const {
  if (!has(id))
    return fail(ErrorKind::usage, "again: no release of debit " + id.text() + " is stored with this ledger");
  return read_text_file("again", path_of(id), TextSize::document);
}

}  // namespace chronoveil::engine
