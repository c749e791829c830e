# SPDX-License-Identifier: Apache-2.0
"""cocotb tests of any core behind AXI-Streams (`joulemark.hardware.bench.streams`).

Messages of a block cipher are made of whole blocks; `test_blocks` has the tests of these alone.

The rules of either stream (an offer stays as it is until it is taken; TKEEP without gaps) are
assertions beside the RTL, in `jm_axis_pack` and `jm_axis_send`, and hold in every one of these.
"""

from __future__ import annotations

import random
from typing import Any

import cocotb
from adapter import Adapter
from cocotb.triggers import FallingEdge, RisingEdge

from joulemark.catalogue.vectors import vectors
from joulemark.hardware.bench import streams
from joulemark.hardware.bench.streams import limit_ms, simulation_request, sometimes, started

REQUEST = simulation_request(random_messages=60)
LIMIT_MS = limit_ms(REQUEST.random_messages, 20_000)
LONGEST_BYTES = 300
KEY_BYTES = max(Adapter.key_bytes, default=0)
FIRST_KEY = bytes(range(KEY_BYTES))


async def _ready(dut: Any, key: bytes = FIRST_KEY) -> Adapter:
    adapter = await started(Adapter, dut, dut.clk_i, REQUEST.parameters)
    if KEY_BYTES:
        await adapter.set_key(key)
    return adapter


