# SPDX-License-Identifier: Apache-2.0
"""Candidates of `joulemark tune`, compiled by workers: the same as those compiled here."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from joulemark.catalogue import algorithm_named
from joulemark.fleet import spreading
from joulemark.fleet.serving import local_cluster
from joulemark.own_code import Code, source_files
from joulemark.own_code.adding import CodeRequest
from joulemark.own_code.building import find_compiler
from joulemark.own_code.candidates import CompilerCandidate, FlagSet
from joulemark.own_code.making import (
    ReadyCandidate,
    RefusedCandidate,
    SameCode,
    SpreadCompiling,
    make_candidates,
)
from joulemark.processes.tool import Limits

SIPHASH = Path(__file__).parents[1] / "plugins" / "own" / "siphash.c"
FUNCTION = """
#ifdef NO_CODE
#error no such thing
#endif
void helper(void);
void mine(uint8_t *out, const void *in, size_t len, const uint8_t *key) {
    helper();
    whole_mac(key, in, len, out);
}
"""
FLAGS = ("-O1", "-O2", "-O2 -g", "-O1 -DNO_CODE")


def told_of(folder: Path, spread: SpreadCompiling | None) -> list[tuple[str, ...]]:
    """The outcome of each set of flags."""
    source = folder / "mine.c"
    source.write_text(f'#include "{SIPHASH}"\n{FUNCTION}')
    helper, library = folder / "helper.c", folder / "libhelper.so"
    if not library.exists():
        helper.write_text("void helper(void) {}")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, helper], check=True)
    place = folder / ("here" if spread is None else "spread")
    place.mkdir()
    asked = CodeRequest(algorithm_named("siphash-2-4"), "mac", "mine", None, (), 20.0, folder)
    gcc = find_compiler(None, Limits())
    sets = [FlagSet(f"set-{at}", tuple(text.split()), "") for at, text in enumerate(FLAGS)]
    candidates = [CompilerCandidate(gcc, flags) for flags in sets]
    code = Code(source_files([str(source), str(library)]), (), "mine")
    found: list[tuple[str, ...]] = []
    for made in make_candidates(code, asked, candidates, place, spread):
        if isinstance(made, ReadyCandidate):
            found.append(("right", made.name, made.made_from.digest, made.made_from.flags))
        elif isinstance(made, SameCode):
            found.append(("same", made.first.flag_set.name))
        else:
            found.append((made.verdict, made.why))
    return found


def test_the_same_as_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Right, the code of another, and refused; a worker with another CPU compiles nothing.

    The code calls a shared library, which lies beside what came from a worker too.
    """
    alone = told_of(tmp_path, None)
    assert [answer[0] for answer in alone] == ["right", "right", "same", "does not compile"]
    said: list[str] = []
    came: list[str] = []
    with local_cluster(1) as client:

        def counted(whole: SpreadCompiling) -> SpreadCompiling:
            def spread(orders, told: Callable[..., None]) -> None:  # type: ignore[no-untyped-def]
                def note(at: int, found: object) -> None:
                    came.append("refused" if isinstance(found, RefusedCandidate) else "compiled")
                    told(at, found)

                whole(orders, note)

            return spread

        over = counted(spreading.Cluster(client).compiling(said.append))
        assert told_of(tmp_path, over) == alone
        assert (sorted(came), said) == (["compiled", "compiled", "refused"], [])
        (tmp_path / "spread").rename(tmp_path / "first")
        monkeypatch.setattr(spreading, "_cpu", lambda: "another")
        came.clear()
        assert told_of(tmp_path, over) == alone
    assert came == []
    assert len(said) == len(FLAGS) - 1
    assert all(name.endswith("is compiled here: the worker has another CPU") for name in said)
