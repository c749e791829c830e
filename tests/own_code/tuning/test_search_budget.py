# SPDX-License-Identifier: Apache-2.0
"""A search ends with its budget: compiling, checking and timing share it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from joulemark.catalogue import algorithm_named
from joulemark.measure.worker.sources import ImplementationSource, MadeFrom
from joulemark.own_code import Code, SourceFile
from joulemark.own_code.adding import CodeRequest
from joulemark.own_code.building import Compiler
from joulemark.own_code.candidates import FLAG_SETS, CompilerCandidate, SearchRequest
from joulemark.own_code.making import CandidateOutcome, ReadyCandidate, UnreachedCandidate
from joulemark.own_code.many import tuning as module
from joulemark.processes.tool import Limits

COMPILERS = [Compiler(f"/nowhere/gcc-{n}", f"gcc-{n}", f"gcc {n}", Limits()) for n in range(3)]
CANDIDATES = tuple(CompilerCandidate(gcc, flags) for gcc in COMPILERS for flags in FLAG_SETS)


def reached(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, budget_s: float, making_s: float
) -> tuple[list[CandidateOutcome], int, float]:
    """Outcomes, rounds of a block, and seconds left for timing, if making takes so long each."""
    now_s = 1000.0
    timed: dict[str, Any] = {}

    def make(*_: object) -> Iterator[CandidateOutcome]:
        nonlocal now_s
        for candidate in CANDIDATES:
            now_s += making_s
            source = ImplementationSource("mine", "mine", "plugin", None, None)
            made = MadeFrom((), "", "mine", "in,len,out", "", candidate.flags, "")
            yield ReadyCandidate(candidate, candidate.suffix, source, made)

    def time_them(*arguments: Any) -> None:
        timed.update(outcomes=arguments[1], rounds=arguments[-2].rounds, left=arguments[-1] - now_s)

    monkeypatch.setattr(module, "make_candidates", make)
    monkeypatch.setattr(module, "_time", time_them)
    monkeypatch.setattr(module.time, "monotonic", lambda: now_s)
    code = Code((SourceFile("a.c", tmp_path / "a.c"),), (), "mine")
    asked = CodeRequest(algorithm_named("sha256"), "hash", "mine", None, (), 1.0, tmp_path)
    wanted = SearchRequest(code, asked, CANDIDATES, (64,), budget_s, begun_s=now_s)
    nothing: Any = lambda *_: None  # noqa: E731
    module.search(wanted, nothing, nothing, begun=nothing, ended=nothing, observer=nothing)
    return timed["outcomes"], timed["rounds"], timed["left"]


@pytest.mark.parametrize(
    ("budget_s", "making_s", "tried", "rounds"),
    [
        (120, 1, 24, 32),  # all of them, in whole blocks
        (50, 1, 24, 8),  # all of them, in few rounds
        (30, 1, 15, 8),
        (30, 3, 5, 8),
        (1, 3, 1, 8),  # the usual flags alone, whatever the budget
    ],
)
def test_candidates_are_made_while_they_could_be_timed(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    budget_s: float,
    making_s: float,
    tried: int,
    rounds: int,
) -> None:
    """The slower candidates are made, the fewer are tried; all others are named."""
    outcomes, taken, left_s = reached(monkeypatch, tmp_path, budget_s, making_s)
    unreached = [made.candidate for made in outcomes if isinstance(made, UnreachedCandidate)]
    assert unreached == list(CANDIDATES[tried:])
    assert taken == rounds
    if tried > 1:
        assert tried * making_s <= left_s <= budget_s
    else:
        assert left_s == 2 * making_s
