# SPDX-License-Identifier: Apache-2.0
"""The page of a run with a meter, in a real browser."""

from __future__ import annotations

import fake_energy
import fake_results as fake
import pytest
from report_window import ReportWindow

from browser_windows import HEIGHT, WIDTH
from joulemark.report.drawing.rows import MOST
from joulemark.report.page.html import write_html


@pytest.fixture(scope="module")
def metered(window: ReportWindow, tmp_path_factory: pytest.TempPathFactory) -> ReportWindow:
    """The page of a realistic run with a meter, opened once; each test asks for its width first."""
    path = tmp_path_factory.mktemp("metered") / "report.html"
    write_html(fake_energy.with_energy(fake.realistic()), path)
    window.open(path.as_uri())
    return window


@pytest.mark.parametrize("width", [390, 1400])
def test_a_ranked_table_with_energy_fits_its_column(metered: ReportWindow, width: int) -> None:
    """Time and energy stand side by side; the other figures of a meter appear on request."""
    metered.page.set_viewport_size({"width": width, "height": 900})
    metered.until(
        "[...document.querySelectorAll('.group:not([hidden]) .scroll:has(.sortable)')]"
        ".every((one) => one.scrollWidth <= one.clientWidth)"
    )
    group = metered.page.locator(".group:not([hidden])")
    for name in ("Time per message", "Energy per message (net of deep idle)"):
        assert group.get_by_role("button", name=name).is_visible()
    power = group.get_by_role("button", name="Power (gross)")
    assert not power.is_visible()
    metered.page.check("#all-columns")
    assert power.is_visible()
    metered.page.uncheck("#all-columns")
    assert metered.complaints == []


def test_energy_charts_are_drawn(metered: ReportWindow) -> None:
    """Energy has a point, two intervals and lines of equal power, and follows the dropdown."""
    metered.page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    assert metered.marks("energy_time", "mark-symbol.role-mark") == 12 * 8
    rules = metered.page.locator("#chart-energy_time .mark-rule.role-mark line")
    assert rules.count() == 2 * 12 * 8 + 3
    words = metered.page.locator("#chart-energy_time .mark-text.role-mark text")
    assert sorted(words.all_text_contents()) == ["10 W", "20 W", "5 W"]
    assert metered.marks("energy_per_byte", "mark-symbol.role-mark") == MOST * 7
    controls = [f'#table-controls select[name="{name}"]' for name in ("algorithm", "size")]
    before = [metered.page.input_value(control) for control in controls]
    metered.page.select_option(controls[0], "siphash-2-4")
    metered.until(
        "document.querySelectorAll('#chart-energy_time .mark-symbol.role-mark path').length === 16"
    )
    assert "package-0" in metered.title("energy_time")
    metered.page.select_option('#chart-energy_time select[name="size"]', label="4 KiB")
    metered.until(
        "document.querySelectorAll('#chart-energy_time .mark-symbol.role-mark path').length === 2"
    )
    assert metered.title("ranking").endswith("4 KiB")
    assert metered.page.locator(".group:not([hidden])").count() == 1
    assert metered.complaints == []
    for control, choice in zip(controls, before, strict=True):
        metered.page.select_option(control, choice)


@pytest.mark.parametrize("width", [390, 1280])
def test_energy_by_domain_opens_within_the_page(metered: ReportWindow, width: int) -> None:
    """The block of domains opens on a phone and on a desk without widening the page."""
    metered.page.set_viewport_size({"width": width, "height": 844})
    summary = metered.page.locator(".group:not([hidden]) details.energy summary")
    summary.click()
    rows = metered.page.locator(".group:not([hidden]) details.energy tbody")
    assert rows.count() == 12 * 3
    assert rows.first.is_visible()
    table, column = (
        f"document.querySelector('.group:not([hidden]) .domains').{text}"
        for text in ("scrollWidth", "parentElement.clientWidth")
    )
    assert metered.page.evaluate(table) <= metered.page.evaluate(column)
    metered.until(f"document.documentElement.scrollWidth <= {width}")
    assert metered.complaints == []
    summary.click()
