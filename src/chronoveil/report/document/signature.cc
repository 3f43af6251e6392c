#include "chronoveil/report/document/signature.h"

#include <nlohmann/json.hpp>

#include "chronoveil/report/document/digest.h"

namespace chronoveil::report {
namespace {

using json = nlohmann::json;

std::string text_to_sign(const std::string& digest) { return "chronoveil-release-1\n" + digest; }

}  // namespace

Result<std::string> signed_release(std::string release_json) {
  CV_TRY(const ledger::SecretKey* key, ledger::SecretKey::of_environment());
  if (key == nullptr) return release_json;
  const json release = json::parse(release_json, nullptr, false);
  if (!release.is_object() || !release.contains("debit") || release["debit"].is_null()) return release_json;
  CV_TRY(const std::string digest, release_digest(release_json));
  const json signature = {
      {"key", key->public_key().text()}, {"digest", digest}, {"value", key->sign(text_to_sign(digest))}};
  // Before the bracket that ends the object.
  release_json.insert(release_json.rfind('}'), ",\n\"signature\":" + signature.dump());
  return release_json;
}

Result<std::string> check_release_signature(std::string_view release_json, const ledger::PublicKey& key) {
  CV_TRY(std::string digest, release_digest(release_json));
  const json release = json::parse(release_json, nullptr, false);
  const auto refuse = [](const std::string& what) { return fail(ErrorKind::storage, "release", what); };
  if (!release.contains("signature")) return refuse("it is not signed");
  const json& signature = release["signature"];
  for (const char* field : {"key", "digest", "value"})
    if (!signature.is_object() || !signature.contains(field) || !signature[field].is_string())
      return refuse("its signature cannot be read");
  if (signature["key"] != key.text()) return refuse("it is signed by another key");
  if (signature["digest"] != digest) return refuse("it was changed after it was signed");
  if (!key.has_signed(text_to_sign(digest), signature["value"].get<std::string>()))
    return refuse("its signature is not by this key");
  return digest;
}

}  // namespace chronoveil::report
