# SPDX-License-Identifier: Apache-2.0
"""A request to open several sources at once, for a list of what there is."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.measure.worker_messages.base import Request


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """Kind and place of a source."""

    kind: str
    """Kind of the `Source`."""
    path: str | None
    """Path of a plugin; None for other kinds."""


@dataclass(frozen=True, slots=True)
class OpenedEach:
    """The statements of the sources about themselves."""

    lines: tuple[str | None, ...]
    """Lines that answer `OpenSource`, in the order of the request. They come from foreign code, and
    are yet to be decoded. None stands for a line that did not come in time."""


@dataclass(frozen=True)
class OpenEach(Request[OpenedEach]):
    """Opens each source, with its files, in a process that the worker forks."""

    places: tuple[SourcePlace, ...]
    limit_s: float
    """Time limit for each source, above 0."""
