#include "chronoveil/ledger/proof/signing.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "chronoveil/base/system/atomic_file.h"

namespace chronoveil::ledger {
namespace {

constexpr std::string_view kPublic = "chronoveil-public-key-1\n", kSecret = "chronoveil-secret-key-1\n";
static_assert(crypto_sign_SECRETKEYBYTES == 64 && crypto_sign_PUBLICKEYBYTES == 32 && crypto_sign_BYTES == 64);

template <std::size_t size>
std::string hex_of(const std::array<unsigned char, size>& bytes) {
  std::array<char, 2 * size + 1> hex{};
  sodium_bin2hex(hex.data(), hex.size(), bytes.data(), bytes.size());
  std::string text = hex.data();
  sodium_memzero(hex.data(), hex.size());
  return text;
}

// Lower-case digits and nothing else: one key, one text.
template <std::size_t size>
std::optional<std::array<unsigned char, size>> bytes_of(std::string_view hex) {
  std::array<unsigned char, size> bytes{};
  std::size_t made = 0;
  if (hex.size() != 2 * size || hex.find_first_not_of("0123456789abcdef") != std::string_view::npos ||
      sodium_hex2bin(bytes.data(), bytes.size(), hex.data(), hex.size(), nullptr, &made, nullptr) != 0 || made != size)
    return std::nullopt;
  return bytes;
}

Failure cannot(const std::string& path, const std::string& why) {
  return fail(ErrorKind::storage, "key", "'" + path + "' " + why);
}

class File {
 public:
  File(const std::string& path, int flags, mode_t mode = 0) : file_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~File() {
    if (file_ >= 0) ::close(file_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return file_; }

 private:
  int file_;
};

// The digits behind the line that says what kind of key it is.
Result<std::string> digits_in(const std::string& path, std::string_view kind, bool secret) {
  const File file(path, O_RDONLY);
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0)
    return cannot(path, std::string("cannot be read: ") + std::strerror(errno));
  if (secret && (!S_ISREG(status.st_mode) || (status.st_mode & 077) != 0))
    return cannot(path, "is a secret that others than its owner can reach; give it mode 0600");
  std::string text(256, '\0');
  const ssize_t got = ::read(file.get(), text.data(), text.size());
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  std::string digits;
  if (text.starts_with(kind) && text.ends_with('\n')) digits = text.substr(kind.size(), text.size() - kind.size() - 1);
  sodium_memzero(text.data(), text.size());
  if (!bytes_of<32>(digits)) return cannot(path, secret ? "holds no secret key" : "holds no public key");
  return digits;
}

Result<void> write_new(const std::string& path, const std::string& text, mode_t mode) {
  const File file(path, O_WRONLY | O_CREAT | O_EXCL, mode);
  if (file.get() < 0) return cannot(path, std::string("cannot be made: ") + std::strerror(errno));
  const int code = write_all(file.get(), text);
  if (code != 0) errno = code;
  if (code != 0 || ::fsync(file.get()) != 0)
    return cannot(path, std::string("cannot be written: ") + std::strerror(errno));
  return {};
}

}  // namespace

Result<PublicKey> PublicKey::read(const std::string& path) {
  CV_TRY(std::string digits, digits_in(path, kPublic, false));
  return PublicKey(std::move(digits));
}

Result<PublicKey> PublicKey::parse(std::string_view digits) {
  if (!bytes_of<32>(digits)) return fail(ErrorKind::storage, "key", "it is not 64 hexadecimal digits");
  return PublicKey(std::string(digits));
}

bool PublicKey::has_signed(std::string_view text, std::string_view signature) const {
  const auto key = bytes_of<32>(digits_);
  const auto bytes = bytes_of<64>(signature);
  return key && bytes &&
         crypto_sign_verify_detached(bytes->data(), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                                     key->data()) == 0;
}

SecretKey::SecretKey(SecretKey&& other) noexcept
    : secret_(std::exchange(other.secret_, {})), public_(std::move(other.public_)) {}

SecretKey::~SecretKey() { sodium_memzero(secret_.data(), secret_.size()); }

Result<SecretKey> SecretKey::read(const std::string& path) {
  if (sodium_init() < 0) return fail(ErrorKind::internal, "key", "libsodium does not start");
  CV_TRY(std::string digits, digits_in(path, kSecret, true));
  auto seed = bytes_of<32>(digits);
  sodium_memzero(digits.data(), digits.size());
  std::array<unsigned char, 32> open{};
  SecretKey key;
  crypto_sign_seed_keypair(open.data(), key.secret_.data(), seed->data());
  sodium_memzero(seed->data(), seed->size());
  key.public_ = PublicKey(hex_of(open));
  return key;
}

Result<const SecretKey*> SecretKey::of_environment() {
  const char* path = std::getenv("CHRONOVEIL_KEY");
  return at(path == nullptr ? "" : path);
}

Result<const SecretKey*> SecretKey::at(const std::string& path) {
  if (path.empty()) return nullptr;
  static std::mutex mutex;
  static std::map<std::string, SecretKey> known;
  const std::scoped_lock lock(mutex);
  auto found = known.find(path);
  if (found == known.end()) {
    CV_TRY(SecretKey key, read(path));
    found = known.emplace(path, std::move(key)).first;
    // It stays at this address from now on, and is not swapped out if the limits allow it.
    (void)sodium_mlock(found->second.secret_.data(), found->second.secret_.size());
  }
  return &found->second;
}

std::string SecretKey::sign(std::string_view text) const {
  std::array<unsigned char, 64> signature{};
  crypto_sign_detached(signature.data(), nullptr, reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                       secret_.data());
  return hex_of(signature);
}

Result<PublicKey> create_key(const std::string& name) {
  if (sodium_init() < 0) return fail(ErrorKind::internal, "key", "libsodium does not start");
  std::array<unsigned char, 32> seed{}, open{};
  std::array<unsigned char, 64> secret{};
  randombytes_buf(seed.data(), seed.size());
  crypto_sign_seed_keypair(open.data(), secret.data(), seed.data());
  sodium_memzero(secret.data(), secret.size());
  const std::string digits = hex_of(open);
  CV_CHECK(write_new(name + ".pub", std::string(kPublic) + digits + "\n", 0644));
  std::string text = std::string(kSecret) + hex_of(seed) + "\n";
  sodium_memzero(seed.data(), seed.size());
  Result<void> written = write_new(name + ".key", text, 0600);
  sodium_memzero(text.data(), text.size());
  if (!written) {
    ::unlink((name + ".pub").c_str());  // ours, made a moment ago, and of no use
    return tl::unexpected(written.error());
  }
  return PublicKey::parse(digits);
}

std::string signed_text(const std::string& dataset, const Seal& seal) {
  return "chronoveil-seal-1\n" + dataset + "\n" + std::to_string(seal.length) + "\n" + seal.head + "\n" +
         sha256_hex(seal.sums);
}

std::string sign_seal(const SecretKey& key, const std::string& dataset, const Seal& seal) {
  return key.public_key().text() + ":" + key.sign(signed_text(dataset, seal));
}

Result<std::optional<PublicKey>> signer_of(const std::string& dataset, const Seal& seal) {
  if (seal.signature.empty()) return std::optional<PublicKey>();
  const auto colon = seal.signature.find(':');
  const Result<PublicKey> key = PublicKey::parse(std::string_view(seal.signature).substr(0, colon));
  if (!key || colon == std::string::npos ||
      !key->has_signed(signed_text(dataset, seal), std::string_view(seal.signature).substr(colon + 1)))
    return fail(ErrorKind::storage, "ledger", "the signature of dataset '" + dataset + "' is not one of its seal");
  return std::optional<PublicKey>(*key);
}

}  // namespace chronoveil::ledger
