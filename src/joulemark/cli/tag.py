# SPDX-License-Identifier: Apache-2.0
"""`joulemark tag` and `joulemark verify`: authenticate files with our own kernels."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.cli.completion import mac_names
from joulemark.cli.keys import KEY_ENV, KEY_FILE, KEY_HEX, key_source
from joulemark.cli.refusals import say
from joulemark.cli.tagging import (
    STANDARD_INPUT,
    mac_algorithm,
    require_readable,
    tagger,
    warn_of_algorithm,
)
from joulemark.cli.terminal import examples
from joulemark.errors import UsageError

__all__ = ["register", "tag", "verify"]

_LONGEST_TAG_FILE_BYTES: Final = 1 << 16

_MAC = Annotated[
    str,
    typer.Argument(
        metavar="ALGORITHM",
        help="A MAC of the catalogue, such as hmac-sha256.",
        show_default=False,
        autocompletion=mac_names,
    ),
]


def register(app: typer.Typer) -> None:
    """Adds `tag` and `verify`."""
    app.command(
        epilog=examples(
            "joulemark tag hmac-sha256 --key-file key.bin firmware.img",
            "joulemark tag cmac-aes128 --key-file key.hex --key-hex *.log > tags",
            "tar c src | joulemark tag siphash-2-4 --key-env BUILD_KEY --key-hex",
        )
    )(tag)
    app.command(
        epilog=examples(
            "joulemark verify hmac-sha256 --key-file key.bin --tag-file firmware.tag firmware.img",
            "joulemark verify hmac-sha1 --key-env KEY --tag 9c1e...e7 - < message",
        )
    )(verify)


def tag(
    algorithm: _MAC,
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE", help="Files; - or none is standard input.", show_default=False
        ),
    ] = None,
    *,
    key_file: KEY_FILE = None,
    key_env: KEY_ENV = None,
    key_hex: KEY_HEX = False,
) -> None:
    """Print the authentication tag of files, in the form of sha256sum.

    Files are read in pieces and may be of any size. The key comes from a file or an environment
    variable, never from the command line, where other users of the machine could read it.
    """
    facts = mac_algorithm(algorithm)
    source = key_source(key_file, key_env, hexadecimal=key_hex)
    paths = files or [STANDARD_INPUT]
    if facts.one_time_key and len(paths) > 1:
        raise UsageError(
            f"a key of {facts.id} may authenticate one message only, and {len(paths)} files were "
            "given: two tags under one key let anyone forge; use one key for each file"
        )
    require_readable(paths, source)
    warn_of_algorithm(facts)
    with tagger(facts, source) as maker:
        if facts.one_time_key:
            say(f"warning: this key of {facts.id} may authenticate this one message only")
        for path in paths:
            typer.echo(_line(maker.tag(path).hex(), path), nl=False)


def _line(digits: str, path: str) -> bytes:
    """As sha256sum prints it: a name that would break the line is escaped, after a backslash."""
    name = os.fsencode(path)
    escaped = name.replace(b"\\", b"\\\\").replace(b"\n", b"\\n").replace(b"\r", b"\\r")
    mark = b"\\" if escaped != name else b""
    return mark + digits.encode() + b"  " + escaped + b"\n"


def verify(
    algorithm: _MAC,
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="The file; - is standard input.", show_default=False),
    ] = STANDARD_INPUT,
    *,
    tag_text: Annotated[
        str | None,
        typer.Option("--tag", metavar="HEX", help="The expected tag.", show_default=False),
    ] = None,
    tag_file: Annotated[
        str | None,
        typer.Option(
            "--tag-file",
            metavar="FILE",
            help="File that holds the expected tag, as 'joulemark tag' prints it.",
            show_default=False,
        ),
    ] = None,
    key_file: KEY_FILE = None,
    key_env: KEY_ENV = None,
    key_hex: KEY_HEX = False,
) -> None:
    """Check the authentication tag of a file.

    Prints OK and exits with 0 if the tag is right, prints FAILED and exits with 1 if it is not;
    2 means that it could not be checked. The tag must have its full length; the comparison takes
    the same time wherever tags differ.
    """
    from joulemark import _core  # noqa: PLC0415 - only where needed

    facts = mac_algorithm(algorithm)
    source = key_source(key_file, key_env, hexadecimal=key_hex)
    expected = _expected_tag(tag_text, tag_file, facts.id, facts.output_bytes)
    require_readable([file], source)
    warn_of_algorithm(facts)
    with tagger(facts, source) as maker:
        right = _core.equal_constant_time(maker.tag(file), expected)
    typer.echo(os.fsencode(file) + (b": OK\n" if right else b": FAILED\n"), nl=False)
    if not right:
        raise typer.Exit(1)


def _expected_tag(text: str | None, file: str | None, algorithm: str, length: int) -> bytes:
    if (text is None) == (file is None):
        raise UsageError("give the expected tag by --tag or by --tag-file"
                         + ("" if text is None else ", not by both"))  # fmt: skip
    where = "--tag" if file is None else f"tag file {file}"
    digits = text.strip() if text is not None else _tag_in(file or "")
    try:
        expected = bytes.fromhex(digits)
    except ValueError:
        raise UsageError(f"{where} is not a hexadecimal tag") from None
    if len(expected) != length:
        raise UsageError(
            f"{where} holds {len(expected)} bytes; a tag of {algorithm} has {length}, "
            "and a shortened one is not accepted"
        )
    return expected


def _tag_in(path: str) -> str:
    """First word of the only line, so that the output of `joulemark tag` can be used as it is."""
    try:
        with Path(path).open("rb") as stream:
            content = stream.read(_LONGEST_TAG_FILE_BYTES)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"tag file {path} cannot be read ({reason})") from None
    lines = content.decode("ascii", "replace").strip().splitlines()
    if len(lines) != 1:
        raise UsageError(f"tag file {path} holds {len(lines) or 'no'} lines; it must hold one tag")
    return lines[0].split()[0].removeprefix("\\")
