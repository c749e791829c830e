# SPDX-License-Identifier: Apache-2.0
"""A scheduler or a worker in this process, until it is interrupted."""

from __future__ import annotations

import asyncio
import logging
import os
import ssl
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import cryptography  # noqa: F401 - of the extra, which Dask imports later
from distributed import Client, LocalCluster, Nanny, Scheduler
from distributed.comm.core import CommClosedError
from distributed.security import Security

from joulemark.environment import MACHINE_VARIABLE
from joulemark.errors import UnavailableError, UsageError
from joulemark.fleet import BENCH
from joulemark.foreign import shortened
from joulemark.processes.child import only_named_variables

# Clients of a scheduler, and local clusters of processes, which listen on loopback alone.
#
# Whoever reaches a member of a cluster runs code in it, since Dask unpickles what members send: a
# task in a worker, and an answer in the command that asks. Every user of a machine reaches its
# loopback addresses. So members prove by keys who they are, and encrypt what they send.

LOOPBACK: Final = "127.0.0.1"
_CONNECT_S: Final = 10


@dataclass(frozen=True, slots=True)
class Tls:
    """Files in PEM form by which the members of a cluster know one another."""

    ca_file: Path | None = None
    cert: Path | None = None
    key: Path | None = None
    """File of the key; None if the key stands in the file of the certificate."""
    without_keys: bool = False
    """Whether members may be strangers, if no file is named."""

    def security(self) -> Security:
        """The settings as Dask takes them; without files, those of Dask's own configuration."""
        if self.ca_file is None and self.cert is None and self.key is None:
            return Security()
        if self.ca_file is None or self.cert is None:
            raise UsageError(
                "TLS needs both --tls-ca-file and --tls-cert (and --tls-key, unless the file of "
                "the certificate has the key)"
            )
        for option, path in (
            ("--tls-ca-file", self.ca_file),
            ("--tls-cert", self.cert),
            ("--tls-key", self.key),
        ):
            if path is not None and not path.is_file():
                raise UsageError(f"{option} {path}: there is no such file")
        key = str(self.key or self.cert)
        if os.stat(key).st_mode & stat.S_IROTH:  # noqa: PTH116 - through links
            raise UsageError(f"every user of this machine can read the key in {key}; chmod 600 it")
        security = Security(
            require_encryption=True,
            tls_ca_file=str(self.ca_file),
            **{f"tls_{role}_cert": str(self.cert) for role in ("client", "scheduler", "worker")},
            **{f"tls_{role}_key": key for role in ("client", "scheduler", "worker")},
        )
        try:
            security.get_connection_args("client")
        except (ssl.SSLError, OSError) as error:
            raise UsageError(
                f"--tls-ca-file {self.ca_file}, --tls-cert {self.cert}: these are no certificates "
                f"in PEM form with the key of the second ({shortened(str(error), 100)})"
            ) from None
        return security

    def security_for(self, address: str) -> Security:
        """As `security`, for a scheduler at an address."""
        security = self.security()
        has_keys = bool(security.get_connection_args("client")["ssl_context"])
        if has_keys and self.without_keys:
            raise UsageError("--without-keys and files of keys exclude one another; name one")
        if has_keys and address.startswith("tcp:"):
            raise UsageError(
                f"{address} is the address of a scheduler without keys; one with keys has an "
                "address with tls://"
            )
        if not has_keys and address.startswith("tls:"):
            raise UsageError(
                f"{address} demands keys; name --fleet-keys, or --tls-ca-file and --tls-cert"
            )
        if not has_keys and not self.without_keys:
            raise UsageError(
                f"without keys every user who reaches {address} runs code as you; make a file with "
                "'joulemark fleet keys FILE' and name it with --fleet-keys FILE, or say "
                "--without-keys"
            )
        return security

    def scheduler_security(self, host: str) -> tuple[str, Security]:
        """Protocol and settings of a scheduler that listens at a host."""
        has_keys = bool(self.security().get_connection_args("client")["ssl_context"])
        protocol = "tls" if has_keys else "tcp"
        return protocol, self.security_for(f"{protocol}://{host}")


def write_keys(file: Path) -> None:
    """Makes a file of a new key and its certificate, which only its owner can read.

    Members with a copy trust one another for a year.
    """
    made = Security.temporary()
    try:
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as output:
            output.write(f"{made.tls_client_cert}{made.tls_client_key}")
    except OSError as error:
        raise UsageError(f"{shortened(str(file), 200)} cannot be made ({error.strerror})") from None


