# SPDX-License-Identifier: Apache-2.0
"""Keeps reports by the content of everything that they were made from.

The key is a digest of the core's files, its parameters, what was asked, the library's bytes, the
versions of the tools and our own code: whatever changes one of them asks for another entry.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from joulemark import __version__
from joulemark.errors import UsageError
from joulemark.foreign.text import shortened
from joulemark.hardware.core.asic_figures import AsicFigures
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.core.report import CoreReport
from joulemark.hardware.flow.request import Flow
from joulemark.hardware.flow.tools import versions
from joulemark.records import core_figures
from joulemark.user_folders import user_cache

__all__ = ["MappingCache", "ReportCache", "default_folder", "report_key"]

_FIGURES = TypeAdapter(AsicFigures)
_SOURCE_SUFFIXES = {".sv", ".v", ".svh", ".vh", ".py", ".toml", ".mem", ".hex"}


def default_folder() -> Path:
    """`joulemark/cores` in the user's cache folder."""
    return user_cache("cores")


def report_key(core: Core, parameters: Mapping[str, int], asked: Flow) -> str:
    """Digest of all that a report depends on."""
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


class _Texts:
    """A folder of texts by key.

    Args:
        folder: made when the first is kept; None keeps nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def read(self, key: str) -> bytes | None:
        """The text of this key, or None."""
        if self._folder is None:
            return None
        with suppress(OSError):
            return self._path(self._folder, key).read_bytes()
        return None

    def write(self, key: str, text: str) -> None:
        """Keeps a text; whoever reads meanwhile sees the old one or the whole new one.

        Raises:
            UsageError: the folder cannot be written.
        """
        if self._folder is None:
            return
        path = self._path(self._folder, key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(
                "w", encoding="utf-8", dir=path.parent, prefix=".new-", delete=False
            ) as new:
                new.write(text)
                new.flush()
                os.fsync(new.fileno())
            Path(new.name).replace(path)
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
        folder: made when the first report is kept; None keeps nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self._texts = _Texts(folder)

    def get(self, key: str) -> CoreReport | None:
        """The report of this key, or None; a damaged entry is as good as none."""
        text = self._texts.read(key)
        with suppress(ValidationError, UnicodeDecodeError):
            return None if text is None else CoreReport.model_validate_json(text)
        return None

    def put(self, key: str, report: CoreReport) -> None:
        """Keeps a report, unless it is not what was asked for.

        A placer that was taken because another ran out of its effort gives the figures of another
        placer: kept, they would stand for the first one's even where that one has all the time.

        Raises:
            UsageError: the folder cannot be written.
        """
        if not report.settings.get("fallback_seeds"):
            self._texts.write(key, report.model_dump_json())


class MappingCache:
    """Figures of single mappings, so that a report that was stopped goes on where it was.

    Args:
        folder: as for reports; None keeps nothing.
        key: of the report, whatever its number of mappings.
    """

    def __init__(self, folder: Path | None, key: str) -> None:
        self._texts = _Texts(folder)
        self._key = key

    def get(self, seed: int) -> AsicFigures | None:
        """The figures of this seed, or None; a damaged entry is as good as none."""
        text = self._texts.read(self._of(seed))
        with suppress(ValidationError, UnicodeDecodeError):
            return None if text is None else _FIGURES.validate_json(text)
        return None

    def put(self, seed: int, figures: AsicFigures) -> None:
        """Keeps the figures of a seed.

        Raises:
            UsageError: the folder cannot be written.
        """
        self._texts.write(self._of(seed), _FIGURES.dump_json(figures).decode())

    def _of(self, seed: int) -> str:
        return hashlib.sha256(f"{self._key} mapping {seed}".encode()).hexdigest()


def _files(core: Core) -> Iterator[tuple[Path, Path]]:
    """What the core is made of: its sources, includes and everything it is driven with."""
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
    """Digest of the flow itself, so that a change of ours is never hidden by an old entry."""
    total = hashlib.sha256()
    for path in [*sorted(Path(__file__).parents[1].rglob("*")), Path(core_figures.__file__)]:
        if path.suffix in {".py", ".v"}:
            total.update(path.name.encode() + path.read_bytes())
    return total.hexdigest()
