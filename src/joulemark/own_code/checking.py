# SPDX-License-Identifier: Apache-2.0
"""Checks of a plugin that was just built: whether it computes its algorithm, before it is kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from joulemark.errors import CrashError, HangError, ImplementationError, WrongOutputError
from joulemark.measure.inventory import take_inventory
from joulemark.measure.pool import CheckEffort, CheckReport, WorkerPool
from joulemark.measure.worker.client import WorkerClient
from joulemark.measure.worker.messages import Opened, OpenSource
from joulemark.measure.worker.sources import ImplementationSource
from joulemark.records import FailureKind

_CPU_S: Final = 2.0
"""CPU time of the check, as of 'joulemark test'."""
_MEMORY_BYTES: Final = 4 << 30
"""Most data of code that takes more and more: far above the needs of a hash or a MAC."""
_FOREIGN_INSTRUCTION: Final = "SIGILL"


class RejectedError(ImplementationError):
    """Code that is not kept: a predicate such as `is wrong`, and the input that shows it."""

    def __init__(self, verdict: str, why: str) -> None:
        super().__init__(f"{verdict}: {why}")
        self.verdict = verdict
        self.why = why


@dataclass(frozen=True, slots=True)
class PassingPlugin:
    """A plugin that was just built, with its only implementation, whose memory is limited."""

    path: Path
    provider: str
    name: str
    """`algorithm/variant`."""
    limit_s: float
    """Seconds after which the implementation counts as hung."""

    @property
    def source(self) -> ImplementationSource:
        """Where workers find the implementation."""
        return ImplementationSource(
            self.provider,
            f"plugin {self.name}",
            "plugin",
            str(self.path),
            None,
            from_user=True,
            passing=True,
            memory_bytes=_MEMORY_BYTES,
        )


def check(plugin: PassingPlugin, cpu_s: float | None = None) -> tuple[CheckReport, Opened]:
    """Checks a plugin, for as long as 'joulemark test' does unless the CPU time is given.

    Returns the report and the plugin's facts about itself; errors are those of `open_to_check`.
    """
    with open_to_check(plugin, _CPU_S if cpu_s is None else cpu_s) as (pool, opened):
        return pool.check(plugin.name), opened


@contextmanager
def open_to_check(
    plugin: PassingPlugin, cpu_s: float, *, may_read_on: bool = False
) -> Iterator[tuple[WorkerPool, Opened]]:
    """Workers for a plugin's implementation, and the plugin's facts about itself.

    Every process that is started here has ended when the context is left. The context turns errors
    of the implementation into a `RejectedError`. The check takes `cpu_s` of CPU time beyond the
    cases that are always checked; `may_read_on` lets it read past the end of a message.
    """
    source = replace(plugin.source, may_read_on=may_read_on, confined=True)
    inventory = take_inventory([source])
    for failure in inventory.unavailable:
        verdict = {FailureKind.CRASH: "crashes", FailureKind.HANG: "hangs"}.get(
            failure.kind, "cannot be run"
        )
        raise RejectedError(verdict, f"when it is loaded, {failure.reason}")
    pool = WorkerPool(inventory, None, effort=CheckEffort(cpu_s=cpu_s, limit_s=plugin.limit_s))
    try:
        yield pool, inventory.tables[plugin.provider]
    except RejectedError:
        raise
    except ImplementationError as error:
        raise RejectedError(*_verdict(error)) from None
    finally:
        pool.close()


@contextmanager
def open_alone(plugin: PassingPlugin) -> Iterator[WorkerClient]:
    """A worker that has loaded the plugin, whose algorithm need not be in the catalogue.

    Errors are those of `open_to_check`.
    """
    client = WorkerClient(replace(plugin.source, confined=True), None)
    try:
        client.ask(OpenSource(), limit_s=plugin.limit_s)
        yield client
    except ImplementationError as error:
        raise RejectedError(*_verdict(error)) from None
    finally:
        client.close()


def _verdict(error: ImplementationError) -> tuple[str, str]:
    if isinstance(error, HangError):
        return "hangs", str(error)
    if isinstance(error, CrashError) and error.signal == _FOREIGN_INSTRUCTION:
        why = f"{error}: an instruction that this CPU does not have, or a trap of the compiler's"
        return "needs another CPU", why
    if isinstance(error, CrashError):
        return "crashes", str(error)
    return ("is wrong" if isinstance(error, WrongOutputError) else "fails"), str(error)
