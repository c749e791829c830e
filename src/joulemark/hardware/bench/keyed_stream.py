# SPDX-License-Identifier: Apache-2.0
"""Drives a MAC core with three streams: keys, messages as words with a count of bytes, and tags.

Ports: `key_{valid_i,ready_o}`, `key_i`; `msg_{valid_i,ready_o,data_i,bytes_i,last_i}`;
`tag_{valid_o,ready_i}`, `tag_o`; `wipe_i` and `rst_ni`. All words of a message are full but the
last, which has from 0 bytes to a full word; an empty message is one word of 0 bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal

import cocotb

from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.bench.simulation import reset_for_two_clocks
from joulemark.hardware.bench.streams import Stall, StreamSink, StreamSource, never


class KeyedStreamAdapter(CoreAdapter):
    """Drives any such core, whatever the width of its words and its order of bytes."""

    key_bytes: ClassVar[tuple[int, ...]] = (16,)
    byte_order: ClassVar[Literal["big", "little"]]
    """little: the first byte of key, word and tag is in the lowest bits."""

    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        super().__init__(dut, clock, parameters)
        self.word_bytes = len(dut.msg_data_i) // 8
        self.tag_bytes = len(dut.tag_o) // 8
        self.keys = StreamSource(clock, dut.key_valid_i, dut.key_ready_o, {"key": dut.key_i})
        self.messages = StreamSource(
            clock,
            dut.msg_valid_i,
            dut.msg_ready_o,
            {"data": dut.msg_data_i, "bytes": dut.msg_bytes_i, "last": dut.msg_last_i},
        )
        self.tags = StreamSink(clock, dut.tag_valid_o, dut.tag_ready_i, {"tag": dut.tag_o})

    async def reset(self) -> None:
        """Resets the core for two clock periods, with every input idle."""
        self.dut.wipe_i.value = 0
        for source in (self.keys, self.messages):
            source.idle()
        self.tags.idle()
        await reset_for_two_clocks(self.dut.rst_ni, self.clock)

    async def set_key(self, key: bytes) -> None:
        """Sends the key in one transfer on the key stream."""
        await self.keys.send([{"key": int.from_bytes(key, self.byte_order)}])

    async def process(
        self, messages: Sequence[bytes], send_stall: Stall = never, take_stall: Stall = never
    ) -> list[bytes]:
        """Sends words one after another; a stall holds back either side of the core."""
        stream = (word for message in messages for word in self.words(message))
        sending = cocotb.start_soon(self.messages.send(stream, send_stall))
        tags = await self.take(len(messages), take_stall)
        await sending
        return tags

    async def take(self, tags: int, stall: Stall = never) -> list[bytes]:
        """Takes this many tags."""
        taken = await self.tags.receive(tags, stall)
        return [transfer["tag"].to_bytes(self.tag_bytes, self.byte_order) for transfer in taken]

    def words(self, message: bytes) -> Iterator[dict[str, int]]:
        """Splits a message into the words that go in."""
        last = max(0, (len(message) - 1) // self.word_bytes) * self.word_bytes
        for start in range(0, last + 1, self.word_bytes):
            part = message[start : start + self.word_bytes]
            yield {"data": self.word(part), "bytes": len(part), "last": start == last}

    def word(self, part: bytes, beyond: bytes = b"\0") -> int:
        """The word with these bytes and, where they do not fill it, others beyond them."""
        return int.from_bytes(part.ljust(self.word_bytes, beyond), self.byte_order)
