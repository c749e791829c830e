# SPDX-License-Identifier: Apache-2.0
"""Shared parts of the tests of `hmac_sha256`: a running core, documented clocks, expected tags."""

from __future__ import annotations

import json
import os
from typing import Any

from adapter import Adapter

from joulemark.hardware.bench import streams

__all__ = [
    "BETWEEN_BLOCKS_CLOCKS", "ENGINE_CLOCKS", "INTERLEAVE", "KEY", "LATENCY_CLOCKS",
    "MOST_UNDER_WAY", "PARAMETERS", "REGISTERED", "SLOT_CLOCKS", "WIPE_CLOCKS", "expected",
    "started",
]  # fmt: skip

PARAMETERS = json.loads(os.environ["JOULEMARK_PARAMETERS"])
INTERLEAVE = PARAMETERS["INTERLEAVE"]
REGISTERED = INTERLEAVE == 2
"""Whether messages and tags wait in registers."""
ENGINE_CLOCKS = 135 if INTERLEAVE == 2 else 64 // PARAMETERS["ROUNDS"]
SLOT_CLOCKS = 64 // (PARAMETERS["STAGES"] * PARAMETERS["ROUNDS"])
LATENCY_CLOCKS = 2 * ENGINE_CLOCKS + 1 + 4 * REGISTERED
BETWEEN_BLOCKS_CLOCKS = ENGINE_CLOCKS + 2 + 3 * REGISTERED
"""Clocks between blocks of one message."""
ENGINE_BLOCKS = PARAMETERS["STAGES"] + 1
if INTERLEAVE == 2:
    ENGINE_BLOCKS = 17 if PARAMETERS["STAGES"] == 4 else 9
WIPE_CLOCKS = 2 * PARAMETERS["STAGES"] + ENGINE_BLOCKS + 2
"""Most clocks from a reset until a key can be taken."""
MOST_UNDER_WAY = 2 * ENGINE_BLOCKS + 3 * REGISTERED
"""Messages in both engines and the registers before them."""
KEY = bytes(range(32))


async def started(dut: Any) -> Adapter:
    """A running clock and a core out of reset."""
    return await streams.started(Adapter, dut, dut.clk_i, PARAMETERS)


def expected(key: bytes, messages: list[bytes]) -> list[bytes]:
    """The right tags, by the standard library."""
    return [Adapter.reference(key, message) for message in messages]
