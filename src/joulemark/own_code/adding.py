# SPDX-License-Identifier: Apache-2.0
"""From a user's sources to a plugin that is kept: signature, build, check.

Whoever finds sources in another way, as in a tree of folders, hands over the same: `Code`, an
algorithm and candidates for the signature.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from joulemark.catalogue import AlgorithmFacts
from joulemark.errors import UsageError
from joulemark.measure.pool import CheckReport
from joulemark.measure.worker.messages import Opened
from joulemark.measure.worker.sources import (
    WITHOUT_AVX512,
    MadeFrom,
    SourceDigest,
    UserPlugin,
    file_sha256,
    keep_plugin,
    workshop,
)
from joulemark.measure.worker.trials import portable_kernel
from joulemark.own_code import Code, Keyed, Signature, SourceFile, digest_of, shown_call
from joulemark.own_code.adapter import KEY_BYTES_MOST, PluginFacts, call_source, table_source
from joulemark.own_code.building import (
    CompileError,
    Compiler,
    Toolchain,
    Unit,
    compile_file,
    copies_beside,
    link,
    macros_of,
)
from joulemark.own_code.checking import PassingPlugin, RejectedError, check
from joulemark.own_code.prototypes import Prototype, context_bytes_of, prototypes_of

_NO_AVX512: Final = "-mno-avx512f"
"""Flag of gcc and clang that takes all parts of AVX-512 away."""
MOST_CONTEXT_BYTES: Final = 1 << 20
"""Largest context of a stream; it lies on the stack of a thread."""
SOURCES_SHOWN: Final = 12
"""Hexadecimal digits of the sources' digest that stand for the version."""


@dataclass(frozen=True, slots=True)
class CodeRequest:
    """The implementation that is to be made of some code."""

    algorithm: AlgorithmFacts
    kind: Keyed
    variant: str
    signature: Signature | None
    """None: the signature has to be found."""
    flags: tuple[str, ...]
    limit_s: float
    """Seconds after which the code counts as hung."""
    folder: Path
    """Folder of kept plugins."""
    context_bytes: int | None = None
    """Size of the context of a stream; None: it has to be found, or there is no stream."""
    replacing: bool = False
    """Whether it takes the place of an implementation that was added under its name."""

    @property
    def name(self) -> str:
        """`algorithm/variant`."""
        return f"{self.algorithm.id}/{self.variant}"

    @property
    def provider(self) -> str:
        """Its name among providers, which differs for each algorithm."""
        return f"{self.variant}-{self.algorithm.id}"

    def passing(self, plugin: Path) -> PassingPlugin:
        """The plugin that was just built of it."""
        return PassingPlugin(plugin, self.provider, self.name, self.limit_s)


@dataclass(frozen=True, slots=True)
class AddedImplementation:
    """An implementation that is right and was kept."""

    name: str
    plugin: UserPlugin
    entry: Path
    """Folder in which the plugin is kept."""
    report: CheckReport
    excluded: tuple[Signature, ...]
    """Signatures that fitted as well, and gave wrong answers."""


@dataclass(frozen=True, slots=True)
class BuiltPlugin:
    """A plugin that was not checked yet."""

    plugin: Path
    made_from: MadeFrom
    units: tuple[Unit, ...]
    """The user's part of it."""
    beside: tuple[Path, ...] = ()
    """Shared libraries that it loads from its folder."""
    context_bytes: int = 0
    """Size of the context of a stream."""


def add_code(code: Code, request: CodeRequest, compiler: Compiler) -> AddedImplementation:
    """Compiles code, checks it, and keeps it if it is right."""
    with workshop(request.folder) as scratch:
        tools = Toolchain(compiler, request.flags, scratch)
        right = make_right(code, request, tools)
        return _keep(right, _without_avx512(code, right, tools))


@dataclass(frozen=True, slots=True)
class RightPlugin:
    """A plugin that was found right."""

    request: CodeRequest
    built: BuiltPlugin
    declared_in: SourceFile
    prototype: Prototype
    """The way in which the function is called."""
    sha256: str
    """Of the shared object."""
    opened: Opened
    """The plugin's facts about itself."""
    report: CheckReport
    beside: tuple[SourceDigest, ...]
    """The shared libraries that it loads from its folder."""
    excluded: tuple[Signature, ...]
    """Signatures that fitted as well, and gave wrong answers."""


