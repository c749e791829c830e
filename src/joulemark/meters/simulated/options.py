# SPDX-License-Identifier: Apache-2.0
"""A simulated machine from a line of text: `static_w=12,active_w=30,noise=0.01,psys=yes`.

A machine always has one Intel-like package with its cores; options add other domains. `HELP` lists
the options with their meaning.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from joulemark.errors import UsageError
from joulemark.meters.simulated.config import CommandPower, DaemonConfig
from joulemark.meters.simulated.domain import Fault, FaultKind, SimulatedDomain

HELP: Final[Mapping[str, str]] = {
    "static_w": "power of the package when nothing runs (10)",
    "active_w": "power that a watched process adds to it while it runs (20)",
    "update_ms": "period of the counters' updates (1)",
    "jitter": "deviation of each update's instant, in periods (0.02)",
    "noise": "relative deviation of each increment (0)",
    "wrap_j": "energy after which the counters wrap (2^32 steps)",
    "quantum_uj": "step of the counters in microjoules (61.035)",
    "start_j": "energy that the counters show at first (0)",
    "limit_w": "power limit that the package states (none)",
    "seed": "seed of jitter and noise (0)",
    "dram": "yes: memory beside the package",
    "mirrored": "yes: a second die whose counter repeats the first one's",
    "psys": "yes: a platform domain that contains the package",
    "mmio": "yes: the package a second time, through MMIO",
    "permission": "yes: no counter may be read",
    "fault": "KIND@SECONDS, of: permission, vanish, stuck, negative_step, charging, reset",
    "fault_domain": "domain of the fault (intel-rapl:0)",
    "step_j": "joules by which negative_step falls (1)",
    "watts/PATTERN": "power of processes whose command line matches the regular expression",
}
_WORDS: Final = {"yes": True, "no": False, "1": True, "0": False, "true": True, "false": False}
_WATTS: Final = "watts/"
_CORE_SHARE: Final = 0.8
_DRAM_SHARE: Final = 0.05
_PLATFORM_SHARE: Final = 1.1


def parse_options(text: str) -> DaemonConfig:
    """The machine that `text` describes; the empty text is the usual one.

    Raises:
        UsageError: an option is unknown or its value makes no sense.
    """
    options, powers = _split(text)
    domains = _domains(options)
    faults = []
    if _is_on(options, "permission"):
        faults += [Fault(0.0, FaultKind.PERMISSION, domain.id) for domain in domains]
    if "fault" in options:
        faults.append(_fault(options))
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
    mirrored = _is_on(options, "mirrored")

    def domain(
        place: str, name: str, static_share: float, load_share: float, mirror_of: str | None = None
    ) -> SimulatedDomain:
        return SimulatedDomain(
            id=place,
            name=name,
            static_w=static_w * static_share,
            load_share=load_share,
            update_period_s=_number(options, "update_ms", 1.0) / 1000,
            jitter=_number(options, "jitter", 0.02),
            noise=_number(options, "noise", 0.0),
            quantum_j=_number(options, "quantum_uj", 61.035) / 1e6,
            wraps_at_j=_number_or_none(options, "wrap_j"),
            start_j=_number_or_none(options, "start_j"),
            limit_w=_number_or_none(options, "limit_w") if name.startswith("package") else None,
            mirror_of=mirror_of,
            update_clock="rapl",
        )

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


def _fault(options: Mapping[str, str]) -> Fault:
    kind, at, seconds = options["fault"].partition("@")
    known = [fault_kind.value for fault_kind in FaultKind if fault_kind is not FaultKind.LATE]
    if not at or kind not in known:
        raise UsageError(
            f"option 'fault' must be written as KIND@SECONDS with a kind of {', '.join(known)},"
            f" not '{options['fault']}'"
        )
    return Fault(
        at_s=_number({"fault": seconds}, "fault", 0.0),
        kind=FaultKind(kind),
        domain=options.get("fault_domain", "intel-rapl:0"),
        step_j=_number(options, "step_j", 1.0),
    )


def _number(options: Mapping[str, str], name: str, usual: float) -> float:
    value = _number_or_none(options, name)
    return usual if value is None else value


def _number_or_none(options: Mapping[str, str], name: str) -> float | None:
    if name not in options:
        return None
    try:
        value = float(options[name])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"option '{name}' must be a number, not '{options[name]}'")
    return value


def _is_on(options: Mapping[str, str], name: str) -> bool:
    word = options.get(name, "no").lower()
    if word not in _WORDS:
        raise UsageError(f"option '{name}' must be yes or no, not '{options[name]}'")
    return _WORDS[word]
