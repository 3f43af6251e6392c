// chronoveil key: makes the key that signs a ledger and its releases, and shows one.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "chronoveil/base/plain_text.h"
#include "chronoveil/ledger/proof/signing.h"
#include "command.h"
#include "output/job_output.h"

namespace chronoveil::cli {

namespace {

struct KeyOptions {
  std::string name;
  bool json = false;
};

Result<void> create(const KeyOptions& options) {
  CV_TRY(const ledger::PublicKey key, ledger::create_key(options.name));
  if (options.json) {
    print_json({{"key", key.text()}, {"secret", options.name + ".key"}, {"public", options.name + ".pub"}});
  } else {
    std::cout << "created " << visible(options.name) << ".key and " << visible(options.name) << ".pub: " << key.text()
              << "\n";
  }
  return {};
}

Result<void> show(const KeyOptions& options) {
  Result<ledger::PublicKey> key = ledger::PublicKey::read(options.name);
  if (!key) {
    // For a secret key, the public key is shown.
    CV_TRY(const ledger::SecretKey* secret, ledger::SecretKey::at(options.name));
    if (secret == nullptr) return tl::unexpected(key.error());
    key = secret->public_key();
  }
  if (options.json) {
    print_json({{"key", key->text()}});
  } else {
    std::cout << key->text() << "\n";
  }
  return {};
}

}  // namespace

void add_key_command(CLI::App& app, CommandContext& context) {
  CLI::App* key = app.add_subcommand("key", "Make and show the keys that sign ledgers and releases");
  key->require_subcommand(1);
  add_example(*key, "chronoveil key create owner");

  auto options = std::make_shared<KeyOptions>();
  CLI::App* command = key->add_subcommand("create", "Make NAME.key, which is secret, and NAME.pub");
  command->add_option("NAME", options->name, "The path of both without its ending")->required();
  add_json_flag(*command, options->json);
  add_example(*command, "chronoveil key create owner");
  on_run(*command, context, [options] { return create(*options); });

  options = std::make_shared<KeyOptions>();
  command = key->add_subcommand("show", "Print the public key, in hexadecimal digits");
  command->add_option("FILE", options->name, "A public key, or a secret one whose public key is meant")->required();
  add_json_flag(*command, options->json);
  add_example(*command, "chronoveil key show owner.pub");
  on_run(*command, context, [options] { return show(*options); });
}

}  // namespace chronoveil::cli
