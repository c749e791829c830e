# SPDX-License-Identifier: Apache-2.0
"""cocotb tests of any pipeline of hashes that `joulemark.hardware.bench.channels` drives.

They run for any values of its parameters. The core's own `tb/` has `adapter.py`.
"""

from __future__ import annotations

import json
import os
import random
from typing import Any

import cocotb
from adapter import Adapter
from cocotb.triggers import FallingEdge, RisingEdge
from cocotb.utils import get_sim_time

from joulemark.catalogue.vectors import vectors
from joulemark.hardware.bench import streams
from joulemark.hardware.bench.streams import clocks_until, sometimes

PARAMETERS = json.loads(os.environ["JOULEMARK_PARAMETERS"])
INTERLEAVE = PARAMETERS.get("INTERLEAVE", 1)
CHANNELS = PARAMETERS["STAGES"] * INTERLEAVE
ROUNDS = {"sha1": 80, "sha256": 64, "sha512": 80}[Adapter.algorithm]
BLOCK_CLOCKS = ROUNDS // (PARAMETERS["STAGES"] * PARAMETERS["ROUNDS"])
ENGINE_CLOCKS = 135 if INTERLEAVE == 2 else ROUNDS // PARAMETERS["ROUNDS"]
LATENCY_CLOCKS = ENGINE_CLOCKS + 1 + INTERLEAVE
"""Clocks after the edge that takes the piece; where blocks take turns, one more clock chooses the
state of a block."""
RANDOM_MESSAGES = int(os.environ.get("JOULEMARK_RANDOM_MESSAGES", "300"))
LIMIT_MS = 100
"""Limit in simulated time; ten million clocks, far beyond any test."""


def reference(message: bytes) -> bytes:
    """The digest by another implementation."""
    return Adapter.reference(b"", message)


