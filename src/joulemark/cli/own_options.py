# SPDX-License-Identifier: Apache-2.0
"""What commands about a user's code share, and `joulemark added` and `joulemark remove`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from joulemark.catalogue import AlgorithmFacts, algorithm_named
from joulemark.cli.plugins import FOLDER_OPTION, folder_of
from joulemark.cli.shared.completion import algorithm_names
from joulemark.cli.shared.measuring_options import (
    HANG_LIMIT_OPTION,
    INCLUDE_OPTION,
    checked_hang_limit,
)
from joulemark.errors import UsageError
from joulemark.foreign import shortened
from joulemark.own_code import STEPS, Code, Keyed, folders_of, parse_signature, source_files
from joulemark.own_code.adding import MOST_CONTEXT_BYTES, CodeRequest

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
class NamedFunction:
    """A function of the user's."""

    function: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The function to measure, or init, update and final of a stream with commas "
            "between them, as in sip_init,sip_update,sip_final; needed for files.",
        ),
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
            "keylen; of a stream ctx too, as in ctx,key/ctx,in,len/ctx,out. Found by the "
            "declaration and the published vectors unless given.",
        ),
    ] = None
    context_bytes: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_CONTEXT_BYTES,
            metavar="N",
            help="Size of the context of a stream; found by the declaration of init unless given.",
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

    @property
    def given(self) -> str | None:
        """The first of these options that was given."""
        values = {
            "--function": self.function,
            "--algorithm": self.algorithm,
            "--signature": self.signature,
            "--context-bytes": self.context_bytes,
            "--name": self.name,
        }
        return next((name for name, value in values.items() if value), None)

    def request(
        self, files: Sequence[str], hang_limit_s: float, place: Path | None, *, replace_: bool
    ) -> CodeRequest:
        """The implementation that is to be made of the function in these files, without flags."""
        self._require_function(files)
        facts = self.facts()
        kind: Keyed = "hash" if facts.kind == "hash" else "mac"
        streams = len(self.functions) > 1
        if self.context_bytes is not None and not streams:
            raise UsageError(
                "--context-bytes is of a stream: name init, update and final with --function, as "
                "in sip_init,sip_update,sip_final"
            )
        return CodeRequest(
            facts,
            kind,
            Path(files[0]).stem if self.name is None else self.name,
            None
            if self.signature is None
            else parse_signature(self.signature, kind, stream=streams),
            (),
            checked_hang_limit(hang_limit_s),
            folder_of(place),
            self.context_bytes,
            replace_,
        )

    def _require_function(self, files: Sequence[str]) -> None:
        """Refuses what names no function in C, or no algorithm."""
        for option, value in (("--function", self.function), ("--algorithm", self.algorithm)):
            if value is None:
                raise UsageError(
                    f"{shortened(files[0], 200)}: name the function with --function NAME and "
                    f"what it computes with --algorithm ({option} is missing); a folder in the "
                    "layout of eBACS needs neither"
                )
        names = self.functions
        for name in names:
            if not _IDENTIFIER.fullmatch(name):
                raise UsageError(
                    f"--function '{shortened(name)}': this is no name of a function in C"
                )
        if len(names) not in (1, len(STEPS)) or len(set(names)) < len(names):
            raise UsageError(
                f"--function {shortened(self.function or '')}: name one function, or init, update "
                "and final of a stream"
            )

    @property
    def functions(self) -> list[str]:
        """The names of the function, or of those of a stream."""
        return [name.strip() for name in (self.function or "").split(",")]

    def facts(self) -> AlgorithmFacts:
        """The algorithm that was given."""
        facts = algorithm_named(self.algorithm or "")
        if facts.kind == "cipher":
            raise UsageError(
                f"{facts.id} is a cipher, and add takes hashes and MACs; joulemark new plugin "
                f"{facts.id} prints a plugin to put your code into"
            )
        return facts


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionOptions(NamedFunction):
    """The function that is added, and where it is."""

    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...|DIR",
            help="Sources in C or assembler; headers need not be named. Or a folder in the layout "
            "of eBACS.",
        ),
    ]

    def is_folder(self) -> bool:
        """Whether implementations in a folder are meant, not a function in files."""
        return self.function is None and Path(self.files[0]).is_dir()

    def code_and_request(
        self,
        include: Sequence[str] | None,
        hang_limit_s: float,
        place: Path | None,
        *,
        replace_: bool,
    ) -> tuple[Code, CodeRequest]:
        """The code in files, and the implementation that is to be made of it, without flags."""
        if not any(Path(file).exists() for file in self.files):
            raise UsageError(f"{shortened(self.files[0], 200)}: there is no such file or folder")
        request = self.request(self.files, hang_limit_s, place, replace_=replace_)
        folders = folders_of(include or [])
        return Code(source_files(self.files), folders, ",".join(self.functions)), request


FLAGS_OPTION: Final[Any] = typer.Option(
    metavar="FLAGS", help=f"For the compiler, in quotes; libraries too. {_FLAGS} unless given."
)


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
    flags: Annotated[str | None, FLAGS_OPTION] = None
    include: Annotated[list[str] | None, INCLUDE_OPTION] = None

    def words(self) -> tuple[str, ...]:
        """The flags, one by one."""
        return flag_words(self.flags)


def flag_words(given: str | None) -> tuple[str, ...]:
    """The flags of `--flags`, one by one; the usual ones if there are none."""
    flags = _FLAGS if given is None else given
    try:
        words = tuple(shlex.split(flags))
    except ValueError as error:
        raise UsageError(f"--flags {shortened(flags)}: {str(error).lower()}; close it") from None
    if "\0" in flags or any("\ud800" <= sign <= "\udfff" for sign in flags):
        raise UsageError(f"--flags {shortened(flags)}: this is no text in UTF-8")
    for word in filter(_OF_OTHER_KINDS.fullmatch, words):
        raise UsageError(
            f"--flags {shortened(flags)}: leave out {shortened(word)}; Joulemark itself "
            "tells the compiler what to make, and where"
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
