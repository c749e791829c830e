# SPDX-License-Identifier: Apache-2.0
"""Drives hmac_sha256_round: keys, messages as words, tags."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.bench.streams import Stall, StreamSink, StreamSource, never

__all__ = ["Adapter", "key_words"]

DIGEST_WORDS = 8
KEY_CLOCKS = 60
"""Clocks from the last word of a key's block until the core takes a message."""


def key_words(key: bytes) -> Iterator[dict[str, int]]:
    """The words of the key's block, twice; a key of more than 64 bytes is hashed first."""
    if len(key) > 64:
        key = hashlib.sha256(key).digest()
    block = key.ljust(64, b"\0")
    for at in 2 * tuple(range(0, 64, 4)):
        yield {"word": int.from_bytes(block[at : at + 4], "big")}


class Adapter(CoreAdapter):
    """Tags by `process`."""

    key_bytes = (32, 0, 16, 20, 64, 80)

    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        super().__init__(dut, clock, parameters)
        self.keys = StreamSource(clock, dut.key_valid_i, dut.key_ready_o, {"word": dut.key_i})
        self.source = StreamSource(
            clock,
            dut.data_valid_i,
            dut.data_ready_o,
            {"word": dut.data_i, "bytes": dut.data_bytes_i, "last": dut.data_last_i},
        )
        self.sink = StreamSink(
            clock, dut.digest_valid_o, dut.digest_ready_i, {"word": dut.digest_o}
        )
        self.source_stall: Stall = never
        self.sink_stall: Stall = never

    async def reset(self) -> None:
        """Drives idle values and resets the core."""
        self.keys.idle()
        self.source.idle()
        self.sink.idle()
        self.dut.wipe_i.value = 0
        self.dut.rst_ni.value = 0
        await RisingEdge(self.clock)
        await RisingEdge(self.clock)
        self.dut.rst_ni.value = 1

    async def set_key(self, key: bytes) -> None:
        """Sends a key's block twice; returns when the core takes messages."""
        await self.keys.send(key_words(key), self.source_stall)
        await ClockCycles(self.clock, KEY_CLOCKS)

    async def process(self, messages: Sequence[bytes]) -> list[bytes]:
        """Tags of these messages, back to back."""
        sending = cocotb.start_soon(self._send(messages))
        taken: list[bytes] = []
        try:
            for _ in messages:
                if not self.dut.digest_valid_o.value:
                    await RisingEdge(self.dut.digest_valid_o)
                words = await self.sink.receive(DIGEST_WORDS, self.sink_stall)
                taken.append(b"".join(word["word"].to_bytes(4, "big") for word in words))
            await sending
        finally:
            sending.cancel()
        return taken

    async def _send(self, messages: Sequence[bytes]) -> None:
        for message in messages:
            for word in self._words(message):
                if self.source_stall is never and not self.dut.data_ready_o.value:
                    # Sends the word as `send` does, but sleeps until the core takes it.
                    self.source.valid.value = 1
                    for name, value in word.items():
                        self.source.data[name].value = value
                    await FallingEdge(self.clock)
                    if not self.dut.data_ready_o.value:
                        await RisingEdge(self.dut.data_ready_o)
                    await RisingEdge(self.clock)
                    self.source.scramble(self.source.data.values())
                    self.source.valid.value = 0
                else:
                    await self.source.send([word], self.source_stall)

    @staticmethod
    def _words(message: bytes) -> Iterator[dict[str, int]]:
        count = max(1, -(-len(message) // 4))
        for at in range(count):
            part = message[4 * at : 4 * at + 4]
            yield {
                "word": int.from_bytes(part.ljust(4, b"\xa5"), "big"),
                "bytes": len(part),
                "last": int(at == count - 1),
            }

    @staticmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """HMAC-SHA-256 of Python's standard library."""
        return hmac.new(key, message, "sha256").digest()
