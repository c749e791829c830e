# SPDX-License-Identifier: Apache-2.0
"""The programs by both fillings as other compilers build them: the kernel alone, in one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.analyse.assemble import result_set
from joulemark.errors import ImplementationError, UnavailableError
from joulemark.measure.inventory import take_inventory
from joulemark.measure.plan import EnergyPlan
from joulemark.measure.worker.sources import OWN_KERNELS, ImplementationSource, workshop
from joulemark.own_code.building import CompileError, Compiler, Toolchain, find_compiler
from joulemark.own_code.candidates import flag_sets_named
from joulemark.own_code.many import RenamedKernel, build_kernels, kernel_code
from joulemark.processes.tool import Limits
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial, Workload
from joulemark.studies.castellon2022.findings import (
    CompilerFindings,
    EventSeries,
    compare,
    energies,
)
from joulemark.studies.castellon2022.regimes import VARIANTS, common_rounds, kernel_plan
from joulemark.studies.castellon2022.through_ctypes import CastellonLibrary, check_programs
from joulemark.studies.equipment import CpuEquipment

_SOURCES: Final = (
    "castellon2022/castellon2022_ecm.c",
    "castellon2022/castellon2022_standard.c",
    "castellon2022/castellon2022_table.c",
    "castellon2022/sha256_textbook.c",
    "castellon2022/called.c",
)
_SYMBOL: Final = "jm_hmac_sha256_castellon2022_{}"
_FLAGS: Final = flag_sets_named(["O3-baseline"])[0].flags


@dataclass(frozen=True, slots=True)
class CompilerWork:
    """What is measured of each compiler."""

    compilers: Sequence[Compiler]
    sizes_bytes: Sequence[int]
    repetitions: int
    window_ns: int
    energy: EnergyPlan | None
    study: Mapping[str, str]
    """Facts that are kept with the run."""
    fresh: bool


def compilers_named(names: Sequence[str]) -> list[Compiler]:
    """The compilers that were named, each once."""
    return [find_compiler(name, Limits()) for name in dict.fromkeys(names)]


def measure_compilers(
    work: CompilerWork, equipment: CpuEquipment
) -> tuple[list[CompilerFindings], str | None]:
    """Builds, compares tags, and measures; returns the findings, and why there is no energy."""
    with workshop(equipment.folder) as folder:
        built = [_built(compiler, work.sizes_bytes, folder) for compiler in work.compilers]
        inventory = take_inventory([OWN_KERNELS, *built])
        named = {compiler.name: _names(compiler) for compiler in work.compilers}
        names = [name for by_program in named.values() for name in by_program.values()]
        for name in names:
            if name not in inventory.facts:
                raise ImplementationError(f"{name} cannot be loaded after it was built")
        trials = [Trial(name, Workload(0)) for name in names]
        plan = kernel_plan(
            inventory, trials, work.sizes_bytes, work.repetitions, work.window_ns, work.energy
        )
        outcome = equipment.run(plan, work.study, fresh=work.fresh, inventory=inventory)
        for failure in outcome.failures:
            raise ImplementationError(f"{failure.implementation}: {failure.reason}")
    samples = equipment.store.samples(outcome.run_id)
    results = equipment.store.settle(lambda shared: result_set(shared, outcome.run_id)).results
    found = [
        CompilerFindings(
            compiler=compiler.name,
            version=compiler.version,
            flags=" ".join(_FLAGS),
            kernel=compare(series_of(samples, named[compiler.name], work.sizes_bytes)),
            energy=energies(results, named[compiler.name], work.sizes_bytes),
        )
        for compiler in work.compilers
    ]
    return found, outcome.no_energy


def series_of(
    samples: Mapping[Trial, list[RawSample]], names: Mapping[str, str], sizes_bytes: Sequence[int]
) -> dict[int, EventSeries]:
    """The series of programs at each size; `names` has the implementation of each program."""
    series = {}
    for size in sizes_bytes:
        at_size = {
            trial.implementation: taken
            for trial, taken in samples.items()
            if trial.workload.size_bytes == size
        }
        programs, generations = common_rounds({key: at_size[names[key]] for key in names})
        series[size] = EventSeries(programs=programs, processes=generations)
    return series


def _names(compiler: Compiler) -> dict[str, str]:
    return {program: f"{name}-{compiler.name}" for program, name in VARIANTS.items()}


def _built(compiler: Compiler, sizes_bytes: Sequence[int], folder: Path) -> ImplementationSource:
    """The programs by one compiler, after each gave the tag of Python's hmac at every size."""
    scratch = folder / compiler.name
    scratch.mkdir()
    plugin, provider = scratch / "plugin.so", f"castellon2022-{compiler.name}"
    renamed = [
        RenamedKernel(_SYMBOL.format(program), name.partition("/")[0], name.partition("/")[2])
        for program, name in _names(compiler).items()
    ]
    try:
        build_kernels(
            kernel_code(_SOURCES), renamed, provider, Toolchain(compiler, _FLAGS, scratch), plugin
        )
    except CompileError as error:
        raise UnavailableError(
            f"--compiler {compiler.name}: {error} ({'; '.join(error.lines[:1])})"
        ) from None
    library = CastellonLibrary(plugin)
    for size in sizes_bytes:
        check_programs(library, bytes(place % 251 for place in range(size)))
    title = f"castellon2022 by {compiler.name}"
    return ImplementationSource(provider, title, "plugin", str(plugin), None, passing=True)
