# SPDX-License-Identifier: Apache-2.0
"""cocotb tests of `hmac_sha256`'s clocks, handshakes, key handling and wiping."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import cocotb
from adapter import Adapter, words
from bench_hmac_sha256 import (
    BETWEEN_BLOCKS_CLOCKS,
    ENGINE_CLOCKS,
    INTERLEAVE,
    KEY,
    LATENCY_CLOCKS,
    MOST_UNDER_WAY,
    PARAMETERS,
    REGISTERED,
    SLOT_CLOCKS,
    WIPE_CLOCKS,
    expected,
    started,
)
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

from joulemark.hardware.bench.streams import clocks_until

OTHER_KEY = bytes(range(100, 164))


def secrets(dut: Any) -> dict[str, Any]:
    """The top's registers that depend on a key or message; engines assert the wiping of theirs."""
    return {
        "inner midstate": dut.inner_midstate,
        "outer midstate": dut.outer_midstate,
        "inner hash": dut.inner_hash,
        "outer hash": dut.outer_hash,
        **{
            f"chaining value {channel}": dut.u_channels.chain_q[channel]
            for channel in range(max(2, PARAMETERS["STAGES"] * INTERLEAVE))
        },
    }


def as_bytes(taken: list[dict[str, int]]) -> list[bytes]:
    """The tags alone."""
    return [entry["tag"].to_bytes(32, "big") for entry in taken]


@cocotb.test()
async def latency_of_one_message(dut: Any) -> None:
    """A one-block message takes 2 * 64 / ROUNDS + 1 clocks, each more block 64 / ROUNDS + 2."""
    adapter = await started(dut)
    await adapter.set_key(KEY)
    for length in (0, 32, 55, 56, 64, 119, 120):
        for pause in range(SLOT_CLOCKS if length == 32 else 1):
            for _ in range(pause):
                await RisingEdge(dut.clk_i)
            sending = cocotb.start_soon(adapter.messages.send(words(bytes(length))))
            await FallingEdge(dut.clk_i)
            assert dut.msg_ready_o.value
            await RisingEdge(dut.clk_i)
            blocks_before = (length + 8) // 64
            wanted = LATENCY_CLOCKS + blocks_before * BETWEEN_BLOCKS_CLOCKS
            if REGISTERED and length in (56, 64, 120):
                wanted += 3  # a block of padding alone goes through the registers too
            assert await clocks_until(dut.clk_i, dut.tag_valid_o) == wanted, length
            await sending
            await RisingEdge(dut.clk_i)
            assert as_bytes(await adapter.tags.receive(1)) == expected(KEY, [bytes(length)])


@cocotb.test()
async def clocks_between_messages(dut: Any) -> None:
    """A tag leaves every 64 / (STAGES * ROUNDS) clocks, on one channel and on several."""
    adapter = await started(dut)
    await adapter.set_key(KEY)
    for channels in (1, adapter.channels):
        count = 4 * PARAMETERS["STAGES"] + 5
        stream = (word for i in range(count) for word in words(bytes(55), i % channels))
        sending = cocotb.start_soon(adapter.messages.send(stream))
        dut.tag_ready_i.value = 1
        seen: list[int] = []
        clock = 0
        while len(seen) < count:
            await FallingEdge(dut.clk_i)
            if dut.tag_valid_o.value:
                seen.append(clock)
            clock += 1
        await RisingEdge(dut.clk_i)
        await sending
        dut.tag_ready_i.value = 0
        # Blocks that take turns come in pairs.
        gaps = {after - before for before, after in pairwise(seen[::INTERLEAVE])}
        assert gaps == {INTERLEAVE * SLOT_CLOCKS}


