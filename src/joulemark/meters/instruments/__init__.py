# SPDX-License-Identifier: Apache-2.0
"""The instruments, one per file; a new file here is a new meter, nothing else changes.

Each module defines `NAME` (its name on the command line, the file's name with `-` for `_`),
`TITLE`, `PREFERENCE` (the meter with the highest one that is usable is taken where the user names
none; None: only by name) and `make(roots, argument)`, which returns the meter without touching the
instrument. `argument` is what follows a colon on the command line, as in `external:watts.csv`;
None without one.

A module may also define `session(roots, argument)`, a context manager that yields the argument and
the roots with which other processes open the meter while it lasts: for an instrument that must be
kept reading, or started.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Protocol, cast

from joulemark.errors import UsageError
from joulemark.meters.contract import Meter, Roots

__all__ = ["Instrument", "instruments", "make_meter", "opened"]


class Instrument(Protocol):
    """What each module in this folder provides."""

    NAME: str
    TITLE: str
    PREFERENCE: int | None

    def make(self, roots: Roots, argument: str | None) -> Meter:
        """The meter.

        Raises:
            UsageError: the argument is missing or makes no sense.
        """


def instruments() -> list[Instrument]:
    """Every instrument, most preferred first, those that must be named last."""
    found = [
        cast("Instrument", import_module(f"{__name__}.{module.name}"))
        for module in pkgutil.iter_modules(__path__)
    ]

    def rank(instrument: Instrument) -> tuple[int, str]:
        return (1 if instrument.PREFERENCE is None else -instrument.PREFERENCE, instrument.NAME)

    return sorted(found, key=rank)


@contextmanager
def opened(name: str | None, roots: Roots) -> Iterator[tuple[str | None, Roots]]:
    """The name and the roots under which any process can open the meter, while this lasts.

    Args:
        name: as the user gave it; None, which stands for the best there is, stays None.
        roots: where the kernel's trees are.

    Raises:
        UsageError: the argument of the meter makes no sense.
        UnavailableError: its instrument cannot be started or kept reading.
    """
    word, colon, argument = (name or "").partition(":")
    module = next((instrument for instrument in instruments() if word == instrument.NAME), None)
    session = getattr(module, "session", None)
    if session is None:
        yield name, roots
        return
    with session(roots, argument if colon else None) as (kept, seen):
        yield word if kept is None else f"{word}:{kept}", seen


def make_meter(name: str, roots: Roots) -> Meter:
    """The meter called `name`, or `name:argument`.

    Raises:
        UsageError: there is none of that name, or its argument makes no sense.
    """
    word, colon, argument = name.partition(":")
    for instrument in instruments():
        if word == instrument.NAME:
            return instrument.make(roots, argument if colon else None)
    known = ", ".join(sorted(instrument.NAME for instrument in instruments()))
    raise UsageError(f"there is no meter '{word}'; the meters are {known} (joulemark doctor)")
