# SPDX-License-Identifier: Apache-2.0
"""Options of commands that are carried out by the workers of a Dask scheduler."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from joulemark.errors import UsageError

if TYPE_CHECKING:
    from distributed import Client

    from joulemark.fleet.cluster import Tls

__all__ = ["SCHEDULER_METAVAR", "SCHEDULER_OPTION", "SpreadOptions", "TlsOptions"]

SCHEDULER_METAVAR: Final = "ADDRESS"
SCHEDULER_OPTION: Final[Any] = typer.Option(
    "--scheduler",
    metavar=SCHEDULER_METAVAR,
    envvar="JOULEMARK_SCHEDULER",
    help="Of the Dask scheduler, as in tcp://127.0.0.1:8786.",
    show_default=False,
)


def _file(option: str, help_: str) -> Any:
    return typer.Option(option, metavar="FILE", help=help_, show_default=False)


@dataclass(frozen=True, slots=True)
class TlsOptions:
    """Files by which the members of a cluster know one another."""

    tls_ca_file: Annotated[
        Path | None,
        _file("--tls-ca-file", "Certificates, in PEM form, by which the cluster's are checked."),
    ] = None
    tls_cert: Annotated[
        Path | None, _file("--tls-cert", "Our certificate for the cluster, in PEM form.")
    ] = None
    tls_key: Annotated[
        Path | None,
        _file("--tls-key", "The certificate's key, unless the same file has it."),
    ] = None

    def tls(self) -> Tls:
        """As the fleet takes them."""
        from joulemark.fleet.cluster import Tls  # noqa: PLC0415 - an extra, which few have

        return Tls(self.tls_ca_file, self.tls_cert, self.tls_key)


@dataclass(frozen=True, slots=True)
class SpreadOptions(TlsOptions):
    """By whom work is done that may be done anywhere."""

    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            metavar=SCHEDULER_METAVAR,
            help="Have it done by the workers of this Dask scheduler (joulemark fleet).",
            show_default=False,
        ),
    ] = None
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            help="Have it done by a Dask cluster of N processes of this machine.",
            show_default=False,
        ),
    ] = None

    @property
    def given(self) -> bool:
        """Whether a cluster was asked for."""
        return self.scheduler is not None or self.workers is not None

    def check(self, jobs: int | None) -> None:
        """Refuses options that exclude one another.

        Raises:
            UsageError: names them.
        """
        given = {"--scheduler": self.scheduler, "--workers": self.workers, "--jobs": jobs}
        named = [option for option, value in given.items() if value is not None]
        if len(named) > 1:
            raise UsageError(f"{named[0]} and {named[1]} exclude one another; name one")
        if self.workers is not None and self.workers < 1:
            raise UsageError(f"--workers {self.workers}: give a number from 1")
        if self.scheduler is None and (self.tls_ca_file or self.tls_cert or self.tls_key):
            raise UsageError("--tls-ca-file, --tls-cert and --tls-key are for --scheduler")

    @contextmanager
    def client(self) -> Iterator[Client | None]:
        """A client of the cluster that was asked for; None: none was."""
        if not self.given:
            yield None
            return
        from joulemark.fleet import cluster  # noqa: PLC0415 - an extra, which few have

        with (
            cluster.local_cluster(self.workers)
            if self.scheduler is None and self.workers is not None
            else cluster.connected(str(self.scheduler), self.tls())
        ) as client:
            yield client
