# SPDX-License-Identifier: Apache-2.0
"""From a user's sources to a plugin that is kept: signature, build, check.

What comes in is `Code`, an algorithm and candidates for the signature; who finds sources in another
way, as in a tree of folders, hands over the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from joulemark.catalogue.algorithms import Algorithm
from joulemark.errors import UsageError
from joulemark.measure.worker_process.native_check import portable_kernel
from joulemark.measure.workers.plugin_workshop import keep_plugin, workshop
from joulemark.measure.workers.thorough import CheckReport
from joulemark.measure.workers.user_plugins import (
    MadeFrom,
    SourceDigest,
    UserPlugin,
    file_sha256,
)
from joulemark.own_code.adapter import KEY_BYTES_MOST, PluginFacts, call_source, table_source
from joulemark.own_code.building import Toolchain, Unit, linked, object_of
from joulemark.own_code.checking import RejectedError, checked
from joulemark.own_code.compilers import Compiler
from joulemark.own_code.prototypes import Prototype, fitting
from joulemark.own_code.signature import KNOWN, Keyed, Signature
from joulemark.own_code.sources import Code, SourceFile, digest_of, identifiers_in
from joulemark.spelling import did_you_mean

__all__ = [
    "SOURCES_SHOWN",
    "AddedImplementation",
    "Built",
    "CodeRequest",
    "add_code",
    "built_plugin",
    "made_of",
    "objects_beside",
    "plugin_facts",
    "prototypes_of",
    "rejection",
    "require_unchanged",
]  # fmt: skip

_MOST_TRIED: Final = 6
"""More fit only where a declaration says nothing of its parameters."""
SOURCES_SHOWN: Final = 12
"""Hexadecimal digits of the digest, which stand for the version."""


@dataclass(frozen=True, slots=True)
class CodeRequest:
    """What is to be made of some code."""

    algorithm: Algorithm
    kind: Keyed
    variant: str
    signature: Signature | None
    """None: found out."""
    flags: tuple[str, ...]
    limit_s: float
    """Seconds after which the code counts as hung."""
    folder: Path
    """Where plugins are kept."""
    replacing: bool = False
    """Whether it takes the place of what was added by its name."""

    @property
    def name(self) -> str:
        """`algorithm/variant`."""
        return f"{self.algorithm.id}/{self.variant}"

    @property
    def provider(self) -> str:
        """Its name among providers, which differs for each algorithm."""
        return f"{self.variant}-{self.algorithm.id}"

    @property
    def candidates(self) -> tuple[Signature, ...]:
        """Signatures that are tried."""
        return KNOWN[self.kind] if self.signature is None else (self.signature,)


@dataclass(frozen=True, slots=True)
class AddedImplementation:
    """An implementation that was right, and is kept."""

    name: str
    plugin: UserPlugin
    place: Path
    """Folder of the entry."""
    report: CheckReport
    excluded: tuple[Signature, ...]
    """Signatures that fitted as well, and gave wrong answers."""


def add_code(code: Code, asked: CodeRequest, compiler: Compiler) -> AddedImplementation:
    """Compiles, checks and keeps.

    Raises:
        CompileError: the code has errors.
        UsageError: the function is not there, or no signature can be told.
        RejectedError: the code is not right; nothing of it is kept.
        UnavailableError: nothing can be kept in the folder.
    """
    with workshop(asked.folder) as place:
        tools = Toolchain(compiler, asked.flags, place)
        declared_in, prototypes = prototypes_of(code, asked, tools)
        others = objects_beside(code, tools, declared_in)
        failed: list[tuple[Prototype, RejectedError]] = []
        for prototype in prototypes:
            try:
                return _kept(code, asked, tools, declared_in, others, prototype, failed)
            except RejectedError as error:
                failed.append((prototype, error))
    raise rejection(failed)


def prototypes_of(
    code: Code, asked: CodeRequest, tools: Toolchain
) -> tuple[SourceFile, Sequence[Prototype]]:
    """The file that declares the function, and the ways in which it can be called, at least one.

    Raises:
        CompileError: the file has errors.
        UsageError: no file declares the function, or nobody can tell how it is called.
    """
    for file in (source for source in code.files if source.declares):
        found = fitting(code, file, asked.candidates, tools.compiler, tools.flags, tools.scratch)
        if found is not None:
            break
    else:
        names = ", ".join(source.given for source in code.files)
        near = did_you_mean(code.function, identifiers_in(code.files) - {code.function})
        raise UsageError(f"no function {code.function} is declared in {names}{near}")
    known = "; ".join(signature.text for signature in KNOWN[asked.kind])
    if not found and asked.signature is not None:
        raise UsageError(
            f"{code.function} cannot be called as --signature {asked.signature.text}: its "
            f"declaration in {file.given} has other parameters"
        )
    if not found:
        raise UsageError(
            f"{code.function} takes its arguments in no order that is known for a {asked.kind} "
            f"({known}); name the order with --signature, or write a function around it"
        )
    if len(found) > _MOST_TRIED:
        raise UsageError(
            f"the declaration of {code.function} does not say what it takes; name the order of "
            f"its arguments with --signature, such as one of {known}"
        )
    return file, found


def objects_beside(code: Code, tools: Toolchain, declared_in: SourceFile) -> list[Unit]:
    """The files of the code, compiled, but for the one that declares the function.

    Raises:
        CompileError: one has errors.
    """
    return [
        object_of(tools, file.path, code, shown=file.given)
        for file in code.files
        if file.is_compiled and file != declared_in
    ]


@dataclass(frozen=True, slots=True)
class Built:
    """A plugin that was not checked yet."""

    plugin: Path
    made_from: MadeFrom
    units: tuple[Unit, ...]
    """The user's part of it."""


