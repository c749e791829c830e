# SPDX-License-Identifier: Apache-2.0
"""Puts tables of core cycles on microcontrollers into docs/results/firmware.md.

    python tools/firmware_table.py

The counts are those of `catalogue/core_cycles`, which `tools/core_cycles.py` writes from a store.
Published counts of other people's code are left out. A test compares the page with the catalogue.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from joulemark.budget.counts import CountSeries, series_of_sheet
from joulemark.catalogue.protocols import CoreCycles
from joulemark.report import write_atomically

__all__ = ["CORES", "PAGE", "block_table", "filled", "mac_table", "series_of"]

ROOT = Path(__file__).resolve().parent.parent
PAGE = "docs/results/firmware.md"
CORES = {
    "atmega128": "ATmega128", "msp430f1611": "MSP430F1611", "cortex-m0plus": "Cortex-M0+",
    "cortex-m3": "Cortex-M3", "cortex-m4": "Cortex-M4", "picorv32": "PicoRV32",
    "vexriscv": "VexRiscv", "ibex": "Ibex", "serv": "SERV",
}  # fmt: skip
"""File of the catalogue -> heading. An ATmega328P counts as an ATmega128 does."""
MACS = (
    "hmac-sha1", "hmac-sha256", "cmac-aes128", "cbc-mac-aes128", "xcbc-aes128", "siphash-2-4",
    "halfsiphash-2-4", "chaskey-8", "chaskey-12", "ascon-mac", "poly1305", "blake2s-mac",
    "cmac-shacal1",
)  # fmt: skip
MESSAGE_BYTES = 33
CHAINS = ("sha1", "sha256", "cbc-mac-aes128")
"""Algorithms whose blocks wait for one another: a block costs the difference of two lengths."""
LONE_BLOCKS = {"aes128": 16, "shacal1": 20}
"""Cipher -> bytes of one block, which is encrypted alone."""
MANY_BYTES = 128
"""Eight blocks of AES, which a variant may encrypt side by side."""

Counted = tuple[int, str]
"""Core cycles, and the variant that takes so many."""


def series_of(core: str) -> tuple[str, list[CountSeries]]:
    """Evidence word of a file of the catalogue, and its counts of our kernels."""
    path = ROOT / "catalogue" / "core_cycles" / f"{core}.toml"
    sheet = CoreCycles.model_validate(tomllib.loads(path.read_text("utf-8")))
    return str(sheet.evidence), [
        series for series in series_of_sheet(sheet) if series.evidence is sheet.evidence
    ]


def _fewest(found: Iterable[tuple[float | None, CountSeries]]) -> Counted | None:
    counts = [(round(cycles), series.variant) for cycles, series in found if cycles is not None]
    return min(counts, default=None)


def _cell(count: Counted | None) -> str:
    return "-" if count is None else f"{count[0]:,} `{count[1]}`".replace(",", " ")


def _table(first: str, rows: Iterable[tuple[str, Sequence[Counted | None]]]) -> str:
    words = {core: series_of(core)[0] for core in CORES}
    heads = [f"{title} ({words[core]})" for core, title in CORES.items()]
    lines = [f"| {first} | {' | '.join(heads)} |", "|---|" + "---:|" * len(heads)]
    lines += [f"| {name} | {' | '.join(map(_cell, counts))} |" for name, counts in rows]
    return "\n".join(lines)


def mac_table() -> str:
    """The table of MACs: for each the implementation with the fewest core cycles."""
    known = {core: series_of(core)[1] for core in CORES}
    return _table(
        f"MAC of {MESSAGE_BYTES} bytes",
        (
            (
                f"`{name}`",
                [
                    _fewest(
                        (series.counts.get(MESSAGE_BYTES), series)
                        for series in known[core] if series.algorithm == name
                    )
                    for core in CORES
                ],
            )
            for name in MACS
        ),
    )  # fmt: skip


def block_table() -> str:
    """The table of blocks: one more of a chain, one alone with its call, one of eight free ones."""
    return _table("a block", _block_rows({core: series_of(core)[1] for core in CORES}))


def _block_rows(
    known: dict[str, list[CountSeries]],
) -> Iterator[tuple[str, Sequence[Counted | None]]]:
    for name in CHAINS:
        yield (
            f"`{name}`, one more",
            [
                _fewest((series.step, series) for series in known[core] if series.algorithm == name)
                for core in CORES
            ],
        )
    for name, size in LONE_BLOCKS.items():
        yield (
            f"`{name}`, alone",
            [
                _fewest(
                    (series.counts.get(size), series)
                    for series in known[core]
                    if series.algorithm == name
                )
                for core in CORES
            ],
        )
    yield (
        "`aes128`, of eight",
        [
            _fewest(
                (series.counts[MANY_BYTES] * 16 / MANY_BYTES, series)
                for series in known[core]
                if series.algorithm == "aes128" and MANY_BYTES in series.counts
            )
            for core in CORES
        ],
    )


def filled(page: str) -> str:
    """The page with new tables between their markers; the page must have each marker once."""
    for name, text in (("macs", mac_table()), ("blocks", block_table())):
        begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
        before, _, rest = page.partition(begin)
        page = f"{before}{begin}\n{text}\n{end}{rest.partition(end)[2]}"
    return page


def main() -> int:
    """Writes the page."""
    path = ROOT / PAGE
    write_atomically(path, filled(path.read_text("utf-8")).encode())
    print(f"{PAGE} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
