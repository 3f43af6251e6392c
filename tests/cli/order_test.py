"""The order of a release: debit, drawing, store, settle, outputs. What a run that failed leaves, who may take it up, and
what ties a release to its debit. The same job starts at once in a few rounds, in many more with CHRONOVEIL_TORTURE=1."""

import json
import os
import subprocess
import tempfile
import unittest

from order_jobs import EVERY, LIGHT, STORED, Perturbed, Series
from program import PROGRAM, without_spent

TORTURE = os.environ.get("CHRONOVEIL_TORTURE") == "1"


class OrderTest(unittest.TestCase):
    def each(self, kinds):
        """Every kind in a folder of its own, with a ledger."""
        for kind in kinds:
            folder = tempfile.TemporaryDirectory(prefix=f"chronoveil-order-{kind.name}-")
            self.addCleanup(folder.cleanup)
            made = kind(folder.name)
            made.create()
            yield made

    def fail_before_drawing(self, kind):
        """With a debit that is reserved, until the data are mended."""
        kind.spoil()
        self.assertEqual(kind.run().returncode, 3)

    def released(self, kind, *flags):
        done = kind.run(*flags)
        self.assertEqual((done.returncode, without_spent(done.stderr)), (0, ""))
        return done


class TakingUp(OrderTest):
    def test_a_run_that_fails_before_it_draws_costs_nothing_more_when_it_is_mended(self):
        for kind in self.each(EVERY):
            debit = f"{kind.dataset}:1"
            kind.spoil()
            for _ in range(2):  # as often as it takes
                done = kind.run()
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn(debit, done.stderr)
                self.assertEqual((kind.states(), kind.rows("drawing"), kind.written()), (["reserved"], [], {}))
            kind.mend()
            done = kind.run("--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["debit"]["id"], debit)
            if kind.name != "train":
                self.assertIn(f"used the debit {debit}", done.stderr)
                self.assertEqual(len(kind.rows("drawing")), 1)
            self.assertEqual(kind.states(), ["released"])
            self.assertEqual(set(kind.written()), set(kind.outputs))
            self.assertEqual(kind.verify("--against", kind.outputs[-1]).returncode, 0)

    def test_the_error_says_how_to_go_on_and_check_says_it_too(self):
        for kind in self.each(LIGHT):
            kind.spoil()
            self.assertIn("the budget is reserved, not lost: run the same job again to use the debit "
                          f"{kind.dataset}:1, for which nothing was drawn, at no further cost; chronoveil check reads every "
                          "row", kind.run().stderr)
            kind.mend()
            done = kind.program("check", "job.toml", "--ledger", str(kind.ledger), "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["earlier"],
                             {"id": f"{kind.dataset}:1", "state": "reserved", "stored": False, "taken_up": True})

    def test_a_budget_without_room_for_a_second_debit_is_enough(self):
        with tempfile.TemporaryDirectory() as folder:
            kind = Series(folder)
            kind.budget("create", "city", "--epsilon", "1", "--delta", "1e-6")
            self.fail_before_drawing(kind)
            kind.mend()
            self.assertEqual(kind.run().returncode, 0)
            self.assertEqual(kind.run("--yes").returncode, 4)

    def test_another_job_or_other_terms_do_not_take_it_up(self):
        for kind in self.each(LIGHT):
            self.fail_before_drawing(kind)
            kind.mend()
            job = kind.folder / "job.toml"
            text = job.read_text()
            job.write_text(text.replace('[source]', 'purpose = "another"\n[source]', 1))
            done = kind.run()
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("(reserved)", done.stderr)
            job.write_text(text.replace("epsilon = ", "epsilon = 0.5 # ", 1))
            self.assertEqual(kind.run().returncode, 0)
            self.assertEqual(kind.states(), ["reserved", "released"])

    def test_what_came_out_of_a_backup_is_not_taken_up(self):
        """The ledger that the backup is of has drawn for it since."""
        for kind in self.each(EVERY):
            self.fail_before_drawing(kind)
            kind.budget("backup", "backup.db")
            kind.mend()
            self.assertEqual(kind.run().returncode, 0)
            kind.ledger = kind.folder / "restored.db"
            kind.budget("restore", "backup.db")
            done = kind.run()
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"{kind.dataset}:1 (reserved)", done.stderr)
            self.assertEqual((kind.states(), kind.rows("drawing"), kind.rows("use")), (["reserved"], [], []))
            self.released(kind, "--yes")
            self.assertEqual(kind.states(), ["reserved", "released"])

    def test_a_backup_that_is_used_as_it_is_or_moved_draws_nothing_either(self):
        for kind in self.each(EVERY):
            self.fail_before_drawing(kind)
            kind.budget("backup", "backup.db")
            kind.mend()
            self.assertEqual(kind.run().returncode, 0)
            for place in ("backup.db", "moved.db"):
                kind.ledger = kind.folder / place
                done = kind.run()
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(f"{kind.dataset}:1 (reserved)", done.stderr)
                self.assertEqual((kind.states(), kind.rows("drawing"), kind.rows("use")), (["reserved"], [], []))
                if place == "backup.db":
                    kind.budget("move", "moved.db")
            self.released(kind, "--yes")

    def test_a_move_that_is_run_again_opens_nothing_a_second_time(self):
        """The ledger that it was moved to is elsewhere by then, and has drawn."""
        for kind in self.each([Series]):
            self.fail_before_drawing(kind)
            kind.mend()
            left, place = kind.ledger, kind.folder / "there.db"
            kind.budget("move", str(place))
            kind.budget("move", str(place))  # nothing left to do
            place.rename(kind.folder / "renamed.db")
            kind.ledger = kind.folder / "renamed.db"
            self.assertEqual(kind.run().returncode, 0)
            done = kind.program("budget", "move", str(place), "--ledger", str(left))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("dataset 'city' has arrived there before, and is there no longer", done.stderr)
            self.assertEqual(kind.program("budget", "verify", "--ledger", str(left)).returncode, 0)

    def test_a_stream_that_breaks_off_is_spent(self):
        for kind in self.each([Perturbed]):
            words = ("perturb", "-", "--dataset", "meter", "--window", "4", "--epsilon", "2", "--delta", "0.6",
                     "--mechanism", "ranswitch", "--ledger", str(kind.ledger))
            rows = "time,kwh\n" + "".join(f"2026-03-01T00:{i:02},{i}\n" for i in range(40)) + "broken\n"
            done = subprocess.run([PROGRAM, *words], input=rows, capture_output=True, text=True, check=False,
                                  env=kind.environment())
            self.assertEqual(done.returncode, 3)
            self.assertIn("the debit meter:1 stays spent", done.stderr)
            self.assertEqual(kind.states(), ["released"])

    def test_older_programs_refuse_what_they_do_not_know(self):
        """They stop at a kind of row, and at a field, that is unknown to them: this one does too."""
        for kind in self.each([Series]):
            self.released(kind)
            kinds = [json.loads(line)["kind"] for line in
                     kind.program("budget", "export", "--ledger", str(kind.ledger)).stdout.splitlines()]
            self.assertEqual(kinds, ["create", "debit", "drawing", "state"])
            self.assertIn("job", kind.rows("debit")[0])
            self.assertIn("digest", kind.rows("state")[0])


