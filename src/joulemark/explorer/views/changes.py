# SPDX-License-Identifier: Apache-2.0
"""Changes from run to run: what became slower or faster, and what the gate flags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Final

from joulemark.explorer.estimates.gates import Change
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.page.address import Address
from joulemark.explorer.page.blocks import Cell, Heading, Page, Rows, Table
from joulemark.explorer.views.parts import interval_cell, pending_notes, run_cell

__all__ = ["COLUMNS", "change_table", "changes", "ratio_text"]

COLUMNS: Final = tuple(field.name for field in fields(Change))
_MOST: Final = 300


def changes(holdings: Holdings) -> Page:
    """The newest changes, flagged or not."""
    known = holdings.known()
    found = [change for change in holdings.estimates.changes(most=_MOST)
             if change.run in known.runs]  # fmt: skip
    lead = (
        "Each run is held against the newest earlier run on the same machine that has its "
        "algorithms, as joulemark check does: threshold 5 %, alpha 5 % over all lines together."
    )
    empty = "No implementation became faster or slower from one run to the next."
    blocks = [
        *pending_notes(holdings, holdings.pending()),
        change_table("", found, holdings, empty),
    ]
    return Page(
        Address.of("changes"),
        "Changes",
        blocks,
        lead=lead,
        data=Rows(len(found), lambda: [asdict(change) for change in found]),
        columns=COLUMNS,
    )


def ratio_text(ratio: float, low: float, high: float) -> str:
    """A ratio with its interval, as in "1.31x [1.29, 1.33]"."""
    return f"{ratio:.3f}\N{MULTIPLICATION SIGN} [{low:.3f}, {high:.3f}]"


def change_table(title: str, found: Sequence[Change], holdings: Holdings, empty: str) -> Table:
    """A table of changes, each with its two runs."""
    known = holdings.known()
    rows = []
    for change in found:
        machine = known.machine(change.run)
        history = Address.of("history", implementation=change.implementation, machine=machine.slug)
        ratio = ratio_text(change.ratio, change.low, change.high)
        rows.append(
            (
                Cell(change.implementation, link=history, small=change.workload),
                run_cell(change.run),
                run_cell(change.before),
                interval_cell(ratio, "measured", change.ratio),
                Cell(change.verdict),
                Cell("flagged" if change.flagged else "-"),
                Cell(machine.short, link=Address.of("machines", machine.slug)),
            )
        )
    headings = (
        Heading("Implementation"), Heading("Run", number=True), Heading("Before", number=True),
        Heading("Time over before", number=True), Heading("Verdict"), Heading("Gate"),
        Heading("Machine"),
    )  # fmt: skip
    return Table(title, headings, rows, empty=empty)
