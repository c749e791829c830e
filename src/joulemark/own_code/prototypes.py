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
from itertools import product
from typing import Final

from joulemark.errors import UsageError
from joulemark.foreign import did_you_mean
from joulemark.own_code import (
    KNOWN,
    KNOWN_STREAMS,
    Code,
    Keyed,
    Signature,
    SourceFile,
    identifiers_in,
)
from joulemark.own_code.building import CompileError, Toolchain, complaints, symbol_bytes

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
    code: Code,
    declared_in: SourceFile,
    candidates: Sequence[Signature],
    tools: Toolchain,
    function: str | None = None,
) -> list[Prototype] | None:
    """The ways in which a function can be called; if some have constant inputs, these alone.

    They have the order of the candidates, which are of one function each; None if the file does
    not declare the function.

    Args:
        code: all files.
        declared_in: the file that is read.
        candidates: signatures.
        tools: compiler and flags.
        function: one of a stream; None: the function of the code.
    """
    function = function or code.function
    tried = [
        (Prototype(candidate, most, writable), length_type)
        for candidate in candidates
        for writable in (False, True)
        for length_type, most in _LENGTH_TYPES
    ]
    compiler = tools.compiler
    probe = tools.scratch / "probe.c"
    probe.write_text("\n".join(_probe(function, tried)), "utf-8")
    _require_sound(declared_in, code, tools)
    unlimited = ("-ferror-limit=0",) if "clang" in compiler.version else ("-fmax-errors=0",)
    said = compiler.run(
        [
            *tools.flags,
            "-Wno-error",
            *unlimited,
            *code.include_flags,
            "-include",
            str(declared_in.path),
            "-fsyntax-only",
            str(probe),
        ],
        tools.scratch,
        f"{compiler.name}, asking how {function} is called,",
        tools.folder,
    )
    wrong = set(_OF_OURS.findall(said.errors))
    if _CONTROL not in wrong:
        raise CompileError(
            f"{compiler.name} does not report errors as gcc and clang do; name one of these with "
            "--compiler",
            complaints(said),
        )
    if "declared" in wrong:
        return None
    return _best([prototype for prototype, _ in tried], wrong)


def _require_sound(file: SourceFile, code: Code, tools: Toolchain) -> None:
    """Refuses a file that has errors by itself: they would be those of every candidate."""
    said = tools.compiler.run(
        [*tools.flags, *code.include_flags, "-fsyntax-only", "-x", "c", str(file.path)],
        tools.scratch,
        f"{tools.compiler.name}, reading {file.given},",
        tools.folder,
    )
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
            f"unsigned char *jm_out, {constant}unsigned char *jm_key, void *jm_context) "
            f"{{ {call}; }}"
        )
    yield ""


def _fitting_calls(
    code: Code, declared_in: SourceFile, candidates: Sequence[Sequence[Signature]], tools: Toolchain
) -> list[list[Prototype]] | str:
    """The ways in which each function of the code can be called; or one that is not declared."""
    found = []
    for function, signatures in zip(code.functions, candidates, strict=True):
        fitting = fitting_prototypes(code, declared_in, signatures, tools, function)
        if fitting is None:
            return function
        found.append(fitting)
    return found


def _combined(found: Sequence[Sequence[Prototype]]) -> list[Prototype]:
    """The ways to call all functions, from those of each of them."""
    return [
        Prototype(
            Signature(tuple(step.signature.calls[0] for step in steps)),
            min((step.most_bytes for step in steps if step.most_bytes is not None), default=None),
            any(step.writable_inputs for step in steps),
        )
        for steps in product(*found)
    ]


# Which of them fit: of a function, or of the three of a stream together.


class UndeclaredError(UsageError):
    """No file declares the function."""


_MOST_TRIED: Final = 6
"""Most signatures of a function that are tried; more fit only one without parameters."""
_PURPOSES: Final = {1: "a {kind}", 3: "such a part of a {kind}"}
"""Number of functions -> what each of them is."""


