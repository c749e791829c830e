# SPDX-License-Identifier: Apache-2.0
"""Measures one study on every machine of a scheduler, and puts all runs into one store."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sqlite3
import tempfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, Final, Protocol

from distributed import Client, get_worker
from pydantic import JsonValue

from joulemark.errors import JoulemarkError, StoreError, UnavailableError
from joulemark.fleet import own_machine, watched
from joulemark.fleet.bench_child import ChildOrder, StudyOrder
from joulemark.fleet.dispatch import Dispatch, WaitLimits, WorkerJob
from joulemark.foreign import ForeignError, visible_values
from joulemark.foreign.records import parse_json
from joulemark.measure.study import Study
from joulemark.records import ENERGY
from joulemark.store.merging import RunContent, add_content, content_of
from joulemark.store.repository import Store
from joulemark.store.rows import plain
from joulemark.user_folders import user_cache

# A worker's part of `fleet bench`: measures in a child process, tells progress, sends the run.
#
# Each machine has a separate file for a study, named by study, build and machine. The file stays
# until the run has arrived: a worker that takes up the same study goes on in the file, and sends it
# if the study is finished. So a study that is asked for twice is measured once.

_MOST_BYTES: Final = 1 << 20
"""Longest piece of progress that is read at a time."""


News = Mapping[str, JsonValue]
"""A step of a child's progress."""


@dataclass(frozen=True, slots=True)
class StudyRequest:
    """A study as it is sent to each machine."""

    order: StudyOrder
    fresh: bool
    """Whether the machine drops its samples of an earlier attempt."""
    topic: str
    """Topic of Dask's events about progress; each command has another topic."""


@dataclass(frozen=True, slots=True)
class MachineAnswer:
    """The answer of a machine."""

    store: bytes | None
    """Its store, an SQLite file, compressed by zlib; None if nothing was measured."""
    reason: str | None
    """Why nothing was measured."""
    kept_whole: bool = False
    """Whether the study had been finished before, and its run had not been fetched."""


def measure_here(request: StudyRequest) -> MachineAnswer:
    """Measures on this worker's machine; goes on with the samples that an earlier worker left."""
    try:
        path = _file_of(request)
        if request.fresh:
            begin_afresh(path, request.topic)
    except JoulemarkError as error:
        return MachineAnswer(None, str(error))
    order = json.dumps(asdict(ChildOrder(request.order, str(path)))).encode() + b"\n"
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        news = _News(output, _teller(request.topic))
        with watched(news.pass_on) as runs:
            code = runs.run_kept("joulemark.fleet.bench_child", order, output=output, errors=errors)
        news.pass_on()
        errors.seek(0)
        lines = errors.read().decode("utf-8", "replace").strip().splitlines()
    if code != 0:
        return MachineAnswer(None, lines[-1] if lines else f"its process ended with code {code}")
    with closing(sqlite3.connect(path)) as store:
        return MachineAnswer(zlib.compress(store.serialize()), None, news.kept_whole)