async def started(dut: Any) -> Adapter:
    """A running clock and a core out of reset."""
    return await streams.started(Adapter, dut, dut.clk_i, PARAMETERS)


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def published_vectors(dut: Any) -> None:
    """Examples of FIPS 180-4 give their digests; of the million times "a" only the first 64 000."""
    adapter = await started(dut)
    for case in vectors(Adapter.algorithm):
        message = bytes.fromhex(case.message_hex) * case.message_repeat
        if len(message) > 1000:
            message = message[:64000]
            expected = reference(message)
        else:
            expected = bytes.fromhex(case.output_hex)
        assert await adapter.process([message]) == [expected], case.name


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def all_short_lengths(dut: Any) -> None:
    """Messages of every length up to three blocks on all channels give hashlib's digests."""
    adapter = await started(dut)
    counted = bytes(range(256)) * 2
    messages = [counted[:length] for length in range(3 * adapter.block_bytes + 1)]
    digests = await adapter.process(messages)
    assert digests == [reference(message) for message in messages]


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def structured_blocks(dut: Any) -> None:
    """Blocks of zeros, of ones, of stripes and with a single bit give hashlib's digests."""
    adapter = await started(dut)
    size = adapter.block_bytes
    blocks = [bytes([byte]) * size for byte in (0x00, 0xFF, 0x55, 0xAA, 0x80, 0x01)]
    blocks += [(1 << bit).to_bytes(size, "big") for bit in range(0, 8 * size, size // 2 - 1)]
    messages = [block[: size - cut] for block in blocks for cut in (0, size // 8 + 1)]
    digests = await adapter.process(messages)
    assert digests == [reference(message) for message in messages]


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def random_messages_with_stalls(dut: Any) -> None:
    """Random messages give hashlib's digests, with random stalls on both sides."""
    adapter = await started(dut)
    chance = random.Random(7)
    left = RANDOM_MESSAGES
    while left > 0:
        count = min(left, chance.randrange(1, 60))
        left -= count
        size = adapter.block_bytes
        longest = chance.choice((size - size // 8 - 1, size, size, 2 * size + 2, 6 * size + 16))
        messages = [chance.randbytes(chance.randrange(longest + 1)) for _ in range(count)]
        parts = [chance.choice((0.0, 0.3, 0.95)) for _ in range(2)]
        digests = await adapter.process(
            messages, sometimes(parts[0], left), sometimes(parts[1], left + 1)
        )
        assert digests == [reference(message) for message in messages], left


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def bytes_count_in_the_last_piece_alone(dut: Any) -> None:
    """Whatever `msg_bytes_i` says of the other pieces, they are full."""
    adapter = await started(dut)
    message = bytes(range(150)) * 2
    for said in (0, 9, adapter.block_bytes - adapter.block_bytes // 8):
        stream = [
            {**piece, "channel": 0, "bytes": piece["bytes"] if piece["last"] else said}
            for piece in adapter.pieces(message)
        ]
        sending = cocotb.start_soon(adapter.messages.send(stream))
        digest = (await adapter.digests.receive(1))[0]["digest"]
        await sending
        assert digest.to_bytes(adapter.digest_bytes, "big") == reference(message), said


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def clocks_are_as_documented(dut: Any) -> None:
    """Latency of one block alone, and clocks between blocks back to back, are those documented."""
    adapter = await started(dut)
    dut.digest_ready_i.value = 1
    await adapter.messages.send([{**next(adapter.pieces(b"abc")), "channel": 0}])
    assert await clocks_until(dut.clk_i, dut.digest_valid_o) == LATENCY_CLOCKS
    await RisingEdge(dut.clk_i)

    count = 4 * CHANNELS
    words = [{**next(adapter.pieces(b"abc")), "channel": n % CHANNELS} for n in range(count)]
    sending = cocotb.start_soon(adapter.messages.send(words))
    dut.digest_ready_i.value = 1
    between = [await clocks_until(dut.clk_i, dut.digest_valid_o) + 1 for _ in range(count)]
    await sending
    # Blocks that take turns come in pairs.
    pairs = [sum(between[n : n + INTERLEAVE]) for n in range(INTERLEAVE, count, INTERLEAVE)]
    assert set(pairs) == {INTERLEAVE * BLOCK_CLOCKS}, between

    await RisingEdge(dut.clk_i)
    taken = []
    for blocks in (2, 3):
        begin = get_sim_time("ns")
        await adapter.process([bytes(adapter.block_bytes * blocks - 17)])
        taken.append((get_sim_time("ns") - begin) / 10)
    assert taken[1] - taken[0] == ENGINE_CLOCKS + 3 * INTERLEAVE - 1

    # Blocks of padding alone do not keep other channels waiting.
    begin = get_sim_time("ns")
    await adapter.process([bytes(adapter.block_bytes - 4)] * CHANNELS)
    clocks = (get_sim_time("ns") - begin) / 10
    assert clocks <= 2 * ENGINE_CLOCKS + (CHANNELS + 1) * BLOCK_CLOCKS + 16


@cocotb.test(timeout_time=LIMIT_MS, timeout_unit="ms")
async def reset_and_wipe_forget_messages(dut: Any) -> None:
    """A reset or a wipe in mid-message leaves nothing that would change the next digests."""
    adapter = await started(dut)
    chance = random.Random(9)
    for way in ("reset", "wipe") * 4:
        for channel in range(CHANNELS):
            data = chance.getrandbits(8 * adapter.block_bytes)
            word = {"data": data, "bytes": adapter.block_bytes, "last": 0, "channel": channel}
            await adapter.messages.send([word])
        for _ in range(chance.randrange(80)):
            await RisingEdge(dut.clk_i)
        if way == "reset":
            await adapter.reset()
        else:
            dut.wipe_i.value = 1
            await RisingEdge(dut.clk_i)
            dut.wipe_i.value = 0
            await FallingEdge(dut.clk_i)
            assert not dut.digest_valid_o.value
            assert not dut.msg_ready_o.value
            await RisingEdge(dut.clk_i)
        messages = [chance.randbytes(adapter.block_bytes + 6 + n) for n in range(2 * CHANNELS)]
        digests = await adapter.process(messages)
        assert digests == [reference(message) for message in messages], way
