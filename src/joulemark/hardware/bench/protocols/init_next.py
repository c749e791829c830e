# SPDX-License-Identifier: Apache-2.0
"""`init_next`: blocks at a wide port, one pulse for the first block and another for the rest.

Parts: `init`, `next`, `ready`, `block`, `digest`; `digest_valid` if the core has it, else the
result stands when `ready` is high again; `key` if the core takes a key, which then just stays, and
`key_init` if a pulse has the core set it up, until `key_ready`, or else `ready`, is high again. A
block is offered in the first period with `ready` high, whose end takes it, so that a core pays
only its own clocks; the pulse lasts one clock. A result is read in the period in which the next
pulse comes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from joulemark.hardware.bench.protocols.base import TableAdapter
from joulemark.hardware.bench.protocols.table import blocks, padded


class InitNext(TableAdapter):
    """The adapter of this protocol."""

    required = ("init", "next", "ready", "block", "digest")
    driven = ("init", "next", "block", "key", "key_init")
    read_if_there = ("digest_valid", "key_ready")

    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        super().__init__(dut, clock, parameters)
        self._init, self._next, self._ready, self._block, self._digest = (
            self.table.port(dut, part) for part in self.required
        )
        self._valid = self.table.optional(dut, "digest_valid")

    async def process(self, messages: Sequence[bytes]) -> list[bytes]:
        """Feeds all messages as fast as the core takes them; returns the results in their order."""
        results: list[bytes] = []
        reading = None
        size = self.table.require_block()
        for message in messages:
            data = padded(message, size, self.table.padding)
            for number, block in enumerate(blocks(data, size)):
                if number or reading is None:
                    await self.until(self._ready)
                self._block.value = self.table.number(block, self._block)
                await self.pulse(self._next if number else self._init)
                if not number and reading is not None:
                    results.append(await reading)
            await self.until(self._ready)
            if self._valid is not None:
                await self.until(self._valid)
            self.result_is_there()
            reading = cocotb.start_soon(self.read(self._digest))
        if reading is not None:
            results.append(await reading)
        await RisingEdge(self.clock)
        return results
