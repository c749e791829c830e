# SPDX-License-Identifier: Apache-2.0
"""`report.html` in a real browser whose network is cut off."""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fake_energy
import fake_results as fake
import pytest

from joulemark.analyse.results import ResultSet
from joulemark.report.drawing.picks import MOST
from joulemark.report.page.html import write_html
from joulemark.report.theme import DARK, LIGHT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
THEMES = {"light": LIGHT, "dark": DARK}
OURS = {
    fake_result.implementation.split("/")[1]
    for fake_result in fake.HMAC_SHA256
    if fake_result.provider == "joulemark"
}
CHARTS = ("cycles_per_byte", "nanoseconds_per_message", "ranking")
LINES = '#chart-nanoseconds_per_message select[name="lines"]'
NAMES = (
    "[...document.querySelectorAll('#chart-nanoseconds_per_message .mark-text.role-mark text')]"
    ".filter((one) => one.textContent.trim())"
)
USUAL_SIZE: ViewportSize = {"width": 1280, "height": 720}
"""Of a window whose size nobody asked for."""
STEP_REMARK = 'WARN Dropping "fit-y" because spec has discrete height.'
"""Vega-Lite says this of every chart that fills the width and grows by rows, as is wanted."""
WAIT_MS = 20_000
EVIL = "</script><script>document.title='broken'</script><img src=x onerror=\"document.title='x'\">"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium from the system, without a network."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip("no Chromium; on Debian install the package chromium")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield started
        started.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a realistic run."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_html(fake.realistic(), path)
    return path


