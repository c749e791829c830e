# SPDX-License-Identifier: Apache-2.0
"""A scheduler or a worker in this process, until it is interrupted."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import Callable
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from distributed import Nanny, Scheduler

from joulemark.environment.identity import MACHINE_VARIABLE
from joulemark.errors import UnavailableError, UsageError
from joulemark.fleet.cluster import LOOPBACK, Tls, checked_address, why_unreached
from joulemark.fleet.members import BENCH
from joulemark.processes.variables import only_named_variables

__all__ = ["is_loopback", "serve_scheduler", "serve_worker"]

_CONNECT_S: Final = 30


def is_loopback(address: str) -> bool:
    """Whether an address, with or without a port, is a loopback address of this machine."""
    host = urlsplit(address if "://" in address else f"tcp://{address}").hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def serve_scheduler(host: str, port: int, tls: Tls, ready: Callable[[str], None]) -> None:
    """Runs a scheduler.

    Args:
        host: the only address at which it listens.
        port: 0 for any free port.
        tls: the keys of the members.
        ready: takes the scheduler's address.

    Raises:
        UsageError: the scheduler cannot listen there, or its keys make no sense.
    """
    bracketed = f"[{host}]" if ":" in host else host
    protocol, security = tls.scheduler_security(f"{bracketed}:{port}")

    async def serve() -> None:
        try:
            scheduler = await Scheduler(
                host=host, port=port, protocol=protocol, security=security, dashboard=False,
                 dashboard_address=f"{bracketed}:0",
            )  # fmt: skip
        except (OSError, ValueError, RuntimeError) as error:
            # Dask wraps the cause in a RuntimeError whose text does not name it.
            cause = error.__cause__ if isinstance(error, RuntimeError) else error
            if not isinstance(cause, OSError | ValueError):
                raise
            raise UsageError(
                f"--host {host} --port {port}: nothing can listen there ({cause}); name another"
            ) from None
        try:
            ready(scheduler.address)
            await scheduler.finished()
        finally:
            await scheduler.close()

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    asyncio.run(serve())


def serve_worker(
    address: str, *, name: str, machine: str | None, threads: int, host: str | None, tls: Tls,
    ready: Callable[[str], None],
) -> None:  # fmt: skip
    """Runs a worker that measures one study at a time; a worker that dies is replaced.

    Args:
        address: of the scheduler.
        name: of the worker, which no other worker of the scheduler has.
        machine: name of this machine; None for the host's name.
        threads: number of reports of cores at a time, at least 1.
        host: address at which the worker listens; None for loopback.
        tls: the keys of the members.
        ready: takes the worker's address.

    Raises:
        UsageError: the scheduler could not reach the worker at that address.
        UnavailableError: no scheduler answers.
    """
    address = checked_address(address, tls)
    if host is None and not is_loopback(address):
        raise UsageError(
            f"the scheduler at {address} does not reach a worker that listens on loopback; say "
            "with --host at which address of this machine it may listen"
        )

    security = tls.security_for(address)

    async def serve(folder: str) -> None:
        nanny = Nanny(
            address, name=name, nthreads=threads, host=host or LOOPBACK, resources={BENCH: 1},
            security=security, memory_limit=0, local_directory=folder,
            death_timeout=_CONNECT_S, env={MACHINE_VARIABLE: machine} if machine else None,
            dashboard=False, silence_logs=logging.CRITICAL,
        )  # fmt: skip
        try:
            await asyncio.wait_for(nanny, _CONNECT_S)
        except (OSError, TimeoutError, RuntimeError) as error:
            # Dask wraps the cause in a RuntimeError whose text does not name it.
            cause = error.__cause__ if isinstance(error, RuntimeError) else error
            if not isinstance(cause, OSError | TimeoutError):
                raise
            raise UnavailableError(why_unreached(address, cause)) from None
        try:
            ready(str(nanny.worker_address))
            await nanny.finished()
        finally:
            await nanny.close()

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with (
        tempfile.TemporaryDirectory(prefix="joulemark-worker-") as folder, only_named_variables()
    ):  # fmt: skip
        asyncio.run(serve(folder))
