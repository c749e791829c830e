# SPDX-License-Identifier: Apache-2.0
"""An implementation in the layout of eBACS made into a plugin, from a copy of its files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.catalogue.algorithms import data_folder
from joulemark.measure.workers.user_plugins import MadeFrom
from joulemark.own_code.adapter import PluginFacts, call_source, table_source
from joulemark.own_code.adding import SOURCES_SHOWN, made_of
from joulemark.own_code.building import Toolchain, Unit, linked, object_of
from joulemark.own_code.compilers import CompileError, complaints
from joulemark.own_code.ebacs.intake import TakenFile, copied, source_digests
from joulemark.own_code.ebacs.outcomes import Job, Verdict
from joulemark.own_code.ebacs.shim import Shim, shim_for, symbol_of
from joulemark.own_code.prototypes import Prototype
from joulemark.own_code.signature import Keyed, Signature
from joulemark.own_code.sources import Code, SourceFile

__all__ = ["Built", "NotBuiltError", "built"]

_SHIM: Final = "shim"
_UNKNOWN_ALGORITHM: Final = "unknown"
"""In the table of what the catalogue lacks; it is not kept."""
_SIGNATURES: Final[dict[Keyed, Signature]] = {
    "hash": Signature(("out", "in", "len")),
    "mac": Signature(("out", "in", "len", "key")),
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
"""What SUPERCOP's tests call is found by its name (`harness/supercop/checksum.h`)."""


class NotBuiltError(CompileError):
    """Code that no plugin can be made of, with the verdict; the text is the reason."""

    def __init__(self, verdict: Verdict, reason: str) -> None:
        super().__init__(reason, ())
        self.verdict = verdict


@dataclass(frozen=True, slots=True)
class Built:
    """A plugin that nobody has checked."""

    plugin: Path
    made_from: MadeFrom
    output_bytes: int
    key_bytes: int
    algorithm: str
    """In its table."""


def built(job: Job, sources: Sequence[TakenFile], scratch: Path) -> Built:
    """Copies the files, puts our headers beside them, and compiles both.

    Args:
        job: what is wanted.
        sources: the files.
        scratch: an empty folder, absolute.

    Raises:
        NotBuiltError: it cannot be done.
    """
    tools = Toolchain(job.compiler, job.flags, scratch)
    copy, shim_folder = scratch / "source", scratch / _SHIM
    copied(sources, copy)
    shim_folder.mkdir()
    files = tuple(SourceFile(source.name, copy / source.name) for source in sources)
    code = Code(files, (copy, shim_folder), job.function.operation)
    try:
        return _plugin(job, sources, code, tools)
    except CompileError as error:
        raise _why(error, job, code, tools) from None


def _plugin(job: Job, sources: Sequence[TakenFile], code: Code, tools: Toolchain) -> Built:
    function = job.function
    if function.output_bytes is None or function.key_bytes is None:
        output_bytes, key_bytes = _sizes(job, code, tools)
    else:
        output_bytes, key_bytes = function.output_bytes, function.key_bytes
    shim = shim_for(function, job.place.implementation, sources, key_bytes, output_bytes)
    for file, text in shim.headers.items():
        (tools.scratch / _SHIM / file).write_text(text, "utf-8")
    made_from = made_of(
        job.name, function.operation, _SIGNATURES[function.kind].text, job.compiler.version,
        " ".join(tools.flags), source_digests(sources),
    )  # fmt: skip
    facts = _facts(job, made_from, output_bytes, key_bytes)
    compiled = {source.name for source in sources if source.is_compiled}
    units = _own_units(job, code, tools, shim, facts)
    units += [
        object_of(tools, file.path, code, shown=file.given)
        for file in code.files
        if file.given in compiled
    ]
    if shim.with_kernels:
        units.append(Unit(data_folder("c") / "lib" / "libjoulemark.a", ()))
    plugin = tools.scratch / "plugin.so"
    linked(tools, units, code, plugin)
    return Built(plugin, made_from, output_bytes, key_bytes, facts.algorithm)


def _own_units(
    job: Job, code: Code, tools: Toolchain, shim: Shim, facts: PluginFacts
) -> list[Unit]:
    """What is ours: the calls, the table, and what other primitives compute."""
    operation, kind = job.function.operation, job.function.kind
    call, table, others = (tools.scratch / f"jm_{part}.c" for part in ("call", "table", "others"))
    text = call_source(
        operation, Prototype(_SIGNATURES[kind], None, writable_inputs=False), facts.output_bytes,
        returns_zero=True,
    )  # fmt: skip
    verify = _VERIFY.format(operation=operation) if kind == "mac" else ""
    stated = "".join(
        f'_Static_assert({name} == {size}, "api.h");\n'
        for name, size in zip(_SIZES[kind], (facts.output_bytes, facts.key_bytes), strict=False)
    )
    head = f'#include "api.h"\n{stated}#include "{operation}.h"\n{_VISIBLE}\n'
    call.write_text(f"{head}{text}{verify}", "utf-8")
    table.write_text(table_source(facts), "utf-8")
    units = [
        object_of(tools, call, code, shown="the call"),
        object_of(tools, table, code, shown="the table of the plugin", own=True),
    ]
    if shim.source:
        others.write_text(shim.source, "utf-8")
        units.append(object_of(tools, others, code, shown="other primitives", own=True))
    return units


