# SPDX-License-Identifier: Apache-2.0
"""The outcome of a study on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from joulemark.cli.shared.terminal import columns, heading, sentences
from joulemark.errors import UnavailableError
from joulemark.studies.outcome import StudyOutcome

__all__ = ["show_outcome"]


def show_outcome(outcome: StudyOutcome, paths: Sequence[Path], *, json_: bool) -> None:
    """Prints the outcome as text or JSON, and where its files are.

    Raises:
        UnavailableError: parts that were asked for could not be done; the rest is shown first.
    """
    if json_:
        typer.echo(outcome.model_dump_json(indent=2, exclude={"charts"}))
    else:
        _print(outcome)
    for path in paths:
        typer.echo(f"written: {path}", err=True)
    if outcome.missing:
        raise UnavailableError(f"{'; '.join(outcome.missing)} (the rest was done and stands)")


def _print(outcome: StudyOutcome) -> None:
    """Prints the answer, the claims and the tables as text."""
    heading(f"{outcome.study}: {outcome.title}")
    sentences([outcome.done, outcome.counts, outcome.summary])
    for note in [*outcome.missing, *outcome.notes]:
        typer.echo(f"  - {note}")
    typer.echo("")
    heading("Claims")
    for claim in outcome.claims:
        typer.echo(f"  {claim.verdict.value.upper()}: {claim.text} ({claim.place})")
        ground = "" if claim.ground.value == claim.verdict.value else f"{claim.ground.value}. "
        typer.echo(f"    {ground.capitalize()}{claim.why}")
    for table in outcome.tables:
        typer.echo("")
        heading(table.title)
        typer.echo(f"  {table.caption}")
        columns([table.headings, *table.rows], right=range(1, len(table.headings)))
