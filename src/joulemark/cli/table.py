# SPDX-License-Identifier: Apache-2.0
"""The table of commands, and what the command `joulemark` prints without one.

Read by both front ends: `app`, made with typer, and `without_typer`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, cast

from joulemark import __version__
from joulemark.lab import lacking

if TYPE_CHECKING:
    from joulemark.cli.command_group import CommandGroup, PassedOn
    from joulemark.cli.shared.command import Command
    from joulemark.cli.without_typer import BaseCommand

PURPOSE: Final = (
    "What authenticating a message costs on this machine, and code that makes it cost less."
)


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a command is, and its summary."""

    module: str
    """Module that has `COMMAND`; help imports it too."""
    summary: str
    """First sentence of the command's own help; a test compares."""
    body: str | None = None
    """Module whose `carry_out` does the work; None if the command's function does it. The function
    then returns a request, or None if nothing is left to do. The module is imported only for a
    request: neither help nor a refusal waits for it."""

    def command(self) -> Command | CommandGroup | PassedOn:
        """Imports the module, and returns its command."""
        return cast("Command | CommandGroup", import_module(self.module).COMMAND)

    def carry_out(self, request: Any) -> Any:
        """Hands what the command's function returned to the body; returns the exit code."""
        if self.body is None or request is None:
            return request
        return import_module(self.body).carry_out(request)


class BaseEntry(Entry):
    """A command of the base installation, which needs nothing of the laboratory."""

    def base(self) -> BaseCommand:
        """Imports the module, and returns its command."""
        return cast("BaseCommand", import_module(self.module).COMMAND)

    def command(self) -> PassedOn:
        """The command as typer has it."""
        return cast("PassedOn", import_module("joulemark.cli.command_group").PassedOn(self.base()))


@dataclass(frozen=True, slots=True)
class PrintedOption:
    """An option of `joulemark` itself that prints a line, and its help."""

    text: str
    help: str


