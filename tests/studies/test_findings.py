# SPDX-License-Identifier: Apache-2.0
"""Joules of a run as the study sees them: all programs at all sizes, or none."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from joulemark.analyse.estimate import figure
from joulemark.records.figures import Evidence
from joulemark.studies.castellon2022.findings import energies

NAMES = {"standard": "a/standard", "ecm_j1": "a/j1", "ecm_j8": "a/j8"}


def result(name: str, size: int, net: float | None, gross: float | None = None) -> Any:
    """A result with these joules, an interval of 2 % round them."""

    def around(joules: float | None) -> Any:
        if joules is None:
            return None
        return figure([0.98 * joules, joules, 1.02 * joules] * 5, Evidence.MEASURED)

    return SimpleNamespace(
        implementation=name, size_bytes=size, joules_per_message=around(net),
        gross_joules_per_message=around(gross),
    )  # fmt: skip


def run_of(standard: float | None, j8: float | None, gross: float | None = None) -> list[Any]:
    """Results at one size; jump 1 costs as much as the standard program."""
    return [result("a/standard", 64, standard, gross), result("a/j1", 64, standard, gross),
            result("a/j8", 64, j8, gross)]  # fmt: skip


def test_savings_follow_the_joules() -> None:
    """8 of 9 joules saves a ninth; the interval is as wide as both ends allow."""
    found = energies(run_of(9.0, 8.0), NAMES, [64])
    assert found is not None
    assert found.rows[0].saving.median == pytest.approx(1 / 9)
    assert found.rows[0].saving.low == pytest.approx(1 - 8 * 1.02 / (9 * 0.98))
    assert found.rows[0].saving.high == pytest.approx(1 - 8 * 0.98 / (9 * 1.02))


def test_gross_joules_stand_in() -> None:
    """Where idle could not be subtracted, gross joules of the domain are compared."""
    found = energies(run_of(None, None, gross=5.0), NAMES, [64])
    assert found is not None
    assert found.rows[0].programs["standard"].median == 5.0
    assert found.kind == "gross"


def test_net_is_never_compared_with_gross() -> None:
    """If one net figure was refused, gross joules are compared, or none."""
    mixed = [result("a/standard", 64, 1.0, 3.0), result("a/j1", 64, 1.0, 3.0),
             result("a/j8", 64, None, 3.0)]  # fmt: skip
    found = energies(mixed, NAMES, [64])
    assert found is not None
    assert (found.kind, found.rows[0].saving.median) == ("gross", 0)
    without = [result("a/standard", 64, 1.0), *mixed[1:]]
    assert energies(without, NAMES, [64]) is None


def test_the_evidence_is_the_meter_s() -> None:
    """Joules of a simulated meter are called simulated in the findings too."""
    simulated = [
        SimpleNamespace(
            implementation=name, size_bytes=64, gross_joules_per_message=None,
            joules_per_message=figure([1.0, 1.1, 1.2] * 5, Evidence.SIMULATED),
        )
        for name in NAMES.values()
    ]  # fmt: skip
    results: Any = simulated
    found = energies(results, NAMES, [64])
    assert found is not None
    assert found.evidence is Evidence.SIMULATED


def test_one_missing_figure_leaves_none() -> None:
    """Without the joules of one program or one size there is no comparison."""
    assert energies(run_of(9.0, None), NAMES, [64]) is None
    assert energies(run_of(9.0, 8.0), NAMES, [64, 128]) is None
