# SPDX-License-Identifier: Apache-2.0
"""The budget of a packet: which MAC costs a node least, by counts of firmware in the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from joulemark.budget import Number, interval, nominal
from joulemark.budget.plan import Budget, PacketCandidate
from joulemark.budget.planner import Planner
from joulemark.catalogue.nodes import Node
from joulemark.catalogue.protocols import PacketProtocol, sheet
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.estimates.known import FirmwareRuns
from joulemark.explorer.views import Page, Query, Rows
from joulemark.explorer.views.budget_question import PacketQuestion, question_form
from joulemark.explorer.views.parts import MOST_ROWS, hidden_note
from joulemark.records.figures import Evidence
from joulemark.report import Address, Cell, Chart, Facts, Heading, Notes, Part, Table, interval_cell
from joulemark.report.budget import (
    TIMES,
    caveats,
    count_text,
    documents,
    joules,
    joules_of,
    question_text,
    remembered,
)
from joulemark.report.budget.answer import answer_view, battery_view
from joulemark.report.budget.chart import CAPTION, stairs
from joulemark.report.budget.choices import harvest_view
from joulemark.report.drawing import Row, looks_of
from joulemark.units import format_bytes, format_joules

# The question about a packet that an address asks, checked value by value.
#
# `joulemark budget` takes a name that ends with `.toml` for a file of the user's. Addresses come
# from anybody, so that here only names of the catalogue are taken.


COLUMNS: Final = (
    "protocol",
    "node",
    "implementation",
    "standard",
    "payload_bytes",
    "asked_for",
    "joules",
    "low",
    "high",
    "evidence",
    "tag_bytes",
    "core_cycles",
    "core_cycles_low",
    "core_cycles_high",
    "core_cycles_evidence",
    "obtained_from",
    "run",
)
_DRAWN: Final = ("series", "payload_bytes", "joules", "low", "high", "length", "text", "evidence")
_MODELLED: Final = Evidence.MODELLED.value
_MOST_DRAWN: Final = 8
"""Most staircases of one picture; the table has every MAC."""
_USUAL_PACKET: Final = ("tinysec_auth", "mica2")
"""Protocol and node of the first example of `joulemark budget`."""


def budget(holdings: Holdings, query: Query) -> Page:
    """The view of the packet that the address asks about."""
    asked = PacketQuestion.of(query)
    firmware = holdings.firmware()
    protocol, node = _packet(asked, firmware)
    planner = Planner.of(
        protocol,
        node,
        asked.question(),
        store=firmware,
        microcontroller=asked.microcontroller,
        radio=asked.radio,
        battery=asked.battery,
        harvester=asked.harvester,
    )
    answer = planner.budget
    ranked = [_ranked_row(answer, candidate) for candidate in answer.ranking]
    steps = [
        _step_row(answer, mac.implementation, mac.allowed, step.payload_bytes, step.packet_j)
        for mac in planner.cheapest_stairs(_MOST_DRAWN)
        for step in mac.stairs
    ]
    series = dict.fromkeys(row["series"] for row in steps)
    payload = answer.question.packet_payload_bytes
    spec = stairs(
        [{name: row[name] for name in _DRAWN} for row in _corners(steps, payload)],
        payload,
        looks_of(series),
        f"energy for authentication over payload, {protocol} on {node}",
    )
    words, battery = answer_view(answer, planner.neighbours), battery_view(answer)
    core = answer.parts.microcontroller.core
    blocks: list[Part] = [
        question_form(asked, protocol, node),
        *_counts_warning(answer, core),
        Notes("Answer", [_sentence(words.title), _sentence(battery.title), *words.notes]),
        Chart(
            "Energy for authentication over payload",
            CAPTION,
            spec,
            f"no core cycles of a MAC are known on {core}.",
        ),
        _ranking(answer),
        _modelled(battery, "Where the energy of the node goes"),
        *_harvest(planner),
        *_left_out(answer),
        Notes("Before you use these figures", [*caveats(answer)]),
        *_values("Values that nobody has checked in their document", remembered(answer)),
        *_values("Values that were read in their document", documents(answer)),
        _others(firmware, protocol, node),
    ]
    data = [{name: row.get(name) for name in COLUMNS} for row in (*ranked, *steps)]
    return Page(
        f"Budget of a packet of {sheet(PacketProtocol, protocol).title}",
        blocks,
        address=replace(asked, protocol=protocol, node=node).address()
        if query
        else Address.of("budget"),
        lead=f"{question_text(answer)}.",
        data=Rows(len(data), lambda: data),
        columns=COLUMNS,
    )


def _packet(asked: PacketQuestion, firmware: FirmwareRuns) -> tuple[str, str]:
    """Protocol and node: those of the address, or else a pair that the store has counts for."""
    fitting = [
        (protocol, node)
        for protocol, node in firmware.usual
        if asked.protocol in {None, protocol} and asked.node in {None, node}
    ]
    here = _USUAL_PACKET in fitting or not fitting
    protocol, node = _USUAL_PACKET if here else fitting[0]
    return asked.protocol or protocol, asked.node or node


def _counts_warning(answer: Budget, core: str) -> list[Part]:
    """A note for a ranking of which the store has no counts: how to make them."""
    if any(candidate.cycles.series.run is not None for candidate in answer.ranking):
        return []
    sentence = (
        f"The store has no counts of these MACs on {core}, so the figures here use those "
        f"of the catalogue; 'joulemark bench ALGORITHM --target mcu:{core}' counts them."
    )
    return [Notes("Not from this store", [sentence], warning=True)]


def _ranked_row(answer: Budget, candidate: PacketCandidate) -> Row:
    cycles, series = candidate.cycles, candidate.cycles.series
    counted = interval(cycles.number)
    return {
        **_step_row(
            answer,
            candidate.implementation,
            candidate.allowed,
            answer.question.packet_payload_bytes,
            candidate.packet_j,
        ),
        "asked_for": True,
        "tag_bytes": candidate.packet.tag_bytes,
        "core_cycles": counted.value,
        "core_cycles_low": counted.low,
        "core_cycles_high": counted.high,
        "core_cycles_evidence": str(cycles.evidence),
        "obtained_from": series.source,
        "run": series.run,
    }


def _step_row(
    answer: Budget, name: str, allowed: bool, payload_bytes: int, packet_j: Number
) -> Row:
    energy = interval(packet_j)
    return {
        "protocol": answer.protocol.id,
        "node": answer.parts.name,
        "implementation": name,
        "standard": allowed,
        "payload_bytes": payload_bytes,
        "asked_for": False,
        "joules": energy.value,
        "low": energy.low,
        "high": energy.high,
        "evidence": _MODELLED,
        "length": f"{payload_bytes} B",
        "text": joules_of(energy),
        "series": name,
    }


def _corners(steps: Sequence[Row], payload_bytes: int) -> list[Row]:
    """The rows that the picture needs: the ends of each step, and the payload of the question."""
    levels = [tuple(row[name] for name in ("series", "joules", "low", "high")) for row in steps]
    return [
        row
        for row, left, level, right in zip(
            steps, [None, *levels], levels, [*levels[1:], None], strict=False
        )
        if row["payload_bytes"] == payload_bytes or not left == level == right
    ]


def _ranking(answer: Budget) -> Table:
    least = nominal((answer.best or answer.ranking[0]).packet_j) if answer.ranking else 1.0
    rows = []
    for candidate in answer.ranking[:MOST_ROWS]:
        cycles, packet_j = candidate.cycles, nominal(candidate.packet_j)
        run = cycles.series.run
        rows.append(
            (
                Cell(candidate.implementation),
                Cell("yes" if candidate.allowed else "no"),
                interval_cell(
                    count_text(cycles.number), str(cycles.evidence), nominal(cycles.number)
                ),
                Cell(cycles.source, link=None if run is None else Address.of("runs", run)),
                Cell(format_bytes(candidate.packet.tag_bytes), key=candidate.packet.tag_bytes),
                interval_cell(joules(candidate.packet_j), _MODELLED, packet_j),
                Cell(
                    format_joules(packet_j * answer.packets_per_day),
                    evidence=_MODELLED,
                    key=packet_j,
                ),
                Cell(f"{packet_j / least:.2f}{TIMES}", key=packet_j),
            )
        )
    headings = (
        Heading("Implementation"),
        Heading("In the standard"),
        Heading("Core cycles of a packet", number=True),
        Heading("Counts from"),
        Heading("Tag", number=True),
        Heading("For authentication of a packet", number=True),
        Heading("A day", number=True),
        Heading("Times the winner", number=True),
    )
    return Table(
        "Every MAC of which core cycles are known",
        headings,
        rows,
        caption="The brackets (95 %) cover the uncertainty of the values, and nothing that is left "
        "out; core cycles without brackets are exact counts.",
        empty="No core cycles of a MAC are known.",
        notes=hidden_note(len(rows), len(answer.ranking)),
    )


def _harvest(planner: Planner) -> list[Part]:
    if planner.budget.parts.harvester is None:
        return []
    view = harvest_view(planner.budget, planner.harvest)
    table = replace(view, caption=f"{_sentence(view.title)} {' '.join(view.notes)}", notes=())
    return [_modelled(table, "Messages from the harvester")]


def _modelled(view: Table, title: str) -> Table:
    """A table of the terminal under another title, with the word of evidence at its numbers."""
    headings = [
        replace(
            heading, text=heading.text.capitalize(), evidence=_MODELLED if heading.number else ""
        )
        for heading in view.headings
    ]
    return replace(view, title=title, headings=headings)


def _left_out(answer: Budget) -> list[Table]:
    if not answer.left_out:
        return []
    rows = [(Cell(why), Cell(", ".join(which))) for why, which in answer.left_out.items()]
    return [Table("Not in the ranking", (Heading("Reason"), Heading("MACs")), rows)]


def _values(title: str, lines: Sequence[str]) -> list[Facts]:
    """Facts from lines such as "radio: key = value (document, place)"."""
    rows = [(name, text) for name, _, text in (line.partition(" = ") for line in lines)]
    return [Facts(title, rows, closed=True)] if rows else []


def _others(firmware: FirmwareRuns, protocol: str, node: str) -> Notes:
    """Links to the other protocols of this node, and to the other nodes."""
    protocols_of: dict[str, list[str]] = {}
    for its_protocol, its_node in firmware.usual:
        protocols_of.setdefault(its_node, []).append(its_protocol)
    here = protocols_of.pop(node, [])
    pairs = [(its_protocol, node) for its_protocol in here if its_protocol != protocol]
    pairs += [
        (protocol if protocol in protocols else protocols[0], its_node)
        for its_node, protocols in protocols_of.items()
    ]
    links = [
        (
            f"{sheet(PacketProtocol, its_protocol).title} on {sheet(Node, its_node).title}",
            PacketQuestion(protocol=its_protocol, node=its_node).address(),
        )
        for its_protocol, its_node in pairs
    ]
    return Notes("Other packets that this store has counts for", [], links=links)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
