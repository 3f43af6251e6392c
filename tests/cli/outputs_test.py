"""Outputs and names that would hurt what is there already: refused before anything is spent."""

import os
import shutil
import struct
import subprocess
import unittest
import xml.etree.ElementTree
import zlib
from datetime import datetime

from jobs import JobTest, run
from program import PROGRAM


def png(path):
    """Width, height, how many different rows of pixels there are, and the description of a PNG."""
    data, at, chunks = path.read_bytes(), 8, {}
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("no PNG")
    while at < len(data):
        size, = struct.unpack(">I", data[at:at + 4])
        kind, body, check = data[at + 4:at + 8], data[at + 8:at + 8 + size], data[at + 8 + size:at + 12 + size]
        if struct.pack(">I", zlib.crc32(kind + body)) != check:
            raise ValueError(f"{kind} is damaged")
        chunks[kind] = chunks.get(kind, b"") + body
        at += 12 + size
    wide, high = struct.unpack(">II", chunks[b"IHDR"][:8])
    pixels = zlib.decompress(chunks[b"IDAT"])
    row = len(pixels) // high
    keyword, text = chunks[b"iTXt"].split(b"\0", 1)
    if keyword != b"Description":
        raise ValueError("no description")
    return wide, high, len({pixels[start:start + row] for start in range(0, len(pixels), row)}), text[4:].decode()


