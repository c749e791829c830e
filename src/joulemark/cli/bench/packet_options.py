# SPDX-License-Identifier: Apache-2.0
"""The options of `bench` that name a packet, of which target and lengths follow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Final

import typer

from joulemark.cli.bench.workload_options import WorkloadOptions
from joulemark.errors import UsageError
from joulemark.records.trial import HOST
from joulemark.units import parse_size

__all__ = ["USUAL_NODE", "USUAL_PAYLOAD", "PacketOptions"]

USUAL_PAYLOAD: Final = "24"
USUAL_NODE: Final = "mica2"
"""The packet and the node of `joulemark budget` if the user says no more."""


@dataclass(frozen=True, slots=True)
class PacketOptions:
    """A packet whose budget the counts are for."""

    protocol: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="PROTOCOL",
            help="Count what 'joulemark budget PROTOCOL' needs: the protocol's MACs, at the length "
            "that the MAC reads for such a payload, on the node's core.",
        ),
    ] = None
    payload: Annotated[
        str | None,
        typer.Option(
            metavar="BYTES", help=f"With --for: bytes of one packet; {USUAL_PAYLOAD} unless given."
        ),
    ] = None
    node: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"With --for: the node whose core is simulated; {USUAL_NODE} unless given.",
        ),
    ] = None

    def of_packet(self, workload: WorkloadOptions) -> WorkloadOptions:
        """The workload; with `--for` its target, lengths and algorithms are those of the packet.

        Raises:
            UsageError: an option makes no sense, or not with the others.
        """
        if self.protocol is None:
            alone = "--payload" if self.payload is not None else "--node"
            if self.payload is not None or self.node is not None:
                raise UsageError(f"{alone} says more about the packet of --for PROTOCOL; give both")
            return workload
        if workload.size is not None:
            raise UsageError(
                "--for takes the length from the packet's --payload; leave out --size, or --for"
            )
        from joulemark.budget.wanted import counts_wanted  # noqa: PLC0415 - slow; few ask for it

        wanted = counts_wanted(
            self.protocol, self.node or USUAL_NODE, parse_size(self.payload or USUAL_PAYLOAD),
            workload.patterns or (),
        )  # fmt: skip
        return replace(
            workload,
            patterns=list(wanted.algorithms),
            size=",".join(map(str, wanted.sizes_bytes)),
            target=wanted.target if workload.target == HOST else workload.target,
        )