@cocotb.test()
async def clocks_between_blocks_of_long_messages(dut: Any) -> None:
    """On all channels STAGES blocks take 64 / ROUNDS + 2 clocks, fewer if STAGES is 1."""
    adapter = await started(dut)
    await adapter.set_key(KEY)
    blocks = 12
    messages = [bytes(64 * (blocks - 1))] * adapter.channels
    clocks = 0

    async def count() -> None:
        nonlocal clocks
        while True:
            await RisingEdge(dut.clk_i)
            clocks += 1

    counting = cocotb.start_soon(count())
    assert await adapter.process(messages) == expected(KEY, messages)
    counting.cancel()
    # Two channels share the slot of a pipeline of one stage and hide the clock of the chaining.
    turn = 2 * ENGINE_CLOCKS if PARAMETERS["STAGES"] == 1 else BETWEEN_BLOCKS_CLOCKS
    assert clocks <= blocks * turn + LATENCY_CLOCKS + ENGINE_CLOCKS


@cocotb.test()
async def clocks_of_a_key(dut: Any) -> None:
    """A key is taken three clocks after it is offered, a message 64 / ROUNDS + 1 clocks later."""
    adapter = await started(dut)
    block = int.from_bytes(KEY + bytes(32), "big")
    await ClockCycles(dut.clk_i, WIPE_CLOCKS)
    sending = cocotb.start_soon(adapter.keys.send([{"key": block}]))
    assert await clocks_until(dut.clk_i, dut.key_ready_o) == 3
    await RisingEdge(dut.clk_i)
    assert await clocks_until(dut.clk_i, dut.keyed_o) == ENGINE_CLOCKS + 1
    await sending
    assert dut.msg_ready_o.value
    await RisingEdge(dut.clk_i)
    assert await adapter.process([b"first"]) == expected(KEY, [b"first"])


@cocotb.test()
async def tags_wait_until_they_are_taken(dut: Any) -> None:
    """If no tag is taken, the core fills up, holds the first tag, and loses none."""
    adapter = await started(dut)
    await adapter.set_key(KEY)
    messages = [bytes([i]) * 20 for i in range(2 * MOST_UNDER_WAY + 4)]
    stream = [word for i, message in enumerate(messages) for word in words(message, i % 2)]
    sending = cocotb.start_soon(adapter.messages.send(stream))
    for _ in range(4 * LATENCY_CLOCKS):
        await FallingEdge(dut.clk_i)
    assert dut.tag_valid_o.value
    assert not dut.msg_ready_o.value
    held = int(dut.u_control.messages_q.value)
    assert 2 * PARAMETERS["STAGES"] * INTERLEAVE <= held <= MOST_UNDER_WAY
    for _ in range(20):
        assert [int(dut.tag_o.value).to_bytes(32, "big")] == expected(KEY, messages[:1])
        await FallingEdge(dut.clk_i)
    await RisingEdge(dut.clk_i)
    taken = await adapter.tags.receive(len(messages))
    await sending
    assert as_bytes(taken) == expected(KEY, messages)


@cocotb.test()
async def nothing_moves_without_a_key(dut: Any) -> None:
    """After reset words wait until there is a key."""
    adapter = await started(dut)
    sending = cocotb.start_soon(adapter.messages.send(words(b"early")))
    for _ in range(10):
        await FallingEdge(dut.clk_i)
        assert not dut.msg_ready_o.value
        assert not dut.keyed_o.value
    await RisingEdge(dut.clk_i)
    await adapter.set_key(KEY)
    taken = await adapter.tags.receive(1)
    await sending
    assert as_bytes(taken) == expected(KEY, [b"early"])


@cocotb.test()
async def a_key_waits_for_messages_under_way(dut: Any) -> None:
    """Open messages keep the old key, none begins, the key moves when all tags have left."""
    adapter = await started(dut)
    await adapter.set_key(KEY)
    long = bytes(range(200))
    parts = list(words(long, 1))
    await adapter.messages.send([*words(b"short", 0), *parts[:2]])
    block = int.from_bytes(OTHER_KEY, "big")
    keys = cocotb.start_soon(adapter.keys.send([{"key": block}]))
    for _ in range(2):
        await RisingEdge(dut.clk_i)
    # A message on channel 0 would begin: it must wait. Channel 1 has begun and goes on.
    dut.msg_channel_i.value = 0
    for _ in range(3 * LATENCY_CLOCKS):
        await FallingEdge(dut.clk_i)
        assert not dut.msg_ready_o.value
        assert not dut.key_ready_o.value
    await RisingEdge(dut.clk_i)
    await adapter.messages.send(parts[2:])
    sending = cocotb.start_soon(adapter.messages.send(words(b"after", 0)))
    taken = await adapter.tags.receive(3)
    await sending
    await keys
    assert as_bytes(taken) == [
        *expected(KEY, [b"short", long]), *expected(OTHER_KEY, [b"after"]),
    ]  # fmt: skip


