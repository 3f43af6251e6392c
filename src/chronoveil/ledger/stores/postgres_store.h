// The ledger of a team in PostgreSQL: serialisable transactions, one row lock per dataset, retries on request.
#pragma once

#include "chronoveil/ledger/stores/store.h"

namespace chronoveil::ledger {

// url: postgresql://user@host/database?options, as libpq reads it. Errors never quote it: it may hold a password.
Result<std::unique_ptr<Store>> open_postgres_store(const std::string& url, const Sealer&, Absent);

}  // namespace chronoveil::ledger
