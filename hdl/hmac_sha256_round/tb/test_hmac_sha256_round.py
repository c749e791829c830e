# SPDX-License-Identifier: Apache-2.0
"""cocotb tests of hmac_sha256_round."""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb
from adapter import Adapter
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge
from cocotb.utils import get_sim_time

from joulemark.catalogue.vectors import vectors
from joulemark.hardware.bench.hmac_words import lengths_round_blocks
from joulemark.hardware.bench.streams import sometimes, started

BULK = int(os.environ.get("JOULEMARK_RANDOM_MESSAGES", "1000"))
MANY = 1000
"""With fewer random messages the run is short."""
PERIOD_NS = 10


async def _started(dut: Any) -> Adapter:
    return await started(Adapter, dut, dut.clk_i, {})


def _expected(key: bytes, messages: list[bytes]) -> list[bytes]:
    return [Adapter.reference(key, message) for message in messages]


@cocotb.test()
async def published_vectors(dut: Any) -> None:
    """All cases of RFC 4231 give their tags."""
    adapter = await _started(dut)
    cases = vectors("hmac-sha256")
    assert cases
    for case in cases:
        await adapter.set_key(bytes.fromhex(case.key_hex))
        tag = (await adapter.process([bytes.fromhex(case.message_hex)]))[0]
        assert tag.hex().startswith(case.output_hex)


@cocotb.test()
async def block_boundaries(dut: Any) -> None:
    """Messages of 0 to 192 bytes give tags, with stalls on both sides, the key's words too.

    A short run has only the lengths near the boundaries.
    """
    adapter = await _started(dut)
    pick = random.Random(2)
    adapter.source_stall = sometimes(0.3, 3)
    adapter.sink_stall = sometimes(0.5, 4)
    lengths = lengths_round_blocks(every=BULK >= MANY)
    messages = [pick.randbytes(length) for length in lengths]
    for at in range(0, len(messages), 16):
        key = pick.randbytes(32)
        await adapter.set_key(key)
        part = messages[at : at + 16]
        assert await adapter.process(part) == _expected(key, part)


@cocotb.test()
async def random_messages(dut: Any) -> None:
    """Random messages, back to back, under changing keys of 0 to 200 bytes."""
    adapter = await _started(dut)
    pick = random.Random(5)
    for at in range(0, BULK, 20):
        count = min(20, BULK - at)
        messages = [pick.randbytes(pick.randrange(120)) for _ in range(count)]
        key = pick.randbytes(pick.choice((0, 1, 20, 63, 64, 65, pick.randrange(201))))
        await adapter.set_key(key)
        assert await adapter.process(messages) == _expected(key, messages)


@cocotb.test()
async def documented_clocks(dut: Any) -> None:
    """From the first word that is offered to the last of the tag, alone and back to back."""
    adapter = await _started(dut)
    key = bytes(range(20))
    await adapter.set_key(key)
    for length, blocks in ((0, 1), (29, 1), (55, 1), (56, 2), (119, 2), (120, 3)):
        message = bytes(length)
        clocks = 82 * blocks + 90
        for count in (1, 2):
            await ClockCycles(dut.clk_i, 4)
            began = get_sim_time("ns")
            tags = await adapter.process([message] * count)
            assert tags == [Adapter.reference(key, message)] * count
            assert round((get_sim_time("ns") - began) / PERIOD_NS) == 1 + count * clocks


@cocotb.test()
async def clocks_of_a_key(dut: Any) -> None:
    """A message that is offered with a key's last words waits for the key, and has it."""
    adapter = await _started(dut)
    for key in (bytes(range(64)), b"", bytes(200)):
        words = list(Adapter.key_words(key))
        began = get_sim_time("ns")
        sending = cocotb.start_soon(adapter.keys.send(words))
        await RisingEdge(dut.clk_i)
        assert await adapter.process([b"message"]) == [Adapter.reference(key, b"message")]
        await sending
        assert round((get_sim_time("ns") - began) / PERIOD_NS) == 2 * 82 + 1 + 82 + 91


