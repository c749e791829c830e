# SPDX-License-Identifier: Apache-2.0
"""The installed libraries are asked once what they offer, not at the begin of each command.

Eight processes tell it, in half a second of CPU time. Plugins are always asked. Workers that run an
implementation open its source as ever, and compare.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from joulemark.measure.worker_messages.base import Opened, OpenSource
from joulemark.measure.workers import inventory
from joulemark.measure.workers.client import WorkerClient
from joulemark.measure.workers.sources import Source, installed_sources

__all__ = ["known_client"]


class _Known:
    """In the place of a worker that opens a source: the answer that one gave before."""

    def __init__(self, about: Opened) -> None:
        self._about = about

    def ask(self, _request: object, **_limit: float) -> Opened:
        """What the source says of itself."""
        return self._about

    def close(self) -> None:
        """There is no process to end."""


@cache
def _answer(source: Source) -> Opened:
    client = WorkerClient(source, None)
    try:
        return client.ask(OpenSource(files=True), limit_s=inventory.OPEN_LIMIT_S)
    finally:
        client.close()


@cache
def _installed() -> tuple[Source, ...]:
    return tuple(
        installed_source
        for installed_source in installed_sources()
        if installed_source.unavailable is None
    )


def known_client(source: Source, cpu: int | None) -> Any:
    """For `joulemark.measure.workers.inventory.WorkerClient`."""
    return _Known(_answer(source)) if source in _installed() else WorkerClient(source, cpu)
