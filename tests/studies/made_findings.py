# SPDX-License-Identifier: Apache-2.0
"""Made-up findings of castellon2022, and the verdicts on them."""

from __future__ import annotations

import random

from joulemark.records.figures import Evidence
from joulemark.studies.castellon2022.claims import answers
from joulemark.studies.castellon2022.findings import (
    CastellonFindings,
    Energies,
    EventSeries,
    Growth,
    ProgramComparison,
    compare,
)
from joulemark.studies.castellon2022.paper import castellon2022
from joulemark.studies.study import JudgedClaim

SIZES = castellon2022().experiment.sizes_bytes


def comparisons(
    saved: float, order: float = 0.0, noise: float = 0.002, *, copied: float | None = None
) -> list[ProgramComparison]:
    """All sizes: E saves this share of O, jump 8 that share of jump 1; the kernel takes 64 + n.

    With `copied`, the programs that copy whole chunks save that share, O and E alike.
    """
    chance = random.Random(1)
    found = {}
    for size in SIZES:
        standard = [(64 + size) * (1 + chance.gauss(0, noise)) for _ in range(200)]
        j8 = [value * (1 - saved) * (1 + chance.gauss(0, noise)) for value in standard]
        j1 = [value / (1 - order) * (1 + chance.gauss(0, noise)) for value in j8]
        programs = {"standard": standard, "ecm_j1": j1, "ecm_j8": j8}
        if copied is not None:
            programs |= {
                f"{before}_chunks{after}": [value * (1 - copied) for value in programs[name]]
                for name in list(programs)
                for before, _, jump in [name.partition("_")]
                for after in [f"_{jump}" if jump else ""]
            }
        found[size] = EventSeries(
            programs=programs, processes=[event // 20 for event in range(200)]
        )
    return compare(found)


def findings(
    ctypes: list[ProgramComparison],
    kernel: list[ProgramComparison] | None = None,
    energy: list[ProgramComparison] | None = None,
    grown: float = 7.5,
) -> CastellonFindings:
    """Findings without a memory part; joules come from a simulated meter."""
    growth = dict.fromkeys(
        ("standard", "ecm_j8"), Growth(median=grown, low=grown - 0.01, high=grown + 0.01)
    )
    joules = None if energy is None else Energies(
        kind="net", evidence=Evidence.SIMULATED, rows=energy, growth=growth
    )  # fmt: skip
    return CastellonFindings(
        kernel=kernel or ctypes, ctypes=ctypes, growth=growth, energy=joules,
        energy_reason=None if energy else "no meter", memory=None, memory_reason="too small",
        cycles={}, seconds={},
    )  # fmt: skip


def verdicts(found: CastellonFindings) -> dict[str, JudgedClaim]:
    """Verdict of each claim, by its id."""
    paper = castellon2022()
    given = answers(paper, found)
    return {claim.id: given[claim.id]().of(claim) for claim in paper.claims}
