# SPDX-License-Identifier: Apache-2.0
"""The first page: what the store holds, the newest runs, the newest changes."""

from __future__ import annotations

from typing import Final

from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.page.address import Address
from joulemark.explorer.page.blocks import Block, Page
from joulemark.explorer.views.changes import change_table
from joulemark.explorer.views.machines import machine_table
from joulemark.explorer.views.parts import pending_notes, run_table

__all__ = ["home"]

_NEWEST: Final = 10


def home(holdings: Holdings) -> Page:
    """Counts, the newest runs, the machines, the newest changes."""
    known = holdings.known()
    counted = (
        (len(known.machines), "machine"), (len(known.runs), "run"),
        (len(known.algorithms), "algorithm"), (len(holdings.cores()), "report of a core"),
    )  # fmt: skip
    words = [f"{count} {name if count == 1 else _several(name)}" for count, name in counted]
    flagged = [change for change in holdings.kept.changes(most=200) if change.flagged][:_NEWEST]
    blocks: list[Block] = [
        *pending_notes(holdings, holdings.pending()),
        run_table("Newest runs", known.newest_first()[:_NEWEST], holdings),
        change_table("Newest changes that the gate flags", flagged, holdings,
                     "No run is slower than the run before it."),
        machine_table("Machines with the newest runs", list(known.machines)[::-1][:_NEWEST],
                      holdings),
    ]  # fmt: skip
    return Page(Address(), "What authentication costs", blocks, lead=f"{', '.join(words)}.")


def _several(name: str) -> str:
    return "reports of cores" if name.startswith("report") else f"{name}s"
