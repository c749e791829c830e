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
from typing import Any, NoReturn

from joulemark.errors import JoulemarkError
from joulemark.foreign.text import shortened, visible
from joulemark.lab import lacking
from joulemark.processes import ReceivedSignal, ended_like_ctrl_c

EXIT_INTERNAL = 70
"""EX_SOFTWARE of sysexits.h."""
EXIT_INTERRUPTED = 130
"""128 + SIGINT, as shells report it."""


class InterruptedRunError(JoulemarkError):
    """The user pressed Ctrl-C; the message says what is kept."""

    exit_code = EXIT_INTERRUPTED


def say(message: str) -> None:
    """Prints a line on standard error, with the program's name, control characters made visible."""
    print(f"joulemark: {visible(' '.join(message.split()))}", file=sys.stderr, flush=True)


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
    except MemoryError:
        say("there is not enough memory for this; free some, or raise the limit (ulimit -v)")
        code = JoulemarkError.exit_code
    except Exception as error:  # noqa: BLE001 - the last net before the user
        code = _internal(error)
    else:
        code = value if isinstance(value, int) else 0
    sys.exit(code)


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
        return 1
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
