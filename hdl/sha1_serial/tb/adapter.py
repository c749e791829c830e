# SPDX-License-Identifier: Apache-2.0
"""Drives sha1_serial and models its memory, in which a padded block appears when it starts."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cocotb.triggers import FallingEdge, RisingEdge

from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.bench.streams import Stall, StreamSink, StreamSource, never

__all__ = ["Adapter", "Block", "padded_blocks"]

DIGEST_WORDS = 5


@dataclass(frozen=True, slots=True)
class Block:
    """One start of the core."""

    words: tuple[int, ...]
    last: bool
    feed_forward: bool = True


def padded_blocks(message: bytes) -> list[Block]:
    """The blocks of a message (FIPS 180-4, section 5.1.1)."""
    padded = message + b"\x80" + bytes((55 - len(message)) % 64)
    padded += (8 * len(message)).to_bytes(8, "big")
    words = [int.from_bytes(padded[at : at + 4], "big") for at in range(0, len(padded), 4)]
    return [
        Block(tuple(words[at : at + 16]), last=at + 16 == len(words))
        for at in range(0, len(words), 16)
    ]


class Adapter(CoreAdapter):
    """Messages of any length; filling the memory takes no clocks."""

    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        super().__init__(dut, clock, parameters)
        # The names let a watcher of streams see blocks start and results appear.
        about_block = {"last": dut.last_i, "feed_forward": dut.feed_forward_i}
        self.source = StreamSource(clock, dut.start_valid_i, dut.start_ready_o, about_block)
        self.sink = StreamSink(clock, dut.digest_valid_o, dut.digest_ready_i, {})
        self.memory = [0] * 16
        self.source_stall: Stall = never
        self.sink_stall: Stall = never
        self.starts: list[int] = []
        """Numbers of the clock periods in which blocks started, and `offers` of those in which the
        first word of a result was first offered, counted from the last reset."""
        self.offers: list[int] = []
        self.clocks = 0

    async def reset(self) -> None:
        """Drives idle values and resets the core."""
        dut = self.dut
        for port in (dut.start_valid_i, dut.last_i, dut.load_valid_i, dut.load_data_i, dut.wipe_i):
            port.value = 0
        dut.feed_forward_i.value = 1
        dut.digest_ready_i.value = 0
        dut.memory_data_i.value = 0
        dut.rst_ni.value = 0
        await RisingEdge(self.clock)
        await RisingEdge(self.clock)
        dut.rst_ni.value = 1
        self.starts, self.offers, self.clocks = [], [], 0

    async def process(self, messages: Sequence[bytes]) -> list[bytes]:
        """Digests of these messages, back to back."""
        blocks = [block for message in messages for block in padded_blocks(message)]
        words = await self.run(blocks, DIGEST_WORDS * len(messages))
        return [
            b"".join(word.to_bytes(4, "big") for word in reversed(words[at : at + DIGEST_WORDS]))
            for at in range(0, len(words), DIGEST_WORDS)
        ]

    async def load(self, words: Sequence[int]) -> None:
        """Shifts in five words as the chaining value, H4 first."""
        self.dut.load_valid_i.value = 1
        for word in words:
            self.dut.load_data_i.value = word
            await FallingEdge(self.clock)
            while not self.dut.load_ready_o.value:
                await FallingEdge(self.clock)
            await RisingEdge(self.clock)
        self.dut.load_valid_i.value = 0

    async def run(self, blocks: Sequence[Block], words: int) -> list[int]:
        """Runs these blocks and returns this many words of results."""
        dut = self.dut
        taken: list[int] = []
        waiting = list(reversed(blocks))
        begun = False
        offered = False
        while len(taken) < words:
            if waiting and not (begun or self.source_stall()):
                begun = True
                dut.last_i.value = int(waiting[-1].last)
                dut.feed_forward_i.value = int(waiting[-1].feed_forward)
            dut.start_valid_i.value = int(begun)
            ready = not self.sink_stall()
            dut.digest_ready_i.value = int(ready)
            await FallingEdge(self.clock)
            accepted = begun and bool(dut.start_ready_o.value)
            if accepted:
                self.starts.append(self.clocks)
                self.memory = list(waiting.pop().words)
                begun = False
            if dut.digest_valid_o.value:
                if not offered:
                    self.offers.append(self.clocks)
                offered = True
                if ready:
                    taken.append(int(dut.digest_o.value))
                    offered = len(taken) % DIGEST_WORDS != 0
            address = int(dut.memory_address_o.value)
            if dut.memory_write_o.value:
                self.memory[address] = int(dut.memory_data_o.value)
            read = self.memory[address]
            await RisingEdge(self.clock)
            if accepted:
                self.source.scramble(self.source.data.values())
            self.clocks += 1
            dut.memory_data_i.value = read
        dut.start_valid_i.value = 0
        dut.digest_ready_i.value = 0
        return taken

    @staticmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """SHA-1 by hashlib."""
        del key
        return hashlib.sha1(message, usedforsecurity=False).digest()
