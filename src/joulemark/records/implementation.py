# SPDX-License-Identifier: Apache-2.0
"""The facts that a source states of its implementations."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """A file that an outside library was loaded from."""

    name: str
    """Name of the file without its folder."""
    sha256: str


@dataclass(frozen=True, slots=True)
class ImplementationFacts:
    """The facts that an implementation states of itself, and its build; stored with every run."""

    implementation: str
    """`algorithm/variant`, with `#2` for an A/A twin."""
    kind: str
    """`hash`, `mac` or `cipher`."""
    provider: str
    """`joulemark` for our own kernels, else the outside library or plugin."""
    library_version: str
    compiler: str
    flags: str
    cpu_features: tuple[str, ...]
    """Names of the CPU features that it needs."""
    lanes: int
    constant_time: bool | None
    """True: it claims constant time, and tests check the claims of our kernels. False: branches or
    addresses depend on keys or messages. None: no claim, since nobody has checked it."""
    block_bytes: int
    output_bytes: int
    key_bytes_min: int
    key_bytes_max: int | None
    """None if there is no longest key."""
    key_bytes: int
    note: str | None = None
    chosen: str | None = None
    """The variant that `auto` stands for on this CPU; None for every explicit variant."""
    batch_calls: bool = False
    """Whether it takes several messages in one call."""
    library_files: tuple[LibraryFile, ...] = ()
    """Files that the outside library was loaded from. Empty for our own kernels, for code that is
    whole in its plugin, where the system does not tell, and in stores older than this field."""

    def as_dict(self) -> dict[str, Any]:
        """Field names and values, for JSON."""
        return asdict(self)


def is_core(implementation: str) -> bool:
    """Whether a name is that of a hardware core, `<algorithm>/core_<name>`."""
    return "/core_" in implementation