@cocotb.test()
async def nothing_moves_before_the_first_key(dut: Any) -> None:
    """A message waits for a key, after a reset and after `wipe_i`."""
    adapter = await _started(dut)
    for _ in range(2):
        sending = cocotb.start_soon(adapter.process([bytes(29)]))
        for _ in range(200):
            await FallingEdge(dut.clk_i)
            assert not dut.data_ready_o.value
            assert not dut.digest_valid_o.value
        await RisingEdge(dut.clk_i)
        await adapter.set_key(b"key")
        assert await sending == [Adapter.reference(b"key", bytes(29))]
        dut.wipe_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.wipe_i.value = 0


@cocotb.test()
async def a_tag_is_shown_only_while_it_is_offered(dut: Any) -> None:
    """The port of tags is 0 at all other times, so that neither key nor state is seen there."""
    adapter = await _started(dut)
    adapter.sink_stall = sometimes(0.5, 4)
    sending = cocotb.start_soon(adapter.set_key(bytes(range(1, 33))))
    messages: Any = None
    offered = 0
    while not sending.done():
        await FallingEdge(dut.clk_i)
        offered += bool(dut.digest_valid_o.value and dut.digest_ready_i.value)
        assert dut.digest_valid_o.value or int(dut.digest_o.value) == 0
        await RisingEdge(dut.clk_i)
        if sending.done() and messages is None:
            messages = [bytes(range(100)), b""]
            sending = cocotb.start_soon(adapter.process(messages))
    assert offered == 16


@cocotb.test()
async def key_changes(dut: Any) -> None:
    """A new key replaces the old one; a source that never pauses lets it in."""
    adapter = await _started(dut)
    pick = random.Random(8)
    for length in (0, 1, 20, 64, 65, 200):
        key = pick.randbytes(length)
        await adapter.set_key(key)
        messages = [pick.randbytes(70) for _ in range(2)]
        assert await adapter.process(messages) == _expected(key, messages)
    old, new = pick.randbytes(32), pick.randbytes(32)
    await adapter.set_key(old)
    sending = cocotb.start_soon(adapter.process([bytes(29)] * 3))
    await ClockCycles(dut.clk_i, 50)
    await adapter.set_key(new)
    tags = await sending
    assert tags[0] == Adapter.reference(old, bytes(29))
    assert tags[1:] == [Adapter.reference(new, bytes(29))] * 2


@cocotb.test()
async def reset_and_wipe_in_mid_message(dut: Any) -> None:
    """A message or a key cut off at any moment leaves nothing of key, block or chaining value."""
    adapter = await _started(dut)
    pick = random.Random(9)
    moments = [*range(1, 40, 3), *range(70, 110, 2), *range(160, 360, 9)]
    for number, cut in enumerate(moments):
        await adapter.set_key(pick.randbytes(20))
        running = cocotb.start_soon(
            adapter.set_key(pick.randbytes(64))
            if number % 3 == 2
            else adapter.process([pick.randbytes(100), bytes(9)])
        )
        await ClockCycles(dut.clk_i, cut)
        running.cancel()
        await RisingEdge(dut.clk_i)
        if number % 2:
            await adapter.reset()
        else:
            adapter.keys.idle()
            adapter.source.idle()
            adapter.sink.idle()
            dut.wipe_i.value = 1
            await RisingEdge(dut.clk_i)
            dut.wipe_i.value = 0
        await FallingEdge(dut.clk_i)
        assert not any(int(secret.value) for secret in _secrets(dut))
        await RisingEdge(dut.clk_i)
        key = pick.randbytes(30)
        await adapter.set_key(key)
        message = pick.randbytes(40)
        assert await adapter.process([message]) == [Adapter.reference(key, message)]


def _secrets(dut: Any) -> list[Any]:
    """All storage but the rings of the schedule."""
    state, schedule, store = dut.u_state, dut.u_schedule, dut.u_store
    words = [
        *(store.gen_index[i].gen_value[k].u_word for i in range(8) for k in range(3)),
        *(schedule[f"gen_short[{i}]"].u_word for i in range(7)),
        *(schedule[f"gen_long[{i}]"].u_word for i in range(10)),
    ]
    return [
        *(getattr(state, f"{name}_q") for name in ("a", "b", "c", "d", "e", "f", "g", "sum")),
        schedule.word1_q,
        *(word.held for word in words),
        dut.u_padding.bytes_q,
        dut.phase_q,
        dut.keyed_q,
    ]
