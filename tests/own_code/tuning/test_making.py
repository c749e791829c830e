# SPDX-License-Identifier: Apache-2.0
"""Candidates made into plugins: right, equal to another's code, or refused with a reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from joulemark.catalogue import algorithm_named
from joulemark.errors import UsageError
from joulemark.own_code import Code, making
from joulemark.own_code.adding import CodeRequest
from joulemark.own_code.building import Compiler
from joulemark.own_code.candidates import FLAG_SETS, CompilerCandidate, FlagSet
from joulemark.own_code.checking import RejectedError
from joulemark.own_code.making import (
    CandidateOutcome,
    ReadyCandidate,
    RefusedCandidate,
    SameCode,
    code_digest,
    make_candidates,
)

HASH = '#include "sha256.c"\nvoid mine(const uint8_t *in, size_t n, uint8_t *out)'
RIGHT = f"{HASH} {{ whole_hash(in, n, out); }}"
Make = Callable[..., list[CandidateOutcome]]


@pytest.fixture
def make(gcc: Compiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """`make(code, "-O1", "-O2 -g")`: the outcome of that code with each of these flags."""
    monkeypatch.setattr(making, "_CPU_S", 0.0)

    def call(code: Code, *flags: str, signature: None = None) -> list[CandidateOutcome]:
        asked = CodeRequest(
            algorithm_named("sha256"), "hash", "mine", signature, (), 20.0, tmp_path
        )
        sets = [
            FlagSet(f"set-{number}", tuple(flag.split()), "") for number, flag in enumerate(flags)
        ]
        place = tmp_path / "place"
        place.mkdir()
        return list(
            make_candidates(code, asked, [CompilerCandidate(gcc, flags) for flags in sets], place)
        )

    return call


@pytest.fixture
def passing(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """A check in place of the real one: it passes, unless the first entry of this list is False."""
    verdicts: list[bool] = []

    def check(*_words: object, **_more: object) -> tuple[None, None]:
        if verdicts and not verdicts.pop(0):
            raise RejectedError("is wrong", "as the test wants it")
        return None, None

    monkeypatch.setattr(making, "check", check)
    return verdicts


def shown(found: Sequence[CandidateOutcome]) -> list[str]:
    """Each outcome in a word or two."""
    return [
        "right" if isinstance(made, ReadyCandidate)
        else f"as {made.first.flag_set.name}" if isinstance(made, SameCode)
        else made.verdict
        for made in found
    ]  # fmt: skip


@pytest.mark.usefixtures("passing")
def test_code_that_is_there_is_found_whatever_the_flags_are_called(
    make: Make, code_of: Callable[..., Code]
) -> None:
    """Debugging notes, macros without a use and other names of flags make no other code."""
    found = make(code_of(RIGHT), "-O1", "-O1 -g -DUNUSED=1", "-O2", "-O2 -fno-ident -Wall", "-Os")
    assert shown(found) == ["right", "as set-0", "right", "as set-2", "right"]
    first, third = found[0], found[2]
    assert isinstance(first, ReadyCandidate)
    assert isinstance(third, ReadyCandidate)
    assert first.name == f"sha256/mine-{first.candidate.compiler.name}-set-0"
    assert first.made_from.flags == "-O1"
    assert first.made_from.digest != third.made_from.digest


@pytest.mark.usefixtures("passing")
def test_constants_are_code_too(make: Make, code_of: Callable[..., Code]) -> None:
    """A table with another number in it is other code, though no instruction differs."""
    text = f"#ifndef ADDED\n#define ADDED 0\n#endif\nconst int table[2] = {{1, ADDED}};\n{RIGHT}"
    found = make(code_of(text), "-O1", "-O1 -DADDED=7", "-O1 -DADDED=0")
    assert shown(found) == ["right", "right", "as set-0"]


def test_what_fails_under_one_set_alone_is_refused_with_the_reason(
    make: Make, code_of: Callable[..., Code]
) -> None:
    """Each faulty set of flags stands between candidates that are right."""
    text = f"""
{HASH} {{
    whole_hash(in, n, out);
#ifdef __FAST_MATH__
    if (n == 100) out[3] ^= 1;
#endif
#ifdef __OPTIMIZE_SIZE__
    if (n == 64) *(volatile int *)8 = 1;
#endif
#ifdef NEEDS_MORE
    __builtin_trap();
#endif
}}
#ifdef NO_CODE
#error no such thing
#endif
"""
    sets = ("-O1", "-O1 -ffast-math", "-Os", "-O1 -DNEEDS_MORE", "-O1 -DNO_CODE",
            "-O1 -ffast-math -g")  # fmt: skip
    found = make(code_of(text), *sets)
    assert shown(found) == ["right", "is wrong", "crashes", "needs another CPU",
                            "does not compile", "is wrong"]  # fmt: skip
    why = [made.why if isinstance(made, RefusedCandidate) else "" for made in found]
    assert "a message of 100 bytes" in why[1]
    assert "a message of 64 bytes" in why[2]
    assert "mine.c is not compiled by" in why[4]
    assert "no such thing" in why[4]
    assert why[5].startswith(f"same code as {found[1].candidate.name}: ")
    assert why[1] in why[5]


def test_the_order_of_arguments_is_found_once(
    make: Make, code_of: Callable[..., Code], passing: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first candidate that is right settles the order of arguments for all later ones."""
    seen: list[int] = []
    real = making.prototypes_of

    def watched(*asked: Any) -> object:
        found = real(*asked)
        seen.append(len(found[1]))
        return found

    monkeypatch.setattr(making, "prototypes_of", watched)
    text = HASH.replace("const uint8_t *in, size_t n, uint8_t *out",
                        "uint8_t *in, uint8_t *out, unsigned n")  # fmt: skip
    passing += [False, False, False, True, True]
    found = make(code_of(f"{text} {{ whole_hash(in, n, out); }}"), "-O0", "-O1", "-O2")
    assert shown(found) == ["is wrong in every order of arguments that fits", "right", "right"]
    assert seen == [2, 2, 1]
    assert passing == []


def test_who_cannot_be_called_is_refused_at_once(make: Make, code_of: Callable[..., Code]) -> None:
    """The sentence is that of `joulemark add`, and appears once, not for each candidate."""
    with pytest.raises(UsageError, match="no function mine is declared in"):
        make(code_of("int other;"), "-O1", "-O2")


@pytest.mark.usefixtures("passing")
def test_link_time_code_is_compared_when_it_is_linked(
    make: Make, code_of: Callable[..., Code]
) -> None:
    """Objects of -flto hold no machine code; the shared objects do."""
    found = make(code_of(RIGHT), "-O1 -flto=1", "-O3 -flto=1")
    assert shown(found) == ["right", "right"]


def test_what_is_no_shared_object_has_no_digest(
    tmp_path: Path, code_of: Callable[..., Code]
) -> None:
    """A file without a digest equals no other, and a damaged one does not end the search."""
    assert code_digest(tmp_path / "nothing") is None
    file = code_of("int x;").files[0].path
    assert code_digest(file) is None
    for content in (b"", b"\x7fELF\x02\x01", b"\x7fELF\x02\x01" + b"\xff" * 300):
        file.write_bytes(content)
        assert code_digest(file) is None


def test_the_table_has_the_usual_set_first_and_the_trap_last() -> None:
    """The search and its page rely on this order."""
    assert "-mtune=generic" in FLAG_SETS[0].flags
    trap = FLAG_SETS[-1]
    assert trap.name == "O3-native-tuned"
    assert "-march=native" in trap.flags
    assert not [flag for flag in trap.flags if flag.startswith("-mtune")]