def built_plugin(
    code: Code,
    asked: CodeRequest,
    tools: Toolchain,
    declared_in: SourceFile,
    others: Sequence[Unit],
    prototype: Prototype,
    plugin: Path,
) -> Built:
    """Builds the plugin that calls the function in one way.

    Args:
        code: of the user's.
        asked: what is made of it.
        tools: compiler, flags and folder.
        declared_in: as `prototypes_of` says.
        others: as `objects_beside` made them.
        prototype: the way.
        plugin: the shared object to make.

    Raises:
        CompileError: the code has errors, or something that it calls is nowhere.
    """
    place, signature = tools.scratch, prototype.signature
    call, table = place / "call.c", place / "table.c"
    call.write_text(call_source(code.function, prototype, asked.algorithm.output_bytes), "utf-8")
    unit = object_of(tools, call, code, shown=declared_in.given, before=declared_in)
    included = (path for source_unit in (unit, *others) for path in source_unit.read)
    read = dict.fromkeys([*(file.path.resolve() for file in code.files), *included])
    sources = tuple(SourceDigest(path.name, digest_of(path)) for path in read)
    made_from = made_of(
        asked.name, code.function, signature.text, tools.compiler.version, " ".join(asked.flags),
        sources,
    )  # fmt: skip
    table.write_text(table_source(plugin_facts(code, asked, made_from, signature)), "utf-8")
    own = object_of(tools, table, code, shown="the table of the plugin", own=True)
    linked(tools, [unit, *others, own], code, plugin)
    return Built(plugin, made_from, (unit, *others))


def _kept(
    code: Code,
    asked: CodeRequest,
    tools: Toolchain,
    declared_in: SourceFile,
    others: Sequence[Unit],
    prototype: Prototype,
    failed: Sequence[tuple[Prototype, RejectedError]],
) -> AddedImplementation:
    """Builds the plugin with one signature, checks it, and keeps it."""
    plugin = tools.scratch / f"{len(failed)}.so"
    made_from = built_plugin(code, asked, tools, declared_in, others, prototype, plugin).made_from
    built = file_sha256(plugin)
    report, opened = checked(plugin, asked.provider, asked.name, asked.limit_s)
    require_unchanged(plugin, built)
    record = UserPlugin(asked.provider, f"your {asked.name}", built, opened, made_from)
    kept = keep_plugin(
        plugin, record, asked.folder, made_from.digest[:16], replacing=asked.replacing
    )
    return AddedImplementation(
        asked.name, record, kept, report, tuple(refused.signature for refused, _ in failed)
    )


def require_unchanged(plugin: Path, sha256: str) -> None:
    """Holds a plugin to what it was before foreign code in it ran.

    Raises:
        RejectedError: it is another one.
    """
    if not plugin.is_file() or file_sha256(plugin) != sha256:
        raise RejectedError("changes itself", "its file is another one after the check")


def made_of(
    name: str,
    function: str,
    signature: str,
    compiler: str,
    flags: str,
    sources: tuple[SourceDigest, ...],
) -> MadeFrom:
    """What a plugin is made of now, with the digest that it is kept under."""
    parts = [name, function, signature, compiler, flags,
             [(source.name, source.sha256) for source in sources]]  # fmt: skip
    digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return MadeFrom(sources, digest, function, signature, compiler, flags, now)


def plugin_facts(
    code: Code, asked: CodeRequest, made: MadeFrom, signature: Signature
) -> PluginFacts:
    """What the table of the plugin says.

    Lengths of keys are those that our portable kernel takes, where the function is told them.
    """
    algorithm, kernel = asked.algorithm, portable_kernel(asked.algorithm.id)
    used = algorithm.key_bytes[0] if algorithm.key_bytes else 0
    least = most = used
    if kernel is not None and signature.any_key_length:
        least = kernel.key_bytes_min
        most = KEY_BYTES_MOST if kernel.key_bytes_max is None else kernel.key_bytes_max
    return PluginFacts(
        algorithm=algorithm.id, variant=asked.variant, kind=asked.kind, provider=asked.provider,
        version=f"of sources {made.digest[:SOURCES_SHOWN]}",
        note=f"{code.function}({signature.text.replace(',', ', ')})",
        compiler=made.compiler, flags=made.flags, block_bytes=algorithm.block_bytes,
        output_bytes=algorithm.output_bytes, key_bytes_min=least, key_bytes_max=most,
        key_bytes=used,
    )  # fmt: skip


def rejection(failed: Sequence[tuple[Prototype, RejectedError]]) -> RejectedError:
    """What all signatures that fitted came to, of which none was right."""
    if len(failed) == 1:
        return failed[0][1]
    each = "; ".join(f"as {prototype.signature.text} it {error}" for prototype, error in failed)
    return RejectedError("is wrong in every order of arguments that fits", each)
