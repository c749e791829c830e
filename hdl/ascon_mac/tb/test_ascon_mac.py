# SPDX-License-Identifier: Apache-2.0
"""cocotb tests of `ascon_mac`, for any values of its parameters."""

from __future__ import annotations

import json
import os
import random
from itertools import pairwise
from typing import Any

import cocotb
from adapter import Adapter, blocks
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from joulemark.catalogue.vectors import vectors
from joulemark.hardware.bench.streams import sometimes

PARAMETERS = json.loads(os.environ["JOULEMARK_PARAMETERS"])
PERMUTATION_CLOCKS = 12 // PARAMETERS["ROUNDS"]
START_CLOCKS = 0 if PARAMETERS["KEEP_START"] else PERMUTATION_CLOCKS
RANDOM_MESSAGES = int(os.environ.get("JOULEMARK_RANDOM_MESSAGES", "400"))
KEY = bytes(range(16))
LIMIT_MS = 10
"""Simulated; a million clocks, far beyond any test."""


async def started(dut: Any) -> Adapter:
    """A running clock and a core out of reset."""
    cocotb.start_soon(Clock(dut.clk_i, 10, unit="ns").start())
    adapter = Adapter(dut, dut.clk_i, PARAMETERS)
    await RisingEdge(dut.clk_i)
    await adapter.reset()
    return adapter


def block_count(message: bytes) -> int:
    """Blocks that the function permutes: the one with the padding is always there."""
    return len(message) // 32 + 1


