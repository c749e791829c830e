# SPDX-License-Identifier: Apache-2.0
"""`joulemark core run`: a message or a file of test vectors through a simulated core."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from joulemark.cli import core_options, core_vectors
from joulemark.cli.core_vectors import EXIT_FAILED, RUN_VERSION
from joulemark.cli.terminal import examples
from joulemark.errors import UsageError

if TYPE_CHECKING:
    from joulemark.hardware.core.manifest import Core

__all__ = ["register", "run"]

_STANDARD_INPUT = "-"
_MOST_KEY_BYTES = 4096

_EXIT_CODES = """\b
Exit codes:
  0    the result is that of the reference; every vector that was run passed
  1    it is not; a vector failed
  2    refused

"""


def run(
    core: Annotated[str, core_options.CORE_ARGUMENT],
    param: Annotated[list[str] | None, core_options.PARAM_OPTION] = None,
    configuration: Annotated[str | None, core_options.CONFIGURATION_OPTION] = None,
    key: Annotated[
        str | None,
        typer.Option(
            metavar="HEX",
            help="Key for tests, in hexadecimal; other users of the machine can see it.",
            show_default=False,
        ),
    ] = None,
    key_file: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="File that holds the key, byte for byte.", show_default=False
        ),
    ] = None,
    message: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="File that holds the message; - is standard input.",
            show_default=False,
        ),
    ] = None,
    message_hex: Annotated[
        str | None,
        typer.Option(metavar="HEX", help="The message in hexadecimal.", show_default=False),
    ] = None,
    vectors: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Test vectors: Wycheproof's JSON of a MAC; NIST's .rsp of a hash, HMAC or CMAC.",
            show_default=False,
        ),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="One of the vectors, by its tcId or its line.",
            show_default=False,
        ),
    ] = None,
    json_: Annotated[Path | None, core_options.JSON_OPTION] = None,
    keep: Annotated[Path | None, core_options.KEEP_OPTION] = None,
) -> None:
    """Run a message, or a file of anybody's test vectors, through the simulated RTL of a core.

    Every result is also held to the independent reference that `core test` uses. A core of HMAC
    that takes no long or no odd key gets an equal one, and the answer says so.
    """
    from joulemark.hardware.core.parameters import chosen_variant  # noqa: PLC0415
    from joulemark.hardware.flow import tools  # noqa: PLC0415

    name, found, more = core_options.named_core(core, configuration)
    _, parameters = chosen_variant(found, name, [*more, *(param or [])])
    core_options.asked_json(json_)
    one = message is not None or message_hex is not None
    if one == (vectors is not None):
        raise UsageError("give a message by --message or --message-hex, or a file by --vectors")
    if vectors is not None:
        if key is not None or key_file is not None:
            raise UsageError("--vectors brings its own keys; leave out --key and --key-file")
        file = core_vectors.vector_file(vectors)
        chosen = core_vectors.chosen_vectors(file, only, vectors)
        tools.require(None)
        again = core_vectors.repeated(core, param, configuration, vectors)
        core_vectors.run_file(found, parameters, chosen, file, json_, keep, again)
        return
    if only is not None:
        raise UsageError("--only is for --vectors")
    given = _key(key, key_file)
    text = _message(message, message_hex)
    tools.require(None)
    _run_one(found, parameters, given, text, json_, keep)


def _hexadecimal(text: str, option: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise UsageError(f"{option} is no hexadecimal number of whole bytes") from None


def _read(path: str, most: int, option: str) -> bytes:
    from joulemark.foreign.files import read_whole  # noqa: PLC0415
    from joulemark.foreign.records import ForeignError  # noqa: PLC0415

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
    from joulemark.hardware.drive.accepted import LONGEST_BYTES  # noqa: PLC0415

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
    core: Core, parameters: dict[str, int], key: bytes | None, message: bytes,
    json_: Path | None, keep: Path | None,
) -> None:  # fmt: skip
    from joulemark.hardware.bench.protocols import adapter_class  # noqa: PLC0415
    from joulemark.hardware.drive.accepted import fitted_key, length_refusal  # noqa: PLC0415
    from joulemark.hardware.drive.driving import Sent, advice, compiled, drive  # noqa: PLC0415
    from joulemark.hardware.tools.scratch import scratch_folder  # noqa: PLC0415

    adapter = adapter_class(core)
    if reason := length_refusal(adapter, len(message)):
        raise UsageError(f"{core.name}: a message of {len(message)} bytes: {reason}")
    change = None
    if (key is None) != (not adapter.key_bytes):
        raise UsageError(
            f"{core.name} takes no key; leave out --key" if key is not None
            else f"{core.name} needs a key: --key HEX or --key-file FILE"
        )  # fmt: skip
    if key is not None:
        fitted = fitted_key(core, adapter.key_bytes, key)
        if isinstance(fitted, str):
            raise UsageError(f"{core.name}: {fitted}")
        key, change = fitted.key, fitted.change
    with scratch_folder(keep) as work:
        program = compiled(core, parameters, work)
        driven = drive(core, parameters, work, program, [Sent(key, (message,))])
        if driven.ended is not None:
            raise driven.ended
        hint = advice(core, program)
    answered = driven.batches[0]
    result, expected = answered.results[0], answered.expected[0]
    clocks = answered.end - answered.begin
    core_options.write_json(
        json_,
        {
            "schema_version": RUN_VERSION, "core": core.name, "parameters": parameters,
            "message_bytes": len(message), "result_hex": result.hex(),
            "reference_hex": expected.hex(), "right": result == expected, "clocks": clocks,
            "key_clocks": answered.key_clocks if key is not None else None, "key_change": change,
            "evidence": "simulated",
        },
    )  # fmt: skip
    if not core_options.on_output(json_):
        typer.echo(result.hex())
        setup = f", after {answered.key_clocks} for the key" if key is not None else ""
        typer.echo(f"  {len(message)} bytes in {clocks} clocks{setup} (simulated)")
        if change:
            typer.echo(f"  the key was {change}, outside the core")
        if result != expected:
            typer.echo(f"  wrong: the reference says {expected.hex()}{hint}")
    if result != expected:
        raise typer.Exit(EXIT_FAILED)


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(
        "run",
        epilog=_EXIT_CODES
        + examples(
            "joulemark core run siphash --key 000102030405060708090a0b0c0d0e0f --message-hex 0001",
            "joulemark core run hmac_sha256 --key-file key.bin --message firmware.img",
            "joulemark core run hmac_sha256:proposed --vectors hmac_sha256_test.json",
            "joulemark core run mine/my_sha256.toml --vectors SHA256ShortMsg.rsp",
        ),
    )(run)
