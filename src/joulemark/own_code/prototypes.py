# SPDX-License-Identifier: Apache-2.0
"""The signatures that a function can have, as the compiler that sees its declaration tells them.

A file includes the user's source and then calls the function once for each candidate, on lines with
names of ours. A candidate fits if the compiler has no error on its line. A parser of C of our own
would stumble over the first macro or typedef.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from joulemark.own_code.building import Toolchain
from joulemark.own_code.compilers import CompileError, complaints
from joulemark.own_code.signature import Signature
from joulemark.own_code.sources import Code, SourceFile

__all__ = ["Prototype", "fitting_prototypes"]

_LENGTH_TYPES: Final[tuple[tuple[str, int | None], ...]] = (
    ("__SIZE_TYPE__", None),
    ("long", None),
    ("unsigned", 2**32 - 1),
    ("int", 2**31 - 1),
    ("unsigned short", 2**16 - 1),
    ("short", 2**15 - 1),
)
"""Types that are tried for the length, and the longest message that each holds; None: any."""
_ERRORS: Final = (
    "-Wincompatible-pointer-types",
    "-Wint-conversion",
    "-Wdiscarded-qualifiers",  # of gcc; with clang a part of the first
    "-Wconversion",
    "-Wsign-conversion",
)
_MARK: Final = "joulemark_probe"
_CONTROL: Final = "control"
"""Name of a line that is an error in any case: a program that does not say so compiles no C."""
_OF_OURS: Final = re.compile(rf"^{_MARK}_(\w+):\d+:.*?error:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Prototype:
    """A way in which a function can be called."""

    signature: Signature
    most_bytes: int | None
    """The longest message whose length its type of length holds; None: any."""
    writable_inputs: bool
    """Whether the function declares its inputs without `const`; they are passed as writable."""


def fitting_prototypes(
    code: Code, declared_in: SourceFile, candidates: Sequence[Signature], tools: Toolchain
) -> list[Prototype] | None:
    """The ways in which the function can be called; if some have constant inputs, these alone.

    Args:
        code: the user's code, with the function's name.
        declared_in: the file that may declare the function.
        candidates: the signatures that are tried.
        tools: the compiler that is asked, the user's flags, and a folder for temporary files.

    Returns:
        Prototypes in the order of the candidates; None if the file does not declare the function.

    Raises:
        CompileError: the file itself has errors.
    """
    tried = [
        (Prototype(candidate, most, writable), length_type)
        for candidate in candidates
        for writable in (False, True)
        for length_type, most in _LENGTH_TYPES
    ]
    compiler = tools.compiler
    probe = tools.scratch / "probe.c"
    probe.write_text("\n".join(_probe(code.function, tried)), "utf-8")
    _require_sound(declared_in, code, tools)
    unlimited = ("-ferror-limit=0",) if "clang" in compiler.version else ("-fmax-errors=0",)
    said = compiler.run(
        [*tools.flags, "-Wno-error", *unlimited, *code.include_flags, "-include",
         str(declared_in.path), "-fsyntax-only", str(probe)],
        tools.scratch, f"{compiler.name}, asking how {code.function} is called,",
    )  # fmt: skip
    wrong = set(_OF_OURS.findall(said.errors))
    if _CONTROL not in wrong:
        raise CompileError(
            f"{compiler.name} does not report errors as gcc and clang do; name one of these with "
            "--compiler", complaints(said),
        )  # fmt: skip
    if "declared" in wrong:
        return None
    return _best([prototype for prototype, _ in tried], wrong)


def _require_sound(file: SourceFile, code: Code, tools: Toolchain) -> None:
    """Refuses a file that has errors by itself: they would be those of every candidate.

    Raises:
        CompileError: the file has errors, which the error holds.
    """
    said = tools.compiler.run(
        [*tools.flags, *code.include_flags, "-fsyntax-only", "-x", "c", str(file.path)],
        tools.scratch, f"{tools.compiler.name}, reading {file.given},",
    )  # fmt: skip
    if said.code:
        raise CompileError(
            f"{file.given} is not compiled by {tools.compiler.name}",
            complaints(said, [(str(file.path), file.given)]),
        )


def _best(tried: Sequence[Prototype], wrong: set[str]) -> list[Prototype]:
    """Each signature with the widest length; writable inputs are taken only if no others fit."""
    for writable in (False, True):
        widest: dict[Signature, Prototype] = {}
        for number, prototype in enumerate(tried):
            if str(number) not in wrong and prototype.writable_inputs is writable:
                widest.setdefault(prototype.signature, prototype)
        if widest:
            return list(widest.values())
    return []


def _probe(function: str, tried: Sequence[tuple[Prototype, str]]) -> Iterator[str]:
    """The lines of the file, after the user's source."""
    for warning in _ERRORS:
        yield f'#pragma GCC diagnostic error "{warning}"'
    yield f'#line 1 "{_MARK}_declared"'
    yield f"int {_MARK}_declared(void) {{ return sizeof(__typeof__(&{function})) != 0; }}"
    yield f'#line 1 "{_MARK}_{_CONTROL}"'
    yield f"int {_MARK}_control(void) {{ return {_MARK}_nowhere; }}"
    for number, (prototype, length_type) in enumerate(tried):
        constant = "" if prototype.writable_inputs else "const "
        call = prototype.signature.call(function, 32, key_length="16")
        yield f'#line 1 "{_MARK}_{number}"'
        yield (
            f"void {_MARK}_{number}({constant}unsigned char *jm_in, {length_type} jm_length, "
            f"unsigned char *jm_out, {constant}unsigned char *jm_key) {{ {call}; }}"
        )
    yield ""
