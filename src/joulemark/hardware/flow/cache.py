# SPDX-License-Identifier: Apache-2.0
"""Keeps reports by the content of everything that they were made from.

The key is a digest of the core's files, its parameters, the request, the library's bytes, the
versions of the tools and our own code: a change of any of them leads to another entry.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from joulemark import __version__
from joulemark.errors import UsageError
from joulemark.foreign.text import shortened
from joulemark.hardware.core.asic_figures import AsicFigures
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.flow.request import Flow
from joulemark.hardware.flow.tools import versions
from joulemark.records import core_figures, core_report
from joulemark.records.core_report import CoreReport
from joulemark.user_folders import user_cache, write_whole

_Entry = TypeVar("_Entry")
_SOURCE_SUFFIXES = {".sv", ".v", ".svh", ".vh", ".py", ".toml", ".mem", ".hex"}


def default_folder() -> Path:
    """`joulemark/cores` in the user's cache folder."""
    return user_cache("cores")


def report_key(core: Core, parameters: Mapping[str, int], asked: Flow) -> str:
    """Digest of everything that a report depends on."""
    liberty = asked.liberty
    facts = {
        "joulemark": __version__,
        "flow": _own_code(),
        "core": core.model_dump(mode="json"),
        "files": {str(place): _digest(path) for place, path in _files(core)},
        "parameters": dict(parameters),
        "asked": asked.model_dump(mode="json", exclude={"liberty"}),
        "liberty": None if liberty is None else [liberty.name, _digest(liberty)],
        "tools": versions(asked.target, power=asked.target == "asic" and asked.power),
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


class _Entries(Generic[_Entry]):
    """A folder of JSON files by key.

    Args:
        folder: folder that is made with the first file; None keeps nothing.
        kind: type of what the files hold.
    """

    def __init__(self, folder: Path | None, kind: TypeAdapter[_Entry]) -> None:
        self._folder = folder
        self._kind = kind

    def read(self, key: str) -> _Entry | None:
        """The entry of this key; None if there is none or if it is damaged."""
        if self._folder is None:
            return None
        with suppress(OSError, ValidationError, UnicodeDecodeError):
            return self._kind.validate_json(self._path(self._folder, key).read_bytes())
        return None

    def write(self, key: str, entry: _Entry) -> None:
        """Keeps an entry; whoever reads meanwhile sees the old one or the whole new one."""
        if self._folder is None:
            return
        path = self._path(self._folder, key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, self._kind.dump_json(entry))
        except OSError as error:
            raise UsageError(
                f"--cache {self._folder} cannot be written ({error.strerror}); "
                "name another folder, or give --no-cache"
            ) from error

    @staticmethod
    def _path(folder: Path, key: str) -> Path:
        return folder / key[:2] / f"{key}.json"


class ReportCache:
    """A folder of reports.

    Args:
        folder: folder that is made with the first report; None keeps nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self._entries = _Entries(folder, TypeAdapter(CoreReport))

    def get(self, key: str) -> CoreReport | None:
        """The report of this key; None if there is none or if it is damaged."""
        return self._entries.read(key)

    def put(self, key: str, report: CoreReport) -> None:
        """Keeps a report, unless some seed fell back on a placer that was not the first choice.

        The first placer ran out of its effort there. Kept, the figures of the other placer would
        stand for its own even on a machine on which it finds a way in time.
        """
        if not report.settings.get("fallback_seeds"):
            self._entries.write(key, report)


class MappingCache:
    """Figures of single mappings, so that a report that was stopped goes on where it was.

    Args:
        folder: as for reports; None keeps nothing.
        key: key of the report, the same for every number of mappings.
    """

    def __init__(self, folder: Path | None, key: str) -> None:
        self._entries = _Entries(folder, TypeAdapter(AsicFigures))
        self._key = key

    def get(self, seed: int) -> AsicFigures | None:
        """The figures of this seed; None if there are none or if they are damaged."""
        return self._entries.read(self._key_of(seed))

    def put(self, seed: int, figures: AsicFigures) -> None:
        """Keeps the figures of a seed."""
        self._entries.write(self._key_of(seed), figures)

    def _key_of(self, seed: int) -> str:
        return hashlib.sha256(f"{self._key} mapping {seed}".encode()).hexdigest()


def _files(core: Core) -> Iterator[tuple[Path, Path]]:
    """Files of the core, after names for them: sources, includes, adapter and reference."""
    for path in core.source_paths():
        yield Path(path.name), path
    for include in core.include_folders:
        for path in sorted((core.folder / include).rglob("*")):
            if path.suffix in _SOURCE_SUFFIXES:
                yield Path(include) / path.name, path
    if isinstance(core.adapter, str):
        for path in sorted((core.folder / core.adapter).parent.glob("*.py")):
            yield Path("adapter") / path.name, path
    elif isinstance(model := core.adapter.get("reference"), str) and model.endswith(".py"):
        yield Path("reference"), core.folder / model


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise UsageError(f"{shortened(str(path), 200)} cannot be read ({error.strerror})") from None


@cache
def _own_code() -> str:
    """Digest of these rooms, so that no old entry hides a change of ours."""
    total = hashlib.sha256()
    records = (Path(core_figures.__file__), Path(core_report.__file__))
    for path in [*sorted(Path(__file__).parents[1].rglob("*")), *records]:
        if path.suffix in {".py", ".v"}:
            total.update(path.name.encode() + path.read_bytes())
    return total.hexdigest()
