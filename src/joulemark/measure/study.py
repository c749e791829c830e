# SPDX-License-Identifier: Apache-2.0
"""The request of a user for one run, and its translation into a plan."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final

from joulemark import _core
from joulemark.catalogue import algorithms
from joulemark.errors import UnavailableError, UsageError
from joulemark.firmware.firmware_counts import MOST_BYTES
from joulemark.firmware.target import gate_targets
from joulemark.firmware.target import targets as firmware_targets
from joulemark.measure.cores import core_digest
from joulemark.measure.firmware_trials import (
    chosen_firmware,
    firmware_digest,
    firmware_facts,
    require_targets,
)
from joulemark.measure.inventory import Inventory, select_here
from joulemark.measure.plan import Effort, EnergyPlan, Plan, trials_for
from joulemark.measure.selection import (
    base_name,
    is_derived,
    is_for_small_machines,
    is_specimen,
    select,
)
from joulemark.records import Failure, Record
from joulemark.records.trial import (
    HOST,
    RTL,
    Cache,
    KeySetup,
    Mode,
    Trial,
    Workload,
    is_firmware,
    is_gates,
    mean_bytes,
)
from joulemark.units import format_bytes

# Finds the hardware cores that a user's patterns name.


def hint_at_core(patterns: Sequence[str], inventory: Inventory, error: UsageError) -> None:
    """Refuses a pattern that names a core where software is measured; says how to simulate it."""
    cores = {*inventory.cores, *(core.implementation for core in inventory.missing_cores)}
    for pattern in patterns:
        if pattern in cores:
            raise UsageError(f"{pattern} is a hardware core; add --target {RTL}") from error


def chosen_cores(patterns: Sequence[str], inventory: Inventory) -> list[str]:
    """Cores that the patterns name; without patterns, every core with its default parameters."""
    broken = [core for core in inventory.missing_cores if core.implementation.startswith("*/")]
    reasons = {
        core.implementation: core.reason for core in inventory.missing_cores if core not in broken
    }
    if not patterns:
        chosen = [name for name, core in inventory.cores.items() if not core.configured]
        named = [*chosen, *reasons]
    else:
        known = [*inventory.cores, *reasons]
        algorithms = ", ".join(sorted({name.split("/", 1)[0] for name in known})) or "nothing"
        for pattern in patterns:
            if base_name(pattern) != pattern:
                raise UsageError(f"'{pattern}': a simulation is exact, so a core has no twin")
        try:
            named = select(patterns, known)
        except UsageError as error:
            raise UsageError(f"on {RTL}: {error}; there are cores for {algorithms}") from error
        chosen = [name for name in named if name in inventory.cores]
    if not chosen and named:
        raise UnavailableError(f"{named[0]} is unavailable: {reasons[named[0]]}")
    if not chosen:
        why = broken[0].reason if broken else "hdl/ has none of an algorithm in the catalogue"
        raise UnavailableError(f"no hardware core can be simulated: {why}")
    return chosen


DEFAULT_SIZES_BYTES = (16, 64, 256, 1024, 4096, 16384, 65536)
BROAD_SIZES_BYTES = (16, 64, 1024, 16384)
"""Sizes at which every MAC is measured: with more sizes that takes longer than two minutes."""
CORE_SIZES_BYTES = (16, 64, 256, 1024)
"""Sizes at which cores are simulated: clocks over length are a line with steps of one block."""
FIRMWARE_SIZES_BYTES = (16, 33, 64, 256)
"""Sizes on firmware targets: a block, a packet of TinySec, and lengths that most have room for."""
MAX_TRIALS = 20_000
"""More trials would take hours, and are almost always a slip in a size range."""
MAX_BATCH_BYTES = 1 << 30
"""Most bytes of the messages of a batch together, unless it is a single message."""

_NOT_ON_CORES: Final = {
    "--cache cold": "a core has no cache",
    "--key": "a core's key set-up is counted apart, with every trial",
    "--batch": "a core takes messages one after another",
    "--mix": "clocks are counted length by length",
    "--energy": "a simulated core uses none; joulemark core report gives its power",
    "--modelled-power": "a simulated core has no time",
}
"""Option -> why a simulation of a hardware core has no answer to it."""
_NOT_ON_FIRMWARE: Final = {
    "--mode": "nothing overlaps on these processors, so a latency is the same",
    "--cache cold": "these processors have no cache that is looked at",
    "--key": "the key set-up is counted apart, with every trial",
    "--batch": "firmware takes messages one after another",
    "--mix": "core cycles are counted length by length",
    "--energy": "a simulated processor uses none",
    "--modelled-power": "a simulated processor has no time",
    "--size": f"firmware takes messages of at most {MOST_BYTES} bytes",
}
"""Option -> why a firmware target has no answer to it."""
_NOT_ON_GATES: Final = _NOT_ON_FIRMWARE | {
    "--energy": "the joules of a netlist are always given",
    "--modelled-power": "the power of a netlist follows from its cells",
}
"""Option -> why the netlist of a CPU has no answer to it."""


def is_target(name: str) -> bool:
    """Whether `--target` takes this name; manifests of firmware are read for other names alone."""
    return name in {HOST, RTL} or name in firmware_targets() or name in gate_targets()


def known_targets() -> tuple[str, ...]:
    """Every target, by the names that `--target` takes."""
    return (HOST, RTL, *firmware_targets(), *gate_targets())


STANDARD = Effort(rounds=30, window_ns=200_000, generations=10, visits=3000)
"""Windows are short, since a scheduler lets a thread run for some 3 ms at a time: a longer window
is nearly always interrupted where other programs run on the same CPU."""
QUICK = Effort(rounds=8, window_ns=200_000, generations=4)


@dataclass(frozen=True)
class Study(Record):
    """Algorithms, implementations, workloads and effort of one run."""

    patterns: tuple[str, ...]
    """Names and globs; empty for every MAC that somebody might choose for these batches. That
    leaves out specimens, MACs that the catalogue calls legacy or broken, and for single messages
    our variants with lanes."""
    sizes_bytes: tuple[int, ...] = DEFAULT_SIZES_BYTES
    modes: tuple[Mode, ...] = (Mode.THROUGHPUT,)
    caches: tuple[Cache, ...] = (Cache.HOT,)
    key_setups: tuple[KeySetup, ...] = (KeySetup.KEPT,)
    batches: tuple[int, ...] = (1,)
    """Numbers of messages handed over at a time."""
    mixes: tuple[str, ...] = ()
    """Mixes of lengths, as `joulemark.records.trial.parse_mix` writes them, beside the sizes."""
    effort: Effort = STANDARD
    energy: EnergyPlan | None = None
    """How energy is measured; None: not at all."""
    modelled_watts: float | None = None
    """Power that the user states for modelled joules, above 0; None: no modelled joules."""
    targets: tuple[str, ...] = (HOST,)

    def errors(self, failures: Iterable[Failure], inventory: Inventory) -> list[Failure]:
        """The failures for which a command ends as failed: those of code that misbehaved.

        Without patterns the outside libraries of this machine are chosen by us. One that computes
        something wrong, crashes or hangs there is named, and is a library less.
        """
        broken = [failure for failure in failures if failure.broken]
        if self.patterns:
            return broken
        libraries = {
            name
            for name, facts in inventory.facts.items()
            if (source := inventory.sources[facts.provider]).kind == "plugin"
            and not source.from_user
        }
        return [failure for failure in broken if base_name(failure.implementation) not in libraries]

    def workloads(self) -> list[Workload]:
        """Every combination of the study's choices that makes sense.

        A separate key for each message needs a batch, and a latency is that of single messages.
        """
        for target in filter(is_gates, self.targets):
            raise UsageError(f"--target {target}: 'joulemark bench' alone simulates netlists")
        if KeySetup.DISTINCT in self.key_setups and max(self.batches) == 1:
            raise UsageError(
                "--key distinct needs a --batch above 1: with one message at a time there is one "
                "key in use, which is --key kept"
            )
        if Mode.LATENCY in self.modes and min(self.batches) > 1:
            raise UsageError(
                "--mode latency is for single messages: those of a batch do not wait for one "
                "another; leave --mode or --batch out, or add 1 to --batch"
            )
        lengths = [(size, "") for size in self.sizes_bytes]
        lengths += [(round(mean_bytes(mix)), mix) for mix in self.mixes]
        for size, _ in lengths:
            if max(self.batches) > 1 and size > MAX_BATCH_BYTES // max(self.batches):
                raise UsageError(
                    f"a batch of {max(self.batches)} messages of {format_bytes(size)} is more than "
                    f"{format_bytes(MAX_BATCH_BYTES)}; name a smaller --batch or --size"
                )
        return [
            Workload(size, mode, cache, key_setup, batch, mix)
            for (size, mix), mode, cache, key_setup, batch in product(
                lengths, self.modes, self.caches, self.key_setups, self.batches
            )
            if not (batch == 1 and key_setup is KeySetup.DISTINCT)
            and not (batch > 1 and mode is Mode.LATENCY)
        ]

    def plan(self, inventory: Inventory) -> Plan:
        """The trials that this study means on this machine."""
        software, cores, firmware = self._names(inventory)
        facts = [inventory.facts_of(name) for name in software]
        trials = trials_for(facts, self.workloads()) if facts else []
        core_trials = [
            Trial(name, Workload(size, mode), RTL)
            for name, size, mode in product(cores, self.sizes_bytes, self.modes)
        ]
        if firmware:
            inventory.firmware = firmware_facts(firmware, self.targets)
        firmware_trials = [
            trial
            for target in filter(is_firmware, self.targets)
            for size in self.sizes_bytes
            for trial in trials_for(
                [inventory.firmware[name] for name in firmware], [Workload(size)], target
            )
        ]
        if not (trials or core_trials or firmware_trials):
            raise UsageError(
                "none of these implementations takes a message of these sizes; "
                "a block cipher takes whole blocks, a hash has no key to renew, and batches and "
                "mixes of lengths are for MACs"
            )
        count = len(trials) + len(core_trials) + len(firmware_trials)
        if count > MAX_TRIALS:
            raise UsageError(
                f"{count} trials are more than {MAX_TRIALS}; name fewer sizes or implementations"
            )
        return Plan(
            tuple(trials),
            self.effort.of_run(len(trials)),
            code_digest=(firmware_digest(firmware, self.targets) if firmware else "")
            + code_digest(inventory, software, cores),
            energy=self.energy,
            core_trials=tuple(core_trials),
            firmware_trials=tuple(firmware_trials),
        )

    def _names(self, inventory: Inventory) -> tuple[list[str], list[str], list[str]]:
        """Software, cores and implementations on firmware targets that the patterns name."""
        firmware: list[str] = []
        if any(map(is_firmware, self.targets)):
            self._refuse(next(filter(is_firmware, self.targets)), _NOT_ON_FIRMWARE)
            require_targets(self.targets)
            firmware = chosen_firmware(self.patterns)
        if HOST in self.targets or RTL in self.targets:
            return *self._names_without_firmware(inventory), firmware
        return [], [], firmware

    def _names_without_firmware(self, inventory: Inventory) -> tuple[list[str], list[str]]:
        if RTL not in self.targets:
            batches = any(batch > 1 for batch in self.batches)
            return _chosen_software(self.patterns, inventory, batches=batches), []
        self._refuse(RTL, _NOT_ON_CORES)
        if HOST not in self.targets:
            return [], chosen_cores(self.patterns, inventory)
        if not self.patterns:
            return _chosen_software((), inventory, batches=False), chosen_cores((), inventory)
        software: list[str] = []
        cores: list[str] = []
        for pattern in self.patterns:
            try:
                found = chosen_cores((pattern,), inventory)
            except UsageError:
                found = []
            cores += found
            try:
                software += _chosen_software((pattern,), inventory, batches=False)
            except UsageError:
                if not found:
                    raise
        return list(dict.fromkeys(software)), list(dict.fromkeys(cores))

    def require_gates(self) -> None:
        """Refuses options and targets that have no place beside the netlist of a CPU."""
        others = [target for target in self.targets if not is_gates(target)]
        if others:
            raise UsageError(
                f"--target {','.join(self.targets)}: netlists have another table than {others[0]}; "
                "run the command once for each"
            )
        self._refuse(self.targets[0], _NOT_ON_GATES)

    def _refuse(self, target: str, refusals: Mapping[str, str]) -> None:
        """Refuses options that a simulation has no answer to."""
        is_given = {
            "--mode": self.modes != (Mode.THROUGHPUT,),
            "--cache cold": self.caches != (Cache.HOT,),
            "--key": self.key_setups != (KeySetup.KEPT,),
            "--batch": self.batches != (1,),
            "--mix": bool(self.mixes),
            "--energy": self.energy is not None,
            "--modelled-power": self.modelled_watts is not None,
            "--size": any(size > MOST_BYTES for size in self.sizes_bytes),
        }
        for option, reason in refusals.items():
            if is_given[option]:
                raise UsageError(f"{option}: {reason}; leave it out with --target {target}")


def _chosen_software(patterns: Sequence[str], inventory: Inventory, *, batches: bool) -> list[str]:
    """Implementations that the patterns name; without patterns, every MAC that one might choose.

    Nobody should choose a MAC that the catalogue calls legacy or broken. Our variants with lanes
    leave single messages to another variant, which is listed too.
    """
    if not patterns:
        superseded = {
            algorithm.id for algorithm in algorithms().values() if algorithm.status != "current"
        }
        return [
            name
            for name, facts in inventory.facts.items()
            if facts.kind == "mac"
            and facts.chosen is None
            and name.split("/", 1)[0] not in superseded
            and not is_specimen(name)
            and not is_derived(name)
            and not is_for_small_machines(name)
            and (batches or facts.lanes == 1 or facts.provider != "joulemark")
        ]
    reasons = {
        failure.implementation: failure.reason
        for failure in inventory.unavailable
        if not failure.implementation.startswith("*/")
    }
    try:
        names = select_here(patterns, inventory, reasons)
    except UsageError as error:
        hint_at_core(patterns, inventory, error)
        raise
    here = [name for name in names if base_name(name) in inventory.facts]
    if not here:
        name = base_name(names[0])
        raise UnavailableError(f"{name} is unavailable: {reasons[name]}")
    return here


def code_digest(inventory: Inventory, names: Sequence[str], cores: Sequence[str] = ()) -> str:
    """SHA-256 over the code of the named implementations: compiled, or the sources of cores.

    A killed run is continued only with the very code that took its first samples.
    """
    digest = hashlib.sha256()
    manifests = {inventory.cores[name].manifest for name in cores}
    sources = {manifest: core_digest(manifest) for manifest in manifests}
    for name in cores:
        core = inventory.cores[name]
        built = f"{core.facts.compiler} {core.facts.flags}"
        digest.update(f"{name} {built} {sources[core.manifest]}".encode())
    for provider in sorted({inventory.source_of(name).name for name in names}):
        source = inventory.sources[provider]
        file = Path(source.path or _core.__file__)
        digest.update(provider.encode() + hashlib.sha256(file.read_bytes()).digest())
        facts = next(f for f in inventory.facts.values() if f.provider == provider)
        digest.update(facts.library_version.encode())
    return digest.hexdigest()
