// The SQLite file of participation.h: how it is made and opened, its tables, its key and its rows. Its caller computes
// the seal of the rows.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "chronoveil/bound/people/participation.h"
#include "chronoveil/sqlite/connection.h"

namespace chronoveil::bound {

class ParticipationFile {
 public:
  explicit ParticipationFile(std::string path);
  ParticipationFile(const ParticipationFile&) = delete;
  ParticipationFile& operator=(const ParticipationFile&) = delete;

  // Opens or makes the file, for this process alone. A file of an earlier version is upgraded; it never had a seal, so
  // a caller with one (`sealed`) is refused.
  Result<void> open(Missing, bool sealed);
  // Opens the file as it is, without its log and without a lock.
  Result<void> look();

  // The key in the file, together with the secret of a seal.
  Result<ParticipationKeys> keys(const std::optional<SealSecret>&);
  // Every row, in the order of look-up: if all are in order, each can be found.
  Result<void> for_each(const ParticipationKeys&, const std::function<Result<void>(const PersonUses&)>&);
  // Somebody who was never seen has used nothing.
  Result<PersonUses> uses_of(const HashedName& person, const ParticipationKeys&);
  Result<void> put(const PersonUses&, const ParticipationKeys&);

  // All that the body writes is durable, or none of it.
  Result<void> in_transaction(const std::function<Result<void>()>& body);

  Failure cannot(std::string_view doing, const std::string& why) const;

 private:
  Failure failed(std::string_view doing, int code) const;
  Failure damaged() const;
  Failure gone() const;
  Result<void> make_file(Missing);
  Result<void> prepare_schema(Missing, bool sealed);
  Result<void> upgrade();
  Result<void> check_schema(const char* people);
  Result<void> make_key();
  Result<PersonUses> row_in(const sqlite::Use&) const;
  Result<PersonUses> sealed_row_in(const sqlite::Use&, const ParticipationKeys&) const;

  std::string path_;
  sqlite::Connection database_;
  sqlite::Statement begin_, commit_, find_, put_;
};

}  // namespace chronoveil::bound
