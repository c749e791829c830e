# SPDX-License-Identifier: Apache-2.0
"""Writes the views as files; a page that has not changed since the last time is not made again."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Final

from joulemark import __version__
from joulemark.errors import UsageError
from joulemark.explorer import PublishRequest
from joulemark.explorer.estimates.holdings import Fillers, Holdings, fill, missing_estimates
from joulemark.explorer.estimates.kept import KeptEstimates, cache_file
from joulemark.explorer.render import ASSETS, SEARCH, asset, feed_of, html_of, search_of
from joulemark.explorer.views import FileAddressing, Place, gathered, place_of
from joulemark.explorer.views.routes import VIEWS, PlannedPage, page_at
from joulemark.foreign import ForeignError
from joulemark.foreign.records import parse_json, record_from_json
from joulemark.report import Address, write_atomically
from joulemark.store.reading import open_for_reading

# The folder that is published: which files are ours, and which of them need not be written again.
#
# A list in the folder has our files with their digests. Only files of that list are replaced or
# removed, so that no file of somebody else's is lost; a folder with other files and no such list
# is refused.

LIST_NAME: Final = "joulemark-files.json"
JOURNAL_NAME: Final = "joulemark-files.part"
"""Names of the new files of a run that has not ended, one in a line; the list is written last."""
_LIST_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class _WrittenFile:
    key: str
    """Key of all that its content depends on."""
    sha256: str


@dataclass(frozen=True, slots=True)
class _FileList:
    schema_version: int
    files: dict[str, _WrittenFile]
    """Path in the folder, with slashes -> the file as it was written last."""


class PublishedFolder:
    """A folder while it is being written."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._before = _read_list(path)
        self._now: dict[str, _WrittenFile] = {}
        self.written = 0
        self.unchanged = 0
        self.removed = 0

    def key(self, name: str) -> str | None:
        """The key of a file when it was written last; None if it is not there as it was written."""
        known = self._before.get(name)
        return known.key if known is not None and self._is_whole(name, known) else None

    def _is_whole(self, name: str, known: _WrittenFile) -> bool:
        """Whether the file still has the content that was written."""
        try:
            data = (self._path / name).read_bytes()
        except OSError:
            return False
        return hashlib.sha256(data).hexdigest() == known.sha256

    def keep(self, name: str) -> None:
        """Leaves a file as it was written last; for a file whose `key` is not None."""
        self._now[name] = self._before[name]
        self.unchanged += 1

    def put(self, name: str, key: str, data: bytes) -> None:
        """Writes a file, unless it has that content already.

        A file of that name that is not ours is refused.
        """
        known, written = self._before.get(name), _WrittenFile(key, hashlib.sha256(data).hexdigest())
        self._now[name] = written
        path = self._path / name
        if known is None:
            if path.exists() or path.is_symlink():
                raise UsageError(
                    f"{path} is a file that joulemark publish did not write, and a page has its "
                    "name; move it away, or publish to a new folder"
                )
            with (self._path / JOURNAL_NAME).open("a", encoding="utf-8") as journal:
                journal.write(f"{name}\n")
        elif self._is_whole(name, written):
            self.unchanged += 1
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        # A reader sees the old file or the new one. A file that a power cut loses is written again,
        # for the list is written last.
        temporary = path.with_name(f".{path.name[:200]}.tmp")
        temporary.write_bytes(data)
        temporary.replace(path)
        self.written += 1

    def finish(self) -> None:
        """Removes files of ours that are no longer published, and writes the list."""
        for name in self._before.keys() - self._now.keys():
            path = self._path / name
            if path.is_file():
                path.unlink()
                self.removed += 1
        _remove_empty_folders(self._path, self._before)
        _write_list(self._path / LIST_NAME, self._now)
        (self._path / JOURNAL_NAME).unlink(missing_ok=True)


