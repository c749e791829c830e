# SPDX-License-Identifier: Apache-2.0
"""What both front ends share: the table of commands, printed options, and how a command ends."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

from joulemark import __version__
from joulemark.errors import JoulemarkError
from joulemark.foreign import say, shortened
from joulemark.processes import ReceivedSignal, ended_like_ctrl_c

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
        f"{_CLI}.instruments:DOCTOR",
        "Say what can be measured on this machine, how finely, and why not the rest.",
    ),
    "meter": Entry(
        f"{_CLI}.instruments:METER", "Show the power of each domain of an energy meter, live."
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
        f"{_CLI}.plugins:ADDED", "List what was added, with compiler, flags and sources."
    ),
    "remove": Entry(f"{_CLI}.plugins:REMOVE", "Take away what was added."),
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
    "compare-targets": Entry(
        f"{_CLI}.compare_targets:COMMAND",
        "Show what a message costs on host, microcontrollers, open CPUs and hardware cores.",
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
    "TargetsRequest": f"{_CLI}.comparing_targets:show_targets",
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


# How a command ends: its exit code, and the line it prints when it cannot do what was asked.
#
# Exit codes: 0 done; 1 done, and the answer is no (a tag does not match); 2 refused (bad input, a
# missing file, an unknown name); 70 a fault of ours; 130 interrupted, 143 and 129 by SIGTERM and
# SIGHUP, which end a command as Ctrl-C does. `check` documents more.

EXIT_INTERNAL = 70
"""EX_SOFTWARE of sysexits.h."""
EXIT_INTERRUPTED = 130
"""128 + SIGINT, as shells report it."""


class InterruptedRunError(JoulemarkError):
    """The user pressed Ctrl-C; the message says what is kept."""

    exit_code = EXIT_INTERRUPTED


def _print_in_any_encoding() -> None:
    """Has signs that a stream's encoding lacks written by their codes, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def end(call: Callable[[], Any]) -> NoReturn:
    """Runs `call` and ends the process. A number that `call` returns is the exit code."""
    _print_in_any_encoding()
    with ended_like_ctrl_c() as received:
        _end(call, received)


def _end(call: Callable[[], Any], received: ReceivedSignal) -> NoReturn:
    try:
        value = call()
        sys.stdout.flush()
    except JoulemarkError as error:
        say(str(error))
        interrupted = error.exit_code == EXIT_INTERRUPTED and received.number
        code = 128 + received.number if interrupted else error.exit_code
    except KeyboardInterrupt:
        say("interrupted")
        code = 128 + (received.number or signal.SIGINT)
    except ImportError as error:
        code = _lab_is_missing(error)
    except OSError as error:
        code = _refused_by_system(error)
    except SystemExit as error:
        # Click ends with 1, and marks the stream, where nobody reads on.
        closed = type(sys.stdout).__name__ == "PacifyFlushWrapper"
        sys.exit(_READER_ENDED if closed else error.code)
    except MemoryError:
        say("there is not enough memory for this; free some, or raise the limit (ulimit -v)")
        code = JoulemarkError.exit_code
    except Exception as error:  # noqa: BLE001 - the last net before the user
        code = _internal(error)
    else:
        code = value if isinstance(value, int) else 0
    sys.exit(code)


_READER_ENDED = 128 + signal.SIGPIPE
"""As of other programs; 1 would be an answer, such as that of `verify`."""
_LIMITS = {
    errno.EMFILE: "this command may open no more files; raise the limit (ulimit -n 256)",
    errno.ENFILE: "this machine has no room for more open files; end some programs",
    errno.EAGAIN: "no more processes may be started; end some, or raise the limit (ulimit -u)",
    errno.ENOMEM: "there is not enough memory for this; free some, or raise the limit (ulimit -v)",
}
_BY_FILE_NAMES = {errno.ENAMETOOLONG, errno.ELOOP, errno.EACCES, errno.EPERM, errno.EROFS}
"""Errors that a file's name, or the rights to the file, can cause, whoever gave the name."""
_UNWRITABLE = {errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}


