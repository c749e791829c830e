# SPDX-License-Identifier: Apache-2.0
"""cocotb module: any of the AES-128 block cores against published vectors and two implementations.

The environment says how many messages to send and which clocks the manifest promises
(`joulemark.hardware.bench.streams`).
"""

from __future__ import annotations

import itertools
import random
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any

import cocotb
from adapter import BLOCK_BYTES, Adapter, cbc
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

from joulemark.catalogue.vectors import vectors
from joulemark.hardware.bench.streams import limit_ms, simulation_request, sometimes, started

_REQUEST = simulation_request(random_messages=40)
_BLOCK_CLOCKS = _REQUEST.clocks_per_block or 600
"""Clocks between blocks. If the manifest promises none, 600: no core takes longer."""
_LIMIT_MS = limit_ms(_REQUEST.random_messages, 5000)
_OPENSSL = shutil.which("openssl")

_SECRETS = (
    *("u_data.bytes_q", "u_keys.bytes_q", "r0_q", "r1_q", "r2_q", "r3_q", "r4_q"),
    *("u_state.bytes_q", "u_key.bytes_q", "byte_q", "round_key_q", "schedule_q", "column_q"),
    *("state_q", "key_q", "substituted_q"),
)
"""Registers of the cores that hold a block or a key."""


def _left_behind(dut: Any) -> dict[str, int]:
    """Secrets of this core that are not 0."""
    found = {}
    for path in _SECRETS:
        place = dut
        for name in path.split("."):
            place = getattr(place, name, None)
        if place is not None:
            found[path] = int(place.value)
    assert len(found) >= 3, "the registers have other names now"
    return {path: value for path, value in found.items() if value}


def _random_jobs(count: int, blocks_max: int, seed: int) -> list[tuple[bytes, bytes]]:
    chance = random.Random(seed)
    return [
        (chance.randbytes(16), chance.randbytes(BLOCK_BYTES * chance.randint(1, blocks_max)))
        for _ in range(count)
    ]


async def _check(adapter: Adapter, jobs: Sequence[tuple[bytes, bytes]], **stalls: Any) -> None:
    for job, blocks in zip(jobs, await adapter.encrypt(jobs, **stalls), strict=True):
        assert blocks == cbc(*job), f"key {job[0].hex()} message {job[1].hex()}"


@cocotb.test(timeout_time=_LIMIT_MS, timeout_unit="ms")
async def gives_the_published_results(dut: Any) -> None:
    """Cases of FIPS 197 and SP 800-38A F.1.1 give their blocks; the core is idle between them."""
    adapter = await started(Adapter, dut, dut.clk_i, _REQUEST.parameters)
    for case in vectors("aes128"):
        given = bytes.fromhex(case.key_hex), bytes.fromhex(case.message_hex)
        assert (await adapter.encrypt([given]))[0][-1].hex() == case.output_hex, case.name


def _openssl(key: bytes, message: bytes) -> bytes:
    command = [
        str(_OPENSSL), "enc", "-aes-128-cbc", "-nopad", "-K", key.hex(), "-iv", "0" * 32,
    ]  # fmt: skip
    return subprocess.run(command, input=message, capture_output=True, check=True).stdout


@cocotb.test(timeout_time=_LIMIT_MS, timeout_unit="ms", skip=_OPENSSL is None)
async def chains_as_openssl_does(dut: Any) -> None:
    """Random keys and messages of one to six blocks, back to back, as OpenSSL encrypts them."""
    adapter = await started(Adapter, dut, dut.clk_i, _REQUEST.parameters)
    jobs = _random_jobs(12, 6, 3)
    for job, blocks in zip(jobs, await adapter.encrypt(jobs), strict=True):
        assert b"".join(blocks) == _openssl(*job)


@cocotb.test(timeout_time=_LIMIT_MS, timeout_unit="ms")
async def stands_stalls_on_both_sides(dut: Any) -> None:
    """Random blocks are right with random stalls at the input, at the output, and at both."""
    adapter = await started(Adapter, dut, dut.clk_i, _REQUEST.parameters)
    for seed, (part_in, part_out) in enumerate(((0.5, 0.0), (0.0, 0.5), (0.3, 0.8), (0.9, 0.2))):
        await _check(
            adapter,
            _random_jobs(6, 3, seed),
            stall_in=sometimes(part_in, seed),
            stall_out=sometimes(part_out, seed + 1),
        )