class AtOnce(OrderTest):
    """The same job, started several times at the same moment."""

    def test_one_debit_and_one_release(self):
        for kind in self.each(STORED):
            rounds, starts = 120 if TORTURE else 4, 4
            for number in range(1, rounds + 1):
                title = ("--title", str(number)) if kind.name == "forecast" else ()
                environment = kind.environment()
                words = [PROGRAM, *kind.words(), "--ledger", str(kind.ledger), *title]
                started = [subprocess.Popen(words, cwd=kind.folder, env=environment, stdout=subprocess.PIPE,
                                            stderr=subprocess.PIPE, text=True) for _ in range(starts)]
                ended = [(process.communicate(), process.returncode) for process in started]
                codes = sorted(code for _, code in ended)
                self.assertEqual(codes[0], 0, ended)
                self.assertEqual(codes.count(0), 1, ended)
                self.assertEqual(set(codes[1:]), {2}, ended)
                for (_, said), code in ended:
                    if code == 2:
                        self.assertIn(f"{kind.dataset}:", said)
                debits = kind.debits()
                self.assertEqual([debit["state"] for debit in debits], ["released"])
                self.assertEqual(len(kind.rows("drawing")), 1)
                self.assertEqual(kind.verify("--against", kind.outputs[-1]).returncode, 0)
                self.assertEqual(kind.left_behind(), [])
                for name in kind.outputs:  # a new ledger would not know whose they are
                    (kind.folder / name).unlink()
                for path in kind.folder.glob("ledger.db*"):
                    if path.is_dir():
                        for file in path.iterdir():
                            file.unlink()
                        path.rmdir()
                    else:
                        path.unlink()
                kind.create()

    def test_a_forecast_asks_and_is_emitted_anew(self):
        for kind in self.each([one for one in STORED if one.name == "forecast"]):
            self.released(kind)
            first = kind.written()
            done = kind.run()
            self.assertEqual(done.returncode, 2)
            self.assertIn("--again city:1 emits its stored release anew at no cost", done.stderr)
            for name in kind.outputs:
                (kind.folder / name).unlink()
            (kind.folder / "load.csv").rename(kind.folder / "away.csv")  # what is stored needs no data
            self.released(kind, "--again", "city:1")
            self.assertEqual(kind.written(), first)
            (kind.folder / "away.csv").rename(kind.folder / "load.csv")
            self.released(kind, "--yes")
            self.assertEqual(kind.states(), ["released", "released"])
            self.assertNotEqual(kind.written()["out.csv"], first["out.csv"])


