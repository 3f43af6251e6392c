"""A folder with a job of one kind in it, and a ledger: what the tests of means, perturb and train share."""

from program import FolderTest, run


class JobFolderTest(FolderTest):
    """A kind of job says which `command` takes it from options, its text, and the `dataset` that it debits."""

    command = job_text = dataset = ""
    options = {}  # of the command, with their values; those of a folder come in given()
    secrets = ()  # texts in the data that no message may repeat

    def setUp(self):
        super().setUp()
        self.ledger = self.folder / "ledger.db"

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def job(self, *pairs, command="run", flags=()):
        """The words of a command on the job with pieces of its text replaced."""
        text = self.job_text
        for old, new in pairs:
            self.assertIn(old, text)
            text = text.replace(old, new)
        path = self.write("job.toml", text)
        ledger = ("--ledger", str(self.ledger)) if command in {"run", "check", self.command} else ()
        return (command, str(path), *flags, *ledger)

    def given(self):
        return {**self.options, "--ledger": self.ledger}

    def from_options(self, *flags, source="in.csv", **changes):
        """The same from options, with no ledger unless there is a dataset."""
        given = self.given()
        given.update({"--" + name.replace("_", "-"): value for name, value in changes.items()})
        words = [str(word) for name, value in given.items() if value is not None
                 for one in (value if isinstance(value, list) else [value]) for word in (name, one)]
        return (self.command, source if source == "-" else str(self.folder / source), *words, *flags)

    def debits(self, dataset=None):
        history = self.assert_json("budget", "history", dataset or self.dataset, "--ledger", str(self.ledger))
        return [(debit["id"], debit["state"]) for debit in history["debits"]]

    def files(self):
        """Every file with what it holds, hidden ones too, but for the ledger's own."""
        return {path.name: path.read_bytes() for path in self.folder.iterdir()
                if path.is_file() and not path.name.startswith("ledger.db")}

    def assert_refused(self, code, mentions, words, **options):
        """The exit code, one line that tells no value of the data, and no file more or less but for the job's own."""
        before = {**self.files(), "job.toml": b""}
        done = run(*words, **options)
        self.assertEqual((done.returncode, done.stdout), (code, ""), (words, done.stderr))
        self.assertRegex(done.stderr, r"\Achronoveil: [^\n]+\n\Z", words)
        for mention in [mentions] if isinstance(mentions, str) else mentions:
            self.assertIn(mention, done.stderr, words)
        for secret in self.secrets:
            self.assertNotIn(secret, done.stderr, words)
        self.assertEqual({**self.files(), "job.toml": b""}, before, words)
        return done.stderr

    def assert_planned_and_checked(self, mechanism):
        """A job that fits the budget, before anything is spent: no debit, no file."""
        before = {*self.files(), "job.toml"}
        self.assertEqual(self.assert_json(*self.job(command="plan"))["mechanism"], mechanism)
        checked = self.assert_json(*self.job(command="check"))
        self.assertEqual((checked["admitted"], checked["earlier"]), (True, None))
        self.assertEqual((self.debits(), set(self.files())), ([], before))

    def assert_verified_and_emitted_anew(self, change):
        """A job that was released: the ledger vouches for its JSON; it is emitted again for nothing, but not where it
        was changed, and released again only where that is meant."""
        debit = f"{self.dataset}:1"
        self.assertTrue(self.assert_json("budget", "verify", "--against", str(self.folder / "out.json"), "--ledger",
                                         str(self.ledger))["holds"])
        first = self.files()
        self.assert_fails(2, [debit, "--yes", f"--again {debit}"], *self.job())
        self.assertEqual(self.files(), first)
        (self.folder / "out.csv").unlink()
        (self.folder / "in.csv").rename(self.folder / "away.csv")  # what is stored needs no data
        self.assert_succeeds(*self.job(flags=("--again", debit)))
        self.assertEqual(self.files()["out.csv"], first["out.csv"])
        self.assertEqual(len(self.debits()), 1)
        (self.folder / "away.csv").rename(self.folder / "in.csv")
        self.assert_fails(2, ["--again: ", "this very job"], *self.job(change, flags=("--again", debit)))
        self.assert_succeeds(*self.job(flags=("--yes",)))
        self.assertNotEqual(self.files()["out.csv"], first["out.csv"])
        self.assertEqual([state for _, state in self.debits()], ["released", "released"])

    def assert_whole_or_not_at_all(self, bad_row, mentions, change):
        """A row that is bad, and then an output that cannot be written, of a job that was released and is changed:
        every file stays as it is."""
        before = self.files()
        whole = before["in.csv"]
        self.write("in.csv", whole + bad_row.encode())
        broken = self.files()
        self.assert_fails(3, [*mentions, "the budget is reserved, not lost"], *self.job(flags=("--yes",)))
        self.assertEqual(self.files(), broken)
        self.write("in.csv", whole)
        (self.folder / "sub").mkdir()
        (self.folder / "sub" / "out.html").mkdir()  # no file can take its place
        self.assert_fails(5, ["output.report", "out.html"],
                          *self.job(('report = "out.html"', 'report = "sub/out.html"'), change))
        self.assertEqual({**self.files(), "job.toml": b""}, {**before, "job.toml": b""})
        self.assertEqual([state for _, state in self.debits()], ["released", "reserved"])

    def assert_takes_jobs(self, options):
        """The command does what run does with a job file, and what these options ask for; then it is released once."""
        self.assertEqual(run(*self.job(command=self.command, flags=("--seed", "3"))).returncode, 0)
        by_command = self.files()
        self.assertEqual(run(*self.job(flags=("--seed", "3"))).returncode, 0)
        self.assertEqual(self.files(), by_command)
        self.assertEqual(run(*options, "--seed", "3").stdout, self.read("out.csv"))
        self.assert_succeeds(*self.job(command=self.command))
