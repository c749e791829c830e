# SPDX-License-Identifier: Apache-2.0
"""The first lines of `joulemark tune`: the best flags, their gain, and whether it is certain."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from joulemark.catalogue import algorithm_named
from joulemark.cli.tune_answer import add_command, answer
from joulemark.measure.worker.sources import ImplementationSource, MadeFrom
from joulemark.own_code import Code, SourceFile
from joulemark.own_code.adding import CodeRequest
from joulemark.own_code.building import Compiler
from joulemark.own_code.candidates import FLAG_SETS, USUAL, CompilerCandidate, SearchRequest
from joulemark.own_code.choice import Field, FlagChoice, Gap
from joulemark.own_code.making import (
    CandidateOutcome,
    ReadyCandidate,
    RefusedCandidate,
    UnreachedCandidate,
)
from joulemark.own_code.many.tuning import SearchAnswer
from joulemark.processes.tool import Limits

GCC = Compiler("/nowhere/gcc", "gcc", "gcc 12.2.0", Limits())
FIRST, SECOND = CompilerCandidate(GCC, USUAL), CompilerCandidate(GCC, FLAG_SETS[2])
GAIN = Gap(1.5, 1.4, 1.6, told=True)


def ready(candidate: CompilerCandidate) -> ReadyCandidate:
    """Makes a candidate that was timed."""
    made = MadeFrom((), "", "mine", "in,len,out", "", candidate.flags, "")
    source = ImplementationSource("mine", "mine", "plugin", None, None)
    return ReadyCandidate(candidate, candidate.suffix, source, made)


def wanted(*candidates: CompilerCandidate) -> SearchRequest:
    """Makes a search over these candidates."""
    code = Code((SourceFile("a b.c", Path("/x/a b.c")),), (Path("/x/inc"),), "mine")
    asked = CodeRequest(algorithm_named("sha256"), "hash", "mine", None, (), 1.0, Path("/x"))
    return SearchRequest(code, asked, candidates, (64,), 1.0)


def choice(chosen: CompilerCandidate, **more: object) -> FlagChoice:
    """Makes the choice of a candidate."""
    field = Field(chosen.suffix, (chosen.suffix,), {})
    found = FlagChoice(chosen.suffix, FIRST.suffix, None, (), 0.0, {64: field}, {})
    return replace(found, **more)  # type: ignore[arg-type]


OTHER_FIRST = CompilerCandidate(GCC, FLAG_SETS[1])
BOTH = (ready(FIRST), ready(SECOND))


@pytest.mark.parametrize(
    ("first", "made", "chosen", "lines"),
    [
        (FIRST, BOTH, choice(SECOND, over_usual=GAIN),
         [("use gcc O2-native: it is 1.50 times as fast as the usual flags, gcc O3-native "
           "[1.40, 1.60]")]),
        (FIRST, BOTH, choice(FIRST, perhaps_as_good=(SECOND.suffix,), may_gain=0.034),
         ["use the usual flags, gcc O3-native: nothing is proven faster by 1 % or more",
          "at most 3.4 % is open: gcc O2-native may be faster by that much"]),
        (FIRST, BOTH, choice(FIRST, perhaps_as_good=(SECOND.suffix,), may_gain=float("inf")),
         ["use the usual flags, gcc O3-native: nothing is proven faster by 1 % or more",
          "the time was too short to say how much faster one of these may be: gcc O2-native"]),
        (FIRST, (ready(FIRST), RefusedCandidate(SECOND, "crashes", "")), choice(FIRST),
         [("use the usual flags, gcc O3-native: the other candidates that are right compile to the "
           "same code")]),
        (FIRST, (ready(FIRST), UnreachedCandidate(SECOND)), choice(FIRST),
         ["use the usual flags, gcc O3-native: no other code was tried",
          "the budget of 1 s ended before 1 of 2 candidates were tried"]),
        (FIRST, (RefusedCandidate(FIRST, "is wrong", ""), ready(SECOND)), choice(SECOND),
         [("use gcc O2-native: with the usual flags, gcc O3-native, the code is wrong here or "
          "could not be timed")]),
        (OTHER_FIRST, (ready(OTHER_FIRST), ready(SECOND)), choice(SECOND, over_usual=GAIN),
         [("use gcc O2-native: it is 1.50 times as fast as gcc O3-baseline, the first asked for "
          "[1.40, 1.60]")]),
    ],
)  # fmt: skip
def test_the_first_lines(
    first: CompilerCandidate,
    made: tuple[CandidateOutcome, ...],
    chosen: FlagChoice,
    lines: list[str],
) -> None:
    """The first lines are right for each kind of answer."""
    found = SearchAnswer(made, 1, chosen, (), {}, 32)
    flags = next(
        ready_candidate.candidate.flags
        for ready_candidate in made
        if not isinstance(ready_candidate, UnreachedCandidate)
        and ready_candidate.candidate.suffix == chosen.chosen
    )
    said = list(answer(wanted(first, SECOND), found, chosen))
    assert said == [lines[0], f"flags: {flags}", *lines[1:]]


def test_the_command_that_makes_the_same() -> None:
    """The command quotes file names, and has the full path of a compiler not found by name."""
    assert add_command(wanted(FIRST), FIRST) == (
        "joulemark add 'a b.c' -I/x/inc --function mine --algorithm sha256 --name mine --compiler "
        f"/nowhere/gcc --flags '{' '.join(USUAL.flags)}'"
    )
