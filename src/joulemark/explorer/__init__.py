# SPDX-License-Identifier: Apache-2.0
"""All runs of a store in the browser: served here, or published as files.

Here is what the commands hand over to the modules that do it, which help need not wait for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ServeRequest:
    """A store that is to be served."""

    location: str
    port: int
    """Of 127.0.0.1; 0 takes any that is free."""
    say: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class PublishRequest:
    """A store whose views are to be written into a folder."""

    location: str
    folder: Path
    say: Callable[[str], None]
