# SPDX-License-Identifier: Apache-2.0
"""Hardware cores: a figure against another, as area against energy, with the Pareto front."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from joulemark.errors import UsageError
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.views import Form, FormChoice, Page, Query, Rows, one_of
from joulemark.explorer.views.charts import FRONT_CAPTION, front, pareto
from joulemark.explorer.views.parts import MOST_ROWS, all_or_some, hidden_note
from joulemark.records.core_figures import CORE_FIGURES, CoreFigure
from joulemark.records.core_report import StoredCoreReport
from joulemark.report import Address, Cell, Chart, Heading, Part, Table
from joulemark.report.drawing import Row, looks_of
from joulemark.report.tables import number_in, parameters_text, target_text
from joulemark.report.words import core_figure_text

COLUMNS: Final = (
    "core",
    "configuration",
    "parameters",
    "algorithm",
    "target",
    "conditions",
    "across",
    "x",
    "x_evidence",
    "upwards",
    "y",
    "y_evidence",
    "on_the_front",
    "made_at",
    "digest",
)
_ACROSS: Final = ("area_ge", "luts")
_UPWARDS: Final = ("energy_per_byte_j", "energy_per_block_j", "fmax_hz", "clocks_per_block")
"""Figures that are shown if the address names none, the first that most reports have."""
_LARGER_IS_BETTER: Final = {"fmax_hz", "throughput_bit_per_s", "bit_per_s_per_lut"}


def cores(holdings: Holdings, query: Query) -> Page:
    """The view of the figures that the address names, `x` and `y`."""
    reports = holdings.cores()
    names = sorted({report.algorithm for report in reports})
    algorithm = one_of(query, "algorithm")
    if algorithm is not None and algorithm not in names:
        raise UsageError("algorithm: no report of a core in the store has it")
    chosen = [report for report in reports if algorithm in (None, report.algorithm)]
    there = Counter(
        field for report in chosen for field in CORE_FIGURES if number_in(report, field) is not None
    )
    kinds = [
        _kind(one_of(query, name), usual, there)
        for name, usual in (("x", _ACROSS), ("y", _UPWARDS))
    ]
    rows = _rows(chosen, *kinds)
    blocks: list[Part] = [
        _form(names, algorithm, [name for name in CORE_FIGURES if there[name]], kinds),
        _chart(rows, *kinds),
        _table(rows, kinds),
    ]
    asked = {name: one_of(query, name) for name in ("algorithm", "x", "y")}
    return Page(
        "Hardware cores",
        blocks,
        address=Address.of("cores", **asked),
        lead="Reports of cores in the store: area, clock and power of circuits.",
        data=Rows(len(rows), lambda: [{name: row[name] for name in COLUMNS} for row in rows]),
        columns=COLUMNS,
    )


def _form(
    algorithms: Sequence[str],
    algorithm: str | None,
    fields: Sequence[str],
    kinds: Sequence[CoreFigure],
) -> Form:
    figures = [(field, CORE_FIGURES[field].heading) for field in fields]
    across, upwards = kinds
    return Form(
        "What is shown",
        Address.of("cores"),
        [
            all_or_some(
                "algorithm", "Algorithm", [(name, name) for name in algorithms], [algorithm]
            ),
            FormChoice("x", "Across", figures, [across.field]),
            FormChoice("y", "Upwards", figures, [upwards.field]),
        ],
    )


def _chart(rows: Sequence[Row], across: CoreFigure, upwards: CoreFigure) -> Chart:
    looks = looks_of(dict.fromkeys(row["series"] for row in rows))
    return Chart(
        f"{upwards.heading} against {across.heading[0].lower()}{across.heading[1:]}",
        FRONT_CAPTION,
        front(across, upwards, rows, looks, "figures of cores against each other"),
        "no report in the store has both figures; joulemark core report makes one.",
    )


def _kind(name: str | None, usual: Sequence[str], there: Counter[str]) -> CoreFigure:
    if name is None:
        return CORE_FIGURES[max(usual, key=lambda field: there[field])]
    if name not in CORE_FIGURES:
        raise UsageError(f"x, y: there is no such figure; choose one of {', '.join(CORE_FIGURES)}")
    return CORE_FIGURES[name]


def _rows(
    reports: Sequence[StoredCoreReport], across: CoreFigure, upwards: CoreFigure
) -> list[Row]:
    rows: list[Row] = []
    for report in reports:
        x, y = number_in(report, across.field), number_in(report, upwards.field)
        if x is None or y is None:
            continue
        words = [report.evidence.get(kind.field, "not recorded") for kind in (across, upwards)]
        target = target_text(report)
        rows.append(
            {
                "core": report.core,
                "configuration": report.configuration or "",
                "parameters": parameters_text(report),
                "algorithm": report.algorithm,
                "target": report.target,
                "conditions": target,
                "across": across.field,
                "x": x,
                "x_evidence": words[0],
                "upwards": upwards.field,
                "y": y,
                "y_evidence": words[1],
                "made_at": report.made_at,
                "digest": report.digest,
                "series": target,
                "x_text": core_figure_text(across.field, x),
                "y_text": core_figure_text(upwards.field, y),
                "evidence": " and ".join(dict.fromkeys(words)),
            }
        )
    x_sign, y_sign = (-1 if kind.field in _LARGER_IS_BETTER else 1 for kind in (across, upwards))
    for group in {(row["series"], row["algorithm"]) for row in rows}:
        members = [row for row in rows if (row["series"], row["algorithm"]) == group]
        best = pareto([(x_sign * row["x"], y_sign * row["y"]) for row in members])
        for row, is_best in zip(members, best, strict=True):
            row["best"] = row["on_the_front"] = is_best
    return sorted(rows, key=lambda row: (row["series"], row["x"], row["y"]))


def _table(rows: Sequence[Row], kinds: Sequence[CoreFigure]) -> Table:
    shown = rows[:MOST_ROWS]
    cells = [
        (
            Cell(f"{row['core']} {row['configuration']}".strip(), small=row["parameters"]),
            Cell(row["conditions"]),
            Cell(row["x_text"], evidence=row["x_evidence"], key=row["x"]),
            Cell(row["y_text"], evidence=row["y_evidence"], key=row["y"]),
            Cell("on the front" if row["best"] else "-"),
        )
        for row in shown
    ]
    headings = (
        Heading("Core"),
        Heading("Device or library"),
        *(Heading(kind.heading, number=True) for kind in kinds),
        Heading("Pareto front"),
    )
    return Table(
        "Table",
        headings,
        cells,
        empty="No report has both figures.",
        notes=hidden_note(len(shown), len(rows)),
    )
