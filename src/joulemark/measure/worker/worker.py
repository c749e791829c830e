# SPDX-License-Identifier: Apache-2.0
"""The child process that runs implementations: one source per process, pinned to one CPU.

It reads requests from one pipe and writes answers to another, one JSON object a line. In between it
does nothing, so that it takes no time while another implementation is measured. It imports as
little as possible: the modules for requests that many workers never get are imported when the first
comes. They take CPU time beside the 30 ms of this module: `trials` 33 ms, `python_provider` 12 ms,
`meter_session` 40 ms (x86-64 virtual machine, Python 3.11, November 2026, under load). The output
of the code under test goes to a file.

`joulemark.measure.worker.messages` has the requests and answers.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import fields
from types import ModuleType
from typing import TYPE_CHECKING, Final, NoReturn, TypeVar

from joulemark import _core
from joulemark.errors import JoulemarkError
from joulemark.measure.worker import messages
from joulemark.measure.worker.messages import (
    OpenEach,
    OpenedEach,
    SourcePlace,
    decode_request,
    encode,
)
from joulemark.processes.keeper import confine
from joulemark.records import LibraryFile

if TYPE_CHECKING:
    from joulemark.measure.worker.trials import Trials


# Opens sources in forks of a worker, which has imported all modules that list them.
#
# A worker for each source would import the same modules again, which takes longer than opening the
# source. A fork that dies, hangs or writes nonsense has no answer: its source is then opened in
# another worker, which finds out why.

A = TypeVar("A")

_LONGEST_LINE_BYTES: Final = 4 << 20
_FIRST_FREE_FD: Final = 3
_MOST_FDS: Final = 1024


def open_each(request: OpenEach, line_of: Callable[[SourcePlace], bytes]) -> OpenedEach:
    """The answer to the request."""
    return OpenedEach(
        tuple(_fork_line(place, line_of, request.limit_s) for place in request.places)
    )


def _fork_line(
    place: SourcePlace, line_of: Callable[[SourcePlace], bytes], limit_s: float
) -> str | None:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(place, line_of, write)
    os.close(write)
    try:
        return _line(read, limit_s)
    finally:
        os.close(read)
        os.kill(child, signal.SIGKILL)  # it was not reaped before, so the number is its own
        os.waitpid(child, 0)


def _answer(place: SourcePlace, line_of: Callable[[SourcePlace], bytes], write: int) -> NoReturn:
    """Opens the source in the fork, without the worker's pipes, on which its code could write."""
    try:
        os.closerange(_FIRST_FREE_FD, write)
        os.closerange(write + 1, _MOST_FDS)
        line = line_of(place)
        while line:
            line = line[os.write(write, line) :]
    except BaseException:  # noqa: BLE001 - whatever the error, the source has no answer
        os._exit(1)
    os._exit(0)


def _line(read: int, limit_s: float) -> str | None:
    """The line that comes within the limit, even if a process of the source holds the pipe open."""
    deadline, found = time.monotonic() + limit_s, b""
    while not found.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([read], [], [], left)[0]:
            return None
        part = os.read(read, 1 << 16)
        found += part
        if not part or len(found) > _LONGEST_LINE_BYTES:
            return None
    # The end of the line is cut off: a text with it would be checked sign by sign when shown.
    return found[:-1].decode("utf-8", "replace")


_PRINTED_BYTES = 16 << 20
"""Most bytes that the code under test prints to a temporary file; the rest is lost."""
_RESERVE_BYTES = 96 << 10
"""Memory that is freed when none is left, so that an answer can say so. It is less than malloc
takes from the system separately and returns to it (M_MMAP_THRESHOLD, mallopt(3))."""


def _entry(implementation: _core.Implementation) -> messages.TableEntry:
    return messages.TableEntry(
        **{field.name: getattr(implementation, field.name) for field in fields(messages.TableEntry)}
    )


def _library(kind: str, path: str | None) -> str | None:
    """The shared object by which an outside library was loaded; None of our own kernels."""
    if kind == "python":  # hashlib imports it
        return getattr(sys.modules.get("_hashlib"), "__file__", None)
    return path


def _python_provider() -> ModuleType:
    """The module that lists Python's functions, and finds the files behind a library."""
    from joulemark.measure.worker import python_provider  # noqa: PLC0415 - see the top

    return python_provider


