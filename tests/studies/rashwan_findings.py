# SPDX-License-Identifier: Apache-2.0
"""Findings of rashwan2012 on machines whose figures are known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from joulemark.studies.rashwan2012.claims import answers
from joulemark.studies.rashwan2012.paper import (
    CoresCell,
    FunctionCell,
    PerThread,
    RashwanFindings,
    SessionRow,
    WindowRow,
    rashwan2012,
)
from joulemark.studies.study import ClaimAnswer, ClaimVerdict

pytestmark = pytest.mark.usefixtures("quick_workers")

PAPER = rashwan2012()
SIZES = (16, 65536)
ABSENT = {"VMAC-AES128": "not in the catalogue yet", "OMAC1-Serpent": "not in the catalogue yet"}
COSTS = {
    ("HMAC-MD5", "software-only"): (40, 5),
    ("HMAC-SHA512", "software-only"): (90, 20),
    ("OMAC1-Rijndael", "software-only"): (30, 10),
    ("HMAC-MD5", "hardware-assisted"): (40, 5),
    ("HMAC-SHA512", "hardware-assisted"): (90, 20),
    ("OMAC1-Rijndael", "hardware-assisted"): (3, 2),
}
"""Ticks per byte at 16 bytes and at 64 KiB."""


def rows(absolute: float, apparent: float, *, moved: float = 0.0, troubles=()) -> list[WindowRow]:
    """Three windows, the middle one with these figures, the others 1 % beside it."""
    return [
        WindowRow(
            absolute_ticks=absolute * factor, apparent_ticks=apparent * factor,
            core_cycles_per_tick=2.0, fairness=1.0, migrations_per_s=moved, preemptions_per_s=300.0,
            own_share=1.0, window_s=0.3, attempts=1, troubles=list(troubles),
        )
        for factor in (0.99, 1.0, 1.01)
    ]  # fmt: skip


def as_published(*, costs=COSTS, absolute=1.1, apparent=0.55, troubles=()) -> RashwanFindings:
    """A machine of two cores on which every testable statement of the paper is true.

    Args:
        costs: ticks per byte on one core, where apparent is 2 % above absolute.
        absolute: ratio of absolute figures on both cores to those on one core.
        apparent: ratio of apparent figures on both cores to those on one core.
        troubles: faults of every window.
    """
    cells = []
    for (function, build), both in costs.items():
        for size, cost in zip(SIZES, both, strict=True):
            cell = FunctionCell(function=function, build=build, scope="one core", size_bytes=size,
                       implementation=f"{function}/{build}",
                       windows=rows(cost, 1.02 * cost, troubles=troubles))  # fmt: skip
            more = rows(cost * absolute, 1.02 * cost * apparent, moved=7.0, troubles=troubles)
            cells += [cell, replace(cell, scope="all cores", windows=more)]
    sessions = [
        SessionRow(wall_ticks=300.0, absolute_ticks=3.0, apparent_ticks=value, migrations=1,
                   preemptions=9)
        for value in (2.0, 1.5, 1.0)
    ]  # fmt: skip
    idle = SessionRow(wall_ticks=None, absolute_ticks=None, apparent_ticks=None, migrations=0,
                      preemptions=0)  # fmt: skip
    threads = [
        PerThread(scope=scope, function="OMAC1-Rijndael", implementation="cmac-aes128/aesni",
                  size_bytes=1024, core_cycles_per_tick=2.0, troubles=[], window_s=8.0,
                  sessions=[*sessions, idle])
        for scope in ("one core", "all cores")
    ]  # fmt: skip
    return RashwanFindings(
        cells=cells, per_thread=threads, absent=ABSENT, missing=[], sessions=100, cores=(0, 1),
        rounds=3, window_s=0.3, ticks_are_tsc=True, library="joulemark", beyond=["SipHash-2-4"],
        asked_sessions=100, by_cores=on_cores(troubles),
    )  # fmt: skip


def on_cores(troubles=()) -> list[CoresCell]:
    """The function of single sessions on one core and on two."""
    return [
        CoresCell(
            cores=count,
            cell=FunctionCell(
                function="OMAC1-Rijndael", build="hardware-assisted", scope="all cores",
                size_bytes=1024, implementation="cmac-aes128/aesni",
                windows=rows(3.0, 3.0 / count, troubles=troubles),
            ),
        )
        for count in (1, 2)
    ]  # fmt: skip


def judged(found: RashwanFindings) -> dict[str, ClaimAnswer]:
    """The answers to all claims."""
    return {name: answer() for name, answer in answers(PAPER, found).items()}


def verdicts(found: RashwanFindings) -> dict[str, ClaimVerdict]:
    """Verdict by claim."""
    return {name: answer.verdict for name, answer in judged(found).items()}
