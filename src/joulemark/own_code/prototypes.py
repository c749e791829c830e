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
from typing import Final, Literal

from joulemark.errors import UsageError
from joulemark.foreign.text import shortened
from joulemark.own_code.building import Code, CompileError, SourceFile, Toolchain, complaints
from joulemark.spelling import did_you_mean

# Signatures: the orders in which functions take message, length, output and key.
#
# Types are not part of a signature: the compiler converts lengths of any width and pointers to
# bytes of any name. A signature whose types it does not convert does not fit.

Keyed = Literal["hash", "mac"]
"""The kinds of algorithms that `joulemark add` takes: without a key, and with one."""

_EXPRESSIONS: Final = {
    "in": "jm_in",
    "len": "jm_length",
    "inbits": "8 * jm_length",
    "out": "jm_out",
    "outlen": "{output_bytes}",
    "outbits": "8 * {output_bytes}",
    "key": "jm_key",
    "keylen": "{key_length}",
}
"""Word of a signature -> the argument in C. Variables have a prefix, since a short name may be that
of a user's macro."""
_LENGTHS: Final = frozenset({"len", "inbits"})


@dataclass(frozen=True, slots=True)
class Signature:
    """The arguments of a function, in their order."""

    words: tuple[str, ...]

    @property
    def text(self) -> str:
        """The signature as `--signature` takes it."""
        return ",".join(self.words)

    def call(self, function: str, output_bytes: int, key_length: str = "jm_key_length") -> str:
        """The call in C, where `jm_in`, `jm_length`, `jm_out` and `jm_key` are variables."""
        arguments = (
            _EXPRESSIONS[word].format(output_bytes=output_bytes, key_length=key_length)
            for word in self.words
        )
        return f"{function}({', '.join(arguments)})"


def _known(*texts: str) -> tuple[Signature, ...]:
    return tuple(Signature(tuple(text.split(","))) for text in texts)


KNOWN: Final[dict[Keyed, tuple[Signature, ...]]] = {
    "hash": _known(
        "out,in,len",  # crypto_hash of eBACS
        "in,len,out",
        "in,out,len",
        "out,outlen,in,len",
        "in,len,out,outlen",
        "out,len,in",
        "outbits,in,inbits,out",  # Hash of the SHA-3 competition
    ),
    "mac": _known(
        "out,in,len,key",  # crypto_auth and crypto_onetimeauth of eBACS
        "key,keylen,in,len,out",
        "in,len,key,keylen,out",
        "out,in,len,key,keylen",
        "in,len,key,out",
        "key,in,len,out",
        "out,key,in,len",
        "in,len,out,key",
        "out,key,keylen,in,len",
        "key,keylen,in,len,out,outlen",
        "in,len,key,out,outlen",  # the reference code of SipHash
        "out,outlen,in,len,key,keylen",  # BLAKE2 with a key
        "out,outlen,key,keylen,in,len",
    ),
}
"""Signatures that are tried if none is named; the first that gives right answers is taken."""


def parse_signature(text: str, kind: Keyed) -> Signature:
    """The signature of a text; its words may have any order, not only those of KNOWN."""
    words = tuple(word.strip() for word in text.split(","))
    for word in words:
        if word not in _EXPRESSIONS:
            raise UsageError(
                f"--signature {shortened(text)}: there is no '{shortened(word)}'"
                f"{did_you_mean(word, _EXPRESSIONS)}; write the arguments in their order, with a "
                f"comma between them: {', '.join(_EXPRESSIONS)}"
            )
        if words.count(word) > 1:
            raise UsageError(f"--signature {shortened(text)}: '{word}' occurs twice")
    keyed = {"key", "keylen"} & set(words)
    missing = [word for word in ("in", "out") if word not in words]
    if not _LENGTHS & set(words):
        missing.append("len")
    if kind == "mac" and "key" not in words:
        missing.append("key")
    if missing:
        raise UsageError(f"--signature {shortened(text)}: {' and '.join(missing)} is missing")
    if kind == "hash" and keyed:
        raise UsageError(
            f"--signature {shortened(text)}: a hash takes no key; leave out "
            f"{' and '.join(sorted(keyed))}, or name a MAC with --algorithm"
        )
    return Signature(words)


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

    They have the order of the candidates; None if the file does not declare the function.
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
        f"{compiler.name}, asking how {code.function} is called,",
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
            f"unsigned char *jm_out, {constant}unsigned char *jm_key) {{ {call}; }}"
        )
    yield ""
