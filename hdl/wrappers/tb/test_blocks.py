# SPDX-License-Identifier: Apache-2.0
"""cocotb tests of packets of blocks, beside those of `test_axi`: their ends, and their faults."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from adapter import Adapter
from cocotb.triggers import FallingEdge, RisingEdge

from joulemark.hardware.bench.streams import (
    AxiPacket,
    limit_ms,
    simulation_request,
    sometimes,
    started,
)

REQUEST = simulation_request(random_messages=60)
LIMIT_MS = limit_ms(REQUEST.random_messages, 20_000)
BLOCK_BYTES = Adapter.message_bytes_multiple
KEY = bytes(range(16))


async def _ready(dut: Any) -> Adapter:
    adapter = await started(Adapter, dut, dut.clk_i, REQUEST.parameters)
    await adapter.set_key(KEY)
    return adapter


def _packet(message: bytes) -> AxiPacket:
    """The packet for a message of any length: its whole blocks, and TUSER if it is faulty."""
    whole = len(message) // BLOCK_BYTES * BLOCK_BYTES
    return AxiPacket(
        Adapter.reference(KEY, message[:whole]), cut=whole != len(message) or not whole
    )


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def a_block_that_is_not_whole_is_a_fault(dut: Any) -> None:
    """Whole blocks, if any, come out, then TUSER; the packets around are not affected."""
    adapter = await _ready(dut)
    chance = random.Random(7)
    lengths = [*range(4 * BLOCK_BYTES + 1), *(chance.randrange(100) for _ in range(20))]
    for send_part, take_part in ((0.0, 0.0), (0.4, 0.6)):
        chance.shuffle(lengths)
        messages = [chance.randbytes(length) for length in lengths]
        beats = [beat for message in messages for beat in adapter.beats(message, beyond=0xFF)]
        sending = cocotb.start_soon(adapter.messages.send(beats, sometimes(send_part, 1)))
        packets = await adapter.take(len(messages), sometimes(take_part, 2))
        await sending
        assert packets == [_packet(message) for message in messages]


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def a_fault_waits_for_a_key_as_a_block_does(dut: Any) -> None:
    """Without a key nothing comes, not even the end of a faulty packet."""
    adapter = await started(Adapter, dut, dut.clk_i, REQUEST.parameters)
    await adapter.messages.send(adapter.beats(b"short"))
    for _ in range(100):
        await FallingEdge(dut.clk_i)
        assert not dut.m_axis_tvalid_o.value
    await RisingEdge(dut.clk_i)
    await adapter.set_key(KEY)
    assert await adapter.take(1) == [AxiPacket(b"", cut=True)]


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def a_wipe_between_blocks_ends_the_packet(dut: Any) -> None:
    """If all blocks so far were taken and more were to come, TUSER ends it; the key goes."""
    adapter = await _ready(dut)
    message = bytes(range(3 * BLOCK_BYTES))
    beats = list(adapter.beats(message))
    beats_of_block = BLOCK_BYTES // adapter.beat_bytes
    for blocks in (1, 2):
        await adapter.set_key(KEY)
        # A beat of the next block, so that the core knows that the packet goes on.
        sent = blocks * beats_of_block + 1
        await adapter.messages.send(beats[:sent])
        taken = await adapter.tags.receive(blocks * beats_of_block)
        assert not any(beat["last"] for beat in taken)
        for _ in range(5):
            await FallingEdge(dut.clk_i)
            assert not dut.m_axis_tvalid_o.value
        await RisingEdge(dut.clk_i)
        await adapter.wipe()
        await FallingEdge(dut.clk_i)
        assert dut.m_axis_tvalid_o.value
        assert int(dut.core_key_q.value) == 0
        await RisingEdge(dut.clk_i)
        assert await adapter.take(1) == [AxiPacket(b"", cut=True)]
        await adapter.messages.send(beats[sent:])
        for _ in range(50):
            await FallingEdge(dut.clk_i)
            assert not dut.m_axis_tvalid_o.value
        await RisingEdge(dut.clk_i)
    await adapter.set_key(KEY)
    assert await adapter.process([message]) == [Adapter.reference(KEY, message)]


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def a_wipe_while_a_block_is_offered(dut: Any) -> None:
    """The offered beat stays, even a block's last; TUSER follows, since the packet was to go on."""
    adapter = await _ready(dut)
    message = bytes(range(2 * BLOCK_BYTES))
    expected = Adapter.reference(KEY, message)
    beats_of_block = BLOCK_BYTES // adapter.beat_bytes
    for before in range(beats_of_block):
        await adapter.set_key(KEY)
        await adapter.messages.send(adapter.beats(message))
        taken = await adapter.tags.receive(before)
        while not dut.m_axis_tvalid_o.value:
            await FallingEdge(dut.clk_i)
        await RisingEdge(dut.clk_i)
        await adapter.wipe()
        (packet,) = await adapter.take(1)
        data = b"".join([adapter.kept(item) for item in taken]) + packet.data
        assert data == expected[: (before + 1) * adapter.beat_bytes]
        assert packet.cut
