# SPDX-License-Identifier: Apache-2.0
"""The explorer in a real browser: served with the network cut off, and published from a disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from serving import Served, served

from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.publish.publish import publish
from joulemark.report.theme import DARK, LIGHT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

WAIT_MS = 60_000
VIEWS = {
    "/": 0,
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
"""Views that have every element with every class of `VIEWS` between them."""
OTHERS = tuple(address for address in VIEWS if address not in EACH_BLOCK)
FILES = {"index": 0, "runs/18/hmac-sha256": 1, "cores": 1, "budget--tcp_ao--mica2": 1}
"""Of each depth of folders, with a chart and without."""
MORE_FILES = {
    "runs/18": 0, "compare/12--18": 1, "history/hmac-sha256--portable": 1, "machines": 0,
    "targets/hmac-sha256": 1, "budget": 1,
}  # fmt: skip
THEMES = {"light": LIGHT, "dark": DARK}
AXE = resources.files("axe_playwright_python").joinpath("axe.min.js")


class Visit:
    """One opened page, everything it said, and every address it asked for."""

    def __init__(self, browser: Browser, own: str, **options: Any) -> None:
        self.context: BrowserContext = browser.new_context(**options)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.own = own
        self.context.route("**", self._only_own)
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(WAIT_MS)
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def _only_own(self, route: Any) -> None:
        if route.request.url.startswith(self.own):
            route.continue_()
        else:
            route.abort()

    def open(self, address: str) -> None:
        """Open a page and wait until it is drawn."""
        self.page.goto(f"{self.own}{address}")
        self.page.wait_for_selector("html[data-drawn]")

    def marks(self) -> int:
        """Marks of the chart."""
        return self.page.locator("#chart svg .role-mark path, #chart svg .role-mark line").count()

    def foreign(self) -> list[str]:
        """Addresses asked for that are not those of the server or folder."""
        return [
            request
            for request in self.requests
            if not request.startswith((self.own, "data:", "blob:"))
        ]

    def close(self) -> None:
        """Close it."""
        self.context.close()


@pytest.fixture
def visit(browser: Browser, server: Served) -> Iterator[Visit]:
    """A window on the server."""
    found = Visit(browser, server.base)
    yield found
    found.close()


def addresses(holdings: Holdings, views: Iterable[str]) -> dict[str, int]:
    """The views with a machine that there is."""
    machine = next(iter(holdings.known().machines))
    return {address.format(machine=machine): VIEWS[address] for address in views}


def serious(page: Page, source: str) -> list[tuple[str, str, list[str]]]:
    """What axe-core finds by its rules of WCAG 2.2 A and AA, if it is serious."""
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
    browser: Browser, server: Served, holdings: Holdings, scheme: Any, width: int,
    views: Iterable[str],
) -> None:  # fmt: skip
    """Drawn without a complaint or a request to anybody else, no wider than the screen, and usable
    by everybody: by day on a desk, and by night on a phone.
    """
    visit = Visit(
        browser, server.base, viewport={"width": width, "height": 900}, color_scheme=scheme
    )
    source = AXE.read_text(encoding="utf-8")
    for address, charts in addresses(holdings, views).items():
        visit.open(address)
        assert visit.complaints == [], address
        assert (visit.marks() > 0) == bool(charts), address
        assert visit.page.locator("h1").count() == 1
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width, address
        assert serious(visit.page, source) == [], address
    assert visit.foreign() == []
    visit.close()


@pytest.mark.parametrize(
    "files", [FILES, pytest.param(MORE_FILES, marks=pytest.mark.exhaustive)], ids=["few", "more"]
)
def test_each_published_page_is_drawn(
    browser: Browser, site: Path, files: Mapping[str, int]
) -> None:
    """The same from a disk, without a server."""
    visit = Visit(browser, site.as_uri(), offline=True)
    for name, charts in files.items():
        visit.open(f"/{name}.html")
        assert visit.complaints == [], name
        assert (visit.marks() > 0) == bool(charts), name
    assert visit.foreign() == []
    with visit.page.expect_download() as waiting:
        visit.open("/cores.html")
        visit.page.get_by_role("button", name="Picture as SVG").click()
    assert "<svg" in Path(waiting.value.path()).read_text()
    visit.close()


@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("light", 1900),
        ("dark", 390),
        pytest.param("light", 390, marks=pytest.mark.exhaustive),
        pytest.param("dark", 1900, marks=pytest.mark.exhaustive),
    ],
)
def test_charts_fit_the_screen(browser: Browser, server: Served, width: int, scheme: Any) -> None:
    """From a phone to a wide screen they take its width, in the colours of the scheme."""
    visit = Visit(
        browser, server.base, viewport={"width": width, "height": 900}, color_scheme=scheme
    )
    visit.open("/runs/18/hmac-sha256")
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    box = visit.page.locator("#chart svg").bounding_box()
    assert box is not None
    assert width * 0.6 < box["width"] <= width
    fills = {locator.get_attribute("fill") for locator in
             visit.page.locator("#chart svg .mark-symbol.role-mark path").all()}  # fmt: skip
    assert fills <= set(THEMES[scheme].palette)
    assert fills
    visit.close()


def test_keyboard_reaches_everything(visit: Visit) -> None:
    """The first tab skips to the content; headings sort by the keyboard."""
    visit.open("/runs/18/hmac-sha256")
    visit.page.keyboard.press("Tab")
    assert visit.page.evaluate("document.activeElement.textContent") == "To the content"
    visit.page.keyboard.press("Enter")
    assert visit.page.evaluate("location.hash") == "#main"
    column = visit.page.locator("tbody tr > :nth-child(3)")
    values = [float(entry) for entry in
              column.evaluate_all("all => all.map((one) => one.dataset.key)")]  # fmt: skip
    button = visit.page.get_by_role("button", name="Time per message")
    button.focus()
    visit.page.keyboard.press("Enter")
    assert [
        float(entry) for entry in column.evaluate_all("all => all.map((one) => one.dataset.key)")
    ] == sorted(values)


def test_form_leads_to_an_address(visit: Visit) -> None:
    """What is chosen stands in the address, and the address shows it again."""
    visit.open("/history?implementation=hmac-sha256/portable")
    visit.page.select_option("select[name=length]", "1024")
    visit.page.get_by_role("button", name="Show").click()
    visit.page.wait_for_selector("html[data-drawn]")
    assert "length=1024" in visit.page.url
    assert visit.page.locator(".lead").text_content() == "Time per message at 1 KiB, 6 runs."
    assert visit.complaints == []


def test_without_javascript(browser: Browser, server: Served) -> None:
    """Tables and forms work, and the chart is a picture."""
    visit = Visit(browser, server.base, java_script_enabled=False)
    visit.page.goto(f"{server.base}/runs/18/hmac-sha256")
    picture = visit.page.locator("noscript img")
    assert picture.count() == 1
    assert picture.is_visible()
    assert visit.page.locator("tbody tr").count() == 10
    visit.page.goto(f"{server.base}/runs")
    visit.page.select_option("select[name=algorithm]", "hmac-sha1")
    visit.page.get_by_role("button", name="Show").click()
    assert visit.page.locator("tbody tr").count() == 6
    visit.close()


def _nothing_ran(visit: Visit, evil: str, tip: str) -> None:
    assert visit.page.evaluate("document.title") != "x"
    assert visit.page.locator("img[src=x], main script").count() == 0
    assert visit.complaints == []
    assert visit.foreign() == []
    assert evil in (visit.page.locator("main").text_content() or "") + tip


def test_hostile_names_are_text(browser: Browser, hostile: Holdings) -> None:
    """Implementation, machine and reason that try to be markup: in pages and tooltips text."""
    machine = next(iter(hostile.known().machines))
    evil = hostile.known().machines[machine].name
    implementation = f"hmac-sha256/{evil}"
    with served(hostile) as server:
        visit = Visit(browser, server.base)
        for address in (
            "/", "/runs/6", "/runs/6/hmac-sha256", f"/machines/{machine}", "/changes",
            "/compare?before=3&after=6", "/targets?algorithm=hmac-sha256",
        ):  # fmt: skip
            visit.open(address)
            tip = ""
            points = visit.page.locator("#chart svg .mark-symbol.role-mark path")
            if points.count():
                points.first.hover(force=True)
                visit.page.wait_for_selector("#vg-tooltip-element.visible")
                tip = visit.page.locator("#vg-tooltip-element").text_content() or ""
            _nothing_ran(visit, evil, tip)
        visit.open("/figures?algorithm=hmac-sha256")
        link = visit.page.locator("tbody th a", has_text="script").first
        link.click()
        visit.page.wait_for_selector("html[data-drawn]")
        assert visit.page.locator("h1").text_content() == f"History of {implementation}"
        _nothing_ran(visit, evil, "")
        visit.close()


@pytest.mark.usefixtures("hostile")
def test_hostile_names_are_text_in_files(
    browser: Browser, hostile_path: Path, tmp_path: Path
) -> None:
    """The same in published pages."""
    publish(str(hostile_path), tmp_path / "site", lambda _: None)
    visit = Visit(browser, (tmp_path / "site").as_uri(), offline=True)
    for path in sorted((tmp_path / "site").rglob("*.html"))[::3]:
        visit.open(f"/{path.relative_to(tmp_path / 'site')}")
        assert visit.page.evaluate("document.title") != "x"
        assert visit.page.locator("img[src=x], main script").count() == 0
        assert visit.complaints == []
    visit.close()
