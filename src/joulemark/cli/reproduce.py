# SPDX-License-Identifier: Apache-2.0
"""The command of any study, made of its `STUDY`: `joulemark reproduce PAPER`."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from joulemark.catalogue import data_folder
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import (
    DEFAULT_PROC,
    DEFAULT_STORE,
    DEFAULT_SYSFS,
    ENERGY_ROUNDS_OPTION,
    ENERGY_WINDOW_OPTION,
    FOREIGN_LIMIT_OPTION,
    JSON_OPTION,
    METER_OPTION,
    PROC_OPTION,
    STORE_OPTION,
    SYSFS_OPTION,
    EnergyOptions,
    TreeOptions,
)
from joulemark.cli.shared.progress import PointProgress, RunProgress
from joulemark.cli.shared.terminal import (
    heading,
    print_table,
    print_text,
    say_on_terminal,
    sentences,
)
from joulemark.cli.table import InterruptedRunError
from joulemark.environment import capture
from joulemark.environment.facts import Environment
from joulemark.errors import UnavailableError
from joulemark.hardware.flow.cache import CACHE_VARIABLE, default_folder
from joulemark.measure.inventory import Inventory, inventory_of
from joulemark.measure.plan import EnergyPlan
from joulemark.store.local_first import store_to_measure
from joulemark.studies.equipment import (
    CoreEquipment,
    CpuEquipment,
    memory_of,
    on_netlists,
    prepare_folder,
    reporter,
    write_files,
)
from joulemark.studies.study import PaperStudy, StudyOutcome

# The outcome of a study on the terminal.

_DIGIT: Final = re.compile(r"[0-9]")


def show_outcome(outcome: StudyOutcome, paths: Sequence[Path], *, json_: bool) -> None:
    """Prints the outcome as text or JSON, and where its files are."""
    if json_:
        typer.echo(outcome.model_dump_json(indent=2, exclude={"charts"}))
    else:
        _print(outcome)
    for path in paths:
        print_text(f"written: {path}", err=True)
    if outcome.missing:
        raise UnavailableError(f"{'; '.join(outcome.missing)} (the rest was done and stands)")


def _print(outcome: StudyOutcome) -> None:
    """Prints the answer, the claims and the tables as text."""
    heading(outcome.counts)
    sentences([f"{outcome.study}: {outcome.title}"], indent=2)
    sentences([outcome.done, outcome.summary])
    for note in [*outcome.missing, *outcome.notes]:
        print_text(f"  - {note}")
    typer.echo("")
    heading("Claims")
    for claim in outcome.claims:
        print_text(f"  {claim.verdict.value.upper()}: {claim.text} ({claim.place})")
        ground = "" if claim.ground.value == claim.verdict.value else f"{claim.ground.value}. "
        print_text(f"    {ground.capitalize()}{claim.why}")
    for table in outcome.tables:
        typer.echo("")
        heading(table.title)
        print_text(f"  {table.caption}")
        cells = list(zip(*table.texts(), strict=True))
        words = [place for place, texts in enumerate(cells) if not _DIGIT.search("".join(texts))]
        told = [place for place, heading in enumerate(table.headings) if heading.prose]
        right = [place for place in range(1, len(table.headings)) if place not in told]
        print_table(table, right=right, prose=sorted({0, *words, *told}))


# Options of every study that measures on this machine's CPU, and what it measures with.


@dataclass(frozen=True, slots=True)
class CpuStudyOptions:
    """Where files and samples go."""

    output: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for the page, the figures and the raw series; named as the paper "
            "unless given.",
        ),
    ] = None
    json_: Annotated[bool, JSON_OPTION] = False
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE

    def energy_plan(self) -> EnergyPlan | None:
        """Returns how energy is metered; None for a study that meters none."""
        return None

    @contextmanager
    def equipment(self, folder: Path, environment: Environment) -> Iterator[CpuEquipment]:
        """What this machine can run, the opened store, and the progress on the terminal.

        Args:
            folder: for the files of the study; it is made.
            environment: this machine.
        """
        energy = self.energy_plan()
        prepare_folder(folder)
        with store_to_measure(self.store) as store, RunProgress() as progress:
            try:
                yield CpuEquipment(
                    inventory=inventory_of(),
                    store=store,
                    environment=environment,
                    folder=folder,
                    energy=energy,
                    observer=progress,
                    say=lambda text: progress.tell(f"measuring: {text}"),
                    progress=progress.move,
                )
            except KeyboardInterrupt:
                raise InterruptedRunError(
                    f"stopped; finished parts are in {folder} and samples in {store.keep()}, and "
                    "the same command goes on"
                ) from None


@dataclass(frozen=True, slots=True)
class MeteredCpuStudyOptions(CpuStudyOptions):
    """The same, and the meter with its windows."""

    meter: Annotated[str | None, METER_OPTION] = None
    energy_rounds: Annotated[int, ENERGY_ROUNDS_OPTION] = 5
    energy_window: Annotated[float | None, ENERGY_WINDOW_OPTION] = None
    foreign_limit: Annotated[str, FOREIGN_LIMIT_OPTION] = "1%"
    sysfs: Annotated[Path, SYSFS_OPTION] = DEFAULT_SYSFS
    proc: Annotated[Path, PROC_OPTION] = DEFAULT_PROC

    def energy_plan(self) -> EnergyPlan | None:
        """Returns how energy is metered."""
        metering = EnergyOptions(
            meter=self.meter,
            energy_rounds=self.energy_rounds,
            energy_window=self.energy_window,
            foreign_limit=self.foreign_limit,
        )
        return metering.metering(TreeOptions(self.sysfs, self.proc))


# Options of every study of hardware cores, and the core flow that they lead to.


@dataclass(frozen=True, slots=True)
class CoreStudyOptions:
    """Where the files go, and where finished points are kept."""

    output: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for the page and the figures; named as the paper unless given.",
        ),
    ] = None
    cache: Annotated[
        Path | None,
        typer.Option(
            envvar=CACHE_VARIABLE,
            metavar="DIR",
            help="Where finished points are kept, so that the same command goes on; "
            "joulemark/cores in the user's cache folder unless given.",
        ),
    ] = None
    json_: Annotated[bool, JSON_OPTION] = False

    @contextmanager
    def equipment(self, folder: Path, _environment: Environment) -> Iterator[CoreEquipment]:
        """The core flow, which keeps every finished point."""
        prepare_folder(folder)
        cache = self.cache or default_folder()
        try:
            with PointProgress() as progress:
                yield CoreEquipment(
                    lambda seeds: reporter(cache, seeds=seeds, observe=progress.observed),
                    memory_of,
                    partial(on_netlists, say=say_on_terminal),
                )
        except KeyboardInterrupt:
            raise InterruptedRunError(
                f"stopped; finished points are in {cache}, and the same command goes on"
            ) from None


_OPTIONS_BY_EQUIPMENT: Final = {
    "cpu": CpuStudyOptions,
    "metered cpu": MeteredCpuStudyOptions,
    "cores": CoreStudyOptions,
}


def conditions_of(
    name: str, environment: Environment, inventory: Inventory | None
) -> dict[str, str]:
    """Facts of the call and of this machine, as far as they are known.

    Args:
        name: of the study.
        environment: this machine.
        inventory: what is measured; None for a study of cores, whose reports name their tools.
    """
    numbers = {
        "family": environment.cpu_family,
        "model": environment.cpu_model_number,
        "stepping": environment.cpu_stepping,
    }
    cpu = [environment.cpu_model]
    cpu += [f"{word} {number}" for word, number in numbers.items() if number is not None]
    virtual = environment.virtualised
    built = set()
    if inventory is not None:
        built = {
            f"{kernel.compiler}, {kernel.flags}"
            for kernel in inventory.facts.values()
            if kernel.provider == "joulemark" and kernel.compiler
        }
    arguments = sys.argv[1:]
    known = {
        "command": shlex.join(
            ["joulemark", *(arguments if name in arguments else ["reproduce", name])]
        ),
        "CPU": ", ".join(filter(None, cpu)),
        "CPUs that may be used": str(environment.usable_cpus or ""),
        "virtual machine": "" if virtual is None else "yes" if virtual else "no",
        "kernel": environment.kernel_release,
        "system": ", ".join(filter(None, [environment.os_name, environment.c_library])),
        "compiler and flags of our kernels": "; ".join(sorted(built)),
        "Python": environment.python_version,
        "Joulemark": environment.joulemark_version,
        "commit": built_from(),
    }
    return {fact: value for fact, value in known.items() if value}


def built_from() -> str:
    """Returns the commit that Joulemark was built from; empty where it was built without git."""
    try:
        return data_folder("commit.txt").read_text("utf-8").strip()
    except OSError:
        return ""


def _time_words(seconds: float) -> str:
    """Writes a time that is known roughly, as in "20 s", "4 min" or "3 h"."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


def command_of(name: str, summary: str, study: PaperStudy[Any, Any, Any, Any]) -> Command:
    """The command of a study. It has the study's options, then those of its equipment."""

    def command(*, options: Any, place: Any) -> None:
        study.check(options)
        print_text(
            f"{name} takes about {_time_words(study.seconds(options))} on a quiet machine", err=True
        )
        folder = place.output or Path(name)
        environment = capture()
        machine = str(environment.as_dict().get("cpu_model") or "an unnamed CPU")
        with place.equipment(folder, environment) as equipment:
            conditions = conditions_of(name, environment, getattr(equipment, "inventory", None))
            outcome = study.reproduce(options, equipment, machine=machine, conditions=conditions)
        show_outcome(outcome, write_files(outcome, folder), json_=place.json_)

    command.__name__, command.__doc__ = name, summary
    place = _OPTIONS_BY_EQUIPMENT[study.equipment]
    command.__annotations__ = {"options": study.options, "place": place, "return": None}
    return Command(
        command, study.examples, notes=(f"\b\nExit codes:\n{study.exit_codes}",), options_once=True
    )