def _remove_empty_folders(path: Path, names: Iterable[str]) -> None:
    folders = {parent for name in names for parent in Path(name).parents} - {Path()}
    for relative in sorted(folders, key=lambda folder: -len(folder.parts)):
        folder = path / relative
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _write_list(file: Path, files: dict[str, _WrittenFile]) -> None:
    text = json.dumps(asdict(_FileList(_LIST_VERSION, files)), indent=0)
    write_atomically(file, text.encode())


def _read_list(path: Path) -> dict[str, _WrittenFile]:
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path} is a file; name a folder to publish to")
    path.mkdir(parents=True, exist_ok=True)
    file = path / LIST_NAME
    if not file.exists():
        if any(path.iterdir()):
            raise UsageError(
                f"{path} holds files that joulemark publish did not write; name an empty folder or "
                "a new one"
            )
        _write_list(file, {})
        return {}
    try:
        found = record_from_json(_FileList, parse_json(file.read_bytes()))
    except (OSError, ForeignError):
        found = None
    if found is None or found.schema_version != _LIST_VERSION or not all(map(_inside, found.files)):
        raise UsageError(
            f"{file} is not the list of files that joulemark publish wrote; publish to a new folder"
        )
    return dict.fromkeys(_begun(path), _WrittenFile("", "")) | found.files


def _begun(path: Path) -> list[str]:
    """Names of new files of a run that did not end."""
    try:
        names = (path / JOURNAL_NAME).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    return [name for name in names if name and _inside(name)]


def _inside(name: str) -> bool:
    """Whether a path of the list stays in the folder."""
    return not Path(name).is_absolute() and ".." not in Path(name).parts and "\0" not in name


POLICY: Final = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file:; "
    "img-src 'self' data: blob:; base-uri 'none'; form-action 'none'"
)
"""Content security policy of every page; `file:` lets pages be opened from a disk."""
_FEED: Final = "changes.atom"
_LOOK_S: Final = 0.2
_TELL_S: Final = 5.0
"""Time between two messages of progress."""
MOST_ALGORITHM_FILES: Final = 60
"""Most algorithms that have a file each: with all others a site of one run is 100 files at most."""
_FEW: Final = 8
"""Most runs and judgements that this process estimates itself: starting others takes as long."""


@dataclass(frozen=True, slots=True)
class PublishReport:
    """Numbers of pages, and of files that were written, left as they were, or removed."""

    pages: int
    written: int
    unchanged: int
    removed: int


def carry_out(request: PublishRequest) -> None:
    """Publishes a store, and says what was written."""
    found = publish(request.location, request.folder, request.say)
    request.say(
        f"{request.folder}: {found.pages} pages; {found.written} files written, {found.unchanged} "
        f"unchanged, {found.removed} removed; begin at {request.folder / 'index.html'}"
    )


def publish(location: str, folder: Path, say: Callable[[str], None]) -> PublishReport:
    """Publishes a store."""
    with open_for_reading(location) as store:
        target = PublishedFolder(folder)
        with cache_file(store.location) as path, closing(KeptEstimates(path)) as estimates:
            holdings = Holdings(store, estimates)
            _estimate(location, path, holdings, say)
            pages = _write(holdings, target)
    target.finish()
    return PublishReport(pages, target.written, target.unchanged, target.removed)


def _estimate(location: str, path: Path, holdings: Holdings, say: Callable[[str], None]) -> None:
    known, estimates = holdings.known(), holdings.estimates
    missing = missing_estimates(known, estimates)
    estimates.drop(missing.gone, missing.gates_gone)
    if len(missing.runs) + len(missing.gates) > _FEW:
        fillers = Fillers(location, path, len(os.sched_getaffinity(0)))
        try:
            said_s = time.monotonic()
            while fillers.running:
                time.sleep(_LOOK_S)
                if time.monotonic() - said_s > _TELL_S:
                    said_s = time.monotonic()
                    done = len(known.runs) - len(missing_estimates(known, estimates).runs)
                    say(f"{done} of {len(known.runs)} runs are estimated")
        finally:
            fillers.end()
    fill(holdings.store, estimates, known)  # the few, or those left by a process that ended early
    holdings.refresh()  # else pages that are made at once would say that figures are missing


