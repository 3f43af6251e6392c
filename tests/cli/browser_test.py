"""The report in a real browser: Chromium, driven through its debugging pipe, on a phone and on a desk, by day and by
night. A checker looks at each page; pages that are broken on purpose show that it sees what it looks for."""

import base64
import csv
import io
import json
import os
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest
import zlib
from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SAMPLES = Path(os.environ["CHRONOVEIL_BUILD"]) / "tests" / "report_sample"
SCREENS = {"phone": (375, 812), "desk": (1280, 800)}
RESULT = ("result", "sure")
SECONDS = 60  # for one answer of a browser on a busy machine

# Everything that can be seen from inside the page. Contrast as WCAG 2 defines it, of every visible piece of text against
# the nearest ground that is painted behind it.
LOOK = """(() => {
  const rgb = text => { const n = text.match(/[\\d.]+/g).map(Number); return n.length > 3 && n[3] === 0 ? null : n; };
  const light = c => { const f = c.slice(0, 3).map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
                       return .2126 * f[0] + .7152 * f[1] + .0722 * f[2]; };
  const ground = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor);
                        if (c) return c; } return [255, 255, 255]; };
  const box = e => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom, r.width, r.height]; };
  const root = document.documentElement;
  const facts = Object.fromEntries([...document.querySelectorAll('[id]')].map(e => [e.id, box(e)]));
  const folded = [...document.querySelectorAll('section.folded h2')].map(e => e.innerText);
  // What is folded must be whole, too.
  document.querySelectorAll('details').forEach(e => e.open = true);
  let least = 99, faint = '';
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode.data.trim(), e = walk.currentNode.parentElement;
    if (!text || e.closest('svg') || !e.getClientRects().length) continue;
    const a = light(rgb(getComputedStyle(e).color)), b = light(ground(e));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < least) { least = ratio; faint = text; }
  }
  return JSON.stringify({
    overflow: root.scrollWidth - root.clientWidth,
    facts, folded, charts: document.querySelectorAll('.marks').length,
    drawings: [...document.querySelectorAll('svg')].filter(e => e.closest('details') === null).map(box),
    figures: document.querySelectorAll('figure svg[role=img]').length,
    unnamed: [...document.querySelectorAll('svg[role=img]')].filter(e => !e.querySelector('title')).length,
    scripts: document.scripts.length, title: document.title, heading: document.querySelector('h1')?.innerText,
    banner: document.querySelector('.banner')?.innerText ?? '', text: document.body.innerText,
    ground: getComputedStyle(document.body).backgroundColor, least, faint,
    axes: document.querySelectorAll('figure.chart > .axis').length,
    tables: document.querySelectorAll('figure.chart ~ details table, .charts ~ .scroll table').length,
    cut: (all => { all.forEach(e => e.style.display = 'block');
                   const beyond = all.filter(e => box(e)[0] < 0 || box(e)[2] > root.clientWidth);
                   all.forEach(e => e.style.display = '');
                   return beyond.map(e => e.textContent); })([...document.querySelectorAll('.marks span')])});
})()"""


