# SPDX-License-Identifier: Apache-2.0
"""A build, from the files to a plugin that is kept, or to the reason why it is not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from joulemark.catalogue import data_folder
from joulemark.errors import ImplementationError, JoulemarkError, UnavailableError
from joulemark.measure.pool import CheckReport
from joulemark.measure.worker.run_messages import TriedAsSupercop, TryAsSupercop
from joulemark.measure.worker.sources import MadeFrom, UserPlugin, file_sha256, keep_plugin
from joulemark.own_code import Code, Keyed, Signature, SourceFile
from joulemark.own_code.adapter import PluginFacts, call_source, table_source
from joulemark.own_code.adding import SOURCES_SHOWN, provenance_of, require_unchanged
from joulemark.own_code.building import (
    CompileError,
    Toolchain,
    Unit,
    compile_file,
    complaints,
    link,
)
from joulemark.own_code.checking import PassingPlugin, RejectedError, open_alone, open_to_check
from joulemark.own_code.ebacs.intake import (
    Shim,
    TakenFile,
    TroubleError,
    copy_files,
    digest_of_sources,
    shim_for,
    source_digests,
    sources_of,
    symbol_of,
)
from joulemark.own_code.ebacs.outcomes import BuildJob, BuildOutcome, BuildVerdict, outcome_of
from joulemark.own_code.prototypes import Prototype
from joulemark.records import FindingKind as CheckVerdict

# An implementation in the layout of eBACS made into a plugin, from a copy of its files.

_SHIM: Final = "shim"
_UNKNOWN_ALGORITHM: Final = "unknown"
"""Algorithm in the table of a function that the catalogue lacks; such a plugin is not kept."""
_SIGNATURES: Final[dict[Keyed, Signature]] = {
    "hash": Signature((("out", "in", "len"),)),
    "mac": Signature((("out", "in", "len", "key"),)),
}
_NO_HEADER: Final = re.compile(r"(?:fatal error: |')(crypto_\w+)\.h(?:: No such file|' file not)")
_UNDEFINED: Final = re.compile(r"undefined (?:reference to|symbol:) [`']?(\w+)")
_MARK: Final = "joulemark_api"
_SAID: Final = re.compile(rf"{_MARK} (\w+) \$?(-?\d+)")
_SIZES: Final = {"hash": ("CRYPTO_BYTES",), "mac": ("CRYPTO_BYTES", "CRYPTO_KEYBYTES")}
_MOST_OUTPUT_BYTES: Final = 64
_MOST_KEY_BYTES: Final = 8192
_VERIFY: Final = """
int joulemark_own_verify(
    const unsigned char *, const unsigned char *, unsigned long long, const unsigned char *);
int joulemark_own_verify(
    const unsigned char *jm_tag, const unsigned char *jm_in, unsigned long long jm_length,
    const unsigned char *jm_key) {{
    return {operation}_verify(jm_tag, jm_in, jm_length, jm_key);
}}
"""
_VISIBLE: Final = "#pragma GCC visibility push(default)"
"""SUPERCOP's tests find the functions that they call by name (`harness/supercop/checksum.h`)."""


class NotBuiltError(CompileError):
    """An error of code that cannot be made into a plugin; its text is the reason of the verdict."""

    def __init__(self, verdict: BuildVerdict, reason: str) -> None:
        super().__init__(reason, ())
        self.verdict = verdict


@dataclass(frozen=True, slots=True)
class BuiltImplementation:
    """A plugin that was not checked yet."""

    plugin: Path
    made_from: MadeFrom
    output_bytes: int
    key_bytes: int
    algorithm: str
    """The algorithm in its table."""


