# SPDX-License-Identifier: Apache-2.0
"""`joulemark budget`: which MAC costs a node least, and how much battery that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from joulemark.budget.plan import (
    MOST_ATTEMPTS,
    MOST_BATCH,
    MOST_BITS,
    MOST_PAYLOAD_BYTES,
    MOST_RECEIVED,
    USUAL,
    Budget,
    Question,
)
from joulemark.budget.planner import Planner
from joulemark.catalogue.nodes import Battery, DataSheet, Harvester, Microcontroller, Node, Radio
from joulemark.catalogue.protocols import FOLDERS, PacketProtocol, is_node, names, sheet
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.completion import words_of
from joulemark.cli.shared.measuring_options import DEFAULT_STORE, JSON_OPTION, STORE_OPTION
from joulemark.cli.shared.terminal import (
    columns,
    heading,
    listed,
    print_json,
    print_table,
    print_text,
    sentences,
)
from joulemark.errors import UsageError
from joulemark.foreign import did_you_mean, shortened
from joulemark.report import Table
from joulemark.report.budget import (
    ViewName,
    as_json,
    caveats,
    chart,
    documents,
    question_text,
    remembered,
)
from joulemark.report.budget.answer import answer_view, battery_view
from joulemark.report.budget.choices import (
    changes_view,
    engine_view,
    exchange_view,
    harvest_view,
    keys_view,
    payloads_view,
    tag_view,
)
from joulemark.store.repository import Store
from joulemark.units import parse_duration, parse_power, parse_size

_MOST_CORE_CYCLES: Final = 1 << 40

# Options of `joulemark budget`: what the node is, what it does, and which question is asked.


def offered(kind: type[DataSheet]) -> Callable[[str], list[str]]:
    """Offers the names of a kind of file after <Tab>."""
    return lambda incomplete: [name for name in names(kind) if name.startswith(incomplete)]


def _in_place(part: type[DataSheet]) -> Any:
    return typer.Option(
        metavar="NAME",
        help="In place of the node's: a name or a file.",
        autocompletion=offered(part),
    )


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
    harvester: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Energy harvester, for the messages a second that its power pays for: a name or "
            "a file.",
            autocompletion=offered(Harvester),
        ),
    ] = None
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What makes tags in place of the microcontroller: core:siphash, gate:picorv32 or "
            "another core or netlist of which the store has a report.",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class NodeTaskOptions:
    """What the node does, and what its tags must do."""

    payload: Annotated[str, typer.Option(help="Bytes of one reading.")] = str(USUAL.payload_bytes)
    every: Annotated[
        str, typer.Option(metavar="TIME", help="From one reading to the next: 10ms, 10s, 5min, 1h.")
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
            min=0,
            max=MOST_ATTEMPTS,
            help="Forged packets a second; as many as the channel carries unless given.",
        ),
    ] = None
    base_power: Annotated[
        str,
        typer.Option(
            metavar="POWER",
            help="Power that the node takes all the time beside sleep, as in 20uW.",
        ),
    ] = "0"

    def question(self) -> Question:
        """The question that the options ask."""
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
            base_w=parse_power(self.base_power, "--base-power"),
        )


# The screen of `joulemark budget`: the answer first, then its table, then what it rests on.


def show_views(planner: Planner, views: list[Table], *, everything: bool) -> None:
    """Prints each view, the question below the answer of the first, and the sources."""
    budget = planner.budget
    for place, view in enumerate(views):
        if place:
            typer.echo("")
        heading(view.title)
        if not place:
            sentences([f"for {question_text(budget)}"], indent=2)
        if view.rows:
            words = [place for place, head in enumerate(view.headings) if not head.number]
            print_table(view, prose=words[::-1] or (0,))  # the last words are the longest
        sentences(view.notes, indent=2)
    if budget.left_out:
        typer.echo("\nNot in the ranking")
        columns([(why, ", ".join(which)) for why, which in budget.left_out.items()], prose=(1,))
    typer.echo("")
    sentences(_grounds(budget, everything=everything))


def _grounds(budget: Budget, *, everything: bool) -> list[str]:
    """Lines on the evidence of core cycles and on the state of the values, then the caveats."""
    sources = Counter(
        (candidate.cycles.source, str(candidate.cycles.evidence)) for candidate in budget.ranking
    )
    lines = [f"Core cycles: {source} ({word})." for source, word in sources]
    unread = remembered(budget)
    if unread:
        keys = listed([line.partition(" = ")[0] for line in unread])
        lines.append(
            f"{len(unread)} values were written from memory and not checked in their documents; "
            "each counts as uncertain by 25 % unless its file states a spread: "
            + ("" if everything else f"{keys}; --all lists them with their sources.")
        )
    if everything:
        lines.extend(f"  {line}" for line in unread)
        lines.append("Read in their documents:")
        lines.extend(f"  {document}" for document in documents(budget))
    lines.append(
        "Energies are modelled: currents from data sheets, times core cycles and time on the air. "
        "The brackets (95 %) cover the uncertainty of these values, and nothing that is left out."
    )
    lines.extend(caveats(budget))
    return lines


def budget(
    node: NodeOptions,
    question: NodeTaskOptions,
    *,
    protocol: Annotated[
        str | None,
        typer.Argument(
            metavar="[PROTOCOL]",
            help="Packet protocol of the catalogue, or a file of yours that ends with .toml; "
            "without one, all are listed.",
            autocompletion=offered(PacketProtocol),
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
            min=0,
            max=_MOST_CORE_CYCLES,
            help="Core cycles of an engine's driver for one tag, for the break-even length.",
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
    if node.harvester is not None and ViewName.HARVEST not in wanted:
        wanted.append(ViewName.HARVEST)
    if node.engine is not None:
        if node.engine.partition(":")[0] not in {"core", "gate"}:
            raise UsageError(f"--engine {shortened(node.engine, 40)}: give core:NAME or gate:NAME")
        if ViewName.ENGINE not in wanted:
            wanted.append(ViewName.ENGINE)
    pairs = _macs_of(pair)
    with Store.if_there(store) as found:
        planner = Planner.of(
            protocol,
            node.node,
            asked,
            store=found,
            microcontroller=node.microcontroller,
            radio=node.radio,
            battery=node.battery,
            harvester=node.harvester,
            mode=node.cpu_mode,
            engine=node.engine,
        )
        nodes = [name for name in against or [] if is_node(name)]
        protocols = [name for name in against or [] if name not in nodes]
        if output is not None:
            chart.write_chart(output, chart.staircase_chart(planner.budget, planner.staircase))
            print_text(f"{output} written", err=True)
        if json_:
            print_json(as_json(planner, planner.ways(protocols, nodes, found), driver))
            return
        makers: dict[ViewName, Callable[[], Table]] = {
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
            ViewName.HARVEST: lambda: harvest_view(planner.budget, planner.harvest),
        }
        show_views(planner, [makers[view_name]() for view_name in wanted], everything=everything)


def _views(text: str) -> list[ViewName]:
    """The views that were asked for, in the order given."""
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
    """The two MACs of `--pair`; empty without it."""
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
        "joulemark budget tinysec_auth --harvester rfid_20uw",
    ),
)
