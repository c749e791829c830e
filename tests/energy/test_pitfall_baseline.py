# SPDX-License-Identifier: Apache-2.0
"""Pitfalls of the baseline: the power that is subtracted, and how well it is known.

The pitfalls are those of the survey's section "RAPL semantics", part "Baseline", and of the tools
it names.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from pitfalls import (
    LOAD_W,
    PACKAGE,
    STATIC_W,
    TRIAL,
    Taken,
    WarmActivity,
    bench_of,
    contains_truth,
    one_window,
    package,
    powers,
    run_on,
)
from uncertainties import ufloat

from joulemark.analyse import DomainEnergy
from joulemark.analyse.doubts import DoubtKind
from joulemark.analyse.run_energy import PowerAtRest, TrialWindows, domain_energy, run_energy
from joulemark.analyse.window import Baseline, WindowPower
from joulemark.foreign.records import record_from_json
from joulemark.measure.plan import EDGES, Effort, Plan, energy_rounds
from joulemark.records.energy_window import EnergyWindow, WindowKind
from joulemark.records.figures import AbsenceKind
from joulemark.records.trial import Trial, Workload

AWAKE_W = 5.0
SECONDS = 1e-6
"""Time of a virtual message, in seconds."""


def taken_with(**options: object) -> Taken:
    """A run of a quiet package."""
    with bench_of(package(jitter=0.02)) as bench:
        record = bench.record(bench.domains(), 0.2, headline=PACKAGE)
        return run_on(bench, record, awake_w=AWAKE_W, **options)  # type: ignore[arg-type]


def test_pitfall_gross_net_and_static_are_three_figures() -> None:
    """Gross energy, gross less idle, and the static power itself are all stated, with errors."""
    energy = taken_with().of()
    assert contains_truth(energy.gross_joules_per_message, (STATIC_W + LOAD_W) * SECONDS)
    assert contains_truth(energy.joules_per_message, LOAD_W * SECONDS)
    assert contains_truth(energy.static_watts, STATIC_W)
    assert contains_truth(energy.joules_per_byte, LOAD_W * SECONDS / TRIAL.workload.size_bytes)


def test_pitfall_two_idles_answer_two_questions() -> None:
    """Deep idle and a core awake at its clock are both measured, and never mixed."""
    energy = taken_with(rounds=8).of()
    assert contains_truth(energy.static_watts, STATIC_W)
    assert contains_truth(energy.active_idle_watts, STATIC_W + AWAKE_W)
    assert contains_truth(energy.active_net_joules_per_message, (LOAD_W - AWAKE_W) * SECONDS)


def test_pitfall_void_idle_windows_are_told() -> None:
    """Idle windows that have no power are of no trial: the words of the baseline count them."""
    taken = taken_with()
    assert "void" not in taken.of().baseline
    first = next(place for place, stored in enumerate(taken.windows) if stored.trial is None)
    stored = taken.windows[first]
    taken.windows[first] = replace(stored, window=replace(stored.window, suspended_ns=10**9))
    assert taken.of().baseline == (
        "deep idle, 4 windows; active idle, 5; interleaved; void: suspended 1"
    )
    assert taken.of().windows_void == {}


def test_pitfall_idle_is_never_a_residual() -> None:
    """Without an idle window there is no net energy: nothing is made up from the load."""
    energy = taken_with().without(WindowKind.DEEP_IDLE).of()
    assert energy.joules_per_message is None
    assert energy.static_watts is None
    assert "deep idle" in energy.reasons["joules_per_message"].sentence
    assert contains_truth(energy.gross_joules_per_message, (STATIC_W + LOAD_W) * SECONDS)


def test_pitfall_idle_does_not_shrink_under_full_load() -> None:
    """Static power is the same at any load; Kepler's residual idle tended to 0 at full load."""
    for watts in (20.0, 400.0):
        assert contains_truth(taken_with(watts=watts).of().static_watts, STATIC_W)


def test_pitfall_idle_does_not_ratchet_to_the_highest_seen() -> None:
    """One disturbed idle window moves its neighbours' baseline and no more; others stay right."""
    energy = taken_with(rounds=7, rest_w=lambda place: 30.0 if place == 0 else 0.0).of()
    assert energy.static_watts is None or energy.static_watts.median < STATIC_W * 1.1
    figure = energy.joules_per_message
    assert figure is None or figure.low <= LOAD_W * SECONDS <= figure.high
    assert figure is None or figure.median == pytest.approx(LOAD_W * SECONDS, rel=0.01)


def test_pitfall_baseline_follows_a_drift() -> None:
    """Leakage rises with temperature: interleaved baselines take the drift off, step by step."""
    energy = taken_with(rounds=7, rest_w=lambda place: 0.1 * place).of()
    assert contains_truth(energy.joules_per_message, LOAD_W * SECONDS, within=0.05)


