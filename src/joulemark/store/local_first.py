# SPDX-License-Identifier: Apache-2.0
"""A store for what a command measures for a server: local first, then merged whole.

The command measures into a store of its own, in a file of this user. A run goes to the server whole
when it ends, or when the command stops: in one transaction, in the place of the part that the
server may have (`merging`). Then the file goes. If the server is away, the file stays, and the next
command that measures into the same database merges it.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from sqlalchemy import text

from joulemark.errors import StoreAwayError, StoreError, UnavailableError, UsageError
from joulemark.foreign import say, shortened
from joulemark.store import merging
from joulemark.store.address import StoreAddress, engine_for
from joulemark.store.repository import RunRecord, Store
from joulemark.units import format_count, parse_number
from joulemark.user_folders import LOCK_FILE, LockedFolder, user_data

_MOST_AWAY_S: Final = 60.0
"""Longest wait for a server, unless the user says otherwise."""
_MOST_SILENT_S: Final = 30.0
"""Longest silence of the server within a statement, which waits at most 10 s for a lock."""
_WAIT_VARIABLE: Final = "JOULEMARK_STORE_WAIT"
_LONGEST_AWAY_S: Final = 86_400.0
_LOCAL_PATIENCE_S: Final = 10.0
_AT_ONCE_S: Final = 10.0
"""After a shorter first try the next follows at once: its connection may have been cut, no more.
The server of a longer one hangs."""
_PAUSE_S: Final = 0.2

_T = TypeVar("_T")


@contextmanager
def store_to_measure(location: str | None) -> Iterator[Store]:
    """The store that a command measures into; without a location one that is deleted at the end.

    Standard error says when a server is away and back.
    """
    if location is not None:
        with open_to_measure(location, say, most_away_s=_wait_of_user_s()) as store:
            yield store
        return
    with (
        tempfile.TemporaryDirectory(prefix="joulemark-") as folder,
        Store.open(Path(folder) / "joulemark.db") as store,
    ):
        yield store


def _wait_of_user_s() -> float:
    given = os.environ.get(_WAIT_VARIABLE)
    if not given:
        return _MOST_AWAY_S
    seconds = parse_number(given)
    if not 0 <= seconds <= _LONGEST_AWAY_S:
        raise UsageError(
            f"{_WAIT_VARIABLE} is '{shortened(given, 30)}', and must be a number of seconds from 0 "
            f"to {_LONGEST_AWAY_S:.0f}"
        )
    return seconds


def open_to_measure(
    location: str,
    say: Callable[[str], None],
    *,
    most_away_s: float = _MOST_AWAY_S,
    most_silent_s: float = _MOST_SILENT_S,
) -> Store:
    """Opens the store that a command measures into: the file itself, or a local one for a server.

    Args:
        location: as for `Store.open`.
        say: takes a sentence when the server is away, when it is back, and on files left behind.
        most_away_s: longest wait of a call that needs the server.
        most_silent_s: a server that has not answered for so long counts as away.

    Raises:
        StoreError: as `Store.open`, or the file of an earlier command cannot be merged.
    """
    address = StoreAddress.of(location)
    if not address.on_server:
        return Store.open(location)
    server = Store.open(location, most_silent_s=most_silent_s)
    try:
        folder = _new_folder(address)
        Store.open(_file_in(folder)).close()
        store = LocalFirstStore(server, folder, say, most_away_s)
    except BaseException:
        server.close()
        raise
    try:
        store.merge_left_behind(address)
    except BaseException:
        store.close()
        raise
    return store


class LocalFirstStore(Store):
    """A store in a file, which merges its runs into a server's; the promises are `Store`'s.

    A run has the number here that it has on the server. Nobody else sees it before it is merged.
    """

    def __init__(
        self, server: Store, folder: LockedFolder, say: Callable[[str], None], most_away_s: float
    ) -> None:
        """Takes over the server's store, and a folder with an empty store."""
        address = StoreAddress.of(_file_in(folder))
        super().__init__(engine_for(address, patience_s=_LOCAL_PATIENCE_S), address)
        self._server, self._folder, self._say = server, folder, say
        self._most_away_s = most_away_s
        self._numbers: dict[int, int] = {}
        """Number of a run here -> its number on the server, once it is there."""
        self._finished: set[int] = set()
        """Runs that are finished, and on the server."""
        self._told = False
        """Whether the user knows that observations stay in the file."""

    @property
    def location(self) -> str:
        """Address of the server's database, without any password."""
        return self._server.location

    def merge_left_behind(self, address: StoreAddress) -> None:
        """Merges and removes the files of commands that have ended."""
        for path in _own_files(address, "*.jsonl"):
            self._say(
                f"{path} holds samples of an earlier version of Joulemark that {self.location} may "
                "lack; give that version the same command once, or move the file away"
            )
        for folder in _left_behind(address):
            with closing(folder), Store.open(_file_in(folder)) as left:
                count = _count_of(left)
                self._outlast(partial(_merge, left, self._server))
                folder.remove()
            if count:
                self._say(
                    f"{format_count(count, 'sample')} that an earlier run could not write to "
                    f"{self.location} are now in it"
                )

    def begin_run(self, **facts: Any) -> int:
        """As `Store.begin_run`; the server gives the number, and has no row of the run yet."""
        return super().begin_run(**facts, number=self._outlast(self._next_number))

    def _next_number(self) -> int:
        with self._server.writing() as connection:
            statement = text(f"SELECT nextval({merging.NUMBERS})")
            return int(connection.execute(statement).scalar_one())

    def resumable_run(
        self, study_digest: str, environment_identity: Mapping[str, Any]
    ) -> RunRecord | None:
        """As `Store.resumable_run`; a run of the server is copied here first."""

        def fetch() -> None:
            found = self._server.resumable_run(study_digest, environment_identity)
            if found is not None and _take_run(self._folder.path, found.id):
                content = merging.content_of(self._server, found.id)
                merging.add_content(self, content, number=found.id)

        here = partial(super().resumable_run, study_digest, environment_identity)
        if here() is None:
            self._outlast(fetch)
        return here()

    def finish_run(self, run_id: int) -> None:
        """As `Store.finish_run`, once the server has the run.

        Until then it is unfinished here too, so that the same command goes on with it, and ends it.

        Raises:
            StoreAwayError: the server stays away; the file is kept.
            StoreError: the server has another run of that number, as after its database was made
                again; this run is there under another number.
        """
        self._outlast(self._merge)
        number = self._numbers[run_id]
        self._outlast(partial(self._server.finish_run, number))
        super().finish_run(run_id)
        self._finished.add(run_id)
        if number != run_id:
            raise StoreError(
                f"run {run_id} of {self.location} is another run now; what was measured is its run "
                f"{number}: 'joulemark results {number}' shows it"
            )

    def settle(self, read: Callable[[Store], _T]) -> _T:
        """As `Store.settle`: reads in the server's database, again if the connection is cut."""
        self._outlast(self._merge)
        return self._outlast(partial(read, self._server))

    def keep(self) -> str:
        """As `Store.keep`: tries once to merge all into the server's database."""
        try:
            self._merge()
        except StoreError as error:
            self._told = True
            return f"{_file_in(self._folder)}, since {error}"
        return self.location

    def close(self) -> None:
        """As `Store.close`, after a last try to merge; the file goes if the server has all."""
        with self._lock:
            if self._closed:
                return
            try:
                self._merge()
                self._folder.remove()
            except StoreError as error:
                count = _count_of(self, self._finished)
                if not count:
                    self._folder.remove()
                elif not self._told:
                    kept = f"{format_count(count, 'sample')} are kept in {_file_in(self._folder)}"
                    self._say(
                        f"{error}; {kept}, and the next command that measures into {self.location} "
                        "writes them"
                    )
            finally:
                super().close()
                self._server.close()
                self._folder.close()

    def _merge(self) -> None:
        self._numbers |= _merge(self, self._server, self._finished)

    def _outlast(self, work: Callable[[], _T]) -> _T:
        """Does work, again and again while the server is away, for at most `most_away_s`."""
        begun_s = time.monotonic()
        tries, waits = 0, False
        while True:
            try:
                result = work()
            except StoreAwayError as error:
                tries += 1
                passed_s = time.monotonic() - begun_s
                if passed_s >= self._most_away_s:
                    raise StoreAwayError(
                        f"the server of {self.location} did not come back within "
                        f"{self._most_away_s:g} s; run the same command when it runs again"
                    ) from error
                if tries == 1 and passed_s < _AT_ONCE_S:
                    continue
                if not waits:
                    self._say(f"{error}; this waits for it, {self._most_away_s:g} s at the longest")
                waits = True
            else:
                if waits:
                    self._say(f"the server of {self.location} is back")
                return result
            time.sleep(_PAUSE_S)


