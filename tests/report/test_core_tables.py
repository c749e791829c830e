# SPDX-License-Identifier: Apache-2.0
"""Simulated cores and reports of their area and power in every kind of output."""

from __future__ import annotations

import csv
import io
import json

import pytest
from fake_results import HMAC_SHA256, figure, result, result_set

from joulemark.analyse import Result, ResultSet
from joulemark.analyse.from_elsewhere import clock_result
from joulemark.records import ImplementationFacts
from joulemark.records.core_report import StoredCoreReport
from joulemark.records.figures import Evidence
from joulemark.records.sample import ClockCount
from joulemark.records.trial import RTL, Mode, Trial, Workload
from joulemark.report import Table
from joulemark.report.columns import reasons
from joulemark.report.draw import sheet_lines, text_of
from joulemark.report.export import exporter
from joulemark.report.page.html import render_html
from joulemark.report.tables import core_sheets
from joulemark.report.terminal_tables import results_sheet
from joulemark.report.words import groups, workload_label

FACTS = ImplementationFacts(
    "hmac-sha256/core_hmac_sha256", "mac", "joulemark", "0.1.0", "Verilator 5.48", "STAGES=4", (),
    1, constant_time=False, block_bytes=64, output_bytes=32, key_bytes_min=32, key_bytes_max=32,
    key_bytes=32,
)  # fmt: skip
ASIC = StoredCoreReport(
    core="hmac_sha256",
    algorithm="hmac-sha256",
    configuration="fast",
    parameters={"STAGES": 4, "ROUNDS": 2},
    target="asic",
    figures={
        "clocks_per_block": 8,
        "area_ge": 84_000.5,
        "period_s": 2.5e-9,
        "dynamic_w": 65.2e-6,
        "energy_per_block_j": 6.4e-9,
        "luts": None,
    },
    evidence={
        "clocks_per_block": "simulated",
        "area_ge": "modelled",
        "period_s": "modelled",
        "dynamic_w": "modelled",
        "energy_per_block_j": "modelled",
    },
    reasons={"leakage_w": "not asked for"},
    settings={
        "library": "sg13g2 <typ>",
        "clock_hz": 5e5,
        "voltage_v": 1.2,
        "workload": {"message_bytes": 32, "blocks_per_message": 1},
    },
    made_at="2026-01-02T03:04:05+00:00",
    joulemark_version="0.1.0",
    digest="d",
)
ECP5 = ASIC.model_copy(
    update={
        "target": "ecp5",
        "figures": {"luts": 7163, "fmax_hz": 68.04e6},
        "evidence": {"luts": Evidence.MODELLED, "fmax_hz": Evidence.MODELLED},
        "device": "LFE5U-85F-6",
        "settings": {},
    }
)


def software_results(count: int) -> ResultSet:
    """A run of software alone."""
    return result_set(result(fake, 64) for fake in HMAC_SHA256[:count])


def core_result(name: str, size_bytes: int, clocks: int, mode: Mode = Mode.THROUGHPUT) -> Result:
    """A simulated trial."""
    trial = Trial(f"hmac-sha256/{name}", Workload(size_bytes, mode), RTL)
    return clock_result(trial, FACTS, ClockCount(1, clocks, 130))


@pytest.fixture
def both() -> ResultSet:
    """Software and cores of one algorithm in one run, with two reports."""
    software = software_results(3)
    cores = [core_result("core_a", 64, 129), core_result("core_b", 64, 258)]
    return software.model_copy(
        update={"results": [*software.results, *cores], "core_reports": [ASIC, ECP5]}
    )


def table_of(report: StoredCoreReport) -> Table:
    """The table of a single report."""
    alone = software_results(1).model_copy(update={"core_reports": [report]})
    [sheet] = core_sheets(alone)
    table = sheet.parts[0]
    assert isinstance(table, Table)
    return table


def terminal(results: ResultSet, width: int = 100) -> str:
    """The table as a terminal shows it."""
    lines = sheet_lines(results_sheet(results, width), width)
    return "".join(f"{text_of(line)}\n" for line in lines)


