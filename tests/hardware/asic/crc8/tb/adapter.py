# SPDX-License-Identifier: Apache-2.0
"""Drives `crc8`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.bench.streams import StreamSink, StreamSource


class Adapter(CoreAdapter):
    """Sends a message byte by byte and receives one byte."""

    message_bytes_max = 100
    message_bytes_min = 1

    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        super().__init__(dut, clock, parameters)
        self.source = StreamSource(
            clock, dut.msg_valid_i, dut.msg_ready_o,
            {"data": dut.msg_data_i, "last": dut.msg_last_i},
        )  # fmt: skip
        self.sink = StreamSink(clock, dut.crc_valid_o, dut.crc_ready_i, {"crc": dut.crc_o})

    async def reset(self) -> None:
        """Holds the reset for three clocks."""
        self.source.idle()
        self.sink.idle()
        self.dut.rst_ni.value = 0
        for _ in range(3):
            await RisingEdge(self.clock)
        self.dut.rst_ni.value = 1
        await RisingEdge(self.clock)

    async def process(self, messages: Sequence[bytes]) -> list[bytes]:
        """Sends all messages without pauses and returns their results."""
        words = [
            {"data": value, "last": place == len(message) - 1}
            for message in messages
            for place, value in enumerate(message)
        ]
        sending = cocotb.start_soon(self.source.send(words))
        taken = await self.sink.receive(len(messages))
        await sending
        return [bytes([entry["crc"]]) for entry in taken]

    @staticmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """CRC-8 with the polynomial 7."""
        crc = 0
        for value in message:
            crc ^= value
            for _ in range(8):
                crc = (crc << 1 ^ (7 if crc & 0x80 else 0)) & 0xFF
        return bytes([crc])
