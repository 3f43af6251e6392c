"""R and a spreadsheet read all times of a file by the one call that docs/reports.md gives for each. Both are large, so
that only `make torture` installs and runs them; anywhere else this says that it was skipped."""

import csv
import json
import os
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree
from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from program import FolderTest, run

CALLS = (Path(__file__).resolve().parent.parent.parent / "docs" / "reports.md").read_text(encoding="utf-8")
HOURS_THAT_CHANGE = ("2026-03-28T00:00", "2026-03-30T00:00", "1h")
SLOTS = {"hours across a change of the clocks": HOURS_THAT_CHANGE,
         "hours with one offset": ("2026-03-02T00:00", "2026-03-04T00:00", "1h"),
         "days": ("2026-03-02", "2026-03-30", "1d"), "weeks": ("2026-03-02", "2026-03-30", "1w"),
         "months": ("2026-01-01", "2026-05-01", "1mo")}
TORTURE = os.environ.get("CHRONOVEIL_TORTURE") == "1"
OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"


def call(tool):
    """What the page says for it."""
    return re.search(rf"^\| {tool} \| `([^`]*)`[^|]* \|$", CALLS, re.MULTILINE)[1]


@unittest.skipUnless(TORTURE, "only make torture installs R and LibreOffice: CHRONOVEIL_TORTURE=1 runs this")
class OtherTools(FolderTest):
    def files(self):
        """(CSV, column of times, instants that it must have), of counts and of means, of every form of time."""
        self.write("rows.csv", "who,at,where,speed\n" + "".join(
            f"c{i},2026-0{1 + i % 4}-{2 + i % 27:02}T{i % 24:02}:30:00Z,{'ab'[i % 2]},{i % 60}\n" for i in range(500)))
        for number, (start, end, length) in enumerate(SLOTS.values()):
            words = ("rows.csv", "--user", "who", "--time", "at", "--zone", "Europe/Berlin", "--start", start, "--end", end,
                     "--length", length, "--epsilon", "1", "--seed", "1", "--json-out", "out.json")
            for command, column, more in (
                    ("release", "time", ("--series", "where", "--series-key", "a", "--series-key", "b", "--max-steps", "2",
                                         "--mechanism", "laplace")),
                    ("means", "slot", ("--place", "where", "--place-key", "a", "--place-key", "b", "--value", "speed",
                                       "--upper", "60", "--counts", "private", "--max-cells", "2", "--max-records", "2"))):
                name = f"{command}_{number}.csv"
                self.succeeds(command, *words, *more, "--csv", name)
                (self.folder / "out.json").rename(self.folder / f"{name}.json")
                told = json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))
                yield name, column, [instant / 1000 for instant in told["boundaries"][:-1]] * 2

    def succeeds(self, *words):
        done = run(*words, cwd=self.folder)
        self.assertEqual(done.returncode, 0, (words, done.stderr))

    def is_of_dates(self, name, column):
        with open(self.folder / name, encoding="utf-8", newline="") as file:
            return len(next(csv.DictReader(file))[column]) == 10

    def instants_of(self, days):
        """Dates are of the zone of the slots, where they begin at midnight."""
        return [datetime(day.year, day.month, day.day, tzinfo=ZoneInfo("Europe/Berlin")).timestamp() for day in days]

    def tool(self, *words):
        self.assertTrue(shutil.which(words[0]), f"{words[0]} is not installed; tools/setup.sh readers does that")
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=600, check=False,
                              env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8", "TZ": "UTC"})
        self.assertEqual(done.returncode, 0, (words, done.stderr))
        return done.stdout

    def test_r_reads_every_time_of_a_file(self):
        forms = set()
        for name, column, expected in self.files():
            dates = self.is_of_dates(name, column)
            forms.add(dates)
            read = call("R, dates" if dates else "R, times").replace("table$time", f"table${column}")
            said = self.tool("Rscript", "--vanilla", "-e",
                             f'table <- read.csv("{name}"); cat(format(as.numeric({read}), digits = 15), sep = "\\n")')
            numbers = [float(line) for line in said.split()]
            found = self.instants_of([date.fromordinal(date(1970, 1, 1).toordinal() + int(day)) for day in numbers]) \
                if dates else numbers
            self.assertEqual(found, expected, name)
        self.assertEqual(forms, {True, False})

    def office(self, form, *names):
        self.tool("soffice", "--headless", f"-env:UserInstallation=file://{self.folder}/profile", "--convert-to", form, *names)

    def with_formulas(self, sheet, rows):
        """The sheet as a spreadsheet took it from the CSV, with the call of the page behind each of its rows."""
        for _, (prefix, name) in ElementTree.iterparse(sheet, events=["start-ns"]):
            ElementTree.register_namespace(prefix, name)  # the office knows its files by these
        tree = ElementTree.parse(sheet)
        column, row = re.search(r"LEFT\(([A-Z])(\d)", call("a spreadsheet, times")).groups()
        formula = call("a spreadsheet, times").lstrip("=").replace(",", ";").replace(column + row, f"[.{column}{{0}}]")
        for number, cells in enumerate(list(tree.iter(f"{{{TABLE}}}table-row"))[1:rows + 1], start=2):
            ElementTree.SubElement(cells, f"{{{TABLE}}}table-cell", {
                f"{{{TABLE}}}formula": f"=({formula.format(number)}-DATE(1970;1;1))*86400"})
        tree.write(sheet, encoding="utf-8", xml_declaration=True)

    def test_a_spreadsheet_reads_every_time_of_a_file(self):
        files = list(self.files())
        self.office("fods", *(name for name, _, _ in files))
        of_times = [(name, column, expected) for name, column, expected in files if not self.is_of_dates(name, column)]
        self.assertTrue(0 < len(of_times) < len(files))
        for name, column, expected in files:
            if (name, column, expected) in of_times:
                continue
            rows = list(ElementTree.parse(self.folder / name.replace(".csv", ".fods")).iter(f"{{{TABLE}}}table-row"))
            days = [next(cell for cell in row if cell.get(f"{{{OFFICE}}}value-type") == "date")
                    for row in rows[1:len(expected) + 1]]
            found = self.instants_of([date.fromisoformat(cell.get(f"{{{OFFICE}}}date-value")) for cell in days])
            self.assertEqual(found, expected, name)
        offsets = {}
        for name, column, expected in of_times:
            with open(self.folder / name, encoding="utf-8", newline="") as file:
                offsets[name] = [datetime.fromisoformat(row[column]).utcoffset().total_seconds()
                                 for row in csv.DictReader(file)]
            (self.folder / name).unlink()
            self.with_formulas(self.folder / name.replace(".csv", ".fods"), len(expected))
        self.office("csv", *(name.replace(".csv", ".fods") for name, _, _ in of_times))
        for name, _, expected in of_times:
            with open(self.folder / name, encoding="utf-8", newline="") as file:
                clocks = [round(float(row[-1])) for row in list(csv.reader(file))[1:]]
            self.assertEqual([clock - offset for clock, offset in zip(clocks, offsets[name], strict=True)], expected, name)


if __name__ == "__main__":
    unittest.main()
