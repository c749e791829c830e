# SPDX-License-Identifier: Apache-2.0
"""Keeps reports by the content of everything that they were made from.

The key is a digest of the core's files, its parameters, the request, the library's bytes, the
versions of the tools and our own code: a change of any of them leads to another entry.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from joulemark import __version__
from joulemark.errors import UsageError
from joulemark.foreign import shortened
from joulemark.hardware.flow.request import Flow, versions
from joulemark.hardware.manifest import Core
from joulemark.records import core_figures, core_report
from joulemark.records.core_report import CoreReport, CoreSettings, ModuleFigures
from joulemark.user_folders import user_cache, write_whole

_Entry = TypeVar("_Entry")
_SOURCE_SUFFIXES: Final = {".sv", ".v", ".svh", ".vh", ".toml", ".mem", ".hex"}
_QUOTED: Final = re.compile(r'"([^"\n\0]{1,200})"')
_MOST_BYTES: Final = 1 << 24
"""Length of the longest file in which names of other files are looked for."""

CACHE_VARIABLE: Final = "JOULEMARK_CORE_CACHE"
"""Variable of the environment that names the folder of finished reports."""


def default_folder() -> Path:
    """The folder that the environment names, or `joulemark/cores` in the user's cache folder."""
    named = os.environ.get(CACHE_VARIABLE)
    return Path(named) if named else user_cache("cores")


def report_key(core: Core, parameters: Mapping[str, int], asked: Flow) -> str:
    """Digest of everything that a report depends on."""
    liberty = asked.liberty
    facts = {
        "joulemark": __version__,
        "flow": _own_code(),
        "core": core.model_dump(mode="json"),
        "files": _file_digests(core),
        "parameters": dict(parameters),
        "asked": asked.model_dump(mode="json", exclude={"liberty"}),
        "liberty": None if liberty is None else [liberty.name, _digest(liberty)],
        "tools": versions(
            asked.target, core.source_paths(), power=asked.target == "asic" and asked.power
        ),
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def sources_digest(core: Core) -> str:
    """Digest of the core's files, which is the same for all parameters, targets and messages."""
    return hashlib.sha256(json.dumps(_file_digests(core)).encode()).hexdigest()


def _file_digests(core: Core) -> list[list[str]]:
    return [[place, _digest(path)] for place, path in _files(core)]


def _read(folder: Path | None, key: str, kind: TypeAdapter[_Entry]) -> _Entry | None:
    """The entry of this key; None if there is none or if it is damaged."""
    if folder is not None:
        with suppress(OSError, ValidationError, UnicodeDecodeError):
            return kind.validate_json(_path(folder, key).read_bytes())
    return None


def _write(folder: Path | None, key: str, kind: TypeAdapter[_Entry], entry: _Entry) -> None:
    """Keeps an entry; whoever reads meanwhile sees the old one or the whole new one."""
    if folder is None:
        return
    path = _path(folder, key)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, kind.dump_json(entry))
    except OSError as error:
        raise UsageError(
            f"--cache {folder} cannot be written ({error.strerror}); "
            "name another folder, or give --no-cache"
        ) from error


def _path(folder: Path, key: str) -> Path:
    return folder / key[:2] / f"{key}.json"


@dataclass(frozen=True, slots=True)
class ReportCache:
    """A folder of reports, which is made with the first one; None keeps nothing."""

    folder: Path | None

    def get(self, key: str) -> CoreReport | None:
        """The report of this key; None if there is none or if it is damaged."""
        return _read(self.folder, key, TypeAdapter(CoreReport))

    def put(self, key: str, report: CoreReport) -> None:
        """Keeps a report, unless some seed fell back on a placer that was not the first choice.

        The first placer ran out of its effort there. Kept, the figures of the other placer would
        stand for its own even on a machine on which it finds a way in time.
        """
        if not report.settings.get("fallback_seeds"):
            _write(self.folder, key, TypeAdapter(CoreReport), report)


@dataclass(frozen=True, slots=True)
class MappingCache:
    """Figures of single mappings, so that a report that was stopped goes on where it was."""

    folder: Path | None
    key: str
    """Key of the report, the same for every number of mappings."""

    def get(self, seed: int) -> AsicFigures | None:
        """The figures of this seed; None if there are none or if they are damaged."""
        return _read(self.folder, self._key_of(seed), TypeAdapter(AsicFigures))

    def put(self, seed: int, figures: AsicFigures) -> None:
        """Keeps the figures of a seed."""
        _write(self.folder, self._key_of(seed), TypeAdapter(AsicFigures), figures)

    def _key_of(self, seed: int) -> str:
        return hashlib.sha256(f"{self.key} mapping {seed}".encode()).hexdigest()