def build(job: BuildJob, sources: Sequence[TakenFile], scratch: Path) -> BuiltImplementation:
    """Copies the files into an empty folder, puts our headers beside them, compiles both."""
    tools = Toolchain(job.compiler, job.flags, scratch)
    copy, shim_folder = scratch / "source", scratch / _SHIM
    copy_files(sources, copy)
    shim_folder.mkdir()
    files = tuple(SourceFile(source.name, copy / source.name) for source in sources)
    code = Code(files, (copy, shim_folder), job.function.operation)
    try:
        return _build(job, sources, code, tools)
    except CompileError as error:
        raise _reason(error, job, code, tools) from None
    except UnavailableError as error:  # there is no compiler of C++
        raise NotBuiltError(BuildVerdict.NEEDS, str(error)) from None


def _build(
    job: BuildJob, sources: Sequence[TakenFile], code: Code, tools: Toolchain
) -> BuiltImplementation:
    function = job.function
    if function.output_bytes is None or function.key_bytes is None:
        output_bytes, key_bytes = _sizes(job, code, tools)
    else:
        output_bytes, key_bytes = function.output_bytes, function.key_bytes
    shim = shim_for(function, job.place.implementation, sources, key_bytes, output_bytes)
    for file, text in shim.headers.items():
        (tools.scratch / _SHIM / file).write_text(text, "utf-8")
    made_from = provenance_of(
        job.name,
        function.operation,
        _SIGNATURES[function.kind].text,
        job.compiler.version,
        " ".join(tools.flags),
        source_digests(sources),
    )
    facts = PluginFacts(
        algorithm=function.algorithm or _UNKNOWN_ALGORITHM,
        variant=job.variant,
        kind=function.kind,
        provider=job.provider,
        version=f"of sources {made_from.digest[:SOURCES_SHOWN]}",
        note=job.place.text,
        compiler=made_from.compiler,
        flags=made_from.flags,
        block_bytes=function.block_bytes,
        output_bytes=output_bytes,
        key_bytes_min=key_bytes,
        key_bytes_max=max(key_bytes, 1),
        key_bytes=key_bytes,
    )
    compiled = {source.name for source in sources if source.is_compiled}
    units = _own_units(job, code, tools, shim, facts)
    units += [
        compile_file(tools, file.path, code, shown=file.given)
        for file in code.files
        if file.given in compiled
    ]
    if shim.with_kernels:
        units.append(Unit(data_folder("c") / "lib" / "libjoulemark.a", ()))
    plugin = tools.scratch / "plugin.so"
    link(tools, units, code, plugin)
    return BuiltImplementation(plugin, made_from, output_bytes, key_bytes, facts.algorithm)


def _own_units(
    job: BuildJob, code: Code, tools: Toolchain, shim: Shim, facts: PluginFacts
) -> list[Unit]:
    """Our own files, compiled: the call, the table, and the code of other primitives."""
    operation, kind = job.function.operation, job.function.kind
    call, table, others = (tools.scratch / f"jm_{part}.c" for part in ("call", "table", "others"))
    text = call_source(
        operation,
        Prototype(_SIGNATURES[kind], None, writable_inputs=False),
        facts.output_bytes,
        returns_zero=True,
    )
    verify = _VERIFY.format(operation=operation) if kind == "mac" else ""
    stated = "".join(
        f'_Static_assert({name} == {size}, "api.h");\n'
        for name, size in zip(_SIZES[kind], (facts.output_bytes, facts.key_bytes), strict=False)
    )
    head = f'#include "api.h"\n{stated}#include "{operation}.h"\n{_VISIBLE}\n'
    call.write_text(f"{head}{text}{verify}", "utf-8")
    table.write_text(table_source(facts), "utf-8")
    units = [
        compile_file(tools, call, code, shown="the call"),
        compile_file(tools, table, code, shown="the table of the plugin", own=True),
    ]
    if shim.source:
        others.write_text(shim.source, "utf-8")
        units.append(compile_file(tools, others, code, shown="other primitives", own=True))
    return units


