# SPDX-License-Identifier: Apache-2.0
"""The options of `joulemark check`: two builds or stored runs, and what is asked of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.cli.shared.measuring_options import (
    ALPHA_OPTION,
    DEFAULT_STORE,
    PATTERN_ARGUMENT,
    RUN_OPTION,
    STORE_OPTION,
)
from joulemark.cli.shared.quantities import fraction
from joulemark.errors import UsageError
from joulemark.units import parse_duration

DEFAULT_BUDGET_S: Final = 60.0
_LONGEST_BUDGET_S: Final = 86_400.0


class ComparedQuantity(StrEnum):
    """The quantity that is compared."""

    HOST = "host"
    INSTRUCTIONS = "instructions"


@dataclass(frozen=True, slots=True)
class AskedFiles:
    """Two builds that exist."""

    old: Path
    new: Path


@dataclass(frozen=True, slots=True)
class AskedRevisions:
    """Two revisions that must be built first."""

    old: str
    new: str | None
    build: str
    artifact: str


@dataclass(frozen=True, slots=True)
class BuildPairOptions:
    """The two builds that are compared."""

    old: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The old code: a plugin, libjoulemark.so, or a wheel or virtual environment of "
            "Joulemark.",
        ),
    ] = None
    new: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The new code, in the same form.")
    ] = None
    old_rev: Annotated[
        str | None,
        typer.Option(
            metavar="REVISION",
            help="Git revision of the old code in the repository of this folder; needs --build.",
        ),
    ] = None
    new_rev: Annotated[
        str | None,
        typer.Option(
            metavar="REVISION",
            help="Git revision of the new code; the working tree's tracked files unless given.",
        ),
    ] = None
    build: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="Shell command that builds the plugin, run in a fresh checkout of each revision.",
        ),
    ] = None
    artifact: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="The plugin that --build makes, below the root of the checkout."
        ),
    ] = None

    def asked(self) -> AskedFiles | AskedRevisions | None:
        """The two builds; None if none of the options was given."""
        files = {"--old": self.old, "--new": self.new}
        revisions = {
            "--old-rev": self.old_rev,
            "--new-rev": self.new_rev,
            "--build": self.build,
            "--artifact": self.artifact,
        }
        given = {name: value for name, value in (files | revisions).items() if value is not None}
        if not given:
            return None
        if given.keys() & files.keys() and given.keys() & revisions.keys():
            raise UsageError(
                f"{' and '.join(given)} exclude one another: --old and --new name files, "
                "--old-rev and --build make them"
            )
        needed = set(files) if given.keys() & files.keys() else set(revisions) - {"--new-rev"}
        missing = sorted(needed - given.keys())
        if missing:
            raise UsageError(
                f"{' and '.join(given)} without {' and '.join(missing)}; give both sides"
            )
        if self.old is not None and self.new is not None:
            return AskedFiles(self.old, self.new)
        return AskedRevisions(str(self.old_rev), self.new_rev, str(self.build), str(self.artifact))


@dataclass(frozen=True, slots=True)
class DifferenceOptions:
    """What is measured of the builds, and when their difference counts."""

    patterns: Annotated[list[str] | None, PATTERN_ARGUMENT] = None
    size: Annotated[
        str | None,
        typer.Option(
            help="Message sizes, as for joulemark bench: 64,1KiB. 64 B, 1 KiB and 16 KiB unless "
            "given."
        ),
    ] = None
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Time to measure at most, as in 90s or 5min; it ends sooner when every trial is "
            "decided. 60s unless given.",
        ),
    ] = None
    target: Annotated[
        ComparedQuantity,
        typer.Option(
            help="host (time on this machine), or instructions: counted by the CPU where it may be "
            "read, else by valgrind; exact, and what a shared runner repeats."
        ),
    ] = ComparedQuantity.HOST
    threshold: Annotated[
        str | None,
        typer.Option(
            metavar="DIFFERENCE",
            help="Smallest difference that counts, as 5% or 0.05. 5% unless given; 0% with "
            "--target instructions.",
        ),
    ] = None
    alpha: Annotated[float, ALPHA_OPTION] = 0.05

    @property
    def exact(self) -> bool:
        """Whether instructions are counted, which has no noise."""
        return self.target is ComparedQuantity.INSTRUCTIONS

    def smallest(self) -> float:
        """The smallest difference that counts, as a share."""
        return fraction(self.threshold or ("0%" if self.exact else "5%"), "--threshold")


@dataclass(frozen=True, slots=True)
class StoredOptions:
    """Two stored runs instead of builds."""

    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="RUN_OR_FILE",
            help="Number of a run in the store, or a file from 'joulemark export --raw'.",
        ),
    ] = None
    run: Annotated[int | None, RUN_OPTION] = None
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE


def budget_s(given: str | None) -> float:
    """Seconds of `--budget`; the usual number without it."""
    if given is None:
        return DEFAULT_BUDGET_S
    found = parse_duration(given, "--budget")
    if found > _LONGEST_BUDGET_S:
        raise UsageError(f"--budget {given}: give a length of time of at most 24h")
    return found
