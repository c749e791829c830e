# SPDX-License-Identifier: Apache-2.0
"""Implementations on firmware targets: those that a user's patterns name, and their facts."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from joulemark import __version__
from joulemark.catalogue.algorithms import algorithms
from joulemark.errors import UnavailableError, UsageError
from joulemark.firmware.build import (
    KernelSources,
    compiler_version,
    every_implementation,
    flags_text,
)
from joulemark.firmware.firmware_counts import missing
from joulemark.firmware.target import firmware_folder, target_named
from joulemark.measure.planning.trials import base_name, select
from joulemark.records.implementation import ImplementationFacts
from joulemark.records.trial import is_firmware


def require_targets(targets: Sequence[str]) -> None:
    """Refuses targets that do not exist, or that cannot be simulated here."""
    for name in targets:
        if is_firmware(name):
            lacking = missing(target_named(name))
            if lacking is not None:
                raise UnavailableError(f"{name} cannot be simulated here: it {lacking}")


def chosen_firmware(patterns: Sequence[str]) -> list[str]:
    """Implementations that the patterns name; without patterns, every MAC."""
    known = every_implementation()
    if not patterns:
        facts = algorithms()
        return [name for name, kernel in known.items() if facts[kernel.algorithm].kind == "mac"]
    for pattern in patterns:
        if base_name(pattern) != pattern:
            raise UsageError(f"'{pattern}': a simulation is exact, so it needs no twin")
        algorithm, _, variant = pattern.partition("/")
        if variant == "auto":
            raise UsageError(
                f"'{pattern}': on the host auto asks the CPU which variant it can run; on firmware "
                f"targets ask for '{algorithm}', whose variants are counted and the fastest stands "
                "first"
            )
    try:
        return select(patterns, known, small_machine=True)
    except UsageError as error:
        there = ", ".join(sorted({kernel.algorithm for kernel in known.values()}))
        raise UsageError(f"on firmware targets: {error}; there is code for {there}") from error


def firmware_facts(names: Sequence[str], targets: Sequence[str]) -> dict[str, ImplementationFacts]:
    """The facts of implementations before they are built.

    Compiler and flags are those of all targets; each count has those of its target. No claim about
    constant time is made for these machines.
    """
    known = every_implementation()
    there = [target_named(name) for name in targets if is_firmware(name)]
    compilers = _join(
        {target.name: compiler_version(target.toolchain.compiler) for target in there}
    )
    flags = _join({target.name: flags_text(target) for target in there})
    return {name: _facts(known[name], compilers, flags) for name in names}


def _join(texts: Mapping[str, str]) -> str:
    """The text that all targets share, or else each text with its target."""
    if len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    return "; ".join(f"{name}: {text}" for name, text in texts.items())


def _facts(kernel: KernelSources, compiler: str, flags: str) -> ImplementationFacts:
    algorithm = algorithms()[kernel.algorithm]
    keys = algorithm.key_bytes
    return ImplementationFacts(
        implementation=kernel.name,
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
    )


def firmware_digest(names: Sequence[str], targets: Sequence[str]) -> str:
    """SHA-256 of the sources of these implementations, of the firmware folder and of compilers."""
    digest = hashlib.sha256()
    known = every_implementation()
    files = {path for name in names for path in known[name].files}
    files |= {path for path in firmware_folder().rglob("*") if path.is_file()}
    for path in sorted(files):
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    for name in targets:
        if is_firmware(name):
            digest.update(compiler_version(target_named(name).toolchain.compiler).encode())
    return digest.hexdigest()
