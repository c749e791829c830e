# SPDX-License-Identifier: Apache-2.0
"""Puts tables of real figures into docs/results and README.md, between their markers.

    python tools/results_tables.py RESULTS.json
    python tools/results_tables.py --batches RESULTS.json

`RESULTS.json` comes from `joulemark bench --json` or `joulemark export --format json`. The first
command writes docs/results/single-messages.md: the usual workload (throughput, hot cache, key kept,
one message at a time). README.md gets some of its rows: for each algorithm our implementation and
the outside implementation that are the fastest at the short length. The second command writes
docs/results/batches.md: batches of 64 with a key for each message, the engine and each outside
implementation that is the fastest outside in some column. A figure that the run does not hold is a
dash. The line below a table says where and when the run was measured.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from joulemark.analyse import Figure, Result, ResultSet
from joulemark.records.trial import Cache, KeySetup, Mode
from joulemark.report import write_atomically
from joulemark.report.answers import missing_words, opponents
from joulemark.report.circumstances import cpu_name, started
from joulemark.report.words import format_number, interval_text, number_text
from joulemark.units import format_bytes

__all__ = ["ALGORITHMS", "BATCH", "BATCHES", "README", "SINGLE", "batch_table", "main",
           "short_table", "table", "table_in", "with_table"]  # fmt: skip

ROOT = Path(__file__).resolve().parent.parent
README = "README.md"
SINGLE = "docs/results/single-messages.md"
BATCHES = "docs/results/batches.md"
OUTSIDE = ("python", *sorted(path.stem for path in (ROOT / "providers").iterdir()))
"""Names of providers, with which the names of outside variants begin."""
ALGORITHMS = ("hmac-sha256", "cmac-aes128", "siphash-2-4", "poly1305")
SHORT_BYTES, MIDDLE_BYTES, LONG_BYTES = 64, 1024, 16384

BATCH = 64
BATCH_ALGORITHMS = ("hmac-sha256", "hmac-sha1", "hmac-sha512", "hmac-md5", "cmac-aes128")
BATCH_LENGTHS: tuple[tuple[int | None, str], ...] = (
    (16, ""), (64, ""), (256, ""), (1500, ""), (4096, ""), (None, "imix"),
)  # fmt: skip
"""Length in bytes, or the name of a mix."""

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
    found = {
        (result.implementation, result.size_bytes): result
        for result in results.results
        if _is_usual(result)
    }
    names = [name for algorithm in ALGORITHMS for name in _fastest_first(algorithm, found.values())]
    shown = [[_figure(found.get((name, cell[0])), cell[1]) for cell in CELLS] for name in names]
    if not any(figure for row in shown for figure in row):
        raise ValueError(f"no figure of {', '.join(ALGORITHMS)} in the usual workload")
    words = [_word(row[place] for row in shown) for place in range(len(CELLS))]
    lines = ["| implementation | " + " | ".join(_headings(words)) + " |"]
    lines.append("|---|" + "---:|" * len(CELLS))
    for name, row in zip(names, shown, strict=True):
        cells = [
            _cell(figure, cell[3], word)
            for figure, cell, word in zip(row, CELLS, words, strict=True)
        ]
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return "\n".join([*lines, "", _conditions(results)])


def short_table(page: str) -> str:
    """The rows of the table of single messages that README.md shows, under the same heading.

    `page` is the text with the whole table. The line below the table is included.
    """
    lines = table_in(page).splitlines()
    shown = lines[:2]
    for algorithm in ALGORITHMS:
        rows = [line for line in lines if line.startswith(f"| `{algorithm}/")]
        ours = [line for line in rows if not _is_outside(line)]
        outside = [line for line in rows if _is_outside(line)]
        shown += ours[:1] + outside[:1]
    return "\n".join([*shown, "", lines[-1]])


def _is_outside(row: str) -> bool:
    return row.partition("/")[2].startswith(OUTSIDE)


def batch_table(results: ResultSet) -> str:
    """The table of batches and the line below it.

    Raises:
        ValueError: the run holds no engine in batches of 64 with a key for each message.
    """
    found: dict[tuple[str, int | None, str], Result] = {}
    for result in results.results:
        if _is_batch(result):
            found[result.implementation, None if result.mix else result.size_bytes, result.mix] = (
                result
            )
    names = [name for algorithm in BATCH_ALGORITHMS for name in _rivals(algorithm, found)]
    if not names:
        raise ValueError(f"no engine in batches of {BATCH} with a key for each message")
    shown = [
        [_figure(found.get((name, *length)), "seconds_per_message") for length in BATCH_LENGTHS]
        for name in names
    ]
    words = [_word(row[place] for row in shown) for place in range(len(BATCH_LENGTHS))]
    heads = [
        ("IMIX" if mix else format_bytes(size or 0)) + (f" ({word})" if word else "")
        for (size, mix), word in zip(BATCH_LENGTHS, words, strict=True)
    ]
    lines = [f"| ns per message | {' | '.join(heads)} |", "|---|" + "---:|" * len(heads)]
    for name, row in zip(names, shown, strict=True):
        cells = [_cell(figure, _nanoseconds, word) for figure, word in zip(row, words, strict=True)]
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    workload = f"Batches of {BATCH}, a key for each message, throughput, hot cache"
    return "\n".join([*lines, "", _conditions(results, workload)])


def _is_batch(result: Result) -> bool:
    wanted = (Mode.THROUGHPUT, Cache.HOT, KeySetup.DISTINCT, BATCH, "host")
    found = (result.mode, result.cache, result.key_setup, result.batch, result.target)
    return found == wanted and "#" not in result.implementation and result.chosen is None


def _rivals(algorithm: str, found: dict[tuple[str, int | None, str], Result]) -> list[str]:
    """The engine, and the outside implementations that are the fastest outside in some column."""
    engine = f"{algorithm}/engine"
    fastest: dict[str, None] = {}
    for length in BATCH_LENGTHS:
        outside = {
            result.implementation: result.seconds_per_message.median
            for key, result in found.items()
            if key[1:] == length and result.algorithm == algorithm
            and result.provider != "joulemark" and result.seconds_per_message
        }  # fmt: skip
        if outside:
            fastest[min(outside, key=lambda name: outside[name])] = None
    return [engine, *sorted(fastest)] if any(key[0] == engine for key in found) else []


def table_in(page: str, name: str = "table") -> str:
    """The text between the markers of that name.

    Raises:
        ValueError: each marker must occur once, the beginning first.
    """
    return _parts(page, name)[1]


def with_table(page: str, text: str, name: str = "table") -> str:
    """`page` with `text` between the markers of that name, and otherwise unchanged.

    Raises:
        ValueError: each marker must occur once, the beginning first.
    """
    before, _, after = _parts(page, name)
    begin, end = _markers(name)
    return f"{before}{begin}\n{text}\n{end}{after}"


def _markers(name: str) -> tuple[str, str]:
    return f"<!-- {name}:begin -->", f"<!-- {name}:end -->"


def _parts(page: str, name: str) -> tuple[str, str, str]:
    """The parts of a page before its markers, between them, and behind them."""
    begin, end = _markers(name)
    if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
        raise ValueError(f"the page must hold {begin} once and {end} once after it")
    before, rest = page.split(begin)
    between, after = rest.split(end)
    return before, between.strip("\n"), after


def _is_usual(result: Result) -> bool:
    """Whether a result is of the usual workload, on this host, and no twin."""
    usual = (Mode.THROUGHPUT, Cache.HOT, KeySetup.KEPT, 1, "host")
    found = (result.mode, result.cache, result.key_setup, result.batch, result.target)
    return found == usual and "#" not in result.implementation and result.chosen is None


def _fastest_first(algorithm: str, results: Iterable[Result]) -> list[str]:
    """Implementations by their time for the short message; those without a time last, by name."""
    times: dict[str, float] = {}
    for result in results:
        if result.algorithm == algorithm:
            times.setdefault(result.implementation, float("inf"))
            if result.size_bytes == SHORT_BYTES and result.seconds_per_message:
                times[result.implementation] = result.seconds_per_message.median
    return sorted(times, key=lambda name: (times[name], name))


def _figure(result: Result | None, field: str) -> Figure | None:
    found: Figure | None = getattr(result, field) if result else None
    return found


def _word(figures: Iterable[Figure | None]) -> str | None:
    """The evidence word of a whole column; None if the column has several or none."""
    words = {str(figure.evidence) for figure in figures if figure}
    return words.pop() if len(words) == 1 else None


def _headings(words: Sequence[str | None]) -> Iterator[str]:
    for (size_bytes, _, quantity, _), word in zip(CELLS, words, strict=True):
        yield f"{format_bytes(size_bytes)}: {quantity}" + (f" ({word})" if word else "")


def _cell(figure: Figure | None, text: Callable[[Figure], str], word: str | None) -> str:
    """The figure, with its evidence word if the heading has none."""
    if figure is None:
        return "-"
    return text(figure) + ("" if word else f" {figure.evidence}")


def _conditions(results: ResultSet, workload: str = "Throughput, hot cache, key kept") -> str:
    environment: dict[str, Any] = results.context.get("environment", {})
    run: dict[str, Any] = results.context.get("run", {})
    facts = results.context.get("implementations", {}).values()
    compilers = sorted({fact["compiler"] for fact in facts if fact.get("provider") == "joulemark"})
    doubtful = sum(bool(result.warnings) for result in results.results)
    parts = [
        cpu_name(results) + (" (virtual machine)" if environment.get("virtualised") else ""),
        f"Linux {environment.get('kernel_release') or 'of unknown release'}",
        *compilers,
        started(results),
        f"Joulemark {run.get('joulemark_version', 'of unknown version')}",
    ]
    text = "; ".join(" ".join(part.split()).replace("<", "&lt;") for part in parts)
    outside = ", ".join(opponents(results)) or "nobody"
    return (
        f"{text}. {workload}. Median with its 95 % interval over "
        f"{run.get('rounds', 'an unknown number of')} samples. "
        f"{doubtful} of the run's {len(results.results)} results carry a warning. "
        f"Compared with {outside}{missing_words(results)}."
    )


def main(arguments: Sequence[str] | None = None, *, root: Path = ROOT) -> int:
    """Writes a table; returns the exit code."""
    parser = argparse.ArgumentParser(description="Put tables of real figures into the documents.")
    parser.add_argument("--batches", action="store_true", help="the table of batches")
    parser.add_argument("results", type=Path, metavar="RESULTS.json")
    options = parser.parse_args(arguments)
    path: Path = options.results
    try:
        results = ResultSet.model_validate_json(path.read_bytes())
        pages = _with_batches(root, results) if options.batches else _with_singles(root, results)
    except (OSError, ValidationError, ValueError) as error:
        print(f"results_tables: {path}: {error}", file=sys.stderr)
        return 2
    for name, text in pages.items():
        write_atomically(root / name, text.encode())
        print(f"{name} written")
    return 0


def _with_batches(root: Path, results: ResultSet) -> dict[str, str]:
    page = (root / BATCHES).read_text("utf-8")
    return {BATCHES: with_table(page, batch_table(results), "batches")}


def _with_singles(root: Path, results: ResultSet) -> dict[str, str]:
    page = with_table((root / SINGLE).read_text("utf-8"), table(results))
    readme = (root / README).read_text("utf-8")
    return {SINGLE: page, README: with_table(readme, short_table(page))}


if __name__ == "__main__":
    sys.exit(main())
