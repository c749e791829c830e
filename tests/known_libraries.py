# SPDX-License-Identifier: Apache-2.0
"""The implementations of installed libraries are listed once, not at the begin of each command.

A worker and its forks list them, in 0.2 s of CPU time. Plugins are listed each time. Workers that
run an implementation open its source as always, and compare.
"""

from __future__ import annotations

from functools import cache
from typing import Any
from unittest import mock

from joulemark.measure import inventory
from joulemark.measure.worker.client import WorkerClient
from joulemark.measure.worker.messages import OpenEach, Opened, OpenedEach, OpenSource
from joulemark.measure.worker.sources import ImplementationSource, installed_sources

__all__ = ["known_client"]


class _Known:
    """Stands in for a worker that opens a source, with the answer that such a worker gave."""

    def __init__(self, about: Opened) -> None:
        self._about = about

    def ask(self, _request: object, **_limit: float) -> Opened:
        """The answer of the source about itself."""
        return self._about

    def close(self) -> None:
        """There is no process to end."""


class _SaysNothing(_Known):
    """Stands in for a worker that opens all sources: each source is asked alone, and is known."""

    def __init__(self) -> None:
        """Keeps no answer, unlike the class it is derived from."""

    def ask(self, request: object, **_limit: float) -> Any:
        """An answer without a line for any source."""
        assert isinstance(request, OpenEach)
        return OpenedEach(())


@cache
def _together() -> dict[str, Opened]:
    with mock.patch.object(inventory, "WorkerClient", WorkerClient):
        return inventory._open_together(_installed())


@cache
def _answer(source: ImplementationSource) -> Opened:
    if source.name in _together():
        return _together()[source.name]
    client = WorkerClient(source, None)
    try:
        return client.ask(OpenSource(files=True), limit_s=inventory.OPEN_LIMIT_S)
    finally:
        client.close()


@cache
def _installed() -> tuple[ImplementationSource, ...]:
    return tuple(
        installed_source
        for installed_source in installed_sources()
        if installed_source.unavailable is None
    )


def known_client(source: ImplementationSource, cpu: int | None) -> Any:
    """Takes the place of `joulemark.measure.inventory.WorkerClient`."""
    if source is inventory._FORKING:
        return _SaysNothing()
    return _Known(_answer(source)) if source in _installed() else WorkerClient(source, cpu)