class Visit:
    """One opened page and everything it said or asked for."""

    def __init__(self, browser: Browser, path: Path, anchor: str = "", **options: Any) -> None:
        self.context: BrowserContext = browser.new_context(offline=True, **options)
        self.context.route("**", self._only_files)
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(WAIT_MS)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self._note(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(f"{path.as_uri()}{anchor}")
        self.page.wait_for_selector("html[data-drawn]")

    def _note(self, text: str) -> None:
        if text != STEP_REMARK:
            self.complaints.append(text)

    @staticmethod
    def _only_files(route: Any) -> None:
        if route.request.url.startswith("file:"):
            route.continue_()
        else:
            route.abort()

    def marks(self, chart: str, kind: str) -> int:
        """How many marks of one kind are drawn in one chart."""
        return self.page.locator(f"#chart-{chart} svg .{kind} path").count()

    def title(self, chart: str) -> str:
        """The line above one chart."""
        return self.page.locator(f"#chart-{chart} svg .role-title-text").text_content() or ""

    def until(self, expression: str) -> None:
        """Wait for a JavaScript condition; asked from here, for the page's policy forbids eval."""
        for _ in range(WAIT_MS // 50):
            if self.page.evaluate(expression):
                return
            self.page.wait_for_timeout(50)
        pytest.fail(f"never true: {expression}; the page said {self.complaints}")

    def column(self, place: int) -> list[str]:
        """Texts of one column of the table that is shown."""
        cells = f".group:not([hidden]) tbody tr > :nth-child({place})"
        return [text.strip() for text in self.page.locator(cells).all_text_contents()]


@pytest.fixture
def visit(browser: Browser, report: Path) -> Iterator[Visit]:
    """The realistic report, opened; the test fails when the browser complained."""
    opened = Visit(browser, report)
    yield opened
    assert opened.complaints == []
    assert opened.requests == [report.as_uri()]
    opened.context.close()


@pytest.fixture(scope="module")
def open_report(browser: Browser, report: Path) -> Iterator[Visit]:
    """The realistic report, opened once: to open it costs more than most tests of it."""
    opened = Visit(browser, report)
    yield opened
    opened.context.close()


@pytest.fixture
def shown(open_report: Visit, report: Path) -> Iterator[Visit]:
    """The same page for many tests, each of which leaves choices and size as it found them."""
    yield open_report
    assert open_report.complaints == []
    assert open_report.requests == [report.as_uri()]


def test_every_chart_is_drawn(shown: Visit) -> None:
    """Each chart has a picture of some size with its marks in it."""
    for name in CHARTS:
        box = shown.page.locator(f"#chart-{name} svg.marks").bounding_box()
        assert box is not None
        assert box["width"] > 500
        assert box["height"] > 200
    for name in ("cycles_per_byte", "nanoseconds_per_message"):
        assert shown.marks(name, "mark-symbol.role-mark") == MOST * 7
        assert shown.page.locator(f"#chart-{name} .mark-rule.role-mark line").count() >= MOST * 7
    assert shown.marks("ranking", "mark-rect.role-mark") == 12


def test_all_lines_can_be_asked_for(shown: Visit) -> None:
    """Six lines at first, with ours; then all, and all stay when the scheme changes."""
    labels = shown.page.locator("#chart-nanoseconds_per_message .mark-text.role-mark text")
    assert labels.count() == MOST
    few = shown.page.input_value(LINES)
    assert {f"Joulemark {name}" for name in OURS} & set(labels.all_text_contents())
    shown.page.select_option(LINES, "all")
    all_drawn = (
        "document.querySelectorAll('#chart-nanoseconds_per_message .mark-symbol.role-mark path')"
        ".length === 84 && document.querySelectorAll("
        "'#chart-nanoseconds_per_message .role-legend-label text').length === 12"
        " && [...document.querySelectorAll("
        "'#chart-nanoseconds_per_message .mark-text.role-mark text')]"
        ".every((one) => one.textContent.trim() === '')"
    )
    shown.until(all_drawn)
    shown.page.emulate_media(color_scheme="dark")
    shown.until(all_drawn)
    shown.page.emulate_media(color_scheme="light")
    shown.page.select_option(LINES, few)
    shown.until(f"{NAMES}.length === {MOST}")


def test_the_first_screen_has_the_chart_and_the_answer(shown: Visit) -> None:
    """At 1400 by 900 the first chart and the fastest are in sight without a scroll."""
    shown.page.set_viewport_size({"width": 1400, "height": 900})
    for place in ("#chart-nanoseconds_per_message svg.marks", "#answer"):
        box = shown.page.locator(place).bounding_box()
        assert box is not None
        assert box["y"] < 400
    chart = shown.page.locator("#chart-nanoseconds_per_message svg.marks").bounding_box()
    assert chart is not None
    assert chart["y"] + chart["height"] <= 900
    shown.page.set_viewport_size(USUAL_SIZE)


def test_dropdown_changes_charts_and_tables(visit: Visit) -> None:
    """Choosing an algorithm in one chart shows it in every chart and in the tables."""
    visit.page.select_option('#chart-ranking select[name="algorithm"]', "siphash-2-4")
    visit.until(
        "document.querySelectorAll('#chart-ranking .mark-rect.role-mark path').length === 2"
    )
    for name in CHARTS:
        assert visit.title(name).startswith("siphash-2-4")
    assert visit.marks("nanoseconds_per_message", "mark-symbol.role-mark") == 2 * 7
    assert visit.column(2) == ["portable", "cryptopp"]
    assert "algorithm=siphash-2-4" in visit.page.url


def test_legend_and_rows_follow_the_table_controls(visit: Visit) -> None:
    """The controls of the tables drive the charts too."""
    visit.page.select_option('#table-controls select[name="algorithm"]', "blake2s-keyed")
    visit.page.select_option('#table-controls select[name="size"]', "4096")
    labels = visit.page.locator("#chart-nanoseconds_per_message .mark-text.role-mark text")
    visit.until(
        "document.querySelectorAll('#chart-ranking .mark-rect.role-mark path').length === 3"
    )
    names = ["Joulemark avx2", "Joulemark portable", "openssl"]
    assert sorted(labels.all_text_contents()) == names
    assert visit.title("ranking").endswith("4 KiB")


def test_relative_ranking_starts_at_one(shown: Visit) -> None:
    """The toggle shows every bar as a multiple of the fastest."""
    shown.page.check('#chart-ranking input[type="checkbox"]')
    words = shown.page.locator("#chart-ranking .mark-text.role-mark text")
    shown.until(
        "document.querySelector('#chart-ranking .mark-text.role-mark text')"
        ".textContent.endsWith('\N{MULTIPLICATION SIGN}')"
    )
    assert "1.00\N{MULTIPLICATION SIGN}" in words.all_text_contents()
    labels = shown.page.locator("#chart-ranking .role-axis-label text").all_text_contents()
    scale = [float(text[:-1]) for text in labels if text.endswith("\N{MULTIPLICATION SIGN}")]
    assert 10 < max(scale) < 20
    shown.page.uncheck('#chart-ranking input[type="checkbox"]')


def test_table_is_sorted_by_its_headings(shown: Visit) -> None:
    """A heading sorts by number, a second click turns the order round, words sort as words."""
    table = shown.page.locator(".group:not([hidden]) table")
    before = shown.column(2)
    table.get_by_role("button", name="Time per message").click()
    assert shown.column(2) == before
    table.get_by_role("button", name="Time per message").click()
    assert shown.column(2) == before[::-1]
    table.get_by_role("button", name="Implementation").click()
    assert shown.column(2) == sorted(before)
    assert table.locator("th[aria-sort]").count() == 1


def test_missing_figures_are_sorted_last(browser: Browser, tmp_path: Path) -> None:
    """Whatever the direction, an implementation without the figure stands at the end."""
    path = tmp_path / "report.html"
    first, second, third = fake.HMAC_SHA256[:3]
    without = fake.result(first, 64, cycles=None)
    others = [fake.result(second, 64), fake.result(third, 64)]
    write_html(fake.result_set([without, *others]), path)
    visit = Visit(browser, path)
    heading = visit.page.get_by_role("button", name="Core cycles per byte")
    heading.click()
    assert visit.column(2) == ["shani_x2", "avx2_x8", "shani"]
    heading.click()
    assert visit.column(2) == ["avx2_x8", "shani_x2", "shani"]
    visit.context.close()


def test_all_lengths_can_be_shown(shown: Visit) -> None:
    """The tables of one algorithm can be seen together."""
    size = '#table-controls select[name="size"]'
    before = shown.page.input_value(size)
    shown.page.select_option(size, "")
    assert shown.page.locator(".group:not([hidden])").count() == len(fake.SIZES)
    shown.page.select_option(size, before)


FADED = (
    "[...document.querySelectorAll('#chart-nanoseconds_per_message .mark-line path')]"
    ".filter((one) => Number(one.getAttribute('opacity')) < 0.5).length === "
)


def test_label_lifts_one_line_out(shown: Visit) -> None:
    """A click on the name of a line fades the others, one beside it shows them again."""
    chart = shown.page.locator("#chart-nanoseconds_per_message")
    chart.locator(".mark-text.role-mark text").first.click()
    shown.until(f"{FADED}{MOST - 1}")
    chart.locator("svg.marks").click(position={"x": 120, "y": 60})
    shown.until(f"{FADED}0")


def test_legend_lifts_one_line_out(shown: Visit) -> None:
    """Where all lines are shown, a click on a legend entry fades the others."""
    few = shown.page.input_value(LINES)
    shown.page.select_option(LINES, "all")
    chart = shown.page.locator("#chart-nanoseconds_per_message")
    chart.locator(".role-legend-symbol path").nth(1).click()
    shown.until(f"{FADED}11")
    shown.page.select_option(LINES, few)
    shown.until(f"{NAMES}.length === {MOST}")


@pytest.mark.parametrize(
    "width", [390, pytest.param(1024, marks=pytest.mark.exhaustive), 1400]
)  # fmt: skip
def test_names_of_lines_do_not_cover_each_other(browser: Browser, report: Path, width: int) -> None:
    """At any width each name is whole, within the picture and clear of the others."""
    visit = Visit(browser, report, viewport={"width": width, "height": 900})
    for chart in ("nanoseconds_per_message", "cycles_per_byte"):
        texts = visit.page.locator(f"#chart-{chart} .mark-text.role-mark text")
        picture = visit.page.locator(f"#chart-{chart} svg.marks").bounding_box()
        boxes = [texts.nth(place).bounding_box() for place in range(texts.count())]
        assert picture is not None
        assert not any("\N{HORIZONTAL ELLIPSIS}" in text for text in texts.all_text_contents())
        ends = [(box["y"], box["y"] + box["height"], box["x"] + box["width"])
                for box in boxes if box]  # fmt: skip
        assert len(ends) == MOST
        for (_, above, _), (below, _, _) in itertools.pairwise(sorted(ends)):
            assert below - above > -2  # letters do not fill their boxes
        assert max(right for _, _, right in ends) <= picture["x"] + picture["width"] + 1
    assert visit.complaints == []
    visit.context.close()


def test_data_can_be_downloaded(shown: Visit) -> None:
    """The link gives the results as JSON that reads back."""
    with shown.page.expect_download() as waiting:
        shown.page.click("#download")
    text = Path(waiting.value.path()).read_text(encoding="utf-8")
    assert ResultSet.model_validate(json.loads(text)) == fake.realistic()


def test_address_keeps_the_choice(browser: Browser, report: Path) -> None:
    """A link with a choice opens the page with that choice in charts and tables."""
    visit = Visit(browser, report, "#algorithm=hmac-sha1&size=4096")
    assert visit.title("ranking").startswith("hmac-sha1")
    assert visit.title("ranking").endswith("4 KiB")
    assert visit.column(2) == ["shani", "openssl", "portable"]
    assert visit.complaints == []
    visit.context.close()


@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.exhaustive), "dark"])
def test_page_fits_a_phone_in_both_schemes(browser: Browser, report: Path, scheme: Any) -> None:
    """On a phone nothing is wider than the screen, and the charts follow the colour scheme."""
    visit = Visit(
        browser, report, viewport={"width": 390, "height": 844}, color_scheme=scheme, has_touch=True
    )
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= 390
    for name in CHARTS:
        box = visit.page.locator(f"#chart-{name} svg.marks").bounding_box()
        assert box is not None
        assert 250 < box["width"] <= 390
    ink = visit.page.locator("#chart-ranking .mark-text.role-mark text").first.get_attribute("fill")
    assert ink == THEMES[scheme].ink
    bars = visit.page.locator("#chart-ranking .mark-rect.role-mark path").all()
    assert {bar.get_attribute("fill") for bar in bars} <= set(THEMES[scheme].palette)
    assert visit.complaints == []
    visit.context.close()