def begin_afresh(path: Path, command: str) -> None:
    """Removes the samples that earlier commands left in a file, once for each command.

    A second worker of the same command goes on with the samples of the first worker. No other
    command has the same text.
    """
    mark = _mark_of(path)
    if mark.is_file() and mark.read_text() == command:
        return
    _remove(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    mark.write_text(command)


def forget_study(request: StudyRequest) -> None:
    """Removes this machine's file of a study, whose run has arrived."""
    _remove(_file_of(request))


def _file_of(request: StudyRequest) -> Path:
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


def _teller(topic: str) -> Callable[[News], None]:
    worker, machine = get_worker(), own_machine()

    def tell(news: News) -> None:
        worker.loop.add_callback(worker.log_event, topic, {"machine": machine, **news})

    return tell


class _News:
    """Hands on, once each, the lines that a child appends to a file."""

    def __init__(self, file: IO[bytes], tell: Callable[[News], None]) -> None:
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


_MOST_STORE_BYTES: Final = 1 << 30
"""Largest store of one machine, unpacked: a run of some million samples."""
_CLEARING: Final = WaitLimits(lost_after_s=10.0, alone_for_s=10.0, attempts=1)
"""Short patience with the removal of files of studies, since the runs have arrived by then."""


@dataclass(frozen=True, slots=True)
class MachineRun:
    """The outcome of a study on one machine."""

    machine: str
    run_ids: tuple[int, ...]
    """Numbers of the new runs in the store; empty if the run was there already, or is missing."""
    reason: str | None
    """Why there is no run; None if there is one."""
    failures: int = 0
    """Number of implementations that crashed, hung or had a wrong output."""
    no_energy: str | None = None
    """Why the wanted joules are missing, while the times stand; None if no joules are missing."""


class FleetObserver(Protocol):
    """Gets the events of a fleet. Calls come from two threads, never after the end."""

    def began(self, machines: tuple[str, ...]) -> None:
        """These machines take part."""

    def said(self, sentence: str) -> None:
        """A worker was refused, lost or came back; a machine waits, or an implementation failed."""

    def moved(self, machine: str, done: int, total: int) -> None:
        """`done` of the `total` visits of a machine are in its store."""

    def finished(self, run: MachineRun) -> None:
        """A machine's run has arrived, or will not."""


def bench_machines(
    client: Client, order: StudyOrder, store: Store, observer: FleetObserver, *, fresh: bool = False
) -> list[MachineRun]:
    """Has every machine measure a study, and adds each machine's run to a store once.

    A machine takes part if one of its workers has the resource `bench`. Its samples stay on the
    machine until they have arrived here. Energy is metered by each machine's own meter. With
    `fresh` machines drop their samples of an earlier attempt. Runs are sorted by machine.
    """
    dispatch = Dispatch(client, observer.said)
    machines = _machines(dispatch, observer)
    observer.began(tuple(machines))
    topic = f"joulemark-{secrets.token_hex(8)}"
    request = StudyRequest(order, fresh, topic)
    client.subscribe_topic(topic, lambda event: _pass_on(event[1], observer))
    try:
        runs = _measure(dispatch, machines, request, store, observer)
    finally:
        client.unsubscribe_topic(topic)
    _forget(client, request, [name for name in machines if runs[name].reason is None])
    return [runs[name] for name in machines]


def _machines(dispatch: Dispatch, observer: FleetObserver) -> list[str]:
    members = dispatch.members()
    machines = sorted({member.machine for member in members if member.measures})
    if machines:
        for address in dispatch.roll.mute:
            observer.said(f"no answer from the worker at {address}; it takes no part")
        return machines
    if dispatch.roll.refused:
        raise UnavailableError(
            "no worker may take part: " + "; ".join(dispatch.roll.refused.values())
        )
    if members:
        raise UnavailableError(
            "no worker of this scheduler has the resource bench=1; start workers with "
            "'joulemark fleet worker ADDRESS'"
        )
    if dispatch.roll.mute:
        raise UnavailableError(
            f"no answer from the workers at {', '.join(dispatch.roll.mute)}; see whether they hang"
        )
    raise UnavailableError(
        "this scheduler has no workers; 'joulemark fleet worker ADDRESS' starts one"
    )


def _measure(
    dispatch: Dispatch,
    machines: Sequence[str],
    request: StudyRequest,
    store: Store,
    observer: FleetObserver,
) -> dict[str, MachineRun]:
    """Has each machine measure, and adds its runs to the store as soon as they arrive."""
    jobs = [
        WorkerJob(
            f"the study on machine {name}", measure_here, request, machine=name, measures=True
        )
        for name in machines
    ]
    runs: dict[str, MachineRun] = {}

    def receive(number: int, outcome: Any) -> None:
        machine = machines[number]
        runs[machine] = run = _receive(machine, outcome, request.order.study, store, observer)
        observer.finished(run)

    dispatch.run(jobs, receive)
    return runs


def _forget(client: Client, request: StudyRequest, machines: Sequence[str]) -> None:
    """Has machines remove the files of runs that have arrived; an absent machine keeps its file."""
    dispatch = Dispatch(client, lambda _sentence: None, _CLEARING)
    here = {member.machine for member in dispatch.members() if member.measures}
    jobs = [
        WorkerJob(
            f"clearing up on machine {name}", forget_study, request, machine=name, measures=True
        )
        for name in machines
        if name in here
    ]
    dispatch.run(jobs, lambda _number, _outcome: None)


def _pass_on(news: News, observer: FleetObserver) -> None:
    machine = str(news["machine"])
    if sentence := news.get("failed") or news.get("waiting"):
        observer.said(f"machine {machine}: {sentence}")
    elif "done" in news:
        if news.get("kept"):
            observer.said(
                f"machine {machine} goes on: it has {news['kept']} of {news['total']} "
                "visits already"
            )
        observer.moved(machine, int(str(news["done"])), int(str(news["total"])))


def _receive(
    machine: str, outcome: Any, study: Study, store: Store, observer: FleetObserver
) -> MachineRun:
    """Adds the runs that a machine sent to the store; `outcome` is its answer or an error."""
    if isinstance(outcome, JoulemarkError):
        return MachineRun(machine, (), str(outcome))
    answer: MachineAnswer = outcome
    if answer.store is None:
        return MachineRun(machine, (), answer.reason)
    if answer.kept_whole:
        observer.said(
            f"machine {machine} had finished this study before, and nobody had fetched it; "
            "--fresh measures it again"
        )
    try:
        contents = _unpack(answer.store)
    except (StoreError, zlib.error) as error:
        return MachineRun(machine, (), f"what it sent is damaged ({error})")
    if any(not _is_of(study, content) for content in contents):
        # Its file may be another command's, or a worker may answer with what it has.
        return MachineRun(
            machine,
            (),
            "what it sent are runs of another study; start its worker again, and give --fresh",
        )
    added = [store.settle(partial(add_content, content=content)) for content in contents]
    failures = [failure for content in contents for failure in content.failures]
    return MachineRun(
        machine,
        tuple(run_id for run_id in added if run_id is not None),
        None,
        sum(failure.broken for failure in failures),
        next((failure.reason for failure in failures if failure.implementation == ENERGY), None),
    )


def _is_of(study: Study, content: RunContent) -> bool:
    """Whether a run is one of the study; a run's record has its plan beside the study."""
    return {**content.study, "plan": None} == {
        **visible_values(plain(study.as_dict())),
        "plan": None,
    }


def _unpack(packed: bytes) -> list[RunContent]:
    """The finished runs in a store that a machine sent."""
    unpacker = zlib.decompressobj()
    content = unpacker.decompress(packed, _MOST_STORE_BYTES)
    if not unpacker.eof:
        raise StoreError(f"it was cut off, or is larger than {_MOST_STORE_BYTES} bytes")
    with tempfile.TemporaryDirectory(prefix="joulemark-") as folder:
        path = Path(folder) / "sent.db"
        path.write_bytes(content)
        with Store.open(str(path)) as sent:
            return [content_of(sent, run.id) for run in sent.runs() if run.finished_at]
