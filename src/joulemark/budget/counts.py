# SPDX-License-Identifier: Apache-2.0
"""Core cycles on a core: from the store where firmware was run, else from the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from uncertainties import ufloat

from joulemark.budget.inputs import NORMAL_95, Number
from joulemark.budget.packets import Packet
from joulemark.catalogue.protocols import CoreCycles, names, sheet
from joulemark.records.figures import Evidence
from joulemark.records.sample import FirmwareCount
from joulemark.records.trial import KeySetup, Trial

# How often a MAC calls its primitive for a message, after the key's set-up.

CCM: Final = "ccm-aes128"
"""The construction over AES whose calls depend on more than the length of its input."""
CCM_CIPHER: Final = "aes128"
"""The cipher in whose blocks CCM is counted."""
CIPHER_BLOCK_BYTES: Final = 16

_SHA_PADDING: Final = 9
"""0x80 and a length of 8 bytes (FIPS 180-4, section 5.1.1)."""
_LONG_SHA_PADDING: Final = 17
"""The same with a length of 16 bytes (section 5.1.2)."""


def _up(length: int, block: int) -> int:
    return -(-length // block)


def _hmac(block: int, padding: int) -> Callable[[int], int]:
    """Counts the blocks of the inner hash and one of the outer (RFC 2104, midstates kept)."""
    return lambda length: _up(length + padding, block) + 1


def _blocks(block: int) -> Callable[[int], int]:
    """Counts every started block, and one for an empty message (SP 800-38B, section 6.2)."""
    return lambda length: max(_up(length, block), 1)


_HMAC_64: Final = _hmac(64, _SHA_PADDING)
_HMAC_128: Final = _hmac(128, _LONG_SHA_PADDING)
_BLOCKS_16: Final = _blocks(16)
_CALLS: Final[dict[str, tuple[Callable[[int], int], int]]] = {
    "hmac-md5": (_HMAC_64, 64),
    "hmac-sha1": (_HMAC_64, 64),
    "hmac-sha224": (_HMAC_64, 64),
    "hmac-sha256": (_HMAC_64, 64),
    "hmac-sha384": (_HMAC_128, 128),
    "hmac-sha512": (_HMAC_128, 128),
    "cmac-aes128": (_BLOCKS_16, 16),
    "cmac-aes256": (_BLOCKS_16, 16),
    "cbc-mac-aes128": (_BLOCKS_16, 16),
    "xcbc-aes128": (_BLOCKS_16, 16),
    "cmac-shacal1": (_blocks(20), 20),
    "chaskey-8": (_BLOCKS_16, 16),
    "chaskey-12": (_BLOCKS_16, 16),
    "chaskey-lts": (_BLOCKS_16, 16),
    "poly1305": (_BLOCKS_16, 16),
    "gmac-aes128": (_BLOCKS_16, 16),
    # 8 bytes a word, the last with the length (SipHash, section 2.1); 4 for HalfSipHash.
    "siphash-1-3": (lambda length: length // 8 + 1, 8),
    "siphash-2-4": (lambda length: length // 8 + 1, 8),
    "siphash-2-4-128": (lambda length: length // 8 + 1, 8),
    "halfsiphash-2-4": (lambda length: length // 4 + 1, 4),
    "halfsiphash-2-4-64": (lambda length: length // 4 + 1, 4),
    # A padding bit follows the message (Ascon-Mac v1.3); 32 bytes are absorbed at once.
    "ascon-mac": (lambda length: length // 32 + 1, 32),
    "ascon-prf": (lambda length: length // 32 + 1, 32),
    # The block of the key is done before (RFC 7693, section 2.9).
    "blake2s-mac": (_blocks(64), 64),
    "blake2b-mac": (_blocks(128), 128),
    "sha1": (lambda length: _up(length + _SHA_PADDING, 64), 64),
    "sha256": (lambda length: _up(length + _SHA_PADDING, 64), 64),
    "aes128": (_BLOCKS_16, 16),
    "shacal1": (_blocks(20), 20),
}
"""Algorithm -> calls by length in bytes, and the bytes of a step."""


def calls(algorithm: str, message_bytes: int) -> int | None:
    """Returns the calls of the primitive for a message; None if the table lacks the algorithm.

    Example:
        >>> [calls("hmac-sha1", size) for size in (0, 55, 56)]
        [2, 2, 3]
    """
    known = _CALLS.get(algorithm)
    return None if known is None else known[0](message_bytes)


def step_bytes(algorithm: str) -> int | None:
    """Returns the bytes of message between one call and the next; None as for `calls`."""
    known = _CALLS.get(algorithm)
    return None if known is None else known[1]


def packet_calls(algorithm: str, packet: Packet) -> int | None:
    """Returns the calls of the primitive for the tag of a packet; None as for `calls`."""
    if algorithm == CCM:
        return ccm_calls(packet.associated_bytes, packet.encrypted_bytes)
    return calls(algorithm, packet.mac_input_bytes)


def ccm_calls(associated_bytes: int, encrypted_bytes: int) -> int:
    """Returns the calls of AES for the tag of CCM (SP 800-38C, sections 6.2 and A.2).

    They are for the first block, the associated data behind their length of 2 bytes, the message,
    and the counter block that hides the tag. Counter blocks that encrypt the message do not count.
    """
    associated = _up(associated_bytes + 2, 16) if associated_bytes else 0
    return 1 + associated + _up(encrypted_bytes, 16) + 1


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
    by_name: dict[str, dict[int, tuple[int, FirmwareCount]]] = {}
    for run in store.runs():
        for trial, count in store.firmware_counts(run.id).items():
            workload = trial.workload
            if trial.target == target_of(core) and workload.key_setup is KeySetup.KEPT:
                by_size = by_name.setdefault(trial.implementation, {})
                by_size[workload.size_bytes] = (run.id, count)
    return [_series(name, by_size, spread) for name, by_size in sorted(by_name.items())]


def _series(
    name: str, by_size: Mapping[int, tuple[int, FirmwareCount]], spread: float
) -> CountSeries:
    run, newest = max(by_size.values(), key=lambda run_and_count: run_and_count[0])
    return CountSeries(
        implementation=name,
        counts={size: count.core_cycles for size, (_, count) in by_size.items()},
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
