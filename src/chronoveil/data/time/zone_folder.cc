#include "chronoveil/data/time/zone_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <system_error>
#include <utility>

#include "chronoveil/data/time/zone_file.h"

namespace chronoveil::data {
namespace {

constexpr const char* kSystem = "/usr/share/zoneinfo/";

// The folder beside the system's.
class Beside {
 public:
  std::string get() {
    const std::scoped_lock lock(mutex_);
    return folder_;
  }
  void set(std::string folder) {
    const std::scoped_lock lock(mutex_);
    folder_ = std::move(folder);
  }
  static Beside& of_this_process() {
    static Beside beside;
    return beside;
  }

 private:
  std::mutex mutex_;
  std::string folder_;
};

// Names of zones are paths that begin with a capital letter; what else lies beside them does not.
bool may_be_a_name(const std::string& name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '_' ||
           c == '+' || c == '-';
  };
  return !name.empty() && name.front() >= 'A' && name.front() <= 'Z' &&
         std::all_of(name.begin(), name.end(), is_letter);
}

}  // namespace

void read_zones_from(std::string folder) { Beside::of_this_process().set(std::move(folder)); }

std::optional<ZoneFile> ZoneFile::find(const std::string& name) {
  if (!may_be_a_name(name)) return std::nullopt;
  const std::string beside = Beside::of_this_process().get();
  for (const std::string& folder : {std::string(kSystem), beside.empty() ? beside : beside + "/"}) {
    std::error_code error;
    if (folder.empty() || !std::filesystem::is_regular_file(folder + name, error)) continue;
    std::ifstream file(folder + name, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (std::optional<ZoneFile> found = ZoneFile::parse(bytes)) return found;
  }
  return std::nullopt;
}

}  // namespace chronoveil::data