def test_no_table_is_wider_than_its_column(shown: Visit) -> None:
    """From a phone to a wide screen; a narrow one leaves columns out until all are asked for."""
    blocks = "document.querySelectorAll('details')"
    before = shown.page.evaluate(f"[...{blocks}].map((one) => one.open)")
    shown.page.evaluate(f"{blocks}.forEach((one) => one.open = true)")
    box = shown.page.locator("#all-columns")
    rate = shown.page.locator(".group:not([hidden])").get_by_role("button", name="Rate")
    for width in (390, 768, 1024, 1200, 1400, 1900):
        shown.page.set_viewport_size({"width": width, "height": 900})
        assert shown.page.locator(".scroll, #answer").count() > 1
        shown.until(
            "[...document.querySelectorAll('.scroll, #answer')]"
            ".every((one) => one.scrollWidth <= one.clientWidth)"
        )
        assert box.is_visible() == (width <= 1150)
        assert rate.is_visible() == (width > 1150)
        if box.is_visible():
            box.check()
            assert rate.is_visible()
            box.uncheck()
    shown.page.evaluate(f"(before) => {blocks}.forEach((one, at) => one.open = before[at])", before)
    shown.page.set_viewport_size(USUAL_SIZE)


def test_scheme_change_keeps_the_choice(visit: Visit) -> None:
    """When the scheme changes, charts are drawn again with what was chosen."""
    visit.page.select_option('#chart-ranking select[name="algorithm"]', "siphash-2-4")
    visit.page.check('#chart-ranking input[type="checkbox"]')
    visit.page.emulate_media(color_scheme="dark")
    visit.until(
        "document.querySelector('#chart-ranking .mark-text.role-mark text')"
        "?.getAttribute('fill') === '#e6e9ec'"
    )
    assert visit.title("ranking").startswith("siphash-2-4")
    assert visit.page.is_checked('#chart-ranking input[type="checkbox"]')


