# SPDX-License-Identifier: Apache-2.0
"""cocotb tests of `hmac_sha256`'s function, for any values of its parameters."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
from collections.abc import Iterator
from typing import Any

import cocotb
from adapter import words
from bench_hmac_sha256 import KEY, PARAMETERS, REGISTERED, expected, started
from cocotb.triggers import FallingEdge, RisingEdge

from joulemark.catalogue.vectors import vectors
from joulemark.hardware.bench.streams import sometimes

RANDOM_MESSAGES = int(os.environ.get("JOULEMARK_RANDOM_MESSAGES", "400"))


@cocotb.test()
async def published_vectors(dut: Any) -> None:
    """Tags of RFC 4231 are right; a key above 64 bytes is hashed first, a task of the user here."""
    adapter = await started(dut)
    for case in vectors("hmac-sha256"):
        key = bytes.fromhex(case.key_hex)
        await adapter.set_key(hashlib.sha256(key).digest() if len(key) > 64 else key)
        tags = await adapter.process([bytes.fromhex(case.message_hex)])
        assert tags[0].hex().startswith(case.output_hex), case.name


@cocotb.test()
async def every_length_and_key_length(dut: Any) -> None:
    """Tags are right for messages of 0 to 200 bytes (every kind of padding) and keys of 0 to 64."""
    adapter = await started(dut)
    chance = random.Random(1)
    await adapter.set_key(KEY)
    messages = [chance.randbytes(length) for length in range(201)]
    assert await adapter.process(messages) == expected(KEY, messages)
    for length in range(0, 65, 1 + PARAMETERS["STAGES"]):
        key = chance.randbytes(length)
        await adapter.set_key(key)
        assert await adapter.process([b"key length"]) == expected(key, [b"key length"])


@cocotb.test()
async def random_messages_with_stalls(dut: Any) -> None:
    """Random keys and messages give OpenSSL's tags, with random stalls on both sides."""
    adapter = await started(dut)
    chance = random.Random(PARAMETERS["ROUNDS"])
    left = RANDOM_MESSAGES
    while left:
        count = min(left, chance.randrange(1, 200))
        left -= count
        key = chance.randbytes(chance.randrange(65))
        longest = chance.choice((56, 56, 56, 130, 300))
        messages = [chance.randbytes(chance.randrange(longest)) for _ in range(count)]
        await adapter.set_key(key)
        parts = [chance.choice((0.0, 0.0, 0.3, 0.9)) for _ in range(2)]
        tags = await adapter.process(
            messages, sometimes(parts[0], left), sometimes(parts[1], left + 1)
        )
        assert tags == expected(key, messages)


def openssl(key: bytes, message: bytes) -> bytes:
    """The tag by OpenSSL's command."""
    option = ["-mac", "HMAC", "-macopt", f"hexkey:{key.hex()}", "-binary"]
    return subprocess.run(
        ["openssl", "dgst", "-sha256", *option], input=message, stdout=subprocess.PIPE, check=True
    ).stdout


@cocotb.test()
async def agrees_with_the_openssl_command(dut: Any) -> None:
    """A few messages of up to 65 blocks give the tags of a program that is not linked into this."""
    adapter = await started(dut)
    chance = random.Random(3)
    key = chance.randbytes(48)
    messages = [chance.randbytes(length) for length in (0, 55, 64, 1000, 4096)]
    await adapter.set_key(key)
    assert await adapter.process(messages) == [openssl(key, message) for message in messages]


def shuffled(
    messages: list[bytes], channel_of: list[int], chance: random.Random
) -> Iterator[dict[str, int]]:
    """All messages' words; each channel's in order, the channels mixed at random."""
    turns = [
        [w for message, to in zip(messages, channel_of, strict=True) if to == channel
         for w in words(message, channel)]
        for channel in sorted(set(channel_of))
    ]  # fmt: skip
    while turns:
        turn = chance.choice(turns)
        yield turn.pop(0)
        turns = [left for left in turns if left]


@cocotb.test()
async def messages_mixed_over_channels(dut: Any) -> None:
    """Long and short messages stay apart when their words come in any order of channels."""
    adapter = await started(dut)
    await adapter.set_key(KEY)
    chance = random.Random(4)
    for attempt in range(4):
        messages = [chance.randbytes(chance.choice((0, 9, 60, 64, 190))) for _ in range(30)]
        channel_of = [chance.randrange(adapter.channels) for _ in messages]
        stream = shuffled(messages, channel_of, chance)
        sending = cocotb.start_soon(adapter.messages.send(stream))
        taken = await adapter.tags.receive(len(messages), sometimes(0.4 * (attempt % 2), 5))
        await sending
        for channel in range(adapter.channels):
            tags = [
                entry["tag"].to_bytes(32, "big") for entry in taken if entry["channel"] == channel
            ]
            of_channel = zip(messages, channel_of, strict=True)
            assert tags == expected(KEY, [message for message, to in of_channel if to == channel])


@cocotb.test()
async def bytes_beyond_the_last_do_not_matter(dut: Any) -> None:
    """Whatever lies in a word after its last byte leaves the tag as it is."""
    adapter = await started(dut)
    await adapter.set_key(KEY)
    for length in (0, 1, 31, 55, 56, 60, 63, 64):
        message = bytes(range(length))
        word = next(words(message))
        word["data"] |= (1 << (8 * (64 - length))) - 1
        sending = cocotb.start_soon(adapter.messages.send([word]))
        tag = (await adapter.tags.receive(1))[0]["tag"]
        await sending
        assert [tag.to_bytes(32, "big")] == expected(KEY, [message])


@cocotb.test()
async def an_empty_last_word_ends_a_message(dut: Any) -> None:
    """A word of no bytes may end a message of full words; `bytes` counts only in the last word."""
    adapter = await started(dut)
    await adapter.set_key(KEY)
    message = bytes(range(128))
    full = [{**word, "last": 0, "bytes": 9} for word in words(message)]
    stream = [*full, *words(b"")]
    sending = cocotb.start_soon(adapter.messages.send(stream))
    tag = (await adapter.tags.receive(1))[0]["tag"]
    await sending
    assert [tag.to_bytes(32, "big")] == expected(KEY, [message])


@cocotb.test()
async def lengths_of_any_size_are_counted(dut: Any) -> None:
    """The length field is right, carries included, for messages too long to simulate."""
    adapter = await started(dut)
    await adapter.set_key(KEY)
    for full in (1, (1 << 23) - 1, (1 << 32) - 1, (1 << 54) - 3):
        await adapter.messages.send([{**next(words(bytes(64))), "last": 0}])
        await FallingEdge(dut.clk_i)
        if REGISTERED:
            while not (dut.block_valid.value and dut.inner_ready.value):
                await FallingEdge(dut.clk_i)
        # The register is set as if this many full words had gone in after the key's block; the
        # bytes of the last word, modulo 64, are in the lowest bits.
        dut.u_channels.u_pad.progress_q[0].value = (full + 1) << 6
        await RisingEdge(dut.clk_i)
        sending = cocotb.start_soon(adapter.messages.send([next(words(bytes(64)))]))
        await sending
        sending = cocotb.start_soon(adapter.tags.receive(1))
        await FallingEdge(dut.clk_i)
        # The words are zero, the block of padding after them is not.
        while not (dut.block_valid.value and dut.inner_ready.value and int(dut.block.value)):
            await FallingEdge(dut.clk_i)
        assert int(dut.block.value) == (0x80 << 504) | (full + 2) * 512
        await sending
