# SPDX-License-Identifier: Apache-2.0
"""`joulemark tune` on a function for which some flags are known to be slow, and some wrong."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from joulemark.own_code import candidates, making
from joulemark.processes.keeper import children_of
from living import outliving

PLANTED = """void mine(const uint8_t *in, size_t n, uint8_t *out) {
    whole_hash(in, n, out);
#ifdef __OPTIMIZE_SIZE__
    for (volatile int i = 0; i < 20000; i++) {}
#endif
#ifdef __FAST_MATH__
    out[n % 32] ^= n == 77;
#endif
}"""
USUAL = " ".join(candidates.USUAL.flags)
Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def checked_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each candidate is checked in one pass of all cases."""
    monkeypatch.setattr(making, "_CPU_S", 0.0)


@pytest.fixture
def tune(run: Run, compiler: str) -> Run:
    """`tune(path, ...)`: searches flags for `mine` as SHA-256 at 64 B, with one compiler."""

    def call(*words: object) -> Any:
        size = () if "--size" in words else ("--size", "64")
        chosen = () if "--compiler" in words else ("--compiler", compiler)
        budget = () if "--budget" in words else ("--budget", "1min")
        return run("tune", *words, "--function", "mine", "--algorithm", "sha256", *budget, *size,
                   *chosen)  # fmt: skip

    return call


@pytest.mark.timing
def test_the_slow_one_leaves_and_the_wrong_one_is_named(
    run: Run, tune: Run, mine: Run, kept: Path, compiler: str
) -> None:
    """Slow flags leave, wrong flags are named, equal code is found, and the usual flags win."""
    words = (mine(PLANTED), "--flag-set", "O3-native", "--flag-set", "Os-native", "--flags",
             "-O2 -ffast-math", "--flags", f"{USUAL} -DUNUSED")  # fmt: skip
    result = tune(*words, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    usual, small, wrong, same = found["candidates"]
    assert found["usual"] == usual["candidate"] == f"{Path(compiler).name} O3-native"
    assert found["chosen"]["candidate"] == usual["candidate"]
    assert found["chosen"]["is_usual"]
    assert found["lengths"] == [
        {"size_bytes": 64, "best": usual["candidate"], "perhaps_best": [usual["candidate"]]}
    ]
    assert small["left_after_rounds"] == found["rounds"] == 32
    assert [made["tried"] for made in found["candidates"]] == [True] * 4
    [factor] = small["to_best"]
    assert factor["told"]
    assert factor["low"] > 2
    assert wrong["refused"].startswith("is wrong: a message of 77 bytes")
    assert f"{wrong['candidate']} is wrong: a message of 77 bytes" in result.stderr
    assert same["same_code_as"] == usual["candidate"]

    stored = json.loads(run("export", "--format", "json").stdout)
    facts = stored["context"]["implementations"]
    assert sorted(facts) == [usual["implementation"], small["implementation"]]
    assert facts[small["implementation"]]["flags"] == small["flags"]
    assert facts[small["implementation"]]["compiler"] == small["compiler"]
    assert facts[small["implementation"]]["library_version"].startswith("of sources ")
    # Kernels that this CPU cannot run are among the failures too.
    [failure] = [
        recorded for recorded in stored["failures"]
        if recorded["implementation"].endswith("-yours-1")
    ]  # fmt: skip
    assert failure["kind"] == "wrong output"
    assert stored["context"]["run"]["study"]["tune"]["function"] == "mine"
    assert small["implementation"].partition("/")[2] in run("results").stdout
    assert list(kept.iterdir()) == []


def test_the_screen_answers_first_and_keeps_the_winner(
    run: Run, tune: Run, mine: Run, kept: Path, compiler: str
) -> None:
    """If the first set is slow, the other is chosen with its gain, and kept."""
    path = mine(PLANTED.replace("ifdef __OPTIMIZE_SIZE__", "ifndef FAST"))
    words = (path, "--flag-set", "O3-native", "--flags", "-O2 -DFAST", "--keep", "--name")
    taken = tune(*words, "portable")
    assert taken.exit_code == 2
    assert "sha256 has an implementation portable already" in taken.stderr
    result = tune(*words, "best")
    assert result.exit_code == 0, result.output
    first, flags, *_ = result.stdout.splitlines()
    name = re.escape(Path(compiler).name)
    said = re.fullmatch(
        rf"use {name} yours-1: it is \d+\.\d\d times as fast as the usual flags, {name} "
        r"O3-native \[(\d+\.\d\d), \d+\.\d\d\]", first,
    )  # fmt: skip
    assert said, first
    assert float(said[1]) > 2
    assert flags == "  flags: -O2 -DFAST"
    assert "may make faster code" in result.stdout
    assert "every sample is kept: joulemark results 1 --all" in result.stdout
    assert "sha256/best is kept: " in result.stdout
    [noted] = json.loads(run("added", "--json").stdout)["added"]
    assert noted["name"] == "sha256/best"
    assert noted["plugin"]["made_from"]["flags"] == "-O2 -DFAST"
    assert len(list(kept.iterdir())) == 1
    again = tune(*words, "best")
    assert again.exit_code == 2
    assert "sha256/best was added already" in again.stderr


@pytest.mark.timing
@pytest.mark.parametrize("busy", [False, True])
def test_a_search_ends_with_its_budget(
    run: Run, tune: Run, mine: Run, compiler: str, busy: bool
) -> None:
    """With a loop on each CPU too, the answer comes in time and names what was not tried."""
    loops = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range(len(os.sched_getaffinity(0)) if busy else 0)
    ]
    try:
        begun_s = time.monotonic()
        more = [
            word
            for n in range(40)
            for word in ("--flags", f"-O2 -DUNUSED={n} -falign-loops={n + 1}")
        ]
        result = tune(mine(PLANTED), *more, "--budget", "8s")
        took_s = time.monotonic() - begun_s
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("use ")
    assert took_s < 8 + 5
    assert re.search(
        r"the budget of 8 s ended before \d+ of 48 candidates were tried", result.stdout
    )
    assert "not tried: " in result.stdout


