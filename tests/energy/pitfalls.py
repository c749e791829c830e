# SPDX-License-Identifier: Apache-2.0
"""Code that the tests of pitfalls share: machines that go wrong, and the judgement of a result.

Each test of `test_pitfall_*` is about one way in which energy meters are known to mislead. A result
passes if it lies within what it states of the truth, or is refused with a reason.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from joulemark.analyse import DomainEnergy, Figure
from joulemark.analyse.run_energy import run_energy
from joulemark.analyse.window import WindowPower, power_of
from joulemark.judging.void import Void, VoidReason, void_of
from joulemark.measure.meter_choice import Place, choose_meter
from joulemark.measure.meter_of_run import PreparedMeter, prepare
from joulemark.measure.plan import EnergyPlan
from joulemark.meters.simulated import FaultKind, SimulatedDomain, SimulatedFault
from joulemark.meters.window import LONGEST_S, observe
from joulemark.records.energy_window import (
    Domain,
    EnergyWindow,
    MeterRecord,
    Observation,
    WindowKind,
)
from joulemark.records.trial import Trial, Workload
from joulemark.store.observations import StoredWindow
from virtual_bench import VirtualBench, WorldActivity, WorldLoad

PACKAGE = "intel-rapl:0"
STATIC_W = 10.0
LOAD_W = 40.0
TRIAL = Trial("hmac-sha256/portable", Workload(64))
_FAST = Path("/dev/shm")
_WIDEST = 0.02
"""Relative uncertainty above which a window is too vague to count as right."""


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for one test; in memory if the system can, which is five times faster."""
    made = Path(tempfile.mkdtemp(dir=_FAST if _FAST.is_dir() else None))
    try:
        yield made
    finally:
        shutil.rmtree(made)


@contextmanager
def bench_of(
    *domains: SimulatedDomain, faults: Sequence[SimulatedFault] = (), **options: Any
) -> Iterator[VirtualBench]:
    """A simulated machine with a meter on it; reading takes the power of the load."""
    with folder() as root:
        yield VirtualBench(root, domains, faults, **{"reading_w": LOAD_W, **options})


def package(place: str = PACKAGE, **changes: Any) -> SimulatedDomain:
    """A package of 10 W at rest whose counter moves once in a millisecond."""
    return SimulatedDomain(**{"id": place, "name": "package-0", "static_w": STATIC_W, **changes})


def fault(kind: FaultKind, at_s: float, domain: str = PACKAGE, **more: Any) -> SimulatedFault:
    """A fault of the package, unless another domain is named."""
    return SimulatedFault(at_s, kind, "" if kind is FaultKind.LATE else domain, **more)


def one_window(
    bench: VirtualBench, window_s: float, *, watts: float | None = LOAD_W, **options: Any
) -> tuple[EnergyWindow, MeterRecord]:
    """A window of all domains; their update periods are known beforehand."""
    domains = bench.domains()
    told = {domain.id: _period_s(bench, domain) for domain in domains}
    window = bench.window(domains, watts, window_s, **{"periods_s": told, **options})
    return window, bench.record(domains, window_s, headline=domains[0].id)


def _period_s(bench: VirtualBench, domain: Domain) -> float:
    """Update period of the simulated domain whose files this domain is read from, in seconds."""
    return next(
        (
            simulated_domain.update_period_s
            for simulated_domain in bench.simulated
            if simulated_domain.id == domain.id
        ),
        bench.simulated[0].update_period_s,
    )


def powers(window: EnergyWindow, record: MeterRecord) -> dict[str, WindowPower | Void]:
    """The power of each domain in the window, or the reason why it has none."""
    return {domain.id: power_of(window, domain, record) for domain in record.domains}


def judged(
    bench: VirtualBench, window_s: float, domain: str | None = None, **options: Any
) -> WindowPower | Void:
    """The power of one domain in one window; the first domain unless another is named."""
    window, record = one_window(bench, window_s, **options)
    return powers(window, record)[domain or record.domains[0].id]


def is_right(
    power: WindowPower | Void, truth_w: float, sigmas: float = 3.0, widest: float = _WIDEST
) -> bool:
    """Whether a window states a power, precise enough, that agrees with the truth."""
    assert isinstance(power, WindowPower), power
    value, error = float(power.power_w.nominal_value), float(power.power_w.std_dev)
    return 0 < error <= widest * value and abs(value - truth_w) <= sigmas * error


def why_void(power: WindowPower | Void) -> VoidReason:
    """The reason for which a window is refused; fails if it is not, or if no sentence says why."""
    assert isinstance(power, Void), power.power_w
    assert len(power.text.split()) >= 4
    return power.reason