def _facts(job: Job, made: MadeFrom, output_bytes: int, key_bytes: int) -> PluginFacts:
    return PluginFacts(
        algorithm=job.function.algorithm or _UNKNOWN_ALGORITHM, variant=job.variant,
        kind=job.function.kind, provider=job.provider,
        version=f"of sources {made.digest[:SOURCES_SHOWN]}", note=job.place.text,
        compiler=made.compiler, flags=made.flags, block_bytes=job.function.block_bytes,
        output_bytes=output_bytes, key_bytes_min=key_bytes, key_bytes_max=max(key_bytes, 1),
        key_bytes=key_bytes,
    )  # fmt: skip


def _sizes(job: Job, code: Code, tools: Toolchain) -> tuple[int, int]:
    """Bytes of output and key that `api.h` states.

    Raises:
        NotBuiltError: it does not state them, or others than those of the function.
        CompileError: it is no C.
    """
    names = _SIZES[job.function.kind]
    found = _values(names, code, tools)
    wanted = dict(zip(names, (job.function.output_bytes, job.function.key_bytes), strict=False))
    for name in names:
        size, right = found[name], wanted[name]
        if right is not None and size != right:
            raise NotBuiltError(
                Verdict.WRONG, f"its api.h says {name} {size}, and {job.function.name} has {right}"
            )
        most = _MOST_OUTPUT_BYTES if name == "CRYPTO_BYTES" else _MOST_KEY_BYTES
        if not 0 < size <= most:
            raise NotBuiltError(
                Verdict.NOT_KNOWN, f"its api.h says {name} {size}, and 1 to {most} can be tried"
            )
    return found["CRYPTO_BYTES"], found.get("CRYPTO_KEYBYTES", 0)


def _values(names: Sequence[str], code: Code, tools: Toolchain) -> dict[str, int]:
    """Macros of `api.h` as the compiler evaluates them: it writes them into its assembler."""
    probe, made = tools.scratch / "jm_probe.c", tools.scratch / "jm_probe.s"
    lines = [f'__asm__ volatile(".ascii \\"{_MARK} {name} %c0\\"" : : "i"((long)({name})));'
             for name in names]  # fmt: skip
    body = "\n".join(lines)
    probe.write_text(
        f'#include "api.h"\nvoid jm_probe(void);\nvoid jm_probe(void) {{\n{body}\n}}\n', "utf-8"
    )
    said = tools.compiler.run(
        [
            *tools.flags,
            *(f"-I{include_folder}" for include_folder in code.include_folders),
            "-S",
            str(probe),
            "-o",
            str(made),
        ],
        tools.scratch,
        f"{tools.compiler.name}, reading api.h,",
    )
    if said.code or not made.is_file():
        lines = complaints(said, [(str(file.path), file.given) for file in code.files])
        for name in names:
            if any(f"{name}'" in line.replace("\u2019", "'") for line in lines):
                raise NotBuiltError(Verdict.NOT_COMPILED, f"its api.h does not say {name}")
        raise CompileError("api.h is not compiled", lines)
    text = made.read_text("utf-8", "replace")
    return {name: int(value) for name, value in _SAID.findall(text)}


def _why(error: CompileError, job: Job, code: Code, tools: Toolchain) -> NotBuiltError:
    """The one reason that is told of everything that a compiler said."""
    if isinstance(error, NotBuiltError):
        return error
    try:
        _sizes(job, code, tools)
    except NotBuiltError as of_api:
        return of_api
    except CompileError as of_api:
        error = of_api
    said = "\n".join(error.lines)
    absent = _NO_HEADER.search(said) or _UNDEFINED.search(said)
    name = absent[1].lstrip("_") if absent else ""
    own = symbol_of(job.function.operation, job.place.primitive, job.place.implementation)
    if name in (own, f"{own}_verify"):
        what = name.replace(own, job.function.operation, 1)
        return NotBuiltError(Verdict.NOT_COMPILED, f"it does not define {what}")
    if name.startswith("crypto_"):
        return NotBuiltError(Verdict.NEEDS, f"it needs {name}, which is not here")
    return NotBuiltError(Verdict.NOT_COMPILED, error.lines[0] if error.lines else str(error))