class Browser:
    """Chromium on a pipe: JSON messages that end in a zero byte, as --remote-debugging-pipe has it."""

    def __init__(self):
        self.home = tempfile.TemporaryDirectory(prefix="chronoveil-browser-", ignore_cleanup_errors=True)
        theirs_in, self.to = os.pipe()
        self.back, theirs_out = os.pipe()
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                 "--disable-extensions", "--disable-background-networking", "--disable-component-update",
                 "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={self.home.name}/profile"]
        # The pipe must be descriptors 3 and 4 of the browser.
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}', "sh", CHROMIUM, *flags, "about:blank"],
            pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.home.name}, start_new_session=True)
        os.close(theirs_in)
        os.close(theirs_out)
        self.buffer, self.number, self.session, self.events = b"", 0, None, []

    def close(self):
        try:
            self.send("Browser.close", session=False)
            self.process.wait(timeout=10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.back)
        self.home.cleanup()

    def send(self, method, session=True, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session and self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        return self.number

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.back], [], [], max(0, deadline - time.monotonic()))
            piece = os.read(self.back, 1 << 20) if ready else b""
            if not piece:
                raise TimeoutError("the browser does not answer" if not ready else "the browser has gone")
            self.buffer += piece
        line, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(line)
        if "method" in message:
            self.events.append(message)
        return message

    def ask(self, method, session=True, **parameters):
        number, deadline = self.send(method, session, **parameters), time.monotonic() + SECONDS
        while (message := self.receive(deadline)).get("id") != number:
            pass
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']['message']}")
        return message["result"]

    def open(self, path, screen, scheme):
        """Loads a page in a fresh tab; what happened meanwhile is in self.events."""
        if self.session:
            self.ask("Target.closeTarget", session=False, targetId=self.target)
        self.session, self.events = None, []
        self.target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.ask(f"{domain}.enable")
        width, height = screen
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                 mobile=width < 500)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.events = []
        self.ask("Page.navigate", url=Path(path).as_uri())
        deadline = time.monotonic() + SECONDS
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.receive(deadline)
        return json.loads(self.ask("Runtime.evaluate", expression=LOOK)["result"]["value"])

    def happened(self, method):
        return [event["params"] for event in self.events if event["method"] == method]

    def pdf(self):
        return base64.b64decode(self.ask("Page.printToPDF", printBackground=False)["data"])


def streams(pdf):
    """What is in a PDF, unpacked."""
    for match in re.finditer(rb"(?<!end)stream\r?\n", pdf):
        try:
            yield zlib.decompressobj().decompress(pdf[match.end():])
        except zlib.error:  # a picture or a font that is packed otherwise
            continue


def faults(browser, path, screen, scheme, first_screen):
    """What is wrong with a page, in words; and what was seen."""
    seen = browser.open(path, screen, scheme)
    width, height = screen
    found = [f"asks for {ask['request']['url']}" for ask in browser.happened("Network.requestWillBeSent")
             if ask["request"]["url"] not in (Path(path).as_uri(), "data:,")]
    found += [f"script error: {error['exceptionDetails']['text']}" for error in browser.happened("Runtime.exceptionThrown")]
    found += [f"console: {call['type']}" for call in browser.happened("Runtime.consoleAPICalled")]
    found += [f"log: {entry['entry']['text']}" for entry in browser.happened("Log.entryAdded")]
    if seen["scripts"]:
        found.append("has a script")
    if seen["overflow"] > 0:
        found.append(f"is {seen['overflow']} px too wide")
    if not seen["drawings"] or any(box[4] <= 0 or box[5] <= 0 for box in seen["drawings"]):
        found.append("has a drawing without a size, or none")
    if seen["unnamed"]:
        found.append("has a drawing without a title")
    if seen["least"] < 4.5:
        found.append(f"is hard to read: {seen['faint']} ({seen['least']:.2f} to 1)")
    if seen["cut"]:
        found.append(f"shows a value beyond its edge: {seen['cut'][0]}")
    for fact in first_screen:
        left, top, right, bottom = seen["facts"].get(fact, [-1] * 4)[:4]
        if not (0 <= left < right <= width and 0 <= top < bottom <= height):
            found.append(f"{fact} is not on the first screen")
    return found, seen


