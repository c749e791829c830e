# SPDX-License-Identifier: Apache-2.0
"""A manifest's `[adapter]` table, as the adapters of the three protocols use it.

[adapter]
protocol = "init_next"
ports = { init = "init", next = "next", ready = "ready", block = "block", ... }
idle = { mode = 1 }            # inputs that keep one value
padding = "sha2"               # none, zero, sha2 (length in bits, big-endian), md5
block_bytes = 64               # of the port that takes a block
byte_order = "big"             # which end of a port the first byte is at
key_bytes = [16]               # lengths of key; none without
key_clocks = 11                # clocks of a key set-up whose end no port shows
message_bytes_max = 55         # longest message, where the core takes no longer ones
message_bytes_min = 1          # shortest message, where the core takes no empty one
result_bytes = 32              # of a result, where it is less than its port
settle_clocks = 0              # clocks after a pulse in which ready or done say nothing yet
start_with_done = true         # start_done: whether a start is taken in the period with done
reference = "model.py"         # reference(key, message), for an algorithm of your own
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from joulemark.errors import UsageError
from joulemark.foreign import did_you_mean, shortened
from joulemark.hardware.bench.adapter import DrivenCore, load_module, port_of
from joulemark.reference import reference_output

if TYPE_CHECKING:
    from joulemark.hardware.manifest import Core

Reference = Callable[[bytes, bytes], bytes]
"""Result of a key, which may be empty, and a message."""

_LENGTH_BYTES = 8


class PortTable(BaseModel):
    """The table of one core, checked."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    protocol: str
    ports: dict[str, str]
    idle: dict[str, int] = Field(default_factory=dict)
    padding: Literal["none", "zero", "sha2", "md5"] = "none"
    block_bytes: int | None = Field(default=None, ge=1, le=4096)
    byte_order: Literal["big", "little"] = "big"
    key_bytes: list[Annotated[int, Field(ge=0, le=4096)]] = Field(default_factory=list)
    key_clocks: int | None = Field(default=None, ge=0, le=1 << 20)
    """Clocks after the pulse of `key_init` until the key is set up, if no port shows it."""
    message_bytes_max: int | None = Field(default=None, ge=0, le=1 << 20)
    message_bytes_min: int = Field(default=0, ge=0, le=1 << 20)
    result_bytes: int | None = Field(default=None, ge=1, le=4096)
    reference_file: Annotated[
        str | None, Field(alias="reference", max_length=255, min_length=1)
    ] = None
    reset_active: Literal["low", "high"] = "low"
    settle_clocks: int = Field(default=0, ge=0, le=64)
    """1 for a core that keeps its inputs in a register first."""
    start_with_done: bool = True
    _core: Core | DrivenCore = PrivateAttr()
    _reference: Reference = PrivateAttr()

    @classmethod
    def of(cls, core: Core | DrivenCore) -> PortTable:
        """Reads the table of a core."""
        try:
            return cls.model_validate(core.adapter, context=core)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(shortened(str(part)) for part in first["loc"])
            raise UsageError(f"{core.name}: adapter.{place}: {first['msg'].lower()}") from error

    def model_post_init(self, core: Core | DrivenCore) -> None:
        """Keeps the core that the table is read for, and finds its reference."""
        self._core = core
        self._reference = _reference(core, self.reference_file)

    @property
    def core(self) -> Core | DrivenCore:
        """The core whose manifest has the table."""
        return self._core

    @property
    def reference(self) -> Reference:
        """The reference that the core's results are held to."""
        return self._reference

    @property
    def reset_level(self) -> int:
        """Level of the reset port that resets the core."""
        return int(self.reset_active == "high")

    def name(self, part: str) -> str:
        """Name of the port that plays a part."""
        if part not in self.ports:
            raise UsageError(f"{self.core.name}: adapter.ports has no '{part}'")
        return self.ports[part]

    def require_known(self, parts: Iterable[str]) -> None:
        """Refuses a table that names a port for a part that its protocol does not have."""
        for part in self.ports:
            if part not in parts:
                hint = did_you_mean(part, parts) or f"; it has {', '.join(parts)}"
                raise UsageError(
                    f"{self.core.name}: adapter.ports: {self.protocol} has no part "
                    f"'{shortened(part)}'{hint}"
                )

    def require(self, *parts: str) -> None:
        """Refuses a table without these ports."""
        for part in parts:
            self.name(part)

    def require_block(self) -> int:
        """Bytes of a block."""
        if self.block_bytes is None:
            raise UsageError(f"{self.core.name}: adapter.block_bytes is missing")
        return self.block_bytes

    def port(self, dut: Any, part: str) -> Any:
        """The signal of a part."""
        return port_of(dut, self.name(part), self.core, f"adapter.ports.{part}")

    def optional(self, dut: Any, part: str) -> Any | None:
        """The signal of a part that may be missing."""
        return self.port(dut, part) if part in self.ports else None

    def first_of(self, parts: Iterable[str]) -> str | None:
        """The first of these parts for which the table names a port."""
        return next((part for part in parts if part in self.ports), None)

    def drive_idle(self, dut: Any) -> None:
        """Sets the inputs that keep one value."""
        for name, value in self.idle.items():
            port_of(dut, name, self.core, "adapter.idle").value = value

    def number(self, data: bytes, port: Any) -> int:
        """Bytes as the value of a port, whose other end is filled with zeros if it has more."""
        spare = len(port) - 8 * len(data)
        if spare < 0:
            raise UsageError(
                f"{self.core.name}: the {len(data)} bytes for the port {port._name} "  # noqa: SLF001
                f"exceed its {len(port)} bits"
            )
        value = int.from_bytes(data, self.byte_order)
        return value << spare if self.byte_order == "big" else value

    def data(self, port: Any) -> bytes:
        """The value of a port as the bytes of a result, in the table's order."""
        data = int(port.value).to_bytes(-(-len(port) // 8), self.byte_order)
        return data if self.result_bytes is None else data[: self.result_bytes]


def padded(message: bytes, block: int, how: str) -> bytes:
    """A message filled up to whole blocks; at least one block except with `none`."""
    if how == "none":
        return message
    if how == "zero":
        size = max(1, -(-len(message) // block)) * block
        return message.ljust(size, b"\0")
    order: Literal["big", "little"] = "big" if how == "sha2" else "little"
    length_bytes = _LENGTH_BYTES if block <= 64 else 2 * _LENGTH_BYTES
    zeros = -(len(message) + 1 + length_bytes) % block
    return message + b"\x80" + bytes(zeros) + (8 * len(message)).to_bytes(length_bytes, order)


def blocks(data: bytes, size: int) -> Iterator[bytes]:
    """Data in pieces of this size; the last may be shorter."""
    return (data[start : start + size] for start in range(0, len(data), size))


def _reference(core: Core | DrivenCore, name: str | None) -> Reference:
    if name is None:
        return lambda key, message: reference_output(core.algorithm, key, message)
    path = core.folder / name
    if not path.is_file():
        raise UsageError(f"{core.name}: there is no reference {path}")
    reference: Reference | None = getattr(
        load_module(path.resolve(), f"_reference_of_{core.name}"), "reference", None
    )
    if reference is None:
        raise UsageError(f"{path} has no function reference(key, message)")
    return reference
