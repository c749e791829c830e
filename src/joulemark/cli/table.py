# SPDX-License-Identifier: Apache-2.0
"""The table of commands, and what the command `joulemark` prints without one.

Read by both front ends: `app`, made with typer, and `without_typer`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, cast

from joulemark import __version__
from joulemark.cli.endings import lacking

if TYPE_CHECKING:
    from joulemark.cli.app import PassedOn
    from joulemark.cli.groups import CommandGroup
    from joulemark.cli.shared.command import Command
    from joulemark.cli.without_typer import BaseCommand

PURPOSE: Final = (
    "What authenticating a message costs on this machine, and code that makes it cost less."
)


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a command is, and its summary."""

    place: str
    """Module and name of the command, as in `joulemark.cli.stores:COPY`; help imports it too."""
    summary: str
    """First sentence of the command's own help; a test compares."""

    def command(self) -> Command | CommandGroup | PassedOn:
        """Imports the module, and returns its command."""
        return cast("Command | CommandGroup", resolve_name(self.place))


class BaseEntry(Entry):
    """A command of the base installation, which needs nothing of the laboratory."""

    def base(self) -> BaseCommand:
        """Imports the module, and returns its command."""
        return cast("BaseCommand", resolve_name(self.place))

    def command(self) -> PassedOn:
        """The command as typer has it."""
        return cast("PassedOn", resolve_name("joulemark.cli.app:PassedOn")(self.base()))


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
_CLI: Final = "joulemark.cli"
COMMANDS: Final = {
    "list": Entry(f"{_CLI}.listing:LIST", "List algorithms and what implements them here."),
    "show": Entry(
        f"{_CLI}.listing:SHOW",
        "Show one algorithm: standard, status, sizes, sources, test vectors, implementations.",
    ),
    "doctor": Entry(
        f"{_CLI}.doctor:COMMAND",
        "Say what can be measured on this machine, how finely, and why not the rest.",
    ),
    "meter": Entry(
        f"{_CLI}.meter:COMMAND", "Show the power of each domain of an energy meter, live."
    ),
    "test": Entry(
        f"{_CLI}.testing:TEST",
        "Check that implementations are correct, thoroughly and without timing them.",
    ),
    "checksum": Entry(
        f"{_CLI}.testing:CHECKSUM",
        "Print the checksum by which eBACS's SUPERCOP knows an algorithm: 64 hexadecimal digits.",
    ),
    "providers": Entry(
        f"{_CLI}.groups:PROVIDERS",
        "Outside libraries: which can be measured here, and plugins that measure them.",
    ),
    "new": Entry(f"{_CLI}.groups:NEW", "Print the beginning of code of your own."),
    "add": Entry(
        f"{_CLI}.add:COMMAND",
        "Compile code of yours, check it, and keep it to be measured.",
    ),
    "tune": Entry(
        f"{_CLI}.tune:COMMAND",
        "Find the compiler and the flags with which a function of yours is fastest here.",
    ),
    "added": Entry(
        f"{_CLI}.kept_code:ADDED", "List what was added, with compiler, flags and sources."
    ),
    "remove": Entry(f"{_CLI}.kept_code:REMOVE", "Take away what was added."),
    "bench": Entry(
        f"{_CLI}.bench:COMMAND",
        "Measure implementations on this machine, store every sample, show the figures.",
    ),
    "footprint": Entry(
        f"{_CLI}.footprint:COMMAND",
        "Show what our kernels take of microcontrollers' memories: code, constants, RAM, stack.",
    ),
    "fleet": Entry(
        f"{_CLI}.groups:FLEET",
        "Many machines: measure the same on each, as workers of a Dask scheduler.",
    ),
    "sessions": Entry(
        f"{_CLI}.sessions:COMMAND",
        "Measure a MAC in many sessions at once: absolute and apparent processing, and latencies.",
    ),
    "gather": Entry(
        f"{_CLI}.gather:COMMAND",
        "Measure batches gathered across sessions: the core time they save, the latency they add.",
    ),
    "energy": Entry(
        f"{_CLI}.energy:COMMAND",
        "Measure the energy of any command: joules with an interval, net of the idle machine.",
    ),
    "compare": Entry(
        f"{_CLI}.compare:COMMAND", "Compare two implementations in one run, or two runs."
    ),
    "check": Entry(
        f"{_CLI}.check:COMMAND", "Check new code against old code, for continuous integration."
    ),
    "runs": Entry(f"{_CLI}.stores:RUNS", "List the runs in the store, the oldest first."),
    "results": Entry(
        f"{_CLI}.results:RESULTS", "Show a stored run again, as bench did at its end."
    ),
    "choose": Entry(
        f"{_CLI}.choose:COMMAND",
        "Choose a MAC: rank those measured on this machine that do what is required.",
    ),
    "budget": Entry(
        f"{_CLI}.budget:COMMAND",
        "Say which MAC costs a node least energy, and how much of its battery that is.",
    ),
    "import": Entry(
        f"{_CLI}.results:IMPORT", "Add runs that other machines exported to the store, each once."
    ),
    "store": Entry(f"{_CLI}.groups:STORE", "Look after stores: copy, check, measure and thin out."),
    "export": Entry(
        f"{_CLI}.results:EXPORT", "Export a stored run as JSON, CSV, Markdown or a picture."
    ),
    "report": Entry(
        f"{_CLI}.results:REPORT",
        "Write a stored run as one HTML page with charts, which opens without a network.",
    ),
    "explore": Entry(
        f"{_CLI}.results:EXPLORE",
        "Show the whole store in the browser: machines, runs, algorithms, comparisons, histories.",
    ),
    "publish": Entry(
        f"{_CLI}.results:PUBLISH",
        "Write the views of the explorer as files for any web server.",
    ),
    "tag": BaseEntry(
        f"{_CLI}.tag:TAG", "Print the authentication tag of files, in the form of sha256sum."
    ),
    "verify": BaseEntry(f"{_CLI}.tag:VERIFY", "Check the authentication tag of a file."),
    "reproduce": Entry(
        f"{_CLI}.groups:REPRODUCE",
        "Repeat a paper's experiment here: its figures beside ours, a verdict on each claim.",
    ),
    "core": Entry(
        f"{_CLI}.groups:CORE", "Hardware cores: test them, and see their area, clock and power."
    ),
}
BODIES: Final = {
    "FilesAdded": f"{_CLI}.own_measuring:time_files",
    "TreeAdded": f"{_CLI}.own_measuring:time_tree",
    "TuneRequest": f"{_CLI}.own_measuring:tune_code",
    "TuneManyRequest": f"{_CLI}.own_measuring:tune_builds",
    "MeasureRequest": f"{_CLI}.measuring:carry_out",
    "GateRequest": f"{_CLI}.gate_bench:show_gate_joules",
    "ServeRequest": "joulemark.explorer.server:serve",
    "PublishRequest": "joulemark.explorer.publish:carry_out",
}
"""Class of a request that a command's function returns -> module and name of the function that does
the work. The module is imported for such a request alone: neither help nor a refusal waits for it.
"""


def carry_out(request: Any) -> Any:
    """Hands a request to its body; returns the exit code, and all else as it is."""
    body = BODIES.get(type(request).__name__)
    return request if body is None else resolve_name(body)(request)


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
