# SPDX-License-Identifier: Apache-2.0
"""A bench in virtual time: the real meter code, the real window code, a simulated machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from joulemark.judging.domains import Pace, pace_of
from joulemark.meters import Meter
from joulemark.meters.instruments import make_meter
from joulemark.meters.simulated import SimulatedDomain, SimulatedFault
from joulemark.meters.window import observe, take_window
from joulemark.records.energy_window import (
    Domain,
    EnergyWindow,
    MeterRecord,
    Observation,
    WindowKind,
    WindowRequest,
)
from joulemark.records.figures import Evidence
from simulated_world import World


@dataclass
class WorldLoad:
    """Virtual messages that take the same time and power each."""

    world: World
    watts: float
    ns_per_message: int = 1000
    kind: WindowKind = WindowKind.LOAD
    messages: int = 0

    def run(self, duration_ns: int) -> None:
        """Runs whole messages, at least one."""
        count = max(1, round(duration_ns / self.ns_per_message))
        self.world.run_load(count * self.ns_per_message, self.watts)
        self.messages += count


@dataclass
class WorldIdle:
    """The pause of an idle window, in virtual time."""

    world: World
    kind: WindowKind = WindowKind.DEEP_IDLE
    messages: int = 0

    def run(self, duration_ns: int) -> None:
        """Lets time pass."""
        self.world.sleep_ns(duration_ns)


@dataclass
class WorldActivity:
    """Counters of the kernel: the load's CPU time, and foreign CPU time as the test sets it."""

    world: World
    foreign_share: float = 0.0
    slept_ns: int = 0

    chain_adds = 8192

    def chain_ticks(self) -> int | None:
        """None, since there is no probe of the clock in virtual time."""
        return None

    def thread_cpu_ns(self) -> int:
        """The CPU time of the load."""
        return self.world.cpu_ns

    def machine_busy_ns(self) -> int | None:
        """CPU time of the load and of foreign programs."""
        passed = self.world.now_ns() - self.world.start_ns
        return self.world.cpu_ns + round(self.foreign_share * passed)

    def machine_steal_ns(self) -> int | None:
        """No CPU time is taken by a hypervisor."""
        return 0

    def run_queue_wait_ns(self) -> int | None:
        """No thread waits for a CPU."""
        return 0

    def suspended_ns(self) -> int:
        """The time asleep that the test sets."""
        return self.slept_ns

    def temperature_mdeg(self) -> int | None:
        """None, since there is no sensor."""
        return None


@dataclass
class VirtualBench:
    """One simulated machine with a meter on it."""

    root: Path
    simulated: Sequence[SimulatedDomain]
    faults: Sequence[SimulatedFault] = ()
    seed: int = 0
    meter_name: str = "powercap"
    read_cost_ns: int = 1500
    reading_w: float = 0.0
    world: World = field(init=False)
    meter: Meter = field(init=False)
    activity: WorldActivity = field(init=False)
    paces: dict[str, Pace] = field(default_factory=dict)
    observations: dict[str, Observation] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.world = World(
            self.root, self.simulated, faults=self.faults, seed=self.seed,
            read_cost_ns=self.read_cost_ns, reading_w=self.reading_w,
        )  # fmt: skip
        self.meter = make_meter(self.meter_name, self.world.roots)
        self.activity = WorldActivity(self.world)

    def domains(self) -> list[Domain]:
        """The domains that the meter finds."""
        return list(self.meter.survey().domains)

    def learn(self, domains: Sequence[Domain], watts: float, **limits: float) -> dict[str, Pace]:
        """Paces of the domains, found under a steady load."""
        seen = observe(self.meter, domains, WorldLoad(self.world, watts), self.world, **limits)  # type: ignore[arg-type]
        self.observations |= {observation.domain: observation for observation in seen}
        found = {
            domain.id: pace
            for domain, watched in zip(domains, seen, strict=True)
            if (pace := pace_of(domain, watched.points)) is not None
        }
        self.paces |= found
        return found

    def window(
        self, domains: Sequence[Domain], watts: float | None, window_s: float,
        *, periods_s: dict[str, float] | None = None, ns_per_message: int = 1000,
        round_index: int = 0, position: int = 0, kind: WindowKind | None = None,
        skip_s: float = 0.0,
    ) -> EnergyWindow:  # fmt: skip
        """One window under a load of so many watts; None is idle."""
        if watts is None:
            load: WorldIdle | WorldLoad = WorldIdle(self.world, kind or WindowKind.DEEP_IDLE)
        else:
            load = WorldLoad(self.world, watts, ns_per_message, kind or WindowKind.LOAD)
        periods = periods_s or {domain.id: self.paces[domain.id].period_s for domain in domains}
        return take_window(
            self.meter, domains, load, self.world, self.activity,
            WindowRequest(round(window_s * 1e9), periods, round(skip_s * 1e9),
                          round_index=round_index, position=position),
        )  # fmt: skip

    def record(self, domains: Sequence[Domain], window_s: float, **changes: object) -> MeterRecord:
        """The meter's record, which is stored beside the windows."""
        values: dict[str, object] = {
            "meter": self.meter_name, "title": self.meter.title, "evidence": Evidence.SIMULATED,
            "method": "edges", "headline": domains[0].id, "domains": tuple(domains),
            "window_s": window_s,
            "paces": {name: pace.as_dict() for name, pace in self.paces.items()},
        }  # fmt: skip
        return MeterRecord(**{**values, **changes})  # type: ignore[arg-type]
