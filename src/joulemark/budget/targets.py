# SPDX-License-Identifier: Apache-2.0
"""One MAC and one message on each kind of target: time, joules, and joules at a rate.

Firmware comes from the data sheets and the counts of the catalogue, hardware cores from the reports
of a store. The host and the netlists of CPUs are measured and simulated elsewhere, and are rows of
the same form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from joulemark.budget import BoundedFigure, Inputs, Number, interval, nominal
from joulemark.budget.cores import BLOCK_CLOCKS, BLOCK_J, KnownCore, cores_for, netlists_for
from joulemark.budget.counts import FirmwareStore, fewest_cycles, known_series
from joulemark.budget.parts import mode_w
from joulemark.catalogue.nodes import Microcontroller
from joulemark.catalogue.protocols import names, sheet
from joulemark.records.core_report import StoredCoreReport
from joulemark.records.figures import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRow:
    """One MAC of one message on one target."""

    target: str
    """`host`, or a name behind its kind: `mcu:nrf52840`, `gate:serv`, `core:siphash`."""
    title: str
    """The processor, chip or core in words."""
    implementation: str
    """Code, or the core."""
    message_bytes: int
    clock_hz: float | None
    """The clock to which time and joules belong; None if it moves."""
    core_cycles: float | None
    """Core cycles of software, clocks of a hardware core; None if they were not counted."""
    seconds: BoundedFigure
    time_evidence: Evidence
    joules: BoundedFigure | None
    """Energy of the message on the processor or core, without memories outside it."""
    energy_evidence: Evidence | None
    memory_j: float | None = None
    """Joules of memories outside the processor, beside `joules`."""
    idle_w: float | None = None
    """Power between messages: asleep on a microcontroller, leakage of cells; None if unknown."""
    area_ge: float | None = None
    reason: str = ""
    """Why there are no joules."""
    source: str = ""
    """What the figures rest on."""

    @property
    def kind(self) -> str:
        """`host`, `mcu`, `gate` or `core`."""
        return self.target.partition(":")[0]

    def energy_j(self, period_s: float | None) -> float | None:
        """Joules of a message, or with a period those of `joules_every`; None if unknown."""
        if period_s is not None:
            return self.joules_every(period_s)
        return None if self.joules is None else self.joules.value

    def joules_every(self, period_s: float) -> float | None:
        """Joules of a message and of waiting for the next; None if either is unknown.

        Args:
            period_s: seconds from one message to the next; above 0. A target that takes longer
                than that for a message cannot serve the rate, and has no figure.
        """
        if self.joules is None or self.idle_w is None or self.why_not_every(period_s):
            return None
        return self.joules.value + self.idle_w * (period_s - self.seconds.value)

    def why_not_every(self, period_s: float) -> str:
        """Why `joules_every` has no figure, in words; empty if it has one."""
        if self.seconds.value > period_s:
            return "a message takes longer"
        if self.joules is None:
            return "the joules of a message are unknown"
        return "the power between messages is unknown" if self.idle_w is None else ""


def microcontroller_rows(
    mac: str, message_bytes: int, store: FirmwareStore | None = None
) -> list[TargetRow]:
    """Firmware on every microcontroller of the catalogue whose core has counts of the MAC.

    Of each chip the implementation with fewest core cycles, in the chip's usual mode.
    """
    rows = []
    for name in names(Microcontroller):
        chip = sheet(Microcontroller, name)
        found = fewest_cycles(known_series(chip.core, store), mac, message_bytes)
        if found is None:
            continue
        inputs = Inputs()
        mode, active = next(iter(chip.active.items()))
        assert active.clock is not None  # the sheet was checked for it
        clock_hz = inputs.take(chip, f"active.{mode}.clock", active.clock)
        seconds: Number = found.number / clock_hz
        joules: Number = seconds * mode_w(inputs, chip, f"active.{mode}", active)
        asleep = None if chip.sleep is None else mode_w(inputs, chip, "sleep", chip.sleep)
        rows.append(
            TargetRow(
                target=f"mcu:{name}",
                title=chip.title,
                implementation=found.implementation,
                message_bytes=message_bytes,
                clock_hz=nominal(clock_hz),
                core_cycles=nominal(found.number),
                seconds=interval(seconds),
                time_evidence=found.evidence,
                joules=interval(joules),
                energy_evidence=Evidence.MODELLED,
                idle_w=None if asleep is None else nominal(asleep),
                source=f"core cycles {found.evidence.value}: {found.source}; currents: data sheets",
            )
        )
    return rows


def core_rows(mac: str, message_bytes: int, cores: Sequence[KnownCore]) -> Iterator[TargetRow]:
    """Hardware cores of the MAC by their reports in cells; else cores of its primitive.

    A core whose reports do not tell the cost of such a message has no row.
    """
    for core in cores_for(mac, cores):
        clock_hz = core.newest.settings.get("clock_hz")
        clocks = core.cost(mac, message_bytes, BLOCK_CLOCKS)
        if clocks is not None and clock_hz:
            joules = _joules(core, mac, message_bytes)
            yield _core_row(core, message_bytes, clocks[1], joules, clock_hz)


def netlist_rows(mac: str, message_bytes: int, cores: Sequence[KnownCore]) -> list[TargetRow]:
    """Each CPU as a netlist that ran firmware of the MAC on a message of this very length.

    Of several implementations the one that takes least; a report without joules does not count.
    """
    least: dict[str, tuple[float, TargetRow]] = {}
    for core in netlists_for(mac, cores):
        clock_hz = core.newest.settings.get("clock_hz")
        clocks = core.cost(mac, message_bytes, BLOCK_CLOCKS)
        joules = _joules(core, mac, message_bytes)
        if message_bytes not in core.reports or not clock_hz or clocks is None or joules is None:
            continue
        row = replace(
            _core_row(core, message_bytes, clocks[1], joules, clock_hz),
            implementation=core.firmware or "",
            source=_netlist_source(core.reports[message_bytes]),
            memory_j=core.memories_j(mac, message_bytes),
        )
        if core.name not in least or joules.value < least[core.name][0]:
            least[core.name] = joules.value, row
    return [row for _, row in least.values()]


def _netlist_source(report: StoredCoreReport) -> str:
    """What the figures of a netlist rest on."""
    mappings = report.figures.get("mappings")
    of_mappings = "one mapping" if mappings == 1 else f"{mappings} mappings"
    made = f"report of {report.made_at[:10]}, {report.device}, {of_mappings}"
    return f"{made}; glitches: {report.settings.get('glitches', 'unknown')}"


def _joules(core: KnownCore, mac: str, message_bytes: int) -> BoundedFigure | None:
    """Joules of a message over the mappings of a core; None if no report tells them."""
    median, low, high = (
        core.cost(mac, message_bytes, figure)
        for figure in (BLOCK_J, "energy_per_block_lowest_j", "energy_per_block_highest_j")
    )
    if median is None:
        return None
    return BoundedFigure(median[1], (low or median)[1], (high or median)[1])


def _core_row(
    core: KnownCore,
    message_bytes: int,
    clocks: float,
    joules: BoundedFigure | None,
    clock_hz: float,
) -> TargetRow:
    report = core.newest
    return TargetRow(
        target=core.target,
        title=report.title or core.name,
        implementation=report.configuration or "default",
        message_bytes=message_bytes,
        clock_hz=clock_hz,
        core_cycles=clocks,
        seconds=BoundedFigure(*3 * (clocks / clock_hz,)),
        time_evidence=Evidence.SIMULATED,
        joules=joules,
        energy_evidence=None if joules is None else Evidence.MODELLED,
        idle_w=core.whole("leakage_w"),
        area_ge=core.whole("area_ge"),
        reason="" if joules is not None else report.reasons.get(BLOCK_J, "unknown"),
        source=f"report of {report.made_at[:10]}, {report.device or 'a cell library'}",
    )


# Energy against the length of the message: which targets lead, and where two change places.


@dataclass(frozen=True, slots=True)
class CrossOver:
    """Two targets of which one takes less for shorter messages, the other for longer ones."""

    shorter: str
    """The target that takes less at `last_bytes`, and from the pair's earlier cross-over on."""
    longer: str
    """The target that takes less from `first_bytes` on, up to the pair's next cross-over."""
    last_bytes: int
    first_bytes: int
    """The next length that was compared at which the two differ."""