class Outputs(JobTest):
    def refused(self, mentions, *words):
        before = self.debits()
        self.assert_fails(2, mentions, *(words or self.words("run", "--yes")))
        self.assert_fails(2, mentions, *self.words("check"))
        self.assertEqual(self.debits(), before)

    def seeded(self):
        done = run(*self.words("run", "--seed", "3", "--allow-empty"))
        self.assertEqual((done.returncode, done.stderr), (0, "seeded: not private\n"))

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
        self.change(('csv = "out.csv"', 'csv = "out.csv"\nchart = "out.pdf"'))
        self.refused(["output.chart: ", "must end in .svg or .png"])
        self.change(('csv = "out.csv"', 'csv = "out.csv"\nchart = "out.svg"'))
        told = self.assert_json(*self.words("run"))
        self.assertEqual(set(told["outputs"]), {"csv", "totals", "json", "report", "chart"})
        root = xml.etree.ElementTree.parse(self.folder / "out.svg").getroot()
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        page = (self.folder / "out.html").read_text(encoding="utf-8")
        self.assertIn('<a href="./out.csv">out.csv</a>', page)
        # A link to another folder would tell where files are.
        (self.folder / "private").mkdir()
        self.change(('csv = "out.csv"', 'csv = "private/out.csv"'))
        self.assert_succeeds(*self.words("run", "--again", "city:1"))
        self.assertNotIn("private/", (self.folder / "out.html").read_text(encoding="utf-8"))

    def test_a_seeded_chart_is_replaced_by_a_seeded_one_and_a_private_one_never(self):
        self.create()
        self.change(('csv = "out.csv"', 'csv = "out.csv"\nchart = "out.svg"'),
                    ("[output]", '[output]\ntitle = "seeded: not private"'))
        chart = self.folder / "out.svg"
        for seed in ("1", "2"):
            done = run(*self.words("run", "--seed", seed))
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(">seeded: not private<", chart.read_text(encoding="utf-8"))
        self.assert_succeeds(*self.words("run"))
        for name in ("out.csv", "out.json", "out.html"):
            (self.folder / name).unlink()
        kept = chart.read_bytes()
        self.assert_fails(2, ["output.chart: ", "may be of a private release"], *self.words("run", "--seed", "3"))
        self.assertEqual(chart.read_bytes(), kept)

    def test_all_times_of_a_file_have_one_form(self):
        date, utc, local = r"[0-9]{4}-[0-9]{2}-[0-9]{2}", r"T[0-9]{2}:[0-9]{2}:00\+00:00", r"T[0-9]{2}:00:00\+01:00"
        for start, end, length, form, steps in (
                ("2026-03-28T00:00", "2026-03-30T00:00", "30min", date + utc, 94),  # the clocks go forward
                ("2026-10-25T00:00", "2026-10-26T00:00", "1h", date + utc, 25),  # and back
                ("2026-03-02T00:00", "2026-03-03T00:00", "1h", date + local, 24),
                ("2026-03-28T00:00", "2026-03-31T00:00", "1d", date, 3),
                ("2026-03-23T00:00", "2026-04-06T00:00", "1w", date, 2),
                ("2026-03-01T00:00", "2026-06-01T00:00", "1mo", date, 3)):
            self.change(('start = "2026-03-28T00:00"', f'start = "{start}"'), ('length = "1h"', f'length = "{length}"'),
                        ('end = "2026-03-30T00:00"', f'end = "{end}"'))
            self.seeded()
            rows = (self.folder / "out.csv").read_text(encoding="utf-8").splitlines()[1:]
            times = [row.split(",")[1] for row in rows]
            self.assertEqual(len(times), 2 * steps)
            for time in times:
                self.assertRegex(time, f"^{form}$")
            instants = [datetime.fromisoformat(time) for time in times[:steps]]
            self.assertEqual(instants, sorted(set(instants)))

    @unittest.skipUnless(shutil.which("rsvg-convert"), "rsvg-convert is not installed")
    def test_a_chart_may_be_a_png(self):
        self.create()
        self.change(('csv = "out.csv"', 'csv = "out.csv"\nchart = "out.png"'))
        self.assert_succeeds(*self.words("check"))
        self.assert_succeeds(*self.words("run"))
        wide, high, different, description = png(self.folder / "out.png")
        self.assertEqual(wide, 1800)
        self.assertGreater(high, 500)
        self.assertGreater(different, 100, "an empty picture has the same pixels in every row")
        self.assertRegex(description, "^Differential privacy with ε")
        # A run with a seed says so in the file, and may replace only what says so.
        seeded = self.words("run", "--seed", "3")
        for name in self.outputs():
            if name != "out.png":
                (self.folder / name).unlink()
        self.assert_fails(2, ["output.chart", "may be of a private release"], *seeded)
        (self.folder / "out.png").unlink()
        for _ in range(2):
            self.seeded()
            self.assertEqual(png(self.folder / "out.png")[3], "seeded: not private")
            self.assertEqual((self.folder / "out.png").stat().st_mode & 0o777, 0o600)
        self.change(('csv = "out.csv"', 'csv = "out.csv"\nchart = "out.svg"'))
        for _ in range(2):
            self.seeded()

    def test_without_a_program_that_makes_a_png_nothing_is_spent(self):
        self.create()
        self.change(('csv = "out.csv"', 'csv = "out.csv"\nchart = "out.png"'))
        tools = self.folder / "tools"
        tools.mkdir()
        fake = tools / "rsvg-convert"
        # Missing, failing, and writing something else.
        for text in (None, "#!/bin/sh\nexit 7\n", "#!/bin/sh\necho no picture\n"):
            if text:
                fake.write_text(text, encoding="utf-8")
                fake.chmod(0o755)
            for words in (self.words("run", "--yes"), self.words("check")):
                done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, encoding="utf-8", timeout=120,
                                      env={"PATH": str(tools), "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}, check=False)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("output.chart: ", done.stderr)
                self.assertIn("librsvg2-bin", done.stderr)
            self.assertEqual((self.debits(), self.outputs()), ([], ["tools"]))

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

    def test_a_release_of_another_job_is_not_replaced_unasked(self):
        self.create()
        self.assert_succeeds(*self.words("run"))

        def kept():
            return [(self.folder / name).read_bytes() for name in ("out.csv", "out.json", "out.html")]
        first = kept()
        other = ("epsilon = 1.0", "epsilon = 0.5")
        self.change(other)
        mentions = ["output.json: ", "holds the release of the debit city:1, of another job", "--yes replaces it"]
        self.assert_fails(2, mentions, *self.words("run"))
        self.assertEqual((kept(), self.debits()), (first, [("city:1", "released")]))
        # Neither another name of the CSV nor another dataset makes it the same release; another JSON does.
        self.change(other, ('"out.csv"', '"other.csv"'))
        self.assert_fails(2, mentions, *self.words("run"))
        self.change(("epsilon = 1.0", "epsilon = 0.4"), ('"out.', '"next.'))
        self.assert_succeeds(*self.words("run"))
        self.assertEqual(kept(), first)
        self.change(other)
        self.assert_succeeds(*self.words("run", "--yes"))
        self.assertNotEqual(kept(), first)
        # The same job a second time is asked about as ever.
        last, _ = self.debits()[-1]
        self.assert_fails(2, [f"debited before, as {last}", f"--again {last}"], *self.words("run"))

    def test_a_later_span_takes_the_place_of_an_earlier_one(self):
        self.create()
        self.assert_succeeds(*self.words("run"))
        spans = [(('start = "2026-03-28T00:00"', f'start = "2026-03-{start}T00:00"'),
                  ('end = "2026-03-30T00:00"', f'end = "2026-03-{start + 2}T00:00"')) for start in (29, 26)]
        self.change(*spans[0])
        self.assert_succeeds(*self.words("run", "--allow-empty"))
        self.change(*spans[1])
        last, _ = self.debits()[-1]
        self.assert_fails(2, f"holds the release of the debit {last}, of another job", *self.words("run", "--allow-empty"))
        self.assertEqual(len(self.debits()), 2)

    def test_a_release_of_another_ledger_is_not_replaced_although_its_debit_has_the_same_name(self):
        self.create()
        self.assert_succeeds(*self.words("run"))
        kept = (self.folder / "out.json").read_bytes()
        self.ledger = self.folder / "new.db"
        self.create()
        self.assert_fails(2, ["holds the release of the debit city:1, which this ledger does not have",
                              "--yes replaces it"], *self.words("run"))
        self.assertEqual(((self.folder / "out.json").read_bytes(), self.debits()), (kept, []))
        self.assert_succeeds(*self.words("run", "--yes"))

    def test_an_older_slot_of_a_programme_does_not_replace_a_newer_one(self):
        self.create()
        year = self.write("year.toml", 'dataset = "city"\n[[release]]\njob = "job.toml"\ntimes = 3\n'
                                       'varies = ["slots.start", "slots.end"]\n')
        self.assert_succeeds("budget", "programme", str(year), "--ledger", str(self.ledger))

        def week(start, *flags):
            self.change(("2026-03-28T00:00", f"2026-03-{start}T00:00"), ("2026-03-30T00:00", f"2026-03-{start + 2}T00:00"))
            return run(*self.words("run", "--allow-empty", *flags))
        self.assertEqual(week(26).returncode, 0)
        self.assertEqual(week(28).returncode, 0)
        kept = (self.folder / "out.json").read_bytes()
        done = week(24)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("holds the release of the debit city:1/1, of a later span, which would be replaced", done.stderr)
        self.assertEqual((self.folder / "out.json").read_bytes(), kept)
        self.assertEqual(week(24, "--yes").returncode, 0)

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