def _of(message: bytes) -> bytes:
    """The message; for a block cipher, filled up with zeros to one or more whole blocks."""
    multiple = Adapter.message_bytes_multiple
    if multiple == 1:
        return message
    return message.ljust(multiple * max(1, -(-len(message) // multiple)), b"\0")


def _expected(key: bytes, messages: list[bytes]) -> list[bytes]:
    return [Adapter.reference(key, message) for message in messages]


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def published_vectors(dut: Any) -> None:
    """Every published case gives its tag, if the registers can hold its key and it is not long."""
    adapter = await _ready(dut)
    tested = 0
    for case in vectors(Adapter.algorithm):
        key, message = bytes.fromhex(case.key_hex), bytes.fromhex(case.message_hex)
        if len(key) > KEY_BYTES or case.message_repeat > 1 or len(message) > LONGEST_BYTES:
            continue
        if KEY_BYTES:
            await adapter.set_key(key)
        tags = await adapter.process([message])
        wanted = bytes.fromhex(case.output_hex)  # RFC 4231 cuts the tag of its case 5
        assert tags[0][: len(wanted)] == wanted, case.name
        tested += 1
    assert tested >= 2


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def every_short_length(dut: Any) -> None:
    """Messages of 0 to 69 bytes, back to back, give their tags; bytes beyond TKEEP are 0xFF."""
    adapter = await _ready(dut)
    messages = [_of(bytes(range(length))) for length in range(70)]
    beats = (beat for message in messages for beat in adapter.beats(message, beyond=0xFF))
    sending = cocotb.start_soon(adapter.messages.send(beats))
    packets = await adapter.take(len(messages))
    await sending
    assert [packet.data for packet in packets] == _expected(FIRST_KEY, messages)
    assert not any(packet.cut for packet in packets)


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def random_messages_with_stalls(dut: Any) -> None:
    """Random keys and messages of 0 to 300 bytes, with random stalls on both sides."""
    adapter = await _ready(dut)
    chance = random.Random(str(REQUEST.parameters))
    key = FIRST_KEY
    left = REQUEST.random_messages
    while left:
        count = min(left, chance.randrange(1, 12))
        left -= count
        if KEY_BYTES:
            key = chance.randbytes(chance.choice(Adapter.key_bytes))
            await adapter.set_key(key)
        messages = [_of(chance.randbytes(chance.randint(0, LONGEST_BYTES))) for _ in range(count)]
        parts = [chance.choice((0.0, 0.3, 0.8)) for _ in range(2)]
        tags = await adapter.process(
            messages, sometimes(parts[0], left), sometimes(parts[1], left + 1)
        )
        assert tags == _expected(key, messages)


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def beats_without_bytes(dut: Any) -> None:
    """Null beats in mid-packet are passed over; a packet may end with a null beat."""
    adapter = await _ready(dut)
    chance = random.Random(3)
    lengths = (0, 1, 8, 16, 31, 32, 33, 48, 64, 96, 128, 129)
    messages = [_of(bytes(range(length))) for length in lengths]
    full = (1 << adapter.beat_bytes) - 1
    beats: list[dict[str, int]] = []
    for message in messages:
        for beat in adapter.beats(message):
            while chance.random() < 0.3:
                beats.append({"data": 0xAA, "keep": 0, "last": 0})
            if beat["last"] and beat["keep"] == full:
                beats += [{**beat, "last": 0}, {"data": 0x55, "keep": 0, "last": 1}]
            else:
                beats.append(beat)
    sending = cocotb.start_soon(adapter.messages.send(beats, sometimes(0.3, 5)))
    packets = await adapter.take(len(messages), sometimes(0.3, 6))
    await sending
    assert [packet.data for packet in packets] == _expected(FIRST_KEY, messages)


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def a_tag_waits_until_it_is_taken(dut: Any) -> None:
    """A first beat that is not taken stays; all packets behind it wait, and none is lost."""
    adapter = await _ready(dut)
    messages = [_of(b"first"), _of(b"second one"), _of(b"third")]
    beats = [beat for message in messages for beat in adapter.beats(message)]
    sending = cocotb.start_soon(adapter.messages.send(beats))
    for _ in range(2000):
        await RisingEdge(dut.clk_i)
    assert dut.m_axis_tvalid_o.value
    packets = await adapter.take(3)
    await sending
    assert [packet.data for packet in packets] == _expected(FIRST_KEY, messages)


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def a_wipe_at_any_moment(dut: Any) -> None:
    """No secret is left, a packet's rest is dropped, a tag is cut; the next message has its tag."""
    adapter = await _ready(dut)
    chance = random.Random(11)
    for turn in range(24):
        if KEY_BYTES and turn:
            await adapter.set_key(FIRST_KEY)
        message = _of(chance.randbytes(chance.choice((3, 40, 150))))
        beats = list(adapter.beats(message))
        stall = sometimes(chance.choice((0.0, 0.5)), turn)
        sending = cocotb.start_soon(adapter.messages.send(beats, stall))
        taking = cocotb.start_soon(adapter.take(1, sometimes(0.8, turn)))
        for _ in range(chance.randrange(1, chance.choice((30, 300, 1500)))):
            await RisingEdge(dut.clk_i)
        await adapter.wipe()
        await FallingEdge(dut.clk_i)
        _nothing_is_left(dut, adapter.beat_bytes)
        await RisingEdge(dut.clk_i)
        # A sender that never learns of the wiping ends its packet, even without a key.
        await sending
        for _ in range(100):
            await RisingEdge(dut.clk_i)
        if taking.done():
            packet = taking.result()[0]
            whole = Adapter.reference(FIRST_KEY, message)
            assert whole.startswith(packet.data)
            assert packet.cut == (len(packet.data) < len(whole))
        else:
            assert not dut.m_axis_tvalid_o.value
            taking.cancel()
            adapter.tags.idle()
        key = chance.randbytes(KEY_BYTES)
        if KEY_BYTES:
            await adapter.set_key(key)
        assert await adapter.process([_of(b"after")]) == _expected(key, [_of(b"after")])


def _nothing_is_left(dut: Any, beat_bytes: int) -> None:
    assert int(dut.u_pack.data_q.value) == 0
    # The beat that is offered stays until it is taken.
    assert int(dut.u_send.data_q.value) >> (8 * beat_bytes) == 0
    if KEY_BYTES:
        assert int(dut.u_key.key_q.value) == 0


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def a_wipe_cuts_a_tag(dut: Any) -> None:
    """Offered beats stay; a tag with beats left ends with TUSER, a tag at its last beat not."""
    adapter = await _ready(dut)
    message = _of(b"message")
    beats = list(adapter.beats(message))
    tag = Adapter.reference(FIRST_KEY, message)
    beats_of_tag = -(-len(tag) // adapter.beat_bytes)
    for taken in range(beats_of_tag):
        if KEY_BYTES and taken:
            await adapter.set_key(FIRST_KEY)
        await adapter.messages.send(beats)
        data = b"".join([adapter.kept(item) for item in await adapter.tags.receive(taken)])
        while not dut.m_axis_tvalid_o.value:
            await FallingEdge(dut.clk_i)
        await RisingEdge(dut.clk_i)
        await adapter.wipe()
        assert dut.m_axis_tvalid_o.value
        packet = (await adapter.take(1))[0]
        whole = taken == beats_of_tag - 1
        assert packet.cut == (not whole)
        assert data + packet.data == tag[: (taken + 1) * adapter.beat_bytes]
        await FallingEdge(dut.clk_i)
        assert not dut.m_axis_tvalid_o.value
        assert int(dut.u_send.data_q.value) == 0
        await RisingEdge(dut.clk_i)


@cocotb.test(skip=not KEY_BYTES, timeout_time=LIMIT_MS, timeout_unit="ms")
async def registers_of_the_key_port(dut: Any) -> None:
    """Key words cannot be read back, status follows the key, wrong transfers end with PSLVERR."""
    adapter = await started(Adapter, dut, dut.clk_i, REQUEST.parameters)
    assert await adapter.read(streams.STATUS) == (0, False)
    assert await adapter.read(streams.SIZE) == (len(dut.u_key.key_q) // 8, False)
    for begin in range(0, KEY_BYTES, 4):
        assert not await adapter.write(streams.KEY + begin, 0xFFFFFFFF)
        assert await adapter.read(streams.KEY + begin) == (0, False)
    assert not await adapter.write(streams.KEY, 0x11223344, strobes=0b0110)
    await FallingEdge(dut.clk_i)
    assert int(dut.u_key.key_q.value) & 0xFFFFFFFF == 0xFF2233FF
    await RisingEdge(dut.clk_i)
    assert await adapter.read(streams.CONTROL) == (0, False)
    last = streams.KEY + len(dut.u_key.key_q) // 8
    for address in (streams.STATUS, streams.SIZE, 0x0C, 0x3C, 0x42, last, 0xFC):
        assert await adapter.write(address, 1)
    for address in (0x0C, 0x3C, last, 0xFC):
        assert await adapter.read(address) == (0, True)

    # WIPE has no effect without the strobe of its byte.
    assert not await adapter.write(streams.CONTROL, streams.WIPE, strobes=0b1110)
    await FallingEdge(dut.clk_i)
    assert int(dut.u_key.key_q.value) != 0
    await RisingEdge(dut.clk_i)
    assert not await adapter.write(streams.CONTROL, streams.LOAD | streams.WIPE)
    await RisingEdge(dut.clk_i)
    await FallingEdge(dut.clk_i)
    assert int(dut.u_key.key_q.value) == 0
    await RisingEdge(dut.clk_i)
    assert (await adapter.read(streams.STATUS))[0] == 0


@cocotb.test(skip=not KEY_BYTES, timeout_time=LIMIT_MS, timeout_unit="ms")
async def a_key_waits_for_the_message_before(dut: Any) -> None:
    """In mid-message LOADING stays, further writes are refused, and the message has the old key."""
    adapter = await _ready(dut)
    message = _of(bytes(range(100)))
    beats = list(adapter.beats(message))
    # One beat, which has not reached the core; and one beat more than a core's widest word.
    for begun in (1, 64 // adapter.beat_bytes + 1):
        await adapter.set_key(FIRST_KEY)
        await _key_in_mid_message(dut, adapter, message, beats, begun)


async def _key_in_mid_message(
    dut: Any, adapter: Adapter, message: bytes, beats: list[dict[str, int]], begun: int
) -> None:
    taking = cocotb.start_soon(adapter.take(1))
    await adapter.messages.send(beats[:begun])
    for _ in range(20):
        await RisingEdge(dut.clk_i)
    other = bytes(range(50, 50 + KEY_BYTES))
    for begin in range(0, KEY_BYTES, 4):
        await adapter.write(streams.KEY + begin, int.from_bytes(other[begin : begin + 4], "little"))
    assert not await adapter.write(streams.CONTROL, streams.LOAD)
    for _ in range(20):
        await RisingEdge(dut.clk_i)
    assert (await adapter.read(streams.STATUS))[0] == streams.KEYED | streams.LOADING
    assert await adapter.write(streams.KEY, 0)
    assert await adapter.write(streams.CONTROL, streams.LOAD)
    await adapter.messages.send(beats[begun:])
    assert (await taking)[0].data == Adapter.reference(FIRST_KEY, message)
    while (await adapter.read(streams.STATUS))[0] != streams.KEYED:
        pass
    assert int(dut.u_key.key_q.value) == 0
    assert await adapter.process([message]) == _expected(other, [message])


@cocotb.test(skip=not KEY_BYTES, timeout_time=LIMIT_MS, timeout_unit="ms")
async def no_message_without_a_key(dut: Any) -> None:
    """A packet waits until there is a key."""
    adapter = await started(Adapter, dut, dut.clk_i, REQUEST.parameters)
    sending = cocotb.start_soon(adapter.messages.send(adapter.beats(_of(b"early"))))
    for _ in range(200):
        await FallingEdge(dut.clk_i)
        assert not dut.m_axis_tvalid_o.value
    await RisingEdge(dut.clk_i)
    await adapter.set_key(FIRST_KEY)
    assert (await adapter.take(1))[0].data == Adapter.reference(FIRST_KEY, _of(b"early"))
    await sending
