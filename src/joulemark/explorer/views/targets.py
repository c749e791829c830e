# SPDX-License-Identifier: Apache-2.0
"""Host, firmware and circuits on one axis, where the unit allows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from joulemark.catalogue.vectors import blocks_of_message
from joulemark.errors import UsageError
from joulemark.explorer.estimates import (
    DEFAULT_QUANTITY,
    Estimate,
    Line,
    LineQuantity,
    quantity_named,
)
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.estimates.known import KnownRuns
from joulemark.explorer.views import Form, FormChoice, Page, Query, Rows, one_of
from joulemark.explorer.views.charts import DOTS_CAPTION, dots
from joulemark.explorer.views.figures import quantity_choice
from joulemark.explorer.views.parts import (
    MOST_ROWS,
    figure_cell,
    hidden_note,
    length_choice,
    pending_notes,
    preferred_size,
    where,
)
from joulemark.records.figures import Evidence
from joulemark.report import Address, Cell, Chart, Heading, Part, Table
from joulemark.report.drawing import Row, looks_of
from joulemark.report.tables import number_in, parameters_text, target_text
from joulemark.units import format_bytes, parse_size

COLUMNS: Final = (
    "algorithm",
    "implementation",
    "target",
    "where",
    "size_bytes",
    "quantity",
    "unit",
    "value",
    "low",
    "high",
    "evidence",
    "basis",
    "run",
)
_DRAWN: Final = (
    "label",
    "series",
    "value",
    "low",
    "high",
    "implementation",
    "target",
    "where",
    "text",
    "evidence",
    "basis",
)
_MOST_TARGETS: Final = 18
"""Most combinations of machine and target whose newest run is shown."""
_CLOCKS: Final = "clocks_per_message"
_TIMED: Final = "seconds_per_message"
_PER_BYTE: Final = "joules_per_byte"
_CORE_ENERGY: Final = "energy_per_byte_j"
_BLOCK_ENERGY: Final = "energy_per_block_j"
_OF_CORES: Final = (
    "Energy of a circuit is all that its model gives at its clock, leakage included, and has no "
    "interval; energy of a machine is net of deep idle."
)


def targets(holdings: Holdings, query: Query) -> Page:
    """The view of an algorithm, a quantity and a message length.

    A circuit has no time. If a report has the clock at which it can run, its time is modelled as
    its simulated clocks over that clock, and is called modelled.
    """
    known = holdings.known()
    names = sorted({*known.algorithms, *(core.algorithm for core in holdings.cores())})
    algorithm = one_of(query, "algorithm") or known.most_measured or next(iter(names), "")
    if names and algorithm not in names:
        raise UsageError("algorithm: neither a run nor a report of a core has it")
    quantity = quantity_named(one_of(query, "quantity"))
    length = one_of(query, "length")
    wanted = _runs(known, algorithm)
    ready = holdings.ensure(wanted)
    fields = [*quantity.fields, *([_CLOCKS] if quantity.name == _TIMED else [])]
    lines = holdings.estimates.lines(fields, runs=ready, algorithm=algorithm)
    sizes = sorted({line.size_bytes for line in lines})
    size = parse_size(length) if length else preferred_size(sizes)
    rows = _rows(holdings, [line for line in lines if line.size_bytes == size], quantity)
    if quantity.name == _PER_BYTE:
        rows += _energies(holdings, algorithm, quantity, size)
    rows.sort(key=lambda row: (row["value"], row["label"]))
    chosen = None if quantity.name == DEFAULT_QUANTITY else quantity.name
    blocks: list[Part] = [
        Form(
            "What is shown",
            Address.of("targets"),
            [
                FormChoice("algorithm", "Algorithm", [(name, name) for name in names], [algorithm]),
                length_choice(sizes, str(size)),
                quantity_choice(quantity),
            ],
        ),
        *pending_notes(holdings, len(wanted) - len(ready)),
        _chart(rows, quantity),
        _table(rows, quantity),
    ]
    return Page(
        f"{algorithm or 'Nothing'} on all targets",
        blocks,
        address=Address.of(
            "targets", algorithm=algorithm, length=size if length else None, quantity=chosen
        ),
        lead=f"{quantity.title} of messages of {format_bytes(size)}, in the newest run of each "
        "machine and target.",
        above=[("Algorithms", Address.of("algorithms"))],
        data=Rows(len(rows), lambda: [{name: row[name] for name in COLUMNS} for row in rows]),
        columns=COLUMNS,
    )


def _runs(known: KnownRuns, algorithm: str) -> list[int]:
    """The newest run of each machine and target."""
    newest: dict[tuple[str, str], int] = {}
    for run in known.newest_first(algorithm=algorithm):
        for trial in run.trials:
            if trial.algorithm == algorithm:
                newest.setdefault((known.machine_of[run.id], trial.target), run.id)
    return list(dict.fromkeys(list(newest.values())[:_MOST_TARGETS]))


def _rows(holdings: Holdings, lines: Sequence[Line], quantity: LineQuantity) -> list[Row]:
    rows = []
    for line in lines:
        figure = quantity.of(line)
        if figure is not None:
            place = where(line, holdings.known())
            rows.append(_row_of_line(line, quantity, figure, place, "the run"))
        elif quantity.name == _TIMED and _CLOCKS in line.figures:
            rows += _times_of_core(holdings, line, quantity)
    return rows


def _times_of_core(holdings: Holdings, line: Line, quantity: LineQuantity) -> list[Row]:
    """Simulated clocks over the highest clock of each report of that core and algorithm."""
    clocks = line.figures[_CLOCKS]
    rows = []
    for report in holdings.cores():
        hertz = number_in(report, "fmax_hz")
        if hertz and line.implementation.endswith(f"/core_{report.core}"):
            figure = _exact(clocks.median / hertz, Evidence.MODELLED.value)
            basis = f"{clocks.median:g} simulated clocks at the highest clock of a report"
            place = target_text(report, clock_hz=hertz)
            rows.append(_row_of_line(line, quantity, figure, place, basis))
    return rows


def _exact(value: float, evidence: str) -> Estimate:
    return Estimate(value, value, value, evidence, 1)


def _energies(
    holdings: Holdings, algorithm: str, quantity: LineQuantity, size_bytes: int
) -> list[Row]:
    """Energy per byte of cores: of this length, or of a block if a message has no known blocks.

    Both are made of the energy of a block, which a report has for messages of its workload.
    """
    rows = []
    for report in holdings.cores():
        joules = number_in(report, _CORE_ENERGY)
        if report.algorithm != algorithm or joules is None:
            continue
        if report.firmware is not None and report.message_bytes != size_bytes:
            continue
        evidence = report.evidence.get(_CORE_ENERGY, Evidence.MODELLED.value)
        basis, of_bytes = "the energy of a block over its bytes, in a report", None
        workload, block_j = report.workload_of(size_bytes), number_in(report, _BLOCK_ENERGY)
        blocks = blocks_of_message(algorithm, size_bytes, workload)
        if block_j is not None and blocks is not None and size_bytes:
            joules, of_bytes = block_j * blocks / size_bytes, size_bytes
            basis = f"blocks of the message: {blocks}, at the energy of a block in a report"
        name = report.configuration or parameters_text(report)
        core = f"core_{report.core}" if report.firmware is None else report.core
        row = _row(quantity, _exact(joules, evidence)) | {
            "algorithm": algorithm,
            "implementation": report.firmware or f"{algorithm}/{core}",
            "target": report.target if report.firmware is None else report.core,
            "where": target_text(report),
            "size_bytes": of_bytes,
            "run": None,
            "basis": basis,
            "label": f"{name}, {core}",
            "small": name,
        }
        rows.append(row | {"text": row["text"].partition(" [")[0]})
    return rows


def _row_of_line(
    line: Line, quantity: LineQuantity, figure: Estimate, place: str, basis: str
) -> Row:
    return _row(quantity, figure) | {
        "algorithm": line.algorithm,
        "implementation": line.implementation,
        "target": line.target,
        "where": place,
        "size_bytes": line.size_bytes,
        "basis": basis,
        "run": line.run,
        "label": f"{line.name}, {place}",
    }


def _row(quantity: LineQuantity, figure: Estimate) -> Row:
    return {
        "quantity": quantity.name,
        "unit": quantity.unit.value,
        "value": figure.median,
        "low": figure.low,
        "high": figure.high,
        "evidence": figure.evidence,
        "series": figure.evidence,
        "text": quantity.text(figure),
        "figure": figure,
    }


def _chart(rows: Sequence[Row], quantity: LineQuantity) -> Chart:
    series = dict.fromkeys(sorted({row["series"] for row in rows}))
    drawn = [{name: row[name] for name in _DRAWN} for row in rows]
    spec = dots(quantity, drawn, looks_of(series), f"{quantity.title} on all targets")
    of_cores = _OF_CORES if quantity.name == _PER_BYTE else ""
    caption = " ".join(filter(None, (DOTS_CAPTION, quantity.caption, of_cores)))
    return Chart(quantity.title, caption, spec, "nothing has this figure at this length.")


def _table(rows: Sequence[Row], quantity: LineQuantity) -> Table:
    shown = rows[:MOST_ROWS]
    cells = []
    for row in shown:
        run, figure = row["run"], figure_cell(quantity, row["figure"])
        cells.append(
            (
                Cell(row["implementation"], small=row.get("small", "")),
                Cell(row["target"]),
                Cell(row["where"]),
                # A figure that follows from exact figures has no interval; a width of 0 is a claim.
                figure._replace(interval="") if row["low"] == row["high"] else figure,
                Cell(row["basis"], link=None if run is None else Address.of("runs", run)),
            )
        )
    headings = (
        Heading("Implementation"),
        Heading("Target"),
        Heading("Machine or device"),
        Heading(quantity.title, number=True),
        Heading("Obtained from"),
    )
    return Table(
        "Table",
        headings,
        cells,
        empty="Nothing has this figure at this length.",
        notes=hidden_note(len(shown), len(rows)),
    )
