# SPDX-License-Identifier: Apache-2.0
"""cocotb tests of `siphash`, for any value of its parameter."""

from __future__ import annotations

import json
import os
import random
from itertools import pairwise
from typing import Any

import cocotb
from adapter import Adapter, words
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from joulemark.catalogue.vectors import vectors
from joulemark.hardware.bench.streams import sometimes

PARAMETERS = json.loads(os.environ["JOULEMARK_PARAMETERS"])
WORD_CLOCKS = {1: 2, 2: 1, 4: 1}[PARAMETERS["ROUNDS"]]
FINAL_CLOCKS = 4 // PARAMETERS["ROUNDS"]
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


def word_count(message: bytes) -> int:
    """Words that the function compresses: the one with the length is always there."""
    return len(message) // 8 + 1


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
    """Every published case of SipHash-2-4: lengths 0 to 63, and the paper's example."""
    adapter = await started(dut)
    for case in vectors("siphash-2-4"):
        await adapter.set_key(bytes.fromhex(case.key_hex))
        tags = await adapter.process([bytes.fromhex(case.message_hex)])
        assert tags[0].hex() == case.output_hex, case.name


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def random_messages_with_stalls(dut: Any) -> None:
    """Random keys and messages, either side held back at random, against the reference."""
    adapter = await started(dut)
    chance = random.Random(PARAMETERS["ROUNDS"])
    left = RANDOM_MESSAGES
    while left:
        count = min(left, chance.randrange(1, 60))
        left -= count
        key = chance.randbytes(16)
        messages = [chance.randbytes(chance.randrange(50)) for _ in range(count)]
        await adapter.set_key(key)
        parts = [chance.choice((0.0, 0.3, 0.8)) for _ in range(2)]
        tags = await adapter.process(
            messages, sometimes(parts[0], left), sometimes(parts[1], left + 1)
        )
        assert tags == [Adapter.reference(key, message) for message in messages]


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def lengths_wrap_at_256(dut: Any) -> None:
    """The length byte is the length modulo 256, and long messages are chained right."""
    adapter = await started(dut)
    await adapter.set_key(KEY)
    messages = [bytes(length) for length in (247, 248, 249, 255, 256, 257, 263, 264, 511, 1000)]
    tags = await adapter.process(messages)
    assert tags == [Adapter.reference(KEY, message) for message in messages]


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def bytes_beyond_the_last_do_not_matter(dut: Any) -> None:
    """Whatever lies in a word above its last byte leaves the tag as it is."""
    adapter = await started(dut)
    await adapter.set_key(KEY)
    for length in range(8):
        message = bytes(range(length))
        data = int.from_bytes(message + b"\xff" * (8 - length), "little")
        cocotb.start_soon(adapter.messages.send([{"data": data, "bytes": length, "last": 1}]))
        tag = (await adapter.tags.receive(1))[0]["tag"]
        assert tag.to_bytes(8, "little") == Adapter.reference(KEY, message)


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def documented_clocks(dut: Any) -> None:
    """Clocks of one message alone, and between messages back to back, are those of the README."""
    adapter = await started(dut)
    await adapter.set_key(KEY)
    for length in (0, 1, 7, 8, 9, 16, 40, 64):
        message = bytes(length)
        per_message = word_count(message) * WORD_CLOCKS + FINAL_CLOCKS
        sending = cocotb.start_soon(adapter.messages.send(words(message)))
        while not (dut.msg_valid_i.value and dut.msg_ready_o.value and dut.msg_last_i.value):
            await FallingEdge(dut.clk_i)
        await RisingEdge(dut.clk_i)
        after_last = WORD_CLOCKS * (2 if length and length % 8 == 0 else 1) + FINAL_CLOCKS
        assert await clocks_until(dut, dut.tag_valid_o) == after_last, length
        await RisingEdge(dut.clk_i)
        await sending
        assert len(await adapter.tags.receive(1)) == 1

        dut.tag_ready_i.value = 1
        stream = [word for _ in range(6) for word in words(message)]
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
        adapter.messages.send(word for message in messages for word in words(message))
    )
    for _ in range(60):
        await RisingEdge(dut.clk_i)
    assert dut.tag_valid_o.value
    assert not dut.msg_ready_o.value
    taken = await adapter.tags.receive(3)
    await sending
    assert [one["tag"].to_bytes(8, "little") for one in taken] == [
        Adapter.reference(KEY, message) for message in messages
    ]


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def reset_and_clear_in_mid_message(dut: Any) -> None:
    """After either one, wherever it comes, the key is gone and a new message gets its own tag."""
    adapter = await started(dut)
    chance = random.Random(7)
    for attempt in range(40):
        await adapter.set_key(chance.randbytes(16))
        sending = cocotb.start_soon(adapter.messages.send(words(bytes(30))))
        for _ in range(attempt % 14):
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
        for secret in (dut.key_q, dut.state_q, dut.word_q, dut.tag_q):
            assert int(secret.value) == 0
        await RisingEdge(dut.clk_i)
        key = chance.randbytes(16)
        await adapter.set_key(key)
        assert await adapter.process([b"after"]) == [Adapter.reference(key, b"after")]


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def a_key_on_the_edge_of_the_first_word(dut: Any) -> None:
    """A key that moves together with a first word is that message's key; later ones wait."""
    adapter = await started(dut)
    await adapter.set_key(KEY)
    other = bytes(range(100, 116))
    keys = cocotb.start_soon(adapter.keys.send([{"key": int.from_bytes(other, "little")}]))
    assert await adapter.process([b"with the other key"]) == [
        Adapter.reference(other, b"with the other key")
    ]
    await keys
    sending = cocotb.start_soon(adapter.messages.send(words(bytes(20))))
    await RisingEdge(dut.clk_i)
    keys = cocotb.start_soon(adapter.keys.send([{"key": int.from_bytes(KEY, "little")}]))
    await RisingEdge(dut.clk_i)
    await FallingEdge(dut.clk_i)
    assert not dut.key_ready_o.value
    await RisingEdge(dut.clk_i)
    tag = (await adapter.tags.receive(1))[0]["tag"].to_bytes(8, "little")
    assert tag == Adapter.reference(other, bytes(20))
    await sending
    await keys
    assert await adapter.process([b""]) == [Adapter.reference(KEY, b"")]


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def no_message_without_a_key(dut: Any) -> None:
    """After reset words wait until there is a key."""
    adapter = await started(dut)
    sending = cocotb.start_soon(adapter.messages.send(words(b"early")))
    for _ in range(5):
        await FallingEdge(dut.clk_i)
        assert not dut.msg_ready_o.value
    await RisingEdge(dut.clk_i)
    await adapter.set_key(KEY)
    assert (await adapter.tags.receive(1))[0]["tag"].to_bytes(8, "little") == Adapter.reference(
        KEY, b"early"
    )
    await sending


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def no_key_between_words(dut: Any) -> None:
    """A key offered while a message pauses between two words waits for the message's end."""
    adapter = await started(dut)
    await adapter.set_key(KEY)
    message, other = bytes(range(80)), bytes(16)
    parts = list(words(message))
    await adapter.messages.send(parts[:1])
    keys = cocotb.start_soon(adapter.keys.send([{"key": int.from_bytes(other, "little")}]))
    for _ in range(30):
        await FallingEdge(dut.clk_i)
        assert not dut.key_ready_o.value
    await RisingEdge(dut.clk_i)
    sending = cocotb.start_soon(adapter.messages.send(parts[1:]))
    tag = (await adapter.tags.receive(1))[0]["tag"]
    assert tag.to_bytes(8, "little") == Adapter.reference(KEY, message)
    await sending
    await keys
    assert await adapter.process([message]) == [Adapter.reference(other, message)]
