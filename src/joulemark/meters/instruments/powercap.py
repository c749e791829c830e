# SPDX-License-Identifier: Apache-2.0
"""RAPL energy counters, and power zones of Arm machines, through the kernel's powercap files.

Format: Documentation/power/powercap/powercap.rst and Documentation/ABI/testing/sysfs-class-powercap
of Linux. Each zone is a folder with `name`, `energy_uj`, `max_energy_range_uj` and, where the
processor has power limits, `constraint_*` files. Whether a zone is `enabled` concerns its limits;
it counts either way.

The kernel keeps its energy unit in whole picojoules, so its microjoules are up to 52 parts per
million low (ESU 16: 15 258 for 15 258.8 pJ). That is far below RAPL's own error, and not corrected.

Arm machines whose firmware speaks SCMI have zones of the control type `arm-scmi`
(drivers/powercap/arm_scmi_powercap.c), whose names the firmware gives. Linux shows no `energy_uj`
of them but their power, `power_uw`, a mean over an interval that the firmware chooses; so they are
gauges. A zone that has `energy_uj` is read as a counter whatever its control type.

This meter is preferred to perf events, which read the same counters: a counter here runs on from
process to process, states its range, and needs no timer of the kernel during a window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.meters import (
    Meter,
    MeterError,
    MeterRefusal,
    Reading,
    Roots,
    Survey,
    rapl,
    rapl_access,
    read_count,
    read_text,
    text_or_none,
)
from joulemark.meters.rapl import ceiling_w, power_limits
from joulemark.records.energy_window import Domain, DomainKind, Fault, Quantity
from joulemark.records.figures import Evidence

NAME: Final = "powercap"
TITLE: Final = "RAPL through powercap"
PREFERENCE: Final = 50

_TITLE_OF_SCMI: Final = "SCMI zones through powercap"
_MICRO: Final = 1e-6
_SCMI: Final = "arm-scmi"
_POWER: Final = "power_uw"
_SCMI_STEP_W: Final = 1e-3
"""The firmware counts in milliwatts or microwatts, and the kernel does not say which."""


@dataclass(frozen=True, slots=True)
class _Zone:
    """A zone as its folder and its names describe it; its counter has not been read."""

    id: str
    folder: Path
    control: str
    path: tuple[int, ...]
    """Index at each level of powercap's own tree."""
    names: tuple[str, ...]
    """Names from the root zone down to this one."""

    @property
    def name(self) -> str:
        return self.names[-1]

    @property
    def kind(self) -> DomainKind:
        return DomainKind.RAIL if self.control == _SCMI else rapl.kind_of(self.name)

    @property
    def package(self) -> int | None:
        return rapl.package_of(self.names[0])

    @property
    def rank(self) -> tuple[bool, bool, str, tuple[int, ...]]:
        """Parents before children: the first psys, others, then powercap's own order."""
        return (self.kind is not DomainKind.PSYS, self.package is not None, self.control, self.path)


class Powercap(Meter):
    """The zones `intel-rapl`, `intel-rapl-mmio` and `arm-scmi` under class/powercap."""

    title = TITLE

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        self._folder = roots.sysfs / "class/powercap"
        listed = self._zone_ids()
        if listed and all(name.startswith(_SCMI) for name in listed):
            self.title = _TITLE_OF_SCMI
        self._files: dict[str, Path] = {}

    def survey(self) -> Survey:
        """Reads every zone once."""
        zones: list[_Zone] = []
        refused: list[MeterRefusal] = []
        faults: list[Fault] = []
        one_core = rapl_access.of_one_core(self._roots)
        for name in self._zone_ids():
            try:
                zone = self._zone(name)
                read_count(_file_of(zone.folder))
            except MeterError as error:
                faults.append(error.fault)
                refused.append(self._refusal(name, error))
                continue
            if one_core is not None and zone.kind is DomainKind.CORE:
                refused.append(MeterRefusal(name, one_core))
            else:
                zones.append(zone)
        trust_facts = rapl_access.trust_facts(self._roots)
        facts = {
            "control_types": sorted({name.partition(":")[0] for name in self._zone_ids()}),
            "kernel": text_or_none(self._roots.proc / "sys/kernel/osrelease"),
            "power_limits": power_limits(self._folder),
            **trust_facts,
        }
        if zones:
            zones.sort(key=lambda zone: zone.rank)
            trust = rapl_access.trust_note(trust_facts)
            domains = tuple(_domain(zone, zones, trust) for zone in zones)
            return Survey(domains=domains, refused=tuple(refused), facts=facts)
        reason, remedy = self._why_none(refused, faults)
        return Survey(refused=tuple(refused), reason=reason, remedy=remedy, facts=facts)

    def read(self, domain: str) -> Reading:
        """Reads the counter or the gauge of one zone."""
        path = self._files.get(domain)
        if path is None:  # made once: a poll reads every few microseconds
            if not rapl.ZONE.fullmatch(domain):
                reason = f"powercap has no zone '{domain}' (joulemark doctor)"
                raise MeterError(Fault.VANISHED, reason)
            path = self._files[domain] = _file_of(self._folder / domain)
        before_ns = self._roots.now_ns()
        counts = read_count(path)
        return Reading(before_ns, self._roots.now_ns(), counts)

    def evidence(self) -> Evidence:
        """SIMULATED where the tree has the mark of a test double; MODELLED in a virtual machine."""
        return rapl_access.evidence(self._roots)

    def _zone_ids(self) -> list[str]:
        """Ids of the zones; the folder lists sub-zones beside their parents."""
        try:
            names = [path.name for path in self._folder.iterdir()]
        except OSError:
            return []
        return sorted(name for name in names if rapl.ZONE.fullmatch(name))

    def _zone(self, name: str) -> _Zone:
        control, *indices = name.split(":")
        lineage = [":".join([control, *indices[:depth]]) for depth in range(1, len(indices) + 1)]
        names = tuple(read_text(self._folder / folder / "name") for folder in lineage)
        path = tuple(int(index, 16) for index in indices)
        return _Zone(name, self._folder / name, control, path, names)

    def _hidden(self, name: str) -> bool:
        folder = self._folder / name
        return folder.is_symlink() and not folder.exists()

    def _refusal(self, name: str, error: MeterError) -> MeterRefusal:
        if error.fault is Fault.PERMISSION:
            return MeterRefusal(name, str(error), rapl_access.energy_file_remedy())
        if self._hidden(name):
            return MeterRefusal(name, *rapl_access.HIDDEN)
        return MeterRefusal(name, str(error))

    def _why_none(
        self, refused: Sequence[MeterRefusal], faults: Sequence[Fault]
    ) -> tuple[str, str | None]:
        if Fault.PERMISSION in faults:
            return rapl_access.only_root(), rapl_access.energy_file_remedy()
        if not refused:
            return rapl_access.no_rapl(self._roots, "intel_rapl_msr")
        if any(self._hidden(refusal.what) for refusal in refused):
            return rapl_access.HIDDEN
        return f"no zone can be read; {refused[0].what}: {refused[0].reason}", None


