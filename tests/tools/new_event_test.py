"""The recipe for a new event, as AGENTS.md has it: its own header and source, the list, its row in the docs.

A made-up event is added in a temporary copy, and everything that should know it does. Only accounting, and what of the
ledger compares events, is compiled.
"""

import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# It takes half the time of g++ where nothing is optimised.
COMPILER = shutil.which("clang++") or os.environ.get("CHRONOVEIL_COMPILER", "c++")
BUILD = Path(os.environ.get("CHRONOVEIL_BUILD", ROOT / "build"))

HEADER = """// So many coins, each of which is ε-differentially private.
#pragma once

#include "chronoveil/accounting/events/kind.h"

namespace chronoveil::accounting {

struct CoinFlips {
  static constexpr std::string_view kName = "coin_flips";
  double epsilon;
  std::int64_t flips;

  static constexpr auto fields() {
    return std::tuple(field::noise("epsilon", &CoinFlips::epsilon, kNotNegative, kEpsilonHelp),
                      field::required("flips", &CoinFlips::flips, field::at_least(1), "number of coins"));
  }

  MadeLoss loss() const;
  Result<Event> for_replacement() const;
  bool dominated_by(const CoinFlips& slot) const { return epsilon <= slot.epsilon && flips <= slot.flips; }
  std::optional<PureEpsilon> pure() const { return PureEpsilon{epsilon * static_cast<double>(flips)}; }
};

}  // namespace chronoveil::accounting
"""

SOURCE = """#include "chronoveil/accounting/events/stated/coin_flips.h"

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/grid/loss_model.h"

namespace chronoveil::accounting {

MadeLoss CoinFlips::loss() const { return response_model({.epsilon = epsilon * static_cast<double>(flips)}); }

Result<Event> CoinFlips::for_replacement() const { return Event{CoinFlips{epsilon, 2 * flips}}; }

}  // namespace chronoveil::accounting
"""

ROW = "| `coin_flips` | `epsilon`, `flips` | so many coins |\n"

# Says as JSON what the library knows of the event that is given as an argument.
PROGRAM = """#include <cstdio>
#include <nlohmann/json.hpp>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/accounting/events/event_options.h"
#include "chronoveil/accounting/events/neighbours.h"
#include "chronoveil/accounting/moments.h"
#include "chronoveil/ledger/filters/domination.h"

using namespace chronoveil;
using namespace chronoveil::accounting;

int main(int, char** arguments) {
  nlohmann::json said;
  said["unknown"] = parse_event(R"({"event": "no_such"})").error().text();
  for (const EventOption& option : event_options()) said["options"][std::string(option.name)] = option.help;
  const Event event = parse_event(arguments[1]).value();
  said["text"] = to_text(event);
  said["epsilon"] = epsilon_at(event, *Delta::make(0)).value().epsilon;
  said["replaced"] = to_text(for_replacement(event).value());
  said["rho"] = zcdp_cost(event).value().rho;
  said["renyi"] = renyi_cost(event, renyi_orders()).value().epsilon.size();
  said["in_pure"] = ledger::is_dominated_by(event, parse_event(arguments[2]).value());
  said["in_itself"] = ledger::is_dominated_by(event, event);
  said["calibrated"] = to_text(calibrate(opened(event), *Epsilon::make(1), *Delta::make(0)).value().event);
  said["stated"] = ledger::stated_epsilon(event)->text();
  said["out_of_range"] = parse_event(R"({"event": "coin_flips", "epsilon": 1, "flips": 0})").error().text();
  std::puts(said.dump().c_str());
}
"""


def kinds_in(docs):
    """The events that the table in the docs has, from its first column."""
    table = docs.split("| event | parameters |")[1].split("\n\n")[0]
    return {name for row in table.splitlines()[1:] for name in re.findall(r"`(\w+)`", row.split("|")[1])}


