# SPDX-License-Identifier: Apache-2.0
"""Candidates made into plugins, one by one: right ones, ones whose code was there, and the rest.

What fails under one set of flags is often right under another: a compiler that may reorder floating
point, or that takes overflow for impossible, finds the faults of a source. So each is checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from joulemark.errors import UsageError
from joulemark.measure.workers.sources import Source
from joulemark.measure.workers.user_plugins import MadeFrom
from joulemark.own_code.adapter import table_source
from joulemark.own_code.adding import (
    Asked,
    Built,
    built_plugin,
    objects_beside,
    plugin_facts,
    prototypes_of,
    rejection,
)
from joulemark.own_code.building import Toolchain, Unit, linked, object_of
from joulemark.own_code.checking import RejectedError, checked, passing_source
from joulemark.own_code.compilers import CompileError
from joulemark.own_code.flag_sets import FLAG_SETS
from joulemark.own_code.prototypes import Prototype
from joulemark.own_code.signature import Signature
from joulemark.own_code.sources import Code, SourceFile
from joulemark.own_code.tuning.candidates import Candidate
from joulemark.own_code.tuning.same_code import code_digest

__all__ = ["Made", "Ready", "Refused", "SameCode", "made_of"]

_CPU_S: Final = 0.2
"""Of the check of one candidate, beside every short length; the one that is kept is checked as
'joulemark add' checks."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A candidate that is right, and is timed."""

    candidate: Candidate
    name: str
    """`algorithm/variant`, the variant with compiler and flag set."""
    source: Source
    made_from: MadeFrom


@dataclass(frozen=True, slots=True)
class SameCode:
    """A candidate whose machine code is that of an earlier one, byte for byte."""

    candidate: Candidate
    first: Candidate


@dataclass(frozen=True, slots=True)
class Refused:
    """A candidate that does not compile, is wrong, crashes, hangs or needs another CPU."""

    candidate: Candidate
    verdict: str
    """As the verb of a sentence: `is wrong`."""
    why: str


Made = Ready | SameCode | Refused


def made_of(
    code: Code, asked: Asked, candidates: Sequence[Candidate], place: Path
) -> Iterator[Made]:
    """What becomes of each candidate, in their order.

    The order of the function's arguments is found with the first candidate that is right.

    Args:
        code: of the user's.
        asked: what is made of it; flags and variant become those of the candidates.
        candidates: what is tried.
        place: folder that is gone afterwards.

    Raises:
        UsageError: the function is not there, or nobody can tell how it is called.
    """
    maker = _Maker(code, asked, place)
    for number, one in enumerate(candidates):
        try:
            yield maker.made(one, number)
        except UsageError as error:
            if not number:
                raise
            yield Refused(one, "does not compile", str(error))


class _Maker:
    """Knows the code of candidates that were made, and how the function is called."""

    def __init__(self, code: Code, asked: Asked, place: Path) -> None:
        self._code = code
        self._asked = asked
        self._place = place
        self._signature: Signature | None = asked.signature
        self._first: dict[str, Candidate] = {}
        """By code."""
        self._refused: dict[str, Refused] = {}
        self._prototypes: dict[object, tuple[SourceFile, Sequence[Prototype]]] = {}
        self._tables: dict[object, Unit] = {}

    def made(self, candidate: Candidate, number: int) -> Made:
        place = self._place / str(number)
        place.mkdir()
        tools = Toolchain(candidate.compiler, candidate.flag_set.flags, place)
        asked = replace(
            self._asked, variant=f"{self._asked.variant}-{candidate.suffix}",
            flags=candidate.flag_set.flags, signature=self._signature,
        )  # fmt: skip
        try:
            declared_in, prototypes = self._called(candidate, asked, tools)
            others = objects_beside(self._code, tools, declared_in)
            failed: list[tuple[Prototype, RejectedError]] = []
            for prototype in prototypes:
                plugin = place / f"plugin-{len(failed)}.so"
                built = built_plugin(
                    self._code, asked, tools, declared_in, others, prototype, plugin
                )
                try:
                    return self._judged(candidate, asked, tools, built, prototype)
                except RejectedError as error:
                    failed.append((prototype, error))
        except CompileError as error:
            first = f": {error.lines[0]}" if error.lines else ""
            return Refused(candidate, "does not compile", f"{error}{first}")
        found = rejection(failed)
        return Refused(candidate, found.verdict, found.why)

    def _judged(
        self, candidate: Candidate, asked: Asked, tools: Toolchain, built: Built,
        prototype: Prototype,
    ) -> Made:  # fmt: skip
        """Checks a plugin, unless its code was there.

        Raises:
            RejectedError: it is not right.
        """
        digest = self._digest(asked, tools, built, prototype)
        if digest is not None and (first := self._first.get(digest)) is not None:
            if (before := self._refused.get(digest)) is not None:
                raise RejectedError(before.verdict, f"same code as {first.name}: {before.why}")
            return SameCode(candidate, first)
        if digest is not None:
            self._first[digest] = candidate
        try:
            _, opened = checked(
                built.plugin, asked.provider, asked.name, asked.limit_s, cpu_s=_CPU_S
            )
        except RejectedError as error:
            if digest is not None:
                self._refused[digest] = Refused(candidate, error.verdict, error.why)
            raise
        self._signature = prototype.signature
        source = passing_source(built.plugin, asked.provider, asked.name)
        return Ready(candidate, asked.name, replace(source, known=opened), built.made_from)

    def _called(
        self, candidate: Candidate, asked: Asked, tools: Toolchain
    ) -> tuple[SourceFile, Sequence[Prototype]]:
        """How the function is called: asked of each compiler once, and again for flags of a user's.

        Those may define what its declaration depends on.
        """
        one = candidate.flag_set
        key = candidate.compiler.program, asked.signature, None if one in FLAG_SETS else one
        if key not in self._prototypes:
            self._prototypes[key] = prototypes_of(self._code, asked, tools)
        return self._prototypes[key]

    def _digest(
        self, asked: Asked, tools: Toolchain, built: Built, prototype: Prototype
    ) -> str | None:
        """The code, linked once more with a table that names neither compiler nor flags."""
        key = tools.compiler.program, prototype.signature
        if key not in self._tables:
            self._tables[key] = self._nameless_table(asked, tools, built, prototype)
        plugin = tools.scratch / "same.so"
        linked(tools, [*built.units, self._tables[key]], self._code, plugin)
        return code_digest(plugin)

    def _nameless_table(
        self, asked: Asked, tools: Toolchain, built: Built, prototype: Prototype
    ) -> Unit:
        facts = replace(
            plugin_facts(self._code, asked, built.made_from, prototype.signature),
            variant="", provider="", version="", compiler="", flags="",
        )  # fmt: skip
        table = tools.scratch / "same.c"
        table.write_text(table_source(facts), "utf-8")
        return object_of(tools, table, self._code, shown="the table of the plugin", own=True)
