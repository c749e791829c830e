# SPDX-License-Identifier: Apache-2.0
"""A request to open several sources at once, for a list of what there is."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.measure.worker_messages.base import Request

__all__ = ["OpenEach", "OpenedEach", "SourcePlace"]


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """Where a source is."""

    kind: str
    """As that of a `Source`."""
    path: str | None
    """Of a plugin."""


@dataclass(frozen=True, slots=True)
class OpenedEach:
    """What the sources say of themselves."""

    lines: tuple[str | None, ...]
    """In the order of the request: the line that answers `OpenSource`, from foreign code and yet
    to be decoded; None where none came in time."""


@dataclass(frozen=True)
class OpenEach(Request[OpenedEach]):
    """Opens each source, with its files, in a process that the worker forks."""

    places: tuple[SourcePlace, ...]
    limit_s: float
    """For each, above 0."""
