# SPDX-License-Identifier: Apache-2.0
"""Tables: absolute and apparent processing of every function, and what more cores do."""

from __future__ import annotations

from typing import Final

from joulemark.stats.location import median
from joulemark.studies.outcome import Table
from joulemark.studies.rashwan2012.findings import BUILDS, Build, Cell, Findings, Scope
from joulemark.units import format_bytes, format_percent

__all__ = ["tables"]

_NONE: Final = "-"


def tables(found: Findings) -> list[Table]:
    """Every table; "-" stands for a figure that there is not."""
    costs = [_costs(found, build, scope) for build in BUILDS for scope in found.scopes]
    return [*costs, _cores(found), _windows(found), _absent(found)]


def _names(found: Findings) -> list[str]:
    return list(dict.fromkeys(cell.function for cell in found.cells))


def _costs(found: Findings, build: Build, scope: Scope) -> Table:
    names = _names(found)
    sizes = sorted({cell.size_bytes for cell in found.cells})
    rows = [
        [format_bytes(size), *(_cost(found, found.cell(name, build, scope, size))
                               for name in names)]
        for size in sizes
    ]  # fmt: skip
    return Table(
        title=f"{build}, {scope}",
        caption=f"Absolute / apparent processing in {found.unit} per byte; medians of "
        f"{found.rounds} windows (measured).",
        headings=["size", *names],
        rows=rows,
    )


def _cost(found: Findings, cell: Cell | None) -> str:
    return _NONE if cell is None else f"{found.absolute(cell):.3g} / {found.apparent(cell):.3g}"


def _cores(found: Findings) -> Table:
    rows = []
    for name in _names(found):
        for build in BUILDS:
            pairs = [
                (cell, more) for cell, more in found.pairs()
                if (cell.function, cell.build) == (name, build)
            ]  # fmt: skip
            if not pairs:
                continue
            absolute = [found.absolute(more) / found.absolute(cell) for cell, more in pairs]
            apparent = [found.apparent(more) / found.apparent(cell) for cell, more in pairs]
            moved = [row.migrations_per_s for _, more in pairs for row in more.windows]
            rows.append(
                [name, build, f"{median(absolute):.3f}", f"{median(apparent):.3f}",
                 f"{median(moved):.3g}"]
            )  # fmt: skip
    return Table(
        title=f"{len(found.cores)} cores over one core",
        caption="Medians over the sizes (measured): the ratio of absolute and of apparent "
        "processing, and changes of the core of all sessions together.",
        headings=["function", "build", "absolute", "apparent", "migrations per s"],
        rows=rows,
    )


def _windows(found: Findings) -> Table:
    rows = []
    for scope in found.scopes:
        taken = [row for cell in found.cells if cell.scope == scope for row in cell.windows]
        if not taken:
            continue
        bad = sum(bool(window_row.troubles) for window_row in taken)
        kinds = sorted({kind for window_row in taken for kind in window_row.troubles})
        rows.append(
            [
                scope,
                str(len(taken)),
                str(sum(window_row.attempts for window_row in taken)),
                str(bad),
                format_percent(median([window_row.own_share for window_row in taken]), digits=3),
                ", ".join(kinds) or _NONE,
            ]
        )
    return Table(
        title="Validation of the windows",
        caption="Windows that figures stand on, attempts that it took, how many do not count after "
        "all attempts, and the share of the cores that the sessions had (median).",
        headings=["cores", "windows", "attempts", "do not count", "own share", "because"],
        rows=rows,
    )


def _absent(found: Findings) -> Table:
    return Table(
        title="Functions of the paper that are not here",
        caption="Nothing stands in for them in the figures above.",
        headings=["function", "why"],
        rows=[[name, why] for name, why in found.absent.items()],
    )