async def disturbed(adapter: Adapter, clocks: int) -> None:
    """Sends messages of one and of three blocks for some clocks, takes no tag, then stops."""
    lengths = [150 * (i % 2) for i in range(99)]
    stream = (
        word
        for i, length in enumerate(lengths)
        for word in words(bytes(length), i % adapter.channels)
    )
    sending = cocotb.start_soon(adapter.messages.send(stream))
    for _ in range(clocks):
        await RisingEdge(adapter.clock)
    sending.cancel()
    adapter.messages.idle()


@cocotb.test()
async def wiping_forgets_everything(dut: Any) -> None:
    """After a wipe at any moment key, midstates and messages are gone, and a new key works."""
    adapter = await started(dut)
    chance = random.Random(6)
    for attempt in range(24):
        await adapter.set_key(KEY)
        await disturbed(adapter, chance.randrange(3 * LATENCY_CLOCKS) if attempt else 0)
        dut.wipe_i.value = 1
        for _ in range(1 + attempt % 3):
            await RisingEdge(dut.clk_i)
        dut.wipe_i.value = 0
        await ClockCycles(dut.clk_i, 2 * REGISTERED)
        for _ in range(adapter.channels):
            await FallingEdge(dut.clk_i)
            assert not dut.keyed_o.value
            assert not dut.msg_ready_o.value
            assert not dut.key_ready_o.value
        await FallingEdge(dut.clk_i)
        for name, register in secrets(dut).items():
            assert int(register.value) == 0, name
        for _ in range(LATENCY_CLOCKS if attempt < 4 else 1):
            assert not dut.tag_valid_o.value
            assert int(dut.tag_o.value) == 0
            await FallingEdge(dut.clk_i)
        await RisingEdge(dut.clk_i)
        key = chance.randbytes(20)
        await adapter.set_key(key)
        messages = [b"after", bytes(100), b"", b"more"]
        assert await adapter.process(messages) == expected(key, messages)


@cocotb.test()
async def wipe_during_key_setup(dut: Any) -> None:
    """A key whose midstates are not ready yet leaves nothing behind, at any clock of its set-up."""
    adapter = await started(dut)
    for clocks in range(0, ENGINE_CLOCKS + 3, 1 + ENGINE_CLOCKS // 16):
        await adapter.keys.send([{"key": int.from_bytes(OTHER_KEY, "big")}])
        for _ in range(clocks):
            await RisingEdge(dut.clk_i)
        dut.wipe_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.wipe_i.value = 0
        await ClockCycles(dut.clk_i, 2 * REGISTERED)
        for _ in range(ENGINE_CLOCKS + adapter.channels + 2):
            await FallingEdge(dut.clk_i)
            assert not dut.keyed_o.value
        for name, register in secrets(dut).items():
            assert int(register.value) == 0, name
        await RisingEdge(dut.clk_i)
    await adapter.set_key(KEY)
    assert await adapter.process([b"after"]) == expected(KEY, [b"after"])


@cocotb.test()
async def reset_in_mid_message(dut: Any) -> None:
    """After a reset at any moment the key is gone, and a new key works at once."""
    adapter = await started(dut)
    chance = random.Random(8)
    for attempt in range(12):
        await adapter.set_key(KEY)
        await disturbed(adapter, chance.randrange(2 * LATENCY_CLOCKS))
        await adapter.reset()
        await FallingEdge(dut.clk_i)
        assert not dut.keyed_o.value
        assert not dut.tag_valid_o.value
        for name, register in secrets(dut).items():
            assert int(register.value) == 0, name
        await RisingEdge(dut.clk_i)
        key = chance.randbytes(attempt)
        await adapter.set_key(key)
        assert await adapter.process([b"a", bytes(70)]) == expected(key, [b"a", bytes(70)])
