# SPDX-License-Identifier: Apache-2.0
"""Kernels on targets: equal core cycles for every key and message, and no secrets left behind.

`left_behind.c` takes messages under several keys, whole and as streams, and wipes the keys. Calls
that differ in keys and messages alone must take the same core cycles, and leave the same in
registers and on the dead stack. A simulator is exact, and none of these cores has a cache, so
nothing is sampled: another count is a leak.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path

import pytest

from joulemark.catalogue import algorithms
from joulemark.errors import UnavailableError
from joulemark.firmware.build import KernelSources, every_implementation, program_with
from joulemark.firmware.firmware_counts import SimulatorLog, parse_log
from joulemark.firmware.target import Target, simulator_of
from joulemark.processes.tool import ask_tool
from joulemark.reference import reference_output

Find = Callable[[str], Target]

HERE = Path(__file__).parent
LEAKY = KernelSources("leaky", "planted", (HERE / "leaky.c",))
LENGTHS = (16, 33)
"""Lengths in bytes of messages: whole blocks, and blocks with a rest."""
TURNS = 8
EXACT_TARGETS = (
    "mcu:atmega128",
    "mcu:cortex-m0plus",
    "mcu:cortex-m4",
    "mcu:msp430f1611",
    "mcu:picorv32",
)
"""A target for each calling convention; none has a cache."""
_POLY1305 = {"poly1305/mcu8", "poly1305/mcu32"}
UNEVEN = {
    "mcu:atmega128": {"poly1305/mcu32"},
    "mcu:picorv32": _POLY1305,
    "mcu:msp430f1611": _POLY1305
    | {f"{mac}/portable" for mac in ("cbc-mac-aes128", "xcbc-aes128")}
    | {f"cmac-aes{bits}/portable" for bits in (128, 192, 256)},
}
"""Kernels whose products there call a function of the compiler or of firmware/runtime, whose time
depends on the operands; the kernels' headers say so."""
PLAN = (
    "set_key",
    *(f"tag of {size} bytes" for size in LENGTHS),
    "stream_begin",
    "stream_update within a block",
    "stream_update",
    "stream_finish",
    "wipe_key",
)
"""The calls of one turn."""


@dataclass(frozen=True, slots=True)
class Call:
    """The results of one call."""

    name: str
    """Name of the call in PLAN; calls of one name may differ in key and message alone."""
    core_cycles: int
    registers: bytes
    stack: bytes
    """Dead bytes below the caller that were written."""
    tag: bytes
    not_wiped: int
    """Bytes of the stream, or of the key's state, that are not 0 after its end."""


@dataclass(frozen=True, slots=True)
class Observed:
    """All calls of one implementation."""

    claims_constant_time: bool
    key_bytes: int
    calls: tuple[Call, ...]


def _observed(log: SimulatorLog) -> Observed:
    answer = iter(log.answer)

    def take(count: int) -> bytes:
        return bytes(next(answer) for _ in range(count))

    claim, key_bytes, tag_bytes, register_bytes = take(4)
    marks, found = zip(log.marks[::2], log.marks[1::2], strict=True), []
    for place, (begin, end) in enumerate(marks):
        name = PLAN[place % len(PLAN)]
        status = take(1)
        assert status == b"\0" or name == "wipe_key", f"{name} was refused"
        registers, stack = take(register_bytes), take(int.from_bytes(take(2), "little"))
        tag = take(tag_bytes) if name.startswith("tag") or name == "stream_finish" else b""
        not_wiped = take(1)[0] if name in {"stream_finish", "wipe_key"} else 0
        core_cycles = end.core_cycles - begin.core_cycles
        found.append(Call(name, core_cycles, registers, stack, tag, not_wiped))
    assert next(answer, None) is None
    assert len(found) == TURNS * len(PLAN)
    return Observed(claim == 1, key_bytes, tuple(found))


def _run(target: Target, kernel: KernelSources) -> Observed:
    program = program_with(target, HERE / "left_behind.c", kernel, LENGTHS)
    said = ask_tool(simulator_of(target).command(target, program, 10**10), timeout_s=600.0)
    return _observed(parse_log(said.output))


