# SPDX-License-Identifier: Apache-2.0
"""Reads the variables of its environment for a cocotb module; `hdl/README.md` lists them."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SimulationRequest:
    """Parameters of the simulated core, the clocks it must keep, and the length of the test."""

    parameters: dict[str, int]
    """Value of every parameter of the core."""
    clocks_per_block: int | None
    """Clocks that the manifest promises for these parameters; None where it promises none."""
    latency_clocks: int | None
    random_messages: int


def simulation_request(random_messages: int) -> SimulationRequest:
    """Reads the environment.

    Args:
        random_messages: number of messages that the module sends if the environment gives none.
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
