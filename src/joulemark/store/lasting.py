# SPDX-License-Identifier: Apache-2.0
"""A store on a server, for a run that outlasts the server's absence.

While the server is away, what is observed goes into a file (`joulemark.store.spool`) and is kept in
memory; the run goes on. Each later call tries the server again. What needs it (reading, the end of
a run) waits for it, and gives up after a while; the file then stays, and whoever opens the store to
measure next writes it in. An acknowledgement that was lost with the server may mean that it
has the observation already: what is there is compared, not doubled.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from joulemark.errors import StoreAwayError, StoreError
from joulemark.records.energy_window import EnergyWindow, MeterRecord
from joulemark.records.failure import Failure
from joulemark.records.firmware import FirmwareCount
from joulemark.records.implementation import ImplementationFacts
from joulemark.records.sample import ClockCount, RawSample
from joulemark.records.trial import Trial
from joulemark.store.address import StoreAddress
from joulemark.store.energy import StoredWindow
from joulemark.store.repository import RunRecord, Store
from joulemark.store.sessions import SessionsPoint
from joulemark.store.silence import limit_silence
from joulemark.store.spool import RunIdentity, Spool, SpooledCall, left_behind

__all__ = ["MOST_AWAY_S", "MOST_SILENT_S", "LastingStore", "open_to_measure"]

MOST_AWAY_S: Final = 60.0
"""How long a run waits for a server, unless it is told otherwise."""
MOST_SILENT_S: Final = 30.0
"""How long the server may say nothing within one write; it waits for a lock 10 s at the longest."""
_AGAIN_S: Final = 1.0
"""Between two tries, while measuring goes on; longer where a try takes long."""
_PATIENT_AGAIN_S: Final = 0.2
"""Between two tries, while nothing else can be done."""

T = TypeVar("T")


def open_to_measure(
    location: str, say: Callable[[str], None], *, most_away_s: float = MOST_AWAY_S,
    most_silent_s: float = MOST_SILENT_S,
) -> Store:  # fmt: skip
    """The store that a run writes to.

    Args:
        location: as for `Store.open`.
        say: told in a sentence when the server goes away and when it is back.
        most_away_s: how long to wait for a server where nothing can be done without it.
        most_silent_s: after so long without an answer a server counts as away.

    Raises:
        StoreError: as `Store.open`; a file that an earlier run left cannot be written in.
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
    """See the module; the promises are those of `Store`."""

    def __init__(self, engine: Engine, address: StoreAddress) -> None:
        """For `open` alone."""
        super().__init__(engine, address)
        self._say: Callable[[str], None] = lambda _: None
        self._most_away_s = MOST_AWAY_S
        self._waiting: deque[SpooledCall] = deque()
        self._spool: Spool | None = None
        self._identities: dict[int, RunIdentity] = {}
        self._next_try_s = 0.0
        self._busy = False
        """Whether what waits is being written: reads that are part of it must not wait for it."""

    def begin(self, say: Callable[[str], None], most_away_s: float, most_silent_s: float) -> None:
        """Writes in what earlier runs could not."""
        self._say, self._most_away_s = say, most_away_s
        limit_silence(self._engine, most_silent_s)
        for spool in left_behind(self._address):
            waiting = list(spool.read())
            strange = next((domain.run_id for domain in waiting if not self._is_ours(domain)), None)
            if strange is not None:
                spool.close()
                say(
                    f"{spool.path} holds samples of a run {strange} that is not in "
                    f"{self.location} (any more); move the file away"
                )
                continue
            for domain in waiting:
                self._put(domain)
            spool.remove()
            say(
                f"{_counted(waiting)} that an earlier run could not write to {self.location} "
                "are now in it"
            )

    @property
    def kept_in(self) -> str:
        """Where everything so far is."""
        if not self._waiting:
            return self.location
        if self._spool is None:
            return f"{self.location}, but for {_counted(self._waiting)} that are lost"
        return f"{self.location} and {self._spool.path}, since its server is away"

    def close(self) -> None:
        """As `Store.close`, after a last try to write what waits."""
        with self._lock:
            if self._waiting and not self._closed:
                with suppress(StoreError):  # it has been said, or is said by whoever asks
                    self._try_once()
            if self._spool is not None:
                self._spool.close()
            super().close()

    def begin_run(self, **facts: Any) -> int:
        """As `Store.begin_run`."""
        self._settle()
        run_id = super().begin_run(**facts)
        self.run(run_id)
        return run_id

    def run(self, run_id: int) -> RunRecord:
        """As `Store.run`."""
        return self._known(super().run(run_id))

    def resumable_run(
        self, study_digest: str, environment_identity: Mapping[str, Any]
    ) -> RunRecord | None:
        """As `Store.resumable_run`."""
        found = super().resumable_run(study_digest, environment_identity)
        return found and self._known(found)

    def add_samples(self, run_id: int, trial: Trial, samples: Sequence[RawSample]) -> None:
        """As `Store.add_samples`; without the server they are kept until it is back."""
        self._keep(self._observed(run_id, trial=trial, samples=tuple(samples)))

    def add_energy_window(
        self, run_id: int, trial: Trial | None, window: EnergyWindow, void: str | None = None
    ) -> None:
        """As `Store.add_energy_window`; without the server it is kept until it is back."""
        self._keep(self._observed(run_id, trial=trial, window=window, void=void))

    def add_clock_count(self, run_id: int, trial: Trial, count: ClockCount) -> None:
        """As `Store.add_clock_count`; without the server it is kept until it is back."""
        self._keep(self._observed(run_id, trial=trial, count=count))

    def add_firmware_count(self, run_id: int, trial: Trial, count: FirmwareCount) -> None:
        """As `Store.add_firmware_count`; without the server it is kept until it is back."""
        self._keep(self._observed(run_id, trial=trial, firmware=count))

    def add_sessions(self, point: SessionsPoint, *, made_at: datetime | None = None) -> int | None:
        """As `Store.add_sessions`; without the server it is kept until it is back."""
        moment = made_at or datetime.now(UTC)
        return self._keep(SpooledCall(None, None, point=point, made_at=moment))

    def add_failure(self, run_id: int, failure: Failure) -> None:
        """As `Store.add_failure`; without the server it is kept until it is back."""
        self._keep(self._observed(run_id, failure=failure))

    def add_implementation(self, run_id: int, facts: ImplementationFacts) -> None:
        """As `Store.add_implementation`."""
        self._insist(lambda: super(LastingStore, self).add_implementation(run_id, facts))

    def clear_failures(self, run_id: int) -> None:
        """As `Store.clear_failures`."""
        self._insist(lambda: super(LastingStore, self).clear_failures(run_id))

    def set_meter(self, run_id: int, meter: MeterRecord) -> None:
        """As `Store.set_meter`."""
        self._insist(lambda: super(LastingStore, self).set_meter(run_id, meter))

    def settle(self) -> None:
        """As `Store.settle`; it waits for the server."""
        self._settle()

    def _update_run(self, run_id: int, **values: object) -> None:
        self._insist(lambda: super(LastingStore, self)._update_run(run_id, **values))

    def _observed(self, run_id: int, **given: Any) -> SpooledCall:
        return SpooledCall(run_id, self._identities.get(run_id), **given)

    def _known(self, record: RunRecord) -> RunRecord:
        self._identities[record.id] = _identity(record)
        return record

    def _is_ours(self, domain: SpooledCall) -> bool:
        """Whether its run is the one that it was observed in."""
        if domain.run_id is None:
            return True
        try:
            record = super().run(domain.run_id)
        except StoreAwayError:
            raise
        except StoreError:
            return False
        return domain.identity is None or domain.identity == _identity(record)

    def _keep(self, domain: SpooledCall) -> int | None:
        """Writes it, or has it wait; the number of a point that was written."""
        with self._lock:
            if self._waiting:
                self._have_wait(domain)
                if time.monotonic() >= self._next_try_s:
                    self._try_once()
                return None
            try:
                return self._add(domain)
            except StoreAwayError as error:
                self._went_away(error)
                self._have_wait(domain)
                return None

    def _went_away(self, error: StoreAwayError) -> None:
        self._spool = Spool.begin(self._address)
        place = "in memory alone" if self._spool is None else f"in {self._spool.path}"
        self._say(f"{error}; the run goes on, and what it samples is kept {place} until then")

    def _have_wait(self, domain: SpooledCall) -> None:
        if self._spool is not None:
            try:
                self._spool.add(domain)
            except OSError as error:
                raise StoreError(
                    f"the server of {self.location} is away, and {self._spool.path} cannot be "
                    f"written ({error.strerror}); {_counted(self._waiting)} are safe in it; free "
                    "some space, and run the same command when the server is back"
                ) from error
        self._waiting.append(domain)

    def _try_once(self) -> bool:
        """Writes what waits, if the server takes it; whether nothing waits any more."""
        begun_s = time.monotonic()
        busy, self._busy = self._busy, True
        waited = _counted(self._waiting)
        try:
            written = 0
            for domain in tuple(self._waiting):
                self._put(domain)
                written += 1
                self._waiting.popleft()
        except StoreAwayError:
            now_s = time.monotonic()
            self._next_try_s = now_s + max(_AGAIN_S, 10 * (now_s - begun_s))
            return False
        except StoreError as error:
            if self._spool is None:
                raise
            raise StoreError(
                f"{error}; {_counted(self._waiting)} that the server has not taken are kept in "
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

    def _put(self, domain: SpooledCall) -> None:
        """Writes one, unless the server has it already.

        Raises:
            StoreError: among others, the server has something else in its place.
        """
        try:
            if domain.failure is None or not self._has(domain):
                self._add(domain)
        except StoreAwayError:
            raise
        except StoreError:
            if not self._has(domain):
                raise

    def _add(self, domain: SpooledCall) -> int | None:
        """The number of a point; None of all else."""
        if domain.point is not None:
            return super().add_sessions(domain.point, made_at=domain.made_at)
        run_id, trial = domain.run_id, domain.trial
        if run_id is None:
            return None
        if domain.failure is not None:
            super().add_failure(run_id, domain.failure)
        elif domain.window is not None:
            super().add_energy_window(run_id, trial, domain.window, domain.void)
        elif trial is not None and domain.count is not None:
            super().add_clock_count(run_id, trial, domain.count)
        elif trial is not None and domain.firmware is not None:
            super().add_firmware_count(run_id, trial, domain.firmware)
        elif trial is not None:
            super().add_samples(run_id, trial, domain.samples)
        return None

    def _has(self, domain: SpooledCall) -> bool:
        run_id, trial = domain.run_id, domain.trial
        if run_id is None:
            return False
        if domain.failure is not None:
            return domain.failure in self.failures(run_id)
        if domain.window is not None:
            return StoredWindow(trial, domain.window, domain.void) in self.energy_windows(run_id)
        return trial is not None and self._has_of(run_id, trial, domain)

    def _has_of(self, run_id: int, trial: Trial, domain: SpooledCall) -> bool:
        """As `_has`, of what a trial came to."""
        if domain.count is not None:
            return self.clock_counts(run_id).get(trial) == domain.count
        if domain.firmware is not None:
            return self.firmware_counts(run_id).get(trial) == domain.firmware
        there = self.samples(run_id).get(trial, [])
        return bool(domain.samples) and set(domain.samples) <= set(there)

    @contextmanager
    def _reading(self, run_id: int | None = None) -> Iterator[Session]:
        if not self._busy:
            self._settle()
        with super()._reading(run_id) as session:
            yield session

    def _settle(self) -> None:
        """Waits until the server answers and has everything."""

        def answers() -> None:
            if self._waiting and not self._try_once():
                raise StoreAwayError(f"the server of {self.location} is away")
            with self._guard(), self._engine.connect() as connection:
                connection.execute(text("SELECT 1"))

        self._patiently(answers)

    def _insist(self, call: Callable[[], T]) -> T:
        """Calls what may be called twice, once the server is there."""
        self._settle()
        return self._patiently(call)

    def _patiently(self, call: Callable[[], T]) -> T:
        end_s = time.monotonic() + self._most_away_s
        said = False
        with self._lock:
            while True:
                try:
                    return call()
                except StoreAwayError as error:
                    if time.monotonic() >= end_s:
                        raise StoreAwayError(self._given_up()) from error
                    if not said:
                        self._say(
                            f"{error}; this waits for it, {self._most_away_s:g} s at the longest"
                        )
                        said = True
                time.sleep(_PATIENT_AGAIN_S)

    def _given_up(self) -> str:
        waited = f"the server of {self.location} did not come back within {self._most_away_s:g} s"
        if not self._waiting:
            return f"{waited}; it has every sample, so run the same command to go on when it runs"
        counted = _counted(self._waiting)
        if self._spool is None:
            return f"{waited}, and no folder could be written to keep {counted}, which are lost"
        return (
            f"{waited}; {counted} that it does not have are kept in {self._spool.path}; run the "
            "same command when it runs again, which writes them and goes on"
        )


def _identity(record: RunRecord) -> RunIdentity:
    return RunIdentity(record.study_digest, record.seed, record.started_at.isoformat())


def _counted(waiting: Sequence[SpooledCall]) -> str:
    number = sum(domain.observations for domain in waiting)
    return "1 sample" if number == 1 else f"{number} samples"