async def clocks_until(dut: Any, signal: Any) -> int:
    """Rising edges until a signal is seen high, counted from the one just passed."""
    clocks = 0
    await FallingEdge(dut.clk_i)
    while not signal.value:
        clocks += 1
        await FallingEdge(dut.clk_i)
    return clocks


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def published_vectors(dut: Any) -> None:
    """Every published case that the catalogue has: lengths 0 to 86."""
    adapter = await started(dut)
    for case in vectors("ascon-mac"):
        await adapter.set_key(bytes.fromhex(case.key_hex))
        tags = await adapter.process([bytes.fromhex(case.message_hex)])
        assert tags[0].hex() == case.output_hex, case.name


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def random_messages_with_stalls(dut: Any) -> None:
    """Random keys and messages, either side held back at random, against the reference."""
    adapter = await started(dut)
    chance = random.Random(PARAMETERS["ROUNDS"] + 10 * PARAMETERS["KEEP_START"])
    left = RANDOM_MESSAGES
    while left:
        count = min(left, chance.randrange(1, 60))
        left -= count
        key = chance.randbytes(16)
        messages = [chance.randbytes(chance.randrange(100)) for _ in range(count)]
        await adapter.set_key(key)
        parts = [chance.choice((0.0, 0.3, 0.8)) for _ in range(2)]
        tags = await adapter.process(
            messages, sometimes(parts[0], left), sometimes(parts[1], left + 1)
        )
        assert tags == [Adapter.reference(key, message) for message in messages]


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def long_messages(dut: Any) -> None:
    """Many blocks are chained right, with and without a block of padding alone."""
    adapter = await started(dut)
    await adapter.set_key(KEY)
    messages = [bytes(length) for length in (95, 96, 97, 255, 256, 1000)]
    tags = await adapter.process(messages)
    assert tags == [Adapter.reference(KEY, message) for message in messages]


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def bytes_beyond_the_last_do_not_matter(dut: Any) -> None:
    """Whatever lies in a block after its last byte leaves the tag as it is."""
    adapter = await started(dut)
    await adapter.set_key(KEY)
    for length in range(32):
        message = bytes(range(length))
        data = int.from_bytes(message + b"\xff" * (32 - length), "big")
        cocotb.start_soon(adapter.messages.send([{"data": data, "bytes": length, "last": 1}]))
        tag = (await adapter.tags.receive(1))[0]["tag"]
        assert tag.to_bytes(16, "big") == Adapter.reference(KEY, message)


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def documented_clocks(dut: Any) -> None:
    """Clocks of one message alone, and between messages back to back, are those of the README."""
    adapter = await started(dut)
    await adapter.set_key(KEY)
    for length in (0, 1, 31, 32, 33, 64, 70):
        message = bytes(length)
        per_message = block_count(message) * PERMUTATION_CLOCKS + START_CLOCKS
        sending = cocotb.start_soon(adapter.messages.send(blocks(message)))
        while not (dut.msg_valid_i.value and dut.msg_ready_o.value and dut.msg_last_i.value):
            await FallingEdge(dut.clk_i)
        await RisingEdge(dut.clk_i)
        after_last = PERMUTATION_CLOCKS * (2 if length and length % 32 == 0 else 1)
        assert await clocks_until(dut, dut.tag_valid_o) == after_last, length
        await RisingEdge(dut.clk_i)
        await sending
        assert len(await adapter.tags.receive(1)) == 1

        dut.tag_ready_i.value = 1
        stream = [block for _ in range(6) for block in blocks(message)]
        sending = cocotb.start_soon(adapter.messages.send(stream))
        seen: list[int] = []
        clock = 0
        while len(seen) < 6:
            await FallingEdge(dut.clk_i)
            if dut.tag_valid_o.value:
                seen.append(clock)
            clock += 1
        await RisingEdge(dut.clk_i)
        await sending
        dut.tag_ready_i.value = 0
        assert {after - before for before, after in pairwise(seen)} == {per_message}, length


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def a_tag_waits_until_it_is_taken(dut: Any) -> None:
    """With nobody to take it a tag stays, the next message waits in the core, none is lost."""
    adapter = await started(dut)
    await adapter.set_key(KEY)
    messages = [b"first", b"second one", b"third"]
    sending = cocotb.start_soon(
        adapter.messages.send(block for message in messages for block in blocks(message))
    )
    for _ in range(120):
        await RisingEdge(dut.clk_i)
    assert dut.tag_valid_o.value
    assert not dut.msg_ready_o.value
    taken = await adapter.tags.receive(3)
    await sending
    assert [one["tag"].to_bytes(16, "big") for one in taken] == [
        Adapter.reference(KEY, message) for message in messages
    ]


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def reset_and_clear_in_mid_message(dut: Any) -> None:
    """After either one, wherever it comes, the key is gone and a new message gets its own tag."""
    adapter = await started(dut)
    chance = random.Random(7)
    kept = dut.gen_keep_start.kept_q if PARAMETERS["KEEP_START"] else dut.gen_keep_key.key_q
    for attempt in range(40):
        await adapter.set_key(chance.randbytes(16))
        sending = cocotb.start_soon(adapter.messages.send(blocks(bytes(100))))
        for _ in range(attempt * 2):
            await RisingEdge(dut.clk_i)
        sending.cancel()
        if attempt % 2:
            adapter.messages.idle()
            dut.clear_i.value = 1
            await RisingEdge(dut.clk_i)
            dut.clear_i.value = 0
        else:
            await adapter.reset()
        await FallingEdge(dut.clk_i)
        assert not dut.tag_valid_o.value
        assert not dut.msg_ready_o.value
        assert dut.key_ready_o.value
        for secret in (dut.state_q, dut.tag_q, kept):
            assert int(secret.value) == 0
        await RisingEdge(dut.clk_i)
        key = chance.randbytes(16)
        await adapter.set_key(key)
        assert await adapter.process([b"after"]) == [Adapter.reference(key, b"after")]


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def a_key_on_the_edge_of_the_first_block(dut: Any) -> None:
    """A key that moves together with a first block serves from the next message on."""
    adapter = await started(dut)
    await adapter.set_key(KEY)
    for _ in range(PERMUTATION_CLOCKS):
        await RisingEdge(dut.clk_i)
    other = bytes(range(100, 116))
    keys = cocotb.start_soon(adapter.keys.send([{"key": int.from_bytes(other, "big")}]))
    assert await adapter.process([b"the first key", b"the other"]) == [
        Adapter.reference(KEY, b"the first key"), Adapter.reference(other, b"the other"),
    ]  # fmt: skip
    await keys
    sending = cocotb.start_soon(adapter.messages.send(blocks(bytes(20))))
    await RisingEdge(dut.clk_i)
    await sending
    keys = cocotb.start_soon(adapter.keys.send([{"key": int.from_bytes(KEY, "big")}]))
    await RisingEdge(dut.clk_i)
    await FallingEdge(dut.clk_i)
    assert not dut.key_ready_o.value
    await RisingEdge(dut.clk_i)
    tag = (await adapter.tags.receive(1))[0]["tag"].to_bytes(16, "big")
    assert tag == Adapter.reference(other, bytes(20))
    await keys
    assert await adapter.process([b""]) == [Adapter.reference(KEY, b"")]


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def no_message_without_a_key(dut: Any) -> None:
    """After reset words wait until there is a key."""
    adapter = await started(dut)
    sending = cocotb.start_soon(adapter.messages.send(blocks(b"early")))
    for _ in range(5):
        await FallingEdge(dut.clk_i)
        assert not dut.msg_ready_o.value
    await RisingEdge(dut.clk_i)
    await adapter.set_key(KEY)
    assert (await adapter.tags.receive(1))[0]["tag"].to_bytes(16, "big") == Adapter.reference(
        KEY, b"early"
    )
    await sending


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def no_key_between_blocks(dut: Any) -> None:
    """A key offered while a message pauses between two blocks waits for the message's end."""
    adapter = await started(dut)
    await adapter.set_key(KEY)
    message, other = bytes(range(80)), bytes(16)
    parts = list(blocks(message))
    await adapter.messages.send(parts[:1])
    keys = cocotb.start_soon(adapter.keys.send([{"key": int.from_bytes(other, "big")}]))
    for _ in range(30):
        await FallingEdge(dut.clk_i)
        assert not dut.key_ready_o.value
    await RisingEdge(dut.clk_i)
    sending = cocotb.start_soon(adapter.messages.send(parts[1:]))
    tag = (await adapter.tags.receive(1))[0]["tag"]
    assert tag.to_bytes(16, "big") == Adapter.reference(KEY, message)
    await sending
    await keys
    assert await adapter.process([message]) == [Adapter.reference(other, message)]