def prototypes_of(
    code: Code, kind: Keyed, given: Signature | None, tools: Toolchain
) -> tuple[SourceFile, Sequence[Prototype]]:
    """The file that declares the function, and the ways in which it can be called, at least one."""
    steps: Sequence[Sequence[Signature]] = KNOWN_STREAMS[kind]
    if given is not None:
        steps = [[Signature((words,))] for words in given.calls]
    elif len(code.functions) == 1:
        steps = [KNOWN[kind]]
    undeclared = code.functions[0]
    for file in (source for source in code.files if source.declares):
        found = _fitting_calls(code, file, steps, tools)
        if not isinstance(found, str):
            break
        undeclared = found
    else:
        near = did_you_mean(undeclared, identifiers_in(code.files) - {undeclared})
        raise UndeclaredError(f"no function {undeclared} is declared in {code.file_names}{near}")
    for function, fitting, tried in zip(code.functions, found, steps, strict=True):
        known = "; ".join(signature.text for signature in tried)
        if not fitting and given is not None:
            raise UsageError(
                f"{function} cannot be called as --signature {known}: its declaration in "
                f"{file.given} has other parameters"
            )
        if not fitting:
            raise UsageError(
                f"{function} takes its arguments in no order that is known for "
                f"{_PURPOSES[len(code.functions)].format(kind=kind)} ({known}); name the order "
                "with --signature, or write a function around it"
            )
        if len(fitting) > _MOST_TRIED:
            raise UsageError(
                f"the declaration of {function} does not say what it takes; name the order of its "
                f"arguments with --signature, such as one of {known}"
            )
    return file, _combined(found)


# The context of a stream: its type is read in the text of the declaration, and its size is asked of
# the compiler, as the size of an array in an object. A wrong reading does not compile.

_CONTEXT: Final = "joulemark_context"
_PARAMETER: Final = re.compile(
    r"(?P<type>.*?)\s*(?P<stars>\*+)[\s\w]*|(?P<element>.*?)\s*\b\w+\s*(?P<array>\[[^\]]+\])",
    re.DOTALL,
)
_QUALIFIERS: Final = re.compile(r"\b(const|volatile|restrict|__restrict(__)?|register|extern)\b")
_RECORD_CLASS: Final = 12
"""`__builtin_classify_type` of a struct; a union is 13, and numbers and addresses are below."""


def context_bytes_of(
    code: Code, declared_in: SourceFile, signature: Signature, tools: Toolchain
) -> int | None:
    """The size of the context of a stream; None if the file does not have it.

    That is so where the context is a `void *`, bytes of no stated number or an incomplete type.
    """
    said = tools.compiler.run(
        [*tools.flags, *code.include_flags, "-E", "-P", "-x", "c", str(declared_in.path)],
        tools.scratch,
        f"{tools.compiler.name}, reading {declared_in.given},",
        tools.folder,
    )
    init, place = code.functions[0], signature.calls[0].index("ctx")
    for found in re.finditer(rf"\b{re.escape(init)}\s*\(([^;{{}}]*)\)", said.output):
        parameters = found[1].split(",")
        match = _PARAMETER.fullmatch(parameters[place].strip()) if place < len(parameters) else None
        if match is None:
            continue
        name = _QUALIFIERS.sub("", match["type"] or match["element"] or "").strip()
        size = _size_of(name, match["array"] or "", match["stars"] or "", code, declared_in, tools)
        if size is not None:
            return size
    return None


def _size_of(
    name: str, array: str, stars: str, code: Code, declared_in: SourceFile, tools: Toolchain
) -> int | None:
    """The size of a type of C with a number of elements; None if it has none that is stated."""
    if not name or len(stars) > 1:
        return None
    probe, target = tools.scratch / "context.c", tools.scratch / "context.probe"
    lines = [f"unsigned char {_CONTEXT}[sizeof({name}{array})] = {{1}};"]
    if not array:
        is_record = f"__builtin_classify_type(*({name} *)0) >= {_RECORD_CLASS}"
        lines.append(f'_Static_assert({is_record}, "no size is stated");')
    probe.write_text("\n".join([*lines, ""]), "utf-8")
    said = tools.compiler.run(
        [
            *tools.flags,
            "-w",
            "-fno-lto",
            *code.include_flags,
            "-include",
            str(declared_in.path),
            "-c",
            str(probe),
            "-o",
            str(target),
        ],
        tools.scratch,
        f"{tools.compiler.name}, asking for the size of {name},",
        tools.folder,
    )
    return symbol_bytes(target, _CONTEXT) if said.code == 0 and target.is_file() else None
