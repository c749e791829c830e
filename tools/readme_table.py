# SPDX-License-Identifier: Apache-2.0
"""Put one table of real figures into README.md, between its two markers.

    python tools/readme_table.py RESULTS.json

`RESULTS.json` comes from `joulemark bench --json` or `joulemark export --format json`. The table
shows what the run holds of the usual workload (throughput, hot cache, key kept); a figure that it
does not hold is a dash. The line below the table says where and when it was measured.
"""
# ruff: noqa: INP001 - a script, not a package

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from joulemark.analyse.results import Figure, Result, ResultSet
from joulemark.measure.records import Cache, KeySetup, Mode
from joulemark.report.context import cpu_name, started
from joulemark.report.figures import format_number, interval_text, number_text
from joulemark.report.files import write_atomically
from joulemark.units import format_bytes

__all__ = ["ALGORITHMS", "BEGIN", "END", "main", "table", "with_table"]

README = Path(__file__).resolve().parent.parent / "README.md"
BEGIN = "<!-- table:begin -->"
END = "<!-- table:end -->"
ALGORITHMS = ("hmac-sha256", "cmac-aes128", "siphash-2-4", "poly1305")
SHORT_BYTES, MIDDLE_BYTES, LONG_BYTES = 64, 1024, 16384

Cell = tuple[int, str, str, Callable[[Figure], str]]
"""Message length in bytes, field of `Result`, words for the heading, figure as text."""


def _nanoseconds(figure: Figure) -> str:
    return interval_text(figure, lambda value, digits: format_number(value * 1e9, digits=digits))


CELLS: tuple[Cell, ...] = (
    (SHORT_BYTES, "seconds_per_message", "ns per message", _nanoseconds),
    (MIDDLE_BYTES, "seconds_per_message", "ns per message", _nanoseconds),
    (LONG_BYTES, "core_cycles_per_byte", "core cycles per byte", number_text),
)


def table(results: ResultSet) -> str:
    """The table and the line below it.

    Raises:
        ValueError: the run holds no figure that the table could show.
    """
    found = {(one.implementation, one.size_bytes): one for one in results.results if _is_usual(one)}
    names = [name for algorithm in ALGORITHMS for name in _fastest_first(algorithm, found.values())]
    shown = [[_figure(found.get((name, cell[0])), cell[1]) for cell in CELLS] for name in names]
    if not any(figure for row in shown for figure in row):
        raise ValueError(f"no figure of {', '.join(ALGORITHMS)} in the usual workload")
    words = [_word(row[place] for row in shown) for place in range(len(CELLS))]
    lines = ["| implementation | " + " | ".join(_headings(words)) + " |"]
    lines.append("|---|" + "---:|" * len(CELLS))
    for name, row in zip(names, shown, strict=True):
        cells = [_cell(*pair) for pair in zip(row, CELLS, words, strict=True)]
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return "\n".join([*lines, "", _conditions(results)])


def with_table(readme: str, text: str) -> str:
    """`readme` with `text` between its markers, and all else as it was.

    Raises:
        ValueError: each marker must occur once, the beginning first.
    """
    if (
        readme.count(BEGIN) != 1
        or readme.count(END) != 1
        or readme.index(BEGIN) > readme.index(END)
    ):
        raise ValueError(f"README.md must hold {BEGIN} once and {END} once after it")
    before, rest = readme.split(BEGIN)
    return f"{before}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}"


def _is_usual(one: Result) -> bool:
    """Throughput, hot cache, key kept, one message a call, on this host, no twin."""
    usual = (Mode.THROUGHPUT, Cache.HOT, KeySetup.KEPT, 1, "host")
    found = (one.mode, one.cache, one.key_setup, one.batch, one.target)
    return found == usual and "#" not in one.implementation and one.chosen is None


def _fastest_first(algorithm: str, results: Iterable[Result]) -> list[str]:
    """Implementations by time for the short message; those without one last, by name."""
    times: dict[str, float] = {}
    for one in results:
        if one.algorithm == algorithm:
            times.setdefault(one.implementation, float("inf"))
            if one.size_bytes == SHORT_BYTES and one.seconds_per_message:
                times[one.implementation] = one.seconds_per_message.median
    return sorted(times, key=lambda name: (times[name], name))


def _figure(result: Result | None, field: str) -> Figure | None:
    found: Figure | None = getattr(result, field) if result else None
    return found


def _word(figures: Iterable[Figure | None]) -> str | None:
    """The evidence word of a whole column; None where it has several or none."""
    words = {str(figure.evidence) for figure in figures if figure}
    return words.pop() if len(words) == 1 else None


def _headings(words: Sequence[str | None]) -> Iterator[str]:
    for (size_bytes, _, quantity, _), word in zip(CELLS, words, strict=True):
        yield f"{format_bytes(size_bytes)}: {quantity}" + (f" ({word})" if word else "")


def _cell(figure: Figure | None, cell: Cell, word: str | None) -> str:
    """The figure; with its evidence word where the heading cannot say it."""
    if figure is None:
        return "-"
    return cell[3](figure) + ("" if word else f" {figure.evidence}")


def _conditions(results: ResultSet) -> str:
    environment: dict[str, Any] = results.context.get("environment", {})
    run: dict[str, Any] = results.context.get("run", {})
    facts = results.context.get("implementations", {}).values()
    compilers = sorted({one["compiler"] for one in facts if one.get("provider") == "joulemark"})
    doubtful = sum(bool(one.warnings) for one in results.results)
    parts = [
        cpu_name(results) + (" (virtual machine)" if environment.get("virtualised") else ""),
        f"Linux {environment.get('kernel_release') or 'of unknown release'}",
        *compilers,
        started(results),
        f"Joulemark {run.get('joulemark_version', 'of unknown version')}",
    ]
    text = "; ".join(" ".join(part.split()).replace("<", "&lt;") for part in parts)
    return (
        f"{text}. Throughput, hot cache, key kept. Median with its 95 % interval over "
        f"{run.get('rounds', 'an unknown number of')} samples. "
        f"{doubtful} of the run's {len(results.results)} results carry a warning."
    )


def main(arguments: Sequence[str] | None = None, *, readme: Path = README) -> int:
    """Writes the table; returns the exit code."""
    parser = argparse.ArgumentParser(description="Put one table of real figures into README.md.")
    parser.add_argument("results", type=Path, metavar="RESULTS.json")
    path: Path = parser.parse_args(arguments).results
    try:
        results = ResultSet.model_validate_json(path.read_bytes())
        text = with_table(readme.read_text("utf-8"), table(results))
    except (OSError, ValidationError, ValueError) as error:
        print(f"readme_table: {path}: {error}", file=sys.stderr)
        return 2
    write_atomically(readme, text.encode())
    print(f"{readme.name} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
