# SPDX-License-Identifier: Apache-2.0
"""A store on a server, for a run that outlasts the server's absence.

While the server is away, the run goes on: observations go into a file (`spool`) and are kept in
memory, and each later call tries the server again. Calls that need the server (reading, the end of
a run) wait for it, and give up after a while. The file then stays, and the next command that opens
the store to measure writes the observations into the store. The server may have an observation
whose acknowledgement was lost; so each is compared with the store and never added twice. A call
whose connection is cut while the server is there is made again over another connection.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cache, partial, wraps
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar

from sqlalchemy import Engine, event, text
from sqlalchemy.orm import Session

from joulemark.errors import StoreAwayError, StoreError
from joulemark.records.core_report import StoredCoreReport
from joulemark.records.energy_window import EnergyWindow, MeterRecord
from joulemark.records.failure import Failure
from joulemark.records.firmware import FirmwareCount
from joulemark.records.implementation import ImplementationFacts
from joulemark.records.sample import ClockCount, RawSample
from joulemark.records.trial import Trial
from joulemark.store.absence.spool import RunIdentity, Spool, SpooledCall, left_behind
from joulemark.store.database.address import StoreAddress
from joulemark.store.repository import RunRecord, Store
from joulemark.store.sessions import SessionsPoint
from joulemark.units import format_count

if TYPE_CHECKING:
    from psycopg import Connection

# Bounds the silence of a server, so that a server that hangs counts as a server that is away.
#
# Nothing else ends the wait. The server's own limits (`statement_timeout`) hang with it, and Linux
# acknowledges what is sent to a process that is stopped, so `tcp_user_timeout` never comes.

T = TypeVar("T")


def limit_silence(engine: Engine, silence_s: float) -> None:
    """Ends each connection of an engine whose server is silent for too long within a statement.

    A wait for a lock counts as silence, so the limit must be longer than the patience of the
    engine. Present connections are closed.

    Args:
        engine: to a PostgreSQL server.
        silence_s: longest silence, above 0.
    """
    kind = _limited_connection(silence_s)

    def connect(_dialect: object, _record: object, words: Any, options: Any) -> Connection[Any]:
        # libpq takes 2 s at the least (its manual, 32.1.2).
        patience_s = min(options["connect_timeout"], max(2, round(silence_s)))
        return kind.connect(*words, **{**options, "connect_timeout": patience_s})

    event.listen(engine, "do_connect", connect)
    engine.dispose()


@cache
def _limited_connection(silence_s: float) -> type[Connection[Any]]:
    """Class of psycopg's connections with this limit."""
    import psycopg  # noqa: PLC0415 - an extra, which is there where an engine is

    class Limited(psycopg.Connection[Any]):
        """A connection whose every statement, commit and rollback goes through `wait`."""

        def wait(self, gen: Generator[Any, Any, T], *words: Any, **options: Any) -> T:
            try:
                return super().wait(_with_limit(gen, silence_s), *words, **options)
            except TimeoutError as error:
                self.pgconn.finish()
                raise psycopg.OperationalError(str(error)) from None

    return Limited


def _with_limit(work: Generator[Any, Any, T], silence_s: float) -> Generator[Any, Any, T]:
    """Passes on the steps of `work`, and ends it if its socket is not ready for too long.

    Psycopg sends in the state of the socket, and 0 from time to time while the socket is not ready.
    """
    heard_s = time.monotonic()
    ready: Any = None
    while True:
        try:
            wanted = work.send(ready)
        except StopIteration as end:
            result: T = end.value
            return result
        ready = yield wanted
        now_s = time.monotonic()
        if ready:
            heard_s = now_s
        elif now_s - heard_s > silence_s:
            raise TimeoutError(f"it did not answer for {silence_s:g} s")


MOST_AWAY_S: Final = 60.0
"""Longest wait for a server, unless the user says otherwise."""
_MOST_SILENT_S: Final = 30.0
"""Longest silence of the server within one write, which waits at most 10 s for a lock."""
_PAUSE_S: Final = 1.0
"""Shortest pause between two tries while measuring goes on. A slow try lengthens the pause."""
_WAITING_PAUSE_S: Final = 0.2
"""Pause between two tries while the run waits for the server."""

