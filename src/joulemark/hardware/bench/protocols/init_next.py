# SPDX-License-Identifier: Apache-2.0
"""`init_next`: blocks at a wide port, one pulse for the first block and another for the rest.

Parts: `init`, `next`, `ready`, `block`, `digest`; `digest_valid` where there is one, else the
result stands when `ready` is high again; `key` where there is a key, which then just stays. A block
is offered in the first period with `ready` high, whose end takes it, so that a core pays only its
own clocks; the pulse lasts one clock. A result is read in the period in which the next pulse comes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.bench.protocols.base import TableAdapter, made
from joulemark.hardware.bench.protocols.table import Table, blocks, padded

__all__ = ["adapter"]


class _InitNext(TableAdapter):
    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        super().__init__(dut, clock, parameters)
        self._init, self._next, self._ready, self._block, self._digest = (
            self.table.port(dut, part) for part in ("init", "next", "ready", "block", "digest")
        )
        self._valid = self.table.optional(dut, "digest_valid")

    def quiet(self) -> None:
        for port in (self._init, self._next, self._block):
            port.value = 0
        if (key := self.table.optional(self.dut, "key")) is not None:
            key.value = 0

    async def process(self, messages: Sequence[bytes]) -> list[bytes]:
        results: list[bytes] = []
        reading = None
        size = self.table.require_block()
        for message in messages:
            data = padded(message, size, self.table.padding)
            for number, block in enumerate(blocks(data, size)):
                if number or reading is None:
                    await self.until(self._ready)
                self._block.value = self.table.number(block)
                await self.pulse(self._next if number else self._init)
                if not number and reading is not None:
                    results.append(await reading)
            await self._result_is_there()
            reading = cocotb.start_soon(self.read(self._digest))
        if reading is not None:
            results.append(await reading)
        await RisingEdge(self.clock)
        return results

    async def _result_is_there(self) -> None:
        await self.until(self._ready)
        if self._valid is not None:
            await self.until(self._valid)
        self.result_is_there()


def adapter(table: Table) -> type[CoreAdapter]:
    """The adapter class of a table.

    Raises:
        UsageError: a port or the size of a block is missing.
    """
    table.require("init", "next", "ready", "block", "digest")
    table.require_block()
    if table.key_bytes:
        table.require("key")
    return made(_InitNext, table)
