# SPDX-License-Identifier: Apache-2.0
"""`report.html` in a real browser whose network is cut off."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fake_results as fake
import pytest
from report_window import ReportWindow

from browser_windows import HEIGHT, WIDTH
from joulemark.analyse import ResultSet
from joulemark.report.drawing.rows import MOST
from joulemark.report.page.html import write_html
from joulemark.report.style import DARK, LIGHT

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
EVIL = "</script><script>document.title='broken'</script><img src=x onerror=\"document.title='x'\">"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Address of the page of a realistic run."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_html(fake.realistic(), path)
    return path.as_uri()


@pytest.fixture
def shown(window: ReportWindow, report: str) -> Iterator[ReportWindow]:
    """The realistic report, for tests that leave choices and size as they found them."""
    window.keep(report)
    yield window
    assert window.complaints == []
    assert window.requests == [report]


@pytest.fixture
def visit(window: ReportWindow, report: str) -> Iterator[ReportWindow]:
    """The realistic report, opened for one test, which fails when the browser complained."""
    window.open(report)
    yield window
    assert window.complaints == []
    assert window.requests == [report]


def test_every_chart_is_drawn(shown: ReportWindow) -> None:
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


def test_all_lines_can_be_asked_for(shown: ReportWindow) -> None:
    """The chart first shows six lines with ours; all lines stay after a change of scheme."""
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


def test_the_first_screen_has_the_chart_and_the_answer(shown: ReportWindow) -> None:
    """At 1400 by 900 the first chart and the fastest are in sight without a scroll."""
    shown.page.set_viewport_size({"width": 1400, "height": 900})
    for place in ("#chart-ratio_to_library svg.marks", "#answer"):
        box = shown.page.locator(place).bounding_box()
        assert box is not None
        assert box["y"] < 400
    chart = shown.page.locator("#chart-ratio_to_library svg.marks").bounding_box()
    assert chart is not None
    assert chart["y"] + chart["height"] <= 900
    shown.page.set_viewport_size({"width": WIDTH, "height": HEIGHT})


def test_relative_ranking_starts_at_one(shown: ReportWindow) -> None:
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


def test_table_is_sorted_by_its_headings(shown: ReportWindow) -> None:
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


def test_all_lengths_can_be_shown(shown: ReportWindow) -> None:
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


def test_label_lifts_one_line_out(shown: ReportWindow) -> None:
    """A click on the name of a line fades the others, and a click beside it shows them again."""
    chart = shown.page.locator("#chart-nanoseconds_per_message")
    chart.locator(".mark-text.role-mark text").first.click()
    shown.until(f"{FADED}{MOST - 1}")
    chart.locator("svg.marks").click(position={"x": 120, "y": 60})
    shown.until(f"{FADED}0")


def test_legend_lifts_one_line_out(shown: ReportWindow) -> None:
    """Where all lines are shown, a click on a legend entry fades the others."""
    few = shown.page.input_value(LINES)
    shown.page.select_option(LINES, "all")
    chart = shown.page.locator("#chart-nanoseconds_per_message")
    chart.locator(".role-legend-symbol path").nth(1).click()
    shown.until(f"{FADED}11")
    shown.page.select_option(LINES, few)
    shown.until(f"{NAMES}.length === {MOST}")


def test_data_can_be_downloaded(shown: ReportWindow) -> None:
    """The link gives the results as JSON that reads back."""
    with shown.page.expect_download() as waiting:
        shown.page.click("#download")
    text = Path(waiting.value.path()).read_text(encoding="utf-8")
    assert ResultSet.model_validate(json.loads(text)) == fake.rounded(fake.realistic())


def test_no_table_is_wider_than_its_column(shown: ReportWindow) -> None:
    """A narrow table leaves columns out until the user asks for all, on phones and wide screens."""
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
    shown.page.set_viewport_size({"width": WIDTH, "height": HEIGHT})


def test_dropdown_changes_charts_and_tables(visit: ReportWindow) -> None:
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


def test_legend_and_rows_follow_the_table_controls(visit: ReportWindow) -> None:
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


def test_missing_figures_are_sorted_last(window: ReportWindow, tmp_path: Path) -> None:
    """Whatever the direction, an implementation without the figure stands at the end."""
    path = tmp_path / "report.html"
    first, second, third = fake.HMAC_SHA256[:3]
    without = fake.result(first, 64, cycles=None)
    others = [fake.result(second, 64), fake.result(third, 64)]
    write_html(fake.result_set([without, *others]), path)
    window.open(path.as_uri())
    heading = window.page.get_by_role("button", name="Core cycles per byte")
    heading.click()
    assert window.column(2) == ["shani_x2", "avx2_x8", "shani"]
    heading.click()
    assert window.column(2) == ["avx2_x8", "shani_x2", "shani"]


@pytest.mark.parametrize(
    "width", [390, pytest.param(1024, marks=pytest.mark.exhaustive), 1400]
)  # fmt: skip
def test_names_of_lines_do_not_cover_each_other(
    window: ReportWindow, report: str, width: int
) -> None:
    """At any width each name is whole, within the picture and clear of the others."""
    window.open(report, width=width, height=900)
    for chart in ("nanoseconds_per_message", "cycles_per_byte"):
        texts = window.page.locator(f"#chart-{chart} .mark-text.role-mark text")
        picture = window.page.locator(f"#chart-{chart} svg.marks").bounding_box()
        boxes = [texts.nth(place).bounding_box() for place in range(texts.count())]
        assert picture is not None
        assert not any("\N{HORIZONTAL ELLIPSIS}" in text for text in texts.all_text_contents())
        ends = [(box["y"], box["y"] + box["height"], box["x"] + box["width"])
                for box in boxes if box]  # fmt: skip
        assert len(ends) == MOST
        for (_, above, _), (below, _, _) in itertools.pairwise(sorted(ends)):
            assert below - above > -2  # letters do not fill their boxes
        assert max(right for _, _, right in ends) <= picture["x"] + picture["width"] + 1
    assert window.complaints == []


def test_address_keeps_the_choice(window: ReportWindow, report: str) -> None:
    """A link with a choice opens the page with that choice in charts and tables."""
    window.open(report, "#algorithm=hmac-sha1&size=4096")
    assert window.title("ranking").startswith("hmac-sha1")
    assert window.title("ranking").endswith("4 KiB")
    assert window.column(2) == ["shani", "openssl", "portable"]
    assert window.complaints == []


@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.exhaustive), "dark"])
def test_page_fits_a_phone_in_both_schemes(window: ReportWindow, report: str, scheme: Any) -> None:
    """On a phone nothing is wider than the screen, and the charts follow the colour scheme."""
    window.open(report, width=390, height=844, scheme=scheme)
    assert window.page.evaluate("document.documentElement.scrollWidth") <= 390
    for name in CHARTS:
        box = window.page.locator(f"#chart-{name} svg.marks").bounding_box()
        assert box is not None
        assert 250 < box["width"] <= 390
    ink = window.page.locator("#chart-ranking .mark-text.role-mark text").first.get_attribute(
        "fill"
    )
    assert ink == THEMES[scheme].ink
    bars = window.page.locator("#chart-ranking .mark-rect.role-mark path").all()
    assert {bar.get_attribute("fill") for bar in bars} <= set(THEMES[scheme].palette)
    assert window.complaints == []


def test_scheme_change_keeps_the_choice(visit: ReportWindow) -> None:
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


def test_paper_is_light(window: ReportWindow, report: str) -> None:
    """Printed from a dark screen, text and series take the colours for white paper."""
    window.open(report, scheme="dark")
    window.page.emulate_media(media="print", color_scheme="dark")
    window.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    bars = "document.querySelectorAll('#chart-ranking .mark-rect.role-mark path')"
    light = json.dumps(LIGHT.palette)
    window.until(f"[...{bars}].every((one) => {light}.includes(one.getAttribute('fill')))")
    label = "document.querySelector('#chart-ranking .role-axis-label text')"
    assert window.page.evaluate(f"getComputedStyle({label}).fill") == "rgb(27, 31, 36)"
    assert window.page.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)"
    )
    window.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    window.until(f"![...{bars}].some((one) => {light}.includes(one.getAttribute('fill')))")


def test_hostile_results_run_nothing(window: ReportWindow, tmp_path: Path) -> None:
    """Text that tries to be script or markup is shown as text, in charts and tables."""
    path = tmp_path / "report.html"
    hostile = fake.Fake(f"mac/{EVIL}", EVIL, 9.0, 1.0)
    results = [fake.result(hostile, size, warnings=[EVIL]) for size in (8, 64)]
    write_html(fake.result_set(results, warnings=[EVIL]), path)
    window.open(path.as_uri())
    window.page.locator("#chart-ranking .mark-rect.role-mark path").first.hover()
    assert window.page.title() == "1 implementation of mac - Joulemark"
    assert window.page.locator("img").count() == 0
    assert window.complaints == []
    assert window.requests == [path.as_uri()]


def test_sixty_implementations_are_drawn(window: ReportWindow, tmp_path: Path) -> None:
    """A large study shows one algorithm at a time, and all of its members."""
    path = tmp_path / "report.html"
    write_html(fake.many(60), path)
    window.open(path.as_uri())
    assert window.marks("ranking", "mark-rect.role-mark") == 12
    assert window.complaints == []
