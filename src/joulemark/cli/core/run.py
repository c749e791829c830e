# SPDX-License-Identifier: Apache-2.0
"""`joulemark core run`: a message or a file of test vectors through a simulated core."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from joulemark.cli.core.core_options import KEEP_OPTION, CoreChoice
from joulemark.cli.core.json_file import JSON_OPTION, on_output, require_writable_json, write_json
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.terminal import columns, heading
from joulemark.cli.shared.vectors_option import usable_vectors
from joulemark.errors import UsageError
from joulemark.foreign.text import ForeignError, read_whole
from joulemark.foreign.vectors import Vector, VectorFile
from joulemark.hardware.bench.adapter import adapter_class
from joulemark.hardware.cores import scratch_folder
from joulemark.hardware.flow import request
from joulemark.hardware.flow.testing import VectorAnswer, VectorRun, run_vectors
from joulemark.hardware.manifest import Core
from joulemark.hardware.simulation.driving import KeyedMessages, advice, compile_core, drive
from joulemark.hardware.simulation.workload import LONGEST_BYTES, fitted_key, length_refusal

# The part of `joulemark core run` that takes a file of test vectors.

RUN_VERSION = 1
"""Version of the JSON that `core run` writes."""
EXIT_FAILED = 1


def chosen_vectors(file: VectorFile, only: str | None, path: Path) -> list[Vector]:
    """All vectors of a file, or those of the id or name that `--only` gives."""
    if only is None:
        return list(file.vectors)
    chosen = [vector for vector in file.vectors if only in {vector.id, vector.name}]
    if not chosen:
        raise UsageError(
            f"--only {only}: {path} has no such vector; its first is {file.vectors[0].id}"
        )
    return chosen


def command_words(choice: CoreChoice, vectors: Path) -> list[str]:
    """Words of the command line up to the choice of a vector."""
    more = [word for pair in choice.param or [] for word in ("--param", pair)]
    if choice.configuration is not None:
        more += ["--configuration", choice.configuration]
    return ["joulemark", "core", "run", choice.core, *more, "--vectors", str(vectors)]


def run_file(
    core: Core,
    parameters: dict[str, int],
    vectors: list[Vector],
    file: VectorFile,
    json_: Path | None,
    keep: Path | None,
    again: list[str],
) -> None:
    """Runs vectors, and prints which of them passed, failed or were passed over.

    Args:
        core: the core.
        parameters: all of its parameters.
        vectors: of the file, those to be run.
        file: the file.
        json_: where JSON goes.
        keep: folder for the tools' files.
        again: the command line to which `--only` is added for the first failure.
    """
    if sys.stderr.isatty():
        typer.echo(f"  compiling {core.name}, then {len(vectors)} vectors", err=True)
    with scratch_folder(keep) as work:
        found = run_vectors(core, parameters, vectors, work)
    passed_over = {**found.passed_over}
    if len(vectors) == len(file.vectors):
        passed_over |= file.passed_over
    if not found.answers:
        raise UsageError(
            f"{core.name} can be given none of the {len(vectors)} vectors: {'; '.join(passed_over)}"
        )
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
    core: Core,
    parameters: dict[str, int],
    file: VectorFile,
    found: VectorRun,
    passed_over: dict[str, int],
) -> dict[str, Any]:
    return {
        "schema_version": RUN_VERSION,
        "core": core.name,
        "parameters": parameters,
        "form": file.form,
        "passed": len(found.answers) - len(found.failed),
        "failed": len(found.failed),
        "skipped": passed_over,
        "changed_keys": dict(found.changed_keys),
        "evidence": "simulated",
        "vectors": [_vector_json(answer) for answer in found.answers],
    }


def _vector_json(held: VectorAnswer) -> dict[str, Any]:
    return {
        "name": held.vector.name,
        "verdict": held.vector.verdict.value,
        "message_bytes": len(held.vector.message),
        "clocks": held.clocks,
        "result_hex": None if held.result is None else held.result.hex(),
        "reference_hex": None if held.reference is None else held.reference.hex(),
        "wrong": held.wrong,
    }


_STANDARD_INPUT = "-"
_MOST_KEY_BYTES = 4096

_EXIT_CODES = """\b
Exit codes:
  0    the result is that of the reference; every vector that was run passed
  1    it is not; a vector failed
  2    refused

