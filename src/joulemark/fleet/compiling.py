# SPDX-License-Identifier: Apache-2.0
"""Has the workers of a cluster compile the candidates of a search for flags.

Only compiling is spread: the machine of the command checks and times each compiled candidate. A
worker compiles only if it has that machine's sources, compiler and kind of CPU, on which
`-march=native` depends. The command itself compiles the candidates that no worker may compile.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from distributed import Client

from joulemark.environment import cpu
from joulemark.environment.cpu import SystemFiles
from joulemark.errors import JoulemarkError, UnavailableError
from joulemark.fleet.dispatch import Dispatch, WorkerJob
from joulemark.fleet.watching import beside_measuring
from joulemark.own_code.building import digest_of, find_compiler
from joulemark.own_code.tuning.making import (
    CompiledCandidate,
    CompileOrder,
    RefusedCandidate,
    SpreadCompiling,
    compile_here,
)


@dataclass(frozen=True, slots=True)
class _Order:
    order: CompileOrder
    files: Mapping[str, str]
    """Absolute path of each file of the user -> its digest."""
    cpu: str
    """The CPU of the command that asks."""


@dataclass(frozen=True, slots=True)
class _PluginPart:
    """A plugin on its way back."""

    compiled: CompiledCandidate
    content: bytes
    read: Mapping[str, str]
    """Each file that the compiler read in the worker -> its digest."""


def compiled_over(client: Client, say: Callable[[str], None]) -> SpreadCompiling:
    """The function by which `make_candidates` has the workers of a scheduler compile candidates.

    Args:
        client: of the scheduler.
        say: takes a sentence about each worker that is refused, lost or back, and about each
            candidate that no worker may compile.
    """

    def spread(
        orders: Sequence[CompileOrder],
        deliver: Callable[[int, Sequence[CompiledCandidate] | RefusedCandidate], None],
    ) -> None:
        here = _cpu()
        files = _digests({file.path for order in orders for file in order.code.files})
        jobs = [
            WorkerJob(
                f"compiling with {order.candidate.name}", _compile, _Order(order, files, here)
            )
            for order in orders
        ]

        def receive(number: int, outcome: Any) -> None:
            if not isinstance(outcome, str | JoulemarkError | RefusedCandidate):
                read = {path: digest for part in outcome for path, digest in part.read.items()}
                if _digests(read) == read:
                    deliver(number, [_unpack(part, orders[number].folder) for part in outcome])
                    return
                outcome = "a header of the worker is another one"
            if isinstance(outcome, RefusedCandidate):
                deliver(number, outcome)
            else:
                say(f"{orders[number].candidate.name} is compiled here: {outcome}")

        Dispatch(client, say).run(jobs, receive)

    return spread


def _digests(paths: Iterable[str | Path]) -> dict[str, str]:
    return {str(path): digest_of(Path(path)) for path in paths}


def _cpu() -> str:
    return repr(sorted(cpu.read_cpu(SystemFiles(Path("/"))).items(), key=str))


def _unpack(part: _PluginPart, folder: Path) -> CompiledCandidate:
    plugin = folder / part.compiled.plugin.name
    plugin.write_bytes(part.content)
    plugin.chmod(0o755)
    return replace(part.compiled, plugin=plugin)


def _compile(work: _Order) -> list[_PluginPart] | RefusedCandidate | str:
    """Compiles in the worker; returns text to say why the worker may not."""
    order = work.order
    compiler = order.candidate.compiler
    try:
        if _cpu() != work.cpu:
            raise UnavailableError("the worker has another CPU")
        if _digests(work.files) != work.files:
            raise UnavailableError("a file of the worker is another one")
        if find_compiler(compiler.program, compiler.limits).version != compiler.version:
            raise UnavailableError(f"the worker has another {compiler.name}")
        with beside_measuring(), tempfile.TemporaryDirectory(prefix="joulemark-") as folder:
            outcome = compile_here(replace(order, folder=Path(folder).resolve()))
            if isinstance(outcome, RefusedCandidate):
                return outcome
            return [
                _PluginPart(compiled, compiled.plugin.read_bytes(), _digests(compiled.read))
                for compiled in outcome
            ]
    except JoulemarkError as error:
        return str(error)
