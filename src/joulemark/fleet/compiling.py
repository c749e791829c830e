# SPDX-License-Identifier: Apache-2.0
"""Candidates of a search for flags, compiled by the workers of a cluster.

Compiling alone is spread: what comes back is checked and timed by whoever asks, on the machine that
it is meant for. A worker compiles only with that machine's sources, compiler and kind of CPU, on
which `-march=native` depends; what no worker may compile is compiled by whoever asks.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from distributed import Client

from joulemark.environment import cpu
from joulemark.environment.source import Source
from joulemark.errors import JoulemarkError, UnavailableError
from joulemark.fleet.dispatch import Dispatch, Job, Limits
from joulemark.fleet.watching import beside_measuring
from joulemark.own_code.compilers import find_compiler
from joulemark.own_code.sources import digest_of
from joulemark.own_code.tuning.making import (
    CompiledCandidate,
    CompileOrder,
    RefusedCandidate,
    SpreadCompiling,
    compiled_here,
)

__all__ = ["compiled_over"]


@dataclass(frozen=True, slots=True)
class _Order:
    order: CompileOrder
    files: Mapping[str, str]
    """The user's files, absolute, with their digests."""
    cpu: str
    """Of whoever asks."""


@dataclass(frozen=True, slots=True)
class _PluginPart:
    """A plugin on its way back."""

    compiled: CompiledCandidate
    content: bytes
    read: Mapping[str, str]
    """Each file that the compiler read there, with its digest."""


def compiled_over(
    client: Client, say: Callable[[str], None], limits: Limits | None = None
) -> SpreadCompiling:
    """How `made_of` has candidates compiled by the workers of a scheduler.

    Args:
        client: of the scheduler.
        say: told in a sentence of workers that are refused, lost or back, and of candidates that
            none of them may compile.
        limits: of patience with workers.
    """

    def spread(
        orders: Sequence[CompileOrder],
        told: Callable[[int, Sequence[CompiledCandidate] | RefusedCandidate], None],
    ) -> None:
        here = _cpu()
        files = _digests({file.path for order in orders for file in order.code.files})
        jobs = [Job(order.text, _compile, _Order(order, files, here)) for order in orders]

        def done(place: int, found: Any) -> None:
            if not isinstance(found, str | JoulemarkError | RefusedCandidate):
                read = {path: known for part in found for path, known in part.read.items()}
                if _digests(read) == read:
                    told(place, [_unpacked(part, orders[place].place) for part in found])
                    return
                found = "a header of the worker is another one"
            if isinstance(found, RefusedCandidate):
                told(place, found)
            else:
                say(f"{orders[place].candidate.name} is compiled here: {found}")

        Dispatch(client, say, limits).run(jobs, done)

    return spread


def _digests(paths: Iterable[str | Path]) -> dict[str, str]:
    return {str(path): digest_of(Path(path)) for path in paths}


def _cpu() -> str:
    return repr(sorted(cpu.read(Source(Path("/"))).items(), key=str))


def _unpacked(sent: _PluginPart, place: Path) -> CompiledCandidate:
    plugin = place / sent.compiled.plugin.name
    plugin.write_bytes(sent.content)
    plugin.chmod(0o755)
    return replace(sent.compiled, plugin=plugin)


def _compile(asked: _Order) -> list[_PluginPart] | RefusedCandidate | str:
    """In the worker; text says why it may not."""
    order = asked.order
    compiler = order.candidate.compiler
    try:
        if _cpu() != asked.cpu:
            raise UnavailableError("the worker has another CPU")
        if _digests(asked.files) != asked.files:
            raise UnavailableError("a file of the worker is another one")
        if find_compiler(compiler.program, compiler.limits).version != compiler.version:
            raise UnavailableError(f"the worker has another {compiler.name}")
        with beside_measuring(), tempfile.TemporaryDirectory(prefix="joulemark-") as folder:
            found = compiled_here(replace(order, place=Path(folder).resolve()))
            if isinstance(found, RefusedCandidate):
                return found
            return [
                _PluginPart(compiled, compiled.plugin.read_bytes(), _digests(compiled.read))
                for compiled in found
            ]
    except JoulemarkError as error:
        return str(error)
