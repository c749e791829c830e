# SPDX-License-Identifier: Apache-2.0
"""Drives `hmac_sha256`: words of 64 bytes in on several channels, tags of 32 bytes out."""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.bench.streams import Stall, StreamSink, StreamSource, never

__all__ = ["Adapter", "channels", "interleaved", "words"]

_WORD_BYTES = 64


def channels(parameters: Mapping[str, int]) -> int:
    """Messages of more than one block that the core keeps open at once."""
    return max(2, parameters["STAGES"] * parameters["INTERLEAVE"])


def words(message: bytes, channel: int = 0) -> Iterator[dict[str, int]]:
    """The words of a message: all are full, except the last, which has 0 to 64 bytes."""
    last = max(0, (len(message) - 1) // _WORD_BYTES) * _WORD_BYTES
    for start in range(0, last + 1, _WORD_BYTES):
        part = message[start : start + _WORD_BYTES]
        yield {
            "data": int.from_bytes(part.ljust(_WORD_BYTES, b"\0"), "big"),
            "bytes": len(part),
            "last": int(start == last),
            "channel": channel,
        }


def interleaved(messages: Sequence[bytes], count: int) -> Iterator[dict[str, int]]:
    """Message i goes to channel i modulo `count`; the channels' words take turns."""

    def turn_of(channel: int) -> Iterator[dict[str, int]]:
        for message in messages[channel::count]:
            yield from words(message, channel)

    turns = [turn_of(channel) for channel in range(count)]
    while turns:
        left = []
        for turn in turns:
            word = next(turn, None)
            if word is not None:
                yield word
                left.append(turn)
        turns = left


class Adapter(CoreAdapter):
    """Keys, messages and tags through the three streams of the core."""

    key_bytes = (32, 16, 64)

    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        super().__init__(dut, clock, parameters)
        self.channels = channels(parameters)
        self.keys = StreamSource(clock, dut.key_valid_i, dut.key_ready_o, {"key": dut.key_i})
        self.messages = StreamSource(
            clock, dut.msg_valid_i, dut.msg_ready_o,
            {
                "data": dut.msg_data_i, "bytes": dut.msg_bytes_i, "last": dut.msg_last_i,
                "channel": dut.msg_channel_i,
            },
        )  # fmt: skip
        self.tags = StreamSink(
            clock, dut.tag_valid_o, dut.tag_ready_i,
            {"tag": dut.tag_o, "channel": dut.tag_channel_o},
        )  # fmt: skip

    async def reset(self) -> None:
        """Two clock periods of reset, every input idle, and the clocks of the wiping after it."""
        self.dut.wipe_i.value = 0
        self.keys.idle()
        self.messages.idle()
        self.tags.idle()
        self.dut.rst_ni.value = 0
        for _ in range(2):
            await RisingEdge(self.clock)
        self.dut.rst_ni.value = 1
        for _ in range(self.channels + 1):
            await RisingEdge(self.clock)

    async def set_key(self, key: bytes) -> None:
        """One transfer on the key stream, and the clocks until the midstates are there."""
        block = key.ljust(_WORD_BYTES, b"\0")
        await self.keys.send([{"key": int.from_bytes(block, "big")}])
        await FallingEdge(self.clock)
        while not self.dut.keyed_o.value:
            await FallingEdge(self.clock)
        await RisingEdge(self.clock)

    async def process(
        self, messages: Sequence[bytes], send_stall: Stall = never, take_stall: Stall = never
    ) -> list[bytes]:
        """Message i goes through channel i modulo their number; stalls hold back either side."""
        stream = interleaved(messages, self.channels)
        sending = cocotb.start_soon(self.messages.send(stream, send_stall))
        taken = await self.tags.receive(len(messages), take_stall)
        await sending
        tags = [b""] * len(messages)
        following = list(range(self.channels))
        for entry in taken:
            tags[following[entry["channel"]]] = entry["tag"].to_bytes(32, "big")
            following[entry["channel"]] += self.channels
        return tags

    @staticmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """HMAC-SHA-256 of Python's standard library."""
        return hmac.digest(key, message, "sha256")
