# SPDX-License-Identifier: Apache-2.0
"""The powers and energies of a node: those of a core cycle, of a byte and of a second of sleep."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from joulemark.budget.airtime import airtime_s
from joulemark.budget.inputs import Inputs, Number
from joulemark.catalogue.nodes import (
    Battery,
    CpuMode,
    DataSheet,
    Microcontroller,
    Node,
    Radio,
    SourcedNumber,
)
from joulemark.catalogue.protocols import PacketProtocol, sheet
from joulemark.errors import UsageError
from joulemark.spelling import did_you_mean


@dataclass(frozen=True)
class Parts:
    """The parts of a node, with its powers and energies; `inputs` notes the values behind them."""

    name: str
    title: str
    microcontroller: Microcontroller
    mode: str
    """A key of `microcontroller.active`."""
    radio: Radio
    battery: Battery
    inputs: Inputs
    sheets: tuple[DataSheet, ...]
    while_on_air: str
    """Mode of the processor while the radio works."""
    layered: bool = False
    """Whether packets are of a layer above the link."""

    def _of_chip(self, path: str, value: SourcedNumber) -> Number:
        return self.inputs.take(self.microcontroller, path, value)

    def _of_radio(self, path: str, value: SourcedNumber) -> Number:
        return self.inputs.take(self.radio, path, value)

    def _cpu_w(self, path: str, mode: CpuMode) -> Number:
        """Returns the power of the processor in a mode."""
        voltage = self._cpu_voltage
        current: Number = 0.0
        if mode.current is not None:
            current += self._of_chip(f"{path}.current", mode.current)
        if mode.current_per_clock is not None and mode.clock is not None:
            per_clock = self._of_chip(f"{path}.current_per_clock", mode.current_per_clock)
            current += per_clock * self._of_chip(f"{path}.clock", mode.clock)
        return voltage * current

    @cached_property
    def _cpu_voltage(self) -> Number:
        return self._of_chip("voltage", self.microcontroller.voltage)

    @cached_property
    def _radio_voltage(self) -> Number:
        return self._of_radio("voltage", self.radio.voltage)

    @cached_property
    def clock_hz(self) -> Number:
        """Frequency of the processor's clock while instructions run."""
        mode = self.microcontroller.active[self.mode]
        assert mode.clock is not None
        return self._of_chip(f"active.{self.mode}.clock", mode.clock)

    @cached_property
    def active_w(self) -> Number:
        """Power of the processor while instructions run."""
        return self._cpu_w(f"active.{self.mode}", self.microcontroller.active[self.mode])

    @cached_property
    def cycle_j(self) -> Number:
        """Energy of one core cycle."""
        return self.active_w / self.clock_hz

    @cached_property
    def waiting_w(self) -> Number:
        """Power of the processor while the radio works, in the mode that the node states."""
        chip = self.microcontroller
        if self.while_on_air == "sleep" and chip.sleep is not None:
            return self._cpu_w("sleep", chip.sleep)
        if self.while_on_air != "active" and chip.idle is not None:
            return self._cpu_w("idle", chip.idle)
        return self.active_w

    @cached_property
    def sleep_w(self) -> Number:
        """Power of processor and radio asleep; a part without a figure is left out."""
        power: Number = 0.0
        if self.microcontroller.sleep is not None:
            power += self._cpu_w("sleep", self.microcontroller.sleep)
        asleep = self.radio.sleep_current
        if asleep is not None:
            power += self._radio_voltage * self._of_radio("sleep_current", asleep)
        return power

    @cached_property
    def send_w(self) -> Number:
        """Power of the radio that sends; on a CAN bus the mean over dominant and recessive bits."""
        power = self._radio_voltage * self._of_radio("send_current", self.radio.send_current)
        if self.radio.can is None:
            return power
        share = self._of_radio("can.dominant_share", self.radio.can.dominant_share)
        return share * power + (1 - share) * self.receive_w

    @cached_property
    def receive_w(self) -> Number:
        """Power of the radio while it receives."""
        return self._radio_voltage * self._of_radio("receive_current", self.radio.receive_current)

    @cached_property
    def wake_up_j(self) -> Number:
        """Energy of processor and radio from sleep to the first bit of a frame."""
        energy: Number = 0.0
        wake = self.microcontroller.wake_up
        if wake is not None and wake.energy is not None:
            energy += self._of_chip("wake_up.energy", wake.energy)
        elif wake is not None:
            power = self.active_w
            if wake.current is not None:
                current = self._of_chip("wake_up.current", wake.current)
                power = self._cpu_voltage * current
            energy += power * self._of_chip("wake_up.time", wake.time)
        start = self.radio.start_up
        if start is not None:
            seconds = self._of_radio("start_up.time", start.time)
            current = self._of_radio("start_up.current", start.current)
            energy += seconds * (self._radio_voltage * current + self.waiting_w)
        return energy

    @property
    def frame_limit_bytes(self) -> int:
        """Length of the longest packet that the radio puts into a frame."""
        return self.inputs.whole(self.radio, "frame_limit", self.radio.frame_limit)

    def airtime_s(self, packet_bytes: int) -> Number:
        """Returns the time in which a packet is sent, in as many frames as it needs."""
        if packet_bytes not in self._airtimes:
            self._airtimes[packet_bytes] = self._computed_airtime_s(packet_bytes)
        return self._airtimes[packet_bytes]

    @cached_property
    def _airtimes(self) -> dict[int, Number]:
        """Bytes of a packet -> seconds: a staircase asks for each of them hundreds of times."""
        return {}

    def _computed_airtime_s(self, packet_bytes: int) -> Number:
        carrier = self.radio.carrier
        if not self.layered or carrier is None:
            return airtime_s(self.radio, self.inputs, packet_bytes)
        around = self.inputs.whole(self.radio, "carrier", carrier)
        most = self.frame_limit_bytes - around
        full, rest = divmod(packet_bytes, most)
        seconds: Number = 0.0
        if full:
            seconds += full * airtime_s(self.radio, self.inputs, most + around)
        if rest or not full:
            seconds += airtime_s(self.radio, self.inputs, rest + around)
        return seconds

    def carrying(self, protocol: PacketProtocol) -> Parts:
        """Returns the same node, which puts the link's bytes around packets of a higher layer."""
        layered = protocol.layer != "link"
        # A copy would compute its powers and airtimes again.
        return self if layered == self.layered else replace(self, layered=layered)

    @cached_property
    def battery_j(self) -> Number:
        """Usable energy of a full battery."""
        cell, take = self.battery, self.inputs.take
        return (
            take(cell, "capacity", cell.capacity)
            * take(cell, "voltage", cell.voltage)
            * take(cell, "usable", cell.usable)
        )

    @property
    def shelf_life_years(self) -> float | None:
        """Years after which the battery is too old; None if its file does not say."""
        shelf = self.battery.shelf_life
        return None if shelf is None else self.inputs.exact(self.battery, "shelf_life", shelf)

    @cached_property
    def self_discharge_per_year(self) -> Number:
        """Share of the energy left in the battery that a year takes."""
        return self.inputs.take(self.battery, "self_discharge", self.battery.self_discharge)