def _merge(local: Store, server: Store, but: Collection[int] = ()) -> dict[int, int]:
    """Merges all of a store but some runs; returns the runs' numbers there by those here."""
    numbers = {
        run.id: merging.merge_content(server, merging.content_of(local, run.id), run.id)
        for run in local.runs()
        if run.id not in but
    }
    merging.copy_beside_runs(local, server)
    return numbers


def _count_of(local: Store, but: Collection[int] = ()) -> int:
    """Number of observations in a store, but for those of some runs."""
    runs = [run.id for run in local.runs() if run.id not in but]
    observations = sum(merging.content_of(local, run_id).observations for run_id in runs)
    return observations + len(local.all_sessions())


# Folders of this user, one for each command that measures for a server.

_FOLDER: Final = "unwritten"


def _file_in(folder: LockedFolder) -> Path:
    """The file of the store of one command.

    The lock is on another file, since network file systems do not tell this kind of lock from the
    kind that SQLite takes.
    """
    return folder.path / "store.db"


def _new_folder(address: StoreAddress) -> LockedFolder:
    for parent in _parents():
        with suppress(OSError):
            parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if _is_own(parent):
                return LockedFolder.make(parent, f"{_key(address)}-")
    raise StoreError(
        f"measurements for {address.name} go into a local file first, and there is no folder that "
        "can be written for it; set XDG_DATA_HOME to a folder that can be written"
    )


