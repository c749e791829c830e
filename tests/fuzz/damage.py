# SPDX-License-Identifier: Apache-2.0
"""Damage to files and values: every choice comes from the generator that the caller passes."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

ODD: tuple[Any, ...] = (
    None, 0, -1, 1, 1.5, 1e308, -1e308, 5e-324, 10**30, 2**63 - 1, "", "x" * 1000, [], {}, True,
    "<script>alert(1)</script>", float("nan"), float("inf"), [[]], {"a": 1}, "2020", "\x00",
    "\x1b]0;owned\x07", "\ud800", "\u202e", [None], ["x"], "a/b/c", "-", "9" * 400,
)  # fmt: skip
"""Values that stand where another is expected."""
PAGE_BYTES = 4096


def damaged_bytes(content: bytes, chance: random.Random) -> bytes:
    """A copy with one kind of damage: flipped, cut, overwritten, moved or added bytes."""
    made = bytearray(content)
    kind = chance.choice(("flip", "cut", "zero", "many", "header", "page", "more", "drop"))
    place = chance.randrange(len(made))
    if kind == "flip":
        made[place] ^= 1 << chance.randrange(8)
    elif kind == "cut":
        del made[place:]
    elif kind == "zero":
        end = min(len(made), place + chance.choice((1, 10, 100, PAGE_BYTES)))
        made[place:end] = bytes(end - place)
    elif kind == "many":
        for _ in range(chance.choice((5, 50, 500))):
            made[chance.randrange(len(made))] = chance.randrange(256)
    elif kind == "header":
        made[chance.randrange(min(100, len(made)))] = chance.randrange(256)
    elif kind == "page" and len(made) >= 2 * PAGE_BYTES:
        pages = len(made) // PAGE_BYTES
        source, target = (chance.randrange(pages) * PAGE_BYTES for _ in range(2))
        made[target : target + PAGE_BYTES] = made[source : source + PAGE_BYTES]
    elif kind == "drop":
        del made[place : place + chance.choice((1, 4, 30))]
    else:
        made[place:place] = chance.randbytes(chance.choice((1, 100, PAGE_BYTES)))
    return bytes(made)


def damaged_value(value: Any, chance: random.Random) -> Any:
    """The value, as JSON has it, with one place replaced or removed; what is given is changed."""
    places: list[list[Any]] = []

    def walk(entry: Any, path: list[Any]) -> None:
        places.append(path)
        if isinstance(entry, dict):
            for name, inner in entry.items():
                walk(inner, [*path, name])
        elif isinstance(entry, list):
            for index, inner in enumerate(entry[:5]):
                walk(inner, [*path, index])

    walk(value, [])
    path = chance.choice(places)
    odd = chance.choice(ODD)
    if not path:
        return odd
    inner = value
    for step in path[:-1]:
        inner = inner[step]
    change = chance.random()
    if change < 0.2:
        del inner[path[-1]]
    elif change < 0.3 and isinstance(inner, dict):
        inner[chance.choice(("x", "", "\x1b[2J", "schema_version"))] = odd
    else:
        inner[path[-1]] = odd
    return value


WORDS = (
    "{", "}", "[", "]", "(", ")", ";", ":", ",", '"', "'", "=", "\\", "/*", "\n", "\x00", "\x1b[2J",
    "-1", "0", "1e999", "nan", "inf", "9" * 400, "x" * 5000, "!" * 3000, "(" * 3000, "[" * 3000,
    "''", '""', "\x85", "true", "../" * 200, "/dev/zero",
)  # fmt: skip
"""Pieces of text that mean something in one format or another."""


def damaged_text(text: str, chance: random.Random) -> str:
    """A copy with one to four words replaced, added, removed, doubled or exchanged."""
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice((0, 1, 3, 10, 60)))
        other = chance.randrange(len(text) + 1)
        put = chance.choice(
            (chance.choice(WORDS), "", text[other : other + chance.choice((3, 20, 200))])
        )
        text = text[:start] + put + text[end:]
    return text


def damaged_word(
    text: str, chance: random.Random, words: Callable[[str], list[tuple[int, int]]]
) -> str:
    """A copy with one whole word (a number, a name) replaced; `words` says where they stand."""
    places = words(text)
    if not places:
        return text
    start, end = chance.choice(places)
    other_start, other_end = chance.choice(places)
    put = chance.choice(
        (chance.choice(WORDS), text[other_start:other_end], "0", "-1", "xf", "1e308")
    )
    return text[:start] + put + text[end:]