def contains_truth(figure: Figure | None, truth: float, within: float = 0.02) -> bool:
    """Whether a figure is stated, precise enough, and its interval holds the truth."""
    assert figure is not None
    half = (figure.high - figure.low) / 2
    return 0 < figure.low <= truth <= figure.high and half <= within * figure.median


def prepared_on(
    bench: VirtualBench, *, place: Place = (0, 0), watts: float = LOAD_W, **plan: Any
) -> PreparedMeter:
    """The meter as a run chooses and observes it, in virtual time."""

    def watch(domains: Sequence[Domain]) -> Sequence[Observation]:
        load = WorldLoad(bench.world, watts, ns_per_message=100)
        return observe(bench.meter, domains, load, bench.world, longest_s=LONGEST_S)

    chosen = choose_meter(bench.meter_name, bench.world.roots, place)
    return prepare(chosen, EnergyPlan(**plan), watch)


@dataclass(frozen=True, slots=True)
class Taken:
    """The windows of a run and the record of its meter."""

    record: MeterRecord
    windows: list[StoredWindow]

    def of(self, domain: str | None = None) -> DomainEnergy:
        """The trial's figures of one domain; the headline unless another is named."""
        found = run_energy(self.record, self.windows).of(TRIAL)
        return next(
            domain_energy
            for domain_energy in found
            if domain_energy.domain == domain or (domain is None and domain_energy.headline)
        )

    def without(self, *kinds: WindowKind) -> Taken:
        """The run as if no window of these kinds had been taken."""
        kept = [window for window in self.windows if window.window.kind not in kinds]
        return Taken(self.record, kept)


def run_on(
    bench: VirtualBench, record: MeterRecord, *, watts: float = LOAD_W, awake_w: float = 5.0,
    rounds: int = 4, rest_w: Callable[[int], float] = lambda _place: 0.0,
    reading_w: float | None = None, **options: Any,
) -> Taken:  # fmt: skip
    """Rounds of deep idle, active idle and load, and both idles at the end.

    Args:
        bench: the machine.
        record: the meter.
        watts: power of the load, in W.
        awake_w: power of the pause loop, in W.
        rounds: number of rounds.
        rest_w: further power in each window, in W, by the number of the window: a drift.
        reading_w: power while the meter is read, in W; None: that of the window.
        options: of every window.
    """
    domains = record.domains
    periods = {domain.id: _period_s(bench, domain) for domain in domains}
    kinds = [WindowKind.DEEP_IDLE, WindowKind.ACTIVE_IDLE, WindowKind.LOAD] * rounds
    kinds += [WindowKind.DEEP_IDLE, WindowKind.ACTIVE_IDLE]
    more_w = {WindowKind.DEEP_IDLE: 0.0, WindowKind.ACTIVE_IDLE: awake_w, WindowKind.LOAD: watts}
    stored = []
    for place, kind in enumerate(kinds):
        power_w = more_w[kind] + rest_w(place)
        # Without this sleep the polls of all windows would meet the updates at the same phase.
        bench.world.sleep_ns(place * 137_111 % 1_000_000)
        bench.world._reading_nw = round((power_w if reading_w is None else reading_w) * 1e9)
        window = bench.window(
            domains, power_w or None, record.window_s, kind=kind, periods_s=periods,
            round_index=min(place // 3, rounds - 1), position=place % 3, **options,
        )  # fmt: skip
        if kind is WindowKind.DEEP_IDLE:
            # The drifting power at rest is no CPU time of this thread.
            window = replace(window, thread_cpu_ns=0, machine_busy_ns=0)
        void = void_of(window, domains[0], record.foreign_limit)
        trial = TRIAL if kind is WindowKind.LOAD else None
        stored.append(StoredWindow(trial, window, void.sentence if void else None))
    return Taken(record, stored)


@dataclass
class SleepyActivity(WorldActivity):
    """A machine that sleeps once, in the middle of a window."""

    asked: int = 0

    def suspended_ns(self) -> int:
        """0 at the first call, 2 s from then on."""
        self.asked += 1
        return 0 if self.asked == 1 else 2_000_000_000


@dataclass
class WarmActivity(WorldActivity):
    """A package that warms up by a degree with each look."""

    looks: int = 0

    def temperature_mdeg(self) -> int | None:
        """Temperature of the package, a degree higher each time."""
        self.looks += 1
        return 40_000 + 1000 * self.looks


def every_fault() -> list[Any]:
    """Each fault of the package, in the middle of a window."""
    more: dict[FaultKind, dict[str, Any]] = {
        FaultKind.NEGATIVE_STEP: {"step_j": 500.0},
        FaultKind.LATE: {"duration_s": 90.0},
    }
    kinds = [fault_kind for fault_kind in FaultKind if fault_kind is not FaultKind.CHARGING]
    return [pytest.param(fault(kind, 0.55, **more.get(kind, {})), id=kind.value) for kind in kinds]