def _bytes(seed: int) -> Iterator[int]:
    """Yields the bytes of the generator in left_behind.c."""
    while True:
        seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
        yield seed >> 24


def _expected_tags(algorithm: str, key_bytes: int) -> list[bytes]:
    """Tags by readable code, in the order of calls; empty for a call that makes no tag."""
    generator, tags = _bytes(0), []
    for turn in range(TURNS):
        inputs = [bytes(islice(generator, count)) for count in (key_bytes, *LENGTHS)]
        if turn < 2:
            inputs = [bytes([0xFF * turn]) * len(block) for block in inputs]
        key, *messages = inputs
        made = [reference_output(algorithm, key, message) for message in messages]
        tags += [b"", *made, b"", b"", b"", made[-1], b""]
    return tags


def _differences(observed: Observed) -> set[str]:
    """Lists calls that differ, with the difference, and calls that did not wipe their state."""
    found = {f"{call.name}: memory" for call in observed.calls if call.not_wiped}
    for one, other in pairwise(sorted(observed.calls, key=lambda call: call.name)):
        if one.name == other.name:
            found |= {
                f"{one.name}: {what.replace('_', ' ')}"
                for what in ("core_cycles", "registers", "stack")
                if getattr(one, what) != getattr(other, what)
            }
    return found


@pytest.mark.parametrize(
    ("name", "implementation"),
    [
        ("mcu:atmega128", "hmac-sha1/mcu8"),
        ("mcu:atmega128", "siphash-2-4/mcu8"),
        ("mcu:atmega128", "poly1305/mcu8"),
        ("mcu:atmega128", "ascon-mac/mcu8"),
        ("mcu:cortex-m0plus", "chaskey-12/portable"),
        ("mcu:cortex-m4", "hmac-sha256/mcu32"),
        ("mcu:cortex-m4", "poly1305/mcu32"),
        ("mcu:msp430f1611", "halfsiphash-2-4/portable"),
        ("mcu:picorv32", "cmac-aes128/mcu32"),
        ("mcu:picorv32", "halfsiphash-2-4/portable"),
    ],
)
def test_keys_and_messages_change_nothing(runnable: Find, name: str, implementation: str) -> None:
    """Core cycles, registers and dead stack are equal, and each tag is the standard's."""
    target, kernel = runnable(name), every_implementation()[implementation]
    observed = _run(target, kernel)
    assert observed.claims_constant_time
    tags = [call.tag for call in observed.calls]
    assert tags == _expected_tags(kernel.algorithm, observed.key_bytes)
    assert _differences(observed) == set()


@pytest.mark.parametrize("name", ["mcu:atmega128", "mcu:cortex-m0plus"])
def test_what_a_leaky_mac_leaves_is_found(runnable: Find, name: str) -> None:
    """The key on the stack, a byte of it in a register and a time that depends on it are found."""
    found = _differences(_run(runnable(name), LEAKY))
    assert found >= {"set_key: stack", "tag of 16 bytes: registers", "tag of 33 bytes: core cycles"}
    assert {"stream_begin: stack", "stream_finish: memory", "wipe_key: memory"} <= found
    assert "set_key: core cycles" not in found


@pytest.mark.exhaustive
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", EXACT_TARGETS)
def test_every_mac_leaves_nothing_and_keeps_its_claim(runnable: Find, name: str) -> None:
    """Core cycles may differ without a claim of constant time, or if products are functions."""
    target, left, uneven = runnable(name), set(), set()
    for text, kernel in every_implementation().items():
        if algorithms()[kernel.algorithm].kind != "mac":
            continue
        try:
            observed = _run(target, kernel)
        except UnavailableError:
            continue
        found = _differences(observed)
        left |= {f"{text}: {what}" for what in found if not what.endswith("core cycles")}
        if observed.claims_constant_time and any(what.endswith("core cycles") for what in found):
            uneven.add(text)
    assert left == set()
    assert uneven == UNEVEN.get(name, set())
