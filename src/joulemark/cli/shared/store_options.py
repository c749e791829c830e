# SPDX-License-Identifier: Apache-2.0
"""Where a command that measures keeps what it found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from joulemark.cli.shared.options import DEFAULT_STORE, NO_STORE_OPTION, STORE_OPTION

__all__ = ["StoreOptions"]


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """The store, or none."""

    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE
    no_store: Annotated[bool, NO_STORE_OPTION] = False

    @property
    def location(self) -> str | None:
        """Of the store; None: nothing is kept."""
        return None if self.no_store else self.store
