# SPDX-License-Identifier: Apache-2.0
"""Core cycles on a core: from the store where firmware was run, else from the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Final, Protocol

from uncertainties import ufloat

from joulemark.budget import NORMAL_95, Number, nominal
from joulemark.budget.packets import Packet
from joulemark.catalogue.protocols import CoreCycles, names, sheet
from joulemark.catalogue.vectors import calls, ccm_calls
from joulemark.records.figures import Evidence
from joulemark.records.sample import FirmwareCount
from joulemark.records.trial import KeySetup, Trial

# How often the MAC of a packet calls its primitive.

CCM: Final = "ccm-aes128"
"""The construction over AES whose calls depend on more than the length of its input."""
CCM_CIPHER: Final = "aes128"
"""The cipher in whose blocks CCM is counted."""
CIPHER_BLOCK_BYTES: Final = 16


def packet_calls(algorithm: str, packet: Packet) -> int | None:
    """Returns the calls of the primitive for the tag of a packet; None as for `calls`."""
    if algorithm == CCM:
        return ccm_calls(packet.associated_bytes, packet.encrypted_bytes)
    return calls(algorithm, packet.mac_input_bytes)


# Core cycles of a MAC over a message of any length, from counts at some lengths.


@dataclass(frozen=True, slots=True)
class CountSeries:
    """Counts of one implementation on one core, after the key's set-up."""

    implementation: str
    """`algorithm/variant`."""
    counts: Mapping[int, int]
    """Bytes of a message -> core cycles; at least one count."""
    step_core_cycles: int | None
    """Core cycles of one more call of the primitive; None if they were not counted alone."""
    evidence: Evidence
    source: str
    """Where the counts come from, in words."""
    spread: float = 0.0
    """Half of the 95 % interval over a count."""
    key_core_cycles: int | None = None
    """Core cycles of the key's set-up; None if they were not counted."""
    key_state_bytes: int | None = None
    run: int | None = None
    """Number of the run in the store that has the counts; None if the catalogue has them."""
    shipped: CountSeries | None = None
    """Counts of the catalogue for the same implementation, for lengths that these do not tell."""

    @property
    def algorithm(self) -> str:
        """The first part of the implementation's name."""
        return self.implementation.partition("/")[0]

    @property
    def variant(self) -> str:
        """The second part of the implementation's name."""
        return self.implementation.partition("/")[2]

    def serves(self, implementation: str) -> bool:
        """Whether the core cycles of an implementation come from these counts."""
        algorithm, _, variant = implementation.partition("/")
        cipher = CCM_CIPHER if algorithm == CCM else algorithm
        return self.implementation in {implementation, f"{cipher}/{variant}"}

    @property
    def step(self) -> float | None:
        """Core cycles of one more call of the primitive; None if the counts do not tell them.

        If the source does not state them, they are the slope between the fewest and the most calls
        that were counted.
        """
        if self.step_core_cycles is not None:
            return self.step_core_cycles
        by_calls = self.by_calls
        if len(by_calls) < 2:
            return None
        fewest, *_, most = sorted(by_calls)
        return (by_calls[most] - by_calls[fewest]) / (most - fewest)

    @property
    def by_calls(self) -> dict[int, int]:
        """Calls of the primitive -> core cycles of the longest message that takes so many."""
        counted = ((calls(self.algorithm, size), self.counts[size]) for size in sorted(self.counts))
        return {number: cycles for number, cycles in counted if number is not None}

    @property
    def block_alone(self) -> int | None:
        """Core cycles of a cipher's block that waits for the one before it; None if not counted."""
        return self.step_core_cycles or self.counts.get(CIPHER_BLOCK_BYTES)


@dataclass(frozen=True, slots=True)
class Cycles:
    """Core cycles of one tag."""

    number: Number
    """Core cycles, with the uncertainty of their source."""
    evidence: Evidence
    """Modelled, or published, if the length of the message was not counted itself."""
    series: CountSeries
    """The counts that the number rests on, under the name of the implementation."""

    @property
    def implementation(self) -> str:
        """`algorithm/variant`."""
        return self.series.implementation

    @property
    def algorithm(self) -> str:
        """The first part of the implementation's name."""
        return self.series.algorithm

    @property
    def source(self) -> str:
        """Where the counts come from, in words."""
        return self.series.source


def series_of_sheet(sheet: CoreCycles) -> list[CountSeries]:
    """Returns the counts of a file of the catalogue, a series for each implementation."""
    by_name: dict[str, CountSeries] = {}
    for count in sheet.count:
        name = f"{count.algorithm}/{count.variant}"
        document = count.document or sheet.document
        before = by_name.get(name) or CountSeries(name, {}, None, sheet.evidence, "")
        by_name[name] = CountSeries(
            implementation=name,
            counts={**before.counts, count.message_bytes: count.core_cycles},
            step_core_cycles=count.step_core_cycles or before.step_core_cycles,
            evidence=count.evidence or sheet.evidence,
            source=sheet.documents.get(document, document),
            spread=sheet.spread,
            key_core_cycles=count.key_core_cycles or before.key_core_cycles,
            key_state_bytes=count.key_state_bytes or before.key_state_bytes,
        )
    return [*by_name.values()]


def _at(series: CountSeries, wanted: int) -> float | None:
    """Returns the core cycles for a number of calls; None if the counts do not tell them."""
    by_calls = series.by_calls
    if wanted in by_calls:
        return by_calls[wanted]
    near = sorted(by_calls, key=lambda by_call: abs(by_call - wanted))
    slope: float | None = series.step_core_cycles
    if slope is None and len(near) > 1:
        slope = (by_calls[near[1]] - by_calls[near[0]]) / (near[1] - near[0])
    if slope is None:
        return None
    return by_calls[near[0]] + (wanted - near[0]) * slope


