# SPDX-License-Identifier: Apache-2.0
"""`joulemark core run` and `joulemark core test`: simulated cores held to what they promise."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer
from pydantic import JsonValue

from joulemark.cli.core_options import KEEP_OPTION, CoreChoice
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.terminal import (
    JSON_FILE_OPTION,
    columns,
    heading,
    on_output,
    print_text,
    require_writable_json,
    say_on_terminal,
    usable_vectors,
    write_json,
)
from joulemark.errors import UsageError
from joulemark.foreign import ForeignError, read_stream, read_whole
from joulemark.foreign.vectors import Vector, VectorFile
from joulemark.hardware.bench.adapter import adapter_class
from joulemark.hardware.cores import log_words, scratch_folder, text_of
from joulemark.hardware.flow import request as tools
from joulemark.hardware.flow.testing import (
    CheckOutcome,
    VectorAnswer,
    VectorRun,
    check_core,
    run_vectors,
)
from joulemark.hardware.manifest import Core
from joulemark.hardware.simulation.driving import KeyedMessages, advice, compile_core, drive
from joulemark.hardware.simulation.trial_messages import LONGEST_BYTES, fitted_key, length_refusal

RUN_VERSION = 1
"""Version of the JSON that `core run` writes."""
EXIT_FAILED = 1
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

    @property
    def given(self) -> bool:
        """Whether there is a message."""
        return self.message is not None or self.message_hex is not None

    def key_bytes(self) -> bytes | None:
        """The key; None without one."""
        if self.key is not None and self.key_file is not None:
            raise UsageError("give the key by --key or by --key-file, not by both")
        if self.key_file is not None:
            return _read(self.key_file, _MOST_KEY_BYTES, "--key-file")
        return None if self.key is None else _hexadecimal(self.key, "--key")

    def message_bytes(self) -> bytes:
        """The message."""
        if self.message is not None and self.message_hex is not None:
            raise UsageError("give the message by --message or by --message-hex, not by both")
        if self.message_hex is not None:
            return _hexadecimal(self.message_hex, "--message-hex")
        if self.message == _STANDARD_INPUT:
            content = read_stream(sys.stdin.buffer, LONGEST_BYTES + 1)
            if len(content) > LONGEST_BYTES:
                raise UsageError(f"the message has more than {LONGEST_BYTES} bytes")
            return content
        return _read(self.message or "", LONGEST_BYTES, "--message")


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

    def chosen(self, file: VectorFile) -> list[Vector]:
        """All vectors of the file, or those of the id or name that `--only` gives."""
        only = self.only
        if only is None:
            return list(file.vectors)
        chosen = [vector for vector in file.vectors if only in {vector.id, vector.name}]
        if not chosen:
            first = file.vectors[0].id
            raise UsageError(
                f"--only {only}: {self.vectors} has no such vector; its first is {first}"
            )
        return chosen


def run(
    *,
    choice: CoreChoice,
    message_options: MessageOptions,
    several: VectorOptions,
    json_: Annotated[Path | None, JSON_FILE_OPTION] = None,
    keep: Annotated[Path | None, KEEP_OPTION] = None,
) -> None:
    """Run a message, or a file of anybody's test vectors, through the simulated RTL of a core.

    Every result is also held to the independent reference that `core test` uses. A core of HMAC
    that takes no long or no odd key gets an equal one, and the answer says so.
    """
    simulated = _Simulated(*choice.core_and_parameters(), json_, keep)
    require_writable_json(json_)
    if message_options.given == (several.vectors is not None):
        raise UsageError("give a message by --message or --message-hex, or a file by --vectors")
    if several.vectors is None:
        if several.only is not None:
            raise UsageError("--only is for --vectors")
        key, message = message_options.key_bytes(), message_options.message_bytes()
        tools.require(None)
        simulated.run_message(key, message)
        return
    if message_options.key is not None or message_options.key_file is not None:
        raise UsageError("--vectors brings its own keys; leave out --key and --key-file")
    file = usable_vectors(several.vectors, "that a core can be given")
    chosen = several.chosen(file)
    tools.require(None)
    again = ["joulemark", "core", "run", choice.core]
    again += [word for pair in choice.param or [] for word in ("--param", pair)]
    if choice.configuration is not None:
        again += ["--configuration", choice.configuration]
    simulated.run_file(file, chosen, [*again, "--vectors", str(several.vectors)])


@dataclass(frozen=True, slots=True)
class _Simulated:
    """A core with all its parameters, where JSON goes, and the folder for the tools' files."""

    core: Core
    parameters: dict[str, int]
    json_: Path | None
    keep: Path | None

    def run_file(self, file: VectorFile, vectors: list[Vector], again: list[str]) -> None:
        """Runs vectors, and prints which passed, failed or were passed over.

        `again` is the command line to which `--only` is added for the first failure.
        """
        name = self.core.name
        say_on_terminal(f"compiling {name}, then {len(vectors)} vectors")
        with scratch_folder(self.keep) as work:
            found = run_vectors(self.core, self.parameters, vectors, work)
        passed_over = {**found.passed_over}
        if len(vectors) == len(file.vectors):
            passed_over |= file.passed_over
        if not found.answers:
            raise UsageError(
                f"{name} can be given none of the {len(vectors)} vectors: {'; '.join(passed_over)}"
            )
        self._write(
            {
                "form": file.form,
                "passed": len(found.answers) - len(found.failed),
                "failed": len(found.failed),
                "skipped": {**passed_over},
                "changed_keys": {**found.changed_keys},
                "evidence": "simulated",
                "vectors": [_vector_json(answer) for answer in found.answers],
            }
        )
        if not on_output(self.json_):
            heading(f"{name}: {file.form} vectors")
            _print_vectors(found, passed_over, again)
        if found.failed:
            raise typer.Exit(EXIT_FAILED)

    def _write(self, values: Mapping[str, JsonValue]) -> None:
        head = {"schema_version": RUN_VERSION, "core": self.core.name}
        write_json(self.json_, head | {"parameters": self.parameters} | dict(values))

    def run_message(self, key: bytes | None, message: bytes) -> None:
        """Runs one message, and prints its result."""
        core = self.core
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
        with scratch_folder(self.keep) as work:
            program = compile_core(core, self.parameters, work)
            messages = [KeyedMessages(key, (message,))]
            driven = drive(core, self.parameters, work, program, messages)
            if driven.ended is not None:
                raise driven.ended
            hint = advice(core, program)
        answered = driven.batches[0]
        result, expected = answered.results[0], answered.expected[0]
        clocks = answered.end - answered.begin
        self._write(
            {
                "message_bytes": len(message),
                "result_hex": result.hex(),
                "reference_hex": expected.hex(),
                "right": result == expected,
                "clocks": clocks,
                "key_clocks": answered.key_clocks if key is not None else None,
                "key_change": change,
                "evidence": "simulated",
            }
        )
        if not on_output(self.json_):
            typer.echo(result.hex())
            setup = f", after {answered.key_clocks} for the key" if key is not None else ""
            print_text(f"  {len(message)} bytes in {clocks} clocks{setup} (simulated)")
            if change:
                print_text(f"  the key was {change}, outside the core")
            if result != expected:
                print_text(f"  wrong: the reference says {expected.hex()}{hint}")
        if result != expected:
            raise typer.Exit(EXIT_FAILED)


