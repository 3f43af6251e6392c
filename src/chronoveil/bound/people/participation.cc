#include "chronoveil/bound/people/participation.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <limits>
#include <numeric>
#include <system_error>
#include <utility>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/bound/people/participation_file.h"

namespace chronoveil::bound {

namespace {

Failure earlier_slot() {
  return fail(ErrorKind::internal, "participation", "a slot came after a later one; slots only go forward");
}

SealSecret new_secret() {
  std::array<std::uint64_t, std::tuple_size_v<SealSecret>> words{};
  BitSource::for_this_thread().fill(words);
  return std::bit_cast<SealSecret>(words);
}

class SqliteParticipation final : public Participation {
 public:
  explicit SqliteParticipation(std::string path) : file_(std::move(path)) {}

  Result<void> connect(Missing missing, const std::optional<ParticipationAsOf>& as_of) {
    CV_CHECK(file_.open(missing, as_of.has_value()));
    return check_and_read(as_of);
  }

  Result<void> look(const ParticipationAsOf& as_of) {
    CV_CHECK(file_.look());
    return check_and_read(as_of);
  }

  std::int64_t last_slot() const override { return last_slot_; }
  ParticipationSeal seal() const override { return seal_; }

  Result<std::vector<std::int64_t>> used_before(std::int64_t step,
                                                const std::vector<std::string_view>& people) override {
    const std::vector<HashedName> hashed = hash(people);
    std::vector<std::int64_t> used(people.size());
    read_.clear();
    read_.reserve(people.size());
    for (const std::size_t i : in_order_of_the_table(hashed)) {
      CV_TRY(const PersonUses found, file_.uses_of(hashed[i], *keys_));
      if (found.last_slot > step) return earlier_slot();
      used[i] = found.used_before(step);
      read_.push_back(found);
    }
    return used;
  }

  Result<void> use(std::int64_t step, const std::vector<std::string_view>& people,
                   const std::vector<std::int64_t>& pairs) override {
    if (people.size() != pairs.size() || std::any_of(pairs.begin(), pairs.end(), [](auto n) { return n < 0; })) {
      return fail(ErrorKind::internal, "participation", "not one number of pairs per person");
    }
    if (people.empty()) return {};
    // Only the file knows what became of a failed transaction.
    if (std::exchange(unsure_, true)) {
      read_.clear();
      CV_CHECK(read_people({}));
    }
    ParticipationSeal after = seal_;
    CV_CHECK(file_.in_transaction([&] { return use_inside(step, people, pairs, after); }));
    unsure_ = false;
    seal_ = after;
    last_slot_ = std::max(last_slot_, step);
    return {};
  }

 private:
  Result<void> check_and_read(const std::optional<ParticipationAsOf>& as_of) {
    const bool secret = as_of && as_of->seal.secret;
    CV_TRY(keys_, file_.keys(secret ? *as_of->seal.secret : new_secret()));
    if (as_of && !secret) {
      CV_TRY(keys_before_, file_.keys(std::nullopt));
    }
    CV_CHECK(read_people(as_of));
    keys_before_.reset();
    return {};
  }

  Result<void> read_people(const std::optional<ParticipationAsOf>& as_of) {
    const ParticipationKeys& keys_then = keys_before_ ? *keys_before_ : *keys_;
    ParticipationSeal now = keys_->empty_seal(), then = keys_then.empty_seal();
    std::int64_t last_slot = -1;
    CV_CHECK(file_.for_each(*keys_, [&](const PersonUses& row) -> Result<void> {
      last_slot = std::max(last_slot, row.last_slot);
      keys_->add(now, row.person, row.after);
      if (as_of && row.last_slot > as_of->step) return not_as_of();
      if (as_of) keys_then.add(then, row.person, row.used_before(as_of->step));
      return {};
    }));
    if (as_of && !(then == as_of->seal)) return not_as_of();
    seal_ = now;
    last_slot_ = last_slot;
    return {};
  }

  Failure not_as_of() const {
    return file_.cannot("go on with",
                        "it is damaged, older than the state, or not the file of this release; put back the right "
                        "file, or end the release");
  }

  std::vector<HashedName> hash(const std::vector<std::string_view>& people) const {
    std::vector<HashedName> hashed(people.size());
    for (std::size_t i = 0; i < people.size(); ++i) hashed[i] = keys_->name(people[i]);
    return hashed;
  }

  // So that every page of the table is visited once.
  static std::vector<std::size_t> in_order_of_the_table(const std::vector<HashedName>& hashed) {
    std::vector<std::size_t> order(hashed.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return hashed[a] < hashed[b]; });
    return order;
  }

  Result<void> use_inside(std::int64_t step, const std::vector<std::string_view>& people,
                          const std::vector<std::int64_t>& pairs, ParticipationSeal& seal) {
    const std::vector<HashedName> hashed = hash(people);
    const std::vector<PersonUses> read = std::exchange(read_, {});
    auto known = read.begin();
    for (const std::size_t i : in_order_of_the_table(hashed)) {
      known = std::find_if(known, read.end(), [&](const PersonUses& one) { return !(one.person < hashed[i]); });
      const bool found = known != read.end() && known->person == hashed[i];
      CV_TRY(PersonUses row, found ? Result<PersonUses>(*known) : file_.uses_of(hashed[i], *keys_));
      if (row.last_slot > step) return earlier_slot();
      keys_->take(seal, row.person, row.after);
      row.before = row.used_before(step);
      row.last_slot = step;
      if (pairs[i] > std::numeric_limits<std::int64_t>::max() - row.before)
        return fail(ErrorKind::internal, "participation", "more pairs than can be counted");
      row.after = row.before + pairs[i];
      keys_->add(seal, row.person, row.after);
      CV_CHECK(file_.put(row, *keys_));
    }
    return {};
  }

  ParticipationFile file_;
  std::int64_t last_slot_ = -1;
  std::optional<ParticipationKeys> keys_;
  std::optional<ParticipationKeys> keys_before_;  // while a seal without a secret is compared
  // What was read last, in the order of the table: kept, since an addition follows. Nobody else writes to the file.
  std::vector<PersonUses> read_;
  ParticipationSeal seal_;  // of what is in the file
  bool unsure_ = false;     // whether seal_ is that
};

Result<std::string> absolute_path(const std::string& path) {
  if (path.empty()) return fail(ErrorKind::storage, "participation", "'' is not the name of a file");
  // Absolute, since SQLite takes some relative names, such as ":memory:", for something else than a file.
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error) return fail(ErrorKind::storage, "participation", "cannot find '" + path + "': " + error.message());
  return absolute.string();
}

}  // namespace

Result<std::unique_ptr<Participation>> Participation::open(const std::string& path, Missing missing,
                                                           const std::optional<ParticipationAsOf>& as_of) {
  CV_TRY(const std::string absolute, absolute_path(path));
  auto participation = std::make_unique<SqliteParticipation>(absolute);
  CV_CHECK(participation->connect(missing, as_of));
  return std::unique_ptr<Participation>(std::move(participation));
}

Result<bool> Participation::verify(const std::string& path, const ParticipationAsOf& as_of) {
  CV_TRY(const std::string absolute, absolute_path(path));
  struct stat log {};
  if (::stat((absolute + "-wal").c_str(), &log) == 0 && log.st_size > 0) return false;
  CV_CHECK(SqliteParticipation(absolute).look(as_of));
  return true;
}

}  // namespace chronoveil::bound