def forgeries(release):
    """What a release JSON of any kind can be made to say: (what, change)."""
    history = release.get("input") or release

    def promise(**changes):
        def change(all_of_it):
            (all_of_it.get("input") or all_of_it)["guarantee"].update(changes)
        return change

    def another_value(all_of_it):
        if "series" in all_of_it and "quantiles" in all_of_it["series"][0]:
            all_of_it["series"][0]["quantiles"][0][0] += 1
        elif "series" in all_of_it:
            all_of_it["series"][0]["value"][0] += 1
        elif "questions" in all_of_it:
            all_of_it["questions"][0]["people"][0] += 1
        elif "rows_sha256" in all_of_it:
            all_of_it["rows_sha256"] = "0" * 64
        elif "model_sha256" in all_of_it:
            all_of_it["model_sha256"] = "0" * 64
        else:
            all_of_it["cells"][0]["mean"] = 1.5

    def another_event(all_of_it):
        where = all_of_it["input"] if all_of_it.get("input") else all_of_it["plan"]
        where["event"] = {"event": "pure", "epsilon": 0.001}

    yield "values", another_value
    yield "epsilon", promise(epsilon=history["guarantee"]["epsilon"] / 2)
    yield "delta", promise(delta=history["guarantee"]["delta"] / 2 + 1e-9)
    yield "event", another_event
    yield "unit", promise(unit="user" if history["guarantee"]["unit"] != "user" else "event")
    yield "definition", promise(definition="perfect secrecy")
    yield "assumptions", promise(assumptions=[])
    yield "not protected", promise(not_protected=[])


def other_digit(document, share):
    """A stored document with one digit changed, about this share of the way through it, so that it says something else:
    the first of a number. The last one may say nothing, since many decimals stand for the same double."""
    places = [i for i in range(1, len(document)) if document[i:i + 1].isdigit() and document[i - 1] not in b"0123456789.eE+-"]
    at = places[round((len(places) - 1) * share)]
    return document[:at] + (b"1" if document[at:at + 1] != b"1" else b"2") + document[at + 1:]


