# SPDX-License-Identifier: Apache-2.0
"""Which signatures a function can have, asked of the compiler that sees its declaration.

A file includes the user's source and then calls the function once for each candidate, on lines with
names of ours. A candidate fits where the compiler has no error on its line. Parsing C by ourselves
would stumble over the first macro or typedef.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.own_code.compilers import CompileError, Compiler, complaints
from joulemark.own_code.signature import Signature
from joulemark.own_code.sources import Code, SourceFile

__all__ = ["Prototype", "fitting"]

_LENGTH_TYPES: Final[tuple[tuple[str, int | None], ...]] = (
    ("__SIZE_TYPE__", None),
    ("long", None),
    ("unsigned", 2**32 - 1),
    ("int", 2**31 - 1),
    ("unsigned short", 2**16 - 1),
    ("short", 2**15 - 1),
)
"""Types that are tried for the length, and the longest that each holds; None: any message."""
_ERRORS: Final = (
    "-Wincompatible-pointer-types",
    "-Wint-conversion",
    "-Wdiscarded-qualifiers",  # of gcc; with clang a part of the first
    "-Wconversion",
    "-Wsign-conversion",
)
_MARK: Final = "joulemark_probe"
_CONTROL: Final = "control"
"""Of a line that is an error in any case: who does not say so is no compiler of C."""
_OF_OURS: Final = re.compile(rf"^{_MARK}_(\w+):\d+:.*?error:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Prototype:
    """One way in which a function can be called."""

    signature: Signature
    most_bytes: int | None
    """The longest message whose length its type of length holds; None: any."""
    writable_inputs: bool
    """Whether it declares its inputs without `const`, so that they are handed over as writable."""


def fitting(
    code: Code,
    declared_in: SourceFile,
    candidates: Sequence[Signature],
    compiler: Compiler,
    flags: Sequence[str],
    scratch: Path,
) -> list[Prototype] | None:
    """The ways in which the function can be called; those with constant inputs alone, if any.

    Args:
        code: with the function's name.
        declared_in: the file that may declare it.
        candidates: what is tried.
        compiler: any.
        flags: the user's.
        scratch: folder of files that go.

    Returns:
        In the order of the candidates; None where the file does not declare the function.

    Raises:
        CompileError: the file itself has errors.
    """
    tried = [
        Prototype(candidate, most, writable)
        for candidate in candidates
        for writable in (False, True)
        for _, most in _LENGTH_TYPES
    ]
    types = [kind for kind, _ in _LENGTH_TYPES] * (2 * len(candidates))
    probe = scratch / "probe.c"
    probe.write_text("\n".join(_probe(code.function, tried, types)), "utf-8")
    _require_sound(declared_in, code, compiler, flags, scratch)
    unlimited = ("-ferror-limit=0",) if "clang" in compiler.version else ("-fmax-errors=0",)
    said = compiler.run(
        [
            *flags,
            "-Wno-error",
            *unlimited,
            *(f"-I{include_folder}" for include_folder in code.include_folders),
            "-include",
            str(declared_in.path),
            "-fsyntax-only",
            str(probe),
        ],
        scratch,
        f"{compiler.name}, asking how {code.function} is called,",
    )
    wrong = set(_OF_OURS.findall(said.errors))
    if _CONTROL not in wrong:
        raise CompileError(
            f"{compiler.name} does not report errors as gcc and clang do; name one of these with "
            "--compiler", complaints(said),
        )  # fmt: skip
    if "declared" in wrong:
        return None
    return _best(tried, wrong)


def _require_sound(
    file: SourceFile, code: Code, compiler: Compiler, flags: Sequence[str], scratch: Path
) -> None:
    """Refuses a file that is no C by itself: its errors would be those of every candidate.

    Raises:
        CompileError: with the errors.
    """
    said = compiler.run(
        [
            *flags,
            *(f"-I{include_folder}" for include_folder in code.include_folders),
            "-fsyntax-only",
            "-x",
            "c",
            str(file.path),
        ],
        scratch,
        f"{compiler.name}, reading {file.given},",
    )
    if said.code:
        raise CompileError(
            f"{file.given} is not compiled by {compiler.name}",
            complaints(said, [(str(file.path), file.given)]),
        )


def _best(tried: Sequence[Prototype], wrong: set[str]) -> list[Prototype]:
    """Of each signature the widest length; writable inputs only if nothing else fits."""
    for writable in (False, True):
        found: dict[Signature, Prototype] = {}
        for number, prototype in enumerate(tried):
            if str(number) not in wrong and prototype.writable_inputs is writable:
                found.setdefault(prototype.signature, prototype)
        if found:
            return list(found.values())
    return []


def _probe(function: str, tried: Sequence[Prototype], types: Sequence[str]) -> Iterator[str]:
    """The lines of the file, after the user's source."""
    for warning in _ERRORS:
        yield f'#pragma GCC diagnostic error "{warning}"'
    yield f'#line 1 "{_MARK}_declared"'
    yield f"int {_MARK}_declared(void) {{ return sizeof(__typeof__(&{function})) != 0; }}"
    yield f'#line 1 "{_MARK}_{_CONTROL}"'
    yield f"int {_MARK}_control(void) {{ return {_MARK}_nowhere; }}"
    for number, (prototype, length_type) in enumerate(zip(tried, types, strict=True)):
        constant = "" if prototype.writable_inputs else "const "
        call = prototype.signature.call(function, 32, key_length="16")
        yield f'#line 1 "{_MARK}_{number}"'
        yield (
            f"void {_MARK}_{number}({constant}unsigned char *jm_in, {length_type} jm_length, "
            f"unsigned char *jm_out, {constant}unsigned char *jm_key) {{ {call}; }}"
        )
    yield ""