def test_pitfall_machine_that_is_not_warm_yet() -> None:
    """A warning says that gross power climbs from round to round, or that the package heats up."""
    drifting = taken_with(rounds=10, rest_w=lambda place: 0.2 * place)
    found = run_energy(drifting.record, drifting.windows).doubts(TRIAL)
    assert DoubtKind.POWER_DRIFT in {doubt.kind for doubt in found}
    with bench_of(package(jitter=0.02)) as bench:
        bench.activity = WarmActivity(bench.world)
        heated = run_on(bench, bench.record(bench.domains(), 0.2))
    found = run_energy(heated.record, heated.windows).doubts(TRIAL)
    assert DoubtKind.TEMPERATURE in {doubt.kind for doubt in found}
    steady = taken_with(rounds=10)
    assert run_energy(steady.record, steady.windows).doubts(TRIAL) == []


def test_pitfall_baselines_are_interleaved() -> None:
    """Every load window of a run stands between baselines of both kinds, in the same round."""
    trials = tuple(Trial(f"hmac-sha256/v{n}", Workload(64)) for n in range(20))
    plan = Plan(trials, Effort(rounds=3, window_ns=1, generations=1))
    for steps in energy_rounds(plan, EDGES, seed=1):
        kinds = [step.kind for step in steps]
        for idle in (WindowKind.DEEP_IDLE, WindowKind.ACTIVE_IDLE):
            places = [place for place, kind in enumerate(kinds) if kind is idle]
            loads = [place for place, kind in enumerate(kinds) if kind is WindowKind.LOAD]
            assert places[0] < loads[0]
            assert loads[-1] < places[-1]
            assert max(b - a for a, b in pairwise(places)) <= 10


def _stated(load_w: float, idle_w: float, limit: float) -> DomainEnergy:
    """A trial whose two powers are known to 1 %."""
    with bench_of(package()) as bench:
        window, record = one_window(bench, 0.2)
    power = powers(window, record)[PACKAGE]
    assert isinstance(power, WindowPower)
    load = WindowPower(power.window, ufloat(load_w, 0.01 * load_w), power.duration_s)
    rest = WindowPower(power.window, ufloat(idle_w, 0.01 * idle_w), power.duration_s)
    return domain_energy(
        TrialWindows([load]), PowerAtRest(Baseline([rest]), Baseline([rest])),
        record.domains[0], record,
        size_bytes=64, headline=True, limit=limit,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("load_w", "idle_w", "expected"),
    [(40, 8, 0.013), (20, 8, 0.018), (12, 8, 0.036), (21, 20, 0.29)],
)
def test_pitfall_error_of_the_difference_is_propagated(
    load_w: float, idle_w: float, expected: float
) -> None:
    """1 % on both levels is 1.3 % of 40 W over 8 W at rest, and 29 % of 21 W over 20 W."""
    figure = _stated(load_w, idle_w, limit=10.0).net_watts
    assert figure is not None
    assert figure.median == pytest.approx(load_w - idle_w)
    relative = (figure.high - figure.low) / 2 / 1.96 / figure.median
    assert relative == pytest.approx(math.hypot(load_w, idle_w) / 100 / (load_w - idle_w), rel=0.01)
    assert relative == pytest.approx(expected, rel=0.04)


def test_pitfall_small_load_over_a_large_baseline_is_refused() -> None:
    """21 W over 20 W at rest (a laptop's screen, a server) has no figure, and a sentence why."""
    energy = _stated(21, 20, limit=0.05)
    assert energy.joules_per_message is None
    assert energy.joules_per_byte is None
    assert energy.reasons["joules_per_byte"].kind is AbsenceKind.REFUSED
    assert "21 W while working against 20 W at rest" in energy.reasons["joules_per_message"].text


def test_pitfall_net_energy_below_zero_is_refused() -> None:
    """A load that seems to use less than rest has no net energy: never a negative, never 0."""
    energy = _stated(19, 20, limit=10.0)
    assert energy.joules_per_message is None
    assert "more than 100 %" in energy.reasons["joules_per_message"].sentence


def test_pitfall_error_of_a_shared_baseline_does_not_average_out() -> None:
    """Many load windows over one idle window: its error stays whole in the interval."""
    with bench_of(package()) as bench:
        window, record = one_window(bench, 0.2)
    rest = WindowPower(window, ufloat(20.0, 0.2), 0.2)
    loads = [WindowPower(window, ufloat(40.0, 0.01), 0.2) for _ in range(50)]
    figure = domain_energy(
        TrialWindows(loads), PowerAtRest(Baseline([rest]), Baseline([])), record.domains[0], record,
        size_bytes=64, headline=True,
    ).net_watts  # fmt: skip
    assert figure is not None
    assert (figure.high - figure.low) / 2 >= 1.96 * 0.2 * 0.99


def test_pitfall_temperature_is_logged_at_start_and_end() -> None:
    """Each window carries the package's temperature before and after it, also in the store."""
    with bench_of(package()) as bench:
        bench.activity = WarmActivity(bench.world)
        window, _ = one_window(bench, 0.2)
    assert (window.temperature_start_mdeg, window.temperature_end_mdeg) == (41_000, 42_000)
    assert record_from_json(EnergyWindow, window.as_dict()) == window
