#include "chronoveil/engine/live/state.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "chronoveil/base/state_words.h"
#include "chronoveil/base/system/atomic_file.h"

namespace chronoveil::engine {
namespace {

static_assert(std::endian::native == std::endian::little, "state files are little-endian");

constexpr std::string_view kMagic = "CVLIVE01";
constexpr std::size_t kHashBytes = 32;
constexpr std::size_t kHeadBytes = 8 + 4 * 8;  // magic, number, words of the state, words of the process, text bytes

Failure storage(const std::string& path, std::string_view what) {
  return fail(ErrorKind::storage, "live", "'" + path + "' " + std::string(what) + ": " + std::strerror(errno));
}

std::string path_of(const std::string& folder, int which) { return folder + "/state." + std::to_string(which); }

void append_words(std::string& out, std::span<const std::uint64_t> words) {
  out.append(reinterpret_cast<const char*>(words.data()), words.size_bytes());
}

std::vector<std::uint64_t> words_at(std::string_view bytes, std::size_t at, std::size_t count) {
  std::vector<std::uint64_t> words(count);
  if (count > 0) std::memcpy(words.data(), bytes.data() + at, count * 8);
  return words;
}

std::string hash_of(std::string_view bytes) {
  std::string hash(kHashBytes, '\0');
  crypto_generichash(reinterpret_cast<unsigned char*>(hash.data()), hash.size(),
                     reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr, 0);
  return hash;
}

template <class State>
auto fields_in(State& state) {
  return std::array{&state.format, &state.debit, &state.holder, &state.token,  &state.before, &state.span,
                    &state.step,   &state.next,  &state.asked,  &state.people, &state.begun,  &state.synced};
}

template <class Seal>
auto fields_in_seal(Seal& seal) {
  return std::array{&seal.key, &seal.people, &seal.uses, &seal.first, &seal.second};
}

template <class Witness>
auto fields_in_witness(Witness& witness) {
  return std::array{&witness.debit, &witness.holder, &witness.asked, &witness.before};
}

// A seal, if any, follows the rest, and its secret follows the seal: earlier versions had neither. A state without a
// debit has no seal; the debit before it follows there. Last comes the tail of the totals: begun, synced, and how many
// bytes at the end of the text are unsynced. How many words there are tells which of all these are there.
constexpr std::size_t kSealWords = 5, kSecretWords = std::tuple_size_v<bound::SealSecret>, kWitnessWords = 4,
                      kTailWords = 3;
static_assert(kSecretWords != kTailWords && kSealWords != kTailWords && kWitnessWords != kTailWords);

std::vector<std::uint64_t> fields_of(const LiveState& state) {
  StateWriter writer;
  for (const std::int64_t* field : fields_in(state)) writer.put(*field);
  if (state.debit < 0 && state.earlier)
    for (const std::int64_t* field : fields_in_witness(*state.earlier)) writer.put(*field);
  if (state.debit >= 0 && state.seal)
    for (const std::int64_t* field : fields_in_seal(*state.seal)) writer.put(*field);
  if (state.debit >= 0 && state.seal && state.seal->secret)
    for (const std::int64_t word : *state.seal->secret) writer.put(word);
  if (state.totals) {
    writer.put(state.totals->begun);
    writer.put(state.totals->synced);
    writer.put(static_cast<std::int64_t>(state.totals->unsynced.size()));
  }
  return std::move(writer).take();
}

void encode(const LiveState& state, std::uint64_t number, std::string& out) {
  const std::vector<std::uint64_t> fields = fields_of(state);
  out.assign(kMagic);
  const std::string_view totals = state.totals ? std::string_view(state.totals->unsynced) : std::string_view();
  const std::uint64_t head[] = {number, fields.size(), state.process.size(), state.unsynced.size() + totals.size()};
  append_words(out, head);
  append_words(out, fields);
  append_words(out, state.process);
  out.append(state.unsynced).append(totals);
  out.append(hash_of(out));
}

struct Numbered {
  std::uint64_t number = 0;
  LiveState state;
};

// Empty if the bytes are not a whole state. Bytes behind it are left over from a longer, earlier state.
std::optional<Numbered> decode(std::string_view bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() < kHeadBytes + kHashBytes) return std::nullopt;
  const std::vector<std::uint64_t> head = words_at(bytes, kMagic.size(), 4);
  const std::uint64_t room = (bytes.size() - kHeadBytes - kHashBytes);
  if (head[1] > room / 8 || head[2] > room / 8 || head[3] > room || (head[1] + head[2]) * 8 + head[3] > room)
    return std::nullopt;
  const std::size_t fields_end = kHeadBytes + head[1] * 8, process_end = fields_end + head[2] * 8;
  const std::size_t end = process_end + head[3];
  if (bytes.substr(end, kHashBytes) != hash_of(bytes.substr(0, end))) return std::nullopt;
  Numbered found;
  found.number = head[0];
  const std::vector<std::uint64_t> fields = words_at(bytes, kHeadBytes, head[1]);
  StateReader reader(fields);
  LiveState& state = found.state;
  const auto own = fields_in(state);
  for (std::int64_t* field : own) *field = reader.integer();
  std::size_t more = fields.size() < own.size() ? 0 : fields.size() - own.size();
  if (state.debit < 0 && more >= kWitnessWords) {
    const auto of_earlier = fields_in_witness(state.earlier.emplace());
    for (std::int64_t* field : of_earlier) *field = reader.integer();
    more -= kWitnessWords;
  } else if (state.debit >= 0 && more >= kSealWords) {
    const auto of_seal = fields_in_seal(state.seal.emplace());
    for (std::int64_t* field : of_seal) *field = reader.integer();
    more -= kSealWords;
    if (more == kSecretWords || more == kSecretWords + kTailWords) {
      for (std::int64_t& word : state.seal->secret.emplace()) word = reader.integer();
      more -= kSecretWords;
    }
  }
  const std::string_view text = bytes.substr(process_end, head[3]);
  std::size_t of_totals = 0;
  if (more == kTailWords) {
    state.totals.emplace();
    state.totals->begun = reader.integer();
    state.totals->synced = reader.integer();
    of_totals = static_cast<std::size_t>(reader.integer());
  }
  if (!reader.complete() || of_totals > text.size()) return std::nullopt;
  state.process = words_at(bytes, fields_end, head[2]);
  state.unsynced = text.substr(0, text.size() - of_totals);
  if (state.totals) state.totals->unsynced = text.substr(text.size() - of_totals);
  return found;
}

Result<std::string> read_whole(int file, const std::string& path) {
  std::string bytes;
  char piece[1 << 16];
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(file, piece, sizeof piece, at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return storage(path, "cannot be read");
    if (got == 0) return bytes;
    bytes.append(piece, static_cast<std::size_t>(got));
    at += got;
  }
}

// Whoever reads the secret of the seal can make a file of participation that fits it.
Result<void> take_from_others(int file, const std::string& path) {
  struct stat found {};
  if (::fstat(file, &found) != 0) return storage(path, "cannot be opened");
  if ((found.st_mode & 07777) != 0600 && ::fchmod(file, 0600) != 0)
    return storage(path, "cannot be made private to its owner");
  return {};
}

// The whole state with the highest number among both files.
Result<std::optional<Numbered>> latest_of(const std::string& folder, const int (&files)[2]) {
  std::optional<Numbered> latest;
  bool any = false;
  for (int which = 0; which < 2; ++which) {
    if (files[which] < 0) continue;
    CV_TRY(const std::string bytes, read_whole(files[which], path_of(folder, which)));
    any = any || !bytes.empty();
    std::optional<Numbered> found = decode(bytes);
    if (found && (!latest || found->number > latest->number)) latest = std::move(found);
  }
  if (!latest && any)
    return fail(ErrorKind::storage, "live",
                "the state in '" + folder + "' is damaged; no file there holds a whole one");
  return latest;
}

}  // namespace

