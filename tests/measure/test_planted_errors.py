# SPDX-License-Identifier: Apache-2.0
"""The check finds every planted error, and the line that it prints shows it again.

Each check runs in a process forked for it, as each `joulemark test` has its own workers: an error
may leave something behind. `pytest -s` prints the table.
"""

from __future__ import annotations

import multiprocessing
import re
import subprocess
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from joulemark import _core

SOURCES = (
    "tests/plugins/planted.c", "kernels/sha256/sha256_portable.c", "kernels/hmac/hmac.c",
    "kernels/common/batch_variant.c", "kernels/common/cpu.c",
    "kernels/common/merkle_damgard.c", "kernels/common/forget.c", "kernels/aes/aes_portable.c",
    "kernels/cmac/cmac.c",
    "kernels/siphash/siphash_portable.c",
)  # fmt: skip
CARRY_SOURCES = (
    "tests/plugins/planted_carries.c", "kernels/aes/aes_portable.c", "kernels/common/cpu.c",
    "kernels/common/forget.c",
)  # fmt: skip
THREAD_SOURCES = (
    "tests/plugins/planted_threads.c", "kernels/sha256/sha256_portable.c", "kernels/hmac/hmac.c",
    "kernels/common/batch_variant.c", "kernels/common/cpu.c",
    "kernels/common/merkle_damgard.c", "kernels/common/forget.c",
)  # fmt: skip
BUDGET_NS = 2_000_000_000
SLOWEST_S = 2.5
FEWEST_KINDS = 30
FEWEST_CARRIES = 50
FEWEST_RIGHT = 6
FEWEST_SHARED = 14
LONG = ("long_bit_counter", "long_byte_counter", "long_update_second", "long_update_first")
"""Errors that only messages of 512 MiB, or of over 4 GiB, show."""
RIGHT = "right"
"""Names of variants of the second plugin that leave nothing out begin so."""


