# SPDX-License-Identifier: Apache-2.0
"""Options of commands that measure: the store, the CPU, and the patience with code."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, Final

import typer

from joulemark.cli.shared.options import DEFAULT_STORE, NO_STORE_OPTION, STORE_OPTION
from joulemark.errors import UsageError

__all__ = ["CPU_OPTION", "HANG_LIMIT_OPTION", "StoreOptions", "checked_hang_limit"]

CPU_OPTION: Final[Any] = typer.Option(
    "--cpu",
    help="CPU to measure on; the least busy one that no other run measures on unless given.",
)
HANG_LIMIT_OPTION: Final[Any] = typer.Option(
    "--hang-limit", help="Seconds without an answer after which code counts as hung."
)


def checked_hang_limit(limit_s: float) -> float:
    """The value of `--hang-limit`.

    Raises:
        UsageError: it is no time.
    """
    if not 0 < limit_s < math.inf:
        raise UsageError(f"--hang-limit {limit_s}: give a number of seconds above 0")
    return limit_s


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """The store of what is measured, or none."""

    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE
    no_store: Annotated[bool, NO_STORE_OPTION] = False

    @property
    def location(self) -> str | None:
        """The store's location; None if nothing is kept."""
        return None if self.no_store else self.store
