// libpq, loaded when somebody first asks for PostgreSQL: it brings twenty libraries along, which nobody else needs.
//
//   CV_CHECK(load_libpq());
//   connection.reset(pq().PQconnectdb(url));
#pragma once

#include <libpq-fe.h>

#include "chronoveil/base/result.h"

namespace chronoveil {

// Every function of it that is used.
#define CHRONOVEIL_LIBPQ(use)                                                                                     \
  use(PQclear) use(PQcmdStatus) use(PQcmdTuples) use(PQconnectdb) use(PQdescribePrepared) use(PQescapeIdentifier) \
      use(PQexec) use(PQexecParams) use(PQexecPrepared) use(PQfinish) use(PQfname) use(PQfreemem) use(PQftable)   \
          use(PQftablecol) use(PQgetlength) use(PQgetvalue) use(PQnfields) use(PQnparams) use(PQntuples)          \
              use(PQprepare) use(PQresultErrorField) use(PQresultStatus) use(PQsetNoticeProcessor) use(PQstatus)  \
                  use(PQtransactionStatus)

struct Libpq {
#define CHRONOVEIL_USE(name) decltype(&::name) name = nullptr;
  CHRONOVEIL_LIBPQ(CHRONOVEIL_USE)
#undef CHRONOVEIL_USE
};

// Once per process; a storage error if libpq.so.5 is not installed.
Result<void> load_libpq();
// After load_libpq(): a connection or a result is proof of that.
const Libpq& pq();

}  // namespace chronoveil