@cocotb.test(timeout_time=_LIMIT_MS, timeout_unit="ms")
async def takes_the_documented_clocks(dut: Any) -> None:
    """Clocks between blocks and latency are those of the manifest."""
    adapter = await started(Adapter, dut, dut.clk_i, _REQUEST.parameters)
    taken: list[int] = []
    offered: list[int] = []

    async def watch() -> None:
        period = 0
        while True:
            await FallingEdge(dut.clk_i)
            if dut.in_valid_i.value and dut.in_ready_o.value:
                taken.append(period)
            if dut.out_valid_o.value:
                offered.append(period)
            period += 1

    watching = cocotb.start_soon(watch())
    key, words = bytes(range(16)), len(adapter.order())
    for blocks in (1, 5):
        taken.clear()
        offered.clear()
        await _check(adapter, [(key, bytes(BLOCK_BYTES)) for _ in range(blocks)])
        assert len(taken) == len(offered) == words * blocks
        if blocks == 1:
            # A byte is taken by the edge at the end of its period.
            assert _REQUEST.latency_clocks in (None, offered[0] - taken[-1] - 1)
        else:
            starts = taken[::words]
            steps = {after - before for before, after in itertools.pairwise(starts)}
            assert len(steps) == 1
            assert _REQUEST.clocks_per_block in (None, *steps)
    watching.cancel()


@cocotb.test(timeout_time=_LIMIT_MS, timeout_unit="ms")
async def starts_anew_after_a_reset_or_a_wipe(dut: Any) -> None:
    """A reset or a wipe at any moment leaves nothing behind and the next block is right."""
    adapter = await started(Adapter, dut, dut.clk_i, _REQUEST.parameters)
    chance = random.Random(7)
    for turn in range(16):
        job = _random_jobs(1, 2, turn)[0]
        running = cocotb.start_soon(adapter.encrypt([job]))
        for _ in range(chance.randrange(1, 2 * _BLOCK_CLOCKS)):
            await RisingEdge(dut.clk_i)
        running.cancel()
        adapter.source.idle()
        adapter.sink.idle()
        if turn % 2:
            await adapter.reset()
        else:
            dut.wipe_i.value = 1
            await RisingEdge(dut.clk_i)
            dut.wipe_i.value = 0
            await FallingEdge(dut.clk_i)
            assert not _left_behind(dut)
            await RisingEdge(dut.clk_i)
            await RisingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        assert not dut.out_valid_o.value
        await RisingEdge(dut.clk_i)
        # The block is not marked as first, so a rest of the state would show in the result.
        await _check_unmarked(adapter, _random_jobs(1, 1, 1000 + turn)[0])


@cocotb.test(timeout_time=_LIMIT_MS, timeout_unit="ms")
async def scan_enable_opens_the_clock_gates(dut: Any) -> None:
    """An idle core's gated clocks stand still, and run with `scan_enable_i`."""
    if not hasattr(dut, "scan_enable_i"):
        return  # no clock gate in this core
    adapter = await started(Adapter, dut, dut.clk_i, _REQUEST.parameters)
    gated = [
        getattr(dut, name)
        for name in ("clk_step", "clk_round_key", "clk_control", "clk_state", "clk_key")
        if hasattr(dut, name)
    ]
    assert len(gated) > 1
    for enabled in (0, 1):
        dut.scan_enable_i.value = enabled
        for _ in range(3):
            await RisingEdge(dut.clk_i)
        await ReadOnly()
        assert [int(entry.value) for entry in gated] == [enabled] * len(gated)
        await FallingEdge(dut.clk_i)
    await adapter.reset()
    job = _random_jobs(1, 1, 77)[0]
    assert (await adapter.encrypt([job]))[0] == cbc(*job)


async def _check_unmarked(adapter: Adapter, job: tuple[bytes, bytes]) -> None:
    words = [{**word, "first": 0} for word in adapter.words(*job)]
    sending = cocotb.start_soon(adapter.source.send(words))
    results = await adapter.sink.receive(len(words))
    await sending
    assert adapter.block(results) == cbc(*job)[0]


@cocotb.test(timeout_time=_LIMIT_MS, timeout_unit="ms")
async def agrees_on_many_random_messages(dut: Any) -> None:
    """Random keys and messages of one or two blocks, back to back, against the reference."""
    adapter = await started(Adapter, dut, dut.clk_i, _REQUEST.parameters)
    jobs = _random_jobs(_REQUEST.random_messages, 2, 42)
    dut.out_ready_i.value = 1
    sending = cocotb.start_soon(_send_swiftly(adapter, jobs))
    for job in jobs:
        for expected in cbc(*job):
            words = [await _next_result(adapter) for _ in adapter.order()]
            assert adapter.block(words) == expected, f"key {job[0].hex()} message {job[1].hex()}"
    await sending


async def _send_swiftly(adapter: Adapter, jobs: Sequence[tuple[bytes, bytes]]) -> None:
    """Sends like a source without stalls, but sleeps while the core works."""
    source = adapter.source
    source.valid.value = 1
    for job in jobs:
        for word in adapter.words(*job):
            for name, value in word.items():
                source.data[name].value = value
            await FallingEdge(adapter.clock)
            if not source.ready.value:
                await RisingEdge(source.ready)
            await RisingEdge(adapter.clock)
    source.valid.value = 0


async def _next_result(adapter: Adapter) -> dict[str, int]:
    sink = adapter.sink
    await FallingEdge(adapter.clock)
    if not sink.valid.value:
        await RisingEdge(sink.valid)
        await FallingEdge(adapter.clock)
    return {name: int(port.value) for name, port in sink.data.items()}
