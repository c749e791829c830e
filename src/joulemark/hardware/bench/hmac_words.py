# SPDX-License-Identifier: Apache-2.0
"""Drives cores that take HMAC's key as a block of words, twice, and messages in such words."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import cocotb
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.bench.streams import Stall, StreamSink, StreamSource, never

__all__ = ["HmacWordsAdapter", "lengths_round_blocks"]

_BLOCK_BYTES = 64
_NEAR_A_BOUNDARY = (0, 1, 2, 3, 4, 52, 55, 56, 57, 60, 63)
"""Bytes in a last block near which words, padding and blocks begin or end."""


def lengths_round_blocks(*, every: bool) -> list[int]:
    """Bytes of messages of up to three blocks: all lengths, or those near boundaries alone."""
    return [size for size in range(3 * _BLOCK_BYTES + 1) if every or size % 64 in _NEAR_A_BOUNDARY]


class HmacWordsAdapter(CoreAdapter):
    """Tags by `process`. First bytes are in the highest bits of a word."""

    hash_name: ClassVar[str]
    """The hash, by hashlib's name."""
    key_clocks: ClassVar[int]
    """Clocks after the last word of a key's block until the core takes another word."""
    last_first: ClassVar[bool] = False
    """The last word of a tag comes first."""

    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        super().__init__(dut, clock, parameters)
        self.keys = StreamSource(clock, dut.key_valid_i, dut.key_ready_o, {"word": dut.key_i})
        self.source = StreamSource(clock, dut.data_valid_i, dut.data_ready_o, self._ports())
        self.sink = StreamSink(
            clock, dut.digest_valid_o, dut.digest_ready_i, {"word": dut.digest_o}
        )
        self.source_stall: Stall = never
        self.sink_stall: Stall = never

    def _ports(self) -> dict[str, Any]:
        dut = self.dut
        return {"word": dut.data_i, "bytes": dut.data_bytes_i, "last": dut.data_last_i}

    @classmethod
    def digest(cls, message: bytes) -> bytes:
        """The plain hash, of Python's standard library."""
        return hashlib.new(cls.hash_name, message, usedforsecurity=False).digest()

    @classmethod
    def reference(cls, key: bytes, message: bytes) -> bytes:
        """HMAC of Python's standard library."""
        return hmac.new(key, message, cls.hash_name).digest()

    @classmethod
    def key_words(cls, key: bytes) -> Iterator[dict[str, int]]:
        """The words of the key's block, twice; a key of more than 64 bytes is hashed first."""
        if len(key) > _BLOCK_BYTES:
            key = cls.digest(key)
        block = key.ljust(_BLOCK_BYTES, b"\0")
        for at in 2 * tuple(range(0, _BLOCK_BYTES, 4)):
            yield {"word": int.from_bytes(block[at : at + 4], "big")}

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
        await self.keys.send(self.key_words(key), self.source_stall)
        await ClockCycles(self.clock, self.key_clocks)

    async def process(self, messages: Sequence[bytes]) -> list[bytes]:
        """Tags of these messages, back to back."""
        return await self._run(messages)

    async def _run(self, messages: Sequence[bytes], **fields: int) -> list[bytes]:
        """The results of messages, with these fields beside each word."""
        words_of_tag = hashlib.new(self.hash_name, usedforsecurity=False).digest_size // 4
        order = -1 if self.last_first else 1
        sending = cocotb.start_soon(self._send(messages, fields))
        taken: list[bytes] = []
        try:
            for _ in messages:
                if not self.dut.digest_valid_o.value:
                    await RisingEdge(self.dut.digest_valid_o)
                words = await self.sink.receive(words_of_tag, self.sink_stall)
                taken.append(b"".join(word["word"].to_bytes(4, "big") for word in words[::order]))
            await sending
        finally:
            sending.cancel()
        return taken

    async def _send(self, messages: Sequence[bytes], fields: Mapping[str, int]) -> None:
        for message in messages:
            for part in self._words(message):
                word = {**part, **fields}
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
