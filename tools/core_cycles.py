# SPDX-License-Identifier: Apache-2.0
"""Copies counts of firmware from a store into `catalogue/core_cycles`, for nodes without a store.

    joulemark bench cmac-aes128 hmac-sha1 --target mcu:atmega128 --size 5,16,20,33,64 --store fw.db
    python tools/core_cycles.py fw.db atmega128
    python tools/firmware_table.py

Counts of an implementation replace all counts of its algorithm in the file except published counts.
Title, notes, spread and its reason stay as they are in the file. An entry does not repeat a value
that the file states for all its counts; the key's figures stand at the first length.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from joulemark.budget.counts import CountSeries, stored_series
from joulemark.store.repository import Store

FOLDER = Path(__file__).resolve().parent.parent / "catalogue" / "core_cycles"
OWN = "firmware"
"""Key in `documents` of the source of our own counts."""
_HEAD = ("id", "title", "notes", "evidence", "document", "how", "spread", "spread_reason")


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "[\n" + "".join(f"  {_text(item)},\n" for item in value) + "]"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return repr(value)


def _own_counts(series: CountSeries, evidence: str) -> Iterator[dict[str, Any]]:
    """Yields an entry for each length."""
    word = str(series.evidence)
    key: dict[str, Any] = {
        "key_core_cycles": series.key_core_cycles, "key_state_bytes": series.key_state_bytes,
    }  # fmt: skip
    for size, cycles in sorted(series.counts.items()):
        entry: dict[str, Any] = {
            "algorithm": series.algorithm, "variant": series.variant, "message_bytes": size,
            "core_cycles": cycles, **key, "evidence": None if word == evidence else word,
        }  # fmt: skip
        yield {name: item for name, item in entry.items() if item}
        key = {}


def merged(sheet: dict[str, Any], found: Sequence[CountSeries]) -> dict[str, Any]:
    """The values of a file after the counts of a store are put in."""
    there = {series.algorithm for series in found}
    kept = [
        {**count, "document": count.get("document", sheet["document"])} for count in sheet["count"]
        if count["algorithm"] not in there or count.get("evidence") == "published"
    ]  # fmt: skip
    sources = sorted({series.source.partition(": ")[2] for series in found})
    documents = {**sheet["documents"], OWN: f"Our kernels, {'; '.join(sources)}"}
    own = [entry for series in found for entry in _own_counts(series, sheet["evidence"])]
    named = {OWN, *(count["document"] for count in kept)}
    return {
        **sheet,
        "document": OWN,
        "documents": {name: title for name, title in documents.items() if name in named},
        "count": [
            *({name: value for name, value in count.items() if (name, value) != ("document", OWN)}
              for count in kept),
            *own,
        ],
    }  # fmt: skip


def toml_of(sheet: dict[str, Any]) -> str:
    """The text of a file."""
    lines = [f"{name} = {_text(sheet[name])}" for name in _HEAD if name in sheet]
    lines += ["", "[documents]"]
    lines += [f"{name} = {_text(title)}" for name, title in sheet["documents"].items()]
    for count in sheet["count"]:
        lines += ["", "[[count]]", *(f"{name} = {_text(value)}" for name, value in count.items())]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Writes a file for each core named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", help="an SQLite file or the URL of a database")
    parser.add_argument("core", nargs="+", help="a target without mcu:")
    asked = parser.parse_args()
    with Store.open(asked.store, create=False, reading=True) as store:
        for core in asked.core:
            path = FOLDER / f"{core}.toml"
            found = stored_series(store, core)
            if not found:
                print(f"{asked.store} has no counts of mcu:{core}", file=sys.stderr)
                return 2
            sheet = tomllib.loads(path.read_text("utf-8"))
            path.write_text(toml_of(merged(sheet, found)), "utf-8")
            print(f"{path}: {len(found)} implementations")
    return 0


if __name__ == "__main__":
    sys.exit(main())
