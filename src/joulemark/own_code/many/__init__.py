# SPDX-License-Identifier: Apache-2.0
"""The fastest build of each of many implementations: of a folder, or of our own kernels.

Here our own kernels are compiled again, by any compiler with any flags, into a plugin, and all
builds are made. The files that are named are compiled; whatever else they need is linked as it is
installed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import Final

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from joulemark.catalogue import algorithms, data_folder
from joulemark.measure.inventory import inventory_of
from joulemark.measure.plan import EnergyPlan
from joulemark.measure.selection import select
from joulemark.measure.worker.sources import ImplementationSource, user_plugin_sources
from joulemark.own_code import Code, SourceFile
from joulemark.own_code.adapter import quoted
from joulemark.own_code.building import CompileError, Toolchain, Unit, compile_file, link
from joulemark.own_code.candidates import CompilerCandidate
from joulemark.own_code.ebacs import ImplementationTree
from joulemark.own_code.ebacs.builds import TreeRequest, plan_work, run_jobs
from joulemark.own_code.ebacs.outcomes import BuildJob, BuildOutcome, BuildVerdict

# Our own kernels compiled again, by any compiler with any flags, into a plugin.
#
# The files that are named are compiled; whatever else they need is linked as it is installed.

_LIBRARY: Final = "lib/libjoulemark.a"
_TABLE: Final = """\
#include <joulemark/kernel.h>
#include <string.h>

{declared}

static const char *version(void) {{
    return "as installed";
}}

static jm_implementation copies[{count}];
static const jm_implementation *list[{count}];
static jm_plugin plugin = {{
    .abi_version = JM_ABI_VERSION,
    .provider = {provider},
    .library_version = version,
    .compiler = {compiler},
    .flags = {flags},
    .implementations = list,
}};

/* Adds the implementation of an algorithm, one of `count`, under another variant's name. */
static void add(const jm_implementation *from, size_t count, const char *algorithm,
                const char *variant) {{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(from[i].algorithm, algorithm)) {{
            jm_implementation *copy = &copies[plugin.count];
            *copy = from[i];
            copy->variant = variant;
            list[plugin.count++] = copy;
        }}
}}

JM_API const jm_plugin *joulemark_plugin(void);

JM_API const jm_plugin *joulemark_plugin(void) {{
    if (!plugin.count) {{
{added}
    }}
    return &plugin;
}}
"""
_ADDED: Final = "        add({symbol}, {count}, {algorithm}, {variant});"


@dataclass(frozen=True, slots=True)
class RenamedKernel:
    """An implementation of ours under another variant's name."""

    symbol: str
    """Name in C of its table, or of an array of tables."""
    algorithm: str
    variant: str
    """The new name."""
    array_bytes: int | None = None
    """Size of the array; None: it is one table."""


def kernel_code(sources: Sequence[str]) -> Code:
    """Files of our kernels, by their places in the folder of kernels, and the installed library."""
    folder = data_folder("kernels")
    files = [SourceFile(name, folder / name) for name in sources]
    library = data_folder("c") / _LIBRARY
    return Code(
        (*files, SourceFile(library.name, library)), (folder, folder / "include"), "our kernels"
    )


def build_kernels(
    code: Code, renamed: Sequence[RenamedKernel], provider: str, tools: Toolchain, plugin: Path
) -> tuple[Unit, ...]:
    """Builds a plugin of implementations that are there already, under other names.

    Args:
        code: what is compiled.
        renamed: the implementations, each of another algorithm or variant.
        provider: the plugin's name.
        tools: compiler, flags, and the folder of all objects.
        plugin: the shared object to be made.

    Raises:
        CompileError: the compiler or the linker refuses a file.
    """
    units = tuple(
        compile_file(tools, file.path, code, shown=file.given)
        for file in code.files
        if file.is_compiled
    )
    table = tools.scratch / "table.c"
    table.write_text(_table(renamed, provider, tools), "utf-8")
    own = compile_file(tools, table, code, shown="the table of the plugin", own=True)
    link(tools, [*units, own], code, plugin)
    return units