@unittest.skipUnless(CHROMIUM, "Chromium is not installed")
class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="chronoveil-report-")
        cls.pages = Path(cls.folder.name)
        subprocess.run([SAMPLES, cls.folder.name], check=True, timeout=120)
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    def look(self, page, screen, scheme, first_screen):
        found, seen = faults(self.browser, self.pages / page, SCREENS[screen], scheme, first_screen)
        self.assertEqual(found, [], (page, screen, scheme))
        return seen

    def test_every_page_is_whole_on_a_phone_and_on_a_desk_in_light_and_in_dark(self):
        for page in ("single.html", "declared.html"):
            for screen in SCREENS:
                grounds = {scheme: self.look(page, screen, scheme, RESULT)["ground"] for scheme in ("light", "dark")}
                self.assertNotEqual(grounds["light"], grounds["dark"])

    def test_the_other_pages_are_whole_too(self):
        for page, screen, scheme in (("sampled.html", "phone", "light"), ("sampled.html", "desk", "dark"),
                                     ("replayed.html", "phone", "dark"), ("replayed.html", "desk", "light"),
                                     ("city.html", "phone", "light"), ("city.html", "desk", "dark")):
            self.look(page, screen, scheme, () if page == "replayed.html" else RESULT)

    def test_means_are_whole_on_a_phone_and_on_a_desk_in_light_and_in_dark(self):
        for page in ("means.html", "places.html", "cell.html"):
            for screen, scheme in (("phone", "dark"), ("desk", "light"), ("phone", "light"), ("desk", "dark")):
                seen = self.look(page, screen, scheme, RESULT)
                self.assertIn("Where and when a person was", seen["text"])
        for screen, scheme in (("phone", "light"), ("desk", "dark")):
            self.assertIn("internal: reveals the data", self.look("means_evaluation.html", screen, scheme, ())["banner"])

    def plots(self, seen, figures):
        """Every chart has two axes with titles, values on hover, and numbers behind it."""
        self.assertEqual((seen["figures"], seen["charts"], seen["axes"]), (figures, figures, 2 * figures))
        self.assertGreaterEqual(seen["tables"], 1 if "Backtest" in seen["title"] else figures)

    def test_perturbed_series_are_whole_on_a_phone_and_on_a_desk_in_light_and_in_dark(self):
        for page, words, figures in (("perturbed.html", "Which of two values at most 9 rows apart", 2),
                                     ("sorted.html", "a list of values with blurred times", 2),
                                     ("changed.html", "Each single value; not all of them together", 1)):
            for screen, scheme in (("phone", "dark"), ("desk", "light"), ("phone", "light"), ("desk", "dark")):
                self.plots(seen := self.look(page, screen, scheme, RESULT), figures)
                self.assertIn(words, seen["text"])
                self.assertEqual(seen["banner"], "")
        for screen, scheme in (("phone", "light"), ("desk", "dark")):
            self.assertIn("This is not differential privacy.", self.look("crowded.html", screen, scheme, ())["text"])
            self.assertIn("seeded: not private", self.look("seeded.html", screen, scheme, ())["banner"])
            self.plots(seen := self.look("perturbed_internal.html", screen, scheme, ()), 2)
            self.assertIn("internal: reveals the data", seen["banner"])

    def test_forecasts_trainings_and_backtests_are_whole_on_a_phone_and_on_a_desk_in_light_and_in_dark(self):
        for page, words, banner, figures in (("forecast.html", "The history is not protected.", "", 1),
                                             ("forecasts.html", "The history is protected", "", 12),
                                             ("trained.html", "How ε grew", "", 1),
                                             ("backtest.html", "the better baseline", "Internal.", 2)):
            for screen, scheme in (("phone", "dark"), ("desk", "light")):
                self.plots(seen := self.look(page, screen, scheme, RESULT), figures)
                self.assertIn(words, seen["text"])
                self.assertTrue(seen["banner"].startswith(banner) if banner else not seen["banner"])

    def test_means_are_a_map_a_strip_and_small_maps(self):
        figures = [self.look(page, "desk", "light", RESULT)["figures"] for page in ("means.html", "cell.html")]
        self.assertEqual(figures, [1 + 1 + 24, 1])
        # The colours of means must be told apart: all different, each lighter or darker than the one before.
        for scheme in ("light", "dark"):
            self.look("sharp.html", "desk", scheme, RESULT)
            light = self.browser.ask("Runtime.evaluate", returnByValue=True, expression=(
                "[1, 2, 3, 4, 5, 6, 7].map(i => document.querySelector('.c' + i + ' path')).filter(e => e).map(e => {"
                " const c = getComputedStyle(e).fill.match(/[\\d.]+/g).map(Number);"
                " return .2126 * c[0] + .7152 * c[1] + .0722 * c[2]; })"
            ))["result"]["value"]
            self.assertGreater(len(light), 3)
            steps = [b - a for a, b in zip(light, light[1:])]
            self.assertTrue(all(abs(step) > 8 and (step > 0) == (steps[0] > 0) for step in steps), (scheme, light))

    def test_a_result_comes_first_and_details_are_folded(self):
        last = ["Budget and proof", "How to cite"]
        for page, protected, folded in (
                ("single.html", "fact-unit", ["The promise in full", "How it was made", *last]),
                ("means.html", "fact-unit", ["The promise in full", "How it was made", *last]),
                ("perturbed.html", "fact-unit", ["The promise in full", "What was released", "How it was made", *last]),
                ("forecasts.html", "fact-history", ["The model", "The promise in full", "Budget and proof"]),
                ("trained.html", "not-protected", ["The promise in full", "How it was trained", *last])):
            seen = self.look(page, "desk", "light", RESULT)
            order = [seen["facts"][name][1] for name in ("result", "sure", protected)]
            self.assertEqual(order, sorted(order))
            self.assertEqual(seen["folded"], folded)

    def test_values_show_on_hover_and_by_keyboard(self):
        for page, charts, words in (
                ("single.html", 1, "^Sunday 1 March 2026, 00:00 to 01:00 to .*: values from "),
                ("forecast.html", 1, "^Sunday 1 March 2026, 00:00 to 01:00: [0-9]"),
                ("perturbed.html", 2, "^30 rows earlier: .* %$"),
                ("trained.html", 1, "^after 94 steps: ε.=.0.25"),
                ("backtest.html", 2, "^ε.=.0.5: 0.125, between 0.117 and 0.133$")):
            self.point_and_step(page, charts, words)

    def test_places_show_their_means_on_hover_and_by_keyboard(self):
        for page, maps in (("means.html", ("^r1c1 \\(.*°.N, .*°.E\\): ", "^All places, 00:00: ")),
                           ("places.html", ("^Central Station: ", "^All places, 00:00: "))):
            for screen in SCREENS:
                for which, words in enumerate(maps):
                    self.point_and_step(page, len(maps), words, which, screen)

    def test_a_place_is_what_it_looks_like(self):
        """The marks of a map lie on its shapes: where a hexagon is, its value shows, and beside it that of another."""
        for screen in SCREENS:
            self.look("means.html", screen, "light", RESULT)
            drawn, marked = self.browser.ask("Runtime.evaluate", returnByValue=True, expression=(
                "(() => { const box = e => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };"
                " const all = list => list.reduce((a, b) => [Math.min(a[0], b[0]), Math.min(a[1], b[1]),"
                "   Math.max(a[2], b[2]), Math.max(a[3], b[3])]);"
                " const shapes = [...document.querySelectorAll('.board svg g path')].map(box);"
                " const marks = [...document.querySelectorAll('.board .marks label')].map(box);"
                " return [all(shapes), all(marks)]; })()"))["result"]["value"]
            for edge, other in zip(drawn, marked):
                self.assertAlmostEqual(edge, other, delta=1.5)
            # The corner of the box of a hexagon is not in it.
            inside, corner = self.browser.ask("Runtime.evaluate", returnByValue=True, expression=(
                "(() => { const e = document.querySelector('.board .marks label'); e.scrollIntoView({block: 'center'});"
                " const r = e.getBoundingClientRect(), at = (x, y) => document.elementFromPoint(x, y)?.parentElement === e;"
                " return [at(r.left + r.width / 2, r.top + r.height / 2), at(r.left + 1, r.top + 1)]; })()"))["result"]["value"]
            self.assertEqual((inside, corner), (True, False))

    def point_and_step(self, page, charts, words, which=0, screen="desk"):
        seen = self.look(page, screen, "light", RESULT)
        self.assertEqual(seen["charts"], charts)
        marks = f"document.querySelectorAll('.marks')[{which}]"
        shown = "[...document.querySelectorAll('.marks span')].filter(e => e.getClientRects().length).map(e => e.innerText)"

        def visible():
            return self.browser.ask("Runtime.evaluate", returnByValue=True, expression=shown)["result"]["value"]
        self.assertEqual(visible(), [])
        left, top, width, height = self.browser.ask("Runtime.evaluate", returnByValue=True, expression=(
            f"(() => {{ const e = {marks}.querySelector('label'); e.scrollIntoView({{block: 'center'}});"
            " const r = e.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()"))["result"]["value"]
        self.browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=left + width / 2, y=top + height / 2)
        self.assertEqual(len(visible()), 1)
        self.assertRegex(visible()[0], words)
        self.browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
        self.browser.ask("Runtime.evaluate", expression=f"{marks}.querySelector('input').focus()")
        first = visible()
        for kind in ("keyDown", "keyUp"):
            self.browser.ask("Input.dispatchKeyEvent", type=kind, key="ArrowRight", code="ArrowRight",
                             windowsVirtualKeyCode=39)
        self.assertEqual((len(first), len(visible())), (1, 1))
        self.assertNotEqual(first, visible())

    def test_paper_is_light_and_has_what_is_folded(self):
        for page in ("single.html", "means.html", "perturbed.html", "forecasts.html", "trained.html"):
            self.print_in_the_dark(page)

    def print_in_the_dark(self, page):
        self.browser.open(self.pages / page, SCREENS["desk"], "dark")
        self.browser.ask("Runtime.evaluate", expression="document.querySelectorAll('details').forEach(e => e.open = false)")
        self.browser.ask("Emulation.setEmulatedMedia", media="print",
                         features=[{"name": "prefers-color-scheme", "value": "dark"}])
        ground, seen, shown = self.browser.ask("Runtime.evaluate", returnByValue=True, expression=(
            "[getComputedStyle(document.body).backgroundColor,"
            " document.querySelector('.folded details > :nth-child(2)').getBoundingClientRect().height,"
            " document.querySelector('.marks')?.getClientRects().length ?? 0]"))["result"]["value"]
        self.assertEqual(ground, "rgb(255, 255, 255)")
        self.assertGreater(seen, 10)
        self.assertEqual(shown, 0)

    def program(self, *arguments):
        environment = {**os.environ, "HOME": str(self.pages), "CHRONOVEIL_LEDGER": str(self.pages / "ledger.db")}
        subprocess.run([os.environ["CHRONOVEIL_PROGRAM"], *arguments], cwd=self.pages, env=environment, check=True,
                       timeout=120, stdout=subprocess.DEVNULL)

    def seen(self, expression):
        return self.browser.ask("Runtime.evaluate", returnByValue=True, expression=expression)["result"]["value"]

    def table(self, name):
        return list(csv.DictReader(io.StringIO((self.pages / name).read_text(encoding="utf-8"))))

    def links_and_prices(self, name):
        """A link to the CSV beside the page that leads there; ε and its number in one piece."""
        links = f"[...document.querySelectorAll('a')].filter(e => e.innerText === '{name}').map(e => e.href)"
        self.assertEqual(set(self.seen(links)), {(self.pages / name).as_uri()})
        # innerText keeps what may not be broken apart.
        found = re.findall(r"[εδ](\s)=(\s)", self.seen("document.body.textContent"))
        self.assertGreater(len(found), 2)
        self.assertEqual(set(found), {("\u00a0", "\u00a0")})

    def test_a_page_of_counts_leads_with_the_last_row_of_its_csv(self):
        rows = "".join(f"2026-03-{day:02},{40 * day}\n" for day in range(1, 29))
        (self.pages / "days.csv").write_text("day,visits\n" + rows, encoding="utf-8")
        self.program("budget", "create", "days", "--epsilon", "4", "--unit", "event")
        self.program("release", "days.csv", "--time", "day", "--value", "visits", "--start", "2026-03-01", "--end",
                     "2026-03-29", "--length", "1d", "--unit", "event", "--epsilon", "1", "--mechanism", "laplace",
                     "--integers", "--dataset", "days", "--csv", "days_out.csv", "--report", "days.html", "--yes")
        for screen in SCREENS:
            self.look("days.html", screen, "light", RESULT)
            last = {name: f"{int(value):,}" for name, value in self.table("days_out.csv")[-1].items() if name in
                    ("value", "lower", "upper")}
            self.assertEqual(self.seen("document.querySelector('.newest').innerText"),
                             f"Saturday 28 March 2026: {last['value']}, between {last['lower']} and {last['upper']}")
            axes = self.seen("[...document.querySelectorAll('figure.chart > .axis')].map(e => e.innerText)")
            self.assertEqual(len(axes), 2)
            self.assertTrue(all(axis.strip() for axis in axes) and "UTC" in " ".join(axes), axes)
            self.links_and_prices("days_out.csv")

    def test_a_page_of_means_leads_with_the_last_slot_of_its_csv_and_says_where(self):
        points = "".join(f"b{bus},2026-03-0{1 + bus % 2}T08:{bus % 60:02},{0.002 + bus % 7 / 250},{0.002 + bus % 5 / 250},"
                         f"{20 + bus % 30}\n" for bus in range(900))
        (self.pages / "points.csv").write_text("bus,at,x,y,speed\n" + points, encoding="utf-8")
        self.program("budget", "create", "buses", "--epsilon", "4", "--relation", "replace_values")
        self.program("means", "points.csv", "--user", "bus", "--time", "at", "--longitude", "x", "--latitude", "y",
                     "--value", "speed", "--start", "2026-03-01", "--end", "2026-03-03", "--length", "1d", "--grid",
                     "0,0,0.03,0.02", "--cell-size", "1000", "--grid-shape", "square", "--upper", "65", "--counts",
                     "public", "--max-cells", "1", "--plan-users", "60", "--epsilon", "2", "--mechanism", "clip_mean",
                     "--dataset", "buses", "--csv", "means_out.csv", "--report", "own_means.html", "--yes")
        for screen in SCREENS:
            self.look("own_means.html", screen, "dark", RESULT)
            means = [float(row["mean"]) for row in self.table("means_out.csv") if row["slot"] == "2026-03-02" and row["mean"]]
            newest = self.seen("document.querySelector('.newest').innerText")
            said = re.fullmatch(r"Monday 2 March 2026: mean speed ([\d.]+) over (\d+) places, each known to about ±.[\d.]+",
                                newest)
            self.assertTrue(said, newest)
            self.assertEqual(int(said[2]), len(means))
            self.assertAlmostEqual(float(said[1]), sum(means) / len(means), delta=0.06)
            bar = self.seen("document.querySelector('.board + .axis').innerText")
            self.assertRegex(bar, r"^The bar is 1.km long. 0°.N to 0\.02°.N, 0°.E to 0\.03°.E\.$")
            # The bar is as long as it says: a square is one kilometre wide.
            bar, square = self.seen("['.scalebar', '.board .marks label'].map(s => document.querySelector(s)"
                                    ".getBoundingClientRect().width)")
            self.assertAlmostEqual(bar, square, delta=0.1 * square)
            self.links_and_prices("means_out.csv")

    def test_what_the_program_publishes_is_whole(self):
        program = self.program
        program("simulate", "checkins", "--users", "3000", "--venues", "4", "--days", "14", "--output", "checkins.csv",
                "--job", "job.toml", "--keys", "venues.txt")
        program("budget", "create", "venues", "--epsilon", "4", "--delta", "1e-5", "--unit", "user")
        program("run", "job.toml")
        program("evaluate", "job.toml", "--release", "job_release.json", "--report", "internal.html")
        seen = self.look("job_report.html", "phone", "light", RESULT)
        self.assertEqual((seen["figures"], seen["banner"]), (6, ""))  # the sum and each series
        self.assertIn("Anything beyond was left out", seen["text"])
        self.assertIn("internal: reveals the data", self.look("internal.html", "desk", "dark", ())["banner"])

    def test_a_thousand_series_are_twelve_charts_and_a_map(self):
        seen = self.look("city.html", "desk", "light", RESULT)
        self.assertEqual(seen["figures"], 13)
        self.assertIn("1,000 series", seen["text"])

    def test_what_is_not_private_says_so_first(self):
        seen = self.look("replayed.html", "phone", "light", ())
        self.assertIn("not private: replayed", seen["banner"])
        self.assertEqual(self.look("single.html", "phone", "light", RESULT)["banner"], "")

    def test_the_internal_page_is_marked_all_over(self):
        for screen, scheme in (("phone", "dark"), ("desk", "light")):
            seen = self.look("evaluation.html", screen, scheme, ())
            self.assertIn("internal: reveals the data", seen["banner"])
            mark = self.browser.ask("Runtime.evaluate", returnByValue=True, expression=(
                "(() => { const r = document.querySelector('svg.watermark').getBoundingClientRect();"
                "return [r.width, r.height, getComputedStyle(document.querySelector('svg.watermark')).position]; })()"))
            self.assertEqual(mark["result"]["value"], [*SCREENS[screen], "fixed"])

    def test_it_prints_and_the_internal_page_is_marked_on_every_sheet(self):
        for page, marked in (("single.html", False), ("evaluation.html", True)):
            self.look(page, "desk", "dark", ())
            pdf = self.browser.pdf()
            self.assertTrue(pdf.startswith(b"%PDF-"))
            sheets = len(re.findall(rb"/Type\s*/Page\b", pdf))
            self.assertGreaterEqual(sheets, 2)
            # The watermark is the only thing on these pages that is filled with a pattern.
            marks = sum(b"/Pattern cs" in stream for stream in streams(pdf))
            self.assertEqual(marks, sheets if marked else 0, page)

    def test_the_checker_sees_what_it_looks_for(self):
        broken = {
            "<script>throw new Error('no')</script>": ("script error", "has a script"),
            "<script>console.log(1)</script>": ("console: log",),
            "<img src='http://127.0.0.1:9/x.png'>": ("asks for http://127.0.0.1:9/x.png",),
            "<link rel='stylesheet' href='style.css'>": ("asks for file:",),
            "<div style='width:3000px'>wide</div>": ("too wide",),
            "<p style='color:#aaa'>faint words</p>": ("faint words",),
            "<svg role='img' width='0' height='0'></svg>": ("without a size", "without a title"),
            "<div style='height:2000px'></div>": ("result is not on the first screen",),
            "<div class='marks'><span style='left:-9px'>cut off</span></div>": ("beyond its edge: cut off",),
        }
        whole = (self.pages / "single.html").read_text(encoding="utf-8")
        whole = re.sub(r"<meta http-equiv[^>]*>", "", whole)  # or the browser itself would refuse some
        path = self.pages / "broken.html"
        path.write_text(whole.replace("<main>", "<main>" + "".join(broken)), encoding="utf-8")
        found, _ = faults(self.browser, path, SCREENS["phone"], "light", RESULT)
        for extra, expected in broken.items():
            for words in expected:
                self.assertTrue(any(words in fault for fault in found), (extra, found))


if __name__ == "__main__":
    unittest.main()
