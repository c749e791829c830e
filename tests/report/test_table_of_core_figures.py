# SPDX-License-Identifier: Apache-2.0
"""The table of figures of cores: a figure needs a line there and the code that computes it."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace

import pytest
from fake_results import HMAC_SHA256, result, result_set

from joulemark.analyse import ResultSet
from joulemark.cli.core_table import print_comparison, print_report
from joulemark.hardware.cores import find_core
from joulemark.hardware.flow import characterise
from joulemark.hardware.flow.cache import AsicFigures
from joulemark.hardware.flow.request import flow
from joulemark.records.core_figures import CORE_FIGURES, CoreFigure, FigureEnd
from joulemark.records.core_report import CoreReport, StoredCoreReport
from joulemark.records.figures import FigureGroup, FigureUnit
from joulemark.report.draw import sheet_lines, text_of
from joulemark.report.export import exporter
from joulemark.report.page.html import render_html
from joulemark.report.terminal_tables import results_sheet
from joulemark.report.words import core_figure_text
from joulemark.store.beside_runs import latest_reports
from joulemark.store.repository import Store
from joulemark.studies.papers import CoreFigures

SUFFIXES = {
    FigureUnit.CLOCKS: "clocks", FigureUnit.SECONDS: "_s", FigureUnit.JOULES: "_j",
    FigureUnit.WATTS: "_w", FigureUnit.HERTZ: "_hz", FigureUnit.GATES: "_ge",
    FigureUnit.SQUARE_MICROMETRES: "_um2", FigureUnit.BITS_PER_SECOND: "bit_per_s",
    FigureUnit.COUNT: "",
}  # fmt: skip


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A figure that no core has: its line in the table, and a flow that computes it."""
    line = CoreFigure("made_up_j", "Made up", FigureUnit.JOULES, FigureGroup.CELLS)
    gates = SimpleNamespace(area_ge=1234.0, storage_ge=1000.0, logic_ge=234.0, cells={})
    monkeypatch.setitem(CORE_FIGURES, "made_up_j", line)
    monkeypatch.setattr(characterise.generic, "map_core", lambda *_: gates)
    monkeypatch.setattr(characterise, "_derived", lambda *_: {"made_up_j": 2.5e-9})
    monkeypatch.setattr(characterise, "_memories", lambda *_: [])
    clocks = SimpleNamespace(clocks_per_block=16.0, latency_clocks=65, varied="")
    monkeypatch.setattr(characterise, "measure_clocks", lambda *_: clocks)
    monkeypatch.setattr(characterise, "require_same", lambda *_, **_more: None)