def assemble(
    node: str,
    inputs: Inputs,
    *,
    microcontroller: str | None = None,
    radio: str | None = None,
    battery: str | None = None,
    mode: str | None = None,
) -> Parts:
    """Returns the parts of a node, of which each that is named here stands in place of the node's.

    A name is one of the catalogue, or a path that ends with `.toml`. `inputs` notes the values that
    are used.
    """
    board = sheet(Node, node)
    beside = Path(node).parent if node.endswith(".toml") else None

    def part(replacement: str | None, own: str) -> tuple[str, Path | None]:
        return (own, beside) if replacement is None else (replacement, None)

    chip = sheet(Microcontroller, *part(microcontroller, board.microcontroller))
    wanted = mode or ("" if microcontroller else board.mode) or next(iter(chip.active))
    if wanted not in chip.active:
        raise UsageError(
            f"{chip.id} has no mode '{wanted}'{did_you_mean(wanted, chip.active)} "
            f"(there are {', '.join(chip.active)})"
        )
    link = sheet(Radio, *part(radio, board.radio))
    cell = sheet(Battery, *part(battery, board.battery))
    changed = [name for name in (microcontroller, radio, battery) if name]
    title = board.title + (f" with {', '.join(changed)}" if changed else "")
    sheets = (board, chip, link, cell)
    return Parts(board.id, title, chip, wanted, link, cell, inputs, sheets, board.while_on_air)