LiveStateFiles::LiveStateFiles(LiveStateFiles&& other) noexcept
    : folder_(std::move(other.folder_)), number_(other.number_), latest_(std::move(other.latest_)) {
  for (int which = 0; which < 2; ++which) files_[which] = std::exchange(other.files_[which], -1);
}

LiveStateFiles::~LiveStateFiles() {
  for (const int file : files_)
    if (file >= 0) ::close(file);
}

Result<LiveStateFiles> LiveStateFiles::open(const std::string& folder) {
  LiveStateFiles made;
  made.folder_ = folder;
  for (int which = 0; which < 2; ++which) {
    const std::string path = path_of(folder, which);
    made.files_[which] = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (made.files_[which] < 0) return storage(path, "cannot be opened");
    CV_CHECK(take_from_others(made.files_[which], path));
  }
  // The names must last as long as the contents; and what a killed process wrote may not be on the disk yet, although
  // it is about to be relied on.
  CV_CHECK(synchronise_folder("live", folder));
  for (int which = 0; which < 2; ++which)
    if (::fdatasync(made.files_[which]) != 0) return storage(path_of(folder, which), "cannot be synchronised");
  CV_TRY(std::optional<Numbered> latest, latest_of(folder, made.files_));
  if (latest) {
    made.number_ = latest->number;
    made.latest_ = std::move(latest->state);
  }
  return made;
}

