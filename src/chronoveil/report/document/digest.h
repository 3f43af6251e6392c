// The digest of a release: for the ledger's row that says "released", and for signatures.
#pragma once

#include <string>
#include <string_view>

#include "chronoveil/base/result.h"

namespace chronoveil::report {

// SHA-256, in 64 hexadecimal digits, of the canonical form of a release JSON of any kind: its keys sorted, no spaces,
// numbers as the shortest decimals that read back; without `title`, which may be given anew when a stored release is
// emitted, and without `signature`, which is over this digest. So neither the order of keys nor white space counts, and
// everything else does. bad_data: not a JSON object, nested more than 100 deep, or with a key twice, which readers
// would take differently.
Result<std::string> release_digest(std::string_view release_json);

}  // namespace chronoveil::report
