# SPDX-License-Identifier: Apache-2.0
"""The A/A test: two copies of the same code are measured like rivals; their difference is noise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from joulemark.analyse.compare import compare_within
from joulemark.environment import capture
from joulemark.errors import JoulemarkError
from joulemark.measure.planning.trials import Plan
from joulemark.measure.run import run_plan
from joulemark.measure.study import STANDARD
from joulemark.measure.workers.inventory import Inventory
from joulemark.records.trial import Trial, Workload
from joulemark.store.repository import Store
from joulemark.units import format_bytes, format_percent

_ALGORITHM: Final = "hmac-sha256"
_SIZE_BYTES: Final = 1024
_EFFORT: Final = STANDARD
_ROUNDS: Final = _EFFORT.rounds_of(2)
_SETTINGS: Final = (
    f"Found with {_ROUNDS} rounds of {_EFFORT.windows} windows in {_EFFORT.generations} "
    "generations of processes, as joulemark bench takes them unless told; --precision resolves "
    "more, --quick less."
)


def noise_floor(inventory: Inventory) -> dict[str, Any]:
    """Measures the twins and says which differences are worth believing, as JSON values."""
    first = Trial(f"{_ALGORITHM}/auto", Workload(_SIZE_BYTES))
    second = replace(first, implementation=f"{first.implementation}#2")
    plan = Plan(
        (first, second),
        _ROUNDS,
        _EFFORT.window_ns,
        _EFFORT.generations,
        windows=_EFFORT.windows,
        retakes=_EFFORT.retakes,
    )
    with Store.open(":memory:") as store:
        outcome = run_plan(store, inventory, plan, capture(), study={"noise_floor": True})
        samples = store.samples(outcome.run_id)
    if outcome.failures:
        raise JoulemarkError(f"the noise floor cannot be measured: {outcome.failures[0].reason}")
    twins = compare_within(samples, first.implementation)[0]
    return {
        "implementation": first.implementation,
        "size_bytes": _SIZE_BYTES,
        "rounds": _ROUNDS,
        "generations": _EFFORT.generations,
        "ratio": twins.ratio,
        "low": twins.low,
        "high": twins.high,
        "level": twins.level,
        "verdict": str(twins.verdict),
        "believable_difference": _floor(twins.low, twins.high),
        "sentence": sentence_for(twins.ratio, twins.low, twins.high),
        "notes": [_SETTINGS, *twins.notes],
    }


def _floor(low: float, high: float) -> float:
    """The largest deviation from 1 in an interval of a ratio."""
    return max(abs(low - 1), abs(high - 1))


def sentence_for(ratio: float, low: float, high: float) -> str:
    """The noise floor in words.

    Args:
        ratio: seconds per message of the second copy over those of the first.
        low: lower end of its interval.
        high: upper end.
    """
    return (
        f"two copies of the same code ({_ALGORITHM}/auto, {format_bytes(_SIZE_BYTES)}) differ by "
        f"{format_percent(ratio - 1)} [{format_percent(low - 1)} to {format_percent(high - 1)}]; "
        f"differences below {format_percent(_floor(low, high))} are not worth believing here"
    )