Result<void> LiveStateFiles::save(LiveState state) {
  const int which = static_cast<int>((number_ + 1) % 2);
  encode(state, number_ + 1, buffer_);
  const std::string path = path_of(folder_, which);
  std::string_view left = buffer_;
  for (off_t at = 0; !left.empty();) {
    const ssize_t written = ::pwrite(files_[which], left.data(), left.size(), at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return storage(path, "could not be written");
    left.remove_prefix(static_cast<std::size_t>(written));
    at += written;
  }
  // A longer file would keep the end of what the mechanism knew.
  if (state.process.empty() && ::ftruncate(files_[which], static_cast<off_t>(buffer_.size())) != 0)
    return storage(path, "could not be shortened");
  if (::fdatasync(files_[which]) != 0) return storage(path, "could not be synchronised");
  ++number_;
  latest_ = std::move(state);
  return {};
}

Result<void> LiveStateFiles::save_last(LiveState state) {
  state.process.clear();
  for (int file = 0; file < 2; ++file) CV_CHECK(save(state));
  return {};
}

Result<void> forget_live_process(const std::string& folder, std::int64_t debit) {
  if (Result<LiveStateFiles> files = LiveStateFiles::open(folder)) {
    if (!files->latest() || files->latest()->debit > debit) return {};
    return files->save_last(*files->latest());
  }
  for (int which = 0; which < 2; ++which) {
    const std::string path = path_of(folder, which);
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT) continue;
    struct stat found {};
    const bool cut = file >= 0 && ::fstat(file, &found) == 0 &&
                     ::ftruncate(file, std::min(found.st_size, static_cast<off_t>(kMagic.size()))) == 0 &&
                     ::fdatasync(file) == 0;
    const Failure error = storage(path, "could not be cut");
    if (file >= 0) ::close(file);
    if (!cut) return error;
  }
  return {};
}

Result<std::optional<LiveState>> read_live_state(const std::string& folder) {
  int files[2];
  Result<std::optional<Numbered>> latest = std::optional<Numbered>();
  for (int which = 0; which < 2; ++which) {
    files[which] = ::open(path_of(folder, which).c_str(), O_RDONLY | O_CLOEXEC);
    // What is there and cannot be opened may be the later of the two.
    if (files[which] < 0 && errno != ENOENT) latest = storage(path_of(folder, which), "cannot be opened");
  }
  if (latest) latest = latest_of(folder, files);
  for (const int file : files)
    if (file >= 0) ::close(file);
  if (!latest) return Failure(std::move(latest).error());
  if (!*latest) return std::optional<LiveState>();
  return std::optional<LiveState>(std::move((*latest)->state));
}

}  // namespace chronoveil::engine
