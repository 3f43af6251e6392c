"""A folder with a job of one kind in it, and a ledger: what the tests of means and of perturb share."""

import tempfile
from pathlib import Path

from program import ProgramTest


class JobFolderTest(ProgramTest):
    """A kind of job says which `command` takes it from options, its text, and the `dataset` that it debits."""

    command = job_text = dataset = ""
    options = {}  # of the command, with their values; those of a folder come in given()

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix=f"chronoveil-{self.command}-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.ledger = self.folder / "ledger.db"

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

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