def test_cores_are_ranked_among_themselves(both: ResultSet) -> None:
    """Cores are ranked by clocks and never beside software, which is ranked by time."""
    found = groups(both)
    assert [group.workload for group in found if group.results[0].target == RTL] == [
        "throughput, on rtl:verilator"
    ]
    [cores] = [group for group in found if group.results[0].target == RTL]
    assert [shown_result.implementation for shown_result in cores.results] == [
        "hmac-sha256/core_a",
        "hmac-sha256/core_b",
    ]
    assert [cores.relative(shown_result) for shown_result in cores.results] == [1.0, 2.0]


def test_label_names_no_cache() -> None:
    """A core has no cache and no key set-up in its figure."""
    label = workload_label(core_result("core_a", 0, 65, Mode.LATENCY))
    assert label == "latency, on rtl:verilator"


@pytest.mark.parametrize("width", [60, 80, 120])
def test_terminal_has_the_word(both: ResultSet, width: int) -> None:
    """At every width clocks stand under the word simulated, and never under measured."""
    text = terminal(both, width)
    part = text[text.index("on rtl:verilator") :]
    assert "simulated" in part
    assert "129" in part
    assert "2.00\N{MULTIPLICATION SIGN}" in part
    assert "measured" not in part[: part.index("Hardware cores")]


def test_terminal_shows_reports(both: ResultSet) -> None:
    """Each figure of a report has its unit and evidence word; its conditions stand beside it."""
    text = " ".join(terminal(both).split())
    for words in (
        "Hardware cores, FPGA",
        "Hardware cores, Standard cells",
        "Area in NAND2 84000 GE modelled",
        "Clocks per block 8 simulated",
        "Energy per block 6.4 nJ modelled",
        "Highest clock 68.04 MHz modelled",
        "asic, sg13g2 <typ>, 500 kHz, 1.2 V",
        "Nothing of this was measured on silicon",
        "Leakage (hmac_sha256, asic): not asked for.",
    ):
        assert words in text, words


def test_words_of_a_report_cannot_steer_the_terminal(both: ResultSet) -> None:
    """Escape sequences and markup are shown, not obeyed; each reason stays one line."""
    evil = "\x1b[2J[red]x[/red]\ny"
    report = ASIC.model_copy(update={"core": evil, "reasons": {"leakage_w": evil}})
    text = terminal(both.model_copy(update={"core_reports": [report]}), 200)
    assert "\x1b" not in text
    assert "\\x1b[2J[red]x[/red] y fast, STAGES=4" in text
    [line] = [line for line in text.splitlines() if line.startswith(" Leakage (")]
    assert line.rstrip().endswith(": \\x1b[2J[red]x[/red] y.")


def test_energy_is_of_the_lengths_that_were_simulated(both: ResultSet) -> None:
    """A run of 64 bytes has the energy of two blocks; without a run the report's length has it."""
    lines = [" ".join(line.split()) for line in terminal(both, 140).splitlines()]
    assert "hmac_sha256 fast 64 B 12.8 nJ 32 B asic, sg13g2 <typ>, 500 kHz, 1.2 V" in lines
    alone = software_results(1).model_copy(update={"core_reports": [ASIC]})
    markdown = exporter("markdown").render(alone, None).decode()
    assert "| hmac\\_sha256 fast | 32 B | 6.4 nJ modelled | 32 B | asic," in markdown


def test_terminal_shows_what_the_run_is_about(both: ResultSet) -> None:
    """Reports of other algorithms, and most of a sweep, appear only on the page and in exports."""
    other = ASIC.model_copy(update={"algorithm": "sha1", "core": "sha1_serial"})
    text = terminal(both.model_copy(update={"core_reports": [*[ECP5] * 6, other]}))
    assert "sha1_serial" not in text
    assert text.count("68.04 MHz") == 4
    assert "2 more are on the page and in the exports" in text


