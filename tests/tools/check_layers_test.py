"""The layer check passes our own tree and rejects each kind of planted violation."""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import check_layers  # noqa: E402


class LayerCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.plant("src/chronoveil/base/result.h", "#pragma once\n")

    def plant(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def problems(self):
        return list(check_layers.check_tree(self.root))

    def assert_one_problem(self, *parts):
        problems = self.problems()
        self.assertEqual(len(problems), 1, problems)
        for part in parts:
            self.assertIn(part, problems[0])

    def test_our_own_tree_passes(self):
        self.assertEqual(list(check_layers.check_tree(ROOT)), [])

    def test_an_include_of_the_table_passes(self):
        self.plant("src/chronoveil/ledger/stores/store.h", '#include "chronoveil/accounting/events/event.h"\n#include <vector>\n')
        self.assertEqual(self.problems(), [])

    def test_a_plan_that_sees_data_is_rejected(self):
        self.plant("src/chronoveil/plan/plan.cc", '\n#include "chronoveil/data/records.h"\n')
        self.assert_one_problem("src/chronoveil/plan/plan.cc:2", "plan must not include data")

    def test_a_plan_that_sees_bounded_data_is_rejected(self):
        self.plant("src/chronoveil/plan/plan.h", "#include <chronoveil/bound/bounded_series.h>\n")
        self.assert_one_problem("plan must not include bound")

    def test_noise_that_sees_data_is_rejected(self):
        self.plant("src/chronoveil/noise/laplace.h", '  #  include   "chronoveil/data/records.h"  \n')
        self.assert_one_problem("noise must not include data")

    def test_an_include_against_the_arrow_is_rejected(self):
        self.plant("src/chronoveil/accounting/events/event.h", '#include "chronoveil/ledger/receipt.h"\n')
        self.assert_one_problem("accounting must not include ledger")

    def test_a_public_header_that_needs_one_that_is_not_is_rejected(self):
        self.plant("include/chronoveil/chronoveil.h", '#include "chronoveil/data/records.h"\n')
        self.plant("src/chronoveil/data/records.h", "#pragma once\n")
        self.assert_one_problem("src/chronoveil/data/records.h", "belongs in include/")

    def test_a_header_that_is_public_for_nobody_is_rejected(self):
        self.plant("include/chronoveil/chronoveil.h", '#include "chronoveil/data/records.h"\n')
        self.plant("include/chronoveil/data/records.h", "#pragma once\n")
        self.assertEqual(self.problems(), [])
        self.plant("include/chronoveil/data/stray.h", "#pragma once\n")
        self.assert_one_problem("include/chronoveil/data/stray.h", "belongs in src/")

    def test_a_public_header_obeys_the_table(self):
        self.plant("include/chronoveil/chronoveil.h", '#include "chronoveil/data/data.h"\n')
        self.plant("include/chronoveil/data/data.h", '#include "chronoveil/engine/job.h"\n')
        self.plant("include/chronoveil/engine/job.h", "#pragma once\n")
        self.assert_one_problem("include/chronoveil/data/data.h:1", "data must not include engine")

    def test_an_internal_header_in_the_program_is_rejected(self):
        self.plant("include/chronoveil/chronoveil.h", '#include "chronoveil/engine/job/job.h"\n')
        self.plant("include/chronoveil/engine/job/job.h", "#pragma once\n")
        self.plant("src/chronoveil/engine/job/table.h", "#pragma once\n")
        self.plant("apps/cli/main.cc", '#include "chronoveil/chronoveil.h"\n#include "chronoveil/engine/job/job.h"\n')
        self.assertEqual(self.problems(), [])
        self.plant("apps/cli/commands/run.cc", '\n#include "chronoveil/engine/job/table.h"\n')
        self.assert_one_problem("apps/cli/commands/run.cc:2", "not public")

    def test_networks_are_brought_by_one_file_alone(self):
        self.plant("src/chronoveil/networks/networks.h", "#pragma once\n")
        self.plant("apps/forecast/main.cc", '#include "chronoveil/networks/networks.h"\n')
        self.assertEqual(self.problems(), [])
        self.plant("apps/forecast/train_command.cc", '#include "chronoveil/networks/networks.h"\n')
        self.assert_one_problem("apps/forecast/train_command.cc:1", "not public")

    def test_an_internal_header_of_training_in_its_commands_is_rejected(self):
        self.plant("src/chronoveil/training/networks.h", "#pragma once\n")
        self.plant("apps/forecast/main.cc", '#include "chronoveil/training/networks.h"\n')
        self.assert_one_problem("apps/forecast/main.cc:1", "not public")

    def test_an_include_through_a_parent_folder_is_rejected(self):
        self.plant("src/chronoveil/plan/deep/plan.h", '#include "../../data/records.h"\n')
        self.assert_one_problem("leaves its folder")

    def test_an_include_hidden_behind_a_line_break_is_rejected(self):
        self.plant("src/chronoveil/plan/plan.h", '#include \\\n"chronoveil/data/records.h"\n')
        self.assert_one_problem("plan must not include data")

    def test_an_include_hidden_behind_a_comment_is_rejected(self):
        self.plant("src/chronoveil/plan/plan.h", '/* why */ #include "chronoveil/data/records.h"\n')
        self.assert_one_problem("plan must not include data")

    def test_an_include_hidden_behind_a_macro_is_rejected(self):
        self.plant("src/chronoveil/plan/plan.h", "#include RECORDS\n")
        self.assert_one_problem("names no file")

    def test_an_include_inside_a_comment_is_nothing(self):
        self.plant("src/chronoveil/plan/plan.h", '// #include "chronoveil/data/a.h"\n/*\n#include "chronoveil/data/a.h"\n*/\n')
        self.assertEqual(self.problems(), [])

    def test_a_string_that_looks_like_a_comment_hides_nothing(self):
        self.plant("src/chronoveil/plan/plan.h", 'auto a = "/*";\n#include "chronoveil/data/a.h"\nauto b = "*/";\n')
        self.assert_one_problem("plan.h:2", "plan must not include data")

    def test_an_unknown_module_is_rejected(self):
        self.plant("src/chronoveil/helpers/misc.h", "#pragma once\n")
        self.assert_one_problem("helpers is not a module")

    def test_an_include_of_an_unknown_module_is_rejected(self):
        self.plant("src/chronoveil/noise/laplace.h", '#include "chronoveil/helpers/misc.h"\n')
        self.assert_one_problem("helpers is not a module")

    def test_an_app_outside_the_table_is_rejected(self):
        self.plant("apps/desktop/main.cc", "int main() {}\n")
        self.assert_one_problem("desktop is not a module")

    def test_json_in_base_is_rejected(self):
        self.plant("src/chronoveil/base/result.cc", "#include <nlohmann/json.hpp>\n")
        self.assert_one_problem("base must not include nlohmann/json.hpp")

    def test_a_link_outside_the_table_is_rejected(self):
        self.plant("CMakeLists.txt", "chronoveil_module(noise chronoveil::base chronoveil::accounting)\n")
        self.assert_one_problem("noise must not link accounting")

    def test_a_ring_in_the_table_is_rejected(self):
        problems = list(check_layers.check_tree(self.root, {"a": {"b"}, "b": {"c"}, "c": {"a"}}))
        self.assertEqual(problems, ["the table has a ring: a -> b -> c -> a"])

    def test_an_empty_tree_is_rejected(self):
        (self.root / "src/chronoveil/base/result.h").unlink()
        self.assert_one_problem("no sources found")


if __name__ == "__main__":
    unittest.main()