class Tied(OrderTest):
    """A release that was changed after it was released."""

    def test_a_forged_release_is_found(self):
        for kind in self.each(EVERY):
            self.released(kind)
            name = kind.outputs[-1]
            done = kind.verify("--against", name)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("is what was released", done.stdout)
            release = json.loads((kind.folder / name).read_text())
            for what, change in forgeries(release):
                forged = json.loads(json.dumps(release))
                change(forged)
                kind.write("forged.json", json.dumps(forged))
                done = kind.verify("--against", "forged.json")
                self.assertEqual(done.returncode, 5, (what, done.stdout))
                self.assertIn("verify: dataset", done.stderr, what)
            release["title"] = "Another title is no forgery"
            kind.write("titled.json", json.dumps(release, indent=3))
            self.assertEqual(kind.verify("--against", "titled.json").returncode, 0)

    def test_again_refuses_a_stored_release_that_was_changed(self):
        for kind in self.each(STORED):
            self.released(kind)
            first = kind.written()
            stored = kind.folder / "ledger.db.releases" / f"{kind.dataset}-1.json"
            whole = stored.read_bytes()
            for changed in (other_digit(whole, 0.5), other_digit(whole, 1)):
                stored.write_bytes(changed)
                for name in kind.outputs:
                    (kind.folder / name).unlink(missing_ok=True)
                done = kind.run("--again", f"{kind.dataset}:1")
                if done.returncode == 0:  # a digit of a document that is not tied, such as the report of a forecast
                    self.assertEqual(kind.name, "forecast")
                else:
                    self.assertIn(done.returncode, (3, 5), done.stderr)
                    self.assertEqual(kind.written(), {})
            stored.write_bytes(whole)
            self.assertEqual(kind.run("--again", f"{kind.dataset}:1").returncode, 0)
            self.assertEqual(kind.written(), first)

    def test_a_debit_by_hand_needs_no_draw_and_a_job_does(self):
        for kind in self.each([Series]):
            kind.budget("debit", "city", '{"event": "pure", "epsilon": 0.1}')
            kind.budget("settle", "city:1", "--released")
            self.fail_before_drawing(kind)
            done = kind.program("budget", "settle", "city:3", "--released", "--ledger", str(kind.ledger))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(kind.states(), ["released", "reserved"])
            kind.budget("settle", "city:3", "--abandoned")
            kind.mend()
            done = kind.run()
            self.assertEqual(done.returncode, 2)
            self.assertIn("city:3 (abandoned)", done.stderr)
            self.assertEqual(kind.verify().returncode, 0)


    def test_a_ledger_that_knows_of_no_release_does_not_cover_one(self):
        """An older one, in which the debit is only reserved: whatever values there are would go through."""
        for kind in self.each(STORED):
            self.fail_before_drawing(kind)
            kind.budget("backup", "older.db")
            kind.mend()
            self.assertEqual(kind.run().returncode, 0)
            kind.ledger = kind.folder / "older.db"
            done = kind.verify("--against", kind.outputs[-1])
            self.assertEqual((done.returncode, done.stdout), (5, ""))
            self.assertIn("as far as the ledger knows, nothing of this debit was released (reserved)", done.stderr)


class NotOverwritten(OrderTest):
    def test_a_number_that_is_given_twice_is_refused_before_data_is_touched(self):
        """A ledger from before a release, beside the store that has it."""
        for kind in self.each(STORED):
            old = {path.name: path.read_bytes() for path in kind.folder.glob("ledger.db*") if path.is_file()}
            self.released(kind)
            stored = kind.folder / "ledger.db.releases" / f"{kind.dataset}-1.json"
            first = stored.read_bytes()
            for path in kind.folder.glob("ledger.db*"):
                if path.is_file():
                    path.unlink()
            for name, content in old.items():
                (kind.folder / name).write_bytes(content)
            done = kind.run()
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(kind.rows("drawing"), [])
            self.assertEqual(stored.read_bytes(), first)


