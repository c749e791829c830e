# SPDX-License-Identifier: Apache-2.0
"""Candidates made into plugins, one by one: right ones, ones whose code was there, and the rest.

What fails under one set of flags is often right under another: a compiler that may reorder floating
point, or that takes overflow for impossible, finds the faults of a source. So each is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from joulemark.errors import UsageError
from joulemark.measure.workers.sources import Source
from joulemark.measure.workers.user_plugins import MadeFrom
from joulemark.own_code.adapter import table_source
from joulemark.own_code.adding import (
    Built,
    CodeRequest,
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

__all__ = [
    "CompileOrder", "CompiledCandidate", "Made", "ReadyCandidate", "RefusedCandidate", "SameCode",
    "SpreadCompiling",
    "compiled_here", "made_of",
]  # fmt: skip

_CPU_S: Final = 0.2
"""Of the check of one candidate, beside every short length; the one that is kept is checked as
'joulemark add' checks."""


@dataclass(frozen=True, slots=True)
class ReadyCandidate:
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
class RefusedCandidate:
    """A candidate that does not compile, is wrong, crashes, hangs or needs another CPU."""

    candidate: Candidate
    verdict: str
    """As the verb of a sentence: `is wrong`."""
    why: str


Made = ReadyCandidate | SameCode | RefusedCandidate


@dataclass(frozen=True, slots=True)
class CompiledCandidate:
    """A candidate's plugin for one order of arguments, not checked yet."""

    plugin: Path
    made_from: MadeFrom
    prototype: Prototype
    digest: str | None
    """Of its code; None where nothing is known to be the same."""
    read: tuple[Path, ...]
    """Each file of the user's that the compiler read, absolute."""


@dataclass(frozen=True, slots=True)
class CompileOrder:
    """A candidate that may be compiled anywhere; how its function is called is known."""

    code: Code
    asked: CodeRequest
    candidate: Candidate
    place: Path
    """Folder of whoever asks, in which the plugins are wanted."""

    @property
    def text(self) -> str:
        """In a sentence."""
        return f"compiling with {self.candidate.name}"


SpreadCompiling = Callable[
    [
        Sequence[CompileOrder],
        Callable[[int, "Sequence[CompiledCandidate] | RefusedCandidate"], None],
    ],
    None,
]
"""Has candidates compiled and tells outcomes under their places; what it tells nothing of is
compiled here. Raises what ends all."""


def compiled_here(order: CompileOrder) -> Sequence[CompiledCandidate] | RefusedCandidate:
    """Compiles one candidate in its folder, for every order of arguments that fits."""
    try:
        return list(_Maker(order.code, order.asked, order.place).compiled(order.candidate, 0))
    except (CompileError, UsageError) as error:
        return _uncompiled(order.candidate, error)


def made_of(
    code: Code, asked: CodeRequest, candidates: Sequence[Candidate], place: Path,
    spread: SpreadCompiling | None = None,
) -> Iterator[Made]:  # fmt: skip
    """What becomes of each candidate, in their order.

    The order of the function's arguments is found with the first candidate that is right.

    Args:
        code: of the user's.
        asked: what is made of it; flags and variant become those of the candidates.
        candidates: what is tried.
        place: folder that is gone afterwards.
        spread: compiles candidates as soon as the order of arguments is known; this process unless
            given. What was compiled is checked here, in order.

    Raises:
        UsageError: the function is not there, or nobody can tell how it is called.
    """
    maker = _Maker(code, asked, place)
    for number, candidate in enumerate(candidates):
        if spread is not None and maker.signature is not None:
            maker.have_compiled(dict(enumerate(candidates[number:], number)), spread)
            spread = None
        try:
            yield maker.made(candidate, number)
        except UsageError as error:
            if not number:
                raise
            yield _uncompiled(candidate, error)


def _uncompiled(candidate: Candidate, error: CompileError | UsageError) -> RefusedCandidate:
    lines = error.lines if isinstance(error, CompileError) else ()
    first = f": {lines[0]}" if lines else ""
    return RefusedCandidate(candidate, "does not compile", f"{error}{first}")