class Worker:
    """Answers requests about the implementations of one source."""

    def __init__(self, kind: str, path: str | None) -> None:
        self._kind = kind
        self._path = path
        self._implementations: dict[str, _core.Implementation] = {}
        self._trials: Trials | None = None

    def answer(self, request: messages.Request[A]) -> A:
        """The answer to one request."""
        answer: A
        if isinstance(request, messages.OpenSource):
            answer = self._open(request)  # type: ignore[assignment]
            return answer
        if isinstance(request, OpenEach):
            _python_provider()  # once for all forks
            answer = open_each(request, _line_of)  # type: ignore[assignment]
            return answer
        if self._trials is None:  # a list of implementations needs none
            from joulemark.measure.worker.trials import Trials  # noqa: PLC0415 - see the top

            self._trials = Trials(self._implementations)
        return self._trials.answer(request)

    def _open(self, request: messages.OpenSource) -> messages.Opened:
        """Loads the source and lists what is in it."""
        if request.files:  # before foreign code is loaded, which may change the paths of imports
            libraries_behind = _python_provider().libraries_behind
        if self._kind == "python":
            python_provider = _python_provider()
            found, lacks = python_provider.implementations(), []
            about = {
                "provider": python_provider.PROVIDER,
                "compiler": sys.version.split("[")[-1].rstrip("]"),
                "flags": "",
                "library_version": python_provider.library_version(),
            }
        else:
            plugin = _core.builtin_plugin() if self._path is None else _core.load_plugin(self._path)
            found, lacks = plugin.implementations(), plugin.lacks()
            about = {
                name: getattr(plugin, name)
                for name in ("provider", "library_version", "compiler", "flags")
            }
        self._implementations.clear()
        self._implementations |= {
            f"{implementation.algorithm}/{implementation.variant}": implementation
            for implementation in found
        }
        library = _library(self._kind, self._path) if request.files else None
        linked = {} if library is None else libraries_behind(library)
        return messages.Opened(
            **about,
            implementations=tuple(map(_entry, found)),
            lacks=tuple(messages.Lack(*lack) for lack in lacks),
            library_files=tuple(LibraryFile(path.name, sha256) for path, sha256 in linked.items()),
            library_places=tuple(map(str, linked)),
        )


def _line_of(place: SourcePlace) -> bytes:
    return encode(Worker(place.kind, place.path).answer(messages.OpenSource(files=True)))


def _answer_line(worker: Worker, line: str) -> bytes:
    """The answer to a request, as a line."""
    try:
        return encode(worker.answer(decode_request(line)))
    except _core.MessageLengthError as error:
        return encode(messages.Refusal(str(error), messages.RefusalKind.MESSAGE_LENGTH))
    except (ValueError, RuntimeError, KeyError, JoulemarkError) as error:
        return encode(messages.Refusal(str(error) or type(error).__name__))


def main() -> None:
    """Serves requests until the pipe closes.

    Its words are `start KIND CPU READ_FD WRITE_FD MEMORY [PATH [FOLDER]]`. A process with a FOLDER
    is confined to it.
    """
    kind, cpu, read_fd, write_fd = sys.argv[1], int(sys.argv[2]), *map(int, sys.argv[3:5])
    memory = int(sys.argv[5])
    path = sys.argv[6] if len(sys.argv) > 6 else None
    reserve, no_memory = bytearray(_RESERVE_BYTES), encode(messages.Refusal("not enough memory"))
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    printed = _PRINTED_BYTES if most == resource.RLIM_INFINITY else min(_PRINTED_BYTES, most)
    resource.setrlimit(resource.RLIMIT_FSIZE, (printed, most))
    if memory >= 0:
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        data = memory if most == resource.RLIM_INFINITY else min(memory, most)
        resource.setrlimit(resource.RLIMIT_DATA, (data, data))
    if cpu >= 0:
        os.sched_setaffinity(0, {cpu})
    if len(sys.argv) > 7:
        os.chdir(sys.argv[7])
        confine(sys.argv[7])
    worker = Worker(kind, path)
    with os.fdopen(read_fd, encoding="utf-8") as requests, os.fdopen(write_fd, "wb") as answers:
        _core.open_perf_cycles()
        reading = True
        while reading:
            line = ""
            try:
                line = requests.readline()
                answer = _answer_line(worker, line) if line else b""
            except MemoryError:
                reserve.clear()
                answer = no_memory
            answers.write(answer)
            answers.flush()
            reading = bool(line)  # a line that memory did not suffice to read may be lost in part
