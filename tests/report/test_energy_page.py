# SPDX-License-Identifier: Apache-2.0
"""Energy on the page: its columns, its domains, its meter, and the note on a simulated meter."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any

import fake_energy as energy
import fake_results as fake
import pytest

from joulemark.analyse import ResultSet
from joulemark.records.figures import ENERGY_NOT_ASKED, Evidence
from joulemark.report.circumstances import NEVER_ADDED, SIMULATED, meter_facts
from joulemark.report.columns import ENERGY, is_simulated
from joulemark.report.page.html import render_html

EVIL = "</td><script>alert('x')</script><img src=x onerror=alert(1)>"


class Tags(HTMLParser):
    """Names of the elements of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the element."""
        self.found.append(tag)


def body(results: ResultSet) -> str:
    """The page without its scripts and data."""
    return re.sub(r"<script.*?</script>", "", render_html(results), flags=re.DOTALL)


@pytest.fixture(scope="module")
def text() -> str:
    """The page of a run with a meter."""
    return body(energy.with_energy(fake.small()))


def headings(text: str) -> list[str]:
    """Headings of the first ranked table."""
    first = text.split('<table class="sortable')[1].split("</thead>", maxsplit=1)[0]
    return re.findall(r"<th[^>]*>([^<]*?) ?<", first)


def test_energy_stands_beside_time(text: str) -> None:
    """The ranked table has energy next to time, headed net or gross, with evidence words."""
    found = headings(text)
    assert found.index("Energy per byte (net of deep idle)") == found.index("Time per message") + 1
    assert "Energy per message (gross)" in found
    assert "Power (gross)" in found
    assert re.search(r">15\.2 nJ <i>\[14\.9, 15\.5]</i></td>", text)
    assert '>Energy per message (gross) <em class="evidence">measured</em>' in text


def test_modelled_joules_stand_apart() -> None:
    """Modelled joules are in columns whose headings have the word modelled."""
    text = body(energy.with_model(fake.small()))
    assert [heading for heading in headings(text) if "nergy" in heading] == [
        "Modelled energy per byte",
        "Modelled energy per message",
    ]
    assert re.search(r">22\.8 nJ <i>[^<]*</i></td>", text)
    assert '>Modelled energy per message <em class="evidence">modelled</em>' in text


def test_without_a_meter_the_page_says_so_once_for_each_table() -> None:
    """One sentence below each table, no empty columns, no domains, no meter."""
    text = unescape(body(fake.small()))
    assert text.count(f"Energy: {fake.NO_JOULES}.") == 2
    assert text.count(f"Not drawn: {fake.NO_JOULES}") == 2
    assert not [heading for heading in headings(text) if "nergy" in heading]
    assert "Energy by domain" not in text
    assert "The meter" not in text
    assert "net of active idle" not in text


def test_charts_that_nobody_asked_for_are_left_out() -> None:
    """A run without --energy has no empty place for energy."""
    small = fake.small()
    unasked = [
        result.model_copy(
            update={"reasons": result.reasons | dict.fromkeys(result.reasons, ENERGY_NOT_ASKED)}
        )
        for result in small.results
    ]
    text = body(small.model_copy(update={"results": unasked}))
    assert "Energy per byte</h2>" not in text
    assert "Not drawn" not in text
    assert text.count("<figure") == 3


def test_every_domain_is_there_and_none_is_added(text: str) -> None:
    """Each trial lists its domains with place, figures, windows and baseline, and no total."""
    plain = unescape(text)
    blocks = plain.split("<summary>Energy by domain</summary>")[1:]
    assert len(blocks) == 2
    block = blocks[0].split("</details>")[0]
    assert NEVER_ADDED in block
    assert block.count("inside package-0: not added to it") == 2
    for words in (
        "28 kept, 3 void (foreign load 2, counter was reset 1)",
        "500 ms",
        energy.BASELINE,
        "edges",
        "powercap, measured",
        "Static power (deep idle)",
        "Active-idle power",
        "Energy per message (net of active idle)",
    ):
        assert words in block
    assert block.count("<tr>") == 1 + 2 * 3
    assert "total" not in block.lower()
    assert "<strong>package-0</strong>" in block


def test_figures_of_domains_carry_their_words(text: str) -> None:
    """Each figure in the block of domains has its interval, each column its evidence word."""
    block = text.split("<summary>Energy by domain</summary>")[1].split("</details>", maxsplit=1)[0]
    cells = re.findall(r'<td class="number" data-heading="[^"]+, measured">(.*?)</td>', block)
    assert len(cells) == 2 * 3 * 6
    assert all(re.search(r"<i>\[.*\]</i>", cell) for cell in cells)
    headings = re.findall(r'<th scope="col" class="number">(.*?)</th>', block)
    assert len(headings) == 6
    assert all('<em class="evidence">measured</em>' in heading for heading in headings)


def test_refused_domain_says_why() -> None:
    """A domain refused for its error has a dash and its reason, the others their figures."""
    refused = energy.with_energy(fake.small(), refused=["intel-rapl:0:0"])
    text = unescape(body(refused))
    block = text.split("<summary>Energy by domain</summary>")[1].split("</details>")[0]
    assert energy.TOO_UNCERTAIN in block
    assert len(re.findall(r'<td class="number"[^>]*><span>-</span></td>', block)) == 2


def test_simulated_joules_are_announced() -> None:
    """A page with simulated joules says so at its top, before charts and tables."""
    text = body(energy.with_energy(fake.small(), evidence=Evidence.SIMULATED))
    assert text.count(SIMULATED) == 1
    assert text.index(SIMULATED) < text.index('id="charts"')
    assert text.count(">simulated</em>") > 20


def test_measured_joules_are_not_called_simulated(text: str) -> None:
    """The sentence about a simulated meter is only on pages that have one."""
    assert SIMULATED not in text
    assert SIMULATED not in body(fake.small())
    assert SIMULATED not in body(energy.with_model(fake.small()))


def test_one_simulated_domain_is_enough() -> None:
    """The sentence also stands where only a domain beside the headline has simulated figures."""
    result = energy.with_energy(fake.small(), evidence=Evidence.SIMULATED).results[0]
    result = result.model_copy(update={column.field: None for column in ENERGY})
    assert is_simulated([result])
    assert not is_simulated([result.model_copy(update={"energy": []})])


def test_facts_of_the_meter(text: str) -> None:
    """The meter, its method and each of its counters are among the facts of the page."""
    facts = dict(meter_facts(energy.with_energy(fake.small())))
    name = "package-0 (intel-rapl:0)"
    assert facts["meter"] == "powercap (RAPL through powercap)"
    assert (facts["evidence"], facts["method"]) == ("measured", "edges")
    assert (facts["window"], facts["foreign limit"]) == ("500 ms", "1 % of the window")
    assert facts[f"{name} update period"] == "977 µs, found before the run"
    assert facts[f"{name} jitter"] == "21 µs"
    assert facts[f"{name} resolution"] == "61 µJ"
    assert facts[f"{name} wraps at"] == "262 kJ"
    assert facts["filter bit"] == "no"
    assert facts["core (intel-rapl:0:0) update period"] == "unknown"
    shown = unescape(text)
    assert "<summary>The meter</summary>" in shown
    for label, value in facts.items():
        assert f"<dt>{label}</dt><dd>{value}</dd>" in shown


def changed(**domain: Any) -> dict[str, str]:
    """Facts of a meter whose only domain is changed, without a pace."""
    record = energy.meter()
    record |= {"domains": [record["domains"][1] | domain], "paces": {}}
    return dict(meter_facts(fake.small().model_copy(update={"context": {"meter": record}})))


def test_documented_period_is_called_documented() -> None:
    """An update period from documentation is not shown as one found on this machine."""
    facts = changed(update_period_s=0.001)
    assert facts["package-0 (intel-rapl:0) update period"] == "1 ms, as documented"
    assert facts["package-0 (intel-rapl:0) jitter"] == "unknown"


def test_a_gauge_has_watts_and_no_wrap() -> None:
    """The resolution of a gauge is a power, and no range after which it wraps is shown."""
    facts = changed(quantity="power", resolution=0.001, note="the whole machine")
    assert facts["package-0 (intel-rapl:0) resolution"] == "1 mW"
    assert "package-0 (intel-rapl:0) wraps at" not in facts
    assert facts["package-0 (intel-rapl:0) note"] == "the whole machine"


def test_unknown_wrap_is_no_number() -> None:
    """The page says that the wrap of a counter is unknown or never comes."""
    assert changed(wraps_at_counts=None)["package-0 (intel-rapl:0) wraps at"] == "unknown or never"


@pytest.mark.parametrize("record", [None, {}, {"meter": "x"}, {"domains": [None, {}], "paces": 3}])
def test_a_scanty_record_is_no_error(record: Any) -> None:
    """A stored record with few facts of its meter still gives a page."""
    results = fake.small().model_copy(update={"context": {"meter": record}})
    assert "Joulemark report" in render_html(results)


def test_hostile_words_of_a_meter_stay_text() -> None:
    """Names and reasons of domains and facts of a meter add no element to the page."""
    results = energy.with_energy(fake.small())
    record = energy.meter() | {"title": EVIL, "method": EVIL, "facts": {EVIL: [EVIL]}}
    hostile = energy.hostile(results, EVIL).model_copy(update={"context": {"meter": record}})
    tags = Tags(render_html(hostile)).found
    assert "img" not in tags
    assert tags.count("script") == Tags(render_html(results)).found.count("script")
