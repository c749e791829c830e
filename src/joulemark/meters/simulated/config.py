# SPDX-License-Identifier: Apache-2.0
"""The configuration of the simulated meter's daemon, and its JSON form.

    {"seed": 0, "active_w": 20.0,
     "powers": [{"command": "shani", "watts": 12.0}],
     "domains": [{"id": "intel-rapl:0", "name": "package-0", "static_w": 10.0}],
     "faults": [{"at_s": 2.5, "kind": "vanish", "domain": "intel-rapl:0"}]}

Fields of a domain and of a fault are those of `SimulatedDomain` and `Fault`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, TypeVar

from joulemark.errors import UsageError
from joulemark.meters.simulated.counter import nanowatts
from joulemark.meters.simulated.domain import AcpiRate, Fault, FaultKind, SimulatedDomain

_Record = TypeVar("_Record")
_WORDS: Final = {"FaultKind": FaultKind, "AcpiRate": AcpiRate}
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "float": (int, float),
    "str": (str,),
    "int": (int,),
    "bool": (bool,),
    "tuple": (tuple,),
}
"""Type that a field declares -> the types that its value may have."""


@dataclass(frozen=True, slots=True)
class CommandPower:
    """The power of the processes whose command line matches.

    Raises:
        UsageError: the pattern is no regular expression, or the power is below 0.
    """

    command: str
    """Regular expression, searched for in the command line, words separated by spaces."""
    watts: float

    def __post_init__(self) -> None:
        try:
            re.compile(self.command)
        except re.error as error:
            raise UsageError(f"'{self.command}' is no regular expression ({error})") from None
        if not 0 <= self.watts < math.inf:
            raise UsageError(f"the power of '{self.command}' must be 0 W or more")


@dataclass(frozen=True, slots=True)
class DaemonConfig:
    """The machine that the daemon simulates.

    Raises:
        UsageError: a value makes no sense.
    """

    domains: tuple[SimulatedDomain, ...]
    active_w: float = 20.0
    """Power of a watched process while it runs on a CPU."""
    powers: tuple[CommandPower, ...] = ()
    """Other powers; the first that matches is taken."""
    faults: tuple[Fault, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.active_w < math.inf:
            raise UsageError(f"active_w must be 0 or more, not {self.active_w}")
        if not self.domains:
            raise UsageError("a simulated machine needs at least one domain")
        if any(fault.kind is FaultKind.LATE for fault in self.faults):
            raise UsageError("the fault 'late' is of the reader; only virtual time can simulate it")

    def power_nw(self, command: str) -> int:
        """Power of a process in nanowatts, by its command line."""
        matching = (power.watts for power in self.powers if re.search(power.command, command))
        return nanowatts(next(matching, self.active_w))

    def as_json(self) -> str:
        """The text that `parse_config` reads."""
        return json.dumps(asdict(self))


def parse_config(text: str) -> DaemonConfig:
    """Reads the JSON form.

    Raises:
        UsageError: the text is no JSON, or a value in it makes no sense.
    """
    try:
        values = json.loads(text)
    except ValueError as error:
        raise UsageError(f"the simulated meter's configuration is no JSON ({error})") from None
    values = dict(_object_of(values, "the configuration"))
    lists = {"domains": SimulatedDomain, "powers": CommandPower, "faults": Fault}
    for name, kind in lists.items():
        entries = values.get(name, [])
        if not isinstance(entries, list):
            raise UsageError(f"'{name}' in the simulated meter's configuration must be a list")
        values[name] = tuple(_record(kind, entry, name) for entry in entries)
    return _record(DaemonConfig, values, "the configuration")


def _record(kind: type[_Record], values: object, where: str) -> _Record:
    types = {field.name: str(field.type) for field in fields(kind)}  # type: ignore[arg-type]
    checked = {}
    for name, value in _object_of(values, where).items():
        if name not in types:
            raise UsageError(f"{where} of the simulated meter: there is no '{name}'")
        checked[name] = _checked(name, types[name], value, where)
    try:
        return kind(**checked)
    except TypeError:
        raise UsageError(f"{where} of the simulated meter: something required is missing") from None


def _checked(name: str, declared: str, value: object, where: str) -> object:
    """The value, if it is of the type that its field declares."""
    kind = declared.partition("[")[0].partition(" ")[0]
    if kind in _WORDS:
        try:
            return _WORDS[kind](str(value))
        except ValueError:
            known = ", ".join(_WORDS[kind])
            raise UsageError(f"{where}: '{name}' must be one of {known}, not '{value}'") from None
    if value is None and "None" in declared:
        return None
    if not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "bool"):
        raise UsageError(f"{where}: '{name}' must be of type {declared}, not {value!r}")
    return value


def _object_of(values: object, where: str) -> Mapping[str, Any]:
    if not isinstance(values, dict):
        raise UsageError(f"{where} of the simulated meter must be a JSON object")
    return values