_T = TypeVar("_T")
_P = ParamSpec("_P")


def open_to_measure(
    location: str,
    say: Callable[[str], None],
    *,
    most_away_s: float = MOST_AWAY_S,
    most_silent_s: float = _MOST_SILENT_S,
) -> Store:
    """Opens the store that a run writes to.

    Args:
        location: as for `Store.open`.
        say: takes a sentence when the server goes away and when it is back.
        most_away_s: longest wait of a call that needs the server.
        most_silent_s: a server that has not answered for so long counts as away.
    """
    if not StoreAddress.of(location).on_server:
        return Store.open(location)
    store = LastingStore.open(location)
    try:
        store.begin(say, most_away_s, most_silent_s)
    except BaseException:
        store.close()
        raise
    return store


class LastingStore(Store):
    """A store that waits for its server; the promises are those of `Store`."""

    def __init__(self, engine: Engine, address: StoreAddress) -> None:
        """As `Store`."""
        super().__init__(engine, address)
        self._say: Callable[[str], None] = lambda _: None
        self._most_away_s = MOST_AWAY_S
        self._waiting: deque[SpooledCall] = deque()
        self._spool: Spool | None = None
        self._identities: dict[int, RunIdentity] = {}
        self._next_try_s = 0.0
        self._busy = False
        """Whether waiting calls are being written: the reads of this work must not wait for it."""

    def begin(self, say: Callable[[str], None], most_away_s: float, most_silent_s: float) -> None:
        """Adds the observations that earlier runs left in files; arguments of `open_to_measure`."""
        self._say, self._most_away_s = say, most_away_s
        limit_silence(self._engine, most_silent_s)
        for spool in left_behind(self._address):
            calls = list(spool.read())
            strange = next((call.run_id for call in calls if not call.fits(self)), None)
            if strange is not None:
                spool.close()
                say(
                    f"{spool.path} holds samples of a run {strange} that is not in "
                    f"{self.location} (any more); move the file away"
                )
                continue
            for call in calls:
                self._add_if_missing(call)
            spool.remove()
            say(
                f"{_count_of(calls)} that an earlier run could not write to {self.location} "
                "are now in it"
            )

    @property
    def kept_in(self) -> str:
        """As `Store.kept_in`, with the file of the observations that wait."""
        if not self._waiting:
            return self.location
        if self._spool is None:
            return f"{self.location}, but for {_count_of(self._waiting)} that are lost"
        return f"{self.location} and {self._spool.path}, since its server is away"

    def close(self) -> None:
        """As `Store.close`, after a last try to write the calls that wait."""
        with self._lock:
            if self._waiting and not self._closed:
                with suppress(StoreError):  # said when the server went away, or by `kept_in`
                    self._write_waiting()
            if self._spool is not None:
                self._spool.close()
            super().close()

    def begin_run(self, **facts: Any) -> int:
        """As `Store.begin_run`; a run whose acknowledgement was lost is not begun a second time."""
        last = self.latest_run()
        tries = 0

        def begin() -> int:
            nonlocal tries
            tries += 1
            newest = self.latest_run() if tries > 1 else None
            if (
                newest is not None
                and newest.id > (last.id if last else 0)
                and (newest.study_digest, newest.seed) == (facts["study_digest"], facts["seed"])
            ):
                return newest.id
            return super(LastingStore, self).begin_run(**facts)

        run_id = self._retry(begin)
        self.run(run_id)
        return run_id

    def run(self, run_id: int) -> RunRecord:
        """As `Store.run`."""
        return self._remember(super().run(run_id))

    def resumable_run(
        self, study_digest: str, environment_identity: Mapping[str, Any]
    ) -> RunRecord | None:
        """As `Store.resumable_run`."""
        record = super().resumable_run(study_digest, environment_identity)
        return record and self._remember(record)

    def add_samples(self, run_id: int, trial: Trial, samples: Sequence[RawSample]) -> None:
        """As `Store.add_samples`; without the server they are kept until it is back."""
        self._add_or_keep(self._call(run_id, trial=trial, samples=tuple(samples)))

    def add_energy_window(
        self, run_id: int, trial: Trial | None, window: EnergyWindow, void: str | None = None
    ) -> None:
        """As `Store.add_energy_window`; without the server it is kept until it is back."""
        self._add_or_keep(self._call(run_id, trial=trial, window=window, void=void))

    def add_clock_count(self, run_id: int, trial: Trial, count: ClockCount) -> None:
        """As `Store.add_clock_count`; without the server it is kept until it is back."""
        self._add_or_keep(self._call(run_id, trial=trial, count=count))

    def add_firmware_count(self, run_id: int, trial: Trial, count: FirmwareCount) -> None:
        """As `Store.add_firmware_count`; without the server it is kept until it is back."""
        self._add_or_keep(self._call(run_id, trial=trial, firmware=count))

    def add_sessions(self, point: SessionsPoint, *, made_at: datetime | None = None) -> int | None:
        """As `Store.add_sessions`; without the server it is kept until it is back."""
        moment = made_at or datetime.now(UTC)
        return self._add_or_keep(SpooledCall(None, None, point=point, made_at=moment))

    def add_failure(self, run_id: int, failure: Failure) -> None:
        """As `Store.add_failure`; without the server it is kept until it is back."""
        self._add_or_keep(self._call(run_id, failure=failure))

    def add_implementation(self, run_id: int, facts: ImplementationFacts) -> None:
        """As `Store.add_implementation`."""
        self._insist(super().add_implementation, run_id, facts)

    def clear_failures(self, run_id: int) -> None:
        """As `Store.clear_failures`."""
        self._insist(super().clear_failures, run_id)

    def set_meter(self, run_id: int, meter: MeterRecord) -> None:
        """As `Store.set_meter`."""
        self._insist(super().set_meter, run_id, meter)

    def add_core_report(self, report: StoredCoreReport) -> int:
        """As `Store.add_core_report`."""
        return self._retry(partial(super().add_core_report, report))

    def settle(self) -> None:
        """As `Store.settle`; waits until the server answers and has all observations."""

        def write_and_ask() -> None:
            if self._waiting and not self._write_waiting():
                raise StoreAwayError(f"the server of {self.location} is away")
            with self._guard(), self._engine.connect() as connection:
                connection.execute(text("SELECT 1"))

        self._retry(write_and_ask)

    def _update_run(self, run_id: int, **values: object) -> None:
        self._insist(super()._update_run, run_id, **values)

    def _call(self, run_id: int, **observation: Any) -> SpooledCall:
        return SpooledCall(run_id, self._identities.get(run_id), **observation)

    def _remember(self, record: RunRecord) -> RunRecord:
        self._identities[record.id] = RunIdentity.of(record)
        return record

    def _add_or_keep(self, call: SpooledCall) -> int | None:
        """Makes the call, or keeps it for later; returns the number of a point that was added."""
        with self._lock:
            if self._waiting:
                self._keep(call)
                if time.monotonic() >= self._next_try_s:
                    self._write_waiting()
                return None
            try:
                return call.add_to(self)
            except StoreAwayError as error:
                self._spool = Spool.begin(self._address)
                where = "in memory alone" if self._spool is None else f"in {self._spool.path}"
                self._say(f"{error}; the run goes on, and its samples are kept {where} until then")
                self._keep(call)
                return None

    def _keep(self, call: SpooledCall) -> None:
        if self._spool is not None:
            try:
                self._spool.add(call)
            except OSError as error:
                raise StoreError(
                    f"the server of {self.location} is away, and {self._spool.path} cannot be "
                    f"written ({error.strerror}); {_count_of(self._waiting)} are safe in it; free "
                    "some space, and run the same command when the server is back"
                ) from error
        self._waiting.append(call)

    def _write_waiting(self) -> bool:
        """Tries once to make the calls that wait; returns whether none waits any more."""
        begun_s = time.monotonic()
        busy, self._busy = self._busy, True
        waited = _count_of(self._waiting)
        try:
            written = 0
            for call in tuple(self._waiting):
                self._add_if_missing(call)
                written += 1
                self._waiting.popleft()
        except StoreAwayError:
            now_s = time.monotonic()
            self._next_try_s = now_s + max(_PAUSE_S, 10 * (now_s - begun_s))
            return False
        except StoreError as error:
            if self._spool is None:
                raise
            raise StoreError(
                f"{error}; {_count_of(self._waiting)} that the server has not taken are kept in "
                f"{self._spool.path}"
            ) from error
        finally:
            self._busy = busy
        if self._spool is not None:
            self._spool.remove()
            self._spool = None
        if written:
            self._say(f"the server of {self.location} is back; it has the {waited} that waited")
        return True

    def _add_if_missing(self, call: SpooledCall) -> None:
        """Makes a call, unless the server has its observation already."""
        try:
            if call.failure is None or not call.is_in(self):
                call.add_to(self)
        except StoreAwayError:
            raise
        except StoreError:
            if not call.is_in(self):
                raise

    @contextmanager
    def reading(self, run_id: int | None = None) -> Iterator[Session]:
        """As `Store.reading`; waits for the server first."""
        if not self._busy:
            self.settle()
        with super().reading(run_id) as session:
            yield session

    def _insist(self, method: Callable[..., None], *arguments: Any, **values: Any) -> None:
        """Calls a method that may be called twice, once the server is there."""
        self.settle()
        self._retry(lambda: method(*arguments, **values))

    def _retry(self, work: Callable[[], _T]) -> _T:
        """Does work, again and again while the server is away, for at most `most_away_s`."""
        begun_s = time.monotonic()
        tries, announced = 0, False
        with self._lock:
            while True:
                try:
                    return work()
                except StoreAwayError as error:
                    tries += 1
                    passed_s = time.monotonic() - begun_s
                    if passed_s >= self._most_away_s:
                        raise StoreAwayError(self._given_up()) from error
                    if tries == 1 and passed_s < _PAUSE_S:
                        continue  # with another connection: this one may have been cut, no more
                    if not announced:
                        self._say(
                            f"{error}; this waits for it, {self._most_away_s:g} s at the longest"
                        )
                        announced = True
                time.sleep(_WAITING_PAUSE_S)

    def _given_up(self) -> str:
        waited = f"the server of {self.location} did not come back within {self._most_away_s:g} s"
        if not self._waiting:
            return f"{waited}; it has every sample, so run the same command to go on when it runs"
        count = _count_of(self._waiting)
        if self._spool is None:
            return f"{waited}, and no folder could be written to keep {count}, which are lost"
        return (
            f"{waited}; {count} that it does not have are kept in {self._spool.path}; run the "
            "same command when it runs again, which writes them and goes on"
        )


READS: Final = (
    "all_sessions",
    "clock_counts",
    "core_reports",
    "earlier_runs",
    "energy_windows",
    "failures",
    "firmware_counts",
    "implementations",
    "latest_run",
    "meter",
    "published",
    "resumable_run",
    "run",
    "runs",
    "sample_counts",
    "samples",
    "sessions_points",
)
"""Methods of a store that read and change nothing."""


def _read_again(
    read: Callable[Concatenate[Store, _P], _T],
) -> Callable[Concatenate[LastingStore, _P], _T]:
    """A method that reads, and begins again where its connection is cut."""

    @wraps(read)
    def method(store: LastingStore, /, *words: _P.args, **values: _P.kwargs) -> _T:
        if store._busy:  # noqa: SLF001 - a method of this class
            return read(store, *words, **values)
        return store._retry(lambda: read(store, *words, **values))  # noqa: SLF001 - as above

    return method


for _name in READS:
    setattr(LastingStore, _name, _read_again(getattr(LastingStore, _name)))


def _count_of(waiting: Sequence[SpooledCall]) -> str:
    return format_count(sum(call.observations for call in waiting), "sample")
