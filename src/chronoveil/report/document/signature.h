// A release that its owner has signed: with the public key, and without the ledger, anybody can check that nothing in
// it was changed.
//   "signature": {"key": 64 hexadecimal digits, "digest": release_digest(), "value": Ed25519 of "chronoveil-release-1",
//   a line feed and the digest}
#pragma once

#include <string>
#include <string_view>

#include "chronoveil/base/result.h"
#include "chronoveil/ledger/proof/signing.h"

namespace chronoveil::report {

// A release JSON with a signature by the key that CHRONOVEIL_KEY names. Unchanged without that variable, and where
// nothing was debited: what is not private promises nothing.
Result<std::string> signed_release(std::string release_json);

// The digest of a release that this key has signed. Errors: storage if it has not, bad_data if it is no release.
Result<std::string> check_release_signature(std::string_view release_json, const ledger::PublicKey&);

}  // namespace chronoveil::report