def _files(core: Core) -> list[tuple[str, Path]]:
    """Files of the core, after their places from its folder: sources, includes, adapter, reference.

    An included file or a memory's content may have any ending, so files are also found by the
    names that stand between quotation marks.
    """
    folders = [core.folder / folder for folder in core.include_folders]
    waiting = list(core.source_paths())
    for folder in folders:
        waiting += [path for path in folder.rglob("*") if path.suffix in _SOURCE_SUFFIXES]
    found: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        if not path.is_file():  # refused by name where it is read
            continue
        text = path.read_text("utf-8", "replace") if path.stat().st_size <= _MOST_BYTES else ""
        for name in set(_QUOTED.findall(text)):
            named = (folder / name for folder in (path.parent, core.folder, *folders))
            waiting += [place for place in named if place.is_file()]
    model = core.adapter if isinstance(core.adapter, str) else core.adapter.get("reference")
    if isinstance(model, str) and (model == core.adapter or model.endswith(".py")):
        found |= {core.folder / model, *(core.folder / model).parent.glob("*.py")}
    return sorted((os.path.relpath(path, core.folder), path) for path in found)


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


# Figures of one mapping of a core onto a standard-cell library.


@dataclass(frozen=True, slots=True, kw_only=True)
class AsicFigures:
    """Figures of a core in a cell library, before layout.

    Clocks are `simulated`, all else is `modelled` from the library's tables. Area, period and power
    include the clock and reset trees (`flow.trees`) unless the name says otherwise.
    """

    area_um2: float
    area_ge: float
    storage_ge: float
    logic_ge: float
    clock_tree_ge: float
    reset_tree_ge: float
    area_without_trees_ge: float
    cells: int
    """Number of cells of the netlist, without trees."""
    critical_path_s: float | None
    """Critical path with the wire model. None for a core with latches: a path through latches that
    are never open at once takes no part of a clock period."""
    critical_path_pin_cap_s: float | None
    period_s: float
    """Shortest period of a clock of two equal halves: by the budgets of latches and the skew, or by
    the critical path if the settings say why there are no budgets."""
    period_without_trees_s: float
    """Shortest period with an ideal clock."""
    clock_insertion_s: float
    clock_skew_s: float
    latency_clocks: int
    clocks_per_block: float
    leakage_w: float | None = None
    trees_leakage_w: float | None = None
    dynamic_w: float | None = None
    """Dynamic power with glitches and wires, at the clock that was asked for."""
    clock_tree_w: float | None = None
    """Part of `dynamic_w` that the trees add. A reset port changes only as in the recording."""
    dynamic_no_glitch_w: float | None = None
    dynamic_pin_cap_w: float | None = None
    """Dynamic power with the glitches of the run with wires, but loads without wires."""
    energy_per_block_j: float | None = None
    """Energy of leakage and dynamic power over the clocks of a block."""
    energy_per_block_without_trees_j: float | None = None
    storage_ge_by_kind: Mapping[str, float]
    dynamic_by_category_w: Mapping[str, float] = field(default_factory=dict)
    modules: tuple[ModuleFigures, ...]
    critical_path: tuple[str, ...]
    settings: CoreSettings


def at_voltage(figures: AsicFigures, voltage_v: float) -> AsicFigures:
    """The figures with dynamic power scaled by the square of the voltage.

    This extrapolates: leakage, delays and the shape of the cells' energy stay as they are. A
    library of that voltage is better if there is one.
    """
    now = figures.settings["voltage_v"]
    factor = (voltage_v / now) ** 2

    def scaled(power: float | None) -> float | None:
        return None if power is None else power * factor

    def block_j(leakage: float | None, dynamic: float | None) -> float | None:
        if leakage is None or dynamic is None:
            return None
        return (leakage + dynamic) * figures.clocks_per_block / figures.settings["clock_hz"]

    dynamic, of_trees = scaled(figures.dynamic_w), scaled(figures.clock_tree_w)
    without_trees = block_j(
        _less(figures.leakage_w, figures.trees_leakage_w), _less(dynamic, of_trees)
    )
    return replace(
        figures,
        dynamic_w=dynamic,
        clock_tree_w=of_trees,
        dynamic_no_glitch_w=scaled(figures.dynamic_no_glitch_w),
        dynamic_pin_cap_w=scaled(figures.dynamic_pin_cap_w),
        energy_per_block_j=block_j(figures.leakage_w, dynamic),
        energy_per_block_without_trees_j=without_trees,
        dynamic_by_category_w={
            category: power * factor for category, power in figures.dynamic_by_category_w.items()
        },
        modules=tuple(
            replace(module, dynamic_w=scaled(module.dynamic_w)) for module in figures.modules
        ),
        settings={
            **figures.settings,
            "voltage_v": voltage_v,
            "voltage_scaled": figures.settings["voltage_scaled"] or voltage_v != now,
        },
    )


def _less(whole: float | None, part: float | None) -> float | None:
    return None if whole is None or part is None else whole - part
