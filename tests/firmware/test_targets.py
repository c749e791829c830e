# SPDX-License-Identifier: Apache-2.0
"""Kernels on every target: right answers, counts that repeat, sizes of the program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from joulemark.errors import UnavailableError, WrongOutputError
from joulemark.firmware import firmware_counts
from joulemark.firmware.build import every_implementation
from joulemark.firmware.firmware_counts import count, footprint
from joulemark.firmware.target import Target, targets

Find = Callable[[str], Target]

BUILT = ("mcu:picorv32", "mcu:serv", "mcu:vexriscv", "mcu:vexriscv-min", "mcu:ibex")
"""Verilator and a C++ compiler make these simulators when they are first needed."""
EVERY_TARGET = [
    pytest.param(name, marks=[pytest.mark.timeout(1800)] if name in BUILT else [])
    for name in targets()
]
SAME_HARNESS = ("mcu:serv", "mcu:vexriscv", "mcu:vexriscv-min", "mcu:ibex")
"""Cores in the same program as PicoRV32. Only that program can make two runs differ, and SERV is
slow: `make test` runs PicoRV32 twice, `make test-all` each of these cores ten times."""
SMALL = "halfsiphash-2-4/portable"
"""An implementation that fits every target."""


@pytest.mark.parametrize("name", EVERY_TARGET)
def test_counts_are_right_and_repeat(runnable: Find, name: str) -> None:
    """`count` compares the answer with the reference's; another run gives the same counts."""
    target, kernel = runnable(name), every_implementation()[SMALL]
    lengths = (0, 7, 33)
    found = count(target, kernel, lengths)
    assert sorted(found.counts) == list(lengths)
    assert not found.refused
    longest = found.counts[33]
    assert longest.core_cycles > found.counts[7].core_cycles > found.counts[0].core_cycles
    assert 0 < longest.instructions <= longest.core_cycles
    assert longest.key_core_cycles is not None
    assert 0 < longest.key_core_cycles < 20_000
    assert longest.evidence == target.evidence.value
    assert 24 <= longest.state_bytes <= 32  # four words and the mark, in whole alignments
    assert 24 < longest.stack_bytes < 1000
    if name not in SAME_HARNESS:
        assert count(target, kernel, lengths) == found


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", EVERY_TARGET)
def test_ten_runs_are_identical(runnable: Find, name: str) -> None:
    """Each of ten runs in a row starts its simulator again."""
    target, kernel = runnable(name), every_implementation()[SMALL]
    first = count(target, kernel, (33,))
    assert all(count(target, kernel, (33,)) == first for _ in range(9))


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", EVERY_TARGET)
def test_every_implementation_is_right_or_says_why_not(runnable: Find, name: str) -> None:
    """No program crashes, hangs or gives a wrong output; a message names each that has no room."""
    target, excused = runnable(name), []
    for text, kernel in every_implementation().items():
        lengths = (16, 40) if "shacal" not in text and "aes" not in text else (32, 64)
        try:
            found = count(target, kernel, lengths)
        except UnavailableError as error:
            excused.append(str(error))
            continue
        assert found.counts or found.refused, text
    assert all("does not fit" in item or "have no code" in item for item in excused)


def test_atmega128_counts_what_a_machine_of_its_kind_does(runnable: Find) -> None:
    """A block of SHA-1 takes tens of thousands of core cycles there, and HMAC at least two."""
    target, kernels = runnable("mcu:atmega128"), every_implementation()
    sha1 = count(target, kernels["sha1/portable"], (64, 128)).counts
    block = sha1[128].core_cycles - sha1[64].core_cycles
    assert 20_000 < block < 60_000
    assert count(target, kernels["hmac-sha1/portable"], (33,)).counts[33].core_cycles > 2 * block


def test_two_cores_execute_the_same_instructions(runnable: Find) -> None:
    """M3 and M4 run the same program for plain C without products; only the times differ."""
    kernel = every_implementation()["chaskey-12/portable"]
    firmware_count, other = (
        count(runnable(f"mcu:cortex-{name}"), kernel, (16,)).counts[16] for name in ("m3", "m4")
    )
    assert firmware_count.instructions == pytest.approx(other.instructions, rel=0.05)


def test_wrong_output_has_no_figure(runnable: Find, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer for other bytes is refused; the message has the given and the right bytes."""
    target, kernel = runnable("mcu:atmega128"), every_implementation()[SMALL]
    monkeypatch.setattr(firmware_counts, "_fill", lambda size_bytes, *_: bytes(size_bytes))
    with pytest.raises(WrongOutputError, match=r"at 33 bytes its output of turn 1 is .*, not "):
        count(target, kernel, (33,))


def test_a_program_that_does_not_fit_says_so(runnable: Find, tmp_path: Path) -> None:
    """One sentence has the sizes of the part. Kernels that are too large would compile slowly."""
    target, small = runnable("mcu:atmega328p"), every_implementation()[SMALL]
    large = tmp_path / "large.c"
    filled = '__asm__(".section .init8, \\"ax\\"\\n\\t.space 32768\\n\\t.previous");'
    large.write_text(f'#include "{small.files[0]}"\n{filled}\n', "utf-8")
    kernel = replace(small, files=(large, *small.files[1:]))
    with pytest.raises(UnavailableError, match=r"does not fit ATmega328P.*32768 bytes of flash"):
        count(target, kernel, (33,))


def test_a_message_that_has_no_room_is_refused(runnable: Find) -> None:
    """The other lengths keep their figures."""
    target, kernel = runnable("mcu:atmega128"), every_implementation()[SMALL]
    found = count(target, kernel, (33, 8000))
    assert list(found.counts) == [33]
    assert "no room in 4096 bytes" in found.refused[8000]


def test_footprint_needs_no_simulator(runnable: Find, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes come from linking alone and equal those of a run."""
    target, kernel = runnable("mcu:atmega128"), every_implementation()[SMALL]
    counted = count(target, kernel, (33,)).counts[33]
    monkeypatch.setattr("joulemark.firmware.simavr.missing", lambda _target: "gone")
    sizes = footprint(target, kernel)
    assert (sizes.code_bytes, sizes.constant_bytes) == (counted.code_bytes, counted.constant_bytes)
    assert sizes.static_ram_bytes == sizes.constant_bytes > 0  # an AVR has its constants in RAM
    assert 500 < sizes.code_bytes < 20_000