def cycles_of(series: CountSeries, message_bytes: int, times: int = 1) -> Cycles | None:
    """Returns the core cycles of computing a tag so many times; None if the counts do not tell.

    `message_bytes` is 0 or more. Where counts of a store do not tell, those of the catalogue do.
    """
    exact = series.counts.get(message_bytes)
    if exact is not None:
        return _cycles(series, exact, times, counted=True)
    known = calls(series.algorithm, message_bytes)
    number = None if known is None else _at(series, known)
    if number is not None:
        return _cycles(series, number, times)
    return None if series.shipped is None else cycles_of(series.shipped, message_bytes, times)


def fewest_cycles(
    known: Iterable[CountSeries], algorithm: str, message_bytes: int
) -> Cycles | None:
    """Returns the core cycles of the implementation that takes fewest; None if no count tells."""
    found = (cycles_of(series, message_bytes) for series in known if series.algorithm == algorithm)
    return min(filter(None, found), key=lambda cycles: nominal(cycles.number), default=None)


def ccm_cycles(series: Iterable[CountSeries], packet: Packet, times: int = 1) -> list[Cycles]:
    """Returns the core cycles of computing the tag of CCM so many times, by each AES in the series.

    CCM is counted in blocks of AES; its mode costs nothing more here.
    """
    blocks = ccm_calls(packet.associated_bytes, packet.encrypted_bytes)
    cycles = []
    for stored in series:
        count_series = stored
        if stored.block_alone is None and stored.shipped is not None:
            count_series = stored.shipped
        block = count_series.block_alone
        if count_series.algorithm == CCM_CIPHER and block is not None:
            name = f"{CCM}/{count_series.variant}"
            alone = replace(count_series, implementation=name, step_core_cycles=block)
            cycles.append(_cycles(alone, blocks * block, times))
    return cycles


def _cycles(series: CountSeries, number: float, times: int, *, counted: bool = False) -> Cycles:
    name = series.implementation
    deviation = times * number * series.spread / NORMAL_95
    evidence = series.evidence
    if not counted and evidence is not Evidence.PUBLISHED:
        evidence = Evidence.MODELLED
    cycles = ufloat(times * number, deviation, name) if deviation else float(times * number)
    return Cycles(cycles, evidence, series)


class NumberedRun(Protocol):
    """A run of a store, of which the number alone is needed here."""

    @property
    def id(self) -> int:
        """The number of the run."""
        ...


class FirmwareStore(Protocol):
    """A store that keeps counts of firmware."""

    def runs(self) -> Sequence[NumberedRun]:
        """Every run, oldest first."""
        ...

    def firmware_counts(self, run_id: int) -> Mapping[Trial, FirmwareCount]:
        """The counts of a run by trial."""
        ...


def target_of(core: str) -> str:
    """Returns the target of `joulemark bench` that runs firmware on a core."""
    return f"mcu:{core}"


def stored_series(store: FirmwareStore, core: str) -> list[CountSeries]:
    """Returns the counts of a core from the newest runs, a series for each implementation.

    The core is the name of a target without `mcu:`.
    """
    spread = sheet(CoreCycles, core).spread if core in names(CoreCycles) else 0.0
    by_name: dict[str, dict[int, tuple[int, int, FirmwareCount]]] = {}
    for place, run in enumerate(store.runs()):
        for trial, count in store.firmware_counts(run.id).items():
            workload = trial.workload
            if trial.target == target_of(core) and workload.key_setup is KeySetup.KEPT:
                by_size = by_name.setdefault(trial.implementation, {})
                by_size[workload.size_bytes] = (place, run.id, count)
    return [_series(name, by_size, spread) for name, by_size in sorted(by_name.items())]


def _series(
    name: str, by_size: Mapping[int, tuple[int, int, FirmwareCount]], spread: float
) -> CountSeries:
    _, run, newest = max(by_size.values(), key=itemgetter(0))
    return CountSeries(
        implementation=name,
        counts={size: count.core_cycles for size, (_, _, count) in by_size.items()},
        step_core_cycles=None,
        evidence=Evidence(newest.evidence),
        source=f"run {run} of the store: {newest.simulator}, {newest.compiler}",
        spread=spread,
        key_core_cycles=newest.key_core_cycles,
        key_state_bytes=newest.state_bytes,
        run=run,
    )


def known_series(core: str, store: FirmwareStore | None = None) -> list[CountSeries]:
    """Returns all counts that are known of a core.

    The core is a file in `catalogue/core_cycles`, or a target without `mcu:`. The catalogue fills
    what the store, if any, lacks: an implementation without counts in the store has the shipped
    ones, and an implementation with counts has the shipped ones for lengths that its own do not
    tell.
    """
    shipped = {series.implementation: series for series in shipped_series(core)}
    stored = stored_series(store, core) if store is not None else []
    filled = [
        replace(series, shipped=shipped.pop(series.implementation, None)) for series in stored
    ]
    return [*filled, *shipped.values()]


def shipped_cores() -> Sequence[str]:
    """Returns the cores that the catalogue has counts of."""
    return names(CoreCycles)


def shipped_series(core: str) -> list[CountSeries]:
    """Returns the counts of the catalogue; none for a core that the catalogue lacks."""
    return series_of_sheet(sheet(CoreCycles, core)) if core in names(CoreCycles) else []