def joules_by_length(
    rows: Sequence[TargetRow], period_s: float | None = None
) -> dict[str, dict[int, float]]:
    """Target -> bytes of a message -> `energy_j`, the shortest message first."""
    curves: dict[str, dict[int, float]] = {}
    for row in sorted(rows, key=lambda row: row.message_bytes):
        joules = row.energy_j(period_s)
        if joules is not None:
            curves.setdefault(row.target, {})[row.message_bytes] = joules
    return curves


def leaders(rows: Sequence[TargetRow], period_s: float | None = None) -> list[str]:
    """The targets that take least `energy_j` of their kind at one length at least."""
    least: dict[tuple[str, int], tuple[float, str]] = {}
    for row in rows:
        joules = row.energy_j(period_s)
        if joules is not None:
            place = (row.kind, row.message_bytes)
            mine = (joules, row.target)
            least[place] = min(mine, least.get(place, mine))
    return list(dict.fromkeys(target for _, target in least.values()))


def cross_overs(
    curves: Mapping[str, Mapping[int, float]], targets: Sequence[str]
) -> list[CrossOver]:
    """Every pair of these targets, and each two lengths between which they change places.

    Lengths at which both take the same are passed over: who led before them and who leads behind
    them decides. A pair has several cross-overs, the shortest lengths first, if it changes places
    several times.

    Args:
        curves: as from `joules_by_length`; a pair is compared at the lengths that both have.
        targets: names in `curves`.
    """
    found = []
    for one, other in combinations(targets, 2):
        led: tuple[str, str] | None = None
        last_bytes = 0
        for length in curves[one]:
            if length not in curves[other] or curves[one][length] == curves[other][length]:
                continue
            leads = (one, other) if curves[one][length] < curves[other][length] else (other, one)
            if led is not None and led != leads:
                found.append(CrossOver(*led, last_bytes, length))
            led, last_bytes = leads, length
    return found
