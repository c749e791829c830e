# SPDX-License-Identifier: Apache-2.0
"""Coverage of a core by its tests: lines, branches and toggles, from Verilator's data.

Lines left out on purpose stand between `// verilator coverage_off` and `// verilator coverage_on`
in the source, with the reason beside them; Verilator then makes no points for them.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from joulemark.errors import ImplementationError, UsageError
from joulemark.hardware.manifest import Core
from joulemark.hardware.simulation import verilator
from joulemark.hardware.simulation.cocotb_runs import run

__all__ = ["Share", "SourceCoverage", "coverage_of", "read_coverage"]

_OPTIONS = ("--coverage-line", "-CFLAGS", "-O0")
"""Options of Verilator by which the program writes `coverage.dat` where it runs."""
_FIRST_LINE = "# SystemC::Coverage-3"
_POINT = re.compile(r"^C '(.*)' (\d+)$")


@dataclass(frozen=True, slots=True)
class Share:
    """The part of all points that was reached."""

    reached: int
    total: int
    missed: tuple[str, ...] = ()
    """Places of the missed points, in the order of the files: file name, line and, unless the
    points are lines, column and kind."""

    @property
    def percent(self) -> float:
        """Share in percent; 100 if there is no point."""
        return 100.0 * self.reached / self.total if self.total else 100.0


@dataclass(frozen=True, slots=True)
class SourceCoverage:
    """The parts of a core's sources that all runs together reached."""

    lines: Share
    """Lines. A line counts as reached only if each statement on it was."""
    branches: Share
    """Ways out of each `if`, whether or not there is an `else`."""
    toggles: Share
    """Toggles of each bit of each signal, up and down counted apart."""


@dataclass(frozen=True, slots=True)
class _Point:
    file: str
    line: int
    column: int
    kind: str
    comment: str
    lines: tuple[int, ...]


def coverage_of(
    core: Core,
    combinations: Iterable[Mapping[str, int]],
    folder: Path,
    *,
    modules: Sequence[Path] | None = None,
    environment: Mapping[str, str] | None = None,
    toggles: bool = True,
) -> SourceCoverage:
    """Runs a core's tests with each of these sets of parameters, side by side; adds up the points.

    Each set gets a build, a run and its own folder. Modules are those of the manifest unless given.
    Toggles of every bit take many times as long for a wide core; without them `toggles` is empty.
    """
    modules = [core.folder / test for test in core.tests] if modules is None else modules
    options = (*_OPTIONS, "--coverage-toggle") if toggles else _OPTIONS

    def run_tests(index: int, given: Mapping[str, int]) -> Path:
        parameters = core.chosen(given)
        place = folder / f"coverage_{index}"
        # Counting keeps Verilator from simplifications, and it warns of what it then finds.
        program = verilator.build(core, parameters, place, extra=options, warnings_are_errors=False)
        result = run(program, core, modules, parameters=parameters, environment=environment)
        if result.failed:
            raise ImplementationError(
                f"{core.name} with {parameters} fails {result.failed[0]}", result.log
            )
        return place / "coverage.dat"

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        data = list(pool.map(run_tests, *zip(*enumerate(combinations), strict=True)))
    return read_coverage(data, core.source_paths())


def read_coverage(data: Iterable[Path], sources: Sequence[Path]) -> SourceCoverage:
    """Adds up the points that several runs wrote, for these source files alone.

    The instances of a module, and its values of parameters, count as one.
    """
    wanted = {str(path.resolve()): number for number, path in enumerate(sources)}
    counts: dict[_Point, int] = defaultdict(int)
    for path in data:
        for point, count in _points(path):
            if point.file in wanted:
                counts[point] += count
    ordered = sorted(
        counts, key=lambda point: (wanted[point.file], point.line, point.column, point.comment)
    )
    lines: dict[tuple[str, int], bool] = {}
    for point in ordered:
        for line in point.lines:
            key = (point.file, line)
            lines[key] = lines.get(key, True) and counts[point] > 0
    branches, toggles = (
        {_place(point): counts[point] > 0 for point in ordered if point.kind == kind}
        for kind in ("branch", "toggle")
    )
    return SourceCoverage(
        _share({f"{Path(file).name}:{line}": hit for (file, line), hit in lines.items()}),
        _share(branches),
        _share(toggles),
    )


def _place(point: _Point) -> str:
    # The column tells the two ways of one `if` apart, and several on one line.
    return f"{Path(point.file).name}:{point.line}:{point.column} {point.comment}"


def _share(points: Mapping[str, bool]) -> Share:
    missed = tuple(place for place, hit in points.items() if not hit)
    return Share(len(points) - len(missed), len(points), missed)


def _points(path: Path) -> Iterator[tuple[_Point, int]]:
    """Points of one file, and their counts.

    Character 1 begins each field of a point, and character 2 ends its name.
    """
    try:
        text = path.read_text("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    first, *rest = text.splitlines() or [""]
    if first != _FIRST_LINE:
        raise UsageError(f"{path} is no coverage data of Verilator")
    for line in rest:
        parts = _POINT.match(line)
        if parts is None:
            raise UsageError(f"{path} has a line that is no coverage point: {line[:40]!r}")
        fields = dict(field.split("\x02", 1) for field in parts[1].split("\x01") if "\x02" in field)
        yield (
            _Point(
                file=fields.get("f", ""),
                line=int(fields.get("l", 0)),
                column=int(fields.get("n", 0)),
                kind=fields.get("t", ""),
                comment=fields.get("o", ""),
                lines=_line_numbers(fields.get("S", "")),
            ),
            int(parts[2]),
        )


def _line_numbers(ranges: str) -> tuple[int, ...]:
    """Turns `3-5,8` into 3, 4, 5 and 8."""
    numbers: list[int] = []
    for part in filter(None, ranges.split(",")):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return tuple(numbers)
