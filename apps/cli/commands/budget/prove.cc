// chronoveil budget verify, sign and export.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "chronoveil/chronoveil.h"
#include "commands/budget/budget.h"
#include "output/budget_output.h"

namespace chronoveil::cli {

using nlohmann::json;

namespace {

struct ProofOptions : BudgetOptions {
  std::string against;
  std::string key;
};

// An empty list stands for every dataset.
std::vector<std::string> named(const ProofOptions& options) {
  return options.name.empty() ? std::vector<std::string>{} : std::vector{options.name};
}

// What lies beside the ledger and was paid for by a debit that the ledger lacks. A dataset whose chain is broken proves
// nothing more.
Result<void> hear_witnesses(const ProofOptions& options, ledger::Ledger& ledger, ledger::Verification& verification) {
  if (!verification.holds()) return {};
  CV_TRY(const std::vector<engine::Contradiction> found, found_beside(options, ledger));
  for (const engine::Contradiction& one : found)
    verification.findings.push_back({one.debit.dataset, one.debit.sequence, one.text()});
  return {};
}

// The findings are the result, so they go to stdout; the exit code says whether there are any.
Result<void> verify(const ProofOptions& options, CommandContext& context) {
  std::optional<engine::ReleaseClaims> release;
  if (!options.against.empty()) {
    CV_TRY(const std::string text, engine::read_text_file("against", options.against, engine::TextSize::document));
    CV_TRY(release, engine::claims_of(text));
  }
  std::optional<ledger::PublicKey> key;
  if (!options.key.empty()) {
    CV_TRY(key, ledger::PublicKey::read(options.key));
  }
  CV_TRY(ledger::Ledger ledger, open_ledger(options));
  CV_TRY(ledger::Verification verification, ledger.verify(named(options), key));
  bool tied = false;
  if (release) {
    CV_TRY(ReleaseHeld held, held_against(*release, ledger));
    tied = held.tied && verification.holds();
    if (verification.holds()) verification.findings = std::move(held.findings);
  }
  CV_CHECK(hear_witnesses(options, ledger, verification));
  if (options.json) {
    json all = verification_json(verification);
    if (release) all["against"] = {{"debit", release->debit.id.text()}, {"tied", tied}};
    print(all);
  } else if (verification.holds()) {
    std::string more = key ? "; every seal is signed" : "";
    if (release && tied) more += "; the release is covered, and is what was released";
    if (release && !tied) more += "; the release is covered, but its row has no digest: its values are not tied to it";
    std::cout << fmt::format("holds: {} datasets, {} rows, {} debits; chain, prices and sums agree{}\n",
                             verification.datasets, verification.rows, verification.debits, more);
  }
  if (!options.json) std::cout << affected_text(verification);
  for (const ledger::Finding& finding : verification.findings) {
    print_error(fmt::format("verify: dataset '{}', row {}: {}", finding.dataset, finding.sequence, finding.message));
  }
  if (!verification.holds()) context.exit_code = static_cast<int>(ErrorKind::storage);
  return {};
}

Result<void> sign(const ProofOptions& options) {
  CV_TRY(ledger::Ledger ledger, open_ledger(options));
  // A signature says that the owner has looked: an older ledger must not get one.
  CV_TRY(const std::vector<engine::Contradiction> found, found_beside(options, ledger));
  if (!found.empty()) return fail(ErrorKind::storage, "ledger", found.front().text());
  CV_CHECK(ledger.sign(named(options)));
  CV_TRY(const std::vector<std::string> names,
         options.name.empty() ? ledger.datasets() : Result<std::vector<std::string>>(named(options)));
  if (options.json) {
    print({{"signed", names}});
  } else {
    for (const std::string& name : names) std::cout << "signed " << name << "\n";
  }
  return {};
}

Result<void> export_rows(const ProofOptions& options) {
  CV_TRY(ledger::Ledger ledger, open_ledger(options));
  std::vector<std::string> names{options.name};
  if (options.name.empty()) {
    CV_TRY(names, ledger.datasets());
  }
  json rows = json::array();
  for (const std::string& name : names) {
    CV_TRY(const std::vector<ledger::Entry> entries, ledger.entries(name));
    for (const ledger::Entry& entry : entries) rows.push_back(entry_json(entry));
  }
  if (options.json) {
    print({{"format", "chronoveil-ledger-1"}, {"rows", std::move(rows)}});
  } else {
    for (const json& row : rows) std::cout << row.dump(-1, ' ', false, json::error_handler_t::replace) << "\n";
  }
  return {};
}

}  // namespace

void add_proofs(CLI::App& budget, CommandContext& context) {
  auto options = std::make_shared<ProofOptions>();
  CLI::App* command = add_command(budget, *options, "verify", "Check the chain, the price of every row and the sums");
  command->add_option("NAME", options->name, "Only this dataset")->type_name(kDatasetType);
  command->add_option("--against", options->against, "A release (JSON) whose debit must be there");
  command->add_option("--key", options->key, "The public key (NAME.pub) that every seal must be signed by");
  add_example(*command, "chronoveil budget verify --against out.json");
  on_run(*command, context, [options, &context] { return verify(*options, context); });

  options = std::make_shared<ProofOptions>();
  command = add_command(budget, *options, "sign", "Sign what verifies with the key that CHRONOVEIL_KEY names");
  command->add_option("NAME", options->name, "Only this dataset")->type_name(kDatasetType);
  add_example(*command, "CHRONOVEIL_KEY=owner.key chronoveil budget sign city");
  on_run(*command, context, [options] { return sign(*options); });

  options = std::make_shared<ProofOptions>();
  command = add_command(budget, *options, "export", "Print every row as JSON, one per line");
  command->add_option("NAME", options->name, "Only this dataset")->type_name(kDatasetType);
  add_example(*command, "chronoveil budget export city");
  on_run(*command, context, [options] { return export_rows(*options); });
}

}  // namespace chronoveil::cli
