# SPDX-License-Identifier: Apache-2.0
"""The instruments, one per file; a new file here is a new meter, and no other file changes.

Each module defines
    - `NAME`: its name on the command line, which is the file's name with `-` for `_`;
    - `TITLE`: its name for people;
    - `PREFERENCE`: where the user names no meter, the usable one with the highest preference is
      taken; a meter with the preference None is taken only by name;
    - `make(roots, argument)`: returns the meter without touching the instrument. `argument` is the
      text after a colon on the command line, as in `external:watts.csv`; None without a colon.

A module may also define `session(roots, argument)`, for an instrument that must be started, or be
read without a pause: a context manager that yields the argument and the roots with which other
processes open the meter while the context lasts.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Protocol, cast

from joulemark.errors import UsageError
from joulemark.meters import Meter, Roots


class Instrument(Protocol):
    """The names that each module in this folder defines."""

    NAME: str
    TITLE: str
    PREFERENCE: int | None

    def make(self, roots: Roots, argument: str | None) -> Meter:
        """The meter."""


def instruments() -> list[Instrument]:
    """Every instrument: the most preferred first, those that must be named last."""
    modules = [
        cast("Instrument", import_module(f"{__name__}.{module.name}"))
        for module in pkgutil.iter_modules(__path__)
    ]

    def rank(module: Instrument) -> tuple[bool, int, str]:
        return module.PREFERENCE is None, -(module.PREFERENCE or 0), module.NAME

    return sorted(modules, key=rank)


@contextmanager
def open_session(name: str | None, roots: Roots) -> Iterator[tuple[str | None, Roots]]:
    """Yields the name and the roots under which any process can open the meter meanwhile.

    Args:
        name: the user's; None, which stands for the most preferred meter, stays None.
        roots: where the kernel's trees are.
    """
    word, argument = _split(name or "")
    session = getattr(_named(word), "session", None)
    if session is None:
        yield name, roots
        return
    with session(roots, argument) as (new_argument, new_roots):
        yield word if new_argument is None else f"{word}:{new_argument}", new_roots


def make_meter(name: str, roots: Roots) -> Meter:
    """The meter called `name`, or `name:argument`."""
    word, argument = _split(name)
    instrument = _named(word)
    if instrument is None:
        known = ", ".join(sorted(instrument.NAME for instrument in instruments()))
        raise UsageError(f"there is no meter '{word}'; the meters are {known} (joulemark doctor)")
    return instrument.make(roots, argument)


def _split(name: str) -> tuple[str, str | None]:
    word, colon, argument = name.partition(":")
    return word, argument if colon else None


def _named(word: str) -> Instrument | None:
    return next((instrument for instrument in instruments() if word == instrument.NAME), None)
