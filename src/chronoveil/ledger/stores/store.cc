#include "chronoveil/ledger/stores/store.h"

#include <cstdlib>
#include <filesystem>

#include "chronoveil/ledger/stores/postgres_store.h"
#include "chronoveil/ledger/stores/sqlite_store.h"

namespace chronoveil::ledger {

namespace {

bool is_postgres(const std::string& where) {
  return where.starts_with("postgresql://") || where.starts_with("postgres://");
}

}  // namespace

Store::Writer first_rows(const Addition& all) {
  return [&all](const Store::Reader& read) -> Result<Addition> {
    CV_TRY(const Stored present, read(0));
    if (!present.rows.empty() || present.seal)
      return fail(ErrorKind::usage, "dataset", "'" + all.rows.front().dataset + "' exists there already");
    return all;
  };
}

std::string real_place(const std::string& where) {
  if (where.find("://") != std::string::npos) return where;
  std::error_code error;
  const std::filesystem::path real = std::filesystem::weakly_canonical(std::filesystem::absolute(where, error), error);
  return error ? where : real.string();
}

std::string place_digest(const std::string& where) {
  std::string place = real_place(where);
  if (const auto at = where.find('@'); is_postgres(where) && at != std::string::npos)
    place = "postgresql://" + where.substr(at + 1);
  return sha256_hex("chronoveil-place-1\n" + place);
}

Result<std::unique_ptr<Store>> open_store(const std::string& where, const Sealer& sealer, Absent absent) {
  if (is_postgres(where)) return open_postgres_store(where, sealer, absent);
  if (where.find("://") != std::string::npos)
    return invalid("ledger", where.substr(0, where.find("://")), "a path, or a URL postgresql://...");
  return open_sqlite_store(where, sealer, absent);
}

Result<std::string> default_ledger_path() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  // The base directory specification: a relative XDG_DATA_HOME is to be ignored.
  if (const std::string data = variable("XDG_DATA_HOME"); data.starts_with('/')) return data + "/chronoveil/ledger.db";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.local/share/chronoveil/ledger.db";
  return fail(ErrorKind::usage, "ledger", "neither XDG_DATA_HOME nor HOME is set; give --ledger PATH");
}

}  // namespace chronoveil::ledger
