# SPDX-License-Identifier: Apache-2.0
"""Valid/ready streams, adapters made of them, and the steps that cocotb tests of cores share.

A word moves on a rising edge on which both `valid` and `ready` are high. A source holds `valid` and
its data until the word has moved.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeVar

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from joulemark.hardware.bench.adapter import CoreAdapter

Stall = Callable[[], bool]
"""Called once for every clock period in which a word could move; True holds the word back."""


def never() -> bool:
    """Nothing is held back."""
    return False


def sometimes(part: float, seed: int) -> Stall:
    """Holds back this part of the clock periods, 0 to below 1, in an order fixed by the seed."""
    chance = random.Random(seed)  # noqa: S311 - stalls, not secrets
    return lambda: chance.random() < part


@dataclass(eq=False)
class _Side:
    """One side of a stream, with the signals of its ports."""

    clock: Any
    valid: Any
    ready: Any
    data: Mapping[str, Any]
    """Data ports, each under the name that words have for its field."""


class StreamSource(_Side):
    """Drives `valid` and data ports from one side of a stream."""

    scramble: Callable[[Iterable[Any]], None] = staticmethod(lambda _ports: None)
    """As of `CoreAdapter`; called after each word that moved."""

    def idle(self) -> None:
        """Offers nothing and drives every data port to 0."""
        self.valid.value = 0
        for port in self.data.values():
            port.value = 0

    async def send(self, words: Iterable[Mapping[str, int]], stall: Stall = never) -> None:
        """Sends words one after another; starts and ends right after a rising edge."""
        for word in words:
            while stall():
                self.valid.value = 0
                await RisingEdge(self.clock)
            self.valid.value = 1
            for name, value in word.items():
                self.data[name].value = value
            moved = False
            while not moved:
                await FallingEdge(self.clock)
                moved = bool(self.ready.value)
                await RisingEdge(self.clock)
            self.scramble(self.data.values())
        self.valid.value = 0


class StreamSink(_Side):
    """Drives `ready` and takes words from the other side of a stream."""

    def idle(self) -> None:
        """Takes nothing."""
        self.ready.value = 0

    async def receive(self, words: int, stall: Stall = never) -> list[dict[str, int]]:
        """Takes this many words; starts and ends right after a rising edge."""
        taken: list[dict[str, int]] = []
        while len(taken) < words:
            ready = not stall()
            self.ready.value = int(ready)
            await FallingEdge(self.clock)
            if ready and bool(self.valid.value):
                taken.append({name: int(port.value) for name, port in self.data.items()})
            await RisingEdge(self.clock)
        self.ready.value = 0
        return taken


# Steps that cocotb tests of every core share: they start its clock, reset it, count clocks.

_CLOCK_NS = 10
_CLOCKS_APART = 2_000_000
"""Clocks that no test exceeds, its random messages apart."""

_Adapter = TypeVar("_Adapter", bound=CoreAdapter)


def limit_ms(messages: int, message_clocks: int) -> int:
    """Simulated time in milliseconds that a test exceeds only if the core hangs.

    The test sends so many random messages; `message_clocks` is many times the clocks of one.
    """
    return (_CLOCKS_APART + messages * message_clocks) * _CLOCK_NS // 1_000_000


async def started(
    adapter: type[_Adapter], dut: Any, clock: Any, parameters: Mapping[str, int]
) -> _Adapter:
    """Starts the clock of a core, low at first, resets the core, and returns its adapter."""
    clock.value = 0
    Clock(clock, _CLOCK_NS, "ns").start(start_high=False)
    made = adapter(dut, clock, parameters)
    await made.reset()
    return made


async def reset_for_two_clocks(reset: Any, clock: Any) -> None:
    """Holds an active-low reset over two rising edges; ends right after the one that follows."""
    reset.value = 0
    for _ in range(2):
        await RisingEdge(clock)
    reset.value = 1
    await RisingEdge(clock)


async def clocks_until(clock: Any, signal: Any) -> int:
    """Rising edges until a signal is seen high, counted from the one just passed."""
    clocks = 0
    await FallingEdge(clock)
    while not signal.value:
        clocks += 1
        await FallingEdge(clock)
    return clocks


# Reads the variables of its environment for a cocotb module; `hdl/README.md` lists them.


@dataclass(frozen=True, slots=True)
class SimulationRequest:
    """Parameters of the simulated core, the clocks it must keep, and the length of the test."""

    parameters: dict[str, int]
    """Value of every parameter of the core."""
    clocks_per_block: int | None
    """Clocks that the manifest promises for these parameters; None where it promises none."""
    latency_clocks: int | None
    random_messages: int


def simulation_request(random_messages: int) -> SimulationRequest:
    """Reads the environment; `random_messages` is their number if the environment gives none."""
    return SimulationRequest(
        parameters=json.loads(os.environ.get("JOULEMARK_PARAMETERS", "{}")),
        clocks_per_block=_number("JOULEMARK_CLOCKS_PER_BLOCK"),
        latency_clocks=_number("JOULEMARK_LATENCY_CLOCKS"),
        random_messages=int(os.environ.get("JOULEMARK_RANDOM_MESSAGES", random_messages)),
    )


def _number(name: str) -> int | None:
    text = os.environ.get(name)
    return int(text) if text else None


# Drives a MAC core with three streams: keys, messages as words with a count of bytes, and tags.
#
# Ports: `key_{valid_i,ready_o}`, `key_i`; `msg_{valid_i,ready_o,data_i,bytes_i,last_i}`;
# `tag_{valid_o,ready_i}`, `tag_o`; `wipe_i` and `rst_ni`. All words of a message are full but the
# last, which has from 0 bytes to a full word; an empty message is one word of 0 bytes.


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


# Drives a core behind AXI-Streams: messages and tags as packets, the key through APB registers.
#
# Ports: `s_axis_t{valid,data,keep,last}_i`, `s_axis_tready_o`; `m_axis_tready_i` and
# `m_axis_t{valid,data,keep,last,user}_o`; of a MAC those of `jm_apb_key`, of a hash `wipe_i`; and
# `rst_ni`.

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
