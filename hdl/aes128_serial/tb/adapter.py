# SPDX-License-Identifier: Apache-2.0
"""Drives any of the AES-128 block cores, whatever the width and order of its words, as CBC-MAC."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import cocotb

from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.bench.streams import (
    Stall,
    StreamSink,
    StreamSource,
    never,
    reset_for_two_clocks,
)
from joulemark.reference.aes import encrypt_block

__all__ = ["BLOCK_BYTES", "Adapter", "cbc"]

BLOCK_BYTES = 16
_BY_ROWS = ("aes128_serial",)
"""Cores that go through the state row by row."""


def cbc(key: bytes, message: bytes) -> list[bytes]:
    """All blocks of CBC encryption with an initial value of 0 (SP 800-38A section 6.2)."""
    chain, blocks = bytes(BLOCK_BYTES), []
    for begin in range(0, len(message), BLOCK_BYTES):
        block = message[begin : begin + BLOCK_BYTES]
        chain = encrypt_block(key, bytes(a ^ b for a, b in zip(chain, block, strict=True)))
        blocks.append(chain)
    return blocks


class Adapter(CoreAdapter):
    """CBC-MAC: the last block of CBC encryption. A MAC only for messages of one length."""

    key_bytes: ClassVar[tuple[int, ...]] = (16,)
    message_bytes_multiple: ClassVar[int] = BLOCK_BYTES

    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        super().__init__(dut, clock, parameters)
        self.word_bytes = len(dut.in_data_i) // 8
        self.source = StreamSource(
            clock,
            dut.in_valid_i,
            dut.in_ready_o,
            {"first": dut.in_first_i, "data": dut.in_data_i, "key": dut.in_key_i},
        )
        results = {"data": dut.out_data_o}
        if hasattr(dut, "out_index_o"):
            results["index"] = dut.out_index_o
        self.sink = StreamSink(clock, dut.out_valid_o, dut.out_ready_i, results)
        self.key = b""

    async def reset(self) -> None:
        """Two clocks of reset, then idle."""
        self.source.idle()
        self.sink.idle()
        self.dut.wipe_i.value = 0
        if hasattr(self.dut, "scan_enable_i"):
            self.dut.scan_enable_i.value = 0
        await reset_for_two_clocks(self.dut.rst_ni, self.clock)

    async def set_key(self, key: bytes) -> None:
        """Notes the key; the core takes it with every block."""
        self.key = key

    async def process(self, messages: Sequence[bytes]) -> list[bytes]:
        """CBC-MAC: the last encrypted block of each message."""
        return [blocks[-1] for blocks in await self.encrypt([(self.key, m) for m in messages])]

    async def encrypt(
        self, jobs: Sequence[tuple[bytes, bytes]], stall_in: Stall = never, stall_out: Stall = never
    ) -> list[list[bytes]]:
        """CBC encryption of (key, message) pairs, back to back; all blocks of each."""
        sizes = [len(message) // BLOCK_BYTES for _, message in jobs]
        sending = cocotb.start_soon(
            self.source.send((word for job in jobs for word in self.words(*job)), stall_in)
        )
        words = BLOCK_BYTES // self.word_bytes
        try:
            results = await self.sink.receive(sum(sizes) * words, stall_out)
            await sending
        finally:
            sending.cancel()
        blocks = [
            self.block(results[begin : begin + words]) for begin in range(0, len(results), words)
        ]
        ends = [sum(sizes[:count]) for count in range(len(sizes) + 1)]
        return [blocks[begin:end] for begin, end in pairwise(ends)]

    def order(self) -> list[int]:
        """Indices of a block's words in the order in which the core takes and gives them."""
        if self.dut._name in _BY_ROWS:  # noqa: SLF001 - cocotb's name of the top module
            return [4 * column + row for row in range(4) for column in range(4)]
        return list(range(BLOCK_BYTES // self.word_bytes))

    def words(self, key: bytes, message: bytes) -> Iterator[dict[str, int]]:
        """The source's words for a message of whole blocks, the first block not chained."""
        size = self.word_bytes
        for begin in range(0, len(message), BLOCK_BYTES):
            block = message[begin : begin + BLOCK_BYTES]
            for index in self.order():
                part = slice(index * size, (index + 1) * size)
                yield {
                    "first": int(begin == 0),
                    "data": int.from_bytes(block[part], "little"),
                    "key": int.from_bytes(key[part], "little"),
                }

    def block(self, words: Sequence[Mapping[str, int]]) -> bytes:
        """The block that the sink's words make, by their indices."""
        placed = {word.get("index", 0): word["data"] for word in words}
        return b"".join(
            placed[index].to_bytes(self.word_bytes, "little") for index in sorted(placed)
        )

    @staticmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """The last block of CBC encryption by our reference implementation."""
        return cbc(key, message)[-1]
