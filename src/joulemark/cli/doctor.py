# SPDX-License-Identifier: Apache-2.0
"""`joulemark doctor`: what can be measured on this machine, and why not the rest."""

from __future__ import annotations

from typing import Annotated, Any, Final

import typer

from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import JSON_OPTION, TreeOptions, inventory_of
from joulemark.cli.shared.terminal import columns, heading, paragraph, print_json, terminal_width
from joulemark.doctor.machine import examine, noise_floor

DOCTOR_VERSION = 4
"""Version of the JSON that `doctor` prints."""
_WIDTH = 96


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
    found = {"schema_version": DOCTOR_VERSION, **examine(inventory, roots, observe=not quick)}
    found["noise_floor"] = None if quick else noise_floor(inventory)
    if as_json:
        print_json(found)
    else:
        _print(found)


def _print(found: dict[str, Any]) -> None:
    heading(found["machine"])
    heading("Load")
    _bullet(found["load"]["sentence"], mark="")
    heading("Clocks")
    columns([(clock["name"], clock["state"]) for clock in found["clocks"]], prose=(1,))
    heading("Disturbance")
    columns([(counter["name"], counter["state"]) for counter in found["counters"]], prose=(1,))
    heading("Energy")
    _print_energy(found["energy"])
    heading("The loop itself")
    _bullet(found["loop"]["sentence"], mark="")
    heading("Noise floor")
    floor = found["noise_floor"]
    _bullet(floor["sentence"] if floor else "not measured (--quick)", mark="")
    for note in floor["notes"] if floor else ():
        _bullet(note, mark="")
    heading("Secrets")
    _bullet(found["wiping"]["sentence"], mark="")
    if found["advice"]:
        heading("Advice")
    for sentence in found["advice"]:
        _bullet(sentence)
    heading("Providers")
    columns(
        [(provider["title"], provider["reason"] or "available") for provider in found["providers"]],
        prose=(1,),
    )


def _print_energy(energy: dict[str, Any]) -> None:
    _bullet(energy["sentence"], mark="")
    for instrument in energy["instruments"]:
        state = (
            f"usable, {instrument['evidence']}"
            if instrument["usable"]
            else f"no: {instrument['reason']}"
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
                _bullet(f"{refusal['what']}: no: {refusal['reason']}", mark="  - ")
            if refusal["remedy"] != instrument["remedy"]:
                _remedy(refusal["remedy"], mark="    ")


def _remedy(command: str | None, *, mark: str = "  ") -> None:
    """Prints a command in one line, however long, so that it can be copied."""
    if command is not None:
        typer.echo(f"  {mark}try: {command}")


def _bullet(text: str, *, mark: str = "- ") -> None:
    width = min(terminal_width() or _WIDTH, _WIDTH)
    paragraph(text, width, "  " + mark, "  " + " " * len(mark))


COMMAND: Final = Command(
    doctor,
    (
        "joulemark doctor",
        "joulemark doctor --quick",
        "joulemark doctor --json > machine.json",
        "joulemark doctor --sysfs /host/sys --proc /host/proc",
    ),
)