def test_paper_is_light(browser: Browser, report: Path) -> None:
    """Printed from a dark screen, text and series take the colours for white paper."""
    visit = Visit(browser, report, color_scheme="dark")
    visit.page.emulate_media(media="print", color_scheme="dark")
    visit.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    bars = "document.querySelectorAll('#chart-ranking .mark-rect.role-mark path')"
    light = json.dumps(LIGHT.palette)
    visit.until(f"[...{bars}].every((one) => {light}.includes(one.getAttribute('fill')))")
    label = "document.querySelector('#chart-ranking .role-axis-label text')"
    assert visit.page.evaluate(f"getComputedStyle({label}).fill") == "rgb(27, 31, 36)"
    assert visit.page.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)"
    )
    visit.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    visit.until(f"![...{bars}].some((one) => {light}.includes(one.getAttribute('fill')))")
    visit.context.close()


def test_hostile_results_run_nothing(browser: Browser, tmp_path: Path) -> None:
    """Text that tries to be script or markup is shown as text, in charts and tables."""
    path = tmp_path / "report.html"
    hostile = fake.Fake(f"mac/{EVIL}", EVIL, 9.0, 1.0)
    results = [fake.result(hostile, size, warnings=[EVIL]) for size in (8, 64)]
    write_html(fake.result_set(results, warnings=[EVIL]), path)
    visit = Visit(browser, path)
    visit.page.locator("#chart-ranking .mark-rect.role-mark path").first.hover()
    assert visit.page.title() == "1 implementation of mac - Joulemark"
    assert visit.page.locator("img").count() == 0
    assert visit.complaints == []
    assert visit.requests == [path.as_uri()]
    visit.context.close()


