# SPDX-License-Identifier: Apache-2.0
"""Drives `sha256_pipeline`: messages take turns on its channels, a piece of 64 bytes at a time."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.bench.streams import Stall, StreamSink, StreamSource, never

__all__ = ["Adapter", "pieces", "turns"]

_PIECE_BYTES = 64


def pieces(message: bytes) -> Iterator[dict[str, int]]:
    """The pieces of a message: all full but the last, which has 0 to 64 bytes."""
    last = max(0, (len(message) - 1) // _PIECE_BYTES) * _PIECE_BYTES
    for start in range(0, last + 1, _PIECE_BYTES):
        part = message[start : start + _PIECE_BYTES]
        data = int.from_bytes(part.ljust(_PIECE_BYTES, b"\xa5"), "big")
        yield {"data": data, "bytes": len(part), "last": int(start == last)}


def turns(messages: Sequence[bytes], channels: int) -> Iterator[dict[str, int]]:
    """Pieces of all messages, message n on channel n modulo `channels`, channels in turn."""
    queues = [
        deque(piece for message in messages[channel::channels] for piece in pieces(message))
        for channel in range(channels)
    ]
    while any(queues):
        for channel, queue in enumerate(queues):
            if queue:
                yield {**queue.popleft(), "channel": channel}


class Adapter(CoreAdapter):
    """Messages and digests through the two streams of the core."""

    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        super().__init__(dut, clock, parameters)
        self.messages = StreamSource(
            clock, dut.msg_valid_i, dut.msg_ready_o,
            {"data": dut.msg_data_i, "bytes": dut.msg_bytes_i, "last": dut.msg_last_i,
             "channel": dut.msg_channel_i},
        )  # fmt: skip
        self.digests = StreamSink(
            clock, dut.digest_valid_o, dut.digest_ready_i,
            {"digest": dut.digest_o, "channel": dut.digest_channel_o},
        )  # fmt: skip

    async def reset(self) -> None:
        """Two clock periods of reset, every input idle."""
        self.dut.wipe_i.value = 0
        self.messages.idle()
        self.digests.idle()
        self.dut.rst_ni.value = 0
        for _ in range(2):
            await RisingEdge(self.clock)
        self.dut.rst_ni.value = 1
        await RisingEdge(self.clock)

    async def process(
        self, messages: Sequence[bytes], send_stall: Stall = never, take_stall: Stall = never
    ) -> list[bytes]:
        """Keeps all channels busy; stalls hold back either side of the core."""
        channels = self.parameters["STAGES"] * self.parameters["INTERLEAVE"]
        stream = turns(messages, channels)
        sending = cocotb.start_soon(self.messages.send(stream, send_stall))
        taken = await self.digests.receive(len(messages), take_stall)
        await sending
        digests = [b""] * len(messages)
        places = [iter(range(channel, len(messages), channels)) for channel in range(channels)]
        for entry in taken:
            digests[next(places[entry["channel"]])] = entry["digest"].to_bytes(32, "big")
        return digests

    @staticmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """The digest by `hashlib`, which uses OpenSSL where Python was built with it."""
        del key
        return hashlib.sha256(message).digest()
