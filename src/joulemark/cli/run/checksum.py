# SPDX-License-Identifier: Apache-2.0
"""`joulemark checksum`: the checksum by which SUPERCOP knows an algorithm."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from joulemark.catalogue.algorithms import EBACS_KEY_BYTES, AlgorithmFacts, algorithm_called
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.completion import algorithm_names
from joulemark.cli.shared.inventory import inventory_of
from joulemark.cli.shared.measuring_options import PLUGIN_OPTION
from joulemark.errors import UnavailableError, UsageError
from joulemark.measure.inventory import Inventory, refuse_broken_plugins, select_here
from joulemark.measure.worker.client import WorkerClient
from joulemark.measure.worker.messages import OpenSource
from joulemark.measure.worker.run_messages import Checksum
from joulemark.records import ImplementationFacts

_LIMIT_S = 300.0
"""Seconds. The slowest of our implementations needs one for the big checksum."""


def print_checksum(
    algorithm: Annotated[
        str,
        typer.Argument(
            metavar="ALGORITHM",
            help="A hash or a MAC, by its name here or in eBACS (ebacs:keccakc512).",
            autocompletion=algorithm_names,
        ),
    ],
    implementation: Annotated[
        str | None,
        typer.Option(
            metavar="VARIANT", help="Which implementation computes it: bmi2. Without it: auto."
        ),
    ] = None,
    big: Annotated[
        bool, typer.Option("--big", help="SUPERCOP's checksumbig, of longer and more messages.")
    ] = False,
    plugin: Annotated[list[str] | None, PLUGIN_OPTION] = None,
) -> None:
    """Print the checksum by which eBACS's SUPERCOP knows an algorithm: 64 hexadecimal digits.

    It stands in SUPERCOP's file checksumsmall (checksumbig with --big) of the primitive. Outputs of
    64 messages (big: 512) go into that of a hash, of 4096 (big: 32768) into that of a MAC.
    """
    asked = algorithm_called(algorithm)
    if asked.kind == "cipher":
        raise UsageError(
            f"{asked.id} is a cipher, and SUPERCOP has checksums of hashes and MACs alone"
        )
    inventory = inventory_of(plugin)
    refuse_broken_plugins(inventory, plugin or [])
    facts = _facts(asked.id, implementation, inventory)
    typer.echo(_checksum(asked, facts, inventory, big=big))


def _facts(name: str, variant: str | None, inventory: Inventory) -> ImplementationFacts:
    """The implementation that was asked for, `auto` resolved."""
    asked = f"{name}/{variant or 'auto'}"
    for failure in inventory.unavailable:
        if failure.implementation == asked:
            raise UnavailableError(f"{asked} is unavailable: {failure.reason}")
    if variant is None and asked not in inventory.facts:
        raise UnavailableError(f"nothing here computes {name} in software (joulemark list {name})")
    (found, *more) = select_here([asked], inventory)
    if more:
        raise UsageError(f"--implementation {variant}: name one, not {1 + len(more)}")
    facts = inventory.facts_of(found)
    return facts if facts.chosen is None else inventory.facts_of(f"{name}/{facts.chosen}")


def _checksum(
    algorithm: AlgorithmFacts, facts: ImplementationFacts, inventory: Inventory, *, big: bool
) -> str:
    any_length = facts.key_bytes_max != facts.key_bytes_min
    request = Checksum(
        implementation=facts.implementation,
        key_bytes=EBACS_KEY_BYTES if any_length else facts.key_bytes,
        output_bytes=algorithm.ebacs_output_bytes or facts.output_bytes,
        big=big,
    )
    client = WorkerClient(inventory.source_of(facts.implementation), None)
    try:
        client.ask(OpenSource(), limit_s=_LIMIT_S)
        return client.ask(request, limit_s=_LIMIT_S).checksum
    finally:
        client.close()


COMMAND: Final = Command(
    print_checksum,
    (
        "joulemark checksum sha3-256",
        "joulemark checksum ebacs:keccakc512 --big",
        "joulemark checksum sha256 --implementation mine --plugin ./mine.so",
    ),
)
