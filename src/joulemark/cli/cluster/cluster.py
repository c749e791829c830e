# SPDX-License-Identifier: Apache-2.0
"""A cluster of Dask workers at the service of a command.

This module needs the extra `fleet` and takes half a second to import. So `SpreadOptions.cluster`
imports it, and only where a cluster was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from distributed import Client

from joulemark.cli.cluster.cluster_options import SpreadOptions
from joulemark.fleet.compiling import compiled_over
from joulemark.fleet.firmware import firmware_over, footprints_over
from joulemark.fleet.points import spread_over
from joulemark.fleet.serving import Tls, connected, local_cluster
from joulemark.hardware.flow.points import Spread
from joulemark.measure.firmware_trials import SpreadFirmware, SpreadFootprints
from joulemark.own_code.tuning.making import SpreadCompiling


@dataclass(frozen=True, slots=True)
class Cluster:
    """What workers do for a command. Each method's `say` is told of workers that fail or return."""

    client: Client

    def firmware(self, say: Callable[[str], None]) -> SpreadFirmware:
        """Counts of firmware."""
        return firmware_over(self.client, say)

    def footprints(self, say: Callable[[str], None]) -> SpreadFootprints:
        """Footprints of firmware."""
        return footprints_over(self.client, say)

    def compiling(self, say: Callable[[str], None]) -> SpreadCompiling:
        """Candidates of a search for flags."""
        return compiled_over(self.client, say)

    def reports(self, folder: Path | None, say: Callable[[str], None]) -> Spread:
        """Reports of cores, kept in the folder if there is one."""
        return spread_over(self.client, folder, say)


@contextmanager
def open_cluster(options: SpreadOptions) -> Iterator[Cluster]:
    """The workers of a scheduler, or processes of this machine, whichever the options name."""
    with (
        local_cluster(options.workers)
        if options.scheduler is None and options.workers is not None
        else connected(str(options.scheduler), Tls(*options.files))
    ) as client:
        yield Cluster(client)
