# SPDX-License-Identifier: Apache-2.0
"""`hdl/ascon_mac`: 10 000 random messages over every combination of its parameters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from joulemark.catalogue.vectors import vectors
from joulemark.hardware.manifest import read_core
from joulemark.reference.lightweight import ascon_mac

CORE = read_core(Path(__file__).parents[2] / "hdl" / "ascon_mac" / "ascon_mac.toml")


@pytest.mark.parametrize(
    ("combinations", "messages"),
    [
        pytest.param([{}], 40, id="default"),
        pytest.param(list(CORE.combinations()), 200, id="all", marks=pytest.mark.exhaustive),
    ],
)
def test_combinations(combinations: list[dict[str, int]], messages: int, simulate: Any) -> None:
    """Each passes vectors, random messages with stalls, clocks, resets and changes of keys."""
    simulate(CORE, combinations, {"JOULEMARK_RANDOM_MESSAGES": str(messages)})


def test_the_reference_gives_the_published_tags() -> None:
    """The cores' reference, whose S-box is a table, agrees with the published file."""
    for case in vectors("ascon-mac"):
        tag = ascon_mac(bytes.fromhex(case.key_hex), bytes.fromhex(case.message_hex))
        assert tag.hex() == case.output_hex, case.name
