# SPDX-License-Identifier: Apache-2.0
"""Hardware cores of a store, in cells: the cost of a message by the reports of a core.

The netlist of a CPU that ran firmware is such a core too; it computes what the firmware does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from joulemark.catalogue.vectors import blocks_of_message, calls
from joulemark.records.core_report import StoredCoreReport
from joulemark.units import format_hertz

PRIMITIVES: Final = {
    "cmac-aes128": "aes128",
    "cbc-mac-aes128": "aes128",
    "xcbc-aes128": "aes128",
    "ccm-aes128": "aes128",
    "hmac-sha256": "sha256",
    "hmac-sha1": "sha1",
}
"""MAC -> the primitive of it, which an engine may compute."""
BLOCK_J: Final = "energy_per_block_j"
BLOCK_CLOCKS: Final = "clocks_per_block"


@dataclass(frozen=True, slots=True)
class KnownCore:
    """A hardware core in cells, by its newest report for each length of messages.

    All reports are of one configuration, one library and one clock.
    """

    name: str
    """The core's name, and behind a colon that of its configuration unless it is the default; of
    the netlist of a CPU its target, as `gate:serv`."""
    reports: Mapping[int | None, StoredCoreReport]
    """Bytes of the messages of a report (None: unknown) -> the report; at least one, the newest
    last."""

    @property
    def newest(self) -> StoredCoreReport:
        """The report that was made last."""
        return list(self.reports.values())[-1]

    @property
    def algorithm(self) -> str:
        """The MAC or primitive that the core computes."""
        return self.newest.algorithm

    @property
    def firmware(self) -> str | None:
        """The implementation that ran on the netlist of a CPU; None for a core that is no CPU."""
        return self.newest.firmware

    @property
    def target(self) -> str:
        """The name among targets: `core:siphash`, `gate:serv`."""
        return self.name if self.firmware is not None else f"core:{self.name}"

    @property
    def idle_w(self) -> float | None:
        """Power between messages, with that of memories outside a netlist; None if unknown."""
        leakage_w = self.whole("leakage_w")
        if leakage_w is None:
            return None
        return leakage_w + self.newest.settings.get("memories_leakage_w", 0.0)

    @property
    def where(self) -> str:
        """Cell library and clock."""
        clock_hz = self.newest.settings.get("clock_hz")
        where = self.newest.device or "a library"
        return f"{where} at {format_hertz(clock_hz)}" if clock_hz else ""

    def whole(self, figure: str) -> float | None:
        """A figure of the whole core, such as its leakage, by the newest report."""
        value = self.newest.figures.get(figure)
        return None if value is None else float(value)

    def of_block(self, figure: str) -> float | None:
        """A figure of a block by the newest report that has it; None if none has."""
        costs = self._costs(figure)
        if not costs:
            return None
        blocks, cost = list(costs.values())[-1]
        return cost / blocks

    def cost(self, mac: str, message_bytes: int, figure: str) -> tuple[int, float] | None:
        """Blocks of a message, and the sum of a figure of a block over them.

        Args:
            mac: the MAC; the core computes it, or a primitive of it.
            message_bytes: length of the message; 0 or more.
            figure: a figure of a block in reports, such as `BLOCK_J`.

        Returns:
            None if the reports do not tell (`cost_of_message`).
        """
        if self.algorithm == mac:
            of_message = cost_of_message if self.firmware is None else cost_on_a_line
            return of_message(mac, message_bytes, self._costs(figure))
        of_block, wanted = self.of_block(figure), calls(mac, message_bytes)
        return None if of_block is None or wanted is None else (wanted, wanted * of_block)

    def memories_j(self, mac: str, message_bytes: int) -> float:
        """Joules of a message in memories outside a netlist; 0 where there is none.

        The arguments are those of `cost`.
        """
        costs = {
            report.message_bytes: (self._blocks(report), report.settings["memories_j"])
            for report in self.reports.values()
            if "memories_j" in report.settings
        }
        found = cost_on_a_line(mac, message_bytes, costs)
        return 0.0 if found is None else found[1]

    @staticmethod
    def _blocks(report: StoredCoreReport) -> int:
        return report.settings.get("workload", {}).get("blocks_per_message") or 1

    def _costs(self, figure: str) -> dict[int | None, tuple[int, float]]:
        """Bytes of a message -> its blocks and its sum of a figure, the newest report last."""
        costs = {}
        for report in self.reports.values():
            each, blocks = report.figures.get(figure), self._blocks(report)
            if each:
                costs[report.message_bytes] = (blocks, blocks * float(each))
        return costs


def known_cores(reports: Sequence[StoredCoreReport]) -> list[KnownCore]:
    """The cores of which these reports have figures in cells, the newest report last.

    Each configuration of a core counts as one, by its reports with the library, the clock and the
    wires of its newest one: figures of two libraries give no sum. A core with a memory outside it
    is left out: its figures lack the energy of the memory.
    """
    newest: dict[tuple[str, str | None], dict[int | None, StoredCoreReport]] = {}
    for report in reports:
        if report.target == "asic" and "outside_memory" not in report.settings:
            known = newest.setdefault((_name(report), report.firmware), {})
            if known and _conditions(report) != _conditions(next(iter(known.values()))):
                known.clear()
            known.pop(report.message_bytes, None)
            known[report.message_bytes] = report
    return [KnownCore(name, known) for (name, _), known in newest.items()]


def _name(report: StoredCoreReport) -> str:
    if report.configuration == "default" or report.firmware is not None:
        return report.core
    if report.configuration is not None:
        return f"{report.core}:{report.configuration}"
    values = ", ".join(f"{name}={value}" for name, value in sorted(report.parameters.items()))
    return f"{report.core} ({values})" if values else report.core


def _conditions(report: StoredCoreReport) -> tuple[str | float | None, ...]:
    settings = report.settings
    return (
        report.device,
        settings.get("clock_hz"),
        settings.get("voltage_v"),
        settings.get("wire_model"),
        settings.get("layout"),
        settings.get("mapping"),
        settings.get("sources_sha256"),
    )


def cores_for(mac: str, cores: Sequence[KnownCore]) -> list[KnownCore]:
    """The circuits that compute a MAC; those of its primitive if there is none of the MAC."""
    circuits = [core for core in cores if core.firmware is None]
    own = [core for core in circuits if core.algorithm == mac]
    return own or [core for core in circuits if core.algorithm == PRIMITIVES.get(mac)]


def engines_for(mac: str, cores: Sequence[KnownCore], target: str) -> list[KnownCore]:
    """The circuits and netlists of this name among targets that compute a MAC or its primitive."""
    serving = {mac, PRIMITIVES.get(mac)}
    return [core for core in cores if core.target == target and core.algorithm in serving]


def netlists_for(mac: str, cores: Sequence[KnownCore]) -> list[KnownCore]:
    """The netlists of CPUs that ran firmware of a MAC."""
    return [core for core in cores if core.firmware is not None and core.algorithm == mac]


@runtime_checkable
class CoreStore(Protocol):
    """A store that keeps reports of cores."""

    def core_reports(self) -> list[StoredCoreReport]:
        """Every report, the newest last."""
        ...


def stored_cores(store: object) -> list[KnownCore]:
    """The cores of a store; none if it keeps no reports of cores."""
    return known_cores(store.core_reports()) if isinstance(store, CoreStore) else []


_EVEN: Final = ("hmac-", "cmac-", "cbc-mac-", "xcbc-")
"""Begins of the names of MACs whose blocks all take the same; others begin or end a message with
work that is no block."""


def cost_of_message(
    mac: str, message_bytes: int, costs: Mapping[int | None, tuple[int, float]]
) -> tuple[int, float] | None:
    """Blocks and cost of a message in a circuit; None if the known costs do not tell.

    A message of the same length tells. Where all blocks take the same, a message of any length
    does; otherwise two do, as in `cost_on_a_line`.

    Args:
        mac: the algorithm of the core.
        message_bytes: length of the message; 0 or more.
        costs: bytes of a message (None: unknown) -> its blocks, at least 1, and its cost in any
            unit, such as joules or clocks.
    """
    if message_bytes in costs or not mac.startswith(_EVEN):
        return cost_on_a_line(mac, message_bytes, costs)
    wanted = _wanted_blocks(mac, message_bytes, costs)
    if not wanted:
        return None
    blocks, asked = list(wanted.items())[-1]
    return asked, dict(costs.values())[blocks] / blocks * asked


def cost_on_a_line(
    mac: str, message_bytes: int, costs: Mapping[int | None, tuple[int, float]]
) -> tuple[int, float] | None:
    """The same by a message of the same length, or by two with different numbers of blocks.

    Two tell on a line as long as it is above 0. The arguments are those of `cost_of_message`.
    """
    if message_bytes in costs:
        return costs[message_bytes]
    wanted, by_blocks = _wanted_blocks(mac, message_bytes, costs), dict(costs.values())
    if len(wanted) < 2:
        return None
    fewest, most = min(wanted), max(wanted)
    slope = (by_blocks[most] - by_blocks[fewest]) / (most - fewest)
    asked = wanted[fewest]
    cost = by_blocks[fewest] + slope * (asked - fewest)
    return (asked, cost) if cost > 0 else None


def _wanted_blocks(
    mac: str, message_bytes: int, costs: Mapping[int | None, tuple[int, float]]
) -> dict[int, int]:
    """Blocks of a known message -> those of the message by it, where they are known.

    Where all blocks take the same, a report that does not say its length tells too.
    """
    wanted: dict[int, int] = {}
    for known, (blocks, _) in costs.items():
        workload = {"message_bytes": known, "blocks_per_message": blocks}
        found = blocks_of_message(mac, message_bytes, workload)
        if known is None and mac.startswith(_EVEN):
            found = calls(mac, message_bytes)
        if found is not None:
            wanted[blocks] = found
    return wanted