def _table(renamed: Sequence[RenamedKernel], provider: str, tools: Toolchain) -> str:
    symbols = dict.fromkeys(kernel.symbol for kernel in renamed)
    return _TABLE.format(
        declared="\n".join(f"extern const jm_implementation {symbol}[];" for symbol in symbols),
        count=len(renamed),
        provider=quoted(provider),
        compiler=quoted(tools.compiler.version),
        flags=quoted(" ".join(tools.flags)),
        added="\n".join(
            _ADDED.format(
                symbol=kernel.symbol,
                count=f"{kernel.array_bytes} / sizeof(jm_implementation)"
                if kernel.array_bytes
                else 1,
                algorithm=quoted(kernel.algorithm),
                variant=quoted(kernel.variant),
            )
            for kernel in renamed
        ),
    )


# Builds of many implementations: of a tree in the layout of eBACS, or of our own kernels.
#
# Builds are made one compiler and set of flags at a time, the usual one first, as long as half of
# the time lasts.

Begun = Callable[[int, int, str], None]
"""Is told of the number of the builds that are begun, of all builds, and of the next file."""
INSTALLED: Final = "as installed"
"""The default build of our own kernels."""


@dataclass(frozen=True, slots=True)
class ManyRequest:
    """A search for the fastest build of each implementation."""

    candidates: tuple[CompilerCandidate, ...]
    """Compilers with flags, the usual one first."""
    sizes_bytes: tuple[int, ...]
    budget_s: float
    begun_s: float
    cpu: int | None
    energy: EnergyPlan | None
    """How joules are metered, by which builds are then chosen; None: they are chosen by time."""
    patterns: tuple[str, ...] = ()
    """Patterns of our kernels; empty for a tree."""
    tree: ImplementationTree | None = None
    tree_request: TreeRequest | None = None

    @property
    def build_until_s(self) -> float:
        """Moment of the monotonic clock after which no build begins but the first."""
        return self.begun_s + self.budget_s / 2

    @property
    def end_s(self) -> float:
        """Moment of the monotonic clock at which the budget ends."""
        return self.begun_s + self.budget_s


@dataclass(slots=True)
class ManyBuilds:
    """Builds of many implementations."""

    of: dict[str, dict[str, str]] = field(default_factory=dict)
    """Implementation -> name of each build of it -> compiler and flags; the default one first."""
    sources: list[ImplementationSource] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """Sentences on builds that are not right."""
    unreached: list[str] = field(default_factory=list)
    """Compilers with flags for which the time was too short."""

    def add(self, implementation: str, build: str, name: str) -> None:
        """Takes a build."""
        self.of.setdefault(implementation, {})[build] = name


# Our own kernels: the file of each variant that this CPU prefers, found by its name in C.

_HEADER_BYTES: Final = 60
_MAGIC: Final = b"!<arch>\n"


def _members(archive: bytes) -> Iterator[tuple[str, bytes]]:
    """Names and contents of the objects in an archive of GNU ar (ar(5))."""
    long_names, at = b"", len(_MAGIC)
    while at + _HEADER_BYTES <= len(archive):
        header = archive[at : at + _HEADER_BYTES]
        name, size = header[:16].rstrip(), int(header[48:58])
        content = archive[at + _HEADER_BYTES : at + _HEADER_BYTES + size]
        at += _HEADER_BYTES + size + size % 2
        if name == b"//":
            long_names = content
        elif name not in {b"/", b"/SYM64/"}:
            if name[:1] == b"/":
                name = long_names[int(name[1:]) :].partition(b"/\n")[0]
            yield name.rstrip(b"/").decode(), content


def files_of(preferred: Mapping[str, str]) -> dict[str, list[RenamedKernel]]:
    """File of the kernels -> implementations in it; `preferred` has the variant of an algorithm.

    Algorithms on Keccak's permutation have one array of tables, all others have a table each.
    """
    folder, found = data_folder("kernels"), dict[str, list[RenamedKernel]]()
    for member, content in _members((data_folder("c") / "lib/libjoulemark.a").read_bytes()):
        table = ELFFile(BytesIO(content)).get_section_by_name(".symtab")
        if not isinstance(table, SymbolTableSection):
            continue
        sizes = {
            entry.name: int(entry["st_size"])
            for entry in table.iter_symbols()
            if entry["st_shndx"] != "SHN_UNDEF" and entry.name.startswith("jm_")
        }
        here = []
        for algorithm, variant in preferred.items():
            single, array = f"jm_{algorithm.replace('-', '_')}_{variant}", f"jm_keccak_{variant}"
            if single in sizes:
                here.append(RenamedKernel(single, algorithm, variant))
            elif array in sizes and "keccak" in algorithms()[algorithm].families:
                here.append(RenamedKernel(array, algorithm, variant, sizes[array]))
        places = [*folder.glob(f"*/{member.removesuffix('.o')}")] if here else []
        if len(places) == 1:
            found[str(places[0].relative_to(folder))] = here
    alone = {
        kernel.algorithm for here in found.values() for kernel in here if not kernel.array_bytes
    }
    of_file = {
        file: [kernel for kernel in here if not kernel.array_bytes or kernel.algorithm not in alone]
        for file, here in found.items()
    }
    return {file: here for file, here in of_file.items() if here}