def test_no_candidate_is_right(tune: Run, mine: Run, kept: Path) -> None:
    """Wrong candidates are listed with their reasons, and no run is stored."""
    path = mine("void mine(const uint8_t *in, size_t n, uint8_t *out) "
                "{ whole_hash(in, n, out); out[1] ^= n == 5; }\n"
                "#ifdef NO_CODE\n#error\n#endif")  # fmt: skip
    result = tune(path, "--flag-set", "O3-native", "--flags", "-O1 -DNO_CODE")
    assert result.exit_code == 2
    lines = result.stderr.splitlines()
    assert "O3-native is wrong: a message of 5 bytes" in lines[0]
    assert "yours-1 does not compile: mine.c is not compiled by" in lines[1].replace(
        str(path), "mine.c"
    )
    assert "no candidate is right" in lines[-1]
    assert result.stdout == ""
    assert list(kept.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--compiler", "nosuchcc"), "--compiler nosuchcc is not installed here: on Debian"),
        (("--flag-set", "O3-natve"), "there is no such set; did you mean O3-native"),
        (("--flags", "-O2 -c"), "leave out -c"),
        (("--size", "4x"), "4x"),
        (("--budget", "soon"), "--budget soon"),
        (("--replace",), "--replace says where --keep may put the fastest"),
        (("--name", "a" * 40), "cannot be the name of a variant"),
        (("--name", "a b"), "cannot be the name of a variant"),
        (("--hang-limit", "0"), "--hang-limit 0.0: give a number of seconds"),
        (("--cpu", "9999"), "9999"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(
    refused: Run, mine: Run, words: tuple[str, ...], said: str
) -> None:
    """Options that make no sense are refused in one sentence before anything is compiled."""
    path = mine(PLANTED)
    assert said in refused("tune", path, "--function", "mine", "--algorithm", "sha256", *words)


def test_a_function_that_is_not_there(refused: Run, mine: Run, compiler: str) -> None:
    """A missing function is reported once, and not for each candidate."""
    said = refused("tune", mine(PLANTED), "--function", "min", "--algorithm", "sha256",
                   "--compiler", compiler)  # fmt: skip
    assert "no function min is declared in" in said


def test_two_programs_of_one_name(refused: Run, mine: Run, compiler: str, tmp_path: Path) -> None:
    """Two compilers of one name are refused: their candidates would share a name in the store."""
    found = shutil.which(compiler)
    assert found is not None
    (twin := tmp_path / Path(compiler).name).symlink_to(found)
    said = refused("tune", mine(PLANTED), "--function", "mine", "--algorithm", "sha256",
                   "--compiler", compiler, "--compiler", twin)  # fmt: skip
    assert f"two programs are called {twin.name}" in said


def below(pid: int) -> list[int]:
    """Processes that a process started, and all that they started."""
    return [number for child in children_of(pid) for number in (child, *below(child))]


@pytest.mark.parametrize("when", ["compiling", "timing"])
def test_an_interrupt_leaves_nothing_behind(
    run: Run, mine: Run, kept: Path, compiler: str, tmp_path: Path, when: str
) -> None:
    """No process or folder is left; samples are kept, and the same command goes on."""
    store = tmp_path / "runs.db"
    words = ["tune", str(mine(PLANTED)), "--function", "mine", "--algorithm", "sha256", "--size",
             "64", "--compiler", compiler, "--flag-set", "O3-native", "--flags", "-O1", "--store",
             str(store), "--budget"]  # fmt: skip
    child = subprocess.Popen(
        [sys.executable, "-m", "joulemark.cli.entry", *words, "1min"],
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip

    def has_begun() -> bool:
        if when == "compiling":
            return bool(list(kept.glob(".new-*/0/*.c")))
        with suppress(sqlite3.Error), closing(sqlite3.connect(store)) as database:
            return bool(database.execute("SELECT 1 FROM sample LIMIT 1").fetchone())
        return False

    deadline = time.monotonic() + 100
    while not (started := below(child.pid)) or not has_begun():
        assert time.monotonic() < deadline
        assert child.poll() is None
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    output, errors = child.communicate(timeout=60)
    assert child.returncode == 130, errors
    assert output == ""
    assert errors.splitlines()[-1].startswith("joulemark: stopped; ")
    assert ("the same command goes on" in errors) is (when == "timing")
    assert list(kept.iterdir()) == []
    assert outliving(started) == []
    if when == "timing":
        again = run(*words, "1min")
        assert again.exit_code == 0, again.output
        assert "going on with run 1: " in again.stderr
