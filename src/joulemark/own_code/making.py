# SPDX-License-Identifier: Apache-2.0
"""Candidates made into plugins, one by one: right ones, copies of earlier code, and refused ones.

Code that fails under one set of flags is often right under another: a compiler that may reorder
floating point, or that takes overflow for impossible, brings out the faults of a source. So each
candidate is checked.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

from joulemark.errors import UsageError
from joulemark.measure.worker.sources import ImplementationSource, MadeFrom
from joulemark.own_code import Code, Signature, SourceFile, parse_signature
from joulemark.own_code.adapter import table_source
from joulemark.own_code.adding import (
    BuiltPlugin,
    CodeRequest,
    PluginBuilder,
    plugin_facts,
    rejection,
)
from joulemark.own_code.building import CompileError, Toolchain, Unit, compile_file, link
from joulemark.own_code.candidates import FLAG_SETS, CompilerCandidate
from joulemark.own_code.checking import RejectedError, check
from joulemark.own_code.prototypes import Prototype, prototypes_of

# A digest of machine code, by which two shared objects are known to have the same code.
#
# Two sets of flags often make the same code, and two measurements of it would be told apart by
# chance sooner or later. All that is loaded is compared: code, constants, data and their
# relocations, section by section. Names of files, notes and lines for a debugger are left out.

_MAGIC: Final = b"\x7fELF\x02\x01"
"""ELF of 64 bits, little-endian: Tool Interface Standard, ELF 1.2, and the System V ABI, "ELF-64
Object File Format", figures 1 and 2, which the layouts below are of."""
_HEADER: Final = struct.Struct("<16xHHIQQQIHHHHHH")
_SECTION: Final = struct.Struct("<IIQQQQIIQQ")
_LOADED: Final = 2
"""SHF_ALLOC."""
_EMPTY: Final = 8
"""SHT_NOBITS: zeroed memory, of which a file has the size alone."""
_LEFT_OUT: Final = (b".note", b".gnu.hash", b".eh_frame")
"""A build's number; and how a debugger walks the stack, which no call reads."""


class _Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int


def code_digest(path: Path) -> str | None:
    """SHA-256 of all that a shared object loads; None if it is no ELF of 64 bits, or damaged."""
    try:
        return _digest(path.read_bytes())
    except (OSError, struct.error, ValueError):
        return None


def _digest(content: bytes) -> str | None:
    if not content.startswith(_MAGIC):
        return None
    (_, _, _, _, _, at, _, _, _, _, size, count, names_at) = _HEADER.unpack_from(content)
    if not at or size < _SECTION.size or names_at >= count:
        return None
    sections = [
        _Section(*_SECTION.unpack_from(content, at + number * size)[:6]) for number in range(count)
    ]
    names = _content(content, sections[names_at])
    digest = hashlib.sha256()
    for section in sections:
        name = names[section.name : names.index(b"\0", section.name)]
        if not section.flags & _LOADED or name.startswith(_LEFT_OUT):
            continue
        digest.update(b"%s %d %d\0" % (name, section.kind, section.size))
        if section.kind != _EMPTY:
            digest.update(_content(content, section))
    return digest.hexdigest()


def _content(content: bytes, section: _Section) -> bytes:
    part = content[section.offset : section.offset + section.size]
    if len(part) != section.size:
        raise ValueError("a section ends behind the file")
    return part


def nameless_table(code: Code, request: CodeRequest, tools: Toolchain, built: BuiltPlugin) -> Unit:
    """A table that names neither variant nor sources nor compiler nor flags."""
    text = built.made_from.signature
    signature = parse_signature(text, request.kind, stream=len(code.functions) > 1)
    facts = replace(
        plugin_facts(code, request, built.made_from, signature, built.context_bytes),
        variant="",
        provider="",
        version="",
        compiler="",
        flags="",
    )
    table = tools.scratch / "same.c"
    table.write_text(table_source(facts), "utf-8")
    return compile_file(tools, table, code, shown="the table of the plugin", own=True)


def nameless_digest(code: Code, tools: Toolchain, built: BuiltPlugin, table: Unit) -> str | None:
    """Digest of the machine code of a plugin, linked again with a table without names."""
    plugin = tools.scratch / "same.so"
    link(tools, [*built.units, table], code, plugin, built.beside)
    return code_digest(plugin)


