# SPDX-License-Identifier: Apache-2.0
"""The options of `joulemark check` that name two builds, and what they mean together."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import typer

from joulemark.errors import UsageError
from joulemark.units import parse_duration

__all__ = [
    "ACTION_JSON_OPTION",
    "ARTIFACT_OPTION",
    "BASELINE_OPTION",
    "BENCHER_OPTION",
    "BUDGET_OPTION",
    "BUILD_OPTION",
    "CHECK_THRESHOLD_OPTION",
    "DEFAULT_BUDGET_S",
    "JUNIT_OPTION",
    "MARKDOWN_OPTION",
    "NEW_OPTION",
    "NEW_REV_OPTION",
    "OLD_OPTION",
    "OLD_REV_OPTION",
    "SIZE_OPTION",
    "TARGET_OPTION",
    "AskedFiles",
    "AskedRevisions",
    "Target",
    "budget_s",
    "builds_asked",
]

DEFAULT_BUDGET_S: Final = 60.0
_LONGEST_BUDGET_S: Final = 86_400.0

OLD_OPTION: Final[Any] = typer.Option(
    "--old",
    metavar="FILE",
    help="The old code: a plugin, libjoulemark.so, or a wheel or virtual environment of Joulemark.",
    show_default=False,
)
NEW_OPTION: Final[Any] = typer.Option(
    "--new", metavar="FILE", help="The new code, in the same form.", show_default=False
)
OLD_REV_OPTION: Final[Any] = typer.Option(
    "--old-rev",
    metavar="REVISION",
    help="Git revision of the old code in the repository of this folder; needs --build.",
    show_default=False,
)
NEW_REV_OPTION: Final[Any] = typer.Option(
    "--new-rev",
    metavar="REVISION",
    help="Git revision of the new code; the working tree's tracked files unless given.",
    show_default=False,
)
BUILD_OPTION: Final[Any] = typer.Option(
    "--build",
    metavar="COMMAND",
    help="Shell command that builds the plugin, run in a fresh checkout of each revision.",
    show_default=False,
)
ARTIFACT_OPTION: Final[Any] = typer.Option(
    "--artifact",
    metavar="FILE",
    help="The plugin that --build makes, below the root of the checkout.",
    show_default=False,
)
TARGET_OPTION: Final[Any] = typer.Option(
    "--target",
    help="host (time on this machine), or instructions: counted by the CPU where it may be read, "
    "else by valgrind; exact, and what a shared runner repeats.",
)
CHECK_THRESHOLD_OPTION: Final[Any] = typer.Option(
    "--threshold",
    metavar="DIFFERENCE",
    help="Smallest difference that counts, as 5% or 0.05. 5% unless given; 0% with "
    "--target instructions.",
    show_default=False,
)
SIZE_OPTION: Final[Any] = typer.Option(
    "--size",
    help="Message sizes, as for joulemark bench: 64,1KiB. 64 B, 1 KiB and 16 KiB unless given.",
    show_default=False,
)
BUDGET_OPTION: Final[Any] = typer.Option(
    "--budget",
    metavar="TIME",
    help="Time to measure at most, as in 90s or 5min; it ends sooner when every trial is decided. "
    "60s unless given.",
    show_default=False,
)
BASELINE_OPTION: Final[Any] = typer.Option(
    "--baseline",
    metavar="RUN_OR_FILE",
    help="Number of a run in the store, or a file from 'joulemark export --raw'.",
    show_default=False,
)
MARKDOWN_OPTION: Final[Any] = typer.Option(
    "--markdown", help="Print Markdown, for a job summary or a comment, instead of a table."
)
JUNIT_OPTION: Final[Any] = typer.Option(
    "--junit", metavar="FILE", help="Also write JUnit XML.", show_default=False
)
BENCHER_OPTION: Final[Any] = typer.Option(
    "--bencher", metavar="FILE", help="Also write Bencher Metric Format.", show_default=False
)
ACTION_JSON_OPTION: Final[Any] = typer.Option(
    "--action-json",
    metavar="FILE",
    help="Also write what github-action-benchmark reads as customSmallerIsBetter.",
    show_default=False,
)


class Target(StrEnum):
    """What is compared."""

    HOST = "host"
    INSTRUCTIONS = "instructions"


@dataclass(frozen=True, slots=True)
class AskedFiles:
    """Two builds that are there."""

    old: Path
    new: Path


@dataclass(frozen=True, slots=True)
class AskedRevisions:
    """Two revisions that must be built first."""

    old: str
    new: str | None
    build: str
    artifact: str


def builds_asked(
    old: Path | None, new: Path | None, old_rev: str | None, new_rev: str | None,
    build: str | None, artifact: str | None,
) -> AskedFiles | AskedRevisions | None:  # fmt: skip
    """Which two builds the options name; None if none of them was given.

    Raises:
        UsageError: they do not belong together, or one is missing.
    """
    files = {"--old": old, "--new": new}
    revisions = {"--old-rev": old_rev, "--new-rev": new_rev, "--build": build,
                 "--artifact": artifact}  # fmt: skip
    given = {name: value for name, value in (files | revisions).items() if value is not None}
    if not given:
        return None
    if given.keys() & files.keys() and given.keys() & revisions.keys():
        raise UsageError(f"{' and '.join(given)} exclude one another: --old and --new name files, "
                         "--old-rev and --build make them")  # fmt: skip
    needed = set(files) if given.keys() & files.keys() else set(revisions) - {"--new-rev"}
    missing = sorted(needed - given.keys())
    if missing:
        raise UsageError(f"{' and '.join(given)} without {' and '.join(missing)}; give both sides")
    if old is not None and new is not None:
        return AskedFiles(old, new)
    return AskedRevisions(str(old_rev), new_rev, str(build), str(artifact))


def budget_s(given: str | None) -> float:
    """Seconds.

    Raises:
        UsageError: it is no length of time above 0 and at most a day.
    """
    if given is None:
        return DEFAULT_BUDGET_S
    found = parse_duration(given, "--budget")
    if found > _LONGEST_BUDGET_S:
        raise UsageError(f"--budget {given}: give a length of time of at most 24h")
    return found
