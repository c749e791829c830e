# SPDX-License-Identifier: Apache-2.0
"""The explorer in a real browser: served with the network cut off, and published from a disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from serving import Served, served

from browser_windows import Window
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.publish import publish
from joulemark.report.style import DARK, LIGHT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

VIEWS = {
    "/": 1,
    "/machines": 0,
    "/machines/{machine}": 0,
    "/runs": 0,
    "/runs/18": 0,
    "/runs/18/hmac-sha256": 1,
    "/algorithms": 0,
    "/algorithms/hmac-sha256": 1,
    "/figures?algorithm=hmac-sha256&algorithm=hmac-sha1": 1,
    "/compare?before=12&after=18": 1,
    "/history?implementation=hmac-sha256/portable": 1,
    "/targets?algorithm=hmac-sha256": 1,
    "/cores": 1,
    "/budget": 1,
    "/budget?protocol=oscore&node=nrf52840_ble&payload=16&every=5min&any_algorithm=yes": 1,
    "/changes": 0,
}
"""Address -> whether it has a chart."""
EACH_BLOCK = (
    "/", "/machines/{machine}", "/runs", "/runs/18/hmac-sha256", "/compare?before=12&after=18",
    "/budget?protocol=oscore&node=nrf52840_ble&payload=16&every=5min&any_algorithm=yes",
)  # fmt: skip
"""Views that together have every element with every class of the pages in `VIEWS`."""
OTHERS = tuple(address for address in VIEWS if address not in EACH_BLOCK)
FILES = {"index": 1, "algorithms/hmac-sha256": 1, "cores": 1, "budget/mica2": 1}
"""Pages at each depth of folders, with a chart and without."""
MORE_FILES = {
    "changes": 0, "compare/12--18": 1, "machines": 0, "budget": 1,
}  # fmt: skip
HOSTILE_FILES = (
    "index", "machines", "machines/*", "runs/6", "changes", "compare/*", "algorithms/hmac-sha256",
)  # fmt: skip
THEMES = {"light": LIGHT, "dark": DARK}
AXE = resources.files("axe_playwright_python").joinpath("axe.min.js")


def marks(window: Window) -> int:
    """Marks of the chart."""
    return window.page.locator("#chart svg .role-mark path, #chart svg .role-mark line").count()


def addresses(holdings: Holdings, views: Iterable[str]) -> dict[str, int]:
    """The addresses of the views, with a machine of the store."""
    machine = next(iter(holdings.known().machines))
    return {address.format(machine=machine): VIEWS[address] for address in views}


def serious(page: Page, source: str) -> list[tuple[str, str, list[str]]]:
    """Serious violations that axe-core finds by its rules of WCAG 2.2 A and AA."""
    page.evaluate(source)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        (
            violation["id"],
            violation["impact"],
            [node["html"][:120] for node in violation["nodes"][:3]],
        )
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize(
    ("scheme", "width", "views"),
    [
        pytest.param("light", 1280, EACH_BLOCK, id="desk"),
        pytest.param("dark", 390, EACH_BLOCK, id="phone"),
        pytest.param("light", 1280, OTHERS, id="desk-others", marks=pytest.mark.exhaustive),
        pytest.param("dark", 390, OTHERS, id="phone-others", marks=pytest.mark.exhaustive),
    ],
)  # fmt: skip
def test_each_view(
    window: Window, server: Served, holdings: Holdings, scheme: Any, width: int,
    views: Iterable[str],
) -> None:  # fmt: skip
    """Each view is drawn without a complaint or a request to anybody else, no wider than the
    screen, and usable by everybody: by day on a desk, and by night on a phone.
    """
    source = AXE.read_text(encoding="utf-8")
    window.turn_to(server.base, width=width, height=900, scheme=scheme)
    for address, charts in addresses(holdings, views).items():
        window.go(address)
        assert window.complaints == [], address
        assert (marks(window) > 0) == bool(charts), address
        assert window.page.locator("h1").count() == 1
        assert window.page.evaluate("document.documentElement.scrollWidth") <= width, address
        assert serious(window.page, source) == [], address
    assert window.foreign() == []


@pytest.mark.parametrize(
    "files", [FILES, pytest.param(MORE_FILES, marks=pytest.mark.exhaustive)], ids=["few", "more"]
)
def test_each_published_page_is_drawn(window: Window, site: Path, files: Mapping[str, int]) -> None:
    """Published pages are drawn from a disk, without a server."""
    window.turn_to(site.as_uri())
    for name, charts in files.items():
        window.go(f"/{name}.html")
        assert window.complaints == [], name
        assert (marks(window) > 0) == bool(charts), name
    assert window.foreign() == []
    window.go("/algorithms/hmac-sha256.html#history--portable")
    opened = window.page.locator("details[open]:has(#history--portable)")
    opened.locator("svg.marks").wait_for()
    assert window.page.locator("details.part[open]").count() == 1
    with window.page.expect_download() as waiting:
        opened.get_by_role("button", name="Data as CSV").click()
    assert "hmac-sha256/portable" in Path(waiting.value.path()).read_text()
    window.page.get_by_role("searchbox").fill("history shani")
    window.page.get_by_role("link", name="History hmac-sha256/shani").first.click()
    window.page.locator("details[open]:has(#history--shani)").wait_for()
    with window.page.expect_download() as waiting:
        window.go("/cores.html")
        window.page.get_by_role("button", name="Picture as SVG").click()
    assert "<svg" in Path(waiting.value.path()).read_text()


@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("light", 1900),
        ("dark", 390),
        pytest.param("light", 390, marks=pytest.mark.exhaustive),
        pytest.param("dark", 1900, marks=pytest.mark.exhaustive),
    ],
)
def test_charts_fit_the_screen(window: Window, server: Served, width: int, scheme: Any) -> None:
    """Charts have the width of the screen, on a phone and a desk, and the colours of the scheme."""
    window.open(server.base, "/runs/18/hmac-sha256", width=width, height=900, scheme=scheme)
    assert window.page.evaluate("document.documentElement.scrollWidth") <= width
    box = window.page.locator("#chart svg").bounding_box()
    assert box is not None
    assert width * 0.6 < box["width"] <= width
    fills = {locator.get_attribute("fill") for locator in
             window.page.locator("#chart svg .mark-symbol.role-mark path").all()}  # fmt: skip
    assert fills <= set(THEMES[scheme].palette)
    assert fills


def test_keyboard_reaches_everything(window: Window, server: Served) -> None:
    """The first tab skips to the content; headings sort by the keyboard."""
    window.open(server.base, "/runs/18/hmac-sha256")
    window.page.keyboard.press("Tab")
    assert window.page.evaluate("document.activeElement.textContent") == "To the content"
    window.page.keyboard.press("Enter")
    assert window.page.evaluate("location.hash") == "#main"
    column = window.page.locator("tbody tr > :nth-child(3)")
    values = [float(entry) for entry in
              column.evaluate_all("all => all.map((one) => one.dataset.key)")]  # fmt: skip
    button = window.page.get_by_role("button", name="Time per message")
    button.focus()
    window.page.keyboard.press("Enter")
    assert [
        float(entry) for entry in column.evaluate_all("all => all.map((one) => one.dataset.key)")
    ] == sorted(values)


def test_form_leads_to_an_address(window: Window, server: Served) -> None:
    """A choice in the form stands in the address, and the address restores the choice."""
    window.open(server.base, "/history?implementation=hmac-sha256/portable")
    window.page.select_option("select[name=length]", "1024")
    window.page.get_by_role("button", name="Show").click()
    window.page.wait_for_selector("html[data-drawn]")
    assert "length=1024" in window.page.url
    assert window.page.locator(".lead").text_content() == "Time per message at 1 KiB, 6 runs."
    assert window.complaints == []


def test_without_javascript(browser: Browser, server: Served) -> None:
    """Tables and forms work, and the chart is a picture."""
    window = Window(browser, java_script_enabled=False)
    window.turn_to(server.base)
    page = window.page
    page.goto(f"{server.base}/runs/18/hmac-sha256")
    picture = page.locator("noscript img")
    assert picture.count() == 1
    assert picture.is_visible()
    assert page.locator("tbody tr").count() == 10
    page.goto(f"{server.base}/runs")
    page.select_option("select[name=algorithm]", "hmac-sha1")
    page.get_by_role("button", name="Show").click()
    assert page.locator("tbody tr").count() == 6


def _nothing_ran(window: Window, evil: str, tip: str) -> None:
    assert window.page.evaluate("document.title") != "x"
    assert window.page.locator("img[src=x], main script").count() == 0
    assert window.complaints == []
    assert window.foreign() == []
    assert evil in (window.page.locator("main").text_content() or "") + tip


def test_hostile_names_are_text(window: Window, hostile: Holdings) -> None:
    """Implementation, machine and reason that try to be markup are text in pages and tooltips."""
    machine = next(iter(hostile.known().machines))
    evil = hostile.known().machines[machine].name
    implementation = f"hmac-sha256/{evil}"
    with served(hostile) as server:
        window.turn_to(server.base)
        for address in (
            "/", "/runs/6", "/runs/6/hmac-sha256", f"/machines/{machine}", "/changes",
            "/compare?before=3&after=6", "/targets?algorithm=hmac-sha256",
        ):  # fmt: skip
            window.go(address)
            tip = ""
            points = window.page.locator("#chart svg .mark-symbol.role-mark path")
            if points.count():
                points.first.hover(force=True)
                window.page.wait_for_selector("#vg-tooltip-element.visible")
                tip = window.page.locator("#vg-tooltip-element").text_content() or ""
            _nothing_ran(window, evil, tip)
        window.go("/figures?algorithm=hmac-sha256")
        link = window.page.locator("tbody th a", has_text="script").first
        link.click()
        window.page.wait_for_selector("html[data-drawn]")
        assert window.page.locator("h1").text_content() == f"History of {implementation}"
        _nothing_ran(window, evil, "")


@pytest.mark.usefixtures("hostile")
def test_hostile_names_are_text_in_files(
    window: Window, hostile_path: Path, tmp_path: Path
) -> None:
    """Such names are text in a published page of each kind that shows a name."""
    site = tmp_path / "site"
    publish(str(hostile_path), site, lambda _: None)
    window.turn_to(site.as_uri())
    for pattern in HOSTILE_FILES:
        path = min(site.glob(f"{pattern}.html"))
        window.go(f"/{path.relative_to(site)}")
        assert "<script>" in (window.page.locator("main").text_content() or ""), pattern
        assert window.page.evaluate("document.title") != "x"
        assert window.page.locator("img[src=x], main script").count() == 0
        assert window.complaints == []