def make(roots: Roots, argument: str | None) -> Powercap:
    """The meter; it takes no argument."""
    Powercap.refuse_argument(NAME, argument)
    return Powercap(roots)


def _file_of(folder: Path) -> Path:
    """The counter of energy of a zone; its gauge of power where it has only that."""
    energy, power = folder / "energy_uj", folder / _POWER
    return power if power.exists() and not energy.exists() else energy


def _domain(zone: _Zone, zones: Sequence[_Zone], trust: str | None) -> Domain:
    range_uj = rapl.range_of(zone.folder)
    note, missing = rapl.NOTES.get(zone.kind), None
    if zone.kind is DomainKind.RAIL:
        kind_of_name = "the name of the firmware" if zone.control == _SCMI else "the unknown name"
        note = f"a zone of {kind_of_name} '{zone.name}'; what it includes is not known"
    is_gauge = _file_of(zone.folder).name == _POWER
    if is_gauge:
        step = _SCMI_STEP_W
    elif range_uj is None:
        step = rapl.supposed_step_j(zone.kind)
        missing = "max_energy_range_uj does not say where it wraps, so a decrease is unknown"
    else:
        step = rapl.step_of(range_uj)
    return Domain(
        id=zone.id,
        name=zone.name,
        kind=zone.kind,
        quantity=Quantity.POWER if is_gauge else Quantity.ENERGY,
        per_count=_MICRO,
        resolution=step,
        parent=_parent(zone, zones),
        same_as=_twin(zone, zones),
        wraps_at_counts=None if range_uj is None or is_gauge else rapl.modulus_uj(range_uj),
        max_power_w=ceiling_w(zone.folder, zone.kind),
        package=zone.package,
        die=rapl.die_of(zone.names[0]),
        note=rapl.join_notes(note, missing, trust),
    )


def _parent(zone: _Zone, zones: Sequence[_Zone]) -> str | None:
    """Id of the smallest readable zone that contains this one.

    Powercap lists memory below its package, but the energy of a package does not include that of
    its memory; so the parent of memory is psys.
    """
    if zone.kind is not DomainKind.DRAM:
        above = [
            other
            for other in zones
            if other.control == zone.control
            and len(other.path) < len(zone.path)
            and zone.path[: len(other.path)] == other.path
            and other.kind is not DomainKind.DRAM
        ]
        if above:
            return max(above, key=lambda other: len(other.path)).id
    platforms = {
        other.id: other.package
        for other in zones
        if other.kind is DomainKind.PSYS and other.id != zone.id
    }
    if zone.kind is DomainKind.PSYS:
        return None if zone.package is None else rapl.container(platforms, None)
    return rapl.container(platforms, zone.package)


def _twin(zone: _Zone, zones: Sequence[_Zone]) -> str | None:
    """Id of the readable zone that reads this zone's counter through a model-specific register.

    The zones of `intel-rapl-mmio` read the counters through memory. The two are matched by their
    names, since their indices need not agree.
    """
    if not zone.control.endswith("-mmio"):
        return None
    same = (
        other.id for other in zones if other.control != zone.control and other.names == zone.names
    )
    return next(same, None)