@pytest.mark.usefixtures("made_up")
def test_a_figure_needs_a_line_and_what_computes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The figure and its evidence are in JSON, CSV, Markdown, the page and the terminal tables."""
    core = find_core("siphash")
    report = characterise.make_report(core, core.chosen({}), flow("generic"), tmp_path)
    printed = json.loads(report.model_dump_json())
    assert printed["figures"]["made_up_j"] == 2.5e-9
    assert printed["evidence"]["made_up_j"] == "modelled"
    print_report(report)
    assert "made up 2.5 nJ modelled" in " ".join(capsys.readouterr().out.split())
    print_comparison([report, report])
    assert "made up 2.5 nJ 2.5 nJ modelled" in " ".join(capsys.readouterr().out.split())

    shown = stored(report.model_copy(update={"algorithm": "hmac-sha256"}))
    [again] = json.loads(exporter("json").render(shown, None))["core_reports"]
    assert again["figures"]["made_up_j"] == 2.5e-9
    rows = csv.DictReader(io.StringIO(exporter("cores_csv").render(shown, None).decode()))
    [row] = [row for row in rows if row["figure"] == "made_up_j"]
    assert (row["value"], row["evidence"]) == ("2.5e-09", "modelled")
    markdown = exporter("markdown").render(shown, None).decode()
    assert "| Made up |" in markdown
    assert "2.5 nJ modelled" in markdown
    page = render_html(shown).split('<script type="application/json"')[0]
    assert "Made up" in page
    assert '2.5 nJ <em class="evidence">modelled</em>' in page
    lines = sheet_lines(results_sheet(shown, 100), 100)
    assert "Made up 2.5 nJ modelled" in " ".join(" ".join(map(text_of, lines)).split())


def stored(report: CoreReport) -> ResultSet:
    """Results of software, with the report as it comes back from the store."""
    with Store.open(":memory:") as store:
        origin = {"digest": "d", "joulemark_version": "0", "made_at": "2026-01-02T03:04:05+00:00"}
        store.add_core_report(StoredCoreReport(**dict(report), **origin))
        reports = latest_reports(store.core_reports())
    return result_set([result(HMAC_SHA256[0], 64)]).model_copy(update={"core_reports": reports})


@pytest.mark.usefixtures("made_up")
def test_a_figure_that_is_not_there_has_a_reason(tmp_path: Path) -> None:
    """The reason of an absent figure follows from the targets of its line."""
    line = CoreFigure("made_up_too", "Made up too", FigureUnit.COUNT, FigureGroup.FPGA)
    core = find_core("siphash")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(CORE_FIGURES, "made_up_too", line)
        report = characterise.make_report(core, core.chosen({}), flow("generic"), tmp_path)
    assert report.figures["made_up_too"] is None
    assert "FPGAs alone" in report.reasons["made_up_too"]


@pytest.mark.usefixtures("made_up")
def test_a_core_that_is_not_mapped_has_clocks_alone(tmp_path: Path) -> None:
    """The sources are simulated; there is no area, and the reason says so."""
    core = find_core("siphash")
    asked = flow("generic", mapped=False)
    report = characterise.make_report(core, core.chosen({}), asked, tmp_path)
    assert report.figures["clocks_per_block"] == 16.0
    assert report.figures["area_ge"] is None
    assert "the sources alone were simulated" in report.reasons["area_ge"]


@pytest.mark.parametrize("kind", CORE_FIGURES.values(), ids=CORE_FIGURES)
def test_a_name_says_the_unit(kind: CoreFigure) -> None:
    """A name ends with its SI unit without a prefix, except areas; the text has the unit too."""
    assert (SUFFIXES[kind.unit] in kind.field) if "bit_per_s" in kind.field else (
        kind.field.partition("_per_block")[0].endswith(SUFFIXES[kind.unit])
        or kind.field.endswith(SUFFIXES[kind.unit])
    )  # fmt: skip
    number, _, unit = core_figure_text(kind.field, 2e6).partition(" ")
    assert float(number) > 0
    assert unit.lstrip("kM") == ("" if kind.unit is FigureUnit.CLOCKS else kind.unit.value)
    assert core_figure_text(kind.field, None) == "-"


def test_a_part_stands_below_its_whole() -> None:
    """A part has the unit of its whole, and both ends of a range stand together."""
    above = None
    for kind in CORE_FIGURES.values():
        above = kind if not kind.part_of else above
        assert kind.part_of in ("", getattr(above, "field", None))
        assert kind.unit is getattr(above, "unit", None)
        assert bool(kind.part_of) == kind.title[0].islower()
    ends = [(kind.part_of, kind.end) for kind in CORE_FIGURES.values() if kind.end is not None]
    assert ends == [(of, end) for of, _ in ends[::2] for end in FigureEnd]


def test_what_a_mapping_and_a_study_name_is_in_the_table() -> None:
    """Each figure of a mapping or a study is in the table, so that none is computed in vain."""
    numbers = {field.name for field in fields(AsicFigures) if field.type in ("float", "int")}
    numbers |= {field.name for field in fields(AsicFigures) if field.type == "float | None"}
    assert numbers - CORE_FIGURES.keys() == {"cells"}
    of_studies = CoreFigures.model_fields.keys() - {"point", "reasons", "voltage_v", "corner"}
    assert of_studies <= CORE_FIGURES.keys()
