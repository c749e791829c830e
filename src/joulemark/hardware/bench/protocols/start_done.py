# SPDX-License-Identifier: Apache-2.0
"""`start_done`: one block at a wide port, a pulse to start, and a signal when the result is there.

Parts: `start`, `done`, `block`, `result`; `ready` if an output shows that a start is taken; `key`
if the core takes a key, which then just stays, and `key_init` if a pulse has the core set it up,
until `key_ready`, or else `ready`, is high again, or for `key_clocks`. A message is one block,
filled up as `padding` says. The next message starts in the period with `done`, whose end takes it;
or in the period after, if the table says `start_with_done = false`, for a core that looks at no
start in its last state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from joulemark.errors import UsageError
from joulemark.hardware.bench.protocols.base import TableAdapter
from joulemark.hardware.bench.protocols.table import padded


class StartDone(TableAdapter):
    """The adapter of this protocol."""

    required = ("start", "done", "block", "result")
    driven = ("start", "block", "key", "key_init")
    read_if_there = ("ready", "key_ready")
    one_block_only = True

    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        super().__init__(dut, clock, parameters)
        self._start, self._done, self._block, self._result = (
            self.table.port(dut, part) for part in self.required
        )
        self._ready = self.table.optional(dut, "ready")

    async def process(self, messages: Sequence[bytes]) -> list[bytes]:
        """Feeds all messages as fast as the core takes them; returns the results in their order."""
        results: list[bytes] = []
        reading = None
        for message in messages:
            size = self.table.require_block()
            data = padded(message, size, self.table.padding)
            if len(data) != size:
                raise UsageError(
                    f"{self.table.core.name} takes one block of {size} bytes, not {len(data)} bytes"
                )
            if reading is not None and not self.table.start_with_done:
                results.append(await reading)
                reading = None
                await RisingEdge(self.clock)
            if self._ready is not None:
                await self.until(self._ready)
            self._block.value = self.table.number(data, self._block)
            await self.pulse(self._start)
            if reading is not None:
                results.append(await reading)
            await self.until(self._done)
            self.result_is_there()
            reading = cocotb.start_soon(self.read(self._result))
        if reading is not None:
            results.append(await reading)
        await RisingEdge(self.clock)
        return results
