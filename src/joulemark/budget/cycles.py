# SPDX-License-Identifier: Apache-2.0
"""Core cycles of a MAC over a message of any length, from counts at some lengths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from uncertainties import ufloat

from joulemark.budget.calls import calls, ccm_calls
from joulemark.budget.inputs import Number
from joulemark.budget.packets import Packet
from joulemark.catalogue.planning.core_cycles import CoreCycles
from joulemark.records.evidence import Evidence

__all__ = ["Cycles", "Series", "ccm_cycles", "cycles_of", "series_of_sheet"]

_NORMAL_95: Final = 1.96
_BLOCK_CIPHER: Final = {"ccm-aes128": "aes128"}
"""Construction -> the cipher whose blocks it is counted in."""
_CIPHER_BLOCK_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class Series:
    """Counts of one implementation on one core, the key's set-up done before."""

    implementation: str
    """`algorithm/variant`."""
    counts: Mapping[int, int]
    """Bytes of a message -> core cycles; one count at least."""
    step_core_cycles: int | None
    """Of one more call of the primitive, where it was counted alone."""
    evidence: Evidence
    source: str
    """Whose counts, in words."""
    spread: float = 0.0
    """Half of the 95 % interval over a count."""
    key_core_cycles: int | None = None
    key_state_bytes: int | None = None
    run: int | None = None
    """Of the store, which has the counts; None: the catalogue has them."""

    @property
    def algorithm(self) -> str:
        """Its first part."""
        return self.implementation.partition("/")[0]

    @property
    def variant(self) -> str:
        """Its second part."""
        return self.implementation.partition("/")[2]

    def serves(self, implementation: str) -> bool:
        """Whether the core cycles of an implementation come from these counts."""
        algorithm, _, variant = implementation.partition("/")
        cipher = _BLOCK_CIPHER.get(algorithm, algorithm)
        return self.implementation in {implementation, f"{cipher}/{variant}"}

    @property
    def step(self) -> float | None:
        """Core cycles of one more call of the primitive; None where the counts do not tell.

        That of the source, else the slope between the fewest and the most calls that were counted.
        """
        if self.step_core_cycles is not None:
            return self.step_core_cycles
        by_calls = _by_calls(self, lambda size: calls(self.algorithm, size))
        if len(by_calls) < 2:
            return None
        fewest, *_, most = sorted(by_calls)
        return (by_calls[most] - by_calls[fewest]) / (most - fewest)

    @property
    def block_alone(self) -> int | None:
        """Core cycles of a cipher's block that waits for the one before it; None if not counted."""
        return self.step_core_cycles or self.counts.get(_CIPHER_BLOCK_BYTES)


@dataclass(frozen=True, slots=True)
class Cycles:
    """Core cycles of one tag."""

    implementation: str
    number: Number
    """With the uncertainty of its source."""
    evidence: Evidence
    """Modelled where it is no count of that very length."""
    source: str
    series: Series

    @property
    def algorithm(self) -> str:
        """Of the implementation."""
        return self.implementation.partition("/")[0]


def series_of_sheet(sheet: CoreCycles) -> list[Series]:
    """The counts of a file of the catalogue, an entry for each implementation."""
    found: dict[str, Series] = {}
    for count in sheet.count:
        name = f"{count.algorithm}/{count.variant}"
        document = count.document or sheet.document
        source = sheet.documents.get(document, document)
        before = found.get(name)
        counts = {**(before.counts if before else {}), count.message_bytes: count.core_cycles}
        found[name] = Series(
            implementation=name,
            counts=counts,
            step_core_cycles=count.step_core_cycles
            or (before.step_core_cycles if before else None),
            evidence=count.evidence or sheet.evidence,
            source=source,
            spread=sheet.spread,
            key_core_cycles=count.key_core_cycles or (before.key_core_cycles if before else None),
            key_state_bytes=count.key_state_bytes or (before.key_state_bytes if before else None),
        )
    return [*found.values()]


def _by_calls(series: Series, calls_of: Callable[[int], int | None]) -> dict[int, int]:
    """Calls of the primitive -> core cycles of the longest message that takes so many."""
    counts = sorted(series.counts.items())
    found = [(calls_of(size), cycles) for size, cycles in counts]
    return {number: cycles for number, cycles in found if number is not None}


def _at(series: Series, wanted: int, calls_of: Callable[[int], int | None]) -> float | None:
    """Core cycles for a number of calls; None if nothing tells."""
    by_calls = _by_calls(series, calls_of)
    if wanted in by_calls:
        return by_calls[wanted]
    near = sorted(by_calls, key=lambda by_call: abs(by_call - wanted))
    slope: float | None = series.step_core_cycles
    if slope is None and len(near) > 1:
        slope = (by_calls[near[1]] - by_calls[near[0]]) / (near[1] - near[0])
    if slope is None:
        return None
    return by_calls[near[0]] + (wanted - near[0]) * slope


def cycles_of(series: Series, message_bytes: int, times: int = 1) -> Cycles | None:
    """Core cycles of a message.

    Args:
        series: counts of an implementation.
        message_bytes: 0 or more.
        times: how often it is computed.

    Returns:
        None where the counts say nothing of this length.
    """
    algorithm = series.algorithm
    exact = series.counts.get(message_bytes)
    known = calls(algorithm, message_bytes)
    if exact is not None:
        return _cycles(series, series.implementation, exact, True, times)
    if known is None:
        return None
    found = _at(series, known, lambda size: calls(algorithm, size))
    return None if found is None else _cycles(series, series.implementation, found, False, times)


def ccm_cycles(series: Iterable[Series], packet: Packet, times: int = 1) -> list[Cycles]:
    """The same of CCM, in blocks of each AES that was counted; its mode costs nothing more here."""
    blocks = ccm_calls(packet.associated_bytes, packet.encrypted_bytes)
    found = []
    for count_series in series:
        block = count_series.block_alone
        if count_series.algorithm == _BLOCK_CIPHER["ccm-aes128"] and block is not None:
            alone = replace(count_series, step_core_cycles=block)
            number = blocks * block
            found.append(_cycles(alone, f"ccm-aes128/{count_series.variant}", number, False, times))
    return found


def _cycles(series: Series, name: str, number: float, counted: bool, times: int) -> Cycles:
    deviation = times * number * series.spread / _NORMAL_95
    evidence = series.evidence
    if not counted and evidence is not Evidence.PUBLISHED:
        evidence = Evidence.MODELLED
    return Cycles(
        implementation=name,
        number=ufloat(times * number, deviation, name) if deviation else float(times * number),
        evidence=evidence,
        source=series.source,
        series=series if name == series.implementation else replace(series, implementation=name),
    )
