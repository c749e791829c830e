# SPDX-License-Identifier: Apache-2.0
"""`valid_ready`: words of a message go in as a stream, the result comes out as one.

Parts: `valid`, `ready`, `data`; also `last` if the core is told the end, and `bytes` if it is told
how many bytes of a word count. `result_valid`, `result_data`; also `result_ready` if the result can
be held back. With a key: `key_valid`, `key_ready`, `key`; or `key` alone, which then just stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from joulemark.hardware.bench.protocols.base import TableAdapter
from joulemark.hardware.bench.protocols.table import blocks, padded
from joulemark.hardware.bench.streams import StreamSink, StreamSource


class _Unheard:
    """Stands for the `ready` of a core that cannot be held back: what is driven goes nowhere."""

    value = 0


class ValidReady(TableAdapter):
    """The adapter of this protocol."""

    required = ("valid", "ready", "data", "result_valid", "result_data")
    driven = ("valid", "data", "last", "bytes", "result_ready", "key_valid", "key")
    read_if_there = ("key_ready",)
    whole_blocks_only = False

    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        super().__init__(dut, clock, parameters)
        table = self.table
        data = {"data": table.port(dut, "data")}
        for part in ("last", "bytes"):
            if (port := table.optional(dut, part)) is not None:
                data[part] = port
        self._word_bytes = len(data["data"]) // 8
        self._messages = StreamSource(
            clock, table.port(dut, "valid"), table.port(dut, "ready"), data
        )
        ready = table.optional(dut, "result_ready")
        self._results = StreamSink(
            clock,
            table.port(dut, "result_valid"),
            _Unheard() if ready is None else ready,
            {"data": table.port(dut, "result_data")},
        )

    async def set_key(self, key: bytes) -> None:
        """Sends the key in one transfer, or puts it at its port if that has no `valid`."""
        port = self.table.port(self.dut, "key")
        valid = self.table.optional(self.dut, "key_valid")
        port.value = self.table.number(key, port)
        if valid is None:
            await RisingEdge(self.clock)
            return
        valid.value = 1
        ready = self.table.optional(self.dut, "key_ready")
        if ready is None:
            await FallingEdge(self.clock)
        else:
            await self.until(ready)
        await RisingEdge(self.clock)
        valid.value = 0

    async def process(self, messages: Sequence[bytes]) -> list[bytes]:
        """Feeds all messages as fast as the core takes them; returns the results in their order."""
        stream = (word for message in messages for word in self._words(message))
        sending = cocotb.start_soon(self._messages.send(stream))
        word_bytes = len(self._results.data["data"]) // 8
        result_bytes = self.table.result_bytes or word_bytes
        words = -(-result_bytes // word_bytes)
        taken = await self._results.receive(words * len(messages))
        await sending
        data = b"".join(
            transfer["data"].to_bytes(word_bytes, self.table.byte_order) for transfer in taken
        )
        return [part[:result_bytes] for part in blocks(data, words * word_bytes)]

    def _words(self, message: bytes) -> Iterator[dict[str, int]]:
        block = self.table.block_bytes or self._word_bytes
        parts = list(blocks(padded(message, block, self.table.padding), self._word_bytes)) or [b""]
        for number, part in enumerate(parts):
            filled = part.ljust(self._word_bytes, b"\0")
            word = {"data": self.table.number(filled, self._messages.data["data"])}
            if "last" in self._messages.data:
                word["last"] = int(number == len(parts) - 1)
            if "bytes" in self._messages.data:
                word["bytes"] = len(part)
            yield word
