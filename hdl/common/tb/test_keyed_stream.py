# SPDX-License-Identifier: Apache-2.0
"""cocotb tests of any core with the streams of `joulemark.hardware.bench.streams`.

The core's own `tb/` has `adapter.py`, and `facts.py` with what its README states. When a key may
move is each core's own matter, and so is the test of it.
"""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import cocotb
import facts
from adapter import Adapter
from cocotb.triggers import FallingEdge, RisingEdge

from joulemark.catalogue.vectors import vectors
from joulemark.hardware.bench.streams import (
    clocks_until,
    limit_ms,
    simulation_request,
    sometimes,
    started,
)

REQUEST = simulation_request(random_messages=400)
KEY = bytes(range(16))
LIMIT_MS = limit_ms(REQUEST.random_messages, 1000)
READY_AFTER_WIPE = getattr(facts, "READY_AFTER_WIPE", 0)
"""Clocks after `wipe_i` in which the core takes no key."""


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def published_vectors(dut: Any) -> None:
    """Every published case of the catalogue gives its tag."""
    adapter = await started(Adapter, dut, dut.clk_i, REQUEST.parameters)
    for case in vectors(facts.ALGORITHM):
        await adapter.set_key(bytes.fromhex(case.key_hex))
        tags = await adapter.process([bytes.fromhex(case.message_hex)])
        # Where a MAC may be cut, the published tags are.
        assert tags[0].hex()[: len(case.output_hex)] == case.output_hex, case.name


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def random_messages_with_stalls(dut: Any) -> None:
    """Random keys and messages give the reference's tags, with random stalls on both sides."""
    adapter = await started(Adapter, dut, dut.clk_i, REQUEST.parameters)
    chance = random.Random(str(REQUEST.parameters))
    left = REQUEST.random_messages
    while left:
        count = min(left, chance.randrange(1, 60))
        left -= count
        key = chance.randbytes(16)
        longest = 3 * adapter.word_bytes
        messages = [chance.randbytes(chance.randint(0, longest)) for _ in range(count)]
        await adapter.set_key(key)
        parts = [chance.choice((0.0, 0.3, 0.8)) for _ in range(2)]
        tags = await adapter.process(
            messages, sometimes(parts[0], left), sometimes(parts[1], left + 1)
        )
        assert tags == [Adapter.reference(key, message) for message in messages]


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def long_messages(dut: Any) -> None:
    """Many words are chained right, with lengths around whole words and around 256 bytes."""
    adapter = await started(Adapter, dut, dut.clk_i, REQUEST.parameters)
    await adapter.set_key(KEY)
    around = (3 * adapter.word_bytes, 256 - adapter.word_bytes, 256, 256 + adapter.word_bytes)
    lengths = [length + beside for length in around for beside in (-1, 0, 1)]
    messages = [bytes(length) for length in (*lengths, 511, 512, 1000)]
    tags = await adapter.process(messages)
    assert tags == [Adapter.reference(KEY, message) for message in messages]


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def bytes_beyond_the_last_do_not_matter(dut: Any) -> None:
    """Whatever lies in a word after its last byte leaves the tag as it is."""
    adapter = await started(Adapter, dut, dut.clk_i, REQUEST.parameters)
    await adapter.set_key(KEY)
    for length in range(adapter.word_bytes):
        message = bytes(range(length))
        data = adapter.word(message, beyond=b"\xff")
        cocotb.start_soon(adapter.messages.send([{"data": data, "bytes": length, "last": 1}]))
        assert await adapter.take(1) == [Adapter.reference(KEY, message)]


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def documented_clocks(dut: Any) -> None:
    """Clocks of one message alone, and between messages back to back, are those of the README."""
    adapter = await started(Adapter, dut, dut.clk_i, REQUEST.parameters)
    await adapter.set_key(KEY)
    word = adapter.word_bytes
    for length in (0, 1, word - 1, word, word + 1, 2 * word, 5 * word):
        message = bytes(length)
        after_last, between = facts.clocks(REQUEST.parameters, length)
        sending = cocotb.start_soon(adapter.messages.send(adapter.words(message)))
        while not (dut.msg_valid_i.value and dut.msg_ready_o.value and dut.msg_last_i.value):
            await FallingEdge(dut.clk_i)
        await RisingEdge(dut.clk_i)
        assert await clocks_until(dut.clk_i, dut.tag_valid_o) == after_last, length
        await RisingEdge(dut.clk_i)
        await sending
        await adapter.take(1)

        dut.tag_ready_i.value = 1
        stream = [word for _ in range(6) for word in adapter.words(message)]
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
        assert {after - before for before, after in pairwise(seen)} == {between}, length


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def a_tag_waits_until_it_is_taken(dut: Any) -> None:
    """A tag that is not taken stays, the next message waits in the core, no tag is lost."""
    adapter = await started(Adapter, dut, dut.clk_i, REQUEST.parameters)
    await adapter.set_key(KEY)
    messages = [b"first", b"second one", b"third"]
    sending = cocotb.start_soon(
        adapter.messages.send(word for message in messages for word in adapter.words(message))
    )
    for _ in range(120):
        await RisingEdge(dut.clk_i)
    assert dut.tag_valid_o.value
    assert not dut.msg_ready_o.value
    taken = await adapter.take(3)
    await sending
    assert taken == [Adapter.reference(KEY, message) for message in messages]


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def reset_and_wipe_in_mid_message(dut: Any) -> None:
    """After a reset or wipe at any moment the key is gone; a new message gets its own tag."""
    adapter = await started(Adapter, dut, dut.clk_i, REQUEST.parameters)
    chance = random.Random(7)
    message = bytes(4 * adapter.word_bytes - 2)
    _, between = facts.clocks(REQUEST.parameters, len(message))
    # Moments reach beyond the tag's offer: the tag is a secret to be wiped as well.
    moments = sorted({2 * between * part // 30 for part in range(30)})
    for moment, by_wipe in [(item, way) for item in moments for way in (True, False)]:
        await adapter.set_key(chance.randbytes(16))
        sending = cocotb.start_soon(adapter.messages.send(adapter.words(message)))
        for _ in range(moment):
            await RisingEdge(dut.clk_i)
        sending.cancel()
        if by_wipe:
            adapter.messages.idle()
            dut.wipe_i.value = 1
            await RisingEdge(dut.clk_i)
            dut.wipe_i.value = 0
        else:
            await adapter.reset()
        await FallingEdge(dut.clk_i)
        assert not dut.tag_valid_o.value
        assert not dut.msg_ready_o.value
        for secret in facts.secrets(dut, REQUEST.parameters):
            assert int(secret.value) == 0
        for _ in range(READY_AFTER_WIPE if by_wipe else 0):
            assert not dut.key_ready_o.value
            await FallingEdge(dut.clk_i)
        assert dut.key_ready_o.value
        await RisingEdge(dut.clk_i)
        key = chance.randbytes(16)
        await adapter.set_key(key)
        assert await adapter.process([b"after"]) == [Adapter.reference(key, b"after")]


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def no_message_without_a_key(dut: Any) -> None:
    """After reset words wait until there is a key."""
    adapter = await started(Adapter, dut, dut.clk_i, REQUEST.parameters)
    sending = cocotb.start_soon(adapter.messages.send(adapter.words(b"early")))
    for _ in range(5):
        await FallingEdge(dut.clk_i)
        assert not dut.msg_ready_o.value
    await RisingEdge(dut.clk_i)
    await adapter.set_key(KEY)
    assert await adapter.take(1) == [Adapter.reference(KEY, b"early")]
    await sending


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def no_key_between_words(dut: Any) -> None:
    """A key offered while a message pauses between two words waits for the message's end."""
    adapter = await started(Adapter, dut, dut.clk_i, REQUEST.parameters)
    await adapter.set_key(KEY)
    message, other = bytes(range(80)), bytes(16)
    parts = list(adapter.words(message))
    await adapter.messages.send(parts[:1])
    keys = cocotb.start_soon(adapter.set_key(other))
    for _ in range(30):
        await FallingEdge(dut.clk_i)
        assert not dut.key_ready_o.value
    await RisingEdge(dut.clk_i)
    sending = cocotb.start_soon(adapter.messages.send(parts[1:]))
    assert await adapter.take(1) == [Adapter.reference(KEY, message)]
    await sending
    await keys
    assert await adapter.process([message]) == [Adapter.reference(other, message)]
