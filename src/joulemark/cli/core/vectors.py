# SPDX-License-Identifier: Apache-2.0
"""The part of `joulemark core run` that takes a file of test vectors."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import typer

from joulemark.cli.core.json_file import on_output, write_json
from joulemark.cli.core.options import CoreChoice
from joulemark.cli.shared.terminal import columns, heading
from joulemark.errors import UsageError
from joulemark.foreign.vectors import Vector, VectorFile
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.drive.vector_run import VectorAnswer, VectorRun, run_vectors
from joulemark.hardware.tools.scratch import scratch_folder

__all__ = ["EXIT_FAILED", "RUN_VERSION", "chosen_vectors", "command_words", "run_file"]

RUN_VERSION = 1
"""Version of the JSON that `core run` writes."""
EXIT_FAILED = 1


def chosen_vectors(file: VectorFile, only: str | None, path: Path) -> list[Vector]:
    """All vectors of a file, or those of the id or name that `--only` gives.

    Raises:
        UsageError: the file has none of that name.
    """
    if only is None:
        return list(file.vectors)
    chosen = [vector for vector in file.vectors if only in {vector.id, vector.name}]
    if not chosen:
        raise UsageError(f"--only {only}: {path} has no such vector; its first is "
                         f"{file.vectors[0].id}")  # fmt: skip
    return chosen


def command_words(choice: CoreChoice, vectors: Path) -> list[str]:
    """Words of the command line up to the choice of a vector."""
    more = [word for pair in choice.param or [] for word in ("--param", pair)]
    if choice.configuration is not None:
        more += ["--configuration", choice.configuration]
    return ["joulemark", "core", "run", choice.core, *more, "--vectors", str(vectors)]


def run_file(
    core: Core, parameters: dict[str, int], vectors: list[Vector], file: VectorFile,
    json_: Path | None, keep: Path | None, again: list[str],
) -> None:  # fmt: skip
    """Runs vectors, and prints which of them passed, failed or were passed over.

    Args:
        core: the core.
        parameters: all of its parameters.
        vectors: of the file, those to be run.
        file: the file.
        json_: where JSON goes.
        keep: folder for the tools' files.
        again: the command line to which `--only` is added for the first failure.

    Raises:
        UsageError: the core can be given none of them.
        typer.Exit: one of them failed.
    """
    if sys.stderr.isatty():
        typer.echo(f"  compiling {core.name}, then {len(vectors)} vectors", err=True)
    with scratch_folder(keep) as work:
        found = run_vectors(core, parameters, vectors, work)
    passed_over = {**found.passed_over}
    if len(vectors) == len(file.vectors):
        passed_over |= file.passed_over
    if not found.answers:
        raise UsageError(f"{core.name} can be given none of the {len(vectors)} vectors: "
                         f"{'; '.join(passed_over)}")  # fmt: skip
    write_json(json_, _json(core, parameters, file, found, passed_over))
    if not on_output(json_):
        _print(core, file, found, passed_over, again)
    if found.failed:
        raise typer.Exit(EXIT_FAILED)


def _print(
    core: Core, file: VectorFile, found: VectorRun, passed_over: dict[str, int], again: list[str]
) -> None:
    failed = found.failed
    heading(f"{core.name}: {file.form} vectors")
    rows = [(f"{len(found.answers) - len(failed)}", "passed"), (f"{len(failed)}", "failed")]
    rows += [(str(number), f"skipped: {reason}") for reason, number in passed_over.items()]
    columns(rows, right=[0], prose=(1,))
    for change, number in found.changed_keys.items():
        keys = "key was" if number == 1 else "keys were"
        typer.echo(f"  {number} {keys} {change}, outside the core")
    clocks = sum(answer.clocks or 0 for answer in found.answers)
    typer.echo(f"  {clocks} clocks for the messages, each alone (simulated)")
    if failed:
        first = failed[0]
        comment = f" ({first.vector.comment})" if first.vector.comment else ""
        typer.echo(f"  first failure, {first.vector.name}{comment}: {first.wrong}")
        typer.echo(f"  again: {shlex.join([*again, '--only', first.vector.id])}")


def _json(
    core: Core, parameters: dict[str, int], file: VectorFile, found: VectorRun,
    passed_over: dict[str, int],
) -> dict[str, Any]:  # fmt: skip
    return {
        "schema_version": RUN_VERSION, "core": core.name, "parameters": parameters,
        "form": file.form, "passed": len(found.answers) - len(found.failed),
        "failed": len(found.failed), "skipped": passed_over,
        "changed_keys": dict(found.changed_keys), "evidence": "simulated",
        "vectors": [_vector_json(answer) for answer in found.answers],
    }  # fmt: skip


def _vector_json(held: VectorAnswer) -> dict[str, Any]:
    return {
        "name": held.vector.name, "verdict": held.vector.verdict.value,
        "message_bytes": len(held.vector.message), "clocks": held.clocks,
        "result_hex": None if held.result is None else held.result.hex(),
        "reference_hex": None if held.reference is None else held.reference.hex(),
        "wrong": held.wrong,
    }  # fmt: skip
