# SPDX-License-Identifier: Apache-2.0
"""`joulemark doctor`: what can be measured on this machine, and why not the rest."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import JSON_OPTION, TreeOptions
from joulemark.cli.shared.terminal import columns, heading, print_json, print_text
from joulemark.doctor import EnergyFindings
from joulemark.doctor.machine import MachineFindings, NoiseFloor, examine, noise_floor
from joulemark.measure.inventory import inventory_of

DOCTOR_VERSION = 4
"""Version of the JSON that `doctor` prints."""


def doctor(
    *,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Leave out what takes some seconds: the noise floor and how energy counters move.",
        ),
    ] = False,
    as_json: Annotated[bool, JSON_OPTION] = False,
    trees: TreeOptions,
) -> None:
    """Say what can be measured on this machine, how finely, and why not the rest.

    The noise floor is found by measuring two copies of the same code against each other:
    differences smaller than what they show are not worth believing here.
    """
    roots = trees.roots()
    inventory = inventory_of()
    found = examine(inventory, roots, observe=not quick)
    floor = None if quick else noise_floor(inventory)
    if as_json:
        print_json({"schema_version": DOCTOR_VERSION, **found, "noise_floor": floor})
    else:
        _print(found, floor)


def _print(found: MachineFindings, floor: NoiseFloor | None) -> None:
    heading(found["machine"])
    heading("Load")
    _bullet(str(found["load"]["sentence"]), mark="")
    heading("Clocks")
    columns([(str(clock["name"]), str(clock["state"])) for clock in found["clocks"]], prose=(1,))
    heading("Disturbance")
    counters = [(str(counter["name"]), str(counter["state"])) for counter in found["counters"]]
    columns(counters, prose=(1,))
    heading("Energy")
    _print_energy(found["energy"])
    heading("The loop itself")
    _bullet(str(found["loop"]["sentence"]), mark="")
    heading("Noise floor")
    _bullet(floor["sentence"] if floor else "not measured (--quick)", mark="")
    for note in floor["notes"] if floor else ():
        _bullet(note, mark="")
    heading("Secrets")
    _bullet(str(found["wiping"]["sentence"]), mark="")
    if found["advice"]:
        heading("Advice")
    for sentence in found["advice"]:
        _bullet(sentence)
    heading("Providers")
    providers = found["providers"]
    columns(
        [
            (str(provider["title"]), str(provider["reason"] or "available"))
            for provider in providers
        ],
        prose=(1,),
    )


def _print_energy(energy: EnergyFindings) -> None:
    _bullet(energy["sentence"], mark="")
    for instrument in energy["instruments"]:
        state = (
            f"usable, {instrument['evidence']}"
            if instrument["usable"]
            else f"not usable: {instrument['reason']}"
        )
        if (lacking := instrument["without_cpu"]) is not None:
            state += f"; taken only if it is named: it {lacking}"
        _bullet(f"{instrument['name']} ({instrument['title']}): {state}")
        _remedy(instrument["remedy"])
        for domain in instrument["domains"]:
            first, *rest = domain["lines"]
            _bullet(first, mark="  - ")
            for line in rest:
                _bullet(line, mark="    ")
        for refusal in instrument["refused"]:
            if refusal["reason"] != instrument["reason"]:
                _bullet(f"{refusal['what']}, not usable: {refusal['reason']}", mark="  - ")
            if refusal["remedy"] != instrument["remedy"]:
                _remedy(refusal["remedy"], mark="    ")


def _remedy(command: str | None, *, mark: str = "  ") -> None:
    """Prints a command in one line, however long, so that it can be copied."""
    if command is not None:
        typer.echo(f"  {mark}try: {command}")


def _bullet(text: str, *, mark: str = "- ") -> None:
    print_text(f"  {mark}{text}")


COMMAND: Final = Command(
    doctor,
    (
        "joulemark doctor",
        "joulemark doctor --quick",
        "joulemark doctor --json > machine.json",
        "joulemark doctor --sysfs /host/sys --proc /host/proc",
    ),
)
