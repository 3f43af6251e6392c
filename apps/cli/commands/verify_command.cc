// chronoveil verify: whether a release is as its owner signed it. Needs no ledger.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "chronoveil/chronoveil.h"
#include "command.h"
#include "output/job_output.h"

namespace chronoveil::cli {

using nlohmann::json;

namespace {

struct VerifyOptions {
  std::string release;
  std::string key;
  bool json = false;
};

// "ε = 1, δ = 1e-06 for a user under add_remove, upper bound": what a signed release promises, in one line.
std::string guarantee_line(const json& guarantee) {
  const auto text = [&](const char* field) {
    const json& held = guarantee.contains(field) ? guarantee[field] : json(nullptr);
    if (held.is_number()) return ledger::rounded_up(held.get<double>());
    return held.is_string() ? visible(held.get<std::string>()) : std::string("none");
  };
  return fmt::format("{}, ε = {}, δ = {}, unit {}, {}, {}", text("definition"), text("epsilon"), text("delta"),
                     text("unit"), text("relation"), text("certificate"));
}

Result<void> verify(const VerifyOptions& options) {
  CV_TRY(const ledger::PublicKey key, ledger::PublicKey::read(options.key));
  CV_TRY(const std::string text, engine::read_text_file("release", options.release, engine::TextSize::document));
  CV_TRY(const std::string digest, check_signature(text, key));
  const json release = json::parse(text, nullptr, false);
  if (!release.contains("guarantee") || !release["guarantee"].is_object() || !release.contains("debit") ||
      !release["debit"].is_object() || !release["debit"].contains("id") || !release["debit"]["id"].is_string())
    return fail(ErrorKind::bad_data, "release", "it is signed, but has no guarantee or no debit");
  const json& guarantee = release["guarantee"];
  const json& debit = release["debit"]["id"];
  if (options.json) {
    print_json({{"holds", true}, {"key", key.text()}, {"digest", digest}, {"debit", debit}, {"guarantee", guarantee}});
  } else {
    std::cout << "holds: signed by " << key.text().substr(0, 16) << "…; " << guarantee_line(guarantee) << "; debit "
              << visible(debit.get<std::string>()) << "\n";
  }
  return {};
}

}  // namespace

void add_verify_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = app.add_subcommand("verify", "Check a release against the public key of whoever signed it");
  command->add_option("RELEASE", options->release, "The release (JSON)")->required();
  command->add_option("--key", options->key, "The public key (NAME.pub)")->required();
  add_json_flag(*command, options->json);
  add_example(*command, "chronoveil verify out.json --key owner.pub");
  on_run(*command, context, [options] { return verify(*options); });
}

}  // namespace chronoveil::cli
