# SPDX-License-Identifier: Apache-2.0
"""How a command ends: its exit code, and the one line it prints when it cannot do what was asked.

Exit codes: 0 done; 1 done, and the answer is no (a tag does not match); 2 refused (bad input, a
missing file, an unknown name); 70 a fault of ours; 130 interrupted, 143 and 129 by SIGTERM and
SIGHUP, which end a command as Ctrl-C does. `check` documents more.
"""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any, Final, NoReturn

from joulemark.errors import JoulemarkError
from joulemark.foreign import say, shortened
from joulemark.processes import ReceivedSignal, ended_like_ctrl_c

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
    """Says why the system refused, and returns the exit code; other errors are faults of ours.

    The system refuses by limits, names and rights, and where an output cannot be written.
    """
    if error.errno in _LIMITS:
        say(_LIMITS[error.errno])
        return JoulemarkError.exit_code
    if error.errno in _BY_FILE_NAMES and error.filename is not None:
        name = shortened(os.fsdecode(error.filename), 200)
        say(f"{name} cannot be used ({error.strerror})")
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