def make_right(code: Code, request: CodeRequest, tools: Toolchain) -> RightPlugin:
    """Compiles code in the folder of the tools, and finds the call by which it is right."""
    declared_in, prototypes = prototypes_of(code, request.kind, request.signature, tools)
    builder = PluginBuilder(code, request, tools, declared_in)
    failed: list[tuple[Prototype, RejectedError]] = []
    for number, prototype in enumerate(prototypes):
        built = builder.build(prototype, tools.scratch / f"{number}.so")
        try:
            report, opened = _checked(built, request)
        except RejectedError as error:
            failed.append((prototype, error))
            continue
        return RightPlugin(
            request,
            built,
            declared_in,
            prototype,
            file_sha256(built.plugin),
            opened,
            report,
            tuple(SourceDigest(path.name, file_sha256(path)) for path in built.beside),
            tuple(before.signature for before, _ in failed),
        )
    raise rejection(failed)


class PluginBuilder:
    """Builds plugins of some code with one compiler, one for each way to call the function.

    An error in a file that does not declare the function is raised at once, as `CompileError`.
    """

    def __init__(
        self, code: Code, request: CodeRequest, tools: Toolchain, declared_in: SourceFile
    ) -> None:
        self._code = code
        self._request = request
        self._tools = tools
        self._declared_in = declared_in
        self._others = [
            compile_file(tools, file.path, code, shown=file.given)
            for file in code.files
            if file.is_compiled and file != declared_in
        ]
        self._beside = copies_beside(code, tools.scratch)

    def build(self, prototype: Prototype, plugin: Path) -> BuiltPlugin:
        """Builds the shared object `plugin`, which calls the function in one way."""
        code, request, tools = self._code, self._request, self._tools
        call, table = tools.scratch / "call.c", tools.scratch / "table.c"
        output_bytes = request.algorithm.output_bytes
        call.write_text(call_source(code.function, prototype, output_bytes), "utf-8")
        shown, before = self._declared_in.given, self._declared_in
        units = (compile_file(tools, call, code, shown=shown, before=before), *self._others)
        included = (path for unit in units for path in unit.read)
        read = dict.fromkeys([*(file.path.resolve() for file in code.files), *included])
        sources = tuple(SourceDigest(path.name, digest_of(path)) for path in read)
        made_from = provenance_of(
            request.name,
            code.function,
            prototype.signature.text,
            tools.compiler.version,
            " ".join(request.flags),
            sources,
            request.context_bytes,
        )
        context_bytes = 0
        if prototype.signature.is_stream:
            context_bytes = self._size_of_context(prototype.signature)
        facts = plugin_facts(code, request, made_from, prototype.signature, context_bytes)
        table.write_text(table_source(facts), "utf-8")
        own = compile_file(tools, table, code, shown="the table of the plugin", own=True)
        link(tools, [*units, own], code, plugin, self._beside)
        return BuiltPlugin(plugin, made_from, units, tuple(self._beside), context_bytes)

    def _size_of_context(self, signature: Signature) -> int:
        """The size of the context: as the user gave it, or as the declaration of init has it."""
        code, given = self._code, self._request.context_bytes
        found = context_bytes_of(code, self._declared_in, signature, self._tools)
        if given is None and found is None:
            raise UsageError(
                f"{self._declared_in.given} does not say how large the context of "
                f"{code.functions[0]} is; give its size with --context-bytes N"
            )
        if given is not None and found is not None and given < found:
            raise UsageError(
                f"--context-bytes {given}: the context of {code.functions[0]} has {found} bytes "
                f"in {self._declared_in.given}"
            )
        size = found if given is None else given
        if size is None or size > MOST_CONTEXT_BYTES:
            raise UsageError(
                f"the context of {code.functions[0]} has {size} bytes; at most "
                f"{MOST_CONTEXT_BYTES} are taken"
            )
        return size


