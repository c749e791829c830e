# SPDX-License-Identifier: Apache-2.0
"""Microcontrollers, radios, supplies, and nodes that are made of them; each value has a source."""

from __future__ import annotations

import math
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PrivateAttr, model_validator

# A value with unit, document, place and state; every unit of the planning files is here.

_UNITS: Final[dict[str, dict[str, float]]] = {
    "current": {"A": 1, "mA": 1e-3, "uA": 1e-6, "nA": 1e-9},
    "voltage": {"V": 1, "mV": 1e-3},
    "frequency": {"Hz": 1, "kHz": 1e3, "MHz": 1e6},
    "time": {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9},
    "power": {"W": 1, "mW": 1e-3, "uW": 1e-6, "nW": 1e-9},
    "energy": {"J": 1, "mJ": 1e-3, "uJ": 1e-6, "nJ": 1e-9},
    "charge": {"A s": 1, "Ah": 3600, "mAh": 3.6},
    "current for a clock": {"A/Hz": 1, "uA/MHz": 1e-12},
    "bit rate": {"bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6},
    "number of bytes": {"byte": 1},
    "share": {"1": 1, "%": 1e-2},
    "share of a year": {"1/year": 1, "%/year": 1e-2},
    "number a year": {"1/year": 1},
    "number": {"1": 1},
    "number of symbols": {"symbol": 1},
    "number of years": {"year": 1},
}
"""Dimension -> unit -> its factor to the SI unit (bytes and years kept)."""
_FACTORS: Final = {unit: factor for units in _UNITS.values() for unit, factor in units.items()}

_LEAST: Final = 1e-15
_MOST: Final = 1e15
"""Bounds of a number in SI units other than 0; a number beyond them is a slip, and may overflow."""
_MOST_TIMES: Final = 1e3
"""The most times that a packet is sent; a larger number is a slip."""
_LONG_SYMBOL_S: Final = 0.016


class ValueOrigin(StrEnum):
    """Whether somebody of this project saw the value in its document."""

    READ = "read"
    REMEMBERED = "remembered"


class PlanningRecord(BaseModel):
    """A part of a planning file, which has no other keys than the declared ones."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class _StatedValue(PlanningRecord):
    """The facts of every value beside its number."""

    unit: str
    document: str
    """A key of the file's `documents`."""
    place: str
    """Section, table or page."""
    state: ValueOrigin
    note: str = ""


class SourcedNumber(_StatedValue):
    """One number."""

    value: Annotated[float, Field(strict=True)]
    spread: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Half of the 95 % interval over the value; None: the usual spread of values of this state."""

    @property
    def si(self) -> float:
        """The number in its SI unit."""
        return self.value * _FACTORS[self.unit]

    @property
    def text(self) -> str:
        """Number and unit, as in "8 mA"."""
        return f"{self.value:g}" + ("" if self.unit == "1" else f" {self.unit}")


class Lengths(_StatedValue):
    """Several lengths in bytes, the usual one first."""

    value: list[int]

    @property
    def text(self) -> str:
        """The numbers and the unit, as in "4, 8 byte"."""
        return f"{', '.join(map(str, self.value))} {self.unit}"


def _of(dimension: str, *, positive: bool = False) -> AfterValidator:
    """A check that a value has a unit of the dimension, and is 0 or more, or `positive`."""

    def check(number: SourcedNumber) -> SourcedNumber:
        units = _UNITS[dimension]
        if number.unit not in units:
            raise ValueError(
                f"the unit '{number.unit}' is no unit of {dimension} (take {', '.join(units)})"
            )
        if not 0 <= number.value < math.inf:
            raise ValueError(
                f"{number.text} is negative" if number.value < 0 else "it is no number"
            )
        if positive and number.value == 0:
            raise ValueError("it is 0, and must be more")
        if number.value and not _LEAST <= number.si <= _MOST:
            raise ValueError(f"{number.text} is out of all proportion")
        return number

    return AfterValidator(check)


def _whole(number: SourcedNumber) -> SourcedNumber:
    if number.value != int(number.value):
        raise ValueError(f"{number.text} is no whole number of bytes")
    return number


def _at_most_all(number: SourcedNumber) -> SourcedNumber:
    if number.si > 1:
        raise ValueError(f"{number.text} is more than the whole")
    return number


def _at_least_once(number: SourcedNumber) -> SourcedNumber:
    if not 1 <= number.value <= _MOST_TIMES:
        raise ValueError(f"it is {number.text}, and must be from 1 to {_MOST_TIMES:g}")
    return number


def _lengths(lengths: Lengths) -> Lengths:
    if lengths.unit != "byte":
        raise ValueError(f"the unit '{lengths.unit}' is no unit of lengths (take byte)")
    if not lengths.value or min(lengths.value) < 0:
        raise ValueError("it needs one length at least, and none is negative")
    return lengths


Current = Annotated[SourcedNumber, _of("current")]
WorkingCurrent = Annotated[SourcedNumber, _of("current", positive=True)]
"""Current of a working part, which is above 0."""
Voltage = Annotated[SourcedNumber, _of("voltage", positive=True)]
Frequency = Annotated[SourcedNumber, _of("frequency", positive=True)]
Time = Annotated[SourcedNumber, _of("time")]
Energy = Annotated[SourcedNumber, _of("energy", positive=True)]
Power = Annotated[SourcedNumber, _of("power", positive=True)]
Charge = Annotated[SourcedNumber, _of("charge", positive=True)]
CurrentPerClock = Annotated[SourcedNumber, _of("current for a clock")]
Rate = Annotated[SourcedNumber, _of("bit rate", positive=True)]
Bytes = Annotated[SourcedNumber, _of("number of bytes"), AfterValidator(_whole)]
BytesAboveZero = Annotated[
    SourcedNumber, _of("number of bytes", positive=True), AfterValidator(_whole)
]
Fraction = Annotated[SourcedNumber, _of("share", positive=True), AfterValidator(_at_most_all)]
FractionPerYear = Annotated[SourcedNumber, _of("share of a year")]
ShareOrNone = Annotated[SourcedNumber, _of("share"), AfterValidator(_at_most_all)]
"""A share from none to the whole."""
Times = Annotated[SourcedNumber, _of("number"), AfterValidator(_at_least_once)]
"""How often something is done, on average: once or more."""
NumberPerYear = Annotated[SourcedNumber, _of("number a year")]
Symbols = Annotated[SourcedNumber, _of("number of symbols", positive=True)]
Years = Annotated[SourcedNumber, _of("number of years", positive=True)]
BytesList = Annotated[Lengths, AfterValidator(_lengths)]


class DataSheet(PlanningRecord):
    """The keys that every planning file has."""

    id: str
    """Also the file's name without `.toml`."""
    title: str
    documents: dict[str, str] = Field(default_factory=dict)
    """Key -> title of a document, with publisher, revision and year as far as known."""
    notes: list[str] = Field(default_factory=list)
    """Sentences for everybody who uses the file."""
    _origin: str = PrivateAttr(default="")

    @property
    def origin(self) -> str:
        """The user's file, or "radio of the catalogue"; sheets that differ in it are not equal."""
        return self._origin

    def read_from(self, origin: str) -> None:
        """Notes the origin, once, by the reader of the file."""
        self._origin = origin

    @model_validator(mode="after")
    def _documents_are_named(self) -> DataSheet:
        for path, sourced in sourced_values(self):
            if sourced.document not in self.documents:
                raise ValueError(
                    f"{path}: there is no document '{sourced.document}' in [documents]"
                )
        return self


def sourced_values(part: Any, path: str = "") -> Iterator[tuple[str, SourcedNumber | Lengths]]:
    """Every value of a file or of a part of it, with its dotted path."""
    if isinstance(part, SourcedNumber | Lengths):
        yield path, part
    elif isinstance(part, BaseModel | dict):
        for name, item in dict(part).items():
            yield from sourced_values(item, f"{path}.{name}" if path else name)
    elif isinstance(part, list):
        for place, item in enumerate(part):
            yield from sourced_values(item, f"{path}[{place}]")


# Microcontrollers, radios, batteries, and the nodes that are made of them.


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
    """The optimisation that a symbol of 16 ms or more needs."""


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
    frame_limit: BytesAboveZero
    """The longest packet, without the overhead."""
    sending_share: Fraction | None = None
    """Largest share of the time for which a node may send in the radio's band; None: no limit."""
    carrier: Bytes | None = None
    """The link's header and trailer around a packet of a higher layer, without security."""

    @model_validator(mode="after")
    def _has_a_rate(self) -> Radio:
        if (self.bit_rate is None) == (self.lora is None):
            raise ValueError("bit_rate: there is either bit_rate or [lora], and not both")
        lora = self.lora
        symbol_s = 2**lora.spreading_factor / lora.bandwidth.si if lora is not None else 0.0
        if lora is not None and symbol_s >= _LONG_SYMBOL_S and not lora.low_data_rate:
            raise ValueError(
                f"lora.low_data_rate: a symbol takes {1e3 * symbol_s:.3g} ms, and from 16 ms on "
                "LoRa needs it; write low_data_rate = true"
            )
        return self

    @model_validator(mode="after")
    def _frames_have_lengths(self) -> Radio:
        if self.carrier is not None and self.carrier.value >= self.frame_limit.value:
            raise ValueError(
                f"carrier: it is {self.carrier.text}s, and a frame of {self.frame_limit.text}s, "
                "which frame_limit says, has no room for a packet beside it"
            )
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


class Harvester(DataSheet):
    """`catalogue/harvesters/<id>.toml`: a supply that gives power for as long as it is there."""

    power: Power
    """Mean power that reaches the circuits."""


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
