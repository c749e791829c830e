# SPDX-License-Identifier: Apache-2.0
"""cocotb module: AES-CMAC against published vectors, OpenSSL and the reference.

The environment says how many messages to send and which clocks the manifest promises
(`joulemark.hardware.bench.streams`).
"""

from __future__ import annotations

import itertools
import random
import shutil
import subprocess
from typing import Any

import cocotb
from adapter import Adapter
from cocotb.triggers import FallingEdge, RisingEdge

from joulemark.catalogue.vectors import vectors
from joulemark.hardware.bench.streams import limit_ms, simulation_request, sometimes, started

_REQUEST = simulation_request(random_messages=40)
_BLOCK_CLOCKS = _REQUEST.clocks_per_block or 600
"""Clocks between blocks. If the manifest promises none, 600: no core takes longer."""
_LIMIT_MS = limit_ms(_REQUEST.random_messages, 5000)
_OPENSSL = shutil.which("openssl")
_EDGES = (0, 1, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65)
"""Lengths in bytes on and around block boundaries."""


def _messages(count: int, seed: int, bytes_max: int) -> list[bytes]:
    chance = random.Random(seed)
    return [chance.randbytes(chance.randint(0, bytes_max)) for _ in range(count)]


async def _check(adapter: Adapter, key: bytes, messages: list[bytes], **stalls: Any) -> None:
    tags = await adapter.process(messages, **stalls)
    for message, tag in zip(messages, tags, strict=True):
        assert tag == Adapter.reference(key, message), f"key {key.hex()} message {message.hex()}"


@cocotb.test(timeout_time=_LIMIT_MS, timeout_unit="ms")
async def gives_the_published_tags(dut: Any) -> None:
    """Cases of RFC 4493 and SP 800-38B give their tags, with the key sent again for each case."""
    adapter = await started(Adapter, dut, dut.clk_i, _REQUEST.parameters)
    for case in vectors("cmac-aes128"):
        await adapter.set_key(bytes.fromhex(case.key_hex))
        tags = await adapter.process([bytes.fromhex(case.message_hex)])
        assert tags[0].hex() == case.output_hex, case.name


def _openssl(key: bytes, message: bytes) -> str:
    command = [
        str(_OPENSSL), "mac", "-cipher", "AES-128-CBC", "-macopt", f"hexkey:{key.hex()}",
        "-in", "-", "CMAC",
    ]  # fmt: skip
    done = subprocess.run(command, input=message, capture_output=True, check=True)
    return done.stdout.decode().strip().lower()


@cocotb.test(timeout_time=_LIMIT_MS, timeout_unit="ms", skip=_OPENSSL is None)
async def agrees_with_openssl(dut: Any) -> None:
    """Random keys and messages give OpenSSL's tags."""
    adapter = await started(Adapter, dut, dut.clk_i, _REQUEST.parameters)
    chance = random.Random(9)
    for message in _messages(10, 9, 70):
        key = chance.randbytes(16)
        await adapter.set_key(key)
        assert (await adapter.process([message]))[0].hex() == _openssl(key, message)


@cocotb.test(timeout_time=_LIMIT_MS, timeout_unit="ms")
async def takes_every_length_at_block_boundaries(dut: Any) -> None:
    """Messages of 0 and 1 bytes and of lengths around each boundary, with and without stalls."""
    adapter = await started(Adapter, dut, dut.clk_i, _REQUEST.parameters)
    chance = random.Random(11)
    for part in (0.0, 0.4):
        key = chance.randbytes(16)
        await adapter.set_key(key)
        messages = [chance.randbytes(length) for length in _EDGES]
        stalls = {"stall_in": sometimes(part, 1), "stall_out": sometimes(part, 2)}
        await _check(adapter, key, messages, **stalls)


