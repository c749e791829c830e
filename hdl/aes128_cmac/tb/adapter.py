# SPDX-License-Identifier: Apache-2.0
"""Drives AES-CMAC on any of its cores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import cocotb
from cocotb.triggers import RisingEdge

from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.bench.streams import (
    Stall,
    StreamSink,
    StreamSource,
    never,
    reset_for_two_clocks,
)
from joulemark.reference.block_ciphers import cmac

__all__ = ["Adapter"]

_BLOCK_BYTES = 16
_BY_ROWS = [4 * column + row for row in range(4) for column in range(4)]
"""Order in which core 0 asks for the bytes of a block."""


class Adapter(CoreAdapter):
    """A memory that holds the message, a sink for the tag, and sources for key and starts."""

    key_bytes: ClassVar[tuple[int, ...]] = (16,)
    message_bytes_max: ClassVar[int | None] = 65535

    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        super().__init__(dut, clock, parameters)
        self.word_bytes = len(dut.msg_data_i) // 8
        words = range(_BLOCK_BYTES // self.word_bytes)
        self.order = _BY_ROWS if parameters["CORE"] == 0 else list(words)
        self.key = StreamSource(clock, dut.key_valid_i, dut.key_ready_o, {"data": dut.key_data_i})
        self.start = StreamSource(
            clock,
            dut.start_valid_i,
            dut.start_ready_o,
            {"bytes": dut.start_bytes_i, "last": dut.start_last_i},
        )
        self.message = StreamSource(
            clock, dut.msg_valid_i, dut.msg_ready_o, {"data": dut.msg_data_i}
        )
        self.tag = StreamSink(
            clock,
            dut.tag_valid_o,
            dut.tag_ready_i,
            {"index": dut.tag_index_o, "data": dut.tag_data_o},
        )

    def idle(self) -> None:
        """Drives every input to its idle value."""
        for source in (self.key, self.start, self.message):
            source.idle()
        self.tag.idle()
        self.dut.wipe_i.value = 0
        self.dut.scan_enable_i.value = 0

    async def reset(self) -> None:
        """Two clocks of reset, then idle without a key."""
        self.idle()
        await reset_for_two_clocks(self.dut.rst_ni, self.clock)

    async def set_key(self, key: bytes) -> None:
        """Sends the key; the core works out its subkeys and is ready some hundred clocks later."""
        await self.key.send(
            {"data": int.from_bytes(key[begin : begin + self.word_bytes], "little")}
            for begin in range(0, _BLOCK_BYTES, self.word_bytes)
        )
        while not self.dut.start_ready_o.value:
            await RisingEdge(self.dut.start_ready_o)
            await RisingEdge(self.clock)

    async def process(
        self,
        messages: Sequence[bytes],
        stall_in: Stall = never,
        stall_out: Stall = never,
        pieces: Callable[[bytes], Sequence[int]] = lambda message: (len(message),),
    ) -> list[bytes]:
        """Tags of messages sent back to back, each in pieces of the lengths that `pieces` gives."""
        tasks = [
            cocotb.start_soon(
                self.start.send(
                    (
                        {"bytes": length, "last": int(number == len(lengths) - 1)}
                        for lengths in map(pieces, messages)
                        for number, length in enumerate(lengths)
                    ),
                    stall_in,
                )
            ),
            cocotb.start_soon(
                self.message.send(
                    (word for message in messages for word in self.words(message)), stall_in
                )
            ),
        ]
        words = _BLOCK_BYTES // self.word_bytes
        try:
            results = await self.tag.receive(len(messages) * words, stall_out)
        finally:
            for task in tasks:
                task.cancel()
            self.start.valid.value = 0
            self.message.valid.value = 0
        tags = []
        for begin in range(0, len(results), words):
            placed = {word["index"]: word["data"] for word in results[begin : begin + words]}
            tags.append(
                b"".join(placed[i].to_bytes(self.word_bytes, "little") for i in sorted(placed))
            )
        return tags

    def words(self, message: bytes) -> Iterator[dict[str, int]]:
        """The words that the core asks for: those that hold a byte of the message."""
        size = self.word_bytes
        for begin in range(0, len(message), _BLOCK_BYTES):
            for index in self.order:
                place = begin + index * size
                part = message[place : place + size]
                if part:
                    yield {"data": int.from_bytes(part.ljust(size, b"\xa5"), "little")}

    @staticmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """AES-CMAC by our reference implementation."""
        return cmac(key, message)
