# SPDX-License-Identifier: Apache-2.0
"""Options of `joulemark budget`: what the node is, what it does, and which question is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from joulemark.budget.plan import (
    MOST_BATCH,
    MOST_BITS,
    MOST_PAYLOAD_BYTES,
    MOST_RECEIVED,
    USUAL,
    Question,
)
from joulemark.catalogue.planning.nodes import Battery, Microcontroller, Node, Radio
from joulemark.catalogue.planning.shelf import names
from joulemark.catalogue.planning.sourced import Sheet
from joulemark.errors import UsageError
from joulemark.units import parse_duration, parse_size

__all__ = ["NodeOptions", "QuestionOptions", "offered"]


def offered(kind: type[Sheet]) -> Callable[[str], list[str]]:
    """Offers the names of a kind of file after <Tab>."""
    return lambda incomplete: [name for name in names(kind) if name.startswith(incomplete)]


def _in_place(part: type[Sheet]) -> Any:
    return typer.Option(
        metavar="NAME", help="In place of the node's: a name or a file.",
        autocompletion=offered(part),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class NodeOptions:
    """The node and parts of it."""

    node: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Microcontroller, radio and battery together: mica2, telosb, lora_sf7 or a file "
            "of yours that ends with .toml.",
            autocompletion=offered(Node),
        ),
    ] = "mica2"
    microcontroller: Annotated[str | None, _in_place(Microcontroller)] = None
    cpu_mode: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Mode of the microcontroller, a key of [active] in its file."
        ),
    ] = None
    radio: Annotated[str | None, _in_place(Radio)] = None
    battery: Annotated[str | None, _in_place(Battery)] = None


@dataclass(frozen=True, slots=True)
class QuestionOptions:
    """What the node does, and what its tags must do."""

    payload: Annotated[str, typer.Option(help="Bytes of one reading.")] = str(USUAL.payload_bytes)
    every: Annotated[
        str, typer.Option(metavar="TIME", help="From one reading to the next: 10s, 5min, 1h.")
    ] = f"{USUAL.period_s:g}s"
    batch: Annotated[int, typer.Option(min=1, max=MOST_BATCH, help="Readings in a packet.")] = 1
    tag_bits: Annotated[
        int,
        typer.Option(
            min=0,
            max=MOST_BITS,
            help="Bits that the tag has at least; 0: the protocol's usual tag.",
        ),
    ] = 0
    security_bits: Annotated[
        int, typer.Option(min=0, max=MOST_BITS, help="Claimed strength of the algorithm at least.")
    ] = 0
    any_mac: Annotated[
        bool,
        typer.Option(
            "--any-algorithm", help="Take MACs and tags that the protocol's standard lacks, too."
        ),
    ] = False
    received: Annotated[
        float,
        typer.Option(
            min=0,
            max=MOST_RECEIVED,
            help="Packets that the node receives and verifies for each that it sends.",
        ),
    ] = 0.0
    attempts: Annotated[
        float | None,
        typer.Option(
            min=0, help="Forged packets a second; as many as the channel carries unless given."
        ),
    ] = None
    base_power: Annotated[
        float,
        typer.Option(
            metavar="WATTS", min=0, max=1e3, help="What the node takes all the time beside sleep."
        ),
    ] = 0.0

    def question(self) -> Question:
        """The question that the options ask.

        Raises:
            UsageError: a length or a time cannot be read.
        """
        payload = parse_size(self.payload)
        if payload > MOST_PAYLOAD_BYTES:
            raise UsageError(
                f"--payload {self.payload}: no packet has more than {MOST_PAYLOAD_BYTES} bytes"
            )
        return Question(
            payload_bytes=payload,
            period_s=parse_duration(self.every, "--every"),
            tag_bits=self.tag_bits,
            security_bits=self.security_bits,
            any_mac=self.any_mac,
            received_per_sent=self.received,
            attempts_per_s=self.attempts,
            batch=self.batch,
            base_w=self.base_power,
        )
