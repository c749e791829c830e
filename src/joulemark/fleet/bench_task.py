# SPDX-License-Identifier: Apache-2.0
"""What a worker does for `fleet bench`: measure in a child process, tell progress, send the run.

A study has a file of its own on each machine, named by what is asked, by the build and by the
machine. It stays until the run has arrived: a worker that takes the same study up goes on in it,
and one that finds it finished sends it. So a study that is carried out twice is measured once.
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
from joulemark.fleet.bench_child import Order
from joulemark.fleet.members import own_machine
from joulemark.fleet.plugins import PluginFile
from joulemark.fleet.watching import watched
from joulemark.foreign.errors import ForeignError
from joulemark.foreign.json import parse_json
from joulemark.measure.study import Study
from joulemark.user_folders import user_cache

__all__ = ["Answer", "Request", "begin_afresh", "forget_study", "measure_here"]

_MOST_BYTES: Final = 1 << 20
"""Of progress, read at a time."""


@dataclass(frozen=True, slots=True)
class Request:
    """A study as it is sent to each machine; fields as of `Order`."""

    study: Study
    hang_limit_s: float
    cpu: int | None
    wait_quiet_s: float | None
    fresh: bool
    plugins: tuple[PluginFile, ...]
    build: str
    """Of whoever asks."""
    topic: str
    """Of Dask's events, under which progress is told; each command has another one."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a machine sends back."""

    store: bytes | None
    """Its store, an SQLite file, compressed by zlib; None: nothing was measured."""
    reason: str | None
    """Why nothing was measured."""
    kept_whole: bool = False
    """Whether the study had been finished before, and nobody had fetched it."""


def measure_here(request: Request) -> Answer:
    """Measures on this worker's machine, going on with what an earlier worker left."""
    try:
        path = _file_of(request)
        if request.fresh:
            begin_afresh(path, request.topic)
    except JoulemarkError as error:
        return Answer(None, str(error))
    order = Order(
        study=request.study, store=str(path), hang_limit_s=request.hang_limit_s, cpu=request.cpu,
        wait_quiet_s=request.wait_quiet_s, plugins=request.plugins, build=request.build,
    )  # fmt: skip
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        news = _News(output, _teller(request.topic))
        with watched(news.pass_on) as runs:
            code = runs.run_kept(
                "joulemark.fleet.bench_child", json.dumps(asdict(order)).encode() + b"\n",
                output=output, errors=errors,
            )  # fmt: skip
        news.pass_on()
        errors.seek(0)
        lines = errors.read().decode("utf-8", "replace").strip().splitlines()
    if code != 0:
        return Answer(None, lines[-1] if lines else f"its process ended with code {code}")
    with closing(sqlite3.connect(path)) as store:
        return Answer(zlib.compress(store.serialize()), None, news.kept_whole)


def begin_afresh(path: Path, command: str) -> None:
    """Removes what earlier commands left in a file, once for each command.

    A second worker that takes the study up goes on with what the first one measured.

    Args:
        path: of the study on this machine.
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
    asked: list[object] = [asdict(request.study), request.hang_limit_s, request.cpu]
    asked += [asdict(plugin) for plugin in request.plugins]
    asked += [request.build, own_machine()]
    digest = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
    return user_cache("fleet") / f"{digest[:32]}.db"


def _mark_of(path: Path) -> Path:
    """Names the command with --fresh that began the file, if one did."""
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
    """Lines that a child appends to a file, handed on once each."""

    def __init__(self, file: IO[bytes], tell: Callable[[dict[str, Any]], None]) -> None:
        self._file = file
        self._tell = tell
        self._read_bytes = 0
        self.kept_whole = False

    def pass_on(self) -> None:
        """Hands on what is new."""
        # The child writes through the same open file: its place in it must stay.
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
                last = news  # the latest says all; what was kept stands in the first alone
            else:
                self._tell(news)
        if last is not None:
            self._tell(last)
