# SPDX-License-Identifier: Apache-2.0
"""A whole run in virtual time: rounds, baselines and trials on one simulated machine, analysed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from joulemark.analyse.run_energy import RunEnergy, run_energy
from joulemark.measure.plan import EDGES, Effort, EnergyMethod, Plan, energy_rounds
from joulemark.records.energy_window import EnergyWindow, WindowKind
from joulemark.records.trial import Trial, Workload
from joulemark.store.observations import StoredWindow
from virtual_bench import VirtualBench


def trial(variant: str, size_bytes: int = 1024) -> Trial:
    """A trial of an implementation that exists only in virtual time."""
    return Trial(f"hmac-sha256/{variant}", Workload(size_bytes))


def run_on(
    bench: VirtualBench,
    watts: Mapping[Trial, float],
    *,
    window_s: float,
    rounds: int = 10,
    protocol: EnergyMethod = EDGES,
    seed: int = 1,
    active_idle_w: float = 2.0,
    ns_per_message: int = 1000,
    sample_s: float = 2.0,
) -> RunEnergy:
    """Every window of a run, in the order that the planner gives, as the analysis sees them."""
    domains = bench.domains()
    periods = None
    if protocol.samples:
        domains = [
            replace(domain, same_as=None) for domain in domains if domain.quantity == "power"
        ][:1]
        periods = {domain.id: sample_s for domain in domains}
    else:
        bench.learn(domains, active_idle_w, longest_s=1.0)
    stored: list[StoredWindow] = []
    plan = Plan(tuple(watts), Effort(rounds, 2_000_000, rounds))
    for steps in energy_rounds(plan, protocol, seed):
        for step in steps:
            load_w = watts[step.trial] if step.trial else active_idle_w
            idle = step.kind is WindowKind.DEEP_IDLE
            window: EnergyWindow = bench.window(
                domains, None if idle else load_w, window_s, kind=step.kind, periods_s=periods,
                ns_per_message=ns_per_message, round_index=step.round_index,
                position=step.position, skip_s=protocol.skip_s,
            )  # fmt: skip
            if step.kind is not WindowKind.LOAD:
                window = replace(window, messages=0)
            stored.append(
                StoredWindow(step.trial, replace(window, generation=step.round_index), None)
            )
            if step.trial and protocol.rest_s:
                bench.world.sleep_ns(round(protocol.rest_s * 1e9))
    record = bench.record(domains, window_s, method=protocol.name)
    return run_energy(record, stored)
