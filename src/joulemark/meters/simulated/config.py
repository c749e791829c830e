# SPDX-License-Identifier: Apache-2.0
"""The configuration of the simulated meter's daemon, and its JSON form.

    {"seed": 0, "active_w": 20.0,
     "powers": [{"command": "shani", "watts": 12.0}],
     "domains": [{"id": "intel-rapl:0", "name": "package-0", "static_w": 10.0}],
     "faults": [{"at_s": 2.5, "kind": "vanish", "domain": "intel-rapl:0"}]}

Fields of a domain and of a fault are those of `SimulatedDomain` and `SimulatedFault`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, TypeVar

from joulemark.errors import UsageError
from joulemark.meters.simulated import (
    AcpiRate,
    FaultKind,
    SimulatedDomain,
    SimulatedFault,
    nanowatts,
)
from joulemark.units import parse_number

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
    """The power of the processes whose command line matches."""

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
    """The machine that the daemon simulates."""

    domains: tuple[SimulatedDomain, ...]
    active_w: float = 20.0
    """Power of a watched process while it runs on a CPU."""
    powers: tuple[CommandPower, ...] = ()
    """Other powers; the first that matches is taken."""
    faults: tuple[SimulatedFault, ...] = ()
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
    """Reads the JSON form."""
    try:
        values = json.loads(text)
    except ValueError as error:
        raise UsageError(f"the simulated meter's configuration is no JSON ({error})") from None
    values = dict(_object_of(values, "the configuration"))
    lists = {"domains": SimulatedDomain, "powers": CommandPower, "faults": SimulatedFault}
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


# A simulated machine from a line of text: `static_w=12,active_w=30,noise=0.01,psys=yes`.
#
# A machine has one Intel-like package with its cores; options add other domains. With `battery=yes`
# it has a battery instead, which alone feeds the machine. `HELP` lists the options.

HELP: Final[Mapping[str, str]] = {
    "static_w": "power of the package, or of the battery, when nothing runs (10)",
    "active_w": "power that a watched process adds to it while it runs (20)",
    "update_ms": "period of the counters' updates (1; of a battery 2000)",
    "jitter": "deviation of each update's instant, in periods (0.02)",
    "noise": "relative deviation of each increment (0)",
    "wrap_j": "energy after which the counters wrap (2^32 steps)",
    "quantum_uj": "step of the counters in microjoules (61.035; of a battery 10 mWh)",
    "start_j": "energy that the counters show at first (0; of a battery 50 Wh)",
    "limit_w": "power limit that the package states (none)",
    "seed": "seed of jitter and noise (0)",
    "dram": "yes: memory beside the package",
    "mirrored": "yes: a second die whose counter repeats the first one's",
    "psys": "yes: a platform domain that contains the package",
    "mmio": "yes: the package a second time, through MMIO",
    "battery": "yes: a battery that feeds the machine, and no other domain",
    "permission": "yes: no counter may be read",
    "fault": "KIND@SECONDS, of: permission, vanish, stuck, negative_step, charging, reset",
    "fault_domain": "domain of the fault (intel-rapl:0, or BAT0)",
    "step_j": "joules by which negative_step falls (1)",
    "watts/PATTERN": "power of processes whose command line matches the regular expression",
}
_OPTION_WORDS: Final = {
    "yes": True,
    "no": False,
    "1": True,
    "0": False,
    "true": True,
    "false": False,
}
_NOT_OF_A_BATTERY: Final = ("wrap_j", "limit_w", "dram", "mirrored", "psys", "mmio")
_BATTERY_UPDATE_MS: Final = 2000.0
"""westermann2010, section 2.2: a battery's values are refreshed about every 2 s."""
_WATTS: Final = "watts/"
_CORE_SHARE: Final = 0.8
_DRAM_SHARE: Final = 0.05
_PLATFORM_SHARE: Final = 1.1


def parse_options(text: str) -> DaemonConfig:
    """The machine that `text` describes; the empty text is the usual one."""
    options, powers = _split(text)
    domains = _domains(options)
    faults = []
    if _is_on(options, "permission"):
        faults += [SimulatedFault(0.0, FaultKind.PERMISSION, domain.id) for domain in domains]
    if "fault" in options:
        faults.append(_fault(options, domains[0].id if domains[0].is_battery else "intel-rapl:0"))
    known = {domain.id for domain in domains}
    for fault in faults:
        if fault.domain not in known:
            raise UsageError(
                f"option 'fault_domain' must be one of {', '.join(sorted(known))},"
                f" not '{fault.domain}'"
            )
    active_w, seed = _number(options, "active_w", 20.0), int(_number(options, "seed", 0.0))
    return DaemonConfig(tuple(domains), active_w, tuple(powers), tuple(faults), seed)


