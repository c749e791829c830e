# SPDX-License-Identifier: Apache-2.0
"""Words that the views of a budget share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Final

from joulemark.budget.counts import target_of
from joulemark.budget.inputs import BoundedFigure, Number, UsedValue, interval, nominal, spread_of
from joulemark.budget.plan import Budget, tag_bits_of
from joulemark.budget.planner import counted_algorithms
from joulemark.catalogue.nodes import ValueOrigin
from joulemark.catalogue.protocols import PacketProtocol, names
from joulemark.units import (
    format_duration,
    format_joules,
    format_percent,
    format_seconds,
    format_si,
)

# Figures of a budget as words: a number with its interval, and what it rests on.

MISSING = "-"
_FEW_YEARS, _DAYS = 0.5, 365.25
_MUCH_AIR = 0.01


def _within(bounds: BoundedFigure, text: Callable[[float], str]) -> str:
    value, low, high = (text(bound) for bound in (bounds.value, bounds.low, bounds.high))
    return value if low == high else f"{value} [{low}, {high}]"


def joules(number: Number) -> str:
    """An energy with its interval, as in "68.9 µJ [60 µJ, 78 µJ]"."""
    return joules_of(interval(number))


def joules_of(bounds: BoundedFigure) -> str:
    """An energy whose interval is known already; `joules` spends most of its time on it."""
    return _within(bounds, lambda value: format_joules(value, digits=3))


def short(number: Number) -> str:
    """An energy with half of its interval, as in "68.9 µJ ±11 %"."""
    spread = spread_of(number)
    half = f" ±{100 * spread:.2g} %" if spread else ""
    return format_joules(interval(number).value) + half


def per_cent(number: Number) -> str:
    """A share with its interval."""
    return _within(interval(number), lambda value: format_percent(value, digits=2))


def years(bounds: BoundedFigure) -> str:
    """A number of years with its interval."""
    few = bounds.value < _FEW_YEARS
    unit = _DAYS if few else 1.0
    return _within(bounds, lambda value: f"{value * unit:.3g}") + (" days" if few else " years")


def count_text(number: Number) -> str:
    """A count with its interval, as in "41 200 [40 900, 41 500]"."""

    def text(value: float) -> str:
        digits = max(0, math.floor(math.log10(abs(value))) - 2) if abs(value) >= 1 else 0
        return f"{round(value, -digits):,.0f}".replace(",", " ")

    bounds = interval(number)
    if bounds.low == bounds.high:
        return f"{bounds.value:,.0f}".replace(",", " ")
    return f"{text(bounds.value)} [{text(bounds.low)}, {text(bounds.high)}]"


def forgery_text(chance: float) -> str:
    """A chance, as in "25 %" or "1 in 2^40"."""
    if chance >= 0.001:
        return format_percent(chance)
    return "0" if chance == 0 else f"1 in 2^{-math.log2(chance):.0f}"


def question_text(budget: Budget) -> str:
    """The question, as in "TinySec-Auth on MICA2: 24 bytes every 10 s, a tag of 32 bits"."""
    question = budget.question
    bits = tag_bits_of(budget.protocol, budget.packet.tag_bytes)
    batch = f", {question.batch} readings a packet" if question.batch > 1 else ""
    received = (
        f", {question.received_per_sent:g} packets received for each one sent"
        if question.received_per_sent
        else ""
    )
    base = f", {format_si(question.base_w, 'W')} beside" if question.base_w else ""
    any_mac = ", any MAC" if question.any_mac else ""
    return (
        f"{budget.protocol.title} on {budget.parts.title}: {question.payload_bytes} bytes every "
        f"{format_duration(question.period_s)}{batch}, a tag of {bits} bits{any_mac}{received}"
        f"{base}"
    )


def remembered(budget: Budget) -> list[str]:
    """Values that nobody has checked in their document, each with the document."""
    used = [value for value in budget.parts.inputs.used if value.state is ValueOrigin.REMEMBERED]
    used.sort(key=lambda value: value.text.endswith(" byte"))  # sizes are the surest
    return [_with_document(value) for value in used]


def documents(budget: Budget) -> list[str]:
    """Values that were read in their document, each with the document."""
    used = budget.parts.inputs.used
    return [_with_document(value) for value in used if value.state is ValueOrigin.READ]


def _with_document(value: UsedValue) -> str:
    return f"{value.path} = {value.text} ({value.document}, {value.place})"


def caveats(budget: Budget) -> Iterator[str]:
    """Caveats that every reader of a figure must know, as sentences."""
    layer, radio = budget.protocol.layer, budget.parts.radio
    yield f"Left out: {budget.protocol.left_out}."
    if budget.duties.uncounted_windows:
        yield (
            f"Left out, too: the receive windows {', '.join(budget.duties.uncounted_windows)}; "
            f"{radio.id} has no symbols of LoRa."
        )
    if layer != "link":
        around = "" if radio.carrier is None else f"but for {radio.carrier.text}s a frame "
        yield (
            f"{budget.protocol.id} is of the {layer} layer: what lower layers put around its "
            f"packets is not counted, {around}".rstrip(", ")
            + "."
        )
    sent_s = budget.duties.transmissions * nominal(
        budget.parts.airtime_s(budget.packet.secure_bytes)
    )
    share = sent_s / budget.question.packet_period_s
    limit = radio.sending_share
    if limit is not None and share > limit.si:
        yield (
            f"The node sends for {format_percent(share)} of the time, more than the "
            f"{format_percent(limit.si)} that the band of {radio.id} allows "
            f"({radio.documents[limit.document]}, {limit.state}): a packet every "
            f"{format_seconds(sent_s / limit.si)} is the most."
        )
    elif share > _MUCH_AIR:
        yield f"The node sends for {format_percent(share)} of the time."
    if budget.parts.microcontroller.sleep is None:
        yield f"The sleep of {budget.parts.microcontroller.id} has no figure and is not counted."
    for sheet in (budget.protocol, *budget.parts.sheets):
        yield from sheet.notes


ROWS: Final = 10
"""Rows of the ranking that are shown."""
TIMES: Final = "\u00d7"


class ViewName(StrEnum):
    """Views of `joulemark budget --show`, by the question of a planner that each answers."""

    ANSWER = "answer"
    PAYLOADS = "payloads"
    BATTERY = "battery"
    TAG = "tag"
    EXCHANGE = "exchange"
    KEYS = "keys"
    ENGINE = "engine"
    CHANGES = "changes"


def nobody(budget: Budget) -> str:
    """The answer where no core cycles are known: the cost on the air alone."""
    protocol, core = budget.protocol, budget.parts.microcontroller.core
    mac_names = ", ".join(protocol.algorithms)
    air = joules(budget.air_only.air_j + budget.air_only.wake_j)
    answer = (
        f"no core cycles of {mac_names} on {core} are known; the bytes of security take {air} a "
        "packet on the air"
    )
    ours = counted_algorithms(protocol, core)
    if not ours:
        return f"{answer} (no kernel of firmware computes {mac_names})"
    if protocol.id in names(PacketProtocol):
        what = f"--for {protocol.id} --payload {budget.packet.payload_bytes}"
    else:
        what = f"{' '.join(ours)} --size {budget.packet.mac_input_bytes}"
    return f"{answer} ('joulemark bench {what} --target {target_of(core)}' counts core cycles)"