@pytest.fixture(scope="session")
def planted(compiler: str, repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`tests/plugins/planted.c` as a plugin; each error is a variant."""
    return built(SOURCES, compiler, repository, tmp_path_factory)


@pytest.fixture(scope="session")
def carries(compiler: str, repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`tests/plugins/planted_carries.c` as a plugin; each lost carry is a variant."""
    return built(CARRY_SOURCES, compiler, repository, tmp_path_factory)


@pytest.fixture(scope="session")
def threads(compiler: str, repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`tests/plugins/planted_threads.c` as a plugin; each shared memory is a variant."""
    return built(THREAD_SOURCES, compiler, repository, tmp_path_factory)


def built(
    sources: Sequence[str], compiler: str, repository: Path, folders: pytest.TempPathFactory
) -> Path:
    """These sources as a plugin."""
    output = folders.mktemp("planted") / Path(sources[0]).with_suffix(".so").name
    command = [compiler, "-std=gnu11", "-O1", "-shared", "-fPIC", "-fvisibility=hidden",
               "-Ikernels/include", "-Ikernels", "-o", str(output), *sources]  # fmt: skip
    subprocess.run(command, cwd=repository, check=True, capture_output=True)
    return output


def trusted(algorithm: str) -> _core.Implementation:
    """Our portable kernel."""
    return next(
        implementation
        for implementation in _core.builtin_plugin().implementations()
        if (implementation.algorithm, implementation.variant) == (algorithm, "portable")
    )


def in_child(work: Callable[[], Any]) -> Any:
    """The result of `work` in a process forked for it."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)

    def child(answer: Connection) -> None:
        answer.send(work())

    process = context.Process(target=child, args=(there,))
    process.start()
    there.close()
    found = here.recv()
    process.join()
    return found


def check(
    plugin: Path, name: str, *, huge: bool = False, budget_ns: int = BUDGET_NS
) -> tuple[dict[str, Any] | None, float]:
    """The finding of a check, and its CPU time."""

    def work() -> tuple[dict[str, Any] | None, float]:
        started_s = time.process_time()
        checker = checker_of(plugin, name)
        _, finding = checker.run(1, budget_ns, huge, slack=False)
        return finding, time.process_time() - started_s

    found: tuple[dict[str, Any] | None, float] = in_child(work)
    return found


def checker_of(plugin: Path, name: str) -> _core.Checker:
    """A checker of one variant of the plugin."""
    algorithm, variant = name.split("/")
    implementation = next(
        tried
        for tried in _core.load_plugin(str(plugin)).implementations()
        if (tried.algorithm, tried.variant) == (algorithm, variant)
    )
    return _core.Checker(implementation, trusted(algorithm))


def names_in(plugin: Path) -> list[str]:
    """Every variant, asked for in a child since the plugin is not to be loaded here."""
    found: list[str] = in_child(
        lambda: [
            f"{implementation.algorithm}/{implementation.variant}"
            for implementation in _core.load_plugin(str(plugin)).implementations()
        ]
    )
    return found


def test_every_planted_error_is_found_and_shown_again(planted: Path) -> None:
    """Each error of the plugin is found in 2.5 s of CPU time, and its line alone shows it again."""
    names = [name for name in names_in(planted) if name.split("/")[1] not in LONG]
    assert len(names) >= FEWEST_KINDS
    find_all(planted, names)


def test_every_lost_carry_is_found_and_shown_again(carries: Path) -> None:
    """So is each carry, and each reduction, that Poly1305, GMAC, UMAC or VMAC has lost."""
    names = [name for name in names_in(carries) if not name.split("/")[1].startswith(RIGHT)]
    assert len(names) >= FEWEST_CARRIES
    find_all(carries, names)


def test_without_a_lost_carry_the_same_code_is_right(carries: Path) -> None:
    """The code with its carries has no fault that the check finds."""
    names = [name for name in names_in(carries) if name.split("/")[1].startswith(RIGHT)]
    found = {name: check(carries, name, budget_ns=BUDGET_NS // 10)[0] for name in names}
    assert len(names) >= FEWEST_RIGHT
    assert found == dict.fromkeys(names)


def test_memory_that_threads_share_is_found(threads: Path) -> None:
    """Each shared buffer is found in every run, with whatever seed and little time."""
    names = [name for name in names_in(threads) if not name.split("/")[1].startswith(RIGHT)]
    assert len(names) >= FEWEST_SHARED
    for name in names:
        finding, _ = check(threads, name, budget_ns=0)
        assert finding is not None, name
        assert name.endswith("last_key") or finding["call"] == "threads"


def test_locks_and_memory_of_each_thread_are_right(threads: Path) -> None:
    """One scratch behind a lock, or one for each thread, is no fault, nor are blocked signals."""
    names = [name for name in names_in(threads) if name.split("/")[1].startswith(RIGHT)]
    found = {name: check(threads, name, budget_ns=0)[0] for name in names}
    assert len(names) == 6
    assert found == dict.fromkeys(names)


def find_all(plugin: Path, names: Sequence[str]) -> None:
    """Asserts that the check finds each of these variants, and that its line shows the fault."""
    missed = []
    for name in names:
        finding, seconds = check(plugin, name)
        if finding is None:
            missed.append(name)
            continue
        assert seconds < SLOWEST_S, name
        line = finding["line"]
        print(f"{name:32} {seconds:5.2f} s  {finding['verdict']:32} {line}")
        again = in_child(lambda name=name, line=line: checker_of(plugin, name).replay(line))
        assert again is not None, f"{name}: {line} is right in a fresh process"
        assert again["verdict"] == finding["verdict"], name
    assert not missed, f"{len(missed)} of {len(names)} kinds were not found: {missed}"


def test_the_page_lists_every_error(
    planted: Path, carries: Path, threads: Path, repository: Path
) -> None:
    """docs/reference/planted-errors.md has a row for each error of the plugins, and no other."""
    page = (repository / "docs/reference/planted-errors.md").read_text("utf-8")
    rows = re.findall(r"^\| `([a-z0-9-]+/[a-z0-9_]+)` \|", page, re.MULTILINE)
    names = [
        name
        for plugin in (carries, threads)
        for name in names_in(plugin)
        if not name.split("/")[1].startswith(RIGHT)
    ]
    assert sorted(rows) == sorted(names + names_in(planted))


def test_a_spot_check_finds_what_it_meets(planted: Path) -> None:
    """Spot checks of single random messages find an error that one length of 64 shows."""

    def work() -> Any:
        checker = checker_of(planted, "sha256/length_56_mod_64")
        findings = [checker.spot(number) for number in range(1000)]
        return [finding for finding in findings if finding is not None]

    found = in_child(work)
    assert 2 <= len(found) <= 60
    assert all(entry["message_bytes"] % 64 == 56 for entry in found)


def test_bit_counters_of_32_bits_are_found_by_long_messages(planted: Path) -> None:
    """A counter of 32 bits overflows at 512 MiB, which only --long tries."""
    short, _ = check(planted, "hmac-sha256/long_bit_counter", budget_ns=BUDGET_NS // 10)
    assert short is None
    finding, _ = check(planted, "hmac-sha256/long_bit_counter", huge=True)
    assert finding is not None
    assert finding["message_bytes"] == (1 << 29) + 7


@pytest.mark.exhaustive
def test_lengths_of_32_bits_are_found_by_long_messages(planted: Path) -> None:
    """A length narrowed to 32 bits shows over 4 GiB."""
    finding, _ = check(planted, "sha256/long_byte_counter", huge=True)
    assert finding is not None
    assert finding["message_bytes"] == (1 << 32) + 77


@pytest.mark.exhaustive
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("name", "pieces"),
    [("long_update_second", "4e,ffffffff"), ("long_update_first", "ffffffff,4e")],
)
def test_long_pieces_are_fed_before_and_behind_short_ones(
    planted: Path, name: str, pieces: str
) -> None:
    """A piece of 2^32 - 1 bytes before a short piece, and behind one, overflows 32 bits."""
    finding, _ = check(planted, f"sha256/{name}", huge=True)
    assert finding is not None
    assert f"lengths={pieces} " in finding["line"]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("sha256/length_200", "one key=0+0 keys=1 msg=m0 lengths=c8 at=0 out=0"),
        ("sha256/address_3_mod_16", "one key=0+0 keys=1 msg=m0 lengths=0 at=3 out=0"),
        ("sha256/block_update", "stream key=0+0 keys=1 msg=m0 lengths=1,40 at=0 out=0"),
        ("hmac-sha256/key_33_last_byte", "one key=0+21 keys=1 msg=m0 lengths=0 at=0 out=0"),
        ("hmac-sha256/last_lane", "batch key=0+20 keys=1 msg=m0 lengths=0*8 at=0 out=0"),
        ("cmac-aes128/whole_blocks", "one key=0+10 keys=1 msg=m0 lengths=50 at=0 out=0"),
    ],
)
def test_the_smallest_input_is_reported(name: str, line: str, planted: Path) -> None:
    """The finding names the plainest and shortest input that shows the error."""
    finding, _ = check(planted, name)
    assert finding is not None
    assert finding["line"] == line


def test_right_code_is_right() -> None:
    """Our own portable kernels pass the same check, so a finding means something."""
    for algorithm in ("sha256", "hmac-sha256", "cmac-aes128", "siphash-2-4", "aes128"):
        implementation = trusted(algorithm)

        def work(tried: _core.Implementation = implementation) -> Any:
            return _core.Checker(tried, tried).run(1, 0, huge=False, slack=False)

        coverage, finding = in_child(work)
        assert finding is None
        assert coverage["alignments"] == 64
        assert coverage["lengths"] == (4201 if implementation.kind != "cipher" else 263)