def _left_behind(address: StoreAddress) -> Iterator[LockedFolder]:
    """Folders of a database whose commands have ended."""
    locks = _own_files(address, f"*/{LOCK_FILE}")
    for folder in LockedFolder.left_behind(lock.parent for lock in locks):
        if _file_in(folder).exists():
            yield folder
        else:  # another command has just merged it, or was killed before it began
            folder.close()


def _take_run(folder: Path, run_id: int) -> bool:
    """Marks that a folder's command goes on with a run; False if another command does."""
    key, _, _ = folder.name.partition("-")
    if any(mark.parent != folder for mark in folder.parent.glob(f"{key}-*/run-{run_id}")):
        return False
    (folder / f"run-{run_id}").touch()
    return True


def _own_files(address: StoreAddress, pattern: str) -> list[Path]:
    """Files of a database in this user's folders."""
    return [
        path
        for parent in _parents()
        if _is_own(parent)
        for path in sorted(parent.glob(f"{_key(address)}-{pattern}"))
    ]


def _parents() -> Iterator[Path]:
    with suppress(UnavailableError):
        yield user_data(_FOLDER)
    yield Path(tempfile.gettempdir()) / f"joulemark-{os.getuid()}-{_FOLDER}"


def _is_own(folder: Path) -> bool:
    """Whether only this user can write to a folder; one in /tmp may be another user's."""
    try:
        return folder.stat().st_uid == os.getuid() and not folder.is_symlink()
    except OSError:
        return False


def _key(address: StoreAddress) -> str:
    """Names the folders of a database; the same for all users of its server."""
    url = address.url.set(username="").set(password="").render_as_string(hide_password=False)
    return hashlib.sha256(url.encode()).hexdigest()[:16]