_CPU_S: Final = 0.2
"""CPU time of the check of a candidate, beside every short length; the candidate that is kept is
checked as 'joulemark add' checks."""


@dataclass(frozen=True, slots=True)
class ReadyCandidate:
    """A candidate that is right, and is timed."""

    candidate: CompilerCandidate
    name: str
    """`algorithm/variant`, the variant with compiler and flag set."""
    source: ImplementationSource
    made_from: MadeFrom


@dataclass(frozen=True, slots=True)
class SameCode:
    """A candidate whose machine code is that of an earlier one, byte for byte."""

    candidate: CompilerCandidate
    first: CompilerCandidate


@dataclass(frozen=True, slots=True)
class RefusedCandidate:
    """A candidate that does not compile, is wrong, crashes, hangs or needs another CPU."""

    candidate: CompilerCandidate
    verdict: str
    """The predicate of the message about it, such as `is wrong`."""
    why: str


@dataclass(frozen=True, slots=True)
class UnreachedCandidate:
    """A candidate that was not compiled, for the time of the search would not do for it."""

    candidate: CompilerCandidate


CandidateOutcome = ReadyCandidate | SameCode | RefusedCandidate | UnreachedCandidate


@dataclass(frozen=True, slots=True)
class CompiledCandidate:
    """A candidate's plugin for one order of arguments, not checked yet."""

    plugin: Path
    made_from: MadeFrom
    prototype: Prototype
    digest: str | None
    """SHA-256 of the machine code; None if the code cannot be compared."""
    read: tuple[Path, ...]
    """Absolute path of each file of the user's that the compiler read."""


@dataclass(frozen=True, slots=True)
class CompileOrder:
    """A candidate that may be compiled anywhere, since the signature of its function is known."""

    code: Code
    request: CodeRequest
    candidate: CompilerCandidate
    folder: Path
    """The folder here in which the plugins are wanted."""


_Compiled = Sequence[CompiledCandidate] | RefusedCandidate
SpreadCompiling = Callable[[Sequence[CompileOrder], Callable[[int, _Compiled], None]], None]
"""Compiles candidates elsewhere and reports each outcome with the index of its order. A candidate
without an outcome is compiled here. An error of the function ends the search."""


def compile_here(order: CompileOrder) -> _Compiled:
    """Compiles a candidate in the folder of the order, for every order of arguments that fits."""
    try:
        return list(_Maker(order.code, order.request, order.folder).compile(order.candidate, 0))
    except (CompileError, UsageError) as error:
        return _uncompiled(order.candidate, error)


def make_candidates(
    code: Code,
    request: CodeRequest,
    candidates: Sequence[CompilerCandidate],
    folder: Path,
    spread: SpreadCompiling | None = None,
) -> Iterator[CandidateOutcome]:
    """Makes each candidate into a plugin, and yields the outcomes in the order of the candidates.

    The first candidate that is right tells the order of the function's arguments. As soon as that
    is known, `spread` compiles the others if there is one. All are checked here, in their order.
    """
    maker = _Maker(code, request, folder)
    for number, candidate in enumerate(candidates):
        if spread is not None and maker.request.signature is not None:
            maker.compile_elsewhere(candidates, number, spread)
            spread = None
        try:
            yield maker.make(candidate, number)
        except UsageError as error:
            if not number:
                raise
            yield _uncompiled(candidate, error)


def _uncompiled(candidate: CompilerCandidate, error: CompileError | UsageError) -> RefusedCandidate:
    lines = error.lines if isinstance(error, CompileError) else ()
    first = f": {lines[0]}" if lines else ""
    return RefusedCandidate(candidate, "does not compile", f"{error}{first}")