"""


@dataclass(frozen=True, slots=True)
class MessageOptions:
    """One message, and its key."""

    key: Annotated[
        str | None,
        typer.Option(
            metavar="HEX",
            help="Key for tests, in hexadecimal; other users of the machine can see it.",
        ),
    ] = None
    key_file: Annotated[
        str | None, typer.Option(metavar="FILE", help="File that holds the key, byte for byte.")
    ] = None
    message: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="File that holds the message; - is standard input."),
    ] = None
    message_hex: Annotated[
        str | None, typer.Option(metavar="HEX", help="The message in hexadecimal.")
    ] = None


@dataclass(frozen=True, slots=True)
class VectorOptions:
    """A file of vectors, or one of them."""

    vectors: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Test vectors: Wycheproof's JSON of a MAC; NIST's .rsp of a hash, HMAC or CMAC, "
            "or ACVP's JSON of these, KMAC and GMAC.",
        ),
    ] = None
    only: Annotated[
        str | None, typer.Option(metavar="ID", help="One of the vectors, by its tcId or its line.")
    ] = None


def run(
    *,
    choice: CoreChoice,
    message_options: MessageOptions,
    several: VectorOptions,
    json_: Annotated[Path | None, JSON_OPTION] = None,
    keep: Annotated[Path | None, KEEP_OPTION] = None,
) -> None:
    """Run a message, or a file of anybody's test vectors, through the simulated RTL of a core.

    Every result is also held to the independent reference that `core test` uses. A core of HMAC
    that takes no long or no odd key gets an equal one, and the answer says so.
    """
    core, parameters = choice.core_and_parameters()
    require_writable_json(json_)
    message_given = message_options.message is not None or message_options.message_hex is not None
    if message_given == (several.vectors is not None):
        raise UsageError("give a message by --message or --message-hex, or a file by --vectors")
    if several.vectors is not None:
        if message_options.key is not None or message_options.key_file is not None:
            raise UsageError("--vectors brings its own keys; leave out --key and --key-file")
        file = usable_vectors(several.vectors, "that a core can be given")
        chosen = chosen_vectors(file, several.only, several.vectors)
        request.require(None)
        run_file(
            core, parameters, chosen, file, json_, keep, command_words(choice, several.vectors)
        )
        return
    if several.only is not None:
        raise UsageError("--only is for --vectors")
    key, message = (
        _key(message_options.key, message_options.key_file),
        _message(message_options.message, message_options.message_hex),
    )
    request.require(None)
    _run_one(core, parameters, key, message, json_, keep)


def _hexadecimal(text: str, option: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise UsageError(f"{option} is no hexadecimal number of whole bytes") from None


def _read(path: str, most: int, option: str) -> bytes:
    try:
        return read_whole(Path(path), most)
    except ForeignError as error:
        raise UsageError(f"{option} {path} cannot be read: {error}") from None


def _key(text: str | None, path: str | None) -> bytes | None:
    if text is not None and path is not None:
        raise UsageError("give the key by --key or by --key-file, not by both")
    if path is not None:
        return _read(path, _MOST_KEY_BYTES, "--key-file")
    return None if text is None else _hexadecimal(text, "--key")


def _message(path: str | None, text: str | None) -> bytes:
    if path is not None and text is not None:
        raise UsageError("give the message by --message or by --message-hex, not by both")
    if text is not None:
        return _hexadecimal(text, "--message-hex")
    if path == _STANDARD_INPUT:
        content = sys.stdin.buffer.read(LONGEST_BYTES + 1)
        if len(content) > LONGEST_BYTES:
            raise UsageError(f"the message has more than {LONGEST_BYTES} bytes")
        return content
    return _read(path or "", LONGEST_BYTES, "--message")


def _run_one(
    core: Core,
    parameters: dict[str, int],
    key: bytes | None,
    message: bytes,
    json_: Path | None,
    keep: Path | None,
) -> None:
    adapter = adapter_class(core)
    if reason := length_refusal(adapter, len(message)):
        raise UsageError(f"{core.name}: a message of {len(message)} bytes: {reason}")
    change = None
    if (key is None) != (not adapter.key_bytes):
        raise UsageError(
            f"{core.name} takes no key; leave out --key"
            if key is not None
            else f"{core.name} needs a key: --key HEX or --key-file FILE"
        )
    if key is not None:
        fitted = fitted_key(core, adapter.key_bytes, key)
        if isinstance(fitted, str):
            raise UsageError(f"{core.name}: {fitted}")
        key, change = fitted.key, fitted.change
    with scratch_folder(keep) as work:
        program = compile_core(core, parameters, work)
        driven = drive(core, parameters, work, program, [KeyedMessages(key, (message,))])
        if driven.ended is not None:
            raise driven.ended
        hint = advice(core, program)
    answered = driven.batches[0]
    result, expected = answered.results[0], answered.expected[0]
    clocks = answered.end - answered.begin
    write_json(
        json_,
        {
            "schema_version": RUN_VERSION,
            "core": core.name,
            "parameters": parameters,
            "message_bytes": len(message),
            "result_hex": result.hex(),
            "reference_hex": expected.hex(),
            "right": result == expected,
            "clocks": clocks,
            "key_clocks": answered.key_clocks if key is not None else None,
            "key_change": change,
            "evidence": "simulated",
        },
    )
    if not on_output(json_):
        typer.echo(result.hex())
        setup = f", after {answered.key_clocks} for the key" if key is not None else ""
        typer.echo(f"  {len(message)} bytes in {clocks} clocks{setup} (simulated)")
        if change:
            typer.echo(f"  the key was {change}, outside the core")
        if result != expected:
            typer.echo(f"  wrong: the reference says {expected.hex()}{hint}")
    if result != expected:
        raise typer.Exit(EXIT_FAILED)


COMMAND: Final = Command(
    run,
    (
        "joulemark core run siphash --key 000102030405060708090a0b0c0d0e0f --message-hex 0001",
        "joulemark core run hmac_sha256 --key-file key.bin --message firmware.img",
        "joulemark core run hmac_sha256:proposed --vectors hmac_sha256_test.json",
        "joulemark core run mine/my_sha256.toml --vectors SHA256ShortMsg.rsp",
    ),
    notes=(_EXIT_CODES,),
    options_once=True,
)
