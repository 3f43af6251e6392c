"""Whatever the rows and the job: Python and the program agree, on releases and on refusals."""

import os
import subprocess
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import chronoveil as cv
from conftest import PROGRAM

EXAMPLES = int(os.environ.get("CHRONOVEIL_EXAMPLES", "15"))
TIMES = st.integers(0, 49).map(lambda half: f"2026-03-28T{half // 2 % 24:02}:{half % 2 * 3}0")
ROWS = st.lists(st.tuples(st.sampled_from("abcdef"), TIMES, st.sampled_from(["north", "south", "elsewhere"])),
                max_size=30)


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(rows=ROWS, max_steps=st.integers(-1, 4), epsilon=st.sampled_from([-1.0, 0.0, 0.5, 2.0]),
       delta=st.sampled_from([0.0, 1e-6]), mechanism=st.sampled_from(["auto", "laplace", "gaussian", "magic"]))
def test_python_and_the_program_agree(rows, max_steps, epsilon, delta, mechanism):
    with tempfile.TemporaryDirectory() as folder:
        csv = Path(folder) / "rows.csv"
        csv.write_text("card,ts,stop\n" + "".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
        columns = dict(zip(("card", "ts", "stop"), map(list, zip(*rows)) if rows else ([], [], [])))

        def job(source, **more):
            return cv.Counts(cv.Records(source, user="card", time="ts", series="stop"),
                             cv.Slots("2026-03-28T00:00", "2026-03-29T00:00", "2h"), keys=["north", "south"],
                             max_steps=max_steps, epsilon=epsilon, delta=delta, mechanism=mechanism, **more)

        file = Path(folder) / "job.toml"
        file.write_text(job(str(csv), csv=str(Path(folder) / "out.csv")).to_toml("city"), encoding="utf-8")
        flags = ["--seed", "3", "--allow-empty", "--allow-uninformative"]
        done = subprocess.run([str(PROGRAM), "run", str(file), *flags], capture_output=True, text=True, check=False)
        try:
            code, text = 0, job(columns).run(seed=3, allow_empty=True, allow_uninformative=True).to_csv()
        except cv.ChronoveilError as error:
            code, text = error.exit_code, ""
        assert code == done.returncode, done.stderr
        if code == 0:
            assert text == (Path(folder) / "out.csv").read_text(encoding="utf-8")