def _split(text: str) -> tuple[dict[str, str], list[CommandPower]]:
    options: dict[str, str] = {}
    powers = []
    for part in filter(None, (word.strip() for word in text.split(","))):
        name, equals, value = (word.strip() for word in part.rpartition("="))
        if not equals:
            raise UsageError(f"simulated meter: '{part}' must be written as option=value")
        if name.startswith(_WATTS):
            watts = _number({name: value}, name, 0.0)
            powers.append(CommandPower(name.removeprefix(_WATTS), watts))
        elif name not in HELP:
            raise UsageError(
                f"the simulated meter has no option '{name}'; it has {', '.join(HELP)}"
            )
        elif name in options:
            raise UsageError(f"simulated meter: option '{name}' is given twice")
        else:
            options[name] = value
    return options, powers


def _domains(options: Mapping[str, str]) -> list[SimulatedDomain]:
    static_w = _number(options, "static_w", 10.0)
    quantum_uj = _number_or_none(options, "quantum_uj")
    mirrored, battery = _is_on(options, "mirrored"), _is_on(options, "battery")
    update_ms = _number(options, "update_ms", _BATTERY_UPDATE_MS if battery else 1.0)

    def domain(
        place: str, name: str, static_share: float, load_share: float, mirror_of: str | None = None
    ) -> SimulatedDomain:
        return SimulatedDomain(
            id=place,
            name=name,
            static_w=static_w * static_share,
            load_share=load_share,
            update_period_s=update_ms / 1000,
            jitter=_number(options, "jitter", 0.02),
            noise=_number(options, "noise", 0.0),
            quantum_j=None if quantum_uj is None else quantum_uj / 1e6,
            wraps_at_j=_number_or_none(options, "wrap_j"),
            start_j=_number_or_none(options, "start_j"),
            limit_w=_number_or_none(options, "limit_w") if name.startswith("package") else None,
            mirror_of=mirror_of,
            update_clock="rapl",
        )

    if battery:
        for option in _NOT_OF_A_BATTERY:
            if option in options:
                raise UsageError(f"option '{option}' is of counters; leave it out with 'battery'")
        return [domain("BAT0", "", 1.0, 1.0)]
    package, name = "intel-rapl:0", "package-0-die-0" if mirrored else "package-0"
    domains = [domain(package, name, 1.0, 1.0)]
    if _is_on(options, "psys"):
        domains.insert(0, domain(f"intel-rapl:{1 + mirrored}", "psys", 1.5, _PLATFORM_SHARE))
    domains.append(domain(f"{package}:0", "core", 0.25, _CORE_SHARE))
    if _is_on(options, "dram"):
        domains.append(domain(f"{package}:1", "dram", 0.1, _DRAM_SHARE))
    if mirrored:
        domains.append(domain("intel-rapl:1", "package-0-die-1", 1.0, 1.0, mirror_of=package))
    if _is_on(options, "mmio"):
        domains.append(domain("intel-rapl-mmio:0", name, 1.0, 1.0, mirror_of=package))
    return domains


def _fault(options: Mapping[str, str], usual_domain: str) -> SimulatedFault:
    kind, at, seconds = options["fault"].partition("@")
    known = [fault_kind.value for fault_kind in FaultKind if fault_kind is not FaultKind.LATE]
    if not at or kind not in known:
        raise UsageError(
            f"option 'fault' must be written as KIND@SECONDS with a kind of {', '.join(known)},"
            f" not '{options['fault']}'"
        )
    return SimulatedFault(
        at_s=_number({"fault": seconds}, "fault", 0.0),
        kind=FaultKind(kind),
        domain=options.get("fault_domain", usual_domain),
        step_j=_number(options, "step_j", 1.0),
    )


def _number(options: Mapping[str, str], name: str, usual: float) -> float:
    value = _number_or_none(options, name)
    return usual if value is None else value


def _number_or_none(options: Mapping[str, str], name: str) -> float | None:
    if name not in options:
        return None
    value = parse_number(options[name])
    if not math.isfinite(value):
        raise UsageError(f"option '{name}' must be a number, not '{options[name]}'")
    return value


def _is_on(options: Mapping[str, str], name: str) -> bool:
    word = options.get(name, "no").lower()
    if word not in _OPTION_WORDS:
        raise UsageError(f"option '{name}' must be yes or no, not '{options[name]}'")
    return _OPTION_WORDS[word]