def _write(holdings: Holdings, target: PublishedFolder) -> int:
    every = [page for view in VIEWS.values() for page in view.published(holdings)]
    stems = {place_of(page.address).stem for page in every}
    many = sum(stem.startswith("algorithms/") for stem in stems) > MOST_ALGORITHM_FILES

    def place(address: Address) -> Place:
        return gathered(place_of(address)) if many else place_of(address)

    planned: dict[Place, PlannedPage] = {}
    same: dict[Place, list[Address]] = {}
    for page in every:
        if page.same_as is None:  # two addresses could have one name
            planned.setdefault(place(page.address), page)
        else:
            same.setdefault(place(page.same_as), []).append(page.address)
    own = {page.address: where for where, page in planned.items()}
    # An address keeps its link when it gets a page of its own, so that no other page changes.
    places = own | {other: place(other) for where in planned for other in same.get(where, ())}
    files: dict[str, list[Place]] = {}
    for where in sorted(planned, key=lambda where: (where.part != "", where.part != "targets")):
        files.setdefault(where.stem, []).append(where)
    everything = _digest(run.content for run in holdings.known().runs.values())
    cores = _digest(json.dumps(core.model_dump(mode="json")) for core in holdings.cores())
    # A page that gained or lost a neighbour has other links. The pages of single runs link to pages
    # that follow from these runs, and to those views that are published, of which one may lack.
    neighbours = _digest(sorted(where.link for where in planned))
    site = f"{Address.of('budget') in places} {many}"
    for stem, of_file in files.items():
        pages = {where.part: planned[where] for where in of_file}
        others = {
            where.part: [places[each].part for each in same.get(where, ())] for where in of_file
        }
        depends = {word: None for page in pages.values() for word in page.depends}
        parts = (
            [everything, cores, neighbours]
            if "all" in depends
            else [*depends, stem, *pages, *chain(*others.values()), site]
        )
        key = _digest([_code(), *parts])
        _write_file(holdings, target, stem, pages, others, places, key)
    for name in ASSETS:
        target.put(f"assets/{name}", "", asset(name))
    target.put(f"assets/{SEARCH}", "", search_of(own, holdings.known()))
    target.put(_FEED, "", feed_of(holdings, FileAddressing(places, "").link))
    return len(planned)


def _write_file(
    holdings: Holdings,
    target: PublishedFolder,
    stem: str,
    planned: Mapping[str, PlannedPage],
    others: Mapping[str, Sequence[str]],
    places: Mapping[Address, Place],
    key: str,
) -> None:
    """Writes the pages of one file, by the ids of their parts; the page of the file first.

    Args:
        holdings: the store.
        target: takes the file.
        stem: of the file.
        planned: id of the part -> page.
        others: id of the part -> further ids under which it is known.
        places: where all pages stand.
        key: of all that the content depends on.
    """
    name = f"{stem}.html"
    if target.key(name) == key:
        target.keep(name)
        return
    pages = {}
    for part, page in planned.items():
        query: dict[str, list[str]] = {}
        for word, value in page.address.query:
            query.setdefault(word, []).append(value)
        with suppress(UsageError):  # such as two runs whose trials have no sample
            found = page_at(holdings, page.address.path, query)
            if found is not None:
                pages[part] = found
    if not pages:
        return
    addressing = FileAddressing(places, stem)
    feed = addressing.asset("")[: -len("assets/")] + _FEED
    data = html_of(pages, addressing, forms=False, policy=POLICY, feed=feed, others=others)
    target.put(name, key, data)


@cache
def _code() -> str:
    """Digest of the code that makes pages."""
    room = Path(__file__).parent
    files = sorted(path for path in room.rglob("*") if path.suffix in (".py", ".j2", ".js"))
    return _digest([__version__, *(file.read_text("utf-8") for file in files)])


def _digest(parts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()
