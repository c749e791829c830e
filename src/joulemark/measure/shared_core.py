# SPDX-License-Identifier: Apache-2.0
"""Which windows ran while another hardware thread used the same core.

Such a thread interrupts nothing and takes no CPU time from ours, and yet code that keeps the core
busy then takes up to twice as long. It belongs to another program, or to another guest of the same
machine. Probes round each window count how many independent additions the core does in a cycle
(`harness/clock/core_width.c`): alone always the same number, beside another thread fewer.

The rule looks at the instrument alone, never at the time per message, and is applied to competitors
together: either figures of all of them stand on windows in which the core was ours alone, or those
of none do. Otherwise a trial that was lucky would be compared with one that was not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from joulemark.measure.interrupted import FEWEST_CLEAN, was_interrupted
from joulemark.measure.records import RawSample, Trial, Workload

__all__ = ["LEAST_ALONE", "SHARED_BELOW", "additions_per_cycle", "core_was_shared", "unshared"]

SHARED_BELOW: Final = 0.95
"""Part of the best rate of additions below which a core counts as shared: alone, probes agree to
2 %; the least that another busy thread took was 7 %."""
LEAST_ALONE: Final = 0.25
"""Share of a trial's windows that must have had the core alone for figures to stand on those."""
_BEST: Final = 0.98
"""Quantile of the rates of a run that counts as the best: a probe of the clock that was itself
interrupted makes the rate beside it too high."""

Samples = Mapping[Trial, Sequence[RawSample]]
_Place = tuple[str, Workload, str]


def additions_per_cycle(sample: RawSample) -> float | None:
    """The lower of the rates before and after the window; None without both probes."""
    ticks = (sample.width_ticks_before, sample.width_ticks_after)
    chains = (sample.chain_ticks_before, sample.chain_ticks_after)
    rates = [
        sample.width_adds * chain / (wide * sample.chain_adds)
        for wide, chain in zip(ticks, chains, strict=True)
        if wide and chain and sample.chain_adds > 0
    ]
    return min(rates) if len(rates) == len(ticks) else None


def core_was_shared(sample: RawSample, best: float | None) -> bool:
    """Whether the core did fewer additions than it does alone; False where that is unknown."""
    rate = additions_per_cycle(sample)
    return best is not None and rate is not None and rate < SHARED_BELOW * best


def best_rate(samples: Samples) -> float | None:
    """What the core does alone, as far as this run shows; None without probes."""
    rates = sorted(
        rate
        for taken in samples.values()
        for sample in taken
        if (rate := additions_per_cycle(sample)) is not None
    )
    return rates[int(_BEST * (len(rates) - 1))] if rates else None


def unshared(samples: Samples) -> dict[Trial, list[RawSample]]:
    """The samples of a run without those of a shared core, where competitors have enough others.

    Args:
        samples: of a run, by trial.
    """
    best = best_rate(samples)
    groups: dict[_Place, list[Trial]] = {}
    for trial in samples:
        groups.setdefault((trial.algorithm, trial.workload, trial.target), []).append(trial)
    kept: dict[Trial, list[RawSample]] = {}
    for members in groups.values():
        alone = {
            trial: [one for one in samples[trial] if not core_was_shared(one, best)]
            for trial in members
        }
        enough = all(_enough(alone[trial], samples[trial]) for trial in members)
        kept |= alone if enough else {trial: list(samples[trial]) for trial in members}
    return {trial: kept[trial] for trial in samples}


def _enough(alone: Sequence[RawSample], every: Sequence[RawSample]) -> bool:
    """Whether figures can stand on these; windows that were interrupted carry none anyway."""
    clean = sum(not was_interrupted(sample) for sample in alone)
    wanted = sum(not was_interrupted(sample) for sample in every)
    return clean >= min(max(FEWEST_CLEAN, LEAST_ALONE * wanted), wanted)
