# SPDX-License-Identifier: Apache-2.0
"""Drives a pipeline of hashes: messages take turns on its channels, a piece of a block at a time.

Ports: `msg_{valid,data,bytes,last,channel}_i`, `msg_ready_o`; `digest_{valid_o,ready_i}`,
`digest_o`, `digest_channel_o`; `wipe_i` and `rst_ni`. The width of `msg_data_i` is that of a block.
All pieces of a message are full but the last, which has from 0 bytes to a whole block.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
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


class ChannelsAdapter(CoreAdapter):
    """Drives any such core, whatever its block, its digest and its number of channels."""

    algorithm: ClassVar[str]
    """Algorithm whose published vectors the core must match; `hashlib` knows it by this name."""

    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        super().__init__(dut, clock, parameters)
        self.block_bytes = len(dut.msg_data_i) // 8
        self.digest_bytes = len(dut.digest_o) // 8
        self.channels = parameters["STAGES"] * parameters.get("INTERLEAVE", 1)
        self.messages = StreamSource(
            clock,
            dut.msg_valid_i,
            dut.msg_ready_o,
            {
                "data": dut.msg_data_i,
                "bytes": dut.msg_bytes_i,
                "last": dut.msg_last_i,
                "channel": dut.msg_channel_i,
            },
        )
        self.digests = StreamSink(
            clock,
            dut.digest_valid_o,
            dut.digest_ready_i,
            {"digest": dut.digest_o, "channel": dut.digest_channel_o},
        )

    async def reset(self) -> None:
        """Resets the core for two clock periods, with every input idle."""
        self.dut.wipe_i.value = 0
        self.messages.idle()
        self.digests.idle()
        await reset_for_two_clocks(self.dut.rst_ni, self.clock)

    async def process(
        self, messages: Sequence[bytes], send_stall: Stall = never, take_stall: Stall = never
    ) -> list[bytes]:
        """Keeps all channels busy; stalls hold back either side of the core."""
        sending = cocotb.start_soon(self.messages.send(self.turns(messages), send_stall))
        taken = await self.digests.receive(len(messages), take_stall)
        await sending
        digests = [b""] * len(messages)
        places = [
            iter(range(channel, len(messages), self.channels)) for channel in range(self.channels)
        ]
        for entry in taken:
            digest = entry["digest"].to_bytes(self.digest_bytes, "big")
            digests[next(places[entry["channel"]])] = digest
        return digests

    @classmethod
    def reference(cls, key: bytes, message: bytes) -> bytes:
        """The digest by `hashlib`, which uses OpenSSL where Python was built with it."""
        del key
        return hashlib.new(cls.algorithm, message, usedforsecurity=False).digest()

    def pieces(self, message: bytes) -> Iterator[dict[str, int]]:
        """Splits a message into pieces: all are full but the last."""
        last = max(0, (len(message) - 1) // self.block_bytes) * self.block_bytes
        for start in range(0, last + 1, self.block_bytes):
            part = message[start : start + self.block_bytes]
            data = int.from_bytes(part.ljust(self.block_bytes, b"\xa5"), "big")
            yield {"data": data, "bytes": len(part), "last": int(start == last)}

    def turns(self, messages: Sequence[bytes]) -> Iterator[dict[str, int]]:
        """Gives pieces of all messages, message n on channel n modulo their number, in turn."""
        queues = [
            deque(
                piece
                for message in messages[channel :: self.channels]
                for piece in self.pieces(message)
            )
            for channel in range(self.channels)
        ]
        while any(queues):
            for channel, queue in enumerate(queues):
                if queue:
                    yield {**queue.popleft(), "channel": channel}