class _Maker:
    """Makes candidates; remembers the code of earlier ones, and how the function is called."""

    def __init__(self, code: Code, request: CodeRequest, folder: Path) -> None:
        self.request = request
        """The request; it has no signature until a candidate is right, or the user named one."""
        self._code = code
        self._folder = folder
        self._by_code: dict[str, tuple[CompilerCandidate, RejectedError | None]] = {}
        self._elsewhere: dict[int, _Compiled] = {}
        self._prototypes: dict[object, tuple[SourceFile, Sequence[Prototype]]] = {}
        self._tables: dict[object, Unit] = {}

    def compile_elsewhere(
        self, candidates: Sequence[CompilerCandidate], first: int, spread: SpreadCompiling
    ) -> None:
        """Lets `spread` compile the candidates from `first` on; keeps the outcomes for `make`."""
        orders = [
            CompileOrder(self._code, self.request, candidate, self._folder / f"spread-{number}")
            for number, candidate in enumerate(candidates[first:], first)
        ]
        for order in orders:
            order.folder.mkdir()
        spread(orders, lambda index, found: self._elsewhere.__setitem__(first + index, found))

    def make(self, candidate: CompilerCandidate, number: int) -> CandidateOutcome:
        """Compiles a candidate, unless that was done elsewhere, and checks it."""
        compiled = self._elsewhere.pop(number, None)
        if isinstance(compiled, RefusedCandidate):
            return compiled
        failed: list[tuple[Prototype, RejectedError]] = []
        try:
            for plugin in self.compile(candidate, number) if compiled is None else compiled:
                try:
                    return self._check(candidate, plugin)
                except RejectedError as error:
                    failed.append((plugin.prototype, error))
        except CompileError as error:
            return _uncompiled(candidate, error)
        rejected = rejection(failed)
        return RefusedCandidate(candidate, rejected.verdict, rejected.why)

    def compile(self, candidate: CompilerCandidate, number: int) -> Iterator[CompiledCandidate]:
        """Compiles a candidate's plugins one by one, for each order of arguments that fits."""
        scratch = self._folder / str(number)
        scratch.mkdir()
        tools = Toolchain(candidate.compiler, candidate.flag_set.flags, scratch)
        request = self._request_of(candidate)
        declared_in, prototypes = self._prototypes_of(candidate, request, tools)
        builder = PluginBuilder(self._code, request, tools, declared_in)
        for index, prototype in enumerate(prototypes):
            built = builder.build(prototype, scratch / f"plugin-{index}.so")
            files = [file.path.resolve() for file in self._code.files]
            files += [path for unit in built.units for path in unit.read]
            digest = self._digest(request, tools, built, prototype.signature)
            yield CompiledCandidate(built.plugin, built.made_from, prototype, digest, tuple(files))

    def _request_of(self, candidate: CompilerCandidate) -> CodeRequest:
        variant = f"{self.request.variant}-{candidate.suffix}"
        return replace(self.request, variant=variant, flags=candidate.flag_set.flags)

    def _check(self, candidate: CompilerCandidate, compiled: CompiledCandidate) -> CandidateOutcome:
        """Checks a plugin, unless an earlier one has the same code."""
        request, digest = self._request_of(candidate), compiled.digest
        if digest is not None and digest in self._by_code:
            first, earlier_error = self._by_code[digest]
            if earlier_error is None:
                return SameCode(candidate, first)
            why = f"same code as {first.name}: {earlier_error.why}"
            raise RejectedError(earlier_error.verdict, why)
        try:
            _, opened = check(request.passing(compiled.plugin), _CPU_S)
        except RejectedError as error:
            if digest is not None:
                self._by_code[digest] = candidate, error
            raise
        if digest is not None:
            self._by_code[digest] = candidate, None
        self.request = replace(self.request, signature=compiled.prototype.signature)
        source = replace(request.passing(compiled.plugin).source, known=opened)
        return ReadyCandidate(candidate, request.name, source, compiled.made_from)

    def _prototypes_of(
        self, candidate: CompilerCandidate, request: CodeRequest, tools: Toolchain
    ) -> tuple[SourceFile, Sequence[Prototype]]:
        """How the function is called: asked of each compiler once, and again for flags of a user.

        A user's flags may define names on which the declaration of the function depends.
        """
        flags = candidate.flag_set
        key = candidate.compiler.program, request.signature, None if flags in FLAG_SETS else flags
        if key not in self._prototypes:
            self._prototypes[key] = prototypes_of(
                self._code, request.kind, request.signature, tools
            )
        return self._prototypes[key]

    def _digest(
        self, request: CodeRequest, tools: Toolchain, built: BuiltPlugin, signature: Signature
    ) -> str | None:
        """Digest of the code, linked again with a table that names neither compiler nor flags."""
        key = tools.compiler.program, signature
        if key not in self._tables:
            self._tables[key] = nameless_table(self._code, request, tools, built)
        return nameless_digest(self._code, tools, built, self._tables[key])