def _sizes(job: BuildJob, code: Code, tools: Toolchain) -> tuple[int, int]:
    """Lengths of output and key that `api.h` states."""
    names = _SIZES[job.function.kind]
    stated = _values(names, code, tools)
    rights = (job.function.output_bytes, job.function.key_bytes)
    for name, right in zip(names, rights, strict=False):
        size = stated[name]
        if right is not None and size != right:
            raise NotBuiltError(
                BuildVerdict.WRONG,
                f"its api.h says {name} {size}, and {job.function.name} has {right}",
            )
        most = _MOST_OUTPUT_BYTES if name == "CRYPTO_BYTES" else _MOST_KEY_BYTES
        if not 0 < size <= most:
            raise NotBuiltError(
                BuildVerdict.NOT_KNOWN,
                f"its api.h says {name} {size}, and 1 to {most} can be tried",
            )
    return stated["CRYPTO_BYTES"], stated.get("CRYPTO_KEYBYTES", 0)


def _values(names: Sequence[str], code: Code, tools: Toolchain) -> dict[str, int]:
    """Values of macros of `api.h`, as the compiler writes them into its assembler."""
    probe, assembler = tools.scratch / "jm_probe.c", tools.scratch / "jm_probe.s"
    lines = [
        f'__asm__ volatile(".ascii \\"{_MARK} {name} %c0\\"" : : "i"((long)({name})));'
        for name in names
    ]
    body = "\n".join(lines)
    probe.write_text(
        f'#include "api.h"\nvoid jm_probe(void);\nvoid jm_probe(void) {{\n{body}\n}}\n', "utf-8"
    )
    said = tools.compiler.run(
        [*tools.flags, *code.include_flags, "-S", str(probe), "-o", str(assembler)],
        tools.scratch,
        f"{tools.compiler.name}, reading api.h,",
    )
    if said.code or not assembler.is_file():
        lines = complaints(said, code.shown_names)
        for name in names:
            if any(f"{name}'" in line.replace("\u2019", "'") for line in lines):
                raise NotBuiltError(BuildVerdict.NOT_COMPILED, f"its api.h does not say {name}")
        raise CompileError("api.h is not compiled", lines)
    text = assembler.read_text("utf-8", "replace")
    return {name: int(value) for name, value in _SAID.findall(text)}


def _reason(error: CompileError, job: BuildJob, code: Code, tools: Toolchain) -> NotBuiltError:
    """The error with one reason for all complaints of a compiler."""
    if isinstance(error, NotBuiltError):
        return error
    try:
        _sizes(job, code, tools)
    except NotBuiltError as of_api:
        return of_api
    except CompileError as of_api:
        error = of_api
    lines = "\n".join(error.lines)
    absent = _NO_HEADER.search(lines) or _UNDEFINED.search(lines)
    name = absent[1].lstrip("_") if absent else ""
    own = symbol_of(job.function.operation, job.place.primitive, job.place.implementation)
    if name in (own, f"{own}_verify"):
        missing = name.replace(own, job.function.operation, 1)
        of_cxx = '; C++ has to declare it as extern "C"' if code.has_cxx else ""
        return NotBuiltError(BuildVerdict.NOT_COMPILED, f"it does not define {missing}{of_cxx}")
    if name.startswith("crypto_"):
        return NotBuiltError(BuildVerdict.NEEDS, f"it needs {name}, which is not here")
    return NotBuiltError(BuildVerdict.NOT_COMPILED, error.lines[0] if error.lines else str(error))


_VERDICTS: Final = {
    "crashes": BuildVerdict.CRASHES,
    "hangs": BuildVerdict.HANGS,
    "needs another CPU": BuildVerdict.CPU,
    "is wrong": BuildVerdict.WRONG,
}
_OUTSIDE: Final = tuple(
    f"it {verdict}"
    for verdict in CheckVerdict
    if verdict
    not in (CheckVerdict.WRONG_OUTPUT, CheckVerdict.REFUSED_KEY, CheckVerdict.REFUSED_MESSAGE)
)
_FAULT_OUTSIDE: Final = "wrote"