def _refused_by_system(error: OSError) -> int:
    """The exit code where limits, names, rights or a full disk refuse, which is said; else ours."""
    if error.errno in _LIMITS:
        say(_LIMITS[error.errno])
        return JoulemarkError.exit_code
    if error.errno in _BY_FILE_NAMES and error.filename is not None:
        say(f"{shortened(os.fsdecode(error.filename), 200)} cannot be used ({error.strerror})")
        return JoulemarkError.exit_code
    if error.errno not in _UNWRITABLE:
        return _internal(error)
    # Python flushes standard output again when it ends, and must not complain again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if error.errno == errno.EPIPE:  # whoever read our output has read enough
        return _READER_ENDED
    say(f"the output cannot be written ({error.strerror})")
    return JoulemarkError.exit_code


def _lab_is_missing(error: ImportError) -> int:
    sentence = lacking(error)
    if sentence is None:
        return _internal(error)
    say(sentence)
    return JoulemarkError.exit_code


def _internal(error: Exception) -> int:
    if os.environ.get("JOULEMARK_DEBUG") == "1":
        traceback.print_exception(error)
    else:
        say(
            f"internal error, {type(error).__name__}: {error}; please report it with the command "
            "you gave and what 'joulemark doctor --quick' prints (JOULEMARK_DEBUG=1 shows where)"
        )
    return EXIT_INTERNAL


# The laboratory: packages that measuring, storing and drawing need, and authenticating does not.
#
# `pip install joulemark` brings numpy alone; `pip install 'joulemark[lab]'` brings the rest. Code
# imports the packages as if all were installed. When an import fails, `lacking` says whether a
# package of the laboratory is missing or the fault is ours.

INSTALL: Final = "pip install 'joulemark[lab]'"
PACKAGES: Final = {
    "alembic": "alembic",
    "annotated_types": "annotated-types",
    "elftools": "pyelftools",
    "jinja2": "jinja2",
    "markupsafe": "markupsafe",
    "pydantic": "pydantic",
    "pydantic_core": "pydantic",
    "rich": "rich",
    "scipy": "scipy",
    "serial": "pyserial",
    "sqlalchemy": "SQLAlchemy",
    "typer": "typer",
    "typing_extensions": "typing-extensions",
    "uncertainties": "uncertainties",
    "vl_convert": "vl-convert-python",
}
"""Module -> the package that brings it, as the extra `lab` of pyproject.toml has it."""
_EXPLORER_INSTALL: Final = "pip install 'joulemark[explorer]'"
_FLEET_INSTALL: Final = "pip install 'joulemark[fleet]'"
OF_EXTRAS: Final = {
    "anyio": ("fastapi", _EXPLORER_INSTALL),
    "fastapi": ("fastapi", _EXPLORER_INSTALL),
    "starlette": ("fastapi", _EXPLORER_INSTALL),
    "uvicorn": ("uvicorn", _EXPLORER_INSTALL),
    "cryptography": ("cryptography", _FLEET_INSTALL),
    "dask": ("distributed", _FLEET_INSTALL),
    "distributed": ("distributed", _FLEET_INSTALL),
}
"""Module of another extra than `lab` -> its package, and the command that installs it."""


def lacking(error: ImportError) -> str | None:
    """The sentence on a package of an extra that could not be imported; None for other packages.

    Example:
        >>> lacking(ModuleNotFoundError("No module named 'rich'", name="rich"))
        "this needs the Python package rich, which is not installed: pip install 'joulemark[lab]'"
    """
    name = error.name or ""
    module = name.partition(".")[0]
    package, install = OF_EXTRAS.get(module, (PACKAGES.get(module), INSTALL))
    if package is None:
        return None
    what = (
        "which is not installed"
        if isinstance(error, ModuleNotFoundError) and "." not in name
        else "and the one that is installed is of a version that does not serve"
    )
    return f"this needs the Python package {package}, {what}: {install}"
