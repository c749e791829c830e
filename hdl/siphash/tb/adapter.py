# SPDX-License-Identifier: Apache-2.0
"""Drives `siphash`: words of 8 bytes in, a tag of 8 bytes out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.bench.streams import Stall, StreamSink, StreamSource, never
from joulemark.reference import siphash_2_4

__all__ = ["Adapter", "words"]

_WORD_BYTES = 8


def words(message: bytes) -> Iterator[dict[str, int]]:
    """The words that a message goes in as: all full but the last, which has 0 to 8 bytes."""
    last = max(0, (len(message) - 1) // _WORD_BYTES) * _WORD_BYTES
    for start in range(0, last + 1, _WORD_BYTES):
        part = message[start : start + _WORD_BYTES]
        yield {
            "data": int.from_bytes(part, "little"), "bytes": len(part), "last": start == last,
        }  # fmt: skip


class Adapter(CoreAdapter):
    """Keys, messages and tags through the three streams of the core."""

    key_bytes = (16,)

    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        super().__init__(dut, clock, parameters)
        self.keys = StreamSource(clock, dut.key_valid_i, dut.key_ready_o, {"key": dut.key_i})
        self.messages = StreamSource(
            clock, dut.msg_valid_i, dut.msg_ready_o,
            {"data": dut.msg_data_i, "bytes": dut.msg_bytes_i, "last": dut.msg_last_i},
        )  # fmt: skip
        self.tags = StreamSink(clock, dut.tag_valid_o, dut.tag_ready_i, {"tag": dut.tag_o})

    async def reset(self) -> None:
        """Two clock periods of reset, every input idle."""
        self.dut.clear_i.value = 0
        for source in (self.keys, self.messages):
            source.idle()
        self.tags.idle()
        self.dut.rst_ni.value = 0
        for _ in range(2):
            await RisingEdge(self.clock)
        self.dut.rst_ni.value = 1
        await RisingEdge(self.clock)

    async def set_key(self, key: bytes) -> None:
        """One transfer on the key stream."""
        await self.keys.send([{"key": int.from_bytes(key, "little")}])

    async def process(
        self, messages: Sequence[bytes], send_stall: Stall = never, take_stall: Stall = never
    ) -> list[bytes]:
        """Words one after another; a stall holds back either side of the core."""
        stream = (word for message in messages for word in words(message))
        sending = cocotb.start_soon(self.messages.send(stream, send_stall))
        taken = await self.tags.receive(len(messages), take_stall)
        await sending
        return [one["tag"].to_bytes(8, "little") for one in taken]

    @staticmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """SipHash-2-4 in readable Python."""
        return siphash_2_4(key, message)
