# SPDX-License-Identifier: Apache-2.0
"""Warnings about the energy of a trial: each is given when it is due, and only then."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from energy_windows import RECORD, loads
from joulemark.analyse.run_energy import TrialWindows, energy_doubts
from joulemark.analyse.window import WindowPower
from joulemark.judging.void import Void, VoidReason
from joulemark.meters.edges import SystemActivity, package_thermal_zone

STEADY = loads(*(30 + 0.01 * (-1) ** n for n in range(10)))


def kinds(kept: list[WindowPower], void: int = 0) -> list[str]:
    """The kinds of warning."""
    voids = [Void(VoidReason.FOREIGN_CPU, "busy")] * void
    return [doubt.kind for doubt in energy_doubts(TrialWindows(kept, voids), RECORD)]


def changed(**values: int) -> list[WindowPower]:
    """The steady windows with other counters."""
    return [replace(window, window=replace(window.window, **values)) for window in STEADY]


def test_steady_windows_carry_no_warning() -> None:
    """Ten equal windows, none of them void, have no warning."""
    assert kinds(STEADY) == []
    assert kinds([]) == []


def test_many_void_windows_are_named() -> None:
    """Three of thirteen are more than a fifth; two of twelve are not."""
    assert kinds(STEADY, void=2) == []
    assert kinds(STEADY, void=3) == ["void energy windows"]


def test_foreign_time_below_each_windows_limit_shows_in_the_sum() -> None:
    """25 ms in each of ten windows are below three ticks in each, but 2.5 % of the sum."""
    assert kinds(changed(machine_busy_ns=10**9 + 25_000_000)) == ["foreign CPU in energy"]
    assert kinds(changed(machine_busy_ns=10**9 + 4_000_000)) == []
    # Two windows with one tick each: 1.2 %, and nothing that ticks could prove.
    assert kinds(changed(machine_busy_ns=10**9 + 12_000_000)[:2]) == []


def test_power_that_rises_is_a_drift() -> None:
    """A rise of 2 % over ten rounds is a drift; a rise of 0.2 % is none."""
    assert kinds(loads(*(30 * (1 + 0.02 * n / 9) for n in range(10)))) == ["power drift"]
    assert kinds(loads(*(30 * (1 + 0.002 * n / 9) for n in range(10)))) == []


def test_a_machine_that_warms_up_is_named() -> None:
    """A rise of eleven degrees is named; a rise of nine is not."""
    assert kinds(changed(temperature_start_mdeg=50_000, temperature_end_mdeg=61_000)) == [
        "temperature"
    ]
    assert kinds(changed(temperature_start_mdeg=50_000, temperature_end_mdeg=59_000)) == []


@pytest.mark.parametrize(
    ("kind", "text", "found"),
    [("x86_pkg_temp", "47000\n", 47_000), ("x86_pkg_temp", "-1500\n", -1500),
     ("x86_pkg_temp", "hot\n", None), ("acpitz", "47000\n", None)],
)  # fmt: skip
def test_the_packages_own_zone_is_read(
    tmp_path: Path, kind: str, text: str, found: int | None
) -> None:
    """The zone is known by its type; text that is no number, and a board's sensor, give None."""
    zone = tmp_path / "class/thermal/thermal_zone3"
    zone.mkdir(parents=True)
    (zone / "type").write_text(f"{kind}\n")
    (zone / "temp").write_text(text)
    assert SystemActivity(tmp_path).temperature_mdeg() == found
    assert package_thermal_zone(tmp_path / "nowhere") is None