def kinds_known(unknown):
    return set(unknown.split("it must be one of ")[1].split(", "))


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class NewEvent(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.copy = Path(cls.folder.name)
        for part in ("include", "src/chronoveil/base", "src/chronoveil/accounting", "src/chronoveil/ledger/filters"):
            shutil.copytree(ROOT / part, cls.copy / part)
        cls.docs = (ROOT / "docs/accounting.md").read_text(encoding="utf-8")
        cls.add_event()
        program = cls.compile()
        event = {"event": "coin_flips", "epsilon": 0.25, "flips": 2, "count": 3}
        slot = {"event": "pure", "epsilon": 0.5, "count": 3}
        cls.said = json.loads(output_of(program, json.dumps(event), json.dumps(slot)))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def add_event(cls):
        source = cls.copy / "src/chronoveil/accounting/events/stated/coin_flips.cc"
        source.write_text(SOURCE, encoding="utf-8")
        events = cls.copy / "include/chronoveil/accounting/events"
        (events / "stated/coin_flips.h").write_text(HEADER, encoding="utf-8")
        listed = (events / "event.h").read_text(encoding="utf-8")
        with_it = listed.replace('#include "chronoveil/accounting/events/stated/exponential.h"',
                                 '#include "chronoveil/accounting/events/stated/coin_flips.h"\n'
                                 '#include "chronoveil/accounting/events/stated/exponential.h"')
        with_it = with_it.replace("DpSgd, Compose>;", "DpSgd, CoinFlips, Compose>;")
        assert with_it.count("coin_flips") == 1 and with_it.count("CoinFlips") == 1, "the list looks otherwise"
        (events / "event.h").write_text(with_it, encoding="utf-8")

    @classmethod
    def compile(cls):
        module = cls.copy / "src/chronoveil"
        main = cls.copy / "main.cc"
        main.write_text(PROGRAM, encoding="utf-8")
        sources = [*sorted((module / "accounting").rglob("*.cc")), module / "ledger/filters/domination.cc",
                   module / "ledger/filters/amount.cc", main]
        unity = [sys.executable, "-B", ROOT / "tools/unity.py", cls.copy / "units", "60000"]
        units = output_of(*unity, *sources).split(";")
        options = ["-std=c++20", "-O0", "-w", f"-I{cls.copy / 'include'}", f"-I{cls.copy / 'src'}",
                   *output_of("pkg-config", "--cflags", "eigen3").split()]

        def compiled(unit):
            done = subprocess.run([COMPILER, *options, "-c", unit, "-o", unit + ".o"], capture_output=True, text=True)
            return done.stderr if done.returncode != 0 else ""

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            errors = "".join(pool.map(compiled, units))
        if errors:
            raise AssertionError(errors)
        program = cls.copy / "program"
        subprocess.run([COMPILER, *(unit + ".o" for unit in units), BUILD / "libchronoveil_base.a", "-lsodium", "-lfmt",
                        "-lpthread", "-o", program], check=True)
        return program

    def test_its_name_is_among_those_that_an_error_offers(self):
        self.assertIn("coin_flips", kinds_known(self.said["unknown"]))

    def test_it_is_read_written_and_held_to_its_ranges(self):
        self.assertEqual(self.said["text"], '{"count":3,"epsilon":0.25,"event":"coin_flips","flips":2}')
        self.assertEqual(self.said["out_of_range"],
                         "coin_flips: flips: 0 is not valid; it must be a whole number, at least 1")

    def test_its_fields_are_options(self):
        self.assertEqual(self.said["options"]["flips"], "coin_flips: number of coins")
        self.assertRegex(self.said["options"]["epsilon"], r"\bpure\b.*\bcoin_flips: its own ε")

    def test_it_has_a_price_moments_and_a_calibration(self):
        self.assertEqual(self.said["epsilon"], 1.5)
        self.assertAlmostEqual(self.said["rho"], 3 * 0.5**2 / 2, places=9)
        self.assertGreater(self.said["renyi"], 40)
        calibrated = json.loads(self.said["calibrated"])
        self.assertLessEqual(calibrated["epsilon"], 1 / 6)
        self.assertGreater(calibrated["epsilon"], 0.999 / 6)

    def test_it_is_converted_and_compared(self):
        self.assertEqual(json.loads(self.said["replaced"])["flips"], 4)
        self.assertTrue(self.said["in_itself"])
        self.assertTrue(self.said["in_pure"])
        self.assertEqual(self.said["stated"], "0.5")  # what the filter `sum` charges for one

    def test_the_docs_have_a_row_for_every_event_and_lack_this_one_until_it_has_its_own(self):
        known = kinds_known(self.said["unknown"])
        self.assertEqual(known - kinds_in(self.docs), {"coin_flips"})
        self.assertEqual(kinds_in(self.docs) - known, set())
        last = "| `compose` |"
        self.assertEqual(kinds_in(self.docs.replace(last, ROW + last)), known)


if __name__ == "__main__":
    unittest.main()
