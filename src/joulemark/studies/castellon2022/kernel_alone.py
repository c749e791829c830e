# SPDX-License-Identifier: Apache-2.0
"""The regime of the kernel alone: the programs in Joulemark's harness, stored like any run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from joulemark.analyse import derive
from joulemark.errors import UnavailableError
from joulemark.judging.standing import chosen
from joulemark.measure.inventory import Inventory
from joulemark.measure.plan import Effort, EnergyPlan, Plan
from joulemark.measure.study import code_digest
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial, Workload
from joulemark.stats import median

PROGRAMS: Final = {
    "standard": "hmac-sha256/castellon2022_standard",
    "ecm_j1": "hmac-sha256/castellon2022_ecm_j1",
    "ecm_j8": "hmac-sha256/castellon2022_ecm_j8",
}
RIVALS: Final = {
    "portable": "hmac-sha256/portable",
    "shani": "hmac-sha256/shani",
    "engine": "hmac-sha256/engine",
}
"""Our implementations in the chart of saved core cycles, as far as this machine has them."""
ENGINE_BATCH: Final = 64
"""Messages that the engine gets in one call, if it takes several."""
_GENERATIONS: Final = 10
_RETAKES: Final = 2


def subjects(inventory: Inventory) -> dict[str, Trial]:
    """The trials of this regime by short name, at a length of 0 that stands for any length."""
    for name in PROGRAMS.values():
        if name not in inventory.facts:
            raise UnavailableError(f"{name} is not in this build; run make setup to build it")
    trials = {}
    for short, name in {**PROGRAMS, **RIVALS}.items():
        facts = inventory.facts.get(name)
        if facts is not None:
            batch = ENGINE_BATCH if short == "engine" and facts.batch_calls else 1
            trials[short] = Trial(name, Workload(0, batch=batch))
    return trials


def plan_of(
    inventory: Inventory,
    chosen: Sequence[Trial],
    sizes_bytes: Sequence[int],
    repetitions: int,
    window_ns: int,
    energy: EnergyPlan | None,
) -> Plan:
    """Plans every subject at every size; trials of one size are neighbours in time."""
    trials = [
        Trial(trial.implementation, Workload(size, batch=trial.workload.batch))
        for trial in chosen
        for size in sizes_bytes
    ]
    names = [trial.implementation for trial in chosen]
    generations = min(_GENERATIONS, repetitions)
    effort = Effort(repetitions, window_ns, generations, windows=1, retakes=_RETAKES)
    return Plan(tuple(trials), effort, code_digest(inventory, names), energy)


def seconds(samples: Sequence[RawSample]) -> list[float]:
    """Returns the seconds per message of each sample, by round."""
    ordered = sorted(samples, key=lambda sample: sample.round_index)
    return [derive.seconds_per_message(sample) for sample in ordered]


def rounds(samples: Mapping[str, Sequence[RawSample]]) -> tuple[dict[str, list[float]], list[int]]:
    """Returns the seconds per message of each program, and the generation, in their common rounds.

    Windows that were taken again in one round count as their median.
    """
    by_program = {name: _by_round(series) for name, series in chosen(samples).items()}
    shared = sorted(set.intersection(*map(set, by_program.values())))
    if not shared:  # each clean in other rounds: a few rounds on a very busy machine
        by_program = {name: _by_round(series) for name, series in samples.items()}
        shared = sorted(set.intersection(*map(set, by_program.values())))
    values = {
        name: [median(seconds(by_round[index])) for index in shared]
        for name, by_round in by_program.items()
    }
    first = next(iter(by_program.values()))
    return values, [first[index][-1].generation for index in shared]


def _by_round(samples: Sequence[RawSample]) -> dict[int, list[RawSample]]:
    by_round: dict[int, list[RawSample]] = {}
    for sample in samples:
        by_round.setdefault(sample.round_index, []).append(sample)
    return by_round


def core_cycles(samples: Sequence[RawSample]) -> list[float] | None:
    """Returns the core cycles per message of each sample, by round; None if a sample has none.

    They are counted if Linux lends the counter, else modelled from ticks and the clock probes.
    """
    ordered = sorted(samples, key=lambda sample: sample.round_index)
    for division in (
        derive.measured_core_cycles_per_message,
        derive.modelled_core_cycles_per_message,
    ):
        values = [value for sample in ordered if (value := division(sample)) is not None]
        if values and len(values) == len(ordered):
            return values
    return None
