"""Files as people have them: the same counts make the same release, however they are written down."""

import csv
import io
import json
import unittest

from program import FolderTest, run

SQUARES = {"west": (0, 0, 1, 1), "east": (1, 0, 2, 1), "all": (0, 0, 2, 1)}


def geojson(squares):
    features = [{"type": "Feature", "properties": {"district": name}, "geometry": {"type": "Polygon", "coordinates": [
        [[w, s], [e, s], [e, n], [w, n], [w, s]]]}} for name, (w, s, e, n) in squares.items()]
    return json.dumps({"type": "FeatureCollection", "features": features})


class FormatsTest(FolderTest):
    def job(self, source, rows, slots=("2026-03-02", "2026-03-30", "1w"), rest="[series]\nkeys = ['north', 'south']\n"):
        self.write("in.csv", rows)
        start, end, length = slots
        return str(self.write("job.toml", f"""version = 1
[dataset]
name = "city"
[source]
path = "in.csv"
{source}
[slots]
start = "{start}"
end = "{end}"
length = "{length}"
{rest}
[privacy]
max_steps = 2
epsilon = 1.0
[mechanism]
name = "laplace"
[output]
csv = "out.csv"
"""))

    def released(self, *arguments, **options):
        """The CSV of a rehearsal: the same noise each time, so that it tells the counts apart."""
        done = run("run", self.job(*arguments, **options), "--seed", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.folder / "out.csv").read_text(encoding="utf-8")

    def test_periods_that_no_calendar_has_are_refused_by_the_number_of_their_row(self):
        for form, good, bad in (("%G-W%V", "2026-W10", ("2026-W00", "2026-W54", "2026-W5x", "2025-W53", "2026-W")),
                                ("%G-W%V-%u", "2026-W10-1", ("2026-W10-0", "2026-W10-8")),
                                ("%Y-%m", "2026-03", ("2026-00", "2026-13", "2026-3x")),
                                ("%Y-Q%q", "2026-Q1", ("2026-Q0", "2026-Q5", "2026-Q", "2026-Q11")),
                                ("%Y-%j", "2026-061", ("2026-000", "2026-366")),
                                ("epoch_min", "29542000.5", ("29542000.5.1", ".5", "1e7", "-", "", "9" * 18)),
                                ("epoch", "1772520000.25", ("1772520000,25", "1,772,520,000", "nan", "9" * 18)),
                                ("%s.%f", "1772520000.25", ("1772520000", "1772520000.", "x1772520000.5"))):
            source = f"time = 't'\nvalue = 'n'\ntime_format = '{form}'\nduplicates = 'sum'\ndelimiter = ';'"
            for text in bad:
                job = self.job(source, f"t;n\n{good};1\n{text};1\n", slots=("2025-12-29", "2026-12-28", "1w"), rest="")
                done = run("run", job, "--seed", "3")
                self.assertEqual(done.returncode, 3, (form, text, done.stderr))
                self.assertIn("row 2", done.stderr, (form, text))
                self.assertFalse((self.folder / "out.csv").exists())

    def long(self, times=("2026-03-02", "2026-03-09", "2026-03-16", "2026-03-23"), **options):
        rows = "".join(f"{time},{name},{10 * place + number}\n" for number, time in enumerate(times)
                       for place, name in enumerate(("north", "south")))
        return self.released("time = 't'\nseries = 's'\nvalue = 'n'", "t,s,n\n" + rows, **options)

    def test_a_wide_file_is_the_long_one(self):
        rows = "t,south,other,north\n" + "".join(f"2026-03-{2 + 7 * i:02},{10 + i},x,{i}\n" for i in range(4))
        self.assertEqual(self.released("time = 't'\nwide = true", rows), self.long())
        # Its fields are counts: what one person adds is declared, not enforced.
        planned = self.assert_json("run", self.job("time = 't'\nwide = true", rows), "--dry-run")
        caps = [one for one in planned["guarantee"]["assumptions"] if "at most" in one["text"]]
        self.assertTrue(caps and all(one["basis"] == "declared" for one in caps), planned["guarantee"])
        # With a user they are that person's, and the caps are enforced.
        people = "t,card,north,south\n" + "2026-03-02,c1,1,1\n" * 3
        planned = self.assert_json("run", self.job("time = 't'\nuser = 'card'\nwide = true", people), "--dry-run")
        caps = [one for one in planned["guarantee"]["assumptions"] if "at most" in one["text"]]
        self.assertTrue(caps and all(one["basis"] == "enforced" for one in caps), planned["guarantee"])

    def test_a_wide_file_with_a_mistake_is_refused(self):
        wide = "time = 't'\nwide = true"
        for code, mentions, source, rows, rest in (
                (3, ["source.wide", "column south is not among the 2"], wide, "t,north\n", None),
                (2, ["series.keys", "names the columns"], wide, "t\n", ""),
                (2, ["source.value", "source.wide"], wide + "\nvalue = 'n'", "t,n\n", None),
                (2, ["source.wide", "counts"], wide + "\nvalue = 'n'\nuser = 'u'", "t\n", "[means]\nupper = 1\n"),
                (3, ["row 2 (line 3)", "column south"], wide, "t,north,south\n2026-03-02,1,2\n2026-03-09,1,\n", None),
                (3, ["row 2", "given before"], wide, "t,north,south\n2026-03-02,1,2\n2026-03-02,3,4\n", None)):
            words = {} if rest is None else {"rest": rest}
            self.assert_fails(code, mentions, "run", self.job(source, rows, **words), "--seed", "3")

    def test_what_only_counts_may_be_is_told_how_it_becomes_long(self):
        job = self.job("time = 't'\nuser = 'u'\nvalue = 'n'\nwide = true", "t,u,n\n",
                       rest="[means]\nupper = 1\ncounts = 'public'\n")
        self.assert_fails(2, ["source.wide: it belongs to counts", "duckdb -c", "UNPIVOT"], "run", job, "--seed", "3")

    def test_a_time_or_a_second_row_that_does_not_fit_says_what_may_help(self):
        rows = "t,s,n\n02.03.2026,north,1\n"
        self.assert_fails(3, ["row 1", "its shape is that of source.time_format %d.%m.%Y"], "run",
                          self.job("time = 't'\nvalue = 'n'", rows, rest=""), "--seed", "3")
        rows = "t,s,n\n2026-03-02,north,1\n2026-03-02,south,1\n"
        self.assert_fails(3, ["row 2", "given before", "source.series names their column"], "run",
                          self.job("time = 't'\nvalue = 'n'", rows, rest=""), "--seed", "3")

    def test_a_live_release_takes_wide_rows(self):
        job = self.job("time = 't'\nwide = true", "t,north,south\n2026-03-02,1,2\n2026-03-09,3,4\n")
        done = run("live", job, "--once", "--seed", "3")
        self.assertEqual((done.returncode, done.stdout.count("\n")), (0, 5), done.stderr)

    def test_the_header_shows_the_delimiter_and_check_says_so(self):
        semicolons = "t;s;n\n" + "".join(f"2026-03-{2 + 7 * i:02};{name};{10 * place + i}\n" for i in range(4)
                                         for place, name in enumerate(("north", "south")))
        source = "time = 't'\nseries = 's'\nvalue = 'n'"
        self.assertEqual(self.released(source, semicolons), self.long())
        ledger = ("--ledger", str(self.folder / "ledger.db"))
        self.assert_succeeds("budget", "create", "city", "--epsilon", "1", *ledger)
        checked = ("check", self.job(source, semicolons), *ledger)
        self.assertIn("\ndelimiter ';', as the header shows", self.assert_succeeds(*checked))
        self.assertEqual(self.assert_json(*checked)["shown_delimiter"], ";")
        self.assert_fails(3, ["column t is not among the 1", "is the delimiter ';'?"],
                          "check", self.job(source + "\ndelimiter = ','", semicolons), *ledger)
        given = self.assert_json("check", self.job(source + "\ndelimiter = ';'", semicolons), *ledger)
        self.assertIsNone(given["shown_delimiter"])

    def test_weeks_months_quarters_and_minutes(self):
        def written(times, time_format, slots):
            rows = "".join(f"{time},{name},{10 * place + number}\n" for number, time in enumerate(times)
                           for place, name in enumerate(("north", "south")))
            return self.released(f"time = 't'\nseries = 's'\nvalue = 'n'\ntime_format = '{time_format}'",
                                 "t,s,n\n" + rows, slots=slots)
        weeks = ("2026-03-02", "2026-03-30", "1w")
        self.assertEqual(written([f"2026-W{week}" for week in (10, 11, 12, 13)], "%G-W%V", weeks), self.long())
        monday = 1772409600 // 60
        self.assertEqual(written([monday + week * 10080 + 0.5 for week in range(4)], "epoch_min", weeks), self.long())
        months = ("2026-01-01", "2026-05-01", "1mo")
        by_month = self.long(times=[f"2026-0{month}-15" for month in (1, 2, 3, 4)], slots=months)
        self.assertEqual(written([f"2026-0{month}" for month in (1, 2, 3, 4)], "%Y-%m", months), by_month)
        self.assertIn("north,2026-02-01,", by_month)
        quarters = ("2025-01-01", "2026-01-01", "3mo")
        self.assertEqual(written([f"2025-Q{quarter}" for quarter in (1, 2, 3, 4)], "%Y-Q%q", quarters),
                         self.long(times=[f"2025-{month:02}-20" for month in (2, 5, 8, 11)], slots=quarters))

    def test_counts_by_area_and_on_a_grid(self):
        points = [(0.5, 0.5), (1, 0.5), (1.5, 0.5), (1.5, 1), (3, 3), (0.25, 0.25)]
        rows = "card,t,x,y\n" + "".join(f"c{i},2026-03-02,{x},{y}\n" for i, (x, y) in enumerate(points))
        where = "time = 't'\nuser = 'card'\nlongitude = 'x'\nlatitude = 'y'"
        self.write("map.json", geojson(SQUARES))
        by_area = self.released(where, rows, rest="[places]\nareas = 'map.json'\nname = 'district'\n")
        named = ["west", "west", "east", "east", "nowhere", "west"]  # the first of the file has what lies on a border
        rows_named = "card,t,s\n" + "".join(f"c{i},2026-03-02,{name}\n" for i, name in enumerate(named))
        self.assertEqual(by_area, self.released("time = 't'\nuser = 'card'\nseries = 's'", rows_named,
                                                rest="[series]\nkeys = ['west', 'east', 'all']\n"))
        grid = "[places]\nshape = 'square'\nwest = 0\nsouth = 0\neast = 2\nnorth = 1\nsize = 111196\n"
        on_grid = self.released(where, rows, rest=grid)
        self.assertEqual({line.split(",")[0] for line in on_grid.splitlines()[1:]}, {"r1c1", "r1c2"})

    def test_counts_on_a_map_have_coordinates_and_outlines(self):
        rows = "card,t,x,y\n" + "".join(f"c{i},2026-03-0{2 + i % 7},{(i % 8) / 4},0.5\n" for i in range(40))
        where = "time = 't'\nuser = 'card'\nlongitude = 'x'\nlatitude = 'y'"
        districts = {**SQUARES, "isles": (5, 0, 6, 1)}
        features = json.loads(geojson(districts))
        outline = features["features"][-1]["geometry"]["coordinates"]
        features["features"][-1]["geometry"] = {"type": "MultiPolygon", "coordinates": [
            outline, [[[*corner, 12.5] for corner in ((8, 0), (9, 0), (9, 1), (8, 0))]]]}
        self.write("map.json", json.dumps(features))
        grid = "[places]\nshape = 'square'\nwest = 0\nsouth = 0\neast = 2\nnorth = 1\nsize = 111196\n"
        areas = "[places]\nareas = 'map.json'\nname = 'district'\n"
        for places in (grid, areas):
            job = self.job(where, rows, rest=places)
            text = (self.folder / "job.toml").read_text(encoding="utf-8")
            self.write("job.toml", text + "json = \"out.json\"\ngeojson = \"out.geojson\"\n")
            ledger = ("--ledger", str(self.folder / f"{len(places)}.db"))
            self.assert_succeeds("budget", "create", "city", "--epsilon", "1", *ledger)
            # The second replaces what the first released.
            self.assertIn("out.geojson", self.assert_succeeds("run", job, "--yes", *ledger))
            written = [(self.folder / name).read_bytes() for name in ("out.csv", "out.geojson")]
            table = list(csv.DictReader(io.StringIO(written[0].decode())))
            cells = json.loads(written[1])["features"]
            for row, cell in zip(table, cells, strict=True):
                said = cell["properties"]
                self.assertEqual([said[name] for name in ("series", "time")], [row[name] for name in ("series", "time")])
                self.assertEqual([said[name] for name in ("value", "lower", "upper")],
                                 [float(row[name]) for name in ("value", "lower", "upper")])
                self.assertEqual(cell["geometry"]["type"], "MultiPolygon" if said["series"] == "isles" else "Polygon")
                if places is grid:
                    [ring] = cell["geometry"]["coordinates"]
                    middle = [sum(corner[axis] for corner in ring[:-1]) / 4 for axis in (0, 1)]
                    for given, expected in zip((row["longitude"], row["latitude"]), middle, strict=True):
                        self.assertAlmostEqual(float(given), expected, delta=1e-6)
                elif said["series"] == "west":
                    self.assertEqual(cell["geometry"], features["features"][0]["geometry"])
                elif said["series"] == "isles":  # both parts, without heights
                    self.assertEqual(cell["geometry"]["coordinates"], [outline, [[[8, 0], [9, 0], [9, 1], [8, 0]]]])
            self.assertEqual("longitude" in table[0], places is grid)
            for name in ("out.csv", "out.geojson"):
                (self.folder / name).unlink()
            self.assert_succeeds("run", job, "--again", "city:1", *ledger)
            self.assertEqual([(self.folder / name).read_bytes() for name in ("out.csv", "out.geojson")], written)

    def test_a_map_step_by_step_has_coordinates_and_outlines(self):
        rows = "t,x,y\n" + "".join(f"2026-03-0{2 + i},{i % 2 + 0.5},0.5\n" for i in range(4))
        job = self.job("time = 't'\nlongitude = 'x'\nlatitude = 'y'", rows, slots=("2026-03-02", "2026-03-06", "1d"),
                       rest="[places]\nshape = 'square'\nwest = 0\nsouth = 0\neast = 2\nnorth = 1\nsize = 111196\n")
        text = (self.folder / "job.toml").read_text(encoding="utf-8")
        self.write("job.toml", text + "json = \"out.json\"\ngeojson = \"out.geojson\"\n")
        ledger = ("--ledger", str(self.folder / "ledger.db"))
        self.assert_succeeds("budget", "create", "city", "--epsilon", "1", *ledger)
        for day, written in (("2026-03-04", 2), ("2026-03-06", 4)):  # the second goes on with what the first began
            done = run("live", job, "--once", "--until", day, *ledger)
            self.assertEqual(done.returncode, 0, done.stderr)
            table = list(csv.DictReader(io.StringIO((self.folder / "out.csv").read_text(encoding="utf-8"))))
            cells = json.loads((self.folder / "out.geojson").read_text(encoding="utf-8"))["features"]
            self.assertEqual((len(table), len(cells)), (2 * written, 2 * written))
            at = {(cell["properties"]["series"], cell["properties"]["time"]): cell for cell in cells}
            for row in table:
                cell = at[row["series"], row["time"]]
                self.assertEqual(cell["properties"]["value"], float(row["value"]))
                west, east = (end(x for x, _ in cell["geometry"]["coordinates"][0]) for end in (min, max))
                self.assertTrue(west < float(row["longitude"]) < east, (row, west, east))

    def test_outlines_that_are_not_there_or_too_much_are_refused(self):
        rows = "t,x,y,s\n"
        where = "time = 't'\nlongitude = 'x'\nlatitude = 'y'"
        ring = [[0, 0], *([0.5 + i / 1e6, 1e-9 * i] for i in range(40000)), [1, 1], [0, 0]]
        self.write("map.json", json.dumps({"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {"name": "coast"}, "geometry": {"type": "Polygon", "coordinates": [ring]}}]}))
        for mentions, source, rest, slots in (
                (["output.geojson", "has no outlines"], "time = 't'\nseries = 's'", None, ("2026-03-02", "2026-03-30", "1w")),
                (["output.geojson", "GB", "simpler polygons"], where, "[places]\nareas = 'map.json'\n",
                 ("2026-03-02", "2026-05-11", "1h")),
                (["output.geojson", "GB", "fewer places"], where, "[places]\nwest = 0\nsouth = 0\neast = 1\nnorth = 1\n"
                 "size = 500\n", ("2026-03-02", "2026-05-11", "1h"))):
            words = {} if rest is None else {"rest": rest}
            job = self.job(source, rows, slots=slots, **words)
            text = (self.folder / "job.toml").read_text(encoding="utf-8")
            self.write("job.toml", text + "geojson = \"out.geojson\"\n")
            self.assert_fails(2, mentions, "run", job, "--seed", "3")

    def test_means_by_area_are_those_by_place(self):
        def means(columns, rows, places):
            self.write("in.csv", rows)
            job = self.write("job.toml", f"""version = 1
[dataset]
name = "city"
[source]
path = "in.csv"
user = "card"
time = "t"
value = "v"
{columns}
[slots]
start = "2026-03-02"
end = "2026-03-04"
length = "1d"
[means]
upper = 10
counts = "public"
max_cells = 4
[places]
{places}
[privacy]
epsilon = 1.0
[output]
csv = "out.csv"
""")
            done = run("run", str(job), "--seed", "3")
            self.assertEqual(done.returncode, 0, done.stderr)
            return (self.folder / "out.csv").read_text(encoding="utf-8")
        points = [(0.5, 0.5, "west"), (1, 0.5, "west"), (1.5, 0.5, "east"), (3, 3, "nowhere")]
        self.write("map.json", geojson(SQUARES))
        by_area = means("longitude = 'x'\nlatitude = 'y'", "card,t,v,x,y\n" + "".join(
            f"c{i},2026-03-0{2 + i % 2},{i % 9},{points[i % 4][0]},{points[i % 4][1]}\n" for i in range(60)),
                        "areas = 'map.json'\nname = 'district'")
        by_place = means("place = 'p'", "card,t,v,p\n" + "".join(
            f"c{i},2026-03-0{2 + i % 2},{i % 9},{points[i % 4][2]}\n" for i in range(60)),
                         "keys = ['west', 'east', 'all']")
        self.assertEqual(by_area, by_place)
        self.assertIn("west,2026-03-02", by_area)

    def test_areas_that_do_not_fit_are_refused(self):
        where = "time = 't'\nlongitude = 'x'\nlatitude = 'y'"
        rows = "t,x,y\n"
        self.write("map.json", geojson(SQUARES))
        for mentions, source, rest in (
                (["places.areas", "feature 1", "no property 'name'"], where, "[places]\nareas = 'map.json'\n"),
                (["places.areas", "is the source"], where, "[places]\nareas = 'in.csv'\n"),
                (["places.areas", "names of their own"], where,
                 "[places]\nareas = 'map.json'\nname = 'district'\n[series]\nkeys = ['a']\n"),
                (["places.areas", "not by both"], where, "[places]\nareas = 'map.json'\nsize = 5\n"),
                (["places.name", "places.areas"], where, "[places]\nname = 'district'\n"),
                (["places.size", "public areas"], where, ""),
                (["source.latitude", "needs both"], "time = 't'\nlongitude = 'x'", ""),
                (["source.longitude", "need longitude and latitude"], "time = 't'",
                 "[places]\nareas = 'map.json'\nname = 'district'\n"),
                (["places.list", "series.list"], where, "[places]\nlist = 'in.csv'\n")):
            self.assert_fails(2, mentions, "run", self.job(source, rows, rest=rest), "--seed", "3")
        job = self.job(where, rows, rest="[places]\nareas = 'map.json'\nname = 'district'\n")
        text = (self.folder / "job.toml").read_text(encoding="utf-8")
        self.write("job.toml", text.replace("csv = \"out.csv\"", "csv = \"map.json\""))
        self.assert_fails(2, ["output.csv", "the file of areas"], "run", job, "--seed", "3")

    def test_another_file_is_told_the_way_to_csv(self):
        for start, mentions in ((b"PAR1", ["a Parquet file", "duckdb-cli", "duckdb -c \"COPY (FROM 'in.parquet')"]),
                                (b"ARROW1\0\0", ["an Arrow file", "read_feather"]),
                                (b"PK\x03\x04", ["Excel", "pip install pandas openpyxl", "pandas.read_excel('in.xlsx')"])):
            self.assert_fails(3, ["source.path", *mentions], "run", self.job("time = 't'", start + bytes(64), rest=""),
                              "--seed", "3")

    def test_a_time_of_another_form_is_told_the_forms_of_its_shape_and_not_quoted(self):
        for written, named in (("16/10/2025 07:05", "%d/%m/%Y %H:%M or %m/%d/%Y %H:%M"), ("1760598300123", "epoch_ms"),
                               ("06/10/2025 04:49 PM", "%d/%m/%Y %I:%M %p or %m/%d/%Y %I:%M %p"), ("2025-W42", "%G-W%V")):
            job = self.job("time = 't'\nvalue = 'n'", f"t,n\n{written},1\n", rest="")
            self.assert_fails(3, ["row 1 (line 2)", "column t", f"source.time_format {named}\n"], "run", job, "--seed", "3")
            self.assertNotIn(written, run("run", job, "--seed", "3").stderr)
        job = self.job("time = 't'\nvalue = 'n'\ntime_format = '%m/%d/%Y'", "t,n\n16/10/2025,1\n", rest="")
        self.assert_fails(3, ["not a date", "also that of source.time_format %d/%m/%Y"], "run", job, "--seed", "3")
        job = self.job("time = 't'\nvalue = 'n'\ntime_format = '%G-W%V'", "t,n\n2008-W53,1\n", rest="")
        self.assert_fails(3, ["not a date", "only some years of ISO 8601 have a week 53"], "run", job, "--seed", "3")

    def test_decimal_commas_are_told_the_way_to_points(self):
        rows = "t;north;south\n2026-03-02;12,5;7\n"
        for source in ("time = 't'\nwide = true", "time = 't'\nseries = 'south'\nvalue = 'north'"):
            self.assert_fails(3, ["row 1 (line 2): column north: has a comma", "nothing between thousands",
                                  "decimal_separator=','"], "run", self.job(source, rows), "--seed", "3")
        for field in ("'1,2,3'", ",5", "5,", "about 1,5"):
            job = self.job("time = 't'\nwide = true", f"t;north;south\n2026-03-02;{field};7\n")
            self.assert_fails(3, "column north: not a whole number", "run", job, "--seed", "3")


if __name__ == "__main__":
    unittest.main()
