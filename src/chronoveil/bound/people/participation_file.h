// The SQLite file of participation.h: how it is made and opened, its tables, its key and its rows. What all rows amount
// to is for whoever reads them.
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

  // Opens or makes the file, for this process alone. What an earlier version left is brought up to date; it has no
  // seal, so that whoever has one (`sealed`) is refused.
  Result<void> open(Missing, bool sealed);
  // Of a file as it lies there, without its log: nothing is locked.
  Result<void> look();

  // The key in the file, together with the secret of a seal.
  Result<ParticipationKeys> keys(const std::optional<SealSecret>&);
  // Every row, in the order in which they are looked up: where all are in order, each is found.
  Result<void> for_each(const ParticipationKeys&, const std::function<Result<void>(const PersonUses&)>&);
  // Nothing was used by who was never seen.
  Result<PersonUses> uses_of(const HashedName& person, const ParticipationKeys&);
  Result<void> put(const PersonUses&, const ParticipationKeys&);

  // Durable for all that the body writes, or none of it.
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
