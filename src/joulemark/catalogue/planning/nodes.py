# SPDX-License-Identifier: Apache-2.0
"""Microcontrollers, radios, batteries, and the nodes that are made of them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from joulemark.catalogue.planning.sourced import (
    Bytes,
    BytesList,
    Charge,
    Current,
    CurrentPerClock,
    DataSheet,
    Energy,
    Fraction,
    FractionPerYear,
    Frequency,
    PlanningRecord,
    Rate,
    Time,
    Voltage,
    WorkingCurrent,
    Years,
)


class CpuMode(PlanningRecord):
    """Current of a processor in one mode."""

    current: Current | None = None
    """The whole current, or the part that does not depend on the clock."""
    current_per_clock: CurrentPerClock | None = None
    clock: Frequency | None = None
    """The clock of a mode in which instructions run."""

    @model_validator(mode="after")
    def _has_a_current(self) -> CpuMode:
        if self.current is None and self.current_per_clock is None:
            raise ValueError("it has neither current nor current_per_clock")
        if self.current_per_clock is not None and self.clock is None:
            raise ValueError("current_per_clock needs a clock")
        return self


class WakeUp(PlanningRecord):
    """The transition from sleep to the first instruction."""

    time: Time
    current: Current | None = None
    """Current while the processor wakes; None: the current of the running processor."""
    energy: Energy | None = None
    """Energy of one wake-up where a document has it, in place of time by current."""


class Engine(PlanningRecord):
    """A circuit of the chip that computes a primitive beside the processor."""

    algorithm: str
    """The algorithm of one block: `aes128`."""
    block_bytes: Bytes
    block_time: Time
    current: Current
    """Current on top of that of the sleeping processor."""
    wake_up_time: Time | None = None


class Microcontroller(DataSheet):
    """`catalogue/microcontrollers/<id>.toml`."""

    core: str
    """The core that counts core cycles: a file of `catalogue/core_cycles`, and the target
    `mcu:<core>`."""
    voltage: Voltage
    active: dict[str, CpuMode]
    """Modes in which instructions run, the usual one first."""
    idle: CpuMode | None = None
    """The mode in which the processor waits while its clock runs."""
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


class Lora(PlanningRecord):
    """Settings that give LoRa's time on air (Semtech SX1276 data sheet, section 4.1.1.7)."""

    spreading_factor: int = Field(ge=6, le=12)
    bandwidth: Frequency
    coding_rate: int = Field(ge=1, le=4)
    """1 for 4/5 to 4 for 4/8."""
    preamble_symbols: int = Field(ge=6)
    """Symbols as programmed; 4.25 more are sent."""
    explicit_header: bool = True
    crc: bool = True
    low_data_rate: bool = False
    """The optimisation that a symbol of more than 16 ms needs."""


class Can(PlanningRecord):
    """Settings that give the length of a frame on a CAN bus (ISO 11898-1)."""

    identifier_bits: Literal[11, 29]
    lengths: BytesList
    """Numbers of data bytes that a frame can have; data of other lengths is padded."""
    data_rate: Rate | None = None
    """Rate of the data phase of CAN FD, while the rest of a frame goes at `bit_rate`; None: frames
    are not those of CAN FD."""
    dominant_share: Fraction
    """Share of a frame's bits during which the sender takes `send_current`; during the others it
    takes the current of a receiver."""


class StartUp(PlanningRecord):
    """The transition from off to ready."""

    time: Time
    current: Current


class Radio(DataSheet):
    """`catalogue/radios/<id>.toml`; the transceiver of a bus is a radio too."""

    voltage: Voltage
    send_current: WorkingCurrent
    receive_current: WorkingCurrent
    idle_current: Current | None = None
    """Current while the radio neither sends nor receives, with its oscillator on."""
    sleep_current: Current | None = None
    bit_rate: Rate | None = None
    """Rate of the bits of a packet, without codes of the air; for CAN, of the bits on the bus."""
    lora: Lora | None = None
    can: Can | None = None
    start_up: StartUp | None = None
    turnaround: Time | None = None
    """Time between sending and receiving, in which an answer must be made."""
    frame_overhead: Bytes
    """Preamble, start of frame and lengths that the radio puts around each packet."""
    frame_limit: Bytes
    """The longest packet, without the overhead."""
    sending_share: Fraction | None = None
    """Largest share of the time for which a node may send in the radio's band; None: no limit."""
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


class Battery(DataSheet):
    """`catalogue/batteries/<id>.toml`."""

    capacity: Charge
    voltage: Voltage
    """Mean voltage while the battery is emptied."""
    usable: Fraction
    """Share of the capacity that a node gets before its voltage is too low."""
    self_discharge: FractionPerYear
    shelf_life: Years | None = None
    """How long the battery is of use, however little is taken from it: seals dry out, and cells
    corrode; None: unknown, and then energy alone bounds its life."""


class Node(DataSheet):
    """`catalogue/nodes/<id>.toml`: parts by name, or by a file beside this one."""

    microcontroller: str
    mode: str = ""
    """A key of the microcontroller's `active`; empty: the first key."""
    radio: str
    battery: str
    while_on_air: Literal["active", "idle", "sleep"] = "idle"
    """The processor's mode while its radio sends or receives; where the microcontroller's file
    lacks `sleep`, `idle` is taken, and where it lacks `idle`, `active`."""
