# SPDX-License-Identifier: Apache-2.0
"""`joulemark check --target instructions`: counted by valgrind, or by a stand-in for it."""

from __future__ import annotations

import json
import platform
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from joulemark.analyse.gate_report import CountedTrial, instruction_report
from joulemark.cli import check
from joulemark.measure import paired_run
from joulemark.measure.paired_run import CountRefusedError, InstructionCounter, find_counter
from joulemark.records.trial import Trial, Workload

NAME = "siphash-2-4/faulty"
Plugin = Callable[..., Path]


@pytest.fixture
def by_valgrind(monkeypatch: pytest.MonkeyPatch) -> str:
    """Makes valgrind count, even where the CPU's counter may be read."""
    path = shutil.which("valgrind")
    if path is None:
        pytest.skip("no valgrind; on Debian or Ubuntu: apt-get install valgrind")
    monkeypatch.setattr(
        check, "find_counter", lambda: InstructionCounter("valgrind", "simulated", path)
    )
    return path


def test_counts_are_compared_to_the_last_digit(
    run, faulty_plugin: Plugin, by_valgrind, tmp_path: Path
) -> None:
    """Added code costs the same number of instructions at every size; equal code costs none."""
    assert by_valgrind
    old, new = faulty_plugin("NONE"), faulty_plugin("NONE", 5)
    pair = ("check", "--target", "instructions", "--json", "--old", old)
    result = run(*pair, "--new", new, "--size", "64,256")
    assert result.exit_code == 1, result.output
    found = json.loads(result.stdout)
    assert found["evidence"] == "simulated"
    more = {count["new"] - count["old"] for count in found["counts"]}
    assert len(more) == 1
    assert more.pop() >= 5
    assert all(count["new"] == int(count["new"]) for count in found["counts"])
    alike = tmp_path / old.name
    alike.write_bytes(old.read_bytes() + b"\0")  # another file of the same code
    same = run(*pair, "--new", alike, "--size", "64")
    assert same.exit_code == 0, same.output
    assert {count["verdict"] for count in json.loads(same.stdout)["counts"]} == {"equal"}


@pytest.mark.parametrize(
    ("old", "new", "threshold", "code", "verdict"),
    [
        (567, 567, 0.0, 0, "equal"),
        (567, 568, 0.0, 1, "more instructions"),
        (567, 568, 0.05, 0, "0.18 % more instructions, allowed"),
        (567, 566, 0.0, 0, "fewer instructions"),
    ],
)
def test_one_instruction_counts(
    old: int, new: int, threshold: float, code: int, verdict: str
) -> None:
    """A single instruction is seen in simulated counts, which have no noise; a counter has some."""
    trial = Trial(f"{NAME}@new", Workload(64))
    counted = [CountedTrial(trial, Fraction(old), Fraction(new))]
    exact = instruction_report(
        counted, counter="valgrind", evidence="simulated", threshold=threshold, title="t"
    )
    assert (int(exact.code), exact.lines[0].verdict) == (code, verdict)
    close = [CountedTrial(trial, Fraction(100_000), Fraction(100_001))]
    jittery = instruction_report(close, counter="CPU", evidence="measured", threshold=0, title="t")
    assert (int(jittery.code), jittery.lines[0].verdict) == (0, "equal")


def test_what_is_wrong_is_not_counted(run, faulty_plugin: Plugin, by_valgrind) -> None:
    """Code with a wrong output is a regression, even if it takes fewer instructions."""
    assert by_valgrind
    pair = ("--old", faulty_plugin("NONE"), "--new", faulty_plugin("WRONG_ALWAYS"))
    result = run("check", "--target", "instructions", "--size", "64", *pair)
    assert result.exit_code == 1, result.output
    assert f"{NAME}@new" in result.stdout


def test_what_the_tool_cannot_run_says_why(faulty_plugin: Plugin, by_valgrind) -> None:
    """A missing file, an unknown name, a Python module and a refused length have reasons."""
    counter = InstructionCounter("valgrind", "simulated", by_valgrind)
    for file, name, says in (
        (Path("no.so"), NAME, "no.so"),
        (faulty_plugin("NONE"), "sha256/faulty", "no such implementation"),
        (Path(paired_run.joulemark._core.__file__), NAME, "only Python loads"),
        (faulty_plugin("TAKES_SHORT_MESSAGES"), NAME, "message of this length"),
    ):
        with pytest.raises(CountRefusedError, match=says):
            counter.per_message(file, name, 4096)


def test_what_valgrind_does_not_know_is_named(c_library: Path, by_valgrind: str) -> None:
    """Portable code of the C library is counted; code in AVX-512 is refused with the feature."""
    counter = InstructionCounter("valgrind", "simulated", by_valgrind)
    library = next(c_library.rglob("libjoulemark.so"))
    assert counter.per_message(library, "siphash-2-4/portable", 64) > 100
    if platform.machine() == "x86_64":
        with pytest.raises(CountRefusedError, match="needs AVX-512"):
            counter.per_message(library, "siphash-2-4/avx512_x8", 64)


def stand_in(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str) -> None:
    """Puts a shell script in the place of the counting program."""
    program = folder / "count_instructions"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(paired_run, "_program", lambda: program)


def test_the_cpus_counter_goes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A readable CPU counter goes first; 37 instructions a message and 1000 besides give 37."""
    stand_in(monkeypatch, tmp_path, 'test "$1" = --probe || echo $((1000 + 37 * $5))')
    counter = find_counter()
    assert counter.evidence == "measured"
    assert counter.per_message(Path("x.so"), "sha256/mine", 64) == Fraction(37)


def test_without_any_counter_the_remedy_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, refused, faulty_plugin: Plugin
) -> None:
    """Without a CPU counter and valgrind one sentence says how to install valgrind."""
    stand_in(monkeypatch, tmp_path, "exit 2")
    monkeypatch.setattr(paired_run.shutil, "which", lambda _: None)
    old, new = faulty_plugin("NONE"), faulty_plugin("NONE", 5)
    said = refused("check", "--target", "instructions", "--old", old, "--new", new)
    assert "apt-get install valgrind" in said


def test_a_count_that_varies_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A simulated count that differs from one call to the next is refused."""
    fake = tmp_path / "valgrind"
    fake.write_text('#!/bin/sh\necho "==1== Collected : $(date +%N | sed s/^0*//)" >&2\n')
    fake.chmod(0o755)
    stand_in(monkeypatch, tmp_path, "exit 0")
    with pytest.raises(CountRefusedError, match="not the same twice"):
        InstructionCounter("valgrind", "simulated", str(fake)).per_message(Path("x.so"), NAME, 64)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(("--baseline", "1"), "--target instructions is for --old and --new"),
     (("--old", "a.so", "--new", "a.so", "--budget", "5"), "--budget"),
     (("--old", "a.so", "--new", "a.so", "--target", "mcu"), "mcu")],
)  # fmt: skip
def test_questions_that_make_no_sense(refused, arguments: tuple[str, ...], says: str) -> None:
    """Options that make no sense are refused in one sentence that names the option."""
    assert says in refused("check", "--target", "instructions", *arguments)
