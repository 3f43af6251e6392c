"""The budget commands from outside: exit codes, one JSON object each, and a ledger that outlives the program."""

import hashlib
import json
import sqlite3
import stat
import subprocess
import unittest
from decimal import Decimal, getcontext

from program import PROGRAM, FolderTest, run

getcontext().prec = 60  # amounts have 30 decimals
GAUSSIAN = '{"event":"gaussian","noise_multiplier":20}'
HALF = '{"event":"pure","epsilon":0.5}'


class Rows:
    """The rows of a ledger, for tests that write others in their place, with a chain and a seal that fit."""

    COLUMNS = ("dataset", "sequence", "recorded_at", "recorded_by", "kind", "body", "previous", "hash")

    def __init__(self, ledger):
        self.database = sqlite3.connect(ledger)

    def read(self):
        return self.database.execute(f"SELECT {', '.join(self.COLUMNS)} FROM entries ORDER BY sequence").fetchall()

    def behind(self, *statements):
        """As somebody who holds the file can: without its triggers, which are put back afterwards."""
        triggers = self.database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            self.database.execute(f"DROP TRIGGER {name}")
        for statement, *parameters in statements:
            self.database.execute(statement, *parameters)
        for _, sql in triggers:
            self.database.execute(sql)
        self.database.commit()
        # Into the file itself: rows removed only in the log are refused before any other check.
        self.database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    @staticmethod
    def sums(rows):
        """What the debits of each period add up to, as the seal has it."""
        def text(amount):
            return format(min(amount, Decimal(10) ** 7).normalize(), "f")
        periods = {}
        for row in rows:
            if row["kind"] == "debit":
                body = json.loads(row["body"])
                values, delta = periods.setdefault(body.get("period", ""), ([Decimal(0)] * len(body["cost"]["values"]),
                                                                            [Decimal(0)]))
                values[:] = [old + Decimal(new) for old, new in zip(values, body["cost"]["values"])]
                delta[0] += Decimal(body["cost"]["delta"])
        return json.dumps({period: {"delta": text(delta[0]), "values": [text(value) for value in values]}
                           for period, (values, delta) in sorted(periods.items())}, separators=(",", ":"))

    def write(self, rows):
        # As whoever knows how chain and seal are made would: everything fits.
        statements, made, previous = [("DELETE FROM entries",)], [], ""
        for sequence, row in enumerate(rows):
            row = dict(zip(self.COLUMNS, row), sequence=sequence, previous=previous)
            lines = ("previous", "dataset", "sequence", "recorded_at", "recorded_by", "kind", "body")
            text = "\n".join(["chronoveil-ledger-1", *(str(row[name]) for name in lines)])
            previous = row["hash"] = hashlib.sha256(text.encode()).hexdigest()
            made.append(row)
            statements.append(("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)", [row[name] for name in self.COLUMNS]))
        statements.append(("UPDATE seals SET length = ?, head = ?, sums = ?", [len(made), previous, self.sums(made)]))
        self.behind(*statements)

    def edit(self, change):
        """`change` takes the time and the body of a row, as an object, and returns both anew."""
        rows = []
        for row in self.read():
            time, body = change(row[2], json.loads(row[5]))
            text = json.dumps(body, separators=(",", ":"), sort_keys=True)
            rows.append((*row[:2], time, *row[3:5], text, *row[6:]))
        self.write(rows)


