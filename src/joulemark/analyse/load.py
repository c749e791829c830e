# SPDX-License-Identifier: Apache-2.0
"""What messages that arrive all day take: cores, power and money, from the cost of one message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from joulemark.analyse import Figure
from joulemark.records.figures import Evidence

_MILLION: Final = 1e6
_HOURS_A_DAY: Final = 24.0


@dataclass(frozen=True, slots=True)
class OfferedLoad:
    """Messages that arrive, and what the user says of a core that works."""

    messages_per_second: float
    """1 to 1e9."""
    watts_per_core: float | None = None
    """Power that a core takes more when it works; above 0."""
    price_per_core_hour: float | None = None
    """In any currency; above 0."""


@dataclass(frozen=True, slots=True)
class LoadCost:
    """What a load takes when one message costs as much as was measured.

    A rate times a measured time: cores do not slow one another down, and nothing waits.
    """

    cores: Figure
    """Cores at work, as a mean: 0.05 is a twentieth of the time of one."""
    core_seconds_per_million: Figure
    """Time of a core for a million messages."""
    watts: Figure | None
    """Power: joules of a message that were measured, or the stated power of a core; else None."""
    price_per_day: Figure | None
    cores_one_by_one: Figure | None = None
    """Cores at work if no message waited for others; None unless `cores` is of batches."""


def load_cost(
    load: OfferedLoad,
    seconds: Figure,
    joules: Figure | None = None,
    *,
    one_by_one: Figure | None = None,
) -> LoadCost:
    """The cost of a load.

    Args:
        load: messages and what a core costs.
        seconds: time of a core per message.
        joules: energy per message, where a meter gave it.
        one_by_one: time of a core per message without batches, where `seconds` is of batches.
    """
    cores = scaled(seconds, load.messages_per_second)
    if joules is not None:
        watts = scaled(joules, load.messages_per_second)
    elif load.watts_per_core is not None:
        watts = scaled(cores, load.watts_per_core, Evidence.MODELLED)
    else:
        watts = None
    price = load.price_per_core_hour
    return LoadCost(
        cores,
        scaled(seconds, _MILLION),
        watts,
        None if price is None else scaled(cores, price * _HOURS_A_DAY, Evidence.MODELLED),
        None if one_by_one is None else scaled(one_by_one, load.messages_per_second),
    )


def scaled(figure: Figure, factor: float, evidence: Evidence | None = None) -> Figure:
    """The figure times an exact factor above 0.

    Args:
        figure: any.
        factor: also changes the unit.
        evidence: in place of the figure's, where the factor is no mere unit.
    """
    spread = ("median", "low", "high", "minimum", "quartile_1", "quartile_3", "mad")
    values = {name: getattr(figure, name) * factor for name in spread}
    return figure.model_copy(update={**values, "evidence": evidence or figure.evidence})
