# SPDX-License-Identifier: Apache-2.0
"""`joulemark add` of code that is not kept: the reason is named, and nothing remains."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from joulemark.processes.keeper import children_of

HASH = "void mine(const uint8_t *in, size_t n, uint8_t *out) { whole_hash(in, n, out); }"
Run = Callable[..., Any]


@pytest.fixture
def rejected(add: Run, kept: Path, tmp_path: Path) -> Callable[..., str]:
    """Adds code that must not be kept, checks that nothing remains, and returns the message."""

    def call(*words: object, **more: Any) -> str:
        before, children = sorted(tmp_path.rglob("*")), set(children_of(os.getpid()))
        result = add(*words, **more)
        assert result.exit_code == 2, result.output
        assert result.stdout == ""
        assert [*kept.glob("*"), *kept.glob(".*")] == []
        assert sorted(tmp_path.rglob("*")) == sorted({*before, kept} if kept.exists() else before)
        assert set(children_of(os.getpid())) <= children
        return str(result.stderr)

    return call


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("WRONG_AT_200", ("sha256/mine is wrong, and it is not kept: a message of 200 bytes at an "
         "address 0 modulo 64 gives ")),
        ("CRASHES_AT_64", ("sha256/mine crashes, and it is not kept: its process died (signal "
         "SIGSEGV), at a message of 64 bytes")),
        ("HANGS", ("sha256/mine hangs, and it is not kept: no answer within 3 s; its process was "
         "ended, at a message of 0 bytes")),
        ("WRITES_BEHIND_OUTPUT", ("sha256/mine is wrong, and it is not kept: it wrote past the end "
         "of its output: a message of 0 bytes")),
        ("FOREIGN_INSTRUCTION", ("sha256/mine needs another CPU, and it is not kept: its process "
         "died (signal SIGILL), at a message of 0 bytes: an instruction that this CPU does not")),
        ("FORKS_AND_EXITS", ("sha256/mine crashes, and it is not kept: its process died (exit code "
         "3)")),
    ],
)  # fmt: skip
def test_faults_are_named(rejected: Run, mine: Run, fault: str, said: str) -> None:
    """A fault is named with the input, and nothing of the code remains."""
    limit = ("--hang-limit", "3") if fault == "HANGS" else ()
    sentence = rejected(mine(HASH), "--flags", f"-O1 -DFAULT={fault}", *limit)
    assert sentence.startswith(f"joulemark: {said}")
    assert "replay" not in sentence
    assert len(sentence.splitlines()) == 1


def test_the_first_errors_of_the_compiler_are_shown(rejected: Run, mine: Run) -> None:
    """The first errors of the compiler are shown without signs that a terminal would obey."""
    said = rejected(mine(HASH + '\n#error "\x1b]0;title\x07"\nint x = nothing_there;'))
    lines = said.splitlines()
    assert lines[-1].endswith("mine.c is not compiled by gcc")
    assert len(lines) == 3
    assert "mine.c:3:2: error: #error" in lines[0]
    assert "\x1b" not in said
    assert "'nothing_there' undeclared" in lines[1]


def test_what_is_called_and_is_nowhere(rejected: Run, mine: Run) -> None:
    """For a missing function the message has the linker's line and the remedy."""
    said = rejected(mine("int helper(void);\n" + HASH.replace("{", "{ helper();")))
    assert "undefined reference to `helper'" in said
    assert "name the files and libraries that are missing" in said


def test_a_compiler_without_end_is_ended(
    rejected: Run, mine: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A compiler that waits for a pipe without a writer is ended after its limit."""
    from joulemark.cli import add as command
    from joulemark.processes.tool import Limits

    monkeypatch.setattr(command, "Limits", lambda: Limits(seconds=2.0))
    fifo = mine(HASH).with_name("endless.h")
    os.mkfifo(fifo)
    said = rejected(mine(f'#include "{fifo}"\n{HASH}'))
    assert "was ended after 2 s" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("absent.c",), "absent.c: there is no such file"),
        ((".",), ". is a folder; name the files in it"),
        (("mine.cpp",), "name a C file or a header (.h) as well, in which"),
        (("mine.hpp",), "mine.hpp is a header of C++, and the function is called from C"),
        (("mine.o",), "name a C file or a header (.h) as well, in which"),
        (("mine.rs",), "only C (.c, .h), C++ (.cpp, .cc, .cxx), assembler (.S, .s) and compiled"),
        (("mine.h",), "headers alone have no code"),
        (("mine.S",), "name a C file or a header (.h) as well"),
        (("mine.c", "--function", ""), "--function '': this is no name of a function in C"),
        (("mine.c", "--function", "a b"), "--function 'a b': this is no name"),
        (("mine.c", "--algorithm", "sha-256"), "unknown algorithm 'sha-256'; did you mean sha256"),
        (("mine.c", "--algorithm", "aes128"), "aes128 is a cipher, and add takes hashes and MACs"),
        (("mine.c", "--signature", "out,in"), "--signature out,in: len is missing"),
        (("mine.c", "--signature", "out,in,len"), "cannot be called as --signature out,in,len"),
        (("mine.c", "--function", "nine"), "no function nine is declared in mine.c; did you mean "),
        (("mine.c", "--function", "old"), "; name the order"),
        (("mine.c", "--function", "turned"), "in no order that is known for a hash (out,in,len; "),
        (("mine.c", "--compiler", "no-such-cc"), "--compiler no-such-cc is not installed here"),
        (("mine.c", "--flags", "-DX='"), "--flags -DX=': no closing quotation; close it"),
        (("mine.c", "--hang-limit", "0"), "--hang-limit 0.0: give a number of seconds above 0"),
        (("mine.c", "-I", "absent"), "--include absent: there is no such folder"),
        (("mine.c", "--folder", "mine.c"), "--folder mine.c: this is not a folder"),
        (("mine.c", "--folder", "/proc/kept"), "plugins cannot be kept in /proc/kept ("),
        (("mine.c", "--compiler", "true"), "true does not report errors as gcc and clang do"),
    ],
)  # fmt: skip
def test_what_makes_no_sense(
    run: Run, mine: Run, kept: Path, words: tuple[str, ...], said: str
) -> None:
    """Options that make no sense give one sentence and exit code 2, and nothing is kept."""
    mine(f"{HASH}\nint old();")
    for name in ("mine.cpp", "mine.hpp", "mine.o", "mine.rs", "mine.h", "mine.S"):
        mine("", name=name)
    given = dict(zip(words[1::2], words[2::2], strict=True))
    given = {"--function": "mine", "--algorithm": "sha256", **given}
    result = run("add", words[0], *(word for pair in given.items() for word in pair))
    assert result.exit_code == 2, result.output
    lines = result.stderr.splitlines()
    assert len(lines) == 1, lines
    assert said in lines[0]
    assert [*kept.glob("*"), *kept.glob(".*")] == []
