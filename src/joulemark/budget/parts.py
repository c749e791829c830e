# SPDX-License-Identifier: Apache-2.0
"""A node's parts: powers and energies of processor and radio, and a frame's time on the air."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final

from joulemark.budget import Inputs, Number
from joulemark.catalogue.nodes import (
    Battery,
    Can,
    CpuMode,
    DataSheet,
    Harvester,
    Lora,
    Microcontroller,
    Node,
    Radio,
    SourcedNumber,
)
from joulemark.catalogue.protocols import PacketProtocol, sheet
from joulemark.errors import UsageError
from joulemark.foreign import did_you_mean


def mode_w(inputs: Inputs, chip: Microcontroller, path: str, mode: CpuMode) -> Number:
    """Returns the power of a processor in a mode, which stands under `path` in the chip's file."""
    current: Number = 0.0
    if mode.current is not None:
        current += inputs.take(chip, f"{path}.current", mode.current)
    if mode.current_per_clock is not None and mode.clock is not None:
        per_clock = inputs.take(chip, f"{path}.current_per_clock", mode.current_per_clock)
        current += per_clock * inputs.take(chip, f"{path}.clock", mode.clock)
    return inputs.take(chip, "voltage", chip.voltage) * current


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
    harvester: Harvester | None = None
    layered: bool = False
    """Whether packets are of a layer above the link."""

    def _of_chip(self, path: str, value: SourcedNumber) -> Number:
        return self.inputs.take(self.microcontroller, path, value)

    def _of_radio(self, path: str, value: SourcedNumber) -> Number:
        return self.inputs.take(self.radio, path, value)

    def _cpu_w(self, path: str, mode: CpuMode) -> Number:
        return mode_w(self.inputs, self.microcontroller, path, mode)

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
    harvester: str | None = None,
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
    supply = None if harvester is None else sheet(Harvester, harvester)
    sheets = (board, chip, link, cell, *([] if supply is None else [supply]))
    on_air = board.while_on_air
    return Parts(board.id, title, chip, wanted, link, cell, inputs, sheets, on_air, supply)


# Frames on a CAN bus: how many bits they have at most, and how long they take.
#
# A node inserts a stuff bit after five equal bits, and the stuff bit counts among the next five: so
# n bits get at most (n - 1) / 4 stuff bits. The contents are not known here, so the bound is taken;
# random contents get one stuff bit in about 30.
#
# Source: ISO 11898-1, whose fields Linux counts in include/linux/can/length.h; for the bound Davis,
# Burns, Bril and Lukkien, "Controller Area Network (CAN) schedulability analysis: refuted,
# revisited and revised", 2007.
_CLASSIC_STUFFED: Final = {11: 34, 29: 54}
"""Identifier's bits -> bits from the start of a frame to the end of its CRC, without data."""
_CLASSIC_END: Final = 13
"""Delimiter of the CRC, acknowledgement 2, end of frame 7, space between frames 3."""
_FD_ARBITRATION: Final = {11: 17, 29: 36}
"""Identifier's bits -> bits from the start of a frame to the switch of the bit rate."""
_FD_CONTROL: Final = 5
"""Bits of error state and length, at the rate of the data phase."""
_FD_SHORT_CRC_BYTES: Final = 16
"""Length of the longest data with a CRC of 17 bits."""
_FD_CHECK: Final = {True: 4 + 17 + 6 + 1, False: 4 + 21 + 7 + 1}
"""Whether the CRC is short -> bits of stuff count, CRC, fixed stuff bits and delimiter."""
_FD_END: Final = 12
"""Acknowledgement 2, end of frame 7, space between frames 3."""


@dataclass(frozen=True, slots=True)
class FrameBits:
    """The most bits of a frame."""

    arbitration: int
    """Bits at the bit rate of the arbitration; all bits of a classic frame."""
    data: int
    """Bits at the bit rate of the data phase."""


def _stuff_bits(bits: int) -> int:
    return (bits - 1) // 4


def classic_bits(identifier_bits: int, data_bytes: int) -> FrameBits:
    """Returns the most bits of a classic frame with 0 to 8 bytes, to the start of the next frame.

    Example:
        >>> [classic_bits(11, size).arbitration for size in (0, 8)]
        [55, 135]
    """
    stuffed = _CLASSIC_STUFFED[identifier_bits] + 8 * data_bytes
    return FrameBits(stuffed + _stuff_bits(stuffed) + _CLASSIC_END, 0)


