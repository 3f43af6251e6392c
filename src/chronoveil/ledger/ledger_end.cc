#include "chronoveil/base/plain_text.h"
#include "chronoveil/ledger/inside/inside.h"
#include "chronoveil/ledger/ledger.h"

namespace chronoveil::ledger {

Result<void> Ledger::close(const std::string& dataset, const std::string& reason) {
  if (reason.empty()) return fail(ErrorKind::usage, "reason", "it is missing; say why, for whoever looks later");
  CV_CHECK(check_plain_text("reason", reason));
  const std::scoped_lock lock(inside_->mutex);
  const Inside::Composer compose = [&](const Account& account, const std::string&,
                                       const Store::Reader&) -> Result<std::vector<Inside::Draft>> {
    if (account.closed())
      return fail(ErrorKind::usage, "dataset", "'" + dataset + "' was closed before (" + *account.closed() + ")");
    return std::vector<Inside::Draft>{{"closed", closed_body(reason)}};
  };
  CV_CHECK(inside_->append(dataset, true, compose));
  return {};
}

Result<void> Ledger::remove(const std::string& dataset) {
  const std::scoped_lock lock(inside_->mutex);
  const Inside::Composer compose = [&](const Account& account, const std::string&,
                                       const Store::Reader&) -> Result<std::vector<Inside::Draft>> {
    CV_CHECK(account.may_delete());
    return std::vector<Inside::Draft>{{"deleted", deleted_body()}};
  };
  CV_CHECK(inside_->append(dataset, true, compose));
  return {};
}

}  // namespace chronoveil::ledger
