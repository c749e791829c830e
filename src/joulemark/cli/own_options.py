# SPDX-License-Identifier: Apache-2.0
"""Options about a function of the user's: the function, how it is built, and what comes after."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.catalogue.algorithms import AlgorithmFacts, algorithm_named
from joulemark.cli.kept_plugins import FOLDER_OPTION
from joulemark.cli.shared.completion import algorithm_names
from joulemark.cli.shared.measuring_options import (
    HANG_LIMIT_OPTION,
    INCLUDE_OPTION,
    checked_hang_limit,
)
from joulemark.errors import UsageError
from joulemark.foreign.text import shortened
from joulemark.own_code.prototypes import Keyed, Signature, parse_signature

# The options of `joulemark add`: the function, how it is built, and what comes after.

_FLAGS: Final = "-O3 -march=native -mtune=generic"
"""The usual flags: all instructions of this CPU, and the tuning of none. gcc 12 takes new CPUs for
older ones of the same maker, whose tuning makes scalar code up to five times slower."""
_OF_OTHER_KINDS: Final = re.compile(
    r"-|-o.*|-[cES]|-M.*|-x.*|-fsyntax-only|-###|-{1,2}(help|version|target-help)(=.*)?"
)
"""Flags by which a compiler makes something else than an object, or elsewhere."""
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class FunctionOptions:
    """The function that is added."""

    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...|DIR",
            help="Sources in C or assembler; headers need not be named. Or a folder in the layout "
            "of eBACS.",
        ),
    ]
    function: Annotated[
        str | None, typer.Option(metavar="NAME", help="The function to measure; needed for files.")
    ] = None
    algorithm: Annotated[
        str | None,
        typer.Option(
            help="What it computes: a hash or a MAC of the catalogue (see 'joulemark list'); "
            "needed for files, and for a folder whose path does not say it.",
            autocompletion=algorithm_names,
        ),
    ] = None
    signature: Annotated[
        str | None,
        typer.Option(
            metavar="ORDER",
            help="Order of its arguments, of the words in, len, inbits, out, outlen, outbits, key, "
            "keylen; found by the declaration and the published vectors unless given.",
        ),
    ] = None
    name: Annotated[
        str | None,
        typer.Option(
            metavar="VARIANT",
            help="What it is called after ALGORITHM/; the name of the first file, or of its "
            "folder, unless given.",
        ),
    ] = None

    def is_folder(self) -> bool:
        """Whether implementations in a folder are meant, not a function in files."""
        return self.function is None and Path(self.files[0]).is_dir()

    def function_in_files(self) -> str:
        """The function's name in C."""
        if not any(Path(file).exists() for file in self.files):
            raise UsageError(f"{shortened(self.files[0], 200)}: there is no such file or folder")
        for option, value in (("--function", self.function), ("--algorithm", self.algorithm)):
            if value is None:
                raise UsageError(
                    f"{shortened(self.files[0], 200)}: name the function with --function NAME and "
                    f"what it computes with --algorithm ({option} is missing); a folder in the "
                    "layout of eBACS needs neither"
                )
        if not _IDENTIFIER.fullmatch(self.function or ""):
            raise UsageError(
                f"--function '{shortened(self.function or '')}': this is no name of a function in C"
            )
        return self.function or ""

    def facts(self) -> AlgorithmFacts:
        """The algorithm that was given."""
        facts = algorithm_named(self.algorithm or "")
        if facts.kind == "cipher":
            raise UsageError(
                f"{facts.id} is a cipher, and add takes hashes and MACs; joulemark new plugin "
                f"{facts.id} prints a plugin to put your code into"
            )
        return facts

    def kind(self) -> Keyed:
        """Whether the function takes a key."""
        return "hash" if self.facts().kind == "hash" else "mac"

    def order(self) -> Signature | None:
        """The order of the arguments; None if it was not given."""
        return None if self.signature is None else parse_signature(self.signature, self.kind())

    def variant(self, first: Path) -> str:
        """The name of the implementation after the slash."""
        return first.stem if self.name is None else self.name


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How the code is compiled."""

    compiler: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROGRAM",
            help="gcc, clang or another; may be given several times, and ends the names then. Of "
            "a folder: both, as far as they are here, unless given.",
        ),
    ] = None
    flags: Annotated[
        str | None,
        typer.Option(
            metavar="FLAGS",
            help=f"For the compiler, in quotes; libraries too. {_FLAGS} unless given.",
        ),
    ] = None
    include: Annotated[list[str] | None, INCLUDE_OPTION] = None

    def words(self) -> tuple[str, ...]:
        """The flags, one by one."""
        return flag_words(_FLAGS if self.flags is None else self.flags)


def flag_words(flags: str) -> tuple[str, ...]:
    """The flags of `--flags`, one by one."""
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
    """What follows once the code is right."""

    replace_: Annotated[
        bool, typer.Option("--replace", help="Put it in place of what was added by that name.")
    ] = False
    bench: Annotated[
        bool | None,
        typer.Option(
            "--bench/--no-bench",
            help="Then time it beside ours: files at 64 B, 1 KiB and 16 KiB, only if asked; a "
            "folder at 64, 1536 and 4096 B, into the store, unless --no-bench.",
        ),
    ] = None
    hang_limit: Annotated[float, HANG_LIMIT_OPTION] = 60.0
    folder: Annotated[Path | None, FOLDER_OPTION] = None

    def limit_s(self) -> float:
        """Seconds of `--hang-limit`."""
        return checked_hang_limit(self.hang_limit)