def test_software_alone_is_as_before() -> None:
    """A run without cores has no sentence about cores."""
    software = software_results(2)
    text = terminal(software)
    page = render_html(software)
    for words in ("clocks", "Clocks", "Hardware", "simulated core"):
        assert words not in text
        assert words not in page.split('<script type="application/json"')[0]
    rows = exporter("csv").render(software, None).decode()
    assert "clocks" not in rows


def test_csv_has_columns_for_clocks(both: ResultSet) -> None:
    """Clocks have columns of their own, filled for cores alone, with evidence beside."""
    rows = list(csv.DictReader(io.StringIO(exporter("csv").render(both, None).decode())))
    by_name = {row["implementation"]: row for row in rows}
    core = by_name["hmac-sha256/core_b"]
    assert (core["clocks_per_message_median"], core["clocks_per_message_evidence"]) == (
        "258.0",
        "simulated",
    )
    assert (core["target"], core["evidence"], core["time_s_per_message_median"]) == (
        RTL,
        "simulated",
        "",
    )
    assert "no time" in core["time_s_per_message_missing_because"]
    software = by_name["hmac-sha256/shani"]
    assert software["clocks_per_message_median"] == ""


def test_csv_of_core_reports(both: ResultSet) -> None:
    """One row for each report and figure, with its evidence or why it is missing."""
    text = exporter("cores_csv").render(both, None).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    area = next(row for row in rows if row["figure"] == "area_ge")
    assert (area["core"], area["value"], area["evidence"]) == ("hmac_sha256", "84000.5", "modelled")
    assert json.loads(area["settings"])["clock_hz"] == 5e5
    missing = next(row for row in rows if row["figure"] == "luts" and row["target"] == "asic")
    assert (missing["value"], missing["missing_because"]) == ("", "no reason recorded")


def test_markdown_has_both_tables(both: ResultSet) -> None:
    """Markdown has the clocks with their word, and a table for each kind of target."""
    text = exporter("markdown").render(both, None).decode()
    assert "129 simulated" in text
    assert "### Standard cells" in text
    assert "6.4 nJ modelled" in text
    assert "sg13g2 \\<typ\\>" in text


def test_page_has_both_tables(both: ResultSet) -> None:
    """The page has the clocks with an explanation, and the reports with escaped text."""
    page = render_html(both)
    shown = page.split('<script type="application/json"')[0]
    for words in (
        'id="cores"',
        "Clocks per message",
        "68.04 MHz",
        "sg13g2 &lt;typ&gt;",
        "periods of its own clock",
        '<em class="evidence">simulated</em>',
        "Hardware cores",
    ):
        assert words in shown, words
    assert '>Clocks per message <em class="evidence">simulated</em>' in shown
    assert ">129</td>" in shown


def test_page_of_cores_alone() -> None:
    """A run of cores alone opens with clocks, not with a missing time."""
    software = software_results(1)
    alone = software.model_copy(update={"results": [core_result("core_a", 64, 129)]})
    shown = render_html(alone).split('<script type="application/json"')[0]
    assert "129 clocks" in shown
    assert "no figure" not in shown


def test_one_sentence_for_what_a_core_has_not(both: ResultSet) -> None:
    """One sentence says that a core has no time, and no sentence about software mentions clocks."""
    said = reasons(both.results)
    assert sum("clocks and no time" in text for text in said) == 1
    assert not any("no clock of its own" in text for text in said)


def test_figure_evidence_is_never_invented() -> None:
    """A report without the evidence of a figure is shown as such a report."""
    report = ASIC.model_copy(update={"evidence": {}})
    assert {cell.evidence for cell in table_of(report).rows[0][3:]} == {"evidence not recorded"}


def test_exact_figure_has_no_interval() -> None:
    """Fractions of a clock are kept to three places; an interval of no width is not written."""
    from joulemark.report.words import clocks_text

    exact = figure(16.0, Evidence.SIMULATED, half_width=0)
    assert clocks_text(exact) == "16"
    assert clocks_text(exact.model_copy(update={"median": 16.0625})) == "16.062"
