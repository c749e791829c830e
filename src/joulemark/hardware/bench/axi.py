# SPDX-License-Identifier: Apache-2.0
"""Drives a core behind AXI-Streams: messages and tags as packets, the key through APB registers.

Ports: `s_axis_t{valid,data,keep,last}_i`, `s_axis_tready_o`; `m_axis_tready_i` and
`m_axis_t{valid,data,keep,last,user}_o`; of a MAC those of `jm_apb_key`, of a hash `wipe_i`; and
`rst_ni`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.bench.simulation import reset_for_two_clocks
from joulemark.hardware.bench.streams import Stall, StreamSink, StreamSource, never

CONTROL, STATUS, SIZE, KEY = 0x00, 0x04, 0x08, 0x40
"""Addresses of registers in bytes; KEY is that of the key's first word."""
LOAD, WIPE = 1, 2
"""Bits of CONTROL."""
KEYED, LOADING = 1, 2
"""Bits of STATUS."""


@dataclass(frozen=True, slots=True)
class AxiPacket:
    """A packet that came out."""

    data: bytes
    cut: bool
    """Whether the packet ended early (TUSER), by a wipe or because of a faulty packet of blocks."""


class AxiAdapter(CoreAdapter):
    """Drives any such wrapper, whatever the width of its streams."""

    algorithm: ClassVar[str]
    """Algorithm whose published vectors the core must match."""

    def __init__(self, dut: Any, clock: Any, parameters: Mapping[str, int]) -> None:
        super().__init__(dut, clock, parameters)
        self.beat_bytes = len(dut.s_axis_tdata_i) // 8
        self.has_key = hasattr(dut, "psel_i")
        self.messages = StreamSource(
            clock,
            dut.s_axis_tvalid_i,
            dut.s_axis_tready_o,
            {"data": dut.s_axis_tdata_i, "keep": dut.s_axis_tkeep_i, "last": dut.s_axis_tlast_i},
        )
        self.tags = StreamSink(
            clock,
            dut.m_axis_tvalid_o,
            dut.m_axis_tready_i,
            {
                "data": dut.m_axis_tdata_o,
                "keep": dut.m_axis_tkeep_o,
                "last": dut.m_axis_tlast_o,
                "user": dut.m_axis_tuser_o,
            },
        )

    async def reset(self) -> None:
        """Resets the core for two clock periods, with every input idle."""
        self.messages.idle()
        self.tags.idle()
        for name in (
            "psel_i",
            "penable_i",
            "pwrite_i",
            "paddr_i",
            "pwdata_i",
            "pstrb_i",
            "wipe_i",
            "scan_enable_i",
        ):
            if hasattr(self.dut, name):
                getattr(self.dut, name).value = 0
        await reset_for_two_clocks(self.dut.rst_ni, self.clock)

    async def set_key(self, key: bytes) -> None:
        """Writes the key's words, loads it, and waits until the core has it."""
        for begin in range(0, len(key), 4):
            word = int.from_bytes(key[begin : begin + 4], "little")
            assert not await self.write(KEY + begin, word)
        assert not await self.write(CONTROL, LOAD)
        while (await self.read(STATUS))[0] != KEYED:
            pass

    async def wipe(self) -> None:
        """Wipes the core by the register, or by the port if it has no key."""
        if self.has_key:
            assert not await self.write(CONTROL, WIPE)
        else:
            self.dut.wipe_i.value = 1
            await RisingEdge(self.clock)
            self.dut.wipe_i.value = 0
        for _ in range(2):
            await RisingEdge(self.clock)

    async def write(self, address: int, value: int, strobes: int = 0xF) -> bool:
        """Writes a register over APB; returns whether PSLVERR ended the transfer."""
        return (await self._transfer(address, 1, value, strobes))[1]

    async def read(self, address: int) -> tuple[int, bool]:
        """Reads a register over APB; returns its value, and whether PSLVERR ended the transfer."""
        return await self._transfer(address, 0, 0, 0)

    async def process(
        self, messages: Sequence[bytes], send_stall: Stall = never, take_stall: Stall = never
    ) -> list[bytes]:
        """Sends packets back to back; a stall holds back either side."""
        beats = (beat for message in messages for beat in self.beats(message))
        sending = cocotb.start_soon(self.messages.send(beats, send_stall))
        packets = await self.take(len(messages), take_stall)
        await sending
        assert not any(packet.cut for packet in packets)
        return [packet.data for packet in packets]

    async def take(self, packets: int, stall: Stall = never) -> list[AxiPacket]:
        """Takes this many packets."""
        taken: list[AxiPacket] = []
        data = bytearray()
        while len(taken) < packets:
            (beat,) = await self.tags.receive(1, stall)
            data += self.kept(beat)
            if beat["last"]:
                taken.append(AxiPacket(bytes(data), cut=bool(beat["user"])))
                data.clear()
        return taken

    def kept(self, beat: Mapping[str, int]) -> bytes:
        """The bytes of a beat that TKEEP keeps, which are its first ones."""
        count = beat["keep"].bit_count()
        assert beat["keep"] == (1 << count) - 1
        return beat["data"].to_bytes(self.beat_bytes, "little")[:count]

    def beats(self, message: bytes, beyond: int = 0) -> Iterator[dict[str, int]]:
        """A message's packet; `beyond` fills the last beat's bytes that TKEEP leaves out."""
        last = max(0, (len(message) - 1) // self.beat_bytes) * self.beat_bytes
        for begin in range(0, last + 1, self.beat_bytes):
            part = message[begin : begin + self.beat_bytes]
            yield {
                "data": int.from_bytes(part.ljust(self.beat_bytes, bytes([beyond])), "little"),
                "keep": (1 << len(part)) - 1,
                "last": int(begin == last),
            }

    async def _transfer(
        self, address: int, write: int, value: int, strobes: int
    ) -> tuple[int, bool]:
        dut = self.dut
        dut.psel_i.value, dut.pwrite_i.value, dut.paddr_i.value = 1, write, address
        dut.pwdata_i.value, dut.pstrb_i.value = value, strobes
        await RisingEdge(self.clock)
        dut.penable_i.value = 1
        while True:
            await FallingEdge(self.clock)
            ready = bool(dut.pready_o.value)
            answer = int(dut.prdata_o.value), bool(dut.pslverr_o.value)
            await RisingEdge(self.clock)
            if ready:
                break
        dut.psel_i.value = dut.penable_i.value = 0
        return answer