def kernel_builds(wanted: ManyRequest, folder: Path, begun: Begun) -> ManyBuilds:
    """The variants that this CPU prefers, of the algorithms that the patterns name."""
    inventory = inventory_of()
    asked = dict.fromkeys(
        name.partition("/")[0] for name in select(wanted.patterns, inventory.facts)
    )
    preferred = {
        algorithm: auto.chosen
        for algorithm in asked
        if (auto := inventory.facts.get(f"{algorithm}/auto")) is not None and auto.chosen
    }
    files, made = files_of(preferred), ManyBuilds()
    in_files = {kernel.algorithm for here in files.values() for kernel in here}
    for algorithm, variant in preferred.items():
        name = f"{algorithm}/{variant}"
        if algorithm in in_files:
            made.add(name, name, INSTALLED)
        else:
            made.refused.append(f"{name}: no single file has its code")
    for number, candidate in enumerate(wanted.candidates):
        for place, (file, here) in enumerate(files.items()):
            if number and time.monotonic() > wanted.build_until_s:
                made.unreached.append(candidate.name)
                break
            begun(number, len(wanted.candidates), f"{candidate.name}: {file}")
            scratch = folder / f"{number}-{place}"
            scratch.mkdir()
            tools = Toolchain(candidate.compiler, candidate.flag_set.flags, scratch)
            renamed = [
                replace(kernel, variant=f"{kernel.variant}-{candidate.suffix}") for kernel in here
            ]
            provider, plugin = f"kernels-{number}-{place}", scratch / "plugin.so"
            try:
                build_kernels(kernel_code([file]), renamed, provider, tools, plugin)
            except CompileError as error:
                made.refused.append(f"{candidate.name}: {error} ({'; '.join(error.lines[:1])})")
                continue
            made.sources.append(
                ImplementationSource(
                    provider,
                    f"{file} by {candidate.name}",
                    "plugin",
                    str(plugin),
                    None,
                    from_user=True,
                    passing=True,
                )
            )
            for kernel in here:
                name = f"{kernel.algorithm}/{kernel.variant}"
                made.add(name, f"{name}-{candidate.suffix}", candidate.name)
    return made


# A tree of folders: what `joulemark add DIR` builds, in a folder that is gone afterwards.


def tree_builds(
    wanted: ManyRequest,
    tree: ImplementationTree,
    request: TreeRequest,
    folder: Path,
    begun: Begun,
) -> ManyBuilds:
    """The builds of a tree, by the compilers and flags of the request."""
    work, made = plan_work(tree, replace(request, folder=folder)), ManyBuilds()
    made.refused += [_refusal(outcome) for outcome in work.known]

    def keep(job: BuildJob, outcome: BuildOutcome) -> None:
        if outcome.verdict is BuildVerdict.RIGHT and outcome.name:
            made.add(job.place.text, outcome.name, f"{job.compiler.name} {job.flag_set}")
        else:
            made.refused.append(_refusal(outcome))

    for number, candidate in enumerate(wanted.candidates):
        if number and time.monotonic() > wanted.build_until_s:
            made.unreached.append(candidate.name)
            continue
        begun(number, len(wanted.candidates), candidate.name)
        jobs = [
            job
            for job in work.jobs
            if (job.compiler, job.flag_set) == (candidate.compiler, candidate.flag_set.name)
        ]
        run_jobs(jobs, folder, keep, len(os.sched_getaffinity(0)))
    made.sources += user_plugin_sources(set(), folder)
    return made


def _refusal(outcome: BuildOutcome) -> str:
    build = f" ({outcome.compiler} {outcome.flag_set})" if outcome.compiler else ""
    return f"{outcome.implementation}{build} {outcome.verdict.value}: {outcome.reason}"
