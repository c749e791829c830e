# SPDX-License-Identifier: Apache-2.0
"""A worker's part of `fleet bench`: measures in a child process, tells progress, sends the run.

Each machine has a separate file for a study, named by study, build and machine. The file stays
until the run has arrived: a worker that takes up the same study goes on in the file, and sends it
if the study is finished. So a study that is asked for twice is measured once.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import tempfile
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Final

from distributed import get_worker

from joulemark.errors import JoulemarkError
from joulemark.fleet.bench_child import ChildOrder, Order
from joulemark.fleet.members import own_machine
from joulemark.fleet.watching import watched
from joulemark.foreign.errors import ForeignError
from joulemark.foreign.json import parse_json
from joulemark.user_folders import user_cache

__all__ = ["Answer", "Request", "begin_afresh", "forget_study", "measure_here"]

_MOST_BYTES: Final = 1 << 20
"""Longest piece of progress that is read at a time."""


@dataclass(frozen=True, slots=True)
class Request:
    """A study as it is sent to each machine."""

    order: Order
    fresh: bool
    """Whether the machine drops its samples of an earlier attempt."""
    topic: str
    """Topic of Dask's events about progress; each command has another topic."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a machine."""

    store: bytes | None
    """Its store, an SQLite file, compressed by zlib; None if nothing was measured."""
    reason: str | None
    """Why nothing was measured."""
    kept_whole: bool = False
    """Whether the study had been finished before, and its run had not been fetched."""


def measure_here(request: Request) -> Answer:
    """Measures on this worker's machine; goes on with the samples that an earlier worker left."""
    try:
        path = _file_of(request)
        if request.fresh:
            begin_afresh(path, request.topic)
    except JoulemarkError as error:
        return Answer(None, str(error))
    order = json.dumps(asdict(ChildOrder(request.order, str(path)))).encode() + b"\n"
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        news = _News(output, _teller(request.topic))
        with watched(news.pass_on) as runs:
            code = runs.run_kept("joulemark.fleet.bench_child", order, output=output, errors=errors)
        news.pass_on()
        errors.seek(0)
        lines = errors.read().decode("utf-8", "replace").strip().splitlines()
    if code != 0:
        return Answer(None, lines[-1] if lines else f"its process ended with code {code}")
    with closing(sqlite3.connect(path)) as store:
        return Answer(zlib.compress(store.serialize()), None, news.kept_whole)


def begin_afresh(path: Path, command: str) -> None:
    """Removes the samples that earlier commands left in a file, once for each command.

    A second worker of the same command goes on with the samples of the first worker.

    Args:
        path: file of the study on this machine.
        command: text that no other command has.
    """
    mark = _mark_of(path)
    if mark.is_file() and mark.read_text() == command:
        return
    _remove(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    mark.write_text(command)


def forget_study(request: Request) -> None:
    """Removes this machine's file of a study, whose run has arrived."""
    _remove(_file_of(request))


def _file_of(request: Request) -> Path:
    order = request.order
    parts: list[object] = [asdict(order.study), order.hang_limit_s, order.cpu]
    parts += [asdict(plugin) for plugin in order.plugins]
    parts += [order.build, own_machine()]
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    return user_cache("fleet") / f"{digest[:32]}.db"


def _mark_of(path: Path) -> Path:
    """A file with the name of the command with --fresh that began the study, if there was one."""
    return path.with_suffix(".fresh")


def _remove(path: Path) -> None:
    beside = (path.with_name(f"{path.name}-{part}") for part in ("wal", "shm"))
    for file in (path, *beside, _mark_of(path)):
        with suppress(FileNotFoundError):
            file.unlink()


def _teller(topic: str) -> Callable[[dict[str, Any]], None]:
    worker, machine = get_worker(), own_machine()

    def tell(news: dict[str, Any]) -> None:
        worker.loop.add_callback(worker.log_event, topic, {"machine": machine, **news})

    return tell


class _News:
    """Hands on, once each, the lines that a child appends to a file."""

    def __init__(self, file: IO[bytes], tell: Callable[[dict[str, Any]], None]) -> None:
        self._file = file
        self._tell = tell
        self._read_bytes = 0
        self.kept_whole = False

    def pass_on(self) -> None:
        """Hands on the new lines."""
        # The child writes through the same open file, whose position must stay.
        seen = os.pread(self._file.fileno(), _MOST_BYTES, self._read_bytes)
        whole, end, _ = seen.rpartition(b"\n")
        self._read_bytes += len(whole) + len(end)
        last = None
        for line in whole.splitlines():
            try:
                news = parse_json(line)
            except ForeignError:  # a library of the user's may print what it likes
                continue
            if not isinstance(news, dict):
                continue
            self.kept_whole |= "kept_whole" in news
            if "done" in news and not news.get("kept"):
                last = news  # the latest counts; only the first tells of kept visits
            else:
                self._tell(news)
        if last is not None:
            self._tell(last)
