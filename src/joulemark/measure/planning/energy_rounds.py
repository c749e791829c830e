# SPDX-License-Identifier: Apache-2.0
"""The order of a run's energy windows: trials in random order, baselines among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from joulemark.measure.planning.energy import Protocol
from joulemark.measure.planning.trials import Plan
from joulemark.records.energy_window import WindowKind
from joulemark.records.trial import Trial


@dataclass(frozen=True, slots=True)
class EnergyStep:
    """One window to take."""

    round_index: int
    position: int
    kind: WindowKind
    trial: Trial | None
    """The trial of a load window; None for a baseline."""


def energy_rounds(plan: Plan, protocol: Protocol, seed: int) -> Iterator[list[EnergyStep]]:
    """The rounds: every trial once, in the plan's random order, with baselines among them.

    A round begins with baselines, has them again after each `loads_per_baseline` load windows and
    ends with them, so that every load window stands between two baselines of each kind. With one
    load to a baseline each load has one before it, and none stands at the end.
    """
    for steps in plan.steps(seed):
        order: list[tuple[WindowKind, Trial | None]] = []
        for place, step in enumerate(steps):
            if place % protocol.loads_per_baseline == 0:
                order += _baselines(protocol)
            order.append((WindowKind.LOAD, step.trial))
        if protocol.loads_per_baseline > 1:
            order += _baselines(protocol)
        round_index = steps[0].round_index
        yield [
            EnergyStep(round_index, position, kind, trial)
            for position, (kind, trial) in enumerate(order)
        ]


def _baselines(protocol: Protocol) -> list[tuple[WindowKind, Trial | None]]:
    kinds = [WindowKind.DEEP_IDLE]
    if protocol.active_idle:
        kinds.append(WindowKind.ACTIVE_IDLE)
    return [(kind, None) for kind in kinds]