def fd_bits(identifier_bits: int, data_bytes: int) -> FrameBits:
    """Returns the most bits of a frame of CAN FD that switches its bit rate, to the next frame.

    The data have one of the lengths of CAN FD. As many stuff bits as possible fall into the slow
    part.

    Example:
        >>> fd_bits(11, 64)
        FrameBits(arbitration=33, data=679)
    """
    arbitration = _FD_ARBITRATION[identifier_bits]
    rest = _FD_CONTROL + 8 * data_bytes
    slow = _stuff_bits(arbitration)
    fast = _stuff_bits(arbitration + rest) - slow
    check = _FD_CHECK[data_bytes <= _FD_SHORT_CRC_BYTES]
    return FrameBits(arbitration + slow + _FD_END, rest + fast + check)


def can_airtime_s(radio: Radio, can: Can, inputs: Inputs, packet_bytes: int) -> Number:
    """Returns the seconds of the frames that carry a packet, each padded to a length that exists.

    `packet_bytes` is 0 or more.
    """
    assert radio.bit_rate is not None
    bit_s = 1 / inputs.take(radio, "bit_rate", radio.bit_rate)
    data_bit_s: Number = 0.0
    if can.data_rate is not None:
        data_bit_s = 1 / inputs.take(radio, "can.data_rate", can.data_rate)
    bits_of = classic_bits if can.data_rate is None else fd_bits
    most = inputs.whole(radio, "frame_limit", radio.frame_limit)
    lengths = inputs.lengths(radio, "can.lengths", can.lengths)
    seconds: Number = 0.0
    for size in _sizes(packet_bytes, most):
        bits = bits_of(can.identifier_bits, min(length for length in lengths if length >= size))
        seconds += bits.arbitration * bit_s + bits.data * data_bit_s
    return seconds


def _sizes(packet_bytes: int, most: int) -> Iterator[int]:
    """Yields the bytes of each frame; an empty packet is one frame without data."""
    full, rest = divmod(packet_bytes, most)
    yield from [most] * full
    if rest or not full:
        yield rest


_PREAMBLE_TAIL_SYMBOLS = 4.25


def lora_symbols(lora: Lora, payload_bytes: int) -> int:
    """Returns the symbols behind the preamble: 8, and groups of 5 to 8 by the coding rate.

    Source: Semtech SX1276/77/78/79 data sheet, section 4.1.1.7; SX1272 AN1200.13. The payload of
    the physical layer has 0 bytes or more.

    Example:
        >>> sf12 = Lora.model_construct(spreading_factor=12, coding_rate=1, explicit_header=True,
        ...                             crc=True, low_data_rate=True)
        >>> [lora_symbols(sf12, size) for size in (37, 41, 45, 46)]
        [48, 53, 53, 58]
    """
    bits = 8 * payload_bytes - 4 * lora.spreading_factor + 28
    bits += (16 if lora.crc else 0) - (0 if lora.explicit_header else 20)
    a_group = 4 * (lora.spreading_factor - (2 if lora.low_data_rate else 0))
    return 8 + max(-(-bits // a_group), 0) * (lora.coding_rate + 4)


def airtime_s(radio: Radio, inputs: Inputs, packet_bytes: int) -> Number:
    """Returns the seconds in which a radio sends a frame around a packet of so many bytes."""
    sent = packet_bytes + inputs.whole(radio, "frame_overhead", radio.frame_overhead)
    if radio.can is not None:
        return can_airtime_s(radio, radio.can, inputs, sent)
    if radio.lora is None:
        assert radio.bit_rate is not None
        return 8 * sent / inputs.take(radio, "bit_rate", radio.bit_rate)
    lora = radio.lora
    symbol_s = math.ldexp(1, lora.spreading_factor) / inputs.take(
        radio, "lora.bandwidth", lora.bandwidth
    )
    preamble = lora.preamble_symbols + _PREAMBLE_TAIL_SYMBOLS
    return (preamble + lora_symbols(lora, sent)) * symbol_s


def window_s(radio: Radio, inputs: Inputs, protocol: PacketProtocol, place: int) -> Number | None:
    """Returns the seconds for which a radio listens in a receive window of a protocol's list.

    None if the radio has no symbols of LoRa.
    """
    if radio.lora is None:
        return None
    window, path = protocol.window[place], f"window[{place}]"
    spreading_factor = window.spreading_factor or radio.lora.spreading_factor
    if window.bandwidth is None:
        bandwidth = inputs.take(radio, "lora.bandwidth", radio.lora.bandwidth)
    else:
        bandwidth = inputs.take(protocol, f"{path}.bandwidth", window.bandwidth)
    symbols = inputs.take(protocol, f"{path}.symbols", window.symbols)
    return symbols * math.ldexp(1, spreading_factor) / bandwidth


def whole_step_bytes(radio: Radio) -> int:
    """Returns the fewest bytes that are a whole number of the steps in which a radio sends."""
    if radio.can is not None:
        return int(radio.frame_limit.value)
    if radio.lora is None:
        return 1
    # Groups of 4 (SF - 2 DE) bits: so many bytes are two groups.
    return radio.lora.spreading_factor - (2 if radio.lora.low_data_rate else 0)
