# SPDX-License-Identifier: Apache-2.0
"""What a load takes: a rate times the cost of a message, with the word for how it was obtained."""

from __future__ import annotations

import pytest

from joulemark.analyse.estimate import figure
from joulemark.analyse.load import OfferedLoad, load_cost
from joulemark.records.figures import Evidence

SECONDS = figure([100e-9, 110e-9, 90e-9, 105e-9, 95e-9], Evidence.MEASURED)
JOULES = figure([2e-6, 2.1e-6, 1.9e-6], Evidence.SIMULATED)


def test_a_rate_times_a_time_is_a_part_of_a_core() -> None:
    """A million messages of 100 ns a second take a tenth of a core, with the same spread."""
    cost = load_cost(OfferedLoad(1e6), SECONDS)
    assert cost.cores.median == pytest.approx(0.1)
    assert cost.cores.low == pytest.approx(SECONDS.low * 1e6)
    assert cost.cores.high == pytest.approx(SECONDS.high * 1e6)
    assert cost.cores.samples == SECONDS.samples
    assert cost.core_seconds_per_million.median == pytest.approx(0.1)
    assert cost.cores.evidence is Evidence.MEASURED
    assert (cost.watts, cost.price_per_day) == (None, None)


def test_what_is_stated_makes_a_model() -> None:
    """Watts and prices of a core that the user states give modelled figures."""
    cost = load_cost(OfferedLoad(5e5, watts_per_core=15, price_per_core_hour=0.04), SECONDS)
    assert cost.watts is not None
    assert cost.price_per_day is not None
    assert cost.watts.median == pytest.approx(0.05 * 15)
    assert cost.price_per_day.median == pytest.approx(0.05 * 24 * 0.04)
    assert {cost.watts.evidence, cost.price_per_day.evidence} == {Evidence.MODELLED}


def test_joules_of_a_meter_come_before_stated_watts() -> None:
    """Where a message's joules were obtained, power is these joules times the rate."""
    cost = load_cost(OfferedLoad(1e6, watts_per_core=15), SECONDS, JOULES)
    assert cost.watts is not None
    assert cost.watts.median == pytest.approx(2.0)
    assert cost.watts.evidence is Evidence.SIMULATED
