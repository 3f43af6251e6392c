"""Outputs and names that would hurt what is there already: refused before anything is spent."""

import os
import subprocess
import unittest
import xml.etree.ElementTree

from jobs import JobTest, run
from program import PROGRAM


class Outputs(JobTest):
    def refused(self, mentions, *words):
        before = self.debits()
        self.assert_fails(2, mentions, *(words or self.words("run", "--yes")))
        self.assert_fails(2, mentions, *self.words("check"))
        self.assertEqual(self.debits(), before)

    def test_a_link_that_leads_nowhere(self):
        self.create()
        for name in ("out.csv", "out.json", "out.html"):
            link = self.folder / name
            link.symlink_to("nowhere")
            self.refused([f"output.{'report' if name == 'out.html' else name[4:]}: ", "symbolic link"])
            self.assertTrue(link.is_symlink())
            self.assertEqual(self.outputs(), [name])
            link.unlink()
        (self.folder / "elsewhere.csv").write_text("old\n", encoding="utf-8")
        (self.folder / "out.csv").symlink_to("elsewhere.csv")
        self.assert_succeeds(*self.words("run"))
        self.assertTrue((self.folder / "out.csv").is_symlink())
        self.assertNotEqual((self.folder / "elsewhere.csv").read_text(encoding="utf-8"), "old\n")

    def test_one_file_under_two_names(self):
        self.create()
        (self.folder / "real").mkdir()
        (self.folder / "alias").symlink_to("real")
        for csv, json in (("real/x", "alias/x"), ("alias/../real/x", "real/x"), ("x", "./x"), ("-", "-")):
            self.change(('csv = "out.csv"', f'csv = "{csv}"'), ('json = "out.json"', f'json = "{json}"'))
            self.refused(["output.csv: ", " is output.json too"])
        self.assertEqual(list((self.folder / "real").iterdir()), [])

    def test_a_chart_is_an_svg_and_the_page_links_to_the_file_beside_it(self):
        self.create()
        self.change(('csv = "out.csv"', 'csv = "out.csv"\nchart = "out.png"'))
        self.refused(["output.chart: ", "must end in .svg", "rsvg-convert"])
        self.change(('csv = "out.csv"', 'csv = "out.csv"\nchart = "out.svg"'))
        told = self.assert_json(*self.words("run"))
        self.assertEqual(set(told["outputs"]), {"csv", "json", "report", "chart"})
        root = xml.etree.ElementTree.parse(self.folder / "out.svg").getroot()
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        page = (self.folder / "out.html").read_text(encoding="utf-8")
        self.assertIn('<a href="./out.csv">out.csv</a>', page)
        # A link to another folder would tell where files are.
        (self.folder / "private").mkdir()
        self.change(('csv = "out.csv"', 'csv = "private/out.csv"'))
        self.assert_succeeds(*self.words("run", "--again", "city:1"))
        self.assertNotIn("private/", (self.folder / "out.html").read_text(encoding="utf-8"))

    def test_what_is_stored_beside_the_ledger(self):
        self.create()
        self.assert_succeeds(*self.words("run"))
        stored = self.folder / "ledger.db.releases" / "city-1.json"
        kept = stored.read_bytes()
        (self.folder / "alias").symlink_to("ledger.db.releases")
        for path in ("ledger.db.releases/city-1.json", "ledger.db.releases/city-2.json", "alias/city-1.json",
                     "./ledger.db.live/../ledger.db.releases/new.json"):
            self.change(('json = "out.json"', f'json = "{path}"'))
            self.refused(["output.json: ", "the stored releases"])
        for path in ("ledger.db.live/city/x", "ledger.db.training/x"):
            self.change(('json = "out.json"', f'json = "{path}"'))
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            self.refused("output.json: ")
        self.assertEqual(stored.read_bytes(), kept)
        self.change()
        self.assert_succeeds(*self.words("run", "--again", "city:1"))


    def test_the_key_that_signs_and_the_anchor(self):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8",
                       "CHRONOVEIL_KEY": str(self.folder / "owner.key"),
                       "CHRONOVEIL_ANCHOR": str(self.folder / "anchor.txt")}

        def signed(*words):
            return subprocess.run([PROGRAM, *words], capture_output=True, text=True, env=environment, umask=0,
                                  timeout=60, check=False)
        self.assertEqual(run("key", "create", str(self.folder / "owner"), umask=0).returncode, 0)
        create = signed("budget", "create", "city", "--epsilon", "8", "--delta", "1e-5", "--ledger", str(self.ledger))
        self.assertEqual(create.returncode, 0, create.stderr)
        kept = {name: (self.folder / name).read_bytes() for name in ("owner.key", "anchor.txt")}
        for name in kept:
            self.change(('json = "out.json"', f'json = "./{name}"'))
            for command in ("run", "check"):
                done = signed(*self.words(command))
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("it would be overwritten", done.stderr)
            self.assertEqual({one: (self.folder / one).read_bytes() for one in kept}, kept)
            self.assertEqual((self.folder / name).stat().st_mode & 0o777, 0o600, name)
        self.change()
        done = signed(*self.words("run"))
        self.assertEqual(done.returncode, 0, done.stderr)


class Names(JobTest):
    def test_a_dataset_has_a_name_of_its_own(self):
        for name in (".", ".."):
            self.assert_fails(2, ["dataset", "a name of its own"], "budget", "create", name, "--epsilon", "1", "--ledger",
                              str(self.ledger))
        self.assert_succeeds("budget", "create", "...", "--epsilon", "1", "--ledger", str(self.ledger))

    def test_a_ledger_outlasts_the_process(self):
        before = self.outputs()
        for ledger, mentions in (("", "it is empty"), (":memory:", "outlast the process")):
            for words in (("budget", "create", "city", "--epsilon", "1"), ("budget", "list"), ("run", str(self.job)),
                          ("check", str(self.job)), ("live", "status", str(self.job))):
                self.assert_fails(2, ["ledger", mentions], *words, "--ledger", ledger)
        self.assertEqual(self.outputs(), before)
        # A variable that is empty is one that is not set.
        done = run("budget", "create", "city", "--epsilon", "1")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
