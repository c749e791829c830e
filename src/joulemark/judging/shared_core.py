# SPDX-License-Identifier: Apache-2.0
"""Which windows ran while another hardware thread used the same core.

Such a thread interrupts nothing and takes no CPU time from ours, yet code that keeps the core busy
then takes up to twice as long. The thread belongs to another program, or to another guest of the
same machine. Probes before and after each window count the independent additions that the core does
in a cycle (`harness/clock/core_width.c`): always the same number alone, fewer beside another
thread.

The rule looks at the instrument alone, never at the time per message. Its consequences are decided
for competitors together (`joulemark.judging.standing`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final

from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial

__all__ = ["SHARED_BELOW", "additions_per_cycle", "best_rate", "core_was_shared"]

SHARED_BELOW: Final = 0.95
"""Part of the best rate of additions below which a core counts as shared: alone, probes agree to
2 %; the least that another busy thread took was 7 %."""
_BEST: Final = 0.98
"""Quantile of the rates of a run that counts as the best: a probe of the clock that was itself
interrupted makes the rate beside it too high."""

Samples = Mapping[Trial, Sequence[RawSample]]


def additions_per_cycle(sample: RawSample) -> float | None:
    """The lower of the rates before and after the window; None without both probes."""
    # Written without a loop for speed: judging a run asks four times for each sample.
    before, after = sample.width_ticks_before, sample.width_ticks_after
    chain_before, chain_after = sample.chain_ticks_before, sample.chain_ticks_after
    if not (before and after and chain_before and chain_after) or sample.chain_adds <= 0:
        return None
    adds, chain_adds = sample.width_adds, sample.chain_adds
    return min(
        adds * chain_before / (before * chain_adds), adds * chain_after / (after * chain_adds)
    )


def core_was_shared(sample: RawSample, best: float | None) -> bool:
    """Whether the core did fewer additions in a cycle than alone; False where that is unknown."""
    rate = additions_per_cycle(sample)
    return best is not None and rate is not None and rate < SHARED_BELOW * best


def best_rate(samples: Samples) -> float | None:
    """Additions per cycle of the core alone, as far as this run shows; None without probes."""
    rates = sorted(
        rate
        for sample in chain.from_iterable(samples.values())
        if (rate := additions_per_cycle(sample)) is not None
    )
    return rates[int(_BEST * (len(rates) - 1))] if rates else None
