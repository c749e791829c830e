# SPDX-License-Identifier: Apache-2.0
"""The command of any study, made of its `STUDY`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import typer

from joulemark.cli.shared.command import Command
from joulemark.cli.shared.terminal import heading, print_table, sentences
from joulemark.environment import capture
from joulemark.errors import UnavailableError
from joulemark.studies.files import write_files
from joulemark.studies.study import PaperStudy, StudyOutcome

# The outcome of a study on the terminal.


def show_outcome(outcome: StudyOutcome, paths: Sequence[Path], *, json_: bool) -> None:
    """Prints the outcome as text or JSON, and where its files are."""
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
        print_table(table, right=range(1, len(table.headings)))


def command_of(name: str, summary: str, study: PaperStudy[Any, Any, Any, Any]) -> Command:
    """The command of a study. It has the study's options, then those of its equipment.

    Args:
        name: of the study.
        summary: first line of the help.
        study: says the rest.
    """

    def command(*, options: Any, place: Any) -> None:
        study.check(options)
        folder = place.output or Path(name)
        environment = capture()
        machine = str(environment.as_dict().get("cpu_model") or "an unnamed CPU")
        with place.equipment(folder, environment) as equipment:
            outcome = study.reproduce(options, equipment, machine=machine)
        show_outcome(outcome, write_files(outcome, folder), json_=place.json_)

    command.__name__, command.__doc__ = name, summary
    place = import_module(f"joulemark.cli.reproduce.{study.equipment}").OPTIONS
    command.__annotations__ = {"options": study.options, "place": place, "return": None}
    return Command(
        command, study.examples, notes=(f"\b\nExit codes:\n{study.exit_codes}",), options_once=True
    )
