# SPDX-License-Identifier: Apache-2.0
"""The command of any study, made of its `STUDY`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from joulemark.cli.reproduce.outcome import show_outcome
from joulemark.cli.shared.command import Command
from joulemark.environment import capture
from joulemark.studies.files import write_files
from joulemark.studies.study import Study

__all__ = ["command_of"]


def command_of(name: str, summary: str, study: Study[Any, Any, Any, Any]) -> Command:
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
    place = import_module(f"joulemark.cli.reproduce.{study.equipment}").Options
    command.__annotations__ = {"options": study.options, "place": place, "return": None}
    return Command(
        command, study.examples, notes=(f"\b\nExit codes:\n{study.exit_codes}",), options_once=True
    )
