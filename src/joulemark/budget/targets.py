# SPDX-License-Identifier: Apache-2.0
"""One MAC and one message on each kind of target: time, joules, and joules at a rate.

Firmware comes from the data sheets and the counts of the catalogue, hardware cores from the reports
of a store. The host and the netlists of CPUs are measured and simulated elsewhere, and are rows of
the same form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from joulemark.budget import BoundedFigure, Inputs, Number, interval, nominal
from joulemark.budget.counts import FirmwareStore, fewest_cycles, known_series
from joulemark.budget.engines import PRIMITIVES, cost_of_message
from joulemark.budget.parts import mode_w
from joulemark.catalogue.nodes import Microcontroller
from joulemark.catalogue.protocols import names, sheet
from joulemark.catalogue.vectors import calls
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

    def joules_every(self, period_s: float) -> float | None:
        """Joules of a message and of waiting for the next; None if either is unknown.

        Args:
            period_s: seconds from one message to the next; above 0. A target that takes longer
                than that for a message cannot serve the rate, and has no figure.
        """
        wait_s = period_s - self.seconds.value
        if self.joules is None or self.idle_w is None or wait_s < 0:
            return None
        return self.joules.value + self.idle_w * wait_s


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
                clock_hz=nominal(clock_hz),
                core_cycles=nominal(found.number),
                seconds=interval(seconds),
                time_evidence=found.evidence,
                joules=interval(joules),
                energy_evidence=Evidence.MODELLED,
                idle_w=None if asleep is None else nominal(asleep),
                source=f"core cycles: {found.source}; currents: data sheets",
            )
        )
    return rows


def core_rows(
    mac: str, message_bytes: int, reports: Sequence[StoredCoreReport]
) -> Iterator[TargetRow]:
    """Hardware cores of the MAC by their newest reports in cells; else cores of its primitive.

    A core whose reports do not tell the cost of such a message has no row (`cost_of_message`), and
    a core with a memory outside it neither: its figures lack the energy of the memory.
    """
    newest: dict[str, dict[int | None, StoredCoreReport]] = {}
    for report in reports:
        if report.target == "asic" and "outside_memory" not in report.settings:
            newest.setdefault(report.core, {})[report.message_bytes] = report
    has_own = any(report.algorithm == mac for known in newest.values() for report in known.values())
    for known in newest.values():
        *_, last = known.values()
        if last.algorithm == (mac if has_own else PRIMITIVES.get(mac)):
            clocks, joules, low, high = (
                _cost(mac, message_bytes, known, figure, own=has_own)
                for figure in ("clocks_per_block", *_ENERGIES)
            )
            clock_hz = last.settings.get("clock_hz")
            if clocks is not None and clock_hz:
                yield _core_row(last, clocks, joules, low or joules, high or joules, clock_hz)


_ENERGIES: Final = (
    "energy_per_block_j",
    "energy_per_block_lowest_j",
    "energy_per_block_highest_j",
)


def _cost(
    mac: str,
    message_bytes: int,
    known: Mapping[int | None, StoredCoreReport],
    figure: str,
    *,
    own: bool,
) -> float | None:
    costs: dict[int | None, tuple[int, float]] = {}
    for length, report in known.items():
        each = report.figures.get(figure)
        if each is not None:
            blocks = report.settings.get("workload", {}).get("blocks_per_message") or 1
            costs[length] = (blocks, blocks * float(each))
    if own:
        found = cost_of_message(mac, message_bytes, costs)
        return None if found is None else found[1]
    wanted = calls(mac, message_bytes)
    if not costs or wanted is None:
        return None
    blocks, cost = next(reversed(costs.values()))
    return wanted * cost / blocks


def _core_row(
    report: StoredCoreReport,
    clocks: float,
    joules: float | None,
    low: float | None,
    high: float | None,
    clock_hz: float,
) -> TargetRow:
    leakage_w, area_ge = (report.figures.get(name) for name in ("leakage_w", "area_ge"))
    energy = None
    if joules is not None and low is not None and high is not None:
        energy = BoundedFigure(joules, low, high)
    return TargetRow(
        target=f"core:{report.core}",
        title=report.title or report.core,
        implementation=report.configuration or "default",
        clock_hz=clock_hz,
        core_cycles=clocks,
        seconds=BoundedFigure(*3 * (clocks / clock_hz,)),
        time_evidence=Evidence.SIMULATED,
        joules=energy,
        energy_evidence=None if energy is None else Evidence.MODELLED,
        idle_w=None if leakage_w is None else float(leakage_w),
        area_ge=None if area_ge is None else float(area_ge),
        reason="" if energy is not None else report.reasons.get("energy_per_block_j", "unknown"),
        source=f"report of {report.made_at[:10]}, {report.device or 'a cell library'}",
    )
