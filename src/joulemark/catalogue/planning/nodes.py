# SPDX-License-Identifier: Apache-2.0
"""Microcontrollers, radios, batteries, and the nodes that are made of them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from joulemark.catalogue.planning.sourced import (
    Bytes,
    BytesList,
    Charge,
    Current,
    CurrentPerClock,
    Energy,
    Fraction,
    FractionPerYear,
    Frequency,
    Rate,
    Sheet,
    Time,
    Voltage,
    WorkingCurrent,
)

__all__ = [
    "Battery",
    "Can",
    "CpuMode",
    "Engine",
    "Lora",
    "Microcontroller",
    "Node",
    "Radio",
    "WakeUp",
]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CpuMode(_Part):
    """Current of a processor in one mode."""

    current: Current | None = None
    """All of it, or what comes on top of the share of the clock."""
    current_per_clock: CurrentPerClock | None = None
    clock: Frequency | None = None
    """Of a mode in which instructions run."""

    @model_validator(mode="after")
    def _has_a_current(self) -> CpuMode:
        if self.current is None and self.current_per_clock is None:
            raise ValueError("it has neither current nor current_per_clock")
        if self.current_per_clock is not None and self.clock is None:
            raise ValueError("current_per_clock needs a clock")
        return self


class WakeUp(_Part):
    """From sleep to the first instruction."""

    time: Time
    current: Current | None = None
    """While it wakes; that of the running processor unless given."""
    energy: Energy | None = None
    """Of one wake-up, where a document has it, in place of time by current."""


class Engine(_Part):
    """A circuit of the chip that computes a primitive beside the processor."""

    algorithm: str
    """What one block of it computes: `aes128`."""
    block_bytes: Bytes
    block_time: Time
    current: Current
    """What it takes on top of the sleeping processor."""
    wake_up_time: Time | None = None


class Microcontroller(Sheet):
    """`catalogue/microcontrollers/<id>.toml`."""

    core: str
    """Whose core cycles count: a file of `catalogue/core_cycles`, and the target `mcu:<core>`."""
    voltage: Voltage
    active: dict[str, CpuMode]
    """Modes in which instructions run, the usual one first."""
    idle: CpuMode | None = None
    """The processor waits, its clock runs."""
    sleep: CpuMode | None = None
    wake_up: WakeUp | None = None
    engine: list[Engine] = Field(default_factory=list)

    @model_validator(mode="after")
    def _runs(self) -> Microcontroller:
        if not self.active:
            raise ValueError("active: it has no mode in which instructions run")
        for name, mode in self.active.items():
            if mode.clock is None:
                raise ValueError(f"active.{name}: the clock is missing")
            if not any(
                current and current.value for current in (mode.current, mode.current_per_clock)
            ):
                raise ValueError(f"active.{name}: the current is 0, and must be more")
        return self


class Lora(_Part):
    """What LoRa's time on air depends on (Semtech SX1276 data sheet, section 4.1.1.7)."""

    spreading_factor: int = Field(ge=6, le=12)
    bandwidth: Frequency
    coding_rate: int = Field(ge=1, le=4)
    """1 for 4/5 to 4 for 4/8."""
    preamble_symbols: int = Field(ge=6)
    """As programmed; 4.25 more are sent."""
    explicit_header: bool = True
    crc: bool = True
    low_data_rate: bool = False
    """The optimisation that a symbol of more than 16 ms needs."""


class Can(_Part):
    """What a frame on a CAN bus depends on (ISO 11898-1)."""

    identifier_bits: Literal[11, 29]
    lengths: BytesList
    """Numbers of data bytes that a frame can have; what lies between is padded."""
    data_rate: Rate | None = None
    """Of the data phase, which makes frames those of CAN FD; the rest goes at `bit_rate`."""
    dominant_share: Fraction
    """Of the bits of a frame, those during which its sender takes `send_current`; during the others
    it takes what a receiver takes."""


class StartUp(_Part):
    """From off to ready."""

    time: Time
    current: Current


class Radio(Sheet):
    """`catalogue/radios/<id>.toml`; the transceiver of a bus is one too."""

    voltage: Voltage
    send_current: WorkingCurrent
    receive_current: WorkingCurrent
    idle_current: Current | None = None
    """Neither sending nor receiving, oscillator on."""
    sleep_current: Current | None = None
    bit_rate: Rate | None = None
    """Of the bytes of a packet, codes of the air taken off; of CAN of the bits on the bus."""
    lora: Lora | None = None
    can: Can | None = None
    start_up: StartUp | None = None
    turnaround: Time | None = None
    """Between sending and receiving, in which an answer must be made."""
    frame_overhead: Bytes
    """Preamble, start of frame and lengths that the radio puts around each packet."""
    frame_limit: Bytes
    """The longest packet, without the overhead."""
    carrier: Bytes | None = None
    """The link's header and trailer around a packet of a higher layer, without security."""

    @model_validator(mode="after")
    def _has_a_rate(self) -> Radio:
        if (self.bit_rate is None) == (self.lora is None):
            raise ValueError("bit_rate: there is either bit_rate or [lora], and not both")
        return self

    @model_validator(mode="after")
    def _frames_have_lengths(self) -> Radio:
        if self.can is not None and max(self.can.lengths.value) < self.frame_limit.value:
            raise ValueError(
                f"can.lengths: none is as long as frame_limit says, {self.frame_limit.text}s"
            )
        return self


class Battery(Sheet):
    """`catalogue/batteries/<id>.toml`."""

    capacity: Charge
    voltage: Voltage
    """The mean while it is emptied."""
    usable: Fraction
    """Share of the capacity that a node gets before its voltage is too low."""
    self_discharge: FractionPerYear


class Node(Sheet):
    """`catalogue/nodes/<id>.toml`: parts by name, or by a file beside this one."""

    microcontroller: str
    mode: str = ""
    """A key of the microcontroller's `active`; its first unless given."""
    radio: str
    battery: str
    while_on_air: Literal["active", "idle", "sleep"] = "idle"
    """The processor's mode while its radio sends or receives; a mode that the microcontroller's
    file lacks gives way to the one before it here."""
