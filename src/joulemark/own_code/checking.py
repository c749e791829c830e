# SPDX-License-Identifier: Apache-2.0
"""Checks of a plugin that was just built: whether it computes its algorithm, before it is kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from joulemark.errors import CrashError, HangError, ImplementationError, WrongOutputError
from joulemark.measure.worker_messages.base import Opened, OpenSource
from joulemark.measure.workers.client import WorkerClient
from joulemark.measure.workers.inventory import take_inventory
from joulemark.measure.workers.pool import WorkerPool
from joulemark.measure.workers.sources import Source
from joulemark.measure.workers.thorough import CheckEffort, CheckReport
from joulemark.records.failure import FailureKind

__all__ = ["RejectedError", "check", "open_alone", "open_to_check", "passing_source"]

_CPU_S: Final = 2.0
"""CPU time of the check, as of 'joulemark test'."""
_MEMORY_BYTES: Final = 4 << 30
"""Most data of code that takes more and more: far above the needs of a hash or a MAC."""
_FOREIGN_INSTRUCTION: Final = "SIGILL"


class RejectedError(ImplementationError):
    """Code that is not kept.

    Args:
        verdict: the predicate of the message about it, such as `is wrong` or `crashes`.
        why: the input that shows it, and what happened.
    """

    def __init__(self, verdict: str, why: str) -> None:
        super().__init__(f"{verdict}: {why}")
        self.verdict = verdict
        self.why = why


def passing_source(plugin: Path, provider: str, name: str) -> Source:
    """The source of a plugin that was just built; its memory is limited.

    Args:
        plugin: the shared object.
        provider: its name among providers.
        name: `algorithm/variant`.
    """
    return Source(
        provider, f"plugin {name}", "plugin", str(plugin), None, from_user=True, passing=True,
        memory_bytes=_MEMORY_BYTES,
    )  # fmt: skip


def check(
    plugin: Path, provider: str, name: str, limit_s: float, *, cpu_s: float | None = None
) -> tuple[CheckReport, Opened]:
    """Checks the only implementation in a plugin.

    Arguments and errors are those of `open_to_check`; `cpu_s` is that of 'joulemark test' unless
    given.

    Returns:
        The report of the check, and the plugin's facts about itself.
    """
    effort_s = _CPU_S if cpu_s is None else cpu_s
    with open_to_check(plugin, provider, name, limit_s, effort_s) as (pool, opened):
        return pool.check(name), opened


@contextmanager
def open_to_check(
    plugin: Path, provider: str, name: str, limit_s: float, cpu_s: float,
    *, may_read_on: bool = False,
) -> Iterator[tuple[WorkerPool, Opened]]:  # fmt: skip
    """Workers for the only implementation in a plugin, and the plugin's facts about itself.

    Every process that is started here has ended when the context is left. The context turns errors
    of the implementation into a `RejectedError`.

    Args:
        plugin: the shared object.
        provider: its name among providers.
        name: `algorithm/variant`.
        limit_s: seconds after which the implementation counts as hung.
        cpu_s: CPU time of the check, beyond the cases that are always checked.
        may_read_on: whether the implementation may read past the end of a message.

    Raises:
        RejectedError: it is wrong, crashes, hangs, or cannot be run here.
    """
    source = replace(passing_source(plugin, provider, name), may_read_on=may_read_on, confined=True)
    inventory = take_inventory([source])
    for failure in inventory.unavailable:
        verdict = {FailureKind.CRASH: "crashes", FailureKind.HANG: "hangs"}.get(
            failure.kind, "cannot be run"
        )
        raise RejectedError(verdict, f"when it is loaded, {failure.reason}")
    pool = WorkerPool(inventory, None, effort=CheckEffort(cpu_s=cpu_s, limit_s=limit_s))
    try:
        yield pool, inventory.tables[provider]
    except RejectedError:
        raise
    except ImplementationError as error:
        raise RejectedError(*_verdict(error)) from None
    finally:
        pool.close()


@contextmanager
def open_alone(plugin: Path, provider: str, name: str, limit_s: float) -> Iterator[WorkerClient]:
    """A worker that has loaded the plugin, whose algorithm need not be in the catalogue.

    Arguments and errors are those of `open_to_check`.
    """
    client = WorkerClient(replace(passing_source(plugin, provider, name), confined=True), None)
    try:
        client.ask(OpenSource(), limit_s=limit_s)
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