@cocotb.test(timeout_time=_LIMIT_MS, timeout_unit="ms")
async def takes_a_message_in_pieces(dut: Any) -> None:
    """Pieces of whole blocks and a last piece give the message's tag; no key comes between them."""
    adapter = await started(Adapter, dut, dut.clk_i, _REQUEST.parameters)
    chance = random.Random(21)
    key = chance.randbytes(16)
    await adapter.set_key(key)

    def pieces(message: bytes) -> list[int]:
        lengths, left = [], len(message)
        while left > 16:
            lengths.append(16 * chance.randint(1, (left - 1) // 16))
            left -= lengths[-1]
        return [*lengths, left]

    messages = [chance.randbytes(length) for length in _EDGES]
    for part in (0.0, 0.4):
        stalls = {"stall_in": sometimes(part, 3), "stall_out": sometimes(part, 4)}
        await _check(adapter, key, messages, pieces=pieces, **stalls)

    # Between two pieces the core waits for the rest, and takes no key.
    await adapter.start.send([{"bytes": 16, "last": 0}])
    message = bytes(range(32))
    words = list(adapter.words(message))
    await adapter.message.send(words[: len(words) // 2])
    for _ in range(2 * _BLOCK_CLOCKS):
        await RisingEdge(dut.clk_i)
    dut.key_valid_i.value = 1
    await FallingEdge(dut.clk_i)
    assert dut.start_ready_o.value
    assert not dut.key_ready_o.value
    await RisingEdge(dut.clk_i)
    dut.key_valid_i.value = 0
    await adapter.start.send([{"bytes": 16, "last": 1}])
    sending = cocotb.start_soon(adapter.message.send(words[len(words) // 2 :]))
    placed = {
        entry["index"]: entry["data"] for entry in await adapter.tag.receive(len(adapter.order))
    }
    await sending
    tag = b"".join(placed[i].to_bytes(adapter.word_bytes, "little") for i in sorted(placed))
    assert tag == Adapter.reference(key, message)


@cocotb.test(timeout_time=_LIMIT_MS, timeout_unit="ms")
async def takes_the_documented_clocks(dut: Any) -> None:
    """Clocks between messages of one block, and from last word to tag, are the manifest's."""
    adapter = await started(Adapter, dut, dut.clk_i, _REQUEST.parameters)
    await adapter.set_key(bytes(16))
    begun: list[int] = []
    taken: list[int] = []
    offered: list[int] = []

    async def watch() -> None:
        period = 0
        while True:
            await FallingEdge(dut.clk_i)
            if dut.start_valid_i.value and dut.start_ready_o.value:
                begun.append(period)
            if dut.msg_valid_i.value and dut.msg_ready_o.value:
                taken.append(period)
            if dut.tag_valid_o.value:
                offered.append(period)
            period += 1

    watching = cocotb.start_soon(watch())
    await _check(adapter, bytes(16), [bytes(16)] * 4)
    watching.cancel()
    words = len(adapter.order)
    steps = {b - a for a, b in itertools.pairwise(begun)}
    assert len(steps) == 1
    assert _REQUEST.clocks_per_block in (None, *steps)
    # A byte is taken by the edge at the end of its period.
    assert _REQUEST.latency_clocks in (None, offered[0] - taken[words - 1] - 1)


@cocotb.test(timeout_time=_LIMIT_MS, timeout_unit="ms")
async def forgets_the_key_on_reset_and_wipe(dut: Any) -> None:
    """In mid-message, a reset or a wipe leaves a core that takes only a key, and then works."""
    adapter = await started(Adapter, dut, dut.clk_i, _REQUEST.parameters)
    chance = random.Random(5)
    for turn in range(8):
        await adapter.set_key(chance.randbytes(16))
        running = cocotb.start_soon(adapter.process([chance.randbytes(40)]))
        for _ in range(chance.randrange(1, 3 * _BLOCK_CLOCKS)):
            await RisingEdge(dut.clk_i)
        running.cancel()
        await RisingEdge(dut.clk_i)
        adapter.idle()
        if turn % 2:
            await adapter.reset()
        else:
            dut.wipe_i.value = 1
            await RisingEdge(dut.clk_i)
            dut.wipe_i.value = 0
            await RisingEdge(dut.clk_i)
            await RisingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        assert not dut.start_ready_o.value
        assert not dut.tag_valid_o.value
        await RisingEdge(dut.clk_i)
        key, message = chance.randbytes(16), chance.randbytes(20)
        await adapter.set_key(key)
        await _check(adapter, key, [message])


@cocotb.test(timeout_time=_LIMIT_MS, timeout_unit="ms")
async def agrees_on_many_random_messages(dut: Any) -> None:
    """Messages of 0 to 48 bytes, back to back, with a new key after at most 25 messages."""
    adapter = await started(Adapter, dut, dut.clk_i, _REQUEST.parameters)
    for begin in range(0, _REQUEST.random_messages, 25):
        key = random.Random(begin).randbytes(16)
        await adapter.set_key(key)
        count = min(25, _REQUEST.random_messages - begin)
        await _check(adapter, key, _messages(count, begin, 48))
