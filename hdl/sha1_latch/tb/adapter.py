# SPDX-License-Identifier: Apache-2.0
"""Drives sha1_latch: pads messages, and puts the digest's bytes in order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.bench.streams import Stall, StreamSink, StreamSource, never

__all__ = ["Adapter", "block_bytes"]

DIGEST_BYTES = 20


def block_bytes(message: bytes) -> list[int]:
    """The padded blocks of a message, least significant byte of each word first."""
    padded = message + b"\x80" + bytes((55 - len(message)) % 64)
    padded += (8 * len(message)).to_bytes(8, "big")
    return [padded[4 * (i // 4) + 3 - i % 4] for i in range(len(padded))]


class Adapter(CoreAdapter):
    """Messages of one block, or with CHAINING of any number of blocks."""

    message_bytes_max: int | None = 55  # type: ignore[misc] # of one object, by its parameters

    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        super().__init__(dut, clock, parameters)
        if parameters["CHAINING"]:
            self.message_bytes_max = None
        self.source = StreamSource(
            clock, dut.data_valid_i, dut.data_ready_o, {"byte": dut.data_i, "last": dut.last_i}
        )
        self.sink = StreamSink(
            clock, dut.digest_valid_o, dut.digest_ready_i, {"byte": dut.digest_o}
        )
        self.source_stall: Stall = never
        self.sink_stall: Stall = never

    async def reset(self) -> None:
        """Drives idle values and resets the core."""
        self.source.idle()
        self.sink.idle()
        self.dut.wipe_i.value = 0
        self.dut.scan_enable_i.value = 0
        self.dut.rst_ni.value = 0
        await RisingEdge(self.clock)
        await RisingEdge(self.clock)
        self.dut.rst_ni.value = 1

    async def process(self, messages: Sequence[bytes]) -> list[bytes]:
        """Digests of these messages, back to back."""
        sending = cocotb.start_soon(self.source.send(self._words(messages), self.source_stall))
        try:
            taken = await self.sink.receive(DIGEST_BYTES * len(messages), self.sink_stall)
            await sending
        finally:
            sending.cancel()
        values = [word["byte"] for word in taken]
        return [
            bytes(reversed(values[at : at + DIGEST_BYTES]))
            for at in range(0, len(values), DIGEST_BYTES)
        ]

    @staticmethod
    def _words(messages: Sequence[bytes]) -> Iterator[dict[str, int]]:
        for message in messages:
            values = block_bytes(message)
            for at, value in enumerate(values):
                yield {"byte": value, "last": int(at >= len(values) - 64)}

    @staticmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """SHA-1 by hashlib."""
        del key
        return hashlib.sha1(message, usedforsecurity=False).digest()
