# SPDX-License-Identifier: Apache-2.0
"""`joulemark budget`: which MAC costs a node least, and how much battery that is."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.budget.planner import Planner
from joulemark.catalogue.planning.nodes import Node
from joulemark.catalogue.planning.protocols import Protocol
from joulemark.catalogue.planning.shelf import FOLDERS, names, sheet
from joulemark.cli.budget.options import NodeOptions, QuestionOptions, offered
from joulemark.cli.budget.screen import show as show_views
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.completion import words_of
from joulemark.cli.shared.options import DEFAULT_STORE, JSON_OPTION, STORE_OPTION
from joulemark.cli.shared.stored import opened
from joulemark.cli.shared.terminal import columns, print_json
from joulemark.errors import UsageError
from joulemark.report.budget.answer import answer_view, battery_view
from joulemark.report.budget.choices import changes_view, engine_view, keys_view
from joulemark.report.budget.json import as_json
from joulemark.report.budget.payloads import payloads_view
from joulemark.report.budget.prices import exchange_view, tag_view
from joulemark.report.budget.view import View, ViewName
from joulemark.spelling import did_you_mean

__all__ = ["COMMAND"]


def budget(
    node: NodeOptions,
    question: QuestionOptions,
    *,
    protocol: Annotated[
        str | None,
        typer.Argument(
            metavar="[PROTOCOL]",
            help="Packet protocol of the catalogue, or a file of yours that ends with .toml; "
            "without one, all are listed.",
            autocompletion=offered(Protocol),
        ),
    ] = None,
    show: Annotated[
        str,
        typer.Option(
            metavar="VIEWS",
            help=f"What to show, separated by commas: {', '.join(ViewName)}, or all.",
            autocompletion=words_of(ViewName),
        ),
    ] = "answer,battery",
    pair: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Two MACs whose cross-over is looked for; the winner and the next unless given.",
        ),
    ] = None,
    driver: Annotated[
        int | None,
        typer.Option(
            min=0, help="Core cycles of an engine's driver for one tag, for the break-even length."
        ),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="With --show changes: another node, or another protocol by name or file; may be "
            "given several times.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the chart of energy over payload: .svg, .png, .html or .json.",
        ),
    ] = None,
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
    everything: Annotated[
        bool, typer.Option("--all", help="List every value that a figure rests on.")
    ] = False,
    json_: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """Say which MAC costs a node least energy, and how much of its battery that is.

    A packet protocol, a node (microcontroller, radio, battery), a payload and a rate go in. Core
    cycles come from the store where firmware was run for the node's core ('joulemark bench
    --target mcu:...'), else from the catalogue; the screen says which.
    """
    if protocol is None:
        _list(json_=json_)
        return
    asked = question.question()
    wanted = _views(show)
    pairs = _macs_of(pair)
    keeping = opened(store) if "://" in store or Path(store).exists() else nullcontext(None)
    with keeping as found:
        planner = Planner.of(
            protocol, node.node, asked, store=found, microcontroller=node.microcontroller,
            radio=node.radio, battery=node.battery, mode=node.cpu_mode,
        )  # fmt: skip
        nodes = [name for name in against or [] if name in names(Node)]
        protocols = [name for name in against or [] if name not in nodes]
        if output is not None:
            from joulemark.report.budget import chart  # noqa: PLC0415 - slow; few ask for it

            chart.write_chart(output, chart.staircase_chart(planner.budget, planner.staircase))
            typer.echo(f"{output} written", err=True)
        if json_:
            print_json(as_json(planner, planner.ways(protocols, nodes, found), driver))
            return
        makers: dict[ViewName, Callable[[], View]] = {
            ViewName.ANSWER: lambda: answer_view(planner.budget, planner.neighbours),
            ViewName.PAYLOADS: lambda: payloads_view(
                planner.staircase, planner.crossings_of(pairs)
            ),
            ViewName.BATTERY: lambda: battery_view(planner.budget),
            ViewName.TAG: lambda: tag_view(planner.budget, planner.tags),
            ViewName.EXCHANGE: lambda: exchange_view(planner.budget, planner.exchange),
            ViewName.KEYS: lambda: keys_view(planner.budget, planner.key_states),
            ViewName.ENGINE: lambda: engine_view(
                planner.budget, planner.engines(driver), planner.gap, planner.cores
            ),
            ViewName.CHANGES: lambda: changes_view(
                planner.budget, planner.flips, planner.ways(protocols, nodes, found)
            ),
        }
        show_views(planner, [makers[view_name]() for view_name in wanted], everything=everything)


def _views(text: str) -> list[ViewName]:
    """The views that were asked for, in the order given.

    Raises:
        UsageError: no view has such a name.
    """
    if text.strip() == "all":
        return [*ViewName]
    found = []
    for name in text.split(","):
        word = name.strip()
        if word not in {*ViewName}:
            raise UsageError(
                f"--show {text}: there is no view '{word}'{did_you_mean(word, ViewName)} "
                f"(there are {', '.join(ViewName)}, all)"
            )
        found.append(ViewName(word))
    return found


def _macs_of(pair: str | None) -> list[str]:
    """The two MACs of `--pair`; empty without it.

    Raises:
        UsageError: it has another number of names.
    """
    names_ = [word.strip() for word in pair.split(",")] if pair else []
    if len(names_) not in {0, 2}:
        raise UsageError("--pair takes two MACs with a comma between, as cmac-aes128,hmac-sha1")
    return names_


def _list(*, json_: bool) -> None:
    """Prints every protocol, node and part of the catalogue."""
    titles = {
        folder: [(name, sheet(kind, name).title) for name in names(kind)]
        for kind, (folder, _) in FOLDERS.items()
    }
    if json_:
        print_json({folder: dict(found) for folder, found in titles.items()})
        return
    for folder, found in titles.items():
        typer.echo(f"{folder.replace('_', ' ')}:")
        columns(found, prose=(1,))


COMMAND: Final = Command(
    budget,
    (
        "joulemark budget tinysec_auth --node mica2 --payload 24 --every 10s",
        "joulemark budget lorawan_1_0 --node lora_sf12 --show tag",
        (
            "joulemark budget ieee802154_mic --node telosb --tag-bits 64 --show changes --against "
            "oscore"
        ),
        "joulemark budget ble_link --node nrf52840_ble --output budget.svg",
    ),
)