def _print_vectors(found: VectorRun, passed_over: Mapping[str, int], again: list[str]) -> None:
    failed = found.failed
    rows = [(f"{len(found.answers) - len(failed)}", "passed"), (f"{len(failed)}", "failed")]
    rows += [(str(number), f"skipped: {reason}") for reason, number in passed_over.items()]
    columns(rows, right=[0], prose=(1,))
    for change, number in found.changed_keys.items():
        keys = "key was" if number == 1 else "keys were"
        print_text(f"  {number} {keys} {change}, outside the core")
    clocks = sum(answer.clocks or 0 for answer in found.answers)
    print_text(f"  {clocks} clocks for the messages, each alone (simulated)")
    if failed:
        first = failed[0]
        comment = f" ({first.vector.comment})" if first.vector.comment else ""
        print_text(f"  first failure, {first.vector.name}{comment}: {first.wrong}")
        typer.echo(f"  again: {shlex.join([*again, '--only', first.vector.id])}")


def _vector_json(held: VectorAnswer) -> JsonValue:
    return {
        "name": held.vector.name,
        "verdict": held.vector.verdict.value,
        "message_bytes": len(held.vector.message),
        "clocks": held.clocks,
        "result_hex": None if held.result is None else held.result.hex(),
        "reference_hex": None if held.reference is None else held.reference.hex(),
        "wrong": held.wrong,
    }


RUN: Final = Command(
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


# `joulemark core test`: lint, the core's own tests, and what its manifest promises.

TEST_VERSION = 1
"""Version of the JSON that `core test` writes."""

_TEST_EXIT_CODES = """\b
Exit codes:
  0    everything passed
  1    a check failed
  2    refused

"""


def check(
    *,
    choice: CoreChoice,
    json_: Annotated[Path | None, JSON_FILE_OPTION] = None,
    keep: Annotated[Path | None, KEEP_OPTION] = None,
) -> None:
    """Lint a core, run its own tests, and hold its results and clocks to what it promises."""
    found, parameters = choice.core_and_parameters()
    require_writable_json(json_)
    with scratch_folder(keep) as work:
        checks = check_core(found, parameters, work)
    passed = all(verdict.passed for verdict in checks)
    rows = [
        {
            "check": verdict.name,
            "passed": verdict.passed,
            "note": verdict.note,
            "remark": _remark(verdict, keep),
        }
        for verdict in checks
    ]
    head = {"schema_version": TEST_VERSION, "core": found.name, "parameters": parameters}
    write_json(json_, {**head, "passed": passed, "checks": rows})
    if not on_output(json_):
        heading(f"{found.name}, {text_of(parameters)}")
        columns(
            [
                (
                    "note" if verdict.note else "ok" if verdict.passed else "FAILED",
                    verdict.name,
                    _remark(verdict, keep),
                )
                for verdict in checks
            ],
            prose=(2,),
        )
    if not passed:
        raise typer.Exit(EXIT_FAILED)


def _remark(verdict: CheckOutcome, keep: Path | None) -> str:
    """The remark, and where the log is or how to keep it."""
    log = None if verdict.log is None else log_words(verdict.log, keep)
    return "; ".join(filter(None, (verdict.remark, log)))


TEST: Final = Command(
    check,
    (
        "joulemark core test siphash",
        "joulemark core test siphash --param ROUNDS=4",
        "joulemark core test mine/my_core.toml",
    ),
    notes=(_TEST_EXIT_CODES,),
    options_once=True,
)