_C_LIBRARY: Final = Path(__file__).parents[1] / "data" / "c"
"""Where `kernels/mac/CMakeLists.txt` installs headers and library of a wheel."""
PRINTED: Final = {
    "--version": PrintedOption(f"joulemark {__version__}", "Print the version and exit."),
    "--include-dir": PrintedOption(
        str(_C_LIBRARY / "include"), "Print the folder of the C headers and exit."
    ),
    "--library-dir": PrintedOption(
        str(_C_LIBRARY / "lib"), "Print the folder of libjoulemark.a and exit."
    ),
    "--cmake-dir": PrintedOption(
        str(_C_LIBRARY / "lib" / "cmake" / "joulemark"),
        "Print the folder of the CMake package (joulemark_DIR) and exit.",
    ),
}
_RUN: Final = "joulemark.cli.run"
_OWN: Final = "joulemark.cli.own"
_EXPLORER: Final = "joulemark.cli.explorer"
COMMANDS: Final = {
    "list": Entry(f"{_RUN}.listing", "List algorithms and what implements them here."),
    "show": Entry(
        f"{_RUN}.show",
        "Show one algorithm: standard, status, sizes, sources, test vectors, implementations.",
    ),
    "doctor": Entry(
        f"{_RUN}.doctor",
        "Say what can be measured on this machine, how finely, and why not the rest.",
    ),
    "meter": Entry(
        "joulemark.cli.energy.meter", "Show the power of each domain of an energy meter, live."
    ),
    "test": Entry(
        f"{_RUN}.test",
        "Check that implementations are correct, thoroughly and without timing them.",
    ),
    "checksum": Entry(
        f"{_RUN}.checksum",
        "Print the checksum by which eBACS's SUPERCOP knows an algorithm: 64 hexadecimal digits.",
    ),
    "providers": Entry(
        "joulemark.cli.providers.group",
        "Outside libraries: which can be measured here, and plugins that measure them.",
    ),
    "new": Entry("joulemark.cli.new.group", "Print the beginning of code of your own."),
    "add": Entry(
        f"{_OWN}.add",
        "Compile code of yours, check it, and keep it to be measured.",
        body=f"{_OWN}.timing",
    ),
    "tune": Entry(
        f"{_OWN}.tune",
        "Find the compiler and the flags with which a function of yours is fastest here.",
        body=f"{_OWN}.tuning",
    ),
    "added": Entry(f"{_OWN}.added", "List what was added, with compiler, flags and sources."),
    "remove": Entry(f"{_OWN}.remove", "Take away what was added."),
    "bench": Entry(
        "joulemark.cli.bench.bench",
        "Measure implementations on this machine, store every sample, show the figures.",
        body="joulemark.cli.bench.measuring",
    ),
    "footprint": Entry(
        f"{_RUN}.footprint",
        "Show what our kernels take of microcontrollers' memories: code, constants, RAM, stack.",
    ),
    "fleet": Entry(
        "joulemark.cli.fleet.group",
        "Many machines: measure the same on each, as workers of a Dask scheduler.",
    ),
    "sessions": Entry(
        "joulemark.cli.sessions.sessions",
        "Measure a MAC in many sessions at once: absolute and apparent processing, and latencies.",
    ),
    "gather": Entry(
        "joulemark.cli.sessions.gather",
        "Measure batches gathered across sessions: the core time they save, the latency they add.",
    ),
    "energy": Entry(
        "joulemark.cli.energy.energy",
        "Measure the energy of any command: joules with an interval, net of the idle machine.",
    ),
    "compare": Entry(
        "joulemark.cli.compare.compare", "Compare two implementations in one run, or two runs."
    ),
    "check": Entry(
        "joulemark.cli.check.check",
        "Check new code against old code, for continuous integration.",
    ),
    "runs": Entry(f"{_RUN}.runs", "List the runs in the store, the oldest first."),
    "results": Entry(f"{_RUN}.results", "Show a stored run again, as bench did at its end."),
    "choose": Entry(
        f"{_RUN}.choose",
        "Choose a MAC: rank those measured on this machine that do what is required.",
    ),
    "budget": Entry(
        "joulemark.cli.budget",
        "Say which MAC costs a node least energy, and how much of its battery that is.",
    ),
    "import": Entry(
        "joulemark.cli.store.importing",
        "Add runs that other machines exported to the store, each once.",
    ),
    "store": Entry(
        "joulemark.cli.store.group", "Look after stores: copy, check, measure and thin out."
    ),
    "export": Entry(f"{_RUN}.export", "Export a stored run as JSON, CSV, Markdown or a picture."),
    "report": Entry(
        f"{_RUN}.report",
        "Write a stored run as one HTML page with charts, which opens without a network.",
    ),
    "explore": Entry(
        f"{_EXPLORER}.explore",
        "Show the whole store in the browser: machines, runs, algorithms, comparisons, histories.",
    ),
    "publish": Entry(
        f"{_EXPLORER}.publish", "Write the views of the explorer as files for any web server."
    ),
    "tag": BaseEntry(
        "joulemark.cli.tag.tag", "Print the authentication tag of files, in the form of sha256sum."
    ),
    "verify": BaseEntry("joulemark.cli.tag.verify", "Check the authentication tag of a file."),
    "reproduce": Entry(
        "joulemark.cli.reproduce.group",
        "Repeat a paper's experiment here: its figures beside ours, a verdict on each claim.",
    ),
    "core": Entry(
        "joulemark.cli.core.group",
        "Hardware cores: test them, and see their area, clock and power.",
    ),
}


def front_end(first: str) -> ModuleType:
    """The module whose `run` takes a command line that begins with that word.

    `app`, made with typer, or `without_typer` for what needs none, and for all where it is missing.
    """
    if not isinstance(COMMANDS.get(first), BaseEntry):
        try:
            return import_module("joulemark.cli.app")
        except ImportError as error:
            if lacking(error) is None:
                raise
    return import_module("joulemark.cli.without_typer")