def checked_address(address: str, tls: Tls) -> str:
    """The address of a scheduler, with its protocol: `tls` unless given or without keys."""
    whole = address if "://" in address else f"{'tcp' if tls.without_keys else 'tls'}://{address}"
    try:
        parts = urlsplit(whole)
        is_address = parts.scheme in {"tcp", "tls"} and parts.hostname and parts.port
    except ValueError:
        is_address = False
    if not is_address:
        raise UsageError(
            f"'{shortened(address, 200)}' is no scheduler's address such as tls://127.0.0.1:8786"
        )
    return whole


def why_unreached(address: str, error: BaseException) -> str:
    """Address of a scheduler, and the reason why there is no connection to it."""
    # In TLS 1.3 a client learns that it is not trusted only after its part of the handshake.
    if isinstance(error, CommClosedError) and address.startswith("tls:"):
        return (
            f"{address}: the other side ended the connection; --fleet-keys must be a copy of the "
            "scheduler's file, or --tls-cert must be signed by an authority of the scheduler's "
            "--tls-ca-file, and the other way round"
        )
    return (
        f"{address}: no scheduler answers there ({type(error).__name__}); 'joulemark fleet "
        "scheduler' starts one, and one with keys has an address with tls://"
    )


@contextmanager
def connected(address: str, tls: Tls) -> Iterator[Client]:
    """A client of the scheduler at an address."""
    address = checked_address(address, tls)
    with _quiet():
        try:
            client = Client(
                address,
                security=tls.security_for(address),
                timeout=_CONNECT_S,
                set_as_default=False,
            )
        except (OSError, TimeoutError) as error:
            raise UnavailableError(f"--scheduler {why_unreached(address, error)}") from None
        try:
            yield client
        finally:
            client.close(timeout=_CONNECT_S)


@contextmanager
def local_cluster(workers: int) -> Iterator[Client]:
    """A client of a number of worker processes on this machine, which end with the block."""
    with _quiet():
        with only_named_variables():
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host=LOOPBACK,
                security=Security.temporary(),
                worker_dashboard_address=None,
                memory_limit=0,
                silence_logs=logging.CRITICAL,
                # Without this, Dask's web page takes port 8787, and warns if that is in use.
                scheduler_kwargs={"dashboard": False, "dashboard_address": f"{LOOPBACK}:0"},
            )
        with cluster, Client(cluster, set_as_default=False) as client:
            yield client


@contextmanager
def _quiet() -> Iterator[None]:
    """Silences Dask's own log, which repeats our messages in other words."""
    log = logging.getLogger("distributed")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)


_WORKER_CONNECT_S: Final = 30


def is_loopback(address: str) -> bool:
    """Whether an address, with or without a port, is a loopback address of this machine."""
    host = urlsplit(address if "://" in address else f"tcp://{address}").hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def serve_scheduler(host: str, port: int, tls: Tls, ready: Callable[[str], None]) -> None:
    """Runs a scheduler that listens at one address alone; port 0 takes any that is free.

    `ready` takes the scheduler's address.
    """
    bracketed = f"[{host}]" if ":" in host else host
    protocol, security = tls.scheduler_security(f"{bracketed}:{port}")

    async def serve() -> None:
        try:
            scheduler = await Scheduler(
                host=host,
                port=port,
                protocol=protocol,
                security=security,
                dashboard=False,
                dashboard_address=f"{bracketed}:0",
            )
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
    address: str,
    *,
    name: str,
    machine: str | None,
    threads: int,
    host: str | None,
    tls: Tls,
    ready: Callable[[str], None],
) -> None:
    """Runs a worker that measures one study at a time; a worker that dies is replaced.

    No other worker of the scheduler has its name. The machine has the host's name unless given,
    makes `threads` reports of cores at a time, and listens on loopback unless `host` is given.
    `ready` takes the worker's address.
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
            address,
            name=name,
            nthreads=threads,
            host=host or LOOPBACK,
            resources={BENCH: 1},
            security=security,
            memory_limit=0,
            local_directory=folder,
            death_timeout=_WORKER_CONNECT_S,
            env={MACHINE_VARIABLE: machine} if machine else None,
            dashboard=False,
            silence_logs=logging.CRITICAL,
        )
        try:
            await asyncio.wait_for(nanny, _WORKER_CONNECT_S)
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
    with tempfile.TemporaryDirectory(prefix="joulemark-worker-") as folder, only_named_variables():
        asyncio.run(serve(folder))