class Budget(FolderTest):
    def setUp(self):
        super().setUp()
        self.ledger = self.folder / "ledger.db"

    def words(self, command, *arguments, ledger=None):
        return ("budget", command, *arguments, "--ledger", str(ledger or self.ledger))

    def told(self, command, *arguments, **options):
        return self.assert_json(*self.words(command, *arguments, **options))

    def refused(self, code, mentions, command, *arguments, **options):
        self.assert_fails(code, mentions, *self.words(command, *arguments, **options))

    def create(self, name="city", *arguments):
        return self.told("create", name, "--epsilon", "1", *arguments)

    def test_a_dataset_is_created_with_its_defaults(self):
        pure = self.create()
        self.assertEqual((pure["unit"], pure["relation"], pure["filter"], pure["per"]),
                         ("user", "add_remove", "sum", "total"))
        approximate = self.create("town", "--delta", "1e-6", "--unit", "event", "--relation", "replace")
        self.assertEqual((approximate["unit"], approximate["relation"], approximate["filter"]),
                         ("event", "replace", "union"))
        self.assertEqual(stat.S_IMODE(self.ledger.stat().st_mode), 0o600)
        self.assertEqual([item["name"] for item in self.told("list")["datasets"]], ["city", "town"])

    def test_what_cannot_be_a_budget_is_refused_by_name(self):
        for mention, arguments in {
            "epsilon": ("x", "--epsilon", "-1"), "delta": ("x", "--epsilon", "1", "--delta", "1"),
            "unit": ("x", "--epsilon", "1", "--unit", "person"), "filter": ("x", "--epsilon", "1", "--filter", "pld"),
            "dataset": ("a/b", "--epsilon", "1"), "renews": ("x", "--epsilon", "1", "--renews", "week"),
            "parts": ("x", "--epsilon", "1", "--unit", "event", "--parts", "a,b", "--parts-by", "day"),
            "straddle": ("x", "--epsilon", "1", "--straddle", "2"), "width": ("x", "--epsilon", "1", "--width", "3"),
        }.items():
            with self.subTest(mention):
                self.refused(2, mention, "create", *arguments)
        self.refused(2, "greater than 0", "create", "x", "--epsilon", "1", "--filter", "renyi")

    def test_a_union_shows_its_members_and_which_of_them_hold(self):
        self.told("create", "city", "--epsilon", "2", "--delta", "1e-6")
        fresh = self.told("show", "city")
        self.assertEqual([member["filter"] for member in fresh["members"]],
                         ["sum", *4 * ["gaussian"], "renyi", "renyi", "renyi"])
        # The gaussian members have one share together.
        self.assertEqual([member["share_of_delta"] for member in fresh["members"]],
                         [0, *4 * [0.65], 0.22, 0.02, 0.01])
        self.assertTrue(all(member["holds"] and member["share_left"] == 1 for member in fresh["members"]))
        self.told("debit", "city", '{"event":"laplace","noise_multiplier":1}')
        shown = self.told("show", "city")
        self.assertEqual([member["holds"] for member in shown["members"]],
                         [True, *4 * [False], True, True, True])
        self.assertEqual(shown["share_left"], 0.5)
        self.assertEqual(shown["still_admits"]["pure_epsilon"], 1)
        self.refused(4, ["the filter union has admitted ε = 1", "asks ε = 1.5", "a pure event with epsilon <= 1"],
                     "debit", "city", '{"event":"pure","epsilon":1.5}')
        self.told("debit", "city", '{"event":"laplace","noise_multiplier":1}')
        self.assertEqual(self.told("show", "city")["still_admits"], {})
        self.refused(4, "over the budget", "debit", "city", '{"event":"gaussian","noise_multiplier":1000}')

    def test_a_debit_that_a_member_has_no_price_for_shows_none(self):
        self.told("create", "city", "--epsilon", "2", "--delta", "1e-6")
        self.told("debit", "city", '{"event":"gaussian","noise_multiplier":30}')
        amounts = [member["amount"] for member in self.told("history", "city")["debits"][0]["cost"]["members"]]
        self.assertIsNone(amounts[0])
        self.assertTrue(all(amount > 0 for amount in amounts[1:]))
        self.assertFalse(self.told("show", "city")["members"][0]["holds"])

    def test_over_budget_is_exit_4_and_says_what_still_fits(self):
        self.create()
        self.told("debit", "city", HALF)
        self.refused(4, ["admitted ε = 0.5 of ε = 1", "asks ε = 0.75", "still admit ε = 0.5"],
                     "debit", "city", '{"event":"pure","epsilon":0.75}')
        self.assertEqual(self.told("show", "city")["left"]["epsilon"], 0.5)
        self.told("debit", "city", HALF)
        self.assertEqual(self.told("show", "city")["share_left"], 0)

    def test_a_debit_has_a_life(self):
        self.create()
        debit = self.told("debit", "city", HALF, "--purpose", "counts", "--mechanism", "laplace")
        self.assertEqual((debit["debit"]["id"], debit["state"]), ("city:1", "reserved"))
        self.assertEqual(self.told("settle", "city:1", "--released"), {"id": "city:1", "state": "released"})
        self.refused(2, "released", "settle", "city:1", "--abandoned")
        self.refused(2, "either", "settle", "city:1")
        self.told("debit", "city", '{"event":"pure","epsilon":0.25}', "--state", "released")
        history = self.told("history", "city")["debits"]
        self.assertEqual([(item["id"], item["state"], item["purpose"]) for item in history],
                         [("city:1", "released", "counts"), ("city:3", "released", "")])
        self.assertEqual(history[0]["event"], {"event": "pure", "epsilon": 0.5})
        self.assertIn("city:1", self.assert_succeeds(*self.words("history", "city")))

    def test_what_was_written_is_named_also_where_it_cannot_be_printed(self):
        self.told("create", "city", "--epsilon", "9")
        pure = ("pure", "--event-epsilon", "0.1")
        for words, said in ((("debit", "city", *pure), "city:1 is reserved"),
                            (("settle", "city:1", "--released"), "city:1 is released"),
                            (("debit", "city", *pure, "--state", "released"), "city:3 is released"),
                            (("debit", "city", *pure, "--count", "3", "--slots"), "city:5 is reserved"),
                            (("slot", "city:5/0", *pure), "city:5/0 is reserved"),
                            (("debit", "city", *pure, "--uses", "3"), "city:7 is reserved"),
                            (("use", "city:7", "--first", "0", "--count", "2"), "used 2 of city:7 from 0")):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([PROGRAM, *self.words(*words)], stdout=full, stderr=subprocess.PIPE, text=True,
                                      timeout=60, check=False)
            self.assertEqual((done.returncode, done.stderr), (5, f"chronoveil: stdout: could not be written; {said}\n"))

    def test_events_come_from_a_file_and_from_stdin(self):
        self.create()
        (self.folder / "event.json").write_text(HALF, encoding="utf-8")
        self.told("debit", "city", f"@{self.folder / 'event.json'}")
        self.assert_json(*self.words("debit", "city", "-"), stdin=HALF)
        self.refused(2, "event", "debit", "city", "{")
        self.refused(5, "/nowhere", "debit", "city", "@/nowhere")

    def test_events_are_given_by_name(self):
        self.create()
        self.told("debit", "city", "laplace", "--noise-multiplier", "4", "--count", "2")
        self.assertEqual(self.told("show", "city")["admitted"]["epsilon"], 0.5)
        self.assertEqual(self.told("debit", "city", "pure", "--event-epsilon", "0.25", "--slots")["debit"]["id"], "city:2")
        self.told("slot", "city:2/0", "pure", "--event-epsilon", "0.125")

    def test_a_release_whose_unit_or_relation_does_not_fit_is_refused(self):
        self.create()
        self.refused(2, "unit", "debit", "city", HALF, "--unit", "event")
        self.refused(2, "unit", "debit", "city", "pure", "--event-epsilon", "0.1", "--unit", "w-event", "--width", "3")
        self.refused(2, "relation", "debit", "city", HALF, "--relation", "replace")
        self.told("debit", "city", HALF, "--unit", "user", "--relation", "add_remove")
        self.create("town", "--relation", "replace")
        self.told("debit", "town", '{"event":"pure","epsilon":0.25}', "--relation", "add_remove")
        self.assertEqual(self.told("show", "town")["admitted"]["epsilon"], 0.5)

    def test_a_wider_unit_costs_twice_as_much_where_a_cap_can_evict(self):
        self.create("town", "--unit", "event")
        self.refused(4, "asks ε = 2", "debit", "town", "laplace", "--noise-multiplier", "1", "--unit", "user")
        self.told("debit", "town", "laplace", "--noise-multiplier", "4", "--unit", "user")
        self.assertEqual(self.told("show", "town")["admitted"]["epsilon"], 0.5)
        self.told("debit", "town", "laplace", "--noise-multiplier", "4", "--unit", "user", "--no-eviction")
        self.assertEqual(self.told("show", "town")["admitted"]["epsilon"], 0.75)
        self.assertEqual([debit.get("eviction") for debit in self.told("history", "town")["debits"]], [None, "none"])
        self.assertEqual(self.told("verify")["affected"], [])

    def test_verify_names_debits_that_rest_on_a_known_defect(self):
        self.create("town", "--unit", "event")
        self.told("debit", "town", "pure", "--event-epsilon", "0.5", "--unit", "user", "--no-eviction")

        def as_version_5_wrote_it(time, body):
            if body.pop("eviction", None):
                body["analysis"] = 5
            return time, body

        Rows(self.ledger).edit(as_version_5_wrote_it)
        told = self.told("verify")
        self.assertTrue(told["holds"])
        self.assertEqual([(one["debit"], one["defect"]) for one in told["affected"]], [("town:1", "CV-2")])
        self.assertIn("town:1  CV-2", self.assert_succeeds(*self.words("verify")))

    def test_a_dataset_that_promises_swaps_has_a_window(self):
        created = self.create("meter", "--relation", "swap", "--window", "24")
        self.assertEqual((created["unit"], created["relation"], created["window"]), ("event", "swap", 24))
        self.told("debit", "meter", "noisy_sort", "--window", "24", "--event-epsilon", "0.25")
        self.refused(2, "window", "debit", "meter", "noisy_sort", "--window", "23", "--event-epsilon", "0.25")
        self.told("debit", "meter", '{"event":"pure","epsilon":0.25}', "--relation", "replace", "--unit", "user")
        self.told("debit", "meter", '{"event":"pure","epsilon":0.25}', "--relation", "replace")
        self.assertEqual(self.told("show", "meter")["admitted"]["epsilon"], 1)
        self.create("town", "--relation", "replace", "--unit", "event")
        self.refused(2, "hiding when does not hide what", "debit", "town", "noisy_sort", "--window", "24",
                     "--event-epsilon", "0.25")
        for mention, *arguments in (("--window", "--relation", "swap"), ("window", "--window", "24"),
                                    ("window", "--relation", "swap", "--window", "1"),
                                    ("unit", "--relation", "swap", "--window", "24", "--unit", "user"),
                                    ("width", "--relation", "swap", "--window", "24", "--width", "3"),
                                    ("parts", "--relation", "swap", "--window", "24", "--parts", "a,b")):
            with self.subTest(arguments):
                self.refused(2, mention, "create", "other", "--epsilon", "1", *arguments)

    def test_a_gaussian_in_a_sum_names_its_delta(self):
        self.create("city", "--delta", "1e-6", "--filter", "sum")
        self.refused(2, "--delta", "debit", "city", GAUSSIAN)
        self.told("debit", "city", GAUSSIAN, "--delta", "1e-7")
        self.assertAlmostEqual(self.told("show", "city")["admitted"]["delta"], 1e-7)

    def test_show_gives_the_composed_price_beside_what_was_admitted(self):
        self.create("city", "--delta", "1e-6")
        empty = self.told("show", "city", "--composed")
        self.assertEqual((empty["composed"]["epsilon"], empty["share_left"]), (0, 1))
        for _ in range(4):
            self.told("debit", "city", GAUSSIAN)
        self.assertNotIn("composed", self.told("show", "city"))
        self.assertNotIn("composed", self.assert_succeeds(*self.words("show", "city")))
        self.assertIn("  composed      ε = ", self.assert_succeeds(*self.words("show", "city", "--composed")))
        shown = self.told("show", "city", "--composed")
        self.assertIn("never used to admit", shown["composed"]["meaning"])
        priced = self.assert_json("account", '{"event":"gaussian","noise_multiplier":20,"count":4}', "--delta", "1e-6")
        self.assertAlmostEqual(shown["composed"]["epsilon"], priced["epsilon"], delta=1e-3)
        self.assertLess(shown["share_left"], 1)

    def test_slots_are_used_by_what_they_dominate(self):
        self.create()
        self.told("debit", "city", '{"event":"pure","epsilon":0.25,"count":4}', "--slots")
        self.assertEqual(self.told("slot", "city:1/3", '{"event":"laplace","noise_multiplier":5}')["debit"]["id"],
                         "city:1/3")
        self.refused(4, "dominated", "slot", "city:1/0", HALF)
        self.refused(2, "city:1/3", "slot", "city:1/3", '{"event":"pure","epsilon":0.1}')
        self.refused(2, "4 slots", "slot", "city:1/4", '{"event":"pure","epsilon":0.1}')
        slots = self.told("history", "city")["debits"][0]["slots"]
        self.assertEqual([slot["state"] for slot in slots], ["free", "free", "free", "reserved"])

    def test_a_run_is_used_in_order_and_shown_with_how_far_it_is(self):
        self.create()
        self.told("debit", "city", '{"event":"pure","epsilon":0.01,"count":50}', "--uses", "52", "--purpose", "weeks")
        self.assertEqual(self.told("use", "city:1", "--first", "0", "--count", "17"),
                         {"id": "city:1", "first": 0, "count": 17})
        uses = {"reserved": 52, "used": 17}
        self.assertEqual(self.told("history", "city")["debits"][0]["uses"], uses)
        self.assertEqual(self.told("show", "city")["runs"], [{"id": "city:1", "purpose": "weeks", "uses": uses}])
        self.assertIn("  uses 17 of 52  weeks\n", self.assert_succeeds(*self.words("history", "city")))
        self.assertIn("  run           city:1  uses 17 of 52  weeks\n",
                      self.assert_succeeds(*self.words("show", "city")))
        self.refused(2, "must be 17", "use", "city:1", "--first", "16")
        self.refused(2, "must be 17", "use", "city:1", "--first", "18")
        self.refused(4, "35 of its 52 uses left", "use", "city:1", "--first", "17", "--count", "36")
        self.refused(2, "count", "use", "city:1", "--first", "17", "--count", "0")
        self.told("settle", "city:1", "--released")
        self.refused(2, "released", "use", "city:1", "--first", "17")
        self.assertEqual(self.told("show", "city")["runs"], [])
        self.assertEqual(self.told("history", "city")["debits"][0]["uses"], uses)
        self.assertTrue(self.told("verify")["holds"])

    @staticmethod
    def long_ago(_, body):
        if "period" in body:
            body["period"] = "2020-01"
        return "2020-01-31T23:59:00.000Z", body

    def test_show_says_what_an_earlier_period_may_still_publish(self):
        self.create("city", "--renews", "month")
        self.told("debit", "city", HALF, "--uses", "5", "--purpose", "a live release")
        self.told("debit", "city", '{"event":"pure","epsilon":0.25}', "--state", "released")
        self.assertNotIn("earlier", self.told("show", "city"))
        Rows(self.ledger).edit(self.long_ago)
        shown = self.told("show", "city")
        self.assertEqual([(one["id"], one["period"], one["cost"]["epsilon"]) for one in shown["earlier"]],
                         [("city:1", "2020-01", 0.5)])
        self.assertEqual((shown["admitted"]["epsilon"], shown["outputs_up_to"]["epsilon"]), (0, 1.5))
        text = self.assert_succeeds(*self.words("show", "city"))
        self.assertIn("earlier       city:1  of 2020-01 may still publish what it paid for there: ε = 0.5", text)
        self.assertIn("can add up to ε = 1.5", text)
        self.told("settle", "city:1", "--released")
        self.assertNotIn("earlier", self.told("show", "city"))

    def test_outputs_of_two_periods_are_two_budgets(self):
        for kind in ("union", "zcdp", "renyi", "gaussian"):
            self.ledger = self.folder / (kind + ".db")
            self.told("create", "town", "--epsilon", "1", "--delta", "1e-6", "--renews", "month", "--filter", kind)
            # A debit that fits alone is charged the whole budget: its amounts say nothing about two such debits.
            self.told("debit", "town", "pure", "--event-epsilon", "1", "--uses", "3")
            Rows(self.ledger).edit(self.long_ago)
            self.assertEqual(self.told("show", "town")["outputs_up_to"], {"epsilon": 2, "delta": 2e-6}, kind)
            self.assertIn("can add up to ε = 2, δ = 2e-06", self.assert_succeeds(*self.words("show", "town")))

    def test_what_cannot_be_a_run_is_refused_by_name(self):
        self.create()
        self.refused(2, "uses", "debit", "city", HALF, "--uses", "0")
        self.refused(2, "uses", "debit", "city", HALF, "--uses", "2", "--slots")
        self.refused(2, "state", "debit", "city", HALF, "--uses", "2", "--state", "released")
        self.told("debit", "city", HALF)
        self.assertEqual(self.told("history", "city")["debits"][0].get("uses"), None)
        self.refused(2, "reserved as a run", "use", "city:1", "--first", "0")

    def test_verify_finds_a_use_that_was_edited_skipped_or_added(self):
        self.create()
        self.told("debit", "city", HALF, "--uses", "5")
        for first in ("0", "2"):
            self.told("use", "city:1", "--first", first, "--count", "2")
        rows = Rows(self.ledger)
        sound, rewrite = rows.read(), rows.write

        def edited(place, old, new):
            row = sound[place]
            return [*sound[:place], (*row[:5], row[5].replace(old, new), *row[6:]), *sound[place + 1:]]

        rewrite(sound)
        self.assertTrue(self.told("verify")["holds"])
        for case, row, rows in (("a count", 3, edited(2, '"count":2', '"count":1')),
                                ("more than reserved", 3, edited(3, '"count":2', '"count":4')),
                                ("a use skipped", 2, sound[:2] + sound[3:]),
                                ("a use twice", 4, sound + sound[3:]),
                                ("fewer reserved", 3, edited(1, '"uses":5', '"uses":3'))):
            with self.subTest(case):
                rewrite(rows)
                done = run(*self.words("verify", "--json"))
                self.assertEqual(done.returncode, 5)
                self.assertEqual([finding["row"] for finding in json.loads(done.stdout)["findings"]], [row])

    def test_parts_and_their_rule(self):
        rule = self.create("city", "--parts", "north,south")["parts"]["rule"]
        self.assertIn("one part", rule)
        self.told("debit", "city", HALF, "--part", "north")
        self.assertEqual(self.told("show", "city", "--part", "south")["left"]["epsilon"], 1)
        self.assertEqual(self.told("show", "city", "--part", "north")["left"]["epsilon"], 0.5)
        self.refused(2, "part", "debit", "city", HALF, "--part", "east")
        self.refused(2, "many days", "create", "days", "--epsilon", "1", "--parts-by", "day")
        windows = self.told("create", "w", "--epsilon", "1", "--unit", "w-event", "--width", "24", "--parts-by", "day")
        self.assertEqual(windows["parts"]["straddle"], 24)
        hours = self.told("create", "h", "--epsilon", "1", "--unit", "w-event", "--width", "24", "--parts-by", "day",
                          "--straddle", "2")
        self.assertEqual(hours["parts"]["straddle"], 2)
        self.told("create", "week", "--epsilon", "1", "--unit", "w-event", "--width", "7", "--parts-by", "day")
        for day in ("2026-03-01", "2026-03-02"):
            self.told("debit", "week", HALF, "--part", day)
        self.refused(4, "2026-03-03", "debit", "week", HALF, "--part", "2026-03-03")

    def test_verify_finds_a_changed_row_and_a_cut_tail(self):
        self.create()
        release = self.folder / "release.json"
        release.write_text(json.dumps({"series": [], **self.told("debit", "city", HALF)}), encoding="utf-8")
        self.assertTrue(self.told("verify", "--against", str(release))["holds"])
        rows = Rows(self.ledger)
        (body,) = rows.database.execute("SELECT body FROM entries WHERE sequence = 1").fetchone()
        rows.behind(("UPDATE entries SET body = replace(body, '0.5', '0.1') WHERE sequence = 1",))
        done = run(*self.words("verify", "--json"))
        self.assertEqual(done.returncode, 5)
        self.assertEqual([finding["row"] for finding in json.loads(done.stdout)["findings"]], [1])
        self.refused(5, "hash", "debit", "city", '{"event":"pure","epsilon":0.1}')
        rows.behind(("UPDATE entries SET body = ? WHERE sequence = 1", (body,)))
        self.assertTrue(self.told("verify")["holds"])
        rows.behind(("DELETE FROM entries WHERE sequence = 1",))
        done = run(*self.words("verify"))
        self.assertEqual((done.returncode, done.stdout), (5, ""))
        self.assertIn("for 2 rows, and 1 are there", done.stderr)
        for command in ("show", "history"):
            self.refused(5, "seal", command, "city")
        self.refused(5, "seal", "debit", "city", HALF)
        # The release contradicts a ledger whose last row was cut off, even if its seal fits.
        rows.write(rows.read())
        self.assertTrue(self.told("verify")["holds"])
        done = run(*self.words("verify", "--against", str(release)))
        self.assertEqual((done.returncode, done.stdout), (5, ""))
        self.assertIn("not there", done.stderr)

    def test_a_trigger_that_keeps_rows_away_makes_the_debit_fail(self):
        self.create()
        database = sqlite3.connect(self.ledger)
        database.execute("CREATE TRIGGER quiet BEFORE INSERT ON entries BEGIN SELECT RAISE(IGNORE); END")
        database.commit()
        self.refused(5, "does not belong to a ledger", "debit", "city", HALF)

    def test_against_a_file_without_a_debit_is_bad_data(self):
        self.create()
        for text in ("{", "[]", "{}", '{"debit":{}}', '{"debit":{"id":"city:1","chain_head":7}}'):
            with self.subTest(text):
                path = self.folder / "release.json"
                path.write_text(text, encoding="utf-8")
                self.refused(3, "holds no debit", "verify", "--against", str(path))

    def test_a_ledger_is_carried_with_its_chain(self):
        self.create()
        self.told("debit", "city", HALF)
        rows = self.told("export")["rows"]
        self.assertEqual([row["kind"] for row in rows], ["create", "debit"])
        self.told("backup", str(self.folder / "backup.db"))
        copied = self.told("export", ledger=self.folder / "backup.db")["rows"]
        self.assertEqual((copied[:2], copied[2]["kind"], copied[2]["body"]), (rows, "opened", '{"from":"backup","whole":true}'))
        self.told("restore", str(self.folder / "backup.db"), ledger=self.folder / "new.db")
        self.assertEqual(self.told("export", "city", ledger=self.folder / "new.db")["rows"][:2], rows)
        self.told("move", str(self.folder / "there.db"))
        self.refused(2, "moved", "debit", "city", HALF)
        self.told("debit", "city", HALF, ledger=self.folder / "there.db")
        self.refused(4, "over the budget", "debit", "city", HALF, ledger=self.folder / "there.db")
        self.assertTrue(self.told("show", "city")["moved_away"])

    def test_a_backup_that_does_not_say_that_it_is_whole_is_restored_with_a_warning(self):
        """As those of earlier versions, which could end after some of the datasets; so does a copy of the file."""
        self.create()
        done = run(*self.words("restore", str(self.ledger), ledger=self.folder / "new.db"))
        self.assertEqual((done.returncode, done.stdout), (0, "restored\n"))
        self.assertIn("warning: the backup was made by an earlier version", done.stderr)
        self.assertEqual(self.told("export", ledger=self.folder / "new.db")["rows"][-1]["body"], '{"from":"backup"}')
        # Now it is whole, as far as anybody knows.
        self.told("backup", str(self.folder / "backup.db"), ledger=self.folder / "new.db")
        self.told("restore", str(self.folder / "backup.db"), ledger=self.folder / "again.db")

    def test_the_ledger_is_found_in_the_users_data_folder(self):
        self.assertIn("created city", self.assert_succeeds("budget", "create", "city", "--epsilon", "1"))

    def test_only_create_and_restore_make_a_ledger(self):
        nowhere = self.folder / "nowhere.db"
        for words in (("verify",), ("list",), ("show", "city"), ("history", "city"), ("export",), ("sign",), ("debit", "city", HALF),
                      ("slot", "city:1/0", HALF), ("use", "city:1", "--first", "0"), ("settle", "city:1", "--released"),
                      ("backup", str(self.folder / "copy.db")), ("move", str(self.folder / "there.db"))):
            self.refused(2, "budget create makes one", *words, ledger=nowhere)
        self.refused(2, "budget create makes one", "restore", str(self.folder / "copy.db"), ledger=self.folder / "new.db")
        self.assertEqual([name for name in ("nowhere.db", "copy.db", "there.db") if (self.folder / name).exists()], [])

    def test_what_cannot_be_a_ledger_is_a_storage_error(self):
        self.refused(5, "ledger", "list", ledger=self.folder)
        (self.folder / "text").write_text("no database at all, but some text" * 100, encoding="utf-8")
        self.refused(5, "ledger", "list", ledger=self.folder / "text")
        self.refused(5, "ledger", "list", ledger="postgresql://localhost:1/nowhere?connect_timeout=1")
        self.refused(2, "ledger", "list", ledger="mysql://localhost")

    def test_without_libpq_only_postgresql_is_missing(self):
        """As where it is not installed: what is found first by its name is no library."""
        self.write("libpq.so.5", b"")
        without = ("env", f"LD_LIBRARY_PATH={self.folder}", PROGRAM, "budget", "list", "--ledger")
        done = subprocess.run([*without, "postgresql://me:secret@localhost:1/x"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (5, ""))
        self.assertEqual(done.stderr, "chronoveil: ledger: PostgreSQL needs libpq: install libpq5 (libpq.so.5 cannot be loaded)\n")
        self.assert_succeeds("budget", "create", "city", "--epsilon", "1", "--unit", "user", "--ledger", str(self.ledger))
        done = subprocess.run([*without, str(self.ledger)], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("city", done.stdout)

    def test_nothing_of_a_password_is_repeated(self):
        done = run("budget", "list", "--ledger", "postgresql://me:secret@localhost:1/x?connect_timeout=1")
        self.assertEqual(done.returncode, 5)
        self.assertNotIn("secret", done.stderr)


if __name__ == "__main__":
    unittest.main()
