# SPDX-License-Identifier: Apache-2.0
"""What the shell offers after <Tab>: names from the catalogue and from our own kernel tables.

No worker process is started, so names of outside libraries' implementations are not offered.
A completion never fails: without a catalogue or native module it offers nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

from joulemark import _core
from joulemark.catalogue import FAMILY, algorithms, families


def words_of(known: Iterable[str]) -> Callable[[str], list[str]]:
    """Offers words for a list with commas, none of them twice."""
    words = tuple(known)

    def offered(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        given = before.split(",")
        return [
            f"{before}{comma}{word}"
            for word in words
            if word.startswith(last) and word not in given
        ]

    return offered


def algorithm_names(incomplete: str) -> list[tuple[str, str]]:
    """Algorithms that begin with what was typed, each with its title."""
    return _algorithms(incomplete, {"hash", "mac", "cipher"})


def mac_names(incomplete: str) -> list[tuple[str, str]]:
    """Algorithms that make a tag and begin with what was typed."""
    return _algorithms(incomplete, {"mac"})


def implementation_names(incomplete: str) -> list[tuple[str, str]]:
    """Algorithms and families, and after a slash our own implementations, each with a word."""
    if "/" not in incomplete:
        return algorithm_names(incomplete) + _families(incomplete)
    with suppress(Exception):
        return [
            (name, implementation.note or "")
            for implementation in _core.builtin_plugin().implementations()
            if (name := f"{implementation.algorithm}/{implementation.variant}").startswith(
                incomplete
            )
        ]
    return []


def _families(incomplete: str) -> list[tuple[str, str]]:
    with suppress(Exception):
        return [
            (FAMILY + name, f"{len(members)} algorithms")
            for name, members in families().items()
            if (FAMILY + name).startswith(incomplete)
        ]
    return []


def _algorithms(incomplete: str, kinds: set[str]) -> list[tuple[str, str]]:
    with suppress(Exception):
        return [
            (name, algorithm.title)
            for name, algorithm in algorithms().items()
            if name.startswith(incomplete) and algorithm.kind in kinds
        ]
    return []
