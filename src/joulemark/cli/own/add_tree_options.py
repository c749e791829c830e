# SPDX-License-Identifier: Apache-2.0
"""The options of `joulemark add DIR`: what its code computes, how it is built, and the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from joulemark.cli.shared.measuring_options import DEFAULT_STORE, JSON_OPTION, STORE_OPTION
from joulemark.errors import UsageError
from joulemark.foreign.text import shortened
from joulemark.own_code.ebacs.layout import named
from joulemark.own_code.tuning.candidates import FLAG_SETS, USUAL, FlagSet
from joulemark.spelling import did_you_mean

_ALL = "all"


@dataclass(frozen=True, slots=True)
class EbacsOptions:
    """Options for a folder alone."""

    primitive: Annotated[
        str | None,
        typer.Option(
            metavar="OPERATION/NAME",
            help="What eBACS calls the function, such as crypto_hash/sha256; for a folder whose "
            "path does not say it.",
        ),
    ] = None
    flag_set: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="For a folder: a set of flags, one of "
            f"{', '.join(flags.name for flags in FLAG_SETS)}; several, or {_ALL}.",
        ),
    ] = None
    again: Annotated[
        bool, typer.Option("--again", help="For a folder: try again what was tried before, too.")
    ] = False
    as_json: Annotated[bool, JSON_OPTION] = False
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE

    def given(self) -> str | None:
        """The first option given that files do not have; None if there is none."""
        found = {
            "--primitive": self.primitive,
            "--flag-set": self.flag_set,
            "--again": self.again,
            "--json": self.as_json,
        }
        return next((name for name, value in found.items() if value), None)

    def function(self) -> str | None:
        """The function that `--primitive` names, checked for its form."""
        return None if self.primitive is None else named(self.primitive)

    def sets(self, flags: tuple[str, ...] | None) -> tuple[FlagSet, ...]:
        """The sets of flags that are tried.

        Args:
            flags: of `--flags`; None: not given.
        """
        if flags is not None:
            if self.flag_set:
                raise UsageError("--flags and --flag-set exclude each other")
            return (FlagSet("given", flags, "asked for"),)
        known = {flag_set.name: flag_set for flag_set in FLAG_SETS}
        asked = dict.fromkeys(self.flag_set or (USUAL.name,))
        if _ALL in asked:
            return FLAG_SETS
        for name in asked:
            if name not in known:
                raise UsageError(
                    f"--flag-set {shortened(name)}: there is no such set"
                    f"{did_you_mean(name, known)} ({', '.join(known)}, {_ALL})"
                )
        return tuple(known[name] for name in asked)
