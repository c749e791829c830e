# SPDX-License-Identifier: Apache-2.0
"""The first page: counts of the store, the newest runs, changes and machines."""

from __future__ import annotations

from typing import Final

from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.page.blocks import Page
from joulemark.explorer.views.history import change_table
from joulemark.explorer.views.machines import machine_table
from joulemark.explorer.views.parts import pending_notes, run_table
from joulemark.report.sheet import Address, Part
from joulemark.units import format_count

_NEWEST: Final = 10


def home(holdings: Holdings) -> Page:
    """The first page."""
    known = holdings.known()
    reports = len(holdings.cores())
    counts = (
        format_count(len(known.machines), "machine"),
        format_count(len(known.runs), "run"),
        format_count(len(known.algorithms), "algorithm"),
        f"{reports} {'report of a core' if reports == 1 else 'reports of cores'}",
    )
    changes = holdings.estimates.changes(most=200)
    flagged = [change for change in changes if change.flagged][:_NEWEST]
    blocks: list[Part] = [
        *pending_notes(holdings, holdings.pending()),
        run_table("Newest runs", known.newest_first()[:_NEWEST], holdings),
        change_table(
            "Newest changes that the gate flags",
            flagged,
            holdings,
            "No run is slower than the run before it.",
        ),
        machine_table("Machines with the newest runs", known.newest_machines(_NEWEST), known),
    ]
    return Page(
        "What authentication costs", blocks, address=Address(), lead=f"{', '.join(counts)}."
    )