class _Maker:
    """Knows the code of candidates that were made, and how the function is called."""

    def __init__(self, code: Code, asked: CodeRequest, place: Path) -> None:
        self._code = code
        self._asked = asked
        self._place = place
        self._signature: Signature | None = asked.signature
        self._first: dict[str, Candidate] = {}
        """By code."""
        self._refused: dict[str, RefusedCandidate] = {}
        self._elsewhere: dict[int, Sequence[CompiledCandidate] | RefusedCandidate] = {}
        self._prototypes: dict[object, tuple[SourceFile, Sequence[Prototype]]] = {}
        self._tables: dict[object, Unit] = {}

    @property
    def signature(self) -> Signature | None:
        """How the function is called; None until a candidate was right."""
        return self._signature

    def have_compiled(self, candidates: Mapping[int, Candidate], spread: SpreadCompiling) -> None:
        """Has candidates compiled elsewhere; `made` takes what came of them."""
        numbers = list(candidates)
        orders = [
            CompileOrder(self._code, replace(self._asked, signature=self._signature), candidate,
                         self._place / f"spread-{number}")
            for number, candidate in candidates.items()
        ]  # fmt: skip
        for order in orders:
            order.place.mkdir()
        spread(orders, lambda at, found: self._elsewhere.__setitem__(numbers[at], found))

    def made(self, candidate: Candidate, number: int) -> Made:
        """What becomes of a candidate.

        Raises:
            UsageError: the function is not there, or nobody can tell how it is called.
        """
        found = self._elsewhere.pop(number, None)
        if isinstance(found, RefusedCandidate):
            return found
        failed: list[tuple[Prototype, RejectedError]] = []
        try:
            for compiled in self.compiled(candidate, number) if found is None else found:
                try:
                    return self._judged(candidate, self._asked_for(candidate), compiled)
                except RejectedError as error:
                    failed.append((compiled.prototype, error))
        except CompileError as error:
            return _uncompiled(candidate, error)
        rejected = rejection(failed)
        return RefusedCandidate(candidate, rejected.verdict, rejected.why)

    def compiled(self, candidate: Candidate, number: int) -> Iterator[CompiledCandidate]:
        """A candidate's plugins, one for each order of arguments that fits, as they are asked for.

        Raises:
            CompileError: the code has errors.
            UsageError: the function is not there, or nobody can tell how it is called.
        """
        place = self._place / str(number)
        place.mkdir()
        tools = Toolchain(candidate.compiler, candidate.flag_set.flags, place)
        asked = self._asked_for(candidate)
        declared_in, prototypes = self._called(candidate, asked, tools)
        others = objects_beside(self._code, tools, declared_in)
        for at, prototype in enumerate(prototypes):
            plugin = place / f"plugin-{at}.so"
            built = built_plugin(self._code, asked, tools, declared_in, others, prototype, plugin)
            files = [file.path.resolve() for file in self._code.files]
            files += [path for unit in built.units for path in unit.read]
            yield CompiledCandidate(
                plugin, built.made_from, prototype, self._digest(asked, tools, built, prototype),
                tuple(files),
            )  # fmt: skip

    def _asked_for(self, candidate: Candidate) -> CodeRequest:
        return replace(
            self._asked, variant=f"{self._asked.variant}-{candidate.suffix}",
            flags=candidate.flag_set.flags, signature=self._signature,
        )  # fmt: skip

    def _judged(
        self, candidate: Candidate, asked: CodeRequest, compiled: CompiledCandidate
    ) -> Made:
        """Checks a plugin, unless its code was there.

        Raises:
            RejectedError: it is not right.
        """
        digest = compiled.digest
        if digest is not None and (first := self._first.get(digest)) is not None:
            if (before := self._refused.get(digest)) is not None:
                raise RejectedError(before.verdict, f"same code as {first.name}: {before.why}")
            return SameCode(candidate, first)
        if digest is not None:
            self._first[digest] = candidate
        try:
            _, opened = checked(
                compiled.plugin, asked.provider, asked.name, asked.limit_s, cpu_s=_CPU_S
            )
        except RejectedError as error:
            if digest is not None:
                self._refused[digest] = RefusedCandidate(candidate, error.verdict, error.why)
            raise
        self._signature = compiled.prototype.signature
        source = passing_source(compiled.plugin, asked.provider, asked.name)
        return ReadyCandidate(
            candidate, asked.name, replace(source, known=opened), compiled.made_from
        )

    def _called(
        self, candidate: Candidate, asked: CodeRequest, tools: Toolchain
    ) -> tuple[SourceFile, Sequence[Prototype]]:
        """How the function is called: asked of each compiler once, and again for flags of a user's.

        Those may define what its declaration depends on.
        """
        flags = candidate.flag_set
        key = candidate.compiler.program, asked.signature, None if flags in FLAG_SETS else flags
        if key not in self._prototypes:
            self._prototypes[key] = prototypes_of(self._code, asked, tools)
        return self._prototypes[key]

    def _digest(
        self, asked: CodeRequest, tools: Toolchain, built: Built, prototype: Prototype
    ) -> str | None:
        """The code, linked once more with a table that names neither compiler nor flags."""
        key = tools.compiler.program, prototype.signature
        if key not in self._tables:
            self._tables[key] = self._nameless_table(asked, tools, built, prototype)
        plugin = tools.scratch / "same.so"
        linked(tools, [*built.units, self._tables[key]], self._code, plugin)
        return code_digest(plugin)

    def _nameless_table(
        self, asked: CodeRequest, tools: Toolchain, built: Built, prototype: Prototype
    ) -> Unit:
        facts = replace(
            plugin_facts(self._code, asked, built.made_from, prototype.signature),
            variant="", provider="", version="", compiler="", flags="",
        )  # fmt: skip
        table = tools.scratch / "same.c"
        table.write_text(table_source(facts), "utf-8")
        return object_of(tools, table, self._code, shown="the table of the plugin", own=True)
