# SPDX-License-Identifier: Apache-2.0
"""Options of commands that are carried out by the workers of a Dask scheduler."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from joulemark.errors import UsageError

if TYPE_CHECKING:
    from joulemark.fleet.spreading import Cluster

SCHEDULER_METAVAR: Final = "ADDRESS"
SCHEDULER_OPTION: Final[Any] = typer.Option(
    "--scheduler",
    metavar=SCHEDULER_METAVAR,
    envvar="JOULEMARK_SCHEDULER",
    help="Address of the Dask scheduler, such as tls://127.0.0.1:8786.",
)


def _file(option: str, help_: str) -> Any:
    return typer.Option(option, metavar="FILE", help=help_)


@dataclass(frozen=True, slots=True)
class TlsOptions:
    """Files by which the members of a cluster know one another."""

    fleet_keys: Annotated[
        Path | None,
        _file("--fleet-keys", "Keys that all members have, as 'joulemark fleet keys' makes them."),
    ] = None
    tls_ca_file: Annotated[
        Path | None,
        _file("--tls-ca-file", "Certificates, in PEM form, by which the cluster's are checked."),
    ] = None
    tls_cert: Annotated[
        Path | None, _file("--tls-cert", "Our certificate for the cluster, in PEM form.")
    ] = None
    tls_key: Annotated[
        Path | None, _file("--tls-key", "The certificate's key, unless the same file has it.")
    ] = None
    without_keys: Annotated[
        bool,
        typer.Option(
            "--without-keys",
            help="Take part without keys: every user who reaches a member runs code as you.",
        ),
    ] = False

    @property
    def files(self) -> tuple[Path | None, Path | None, Path | None, bool]:
        """Certificates of the cluster, our certificate, its key, and whether strangers may come."""
        own = self.tls_ca_file, self.tls_cert, self.tls_key
        if self.fleet_keys is None:
            return *own, self.without_keys
        if any(own):
            raise UsageError(
                "--fleet-keys replaces --tls-ca-file, --tls-cert and --tls-key; name it alone"
            )
        return self.fleet_keys, self.fleet_keys, None, self.without_keys


@dataclass(frozen=True, slots=True)
class SpreadOptions(TlsOptions):
    """The cluster that does work which any machine may do."""

    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar=SCHEDULER_METAVAR,
            help="Let the workers of this Dask scheduler do the work (joulemark fleet).",
        ),
    ] = None
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Let a Dask cluster of N processes of this machine do the work."
        ),
    ] = None

    @property
    def given(self) -> bool:
        """Whether a cluster was asked for."""
        return self.scheduler is not None or self.workers is not None

    def check(self, jobs: int | None) -> None:
        """Refuses options that exclude one another."""
        given = {"--scheduler": self.scheduler, "--workers": self.workers, "--jobs": jobs}
        named = [option for option, value in given.items() if value is not None]
        if len(named) > 1:
            raise UsageError(f"{named[0]} and {named[1]} exclude one another; name one")
        if self.workers is not None and self.workers < 1:
            raise UsageError(f"--workers {self.workers}: give a number from 1")
        if self.scheduler is None and any(self.files):
            raise UsageError(
                "--fleet-keys, --tls-ca-file, --tls-cert, --tls-key and --without-keys are for "
                "--scheduler"
            )

    def cluster(self) -> AbstractContextManager[Cluster | None]:
        """The cluster that was asked for; None if none was."""
        if not self.given:
            return nullcontext()
        # Dask is an extra, and takes half a second to import.
        from joulemark.fleet.spreading import open_cluster  # noqa: PLC0415

        return open_cluster(self.scheduler, self.workers, self.files)