def try_job(job: BuildJob, scratch: Path) -> BuildOutcome:
    """Builds and checks an implementation, tries it as SUPERCOP does, and keeps it if it is right.

    `scratch` is an empty folder in a workshop of the folder of plugins.
    """
    try:
        sources = sources_of(job.place, job.root)
    except TroubleError as error:
        return outcome_of(job, BuildVerdict.NOT_TAKEN, f"it {error}")
    try:
        outcome = _build_and_keep(job, sources, scratch)
    except NotBuiltError as error:
        outcome = outcome_of(job, error.verdict, str(error))
    except RejectedError as error:
        verdict = _VERDICTS.get(error.verdict, BuildVerdict.FAILS)
        outside = error.why.startswith(_OUTSIDE)
        outcome = outcome_of(job, BuildVerdict.OUTSIDE if outside else verdict, error.why)
    except JoulemarkError as error:  # of the folder of plugins
        outcome = outcome_of(job, BuildVerdict.FAILS, str(error))
    return replace(outcome, sources_sha256=digest_of_sources(source_digests(sources)))


def _build_and_keep(job: BuildJob, sources: Sequence[TakenFile], scratch: Path) -> BuildOutcome:
    built = build(job, sources, scratch)
    sha256 = file_sha256(built.plugin)
    supercop, report, record = _check(job, built, sha256)
    require_unchanged(built.plugin, sha256)
    right = job.function.checksum
    if supercop.fault is not None:
        verdict = (
            BuildVerdict.OUTSIDE
            if supercop.fault.startswith(_FAULT_OUTSIDE)
            else BuildVerdict.WRONG
        )
        return outcome_of(
            job, verdict, f"it {supercop.fault}: a message of {supercop.message_bytes} bytes"
        )
    if right is not None and supercop.checksum != right:
        reason = f"its checksumsmall is {supercop.checksum}, not {right}"
        outcome = outcome_of(job, BuildVerdict.WRONG, reason)
    elif report is None or record is None:
        outcome = outcome_of(job, BuildVerdict.NOT_KNOWN, _not_known(job, supercop.checksum))
    else:
        entry = keep_plugin(
            built.plugin, record, job.folder, built.made_from.digest[:16], replacing=job.replacing
        )
        outcome = replace(
            outcome_of(job, BuildVerdict.RIGHT, report.text),
            entry=str(entry),
            reads_on=report.reads_on,
        )
    return replace(outcome, checksum=supercop.checksum)


def _check(
    job: BuildJob, built: BuiltImplementation, sha256: str
) -> tuple[TriedAsSupercop, CheckReport | None, UserPlugin | None]:
    """The outcome of SUPERCOP's tests and, for a function of the catalogue, of our check."""
    name = f"{built.algorithm}/{job.variant}"
    request = TryAsSupercop(name, built.key_bytes, built.output_bytes)
    if job.function.algorithm is None or job.function.whole_bytes is not None:
        plugin = PassingPlugin(built.plugin, job.provider, job.name, job.limit_s)
        with open_alone(plugin) as client:
            return client.ask(request, limit_s=job.limit_s), None, None
    plugin = PassingPlugin(built.plugin, job.provider, name, job.limit_s)
    with open_to_check(plugin, job.cpu_s, may_read_on=True) as (pool, opened):
        report = pool.check(name)
        try:
            supercop = pool.ask(name, request, limit_s=job.limit_s)
        except ImplementationError as error:
            raise type(error)(f"{error}, in SUPERCOP's tests") from None
    record = UserPlugin(
        job.provider, f"your {name}", sha256, opened, built.made_from, report.reads_on
    )
    return supercop, report, record


def _not_known(job: BuildJob, checksum: str) -> str:
    function = job.function
    if function.whole_bytes is not None:
        return (
            f"it is right by its checksumsmall, and {function.algorithm} of the catalogue has "
            f"outputs of {function.whole_bytes} bytes, of which it gives {function.output_bytes}"
        )
    return f"{function.name} is not there; it behaves, and its checksumsmall is {checksum}"