def test_sixty_implementations_are_drawn(browser: Browser, tmp_path: Path) -> None:
    """A large study shows one algorithm at a time, and all of its members."""
    path = tmp_path / "report.html"
    write_html(fake.many(60), path)
    visit = Visit(browser, path)
    assert visit.marks("ranking", "mark-rect.role-mark") == 12
    assert visit.complaints == []
    visit.context.close()


@pytest.fixture(scope="module")
def metered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a realistic run with a meter."""
    path = tmp_path_factory.mktemp("metered") / "report.html"
    write_html(fake_energy.with_energy(fake.realistic()), path)
    return path


@pytest.fixture(scope="module")
def open_metered(browser: Browser, metered: Path) -> Iterator[Visit]:
    """The page with energy, opened once; each test asks for its width first."""
    opened = Visit(browser, metered)
    yield opened
    opened.context.close()


@pytest.mark.parametrize("width", [390, 1400])
def test_a_ranked_table_with_energy_fits_its_column(open_metered: Visit, width: int) -> None:
    """Time and energy stand side by side; the other figures of a meter come when asked for."""
    visit = open_metered
    visit.page.set_viewport_size({"width": width, "height": 900})
    visit.until(
        "[...document.querySelectorAll('.group:not([hidden]) .scroll:has(.sortable)')]"
        ".every((one) => one.scrollWidth <= one.clientWidth)"
    )
    group = visit.page.locator(".group:not([hidden])")
    for name in ("Time per message", "Energy per message (net of deep idle)"):
        assert group.get_by_role("button", name=name).is_visible()
    power = group.get_by_role("button", name="Power (gross)")
    assert not power.is_visible()
    visit.page.check("#all-columns")
    assert power.is_visible()
    visit.page.uncheck("#all-columns")
    assert visit.complaints == []


def test_energy_charts_are_drawn(open_metered: Visit) -> None:
    """Energy has a point, two intervals and lines of equal power, and follows the dropdown."""
    visit = open_metered
    visit.page.set_viewport_size(USUAL_SIZE)
    assert visit.marks("energy_time", "mark-symbol.role-mark") == 12 * 8
    rules = visit.page.locator("#chart-energy_time .mark-rule.role-mark line")
    assert rules.count() == 2 * 12 * 8 + 3
    words = visit.page.locator("#chart-energy_time .mark-text.role-mark text")
    assert sorted(words.all_text_contents()) == ["10 W", "20 W", "5 W"]
    assert visit.marks("energy_per_byte", "mark-symbol.role-mark") == MOST * 7
    controls = [f'#table-controls select[name="{name}"]' for name in ("algorithm", "size")]
    before = [visit.page.input_value(control) for control in controls]
    visit.page.select_option(controls[0], "siphash-2-4")
    visit.until(
        "document.querySelectorAll('#chart-energy_time .mark-symbol.role-mark path').length === 16"
    )
    assert "package-0" in visit.title("energy_time")
    visit.page.select_option('#chart-energy_time select[name="size"]', label="4 KiB")
    visit.until(
        "document.querySelectorAll('#chart-energy_time .mark-symbol.role-mark path').length === 2"
    )
    assert visit.title("ranking").endswith("4 KiB")
    assert visit.page.locator(".group:not([hidden])").count() == 1
    assert visit.complaints == []
    for control, choice in zip(controls, before, strict=True):
        visit.page.select_option(control, choice)


@pytest.mark.parametrize("width", [390, 1280])
def test_energy_by_domain_opens_within_the_page(open_metered: Visit, width: int) -> None:
    """The block of domains opens on a phone and on a desk without widening the page."""
    visit = open_metered
    visit.page.set_viewport_size({"width": width, "height": 844})
    summary = visit.page.locator(".group:not([hidden]) details.energy summary")
    summary.click()
    rows = visit.page.locator(".group:not([hidden]) details.energy tbody")
    assert rows.count() == 12 * 3
    assert rows.first.is_visible()
    table, column = (
        f"document.querySelector('.group:not([hidden]) .domains').{text}"
        for text in ("scrollWidth", "parentElement.clientWidth")
    )
    assert visit.page.evaluate(table) <= visit.page.evaluate(column)
    visit.until(f"document.documentElement.scrollWidth <= {width}")
    assert visit.complaints == []
    summary.click()
