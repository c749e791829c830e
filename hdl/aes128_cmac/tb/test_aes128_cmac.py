# SPDX-License-Identifier: Apache-2.0
"""cocotb module: AES-CMAC against published vectors, OpenSSL and the reference.

The environment gives parameters and the clocks that the manifest promises; `AES128_PLAN` may name a
JSON file with OpenSSL's tags and how much to run.
"""

from __future__ import annotations

import itertools
import json
import os
import random
from pathlib import Path
from typing import Any

import cocotb
from adapter import Adapter
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from joulemark.catalogue.vectors import vectors
from joulemark.hardware.bench.streams import sometimes


def _plan() -> dict[str, Any]:
    """What the environment asks for; of what it leaves out, a short run."""
    named = os.environ.get("AES128_PLAN")
    given = json.loads(Path(named).read_text("utf-8")) if named else {}
    clocks, latency = (
        os.environ.get(f"JOULEMARK_{name}") for name in ("CLOCKS_PER_BLOCK", "LATENCY_CLOCKS")
    )
    usual = {
        "vectors": [one.model_dump() for one in vectors("cmac-aes128")],
        "openssl": [], "interrupted": 8, "random": 40,
        "clocks_per_block": int(clocks) if clocks else None,
        "latency_clocks": int(latency) if latency else None,
        "parameters": json.loads(os.environ["JOULEMARK_PARAMETERS"]),
    }  # fmt: skip
    return {**usual, **given}


_PLAN = _plan()
_EDGES = (0, 1, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65)
"""Lengths in bytes on and around block boundaries."""


_TIMEOUT_MS = 1000
"""Of simulated time; a clock is 10 ns. A core that hangs fails by it."""


async def _started(dut: Any) -> Adapter:
    dut.clk_i.value = 0
    Clock(dut.clk_i, 10, "ns").start(start_high=False)
    adapter = Adapter(dut, dut.clk_i, _PLAN["parameters"])
    await adapter.reset()
    return adapter


def _lengths(count: int, seed: int, bytes_max: int) -> list[bytes]:
    chance = random.Random(seed)
    return [chance.randbytes(chance.randint(0, bytes_max)) for _ in range(count)]


async def _check(adapter: Adapter, key: bytes, messages: list[bytes], **stalls: Any) -> None:
    tags = await adapter.process(messages, **stalls)
    for message, tag in zip(messages, tags, strict=True):
        assert tag == Adapter.reference(key, message), f"key {key.hex()} message {message.hex()}"


@cocotb.test(timeout_time=_TIMEOUT_MS, timeout_unit="ms")
async def gives_the_published_tags(dut: Any) -> None:
    """RFC 4493 and SP 800-38B, the key sent anew for each."""
    adapter = await _started(dut)
    for case in _PLAN["vectors"]:
        await adapter.set_key(bytes.fromhex(case["key_hex"]))
        tags = await adapter.process([bytes.fromhex(case["message_hex"])])
        assert tags[0].hex() == case["output_hex"], case["name"]


@cocotb.test(timeout_time=_TIMEOUT_MS, timeout_unit="ms")
async def agrees_with_openssl(dut: Any) -> None:
    """Keys and messages whose tags OpenSSL worked out."""
    adapter = await _started(dut)
    for one in _PLAN["openssl"]:
        await adapter.set_key(bytes.fromhex(one["key"]))
        assert (await adapter.process([bytes.fromhex(one["message"])]))[0].hex() == one["output"]


@cocotb.test(timeout_time=_TIMEOUT_MS, timeout_unit="ms")
async def takes_every_length_at_block_boundaries(dut: Any) -> None:
    """Empty, one byte, and around each boundary, back to back, with and without stalls."""
    adapter = await _started(dut)
    chance = random.Random(11)
    for part in (0.0, 0.4):
        key = chance.randbytes(16)
        await adapter.set_key(key)
        messages = [chance.randbytes(length) for length in _EDGES]
        stalls = {"stall_in": sometimes(part, 1), "stall_out": sometimes(part, 2)}
        await _check(adapter, key, messages, **stalls)


@cocotb.test(timeout_time=_TIMEOUT_MS, timeout_unit="ms")
async def takes_the_documented_clocks(dut: Any) -> None:
    """Clocks between messages of one block, and from their last word to the tag."""
    adapter = await _started(dut)
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
    assert _PLAN["clocks_per_block"] in (None, *steps)
    # A byte is taken by the edge at the end of its period.
    assert _PLAN["latency_clocks"] in (None, offered[0] - taken[words - 1] - 1)


@cocotb.test(timeout_time=_TIMEOUT_MS, timeout_unit="ms")
async def forgets_the_key_on_reset_and_wipe(dut: Any) -> None:
    """In mid-message, a reset or a wipe leaves a core that takes only a key, and then works."""
    adapter = await _started(dut)
    chance = random.Random(5)
    for turn in range(_PLAN["interrupted"]):
        await adapter.set_key(chance.randbytes(16))
        running = cocotb.start_soon(adapter.process([chance.randbytes(40)]))
        for _ in range(chance.randrange(1, 3 * _PLAN["clocks_per_block"])):
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


@cocotb.test(timeout_time=_TIMEOUT_MS, timeout_unit="ms")
async def agrees_on_many_random_messages(dut: Any) -> None:
    """Random lengths of 0 to 48 bytes, back to back, with several keys."""
    adapter = await _started(dut)
    for seed in range(4):
        key = random.Random(seed).randbytes(16)
        await adapter.set_key(key)
        await _check(adapter, key, _lengths(_PLAN["random"] // 4, seed, 48))
