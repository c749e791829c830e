# SPDX-License-Identifier: Apache-2.0
"""What a cocotb module is told in its environment; `hdl/README.md` lists the variables."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass

__all__ = ["SimulationRequest", "told"]


@dataclass(frozen=True, slots=True)
class SimulationRequest:
    """The core that a simulation runs, and how much of it is wanted."""

    parameters: dict[str, int]
    """All of the core's."""
    clocks_per_block: int | None
    """What the manifest promises for them, if it does."""
    latency_clocks: int | None
    random_messages: int


def told(random_messages: int) -> SimulationRequest:
    """Reads the environment.

    Args:
        random_messages: how many a module sends of its own accord.
    """
    return SimulationRequest(
        parameters=json.loads(os.environ.get("JOULEMARK_PARAMETERS", "{}")),
        clocks_per_block=_number("JOULEMARK_CLOCKS_PER_BLOCK"),
        latency_clocks=_number("JOULEMARK_LATENCY_CLOCKS"),
        random_messages=int(os.environ.get("JOULEMARK_RANDOM_MESSAGES", random_messages)),
    )


def _number(name: str) -> int | None:
    text = os.environ.get(name)
    return int(text) if text else None
