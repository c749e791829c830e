# SPDX-License-Identifier: Apache-2.0
"""Tables: absolute and apparent processing of every function, and the effect of more cores."""

from __future__ import annotations

from typing import Final

from joulemark.stats.location import median
from joulemark.studies.outcome import Table
from joulemark.studies.rashwan2012.findings import BUILDS, Build, Cell, Findings, Scope
from joulemark.units import format_bytes, format_percent

__all__ = ["tables"]

_NONE: Final = "-"


def tables(findings: Findings) -> list[Table]:
    """Returns every table; "-" stands for a missing figure."""
    costs = [_costs(findings, build, scope) for build in BUILDS for scope in findings.scopes]
    return [*costs, _cores(findings), _windows(findings), _absent(findings)]


def _names(findings: Findings) -> list[str]:
    return list(dict.fromkeys(cell.function for cell in findings.cells))


def _costs(findings: Findings, build: Build, scope: Scope) -> Table:
    names = _names(findings)
    sizes = sorted({cell.size_bytes for cell in findings.cells})
    rows = [
        [format_bytes(size), *(_cost(findings, findings.cell(name, build, scope, size))
                               for name in names)]
        for size in sizes
    ]  # fmt: skip
    return Table(
        title=f"{build}, {scope}",
        caption=f"Absolute / apparent processing in {findings.unit} per byte; medians of "
        f"{findings.rounds} windows (measured).",
        headings=["size", *names],
        rows=rows,
    )


def _cost(findings: Findings, cell: Cell | None) -> str:
    return (
        _NONE if cell is None else f"{findings.absolute(cell):.3g} / {findings.apparent(cell):.3g}"
    )


def _cores(findings: Findings) -> Table:
    rows = []
    for name in _names(findings):
        for build in BUILDS:
            pairs = [
                (cell, more) for cell, more in findings.pairs()
                if (cell.function, cell.build) == (name, build)
            ]  # fmt: skip
            if not pairs:
                continue
            absolute = [findings.absolute(more) / findings.absolute(cell) for cell, more in pairs]
            apparent = [findings.apparent(more) / findings.apparent(cell) for cell, more in pairs]
            moved = [row.migrations_per_s for _, more in pairs for row in more.windows]
            rows.append(
                [name, build, f"{median(absolute):.3f}", f"{median(apparent):.3f}",
                 f"{median(moved):.3g}"]
            )  # fmt: skip
    return Table(
        title=f"{len(findings.cores)} cores over one core",
        caption="Medians over the sizes (measured): the ratio of absolute and of apparent "
        "processing, and changes of the core of all sessions together.",
        headings=["function", "build", "absolute", "apparent", "migrations per s"],
        rows=rows,
    )


def _windows(findings: Findings) -> Table:
    rows = []
    for scope in findings.scopes:
        taken = [row for cell in findings.cells if cell.scope == scope for row in cell.windows]
        if not taken:
            continue
        share = median([window.own_share for window in taken])
        kinds = sorted({kind for window in taken for kind in window.troubles})
        rows.append([
            scope, str(len(taken)), str(sum(window.attempts for window in taken)),
            str(sum(bool(window.troubles) for window in taken)),
            format_percent(share, digits=3), ", ".join(kinds) or _NONE,
        ])  # fmt: skip
    return Table(
        title="Validation of the windows",
        caption="Windows that figures stand on, attempts that it took, how many do not count after "
        "all attempts, and the share of the cores that the sessions had (median).",
        headings=["cores", "windows", "attempts", "do not count", "own share", "because"],
        rows=rows,
    )


def _absent(findings: Findings) -> Table:
    return Table(
        title="Functions of the paper that are not here",
        caption="Nothing stands in for them in the figures above.",
        headings=["function", "why"],
        rows=[[name, why] for name, why in findings.absent.items()],
    )
