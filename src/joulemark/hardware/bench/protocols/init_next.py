# SPDX-License-Identifier: Apache-2.0
"""`init_next`: blocks at a wide port, one pulse for the first block and another for the rest.

Parts: `init`, `next`, `ready`, `block`, `digest`; `digest_valid` where there is one, else the
result stands when `ready` is high again; `key` where there is a key, which then just stays. A block
may be offered when `ready` is high; the pulse lasts one clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cocotb.triggers import FallingEdge, RisingEdge

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

    async def set_key(self, key: bytes) -> None:
        self.table.port(self.dut, "key").value = self.table.number(key)
        await RisingEdge(self.clock)

    async def process(self, messages: Sequence[bytes]) -> list[bytes]:
        results = []
        for message in messages:
            size = self.table.require_block()
            data = padded(message, size, self.table.padding)
            for number, block in enumerate(blocks(data, size)):
                await self._one(block, self._next if number else self._init)
            results.append(await self._result())
        await RisingEdge(self.clock)
        return results

    async def _one(self, block: bytes, pulse: Any) -> None:
        """Offers a block when the core is ready, and looks until it has taken it up."""
        await self.until(self._ready)
        await RisingEdge(self.clock)
        self._block.value = self.table.number(block)
        pulse.value = 1
        await RisingEdge(self.clock)
        pulse.value = 0
        # `ready` falls with the edge that takes the pulse; look in the period after it.
        await FallingEdge(self.clock)

    async def _result(self) -> bytes:
        await self.until(self._ready)
        if self._valid is not None and not int(self._valid.value):
            await self.until(self._valid)
        return self.table.data(self._digest)


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
