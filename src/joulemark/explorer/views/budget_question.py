# SPDX-License-Identifier: Apache-2.0
"""The question about a packet that an address asks, checked value by value.

`joulemark budget` takes a name that ends with `.toml` for a file of the user's. Addresses come
from anybody, so that here only names of the catalogue are taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

from joulemark.budget.plan import (
    MOST_BATCH,
    MOST_BITS,
    MOST_PAYLOAD_BYTES,
    MOST_RECEIVED,
    USUAL,
    Question,
)
from joulemark.catalogue.nodes import Battery, DataSheet, Harvester, Microcontroller, Node, Radio
from joulemark.catalogue.protocols import FOLDERS, PacketProtocol, names, sheet
from joulemark.errors import UsageError
from joulemark.explorer.views import Form, FormChoice, FormEntry, Query, one_of, whole
from joulemark.foreign import did_you_mean, shortened
from joulemark.report import Address
from joulemark.units import parse_duration, parse_number, parse_size

_PARTS: Final[dict[str, type[DataSheet]]] = {
    "protocol": PacketProtocol,
    "node": Node,
    "microcontroller": Microcontroller,
    "radio": Radio,
    "battery": Battery,
    "harvester": Harvester,
}
_YES: Final = "yes"


@dataclass(frozen=True, slots=True)
class PacketQuestion:
    """The values of an address as text; None: the usual value."""

    protocol: str | None = None
    node: str | None = None
    microcontroller: str | None = None
    """Microcontroller, and then radio and battery, in place of the node's."""
    radio: str | None = None
    battery: str | None = None
    harvester: str | None = None
    """Energy harvester, of whose power the messages a second are shown; no node has one."""
    payload: str | None = None
    every: str | None = None
    batch: str | None = None
    tag_bits: str | None = None
    security_bits: str | None = None
    received: str | None = None
    any_algorithm: str | None = None

    @classmethod
    def of(cls, query: Query) -> PacketQuestion:
        """The question of an address."""
        question = cls(**{field.name: one_of(query, field.name) for field in fields(cls)})
        for name, kind in _PARTS.items():
            part = getattr(question, name)
            if part is not None and part not in names(kind):
                raise UsageError(
                    f"{name}: the catalogue has no {FOLDERS[kind][1]} '{shortened(part)}'"
                    f"{did_you_mean(part, names(kind))}"
                )
        return question

    def question(self) -> Question:
        """The question to the planner of budgets."""
        payload = USUAL.payload_bytes if self.payload is None else parse_size(self.payload)
        if payload > MOST_PAYLOAD_BYTES:
            raise UsageError(f"payload: no packet has more than {MOST_PAYLOAD_BYTES} bytes")
        if self.any_algorithm not in {None, _YES}:
            raise UsageError(f"any_algorithm: the only value is {_YES}")
        return Question(
            payload_bytes=payload,
            period_s=USUAL.period_s if self.every is None else parse_duration(self.every, "every"),
            tag_bits=_within(self.tag_bits, "tag_bits", 0, MOST_BITS, USUAL.tag_bits),
            security_bits=_within(
                self.security_bits, "security_bits", 0, MOST_BITS, USUAL.security_bits
            ),
            any_mac=self.any_algorithm == _YES,
            received_per_sent=_received(self.received),
            batch=_within(self.batch, "batch", 1, MOST_BATCH, USUAL.batch),
        )

    def address(self) -> Address:
        """The address of the view that answers the question."""
        return Address.of(
            "budget", **{field.name: getattr(self, field.name) for field in fields(self)}
        )


def _within(text: str | None, name: str, least: int, most: int, usual: int) -> int:
    if text is None:
        return usual
    value = whole(text, name)
    if not least <= value <= most:
        raise UsageError(f"{name}: give a number from {least} to {most}")
    return value


def _received(text: str | None) -> float:
    value = 0.0 if text is None else parse_number(text)
    if not 0 <= value <= MOST_RECEIVED:
        raise UsageError(f"received: give a number from 0 to {MOST_RECEIVED:.0f}")
    return value


def question_form(asked: PacketQuestion, protocol: str, node: str) -> Form:
    """The form for a question, with the values of the present one."""

    def part(name: str, label: str, without: str = "the node's") -> FormChoice:
        options = [("", without), *_titled(_PARTS[name])]
        return FormChoice(name, label, options, [getattr(asked, name) or ""])

    received = asked.received or f"{USUAL.received_per_sent:g}"
    return Form(
        "What is asked",
        Address.of("budget"),
        [
            FormChoice("protocol", "Packet protocol", _titled(PacketProtocol), [protocol]),
            FormChoice("node", "Node", _titled(Node), [node]),
            part("microcontroller", "Microcontroller"),
            part("radio", "Radio"),
            part("battery", "Battery"),
            part("harvester", "Energy harvester", "none"),
            FormEntry("payload", "Bytes of a reading", asked.payload or str(USUAL.payload_bytes)),
            FormEntry(
                "every", "From one reading to the next", asked.every or f"{USUAL.period_s:g}s"
            ),
            FormEntry("batch", "Readings in a packet", asked.batch or str(USUAL.batch)),
            FormEntry(
                "tag_bits", "Bits of the tag at least", asked.tag_bits or str(USUAL.tag_bits)
            ),
            FormEntry("received", "Packets received for each one sent", received),
            FormChoice(
                "any_algorithm",
                "MACs that the standard lacks",
                [("", "left out"), (_YES, "taken too")],
                [asked.any_algorithm or ""],
            ),
        ],
    )


def _titled(kind: type[DataSheet]) -> Sequence[tuple[str, str]]:
    return [(name, sheet(kind, name).title) for name in names(kind)]
