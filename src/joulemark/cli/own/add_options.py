# SPDX-License-Identifier: Apache-2.0
"""The options of `joulemark add`: the function, how it is built, and what comes after."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.catalogue.algorithms import Algorithm
from joulemark.catalogue.hmac_over import algorithm_named
from joulemark.cli.own.options import FOLDER_OPTION
from joulemark.cli.shared.completion import algorithm_names
from joulemark.errors import UsageError
from joulemark.foreign.text import shortened
from joulemark.own_code.signature import Keyed, Signature, parse_signature

__all__ = ["AfterOptions", "BuildOptions", "FunctionOptions", "flag_words"]

_FLAGS: Final = "-O3 -march=native -mtune=generic"
"""gcc 12 takes new CPUs for older ones of the same maker, whose tuning makes scalar code up to five
times slower: so all instructions of this CPU, and the tuning of none."""
_OF_OTHER_KINDS: Final = re.compile(
    r"-|-o.*|-[cES]|-M.*|-x.*|-fsyntax-only|-###|-{1,2}(help|version|target-help)(=.*)?"
)
"""Flags by which a compiler makes something else than an object, or elsewhere."""
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class FunctionOptions:
    """What is added."""

    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Sources in C or assembler; headers need not be named.",
            show_default=False,
        ),
    ]
    function: Annotated[
        str, typer.Option(metavar="NAME", help="The function to measure.", show_default=False)
    ]
    algorithm: Annotated[
        str,
        typer.Option(
            help="What it computes: a hash or a MAC of the catalogue (see 'joulemark list').",
            show_default=False,
            autocompletion=algorithm_names,
        ),
    ]
    signature: Annotated[
        str | None,
        typer.Option(
            metavar="ORDER",
            help="Order of its arguments, of the words in, len, inbits, out, outlen, outbits, key, "
            "keylen; found by the declaration and the published vectors unless given.",
            show_default=False,
        ),
    ] = None
    name: Annotated[
        str | None,
        typer.Option(
            metavar="VARIANT",
            help="What it is called after ALGORITHM/; the first file's name unless given.",
            show_default=False,
        ),
    ] = None

    def facts(self) -> Algorithm:
        """The algorithm.

        Raises:
            UsageError: it is not in the catalogue, or a cipher; or the function has no name.
        """
        facts = algorithm_named(self.algorithm)
        if facts.kind == "cipher":
            raise UsageError(
                f"{facts.id} is a cipher, and add takes hashes and MACs; joulemark new plugin "
                f"{facts.id} prints a plugin to put your code into"
            )
        if not _IDENTIFIER.fullmatch(self.function):
            raise UsageError(
                f"--function '{shortened(self.function)}': this is no name of a function in C"
            )
        return facts

    def kind(self) -> Keyed:
        """Whether it takes a key."""
        return "hash" if self.facts().kind == "hash" else "mac"

    def order(self) -> Signature | None:
        """The signature, if it was given.

        Raises:
            UsageError: it is none.
        """
        return None if self.signature is None else parse_signature(self.signature, self.kind())

    def variant(self, first: Path) -> str:
        """The name after the slash."""
        return first.stem if self.name is None else self.name


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How it is compiled."""

    compiler: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROGRAM",
            help="gcc, clang or another; may be given several times, and ends the names then.",
            show_default=False,
        ),
    ] = None
    flags: Annotated[
        str, typer.Option(metavar="FLAGS", help="For the compiler, in quotes; libraries too.")
    ] = _FLAGS
    include: Annotated[
        list[str] | None,
        typer.Option(
            "--include",
            "-I",
            metavar="DIR",
            help="Folder of headers; may be given several times.",
            show_default=False,
        ),
    ] = None

    def words(self) -> tuple[str, ...]:
        """The flags, one by one.

        Raises:
            UsageError: they make no sense.
        """
        return flag_words(self.flags)


def flag_words(flags: str) -> tuple[str, ...]:
    """The flags of `--flags`, one by one.

    Raises:
        UsageError: a quote is not closed, a flag says what is to be made instead of how, or it is
            no text.
    """
    try:
        words = tuple(shlex.split(flags))
    except ValueError as error:
        raise UsageError(f"--flags {shortened(flags)}: {str(error).lower()}; close it") from None
    if "\0" in flags or any("\ud800" <= sign <= "\udfff" for sign in flags):
        raise UsageError(f"--flags {shortened(flags)}: this is no text in UTF-8")
    for word in filter(_OF_OTHER_KINDS.fullmatch, words):
        raise UsageError(
            f"--flags {shortened(flags)}: leave out {shortened(word)}; what is made, and where, is "
            "told to the compiler by Joulemark"
        )
    return words


@dataclass(frozen=True, slots=True)
class AfterOptions:
    """What becomes of it."""

    replace_: Annotated[
        bool, typer.Option("--replace", help="Put it in place of what was added by that name.")
    ] = False
    bench: Annotated[
        bool, typer.Option("--bench", help="Then time it at 64 B, 1 KiB and 16 KiB beside ours.")
    ] = False
    hang_limit: Annotated[
        float, typer.Option(help="Seconds without an answer after which code counts as hung.")
    ] = 60.0
    folder: Annotated[Path | None, FOLDER_OPTION] = None

    def limit_s(self) -> float:
        """Seconds of `--hang-limit`.

        Raises:
            UsageError: it is no time.
        """
        if not 0 < self.hang_limit < float("inf"):
            raise UsageError(f"--hang-limit {self.hang_limit}: give a number of seconds above 0")
        return self.hang_limit
