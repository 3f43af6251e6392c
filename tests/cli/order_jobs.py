"""One small job of each kind that debits and stores a release, alike from outside: what the tests of the order of a
release (debit, drawing, store, settle, outputs) go through."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import jobs
import means_jobs
import perturb_jobs
import train_jobs
from program import PROGRAM

FORECAST = os.path.exists(os.path.join(os.path.dirname(PROGRAM), "chronoveil-forecast"))


class Kind:
    """A folder with the inputs and a ledger; `words` run the job there."""

    outputs = ("out.csv", "out.html", "out.json")  # in the order in which they appear
    bad_row = ""  # that no job takes, at the end of the data

    def __init__(self, folder):
        self.folder = Path(folder)
        self.ledger = self.folder / "ledger.db"

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def environment(self, **more):
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8", **more}

    def program(self, *words, **options):
        environment = self.environment(**options.pop("environment", {}))
        return subprocess.run([PROGRAM, *words], capture_output=True, text=True, encoding="utf-8", cwd=self.folder,
                              env=environment, timeout=300, check=False, stdin=subprocess.DEVNULL, **options)

    def run(self, *flags, **options):
        return self.program(*self.words(), "--ledger", str(self.ledger), *flags, **options)

    def budget(self, *words):
        done = self.program("budget", *words, "--ledger", str(self.ledger), "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def create(self):
        self.budget("create", self.dataset, *self.promise)

    def debits(self):
        return self.budget("history", self.dataset)["debits"]

    def states(self):
        return [debit["state"] for debit in self.debits()]

    def rows(self, kind):
        """The bodies of the ledger's rows of a kind."""
        done = self.program("budget", "export", self.dataset, "--ledger", str(self.ledger))
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        return [json.loads(row["body"]) for row in rows if row["kind"] == kind]

    def verify(self, *words):
        return self.program("budget", "verify", "--ledger", str(self.ledger), *words)

    def written(self):
        """Every output that is there, with what it holds."""
        return {name: (self.folder / name).read_bytes() for name in self.outputs if (self.folder / name).exists()}

    def left_behind(self):
        return [path.name for path in self.folder.rglob("*chronoveil-tmp")]

    def spoil(self):
        with open(self.folder / self.data, "a", encoding="utf-8") as file:
            file.write(self.bad_row)

    def mend(self):
        path = self.folder / self.data
        text = path.read_text(encoding="utf-8")
        assert text.endswith(self.bad_row)
        path.write_text(text[:len(text) - len(self.bad_row)], encoding="utf-8")


class Series(Kind):
    name, dataset, data = "run", "city", "trips.csv"
    promise = ("--epsilon", "8", "--delta", "1e-5")
    bad_row = "c1,not a time,north\n"

    def __init__(self, folder):
        super().__init__(folder)
        self.write("trips.csv", jobs.HEADER + jobs.ROWS)
        self.write("stops.txt", "north\nsouth\n")
        self.write("job.toml", jobs.JOB)

    def words(self):
        return ("run", "job.toml")


class Look(Series):
    """At how many slots people fill, so that the job needs no cap."""

    name = "look"
    outputs = ("capped.toml", "look.json")

    def __init__(self, folder):
        super().__init__(folder)
        self.write("job.toml", jobs.JOB.replace("max_steps = 2\n", ""))

    def words(self):
        return ("look", "job.toml", "--epsilon", "2", "--output", "capped.toml", "--json-out", "look.json")


class Means(Kind):
    name, dataset, data = "means", "buses", "in.csv"
    promise = ("--epsilon", "1000", "--relation", "replace_values")
    bad_row = "b1,not a time,north,3\n"

    def __init__(self, folder):
        super().__init__(folder)
        self.write("in.csv", means_jobs.text_of(means_jobs.town()))
        self.write("places.txt", "".join(place + "\n" for place in means_jobs.PLACES))
        self.write("job.toml", means_jobs.JOB)

    def words(self):
        return ("means", "job.toml")


class Perturbed(Kind):
    name, dataset, data = "perturb", "meter", "in.csv"
    promise = ("--epsilon", "1000", "--delta", "0.9999", "--filter", "sum", "--relation", "swap", "--window", "4")
    bad_row = "2026-03-09T00:00,too,many,fields,here\n"

    def __init__(self, folder):
        super().__init__(folder)
        self.write("in.csv", perturb_jobs.text_of(perturb_jobs.meter()))
        self.write("job.toml", perturb_jobs.JOB)

    def words(self):
        return ("perturb", "job.toml")


class Forecast(Kind):
    name, dataset, data = "forecast", "city", "load.csv"
    promise = ("--epsilon", "100", "--delta", "1e-3", "--unit", "event", "--relation", "replace_values")
    bad_row = "m0,not a time,3,4\n"
    model = None  # public, and the same for all

    def __init__(self, folder):
        super().__init__(folder)
        self.write("load.csv", train_jobs.text_of(train_jobs.panel()))
        self.write("meters.txt", "".join(f"m{i}\n" for i in range(train_jobs.SERIES)))
        if Forecast.model is None:
            self.write("train.toml", train_jobs.SIGN_LAGS)  # not a network: libtorch takes half a second to load
            for words in (("budget", "create", "city", *self.promise), ("train", "train.toml")):
                done = self.program(*words, "--ledger", "model.db")
                assert done.returncode == 0, done.stderr
            Forecast.model = (self.folder / "model.cvm").read_bytes()
            for path in (*self.folder.glob("model.*"), self.folder / "train.toml"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        (self.folder / "model.cvm").write_bytes(Forecast.model)

    def words(self):
        return ("forecast", "model.cvm", "load.csv", "--time", "ts", "--series", "meter", "--keys", "meters.txt",
                "--private", "--dataset", "city", "--epsilon", "2", "--delta", "1e-5", "--lower", "0", "--upper", "30",
                "--output", "out.csv", "--report", "out.html", "--json-output", "out.json")


class Training(Kind):
    name, dataset, data = "train", "city", "load.csv"
    outputs = ("model.cvm", "model.html", "model.json")
    promise = Forecast.promise
    bad_row = "m0,not a time,3,4\n"

    def __init__(self, folder):
        super().__init__(folder)
        self.write("load.csv", train_jobs.text_of(train_jobs.panel()))
        self.write("meters.txt", "".join(f"m{i}\n" for i in range(train_jobs.SERIES)))
        self.write("job.toml", train_jobs.JOB.replace("steps = 12", "steps = 2"))

    def words(self):
        return ("train", "job.toml")


class SignLags(Training):
    """A model that looks at the data once: a release like any other."""

    name = "sign_lags"

    def __init__(self, folder):
        super().__init__(folder)
        self.write("job.toml", train_jobs.SIGN_LAGS)


LIGHT = (Series, Means, Perturbed)
# All whose release one debit with one draw pays for.
STORED = (*LIGHT, Look, SignLags, Forecast)
EVERY = (*STORED, Training) if FORECAST else STORED