def _checked(built: BuiltPlugin, request: CodeRequest) -> tuple[CheckReport, Opened]:
    """The check of a plugin whose files are the same after it."""
    files = (built.plugin, *built.beside)
    before = [file_sha256(path) for path in files]
    checked = check(request.passing(built.plugin))
    for path, sha256 in zip(files, before, strict=True):
        require_unchanged(path, sha256)
    return checked


def _without_avx512(code: Code, right: RightPlugin, tools: Toolchain) -> Path | None:
    """The same plugin without AVX-512, for valgrind; None where it has none, or needs it."""
    scratch = tools.scratch / "without-avx512"
    scratch.mkdir()
    if "__AVX512F__" not in macros_of(tools):
        return None
    flags = (*tools.flags, _NO_AVX512)
    other = replace(tools, flags=flags, scratch=scratch)
    try:
        request = replace(right.request, flags=flags)
        builder = PluginBuilder(code, request, other, right.declared_in)
        return builder.build(right.prototype, scratch / WITHOUT_AVX512).plugin
    except CompileError:  # code that is written with these instructions
        return None


def _keep(right: RightPlugin, copy: Path | None) -> AddedImplementation:
    """Keeps a plugin, with its copy for valgrind if there is one."""
    request, built = right.request, right.built
    beside = (*built.beside, *filter(None, [copy]))
    record = UserPlugin(
        request.provider,
        f"your {request.name}",
        right.sha256,
        right.opened,
        built.made_from,
        beside=tuple(SourceDigest(path.name, file_sha256(path)) for path in beside),
    )
    entry = keep_plugin(
        built.plugin,
        record,
        request.folder,
        built.made_from.digest[:16],
        replacing=request.replacing,
        beside=beside,
    )
    return AddedImplementation(request.name, record, entry, right.report, right.excluded)


def require_unchanged(plugin: Path, sha256: str) -> None:
    """Refuses a plugin whose file has changed since before foreign code in it ran."""
    if not plugin.is_file() or file_sha256(plugin) != sha256:
        raise RejectedError("changes itself", "its file is another one after the check")


def provenance_of(
    name: str,
    function: str,
    signature: str,
    compiler: str,
    flags: str,
    sources: tuple[SourceDigest, ...],
    context_bytes: int | None = None,
) -> MadeFrom:
    """The record of what a plugin is made of now, with the digest under which it is kept."""
    parts: list[Any] = [
        name,
        function,
        signature,
        compiler,
        flags,
        [(source.name, source.sha256) for source in sources],
        *(() if context_bytes is None else (context_bytes,)),
    ]
    digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return MadeFrom(sources, digest, function, signature, compiler, flags, now)


def plugin_facts(
    code: Code, request: CodeRequest, made_from: MadeFrom, signature: Signature, context_bytes: int
) -> PluginFacts:
    """The facts in the table of a plugin.

    A function that is told the length of its key takes the lengths that our portable kernel takes.
    """
    algorithm, kernel = request.algorithm, portable_kernel(request.algorithm.id)
    used = algorithm.key_bytes[0] if algorithm.key_bytes else 0
    least = most = used
    if kernel is not None and "keylen" in signature.words:
        least = kernel.key_bytes_min
        most = KEY_BYTES_MOST if kernel.key_bytes_max is None else kernel.key_bytes_max
    return PluginFacts(
        algorithm=algorithm.id,
        variant=request.variant,
        kind=request.kind,
        provider=request.provider,
        version=f"of sources {made_from.digest[:SOURCES_SHOWN]}",
        note=shown_call(code.function, signature.text),
        compiler=made_from.compiler,
        flags=made_from.flags,
        block_bytes=algorithm.block_bytes,
        output_bytes=algorithm.output_bytes,
        key_bytes_min=least,
        key_bytes_max=most,
        key_bytes=used,
        context_bytes=context_bytes,
    )


def rejection(failed: Sequence[tuple[Prototype, RejectedError]]) -> RejectedError:
    """The error for code that is right in none of the ways to call it that fitted."""
    if len(failed) == 1:
        return failed[0][1]
    each = "; ".join(f"as {prototype.signature.text} it {error}" for prototype, error in failed)
    return RejectedError("is wrong in every order of arguments that fits", each)