class OlderLedger(OrderTest):
    """A ledger from before a release, beside what is stored of the release."""

    @staticmethod
    def files(kind):
        return {path: path.read_bytes() for path in kind.folder.glob("ledger.db*") if path.is_file()}

    def put_back(self, kind, files):
        for path in self.files(kind):
            path.unlink()
        for path, content in files.items():
            path.write_bytes(content)

    def refuses(self, kind, says):
        event = '{"event": "noisy_sort", "window": 4, "epsilon": 0.1}' if kind.name == "perturb" else \
            '{"event": "pure", "epsilon": 0.01}'
        for done in (kind.verify(), kind.run(), kind.run("--yes"),
                     kind.program("budget", "debit", kind.dataset, event, "--ledger", str(kind.ledger))):
            self.assertEqual(done.returncode, 5, (kind.name, done.args, done.stdout, done.stderr))
            self.assertIn(says, done.stderr)

    def test_is_refused_beside_a_release_of_every_kind(self):
        for kind in self.each(EVERY):
            older = self.files(kind)
            self.released(kind)
            self.put_back(kind, older)
            self.refuses(kind, "it does not have the debit")
            self.assertEqual(kind.states(), [])

    def test_is_refused_beside_a_forecast_as_earlier_versions_stored_it(self):
        for kind in self.each([one for one in STORED if one.name == "forecast"]):
            older = self.files(kind)
            self.released(kind)
            stored = kind.folder / "ledger.db.releases" / "city-1.json"
            documents = json.loads(stored.read_text())
            del documents["debit"]
            stored.write_text(json.dumps(documents, sort_keys=True))
            released = kind.written()
            self.released(kind, "--again", "city:1")
            self.assertEqual(kind.written(), released)
            self.put_back(kind, older)
            self.refuses(kind, "it does not have the debit")


    def test_is_refused_beside_a_model_whose_checkpoint_is_gone(self):
        """It has the debit, and knows of no step."""
        for kind in self.each([one for one in EVERY if one.name == "train"]):
            self.fail_before_drawing(kind)
            older = self.files(kind)
            kind.mend()
            self.released(kind)
            folder = next((kind.folder / "ledger.db.training" / "city").iterdir())
            model = (folder / "model-1").read_bytes()
            (folder / "checkpoint").unlink()
            self.put_back(kind, older)
            self.refuses(kind, "it does not know all that was made of the debit")
            (folder / "model-1.json").unlink()  # as in versions that did not store it
            self.refuses(kind, "it does not know all that was made of the debit")
            self.assertEqual((folder / "model-1").read_bytes(), model)

    def test_is_not_accepted_because_the_disk_with_the_releases_is_not_mounted(self):
        for kind in self.each([one for one in EVERY if one.name in ("run", "train")]):
            older = self.files(kind)
            self.released(kind)
            name = "ledger.db.training" if kind.name == "train" else "ledger.db.releases"
            disk = kind.folder / "disk"
            disk.mkdir()
            (kind.folder / name).rename(disk / name)
            (kind.folder / name).symlink_to(disk / name)
            self.assertEqual(kind.verify().returncode, 0)
            self.put_back(kind, older)
            self.refuses(kind, "it does not have the debit")
            disk.rename(kind.folder / "elsewhere")
            self.refuses(kind, f"{name}' cannot be read")
            (kind.folder / name).unlink()
            (kind.folder / name).write_text("no folder")  # holds nothing
            self.assertEqual(kind.verify().returncode, 0)


class ToldAtTheEnd(OrderTest):
    def test_a_closed_standard_output_names_the_debit(self):
        for kind in self.each(LIGHT):
            with open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAM, *kind.words(), "--ledger", str(kind.ledger)], stdout=full, text=True,
                                      stderr=subprocess.PIPE, cwd=kind.folder, env=kind.environment(), check=False)
            self.assertEqual(done.returncode, 5)
            self.assertIn(f"the debit {kind.dataset}:1 is released", done.stderr)
            self.assertIn(f"--again {kind.dataset}:1", done.stderr)
            self.assertEqual(kind.states(), ["released"])


if __name__ == "__main__":
    unittest.main()
