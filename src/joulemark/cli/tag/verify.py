# SPDX-License-Identifier: Apache-2.0
"""`joulemark verify`: is the tag of a file right? The answer is the exit code."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from joulemark import _core
from joulemark.cli.shared.completion import mac_names
from joulemark.cli.tag.tag import (
    ALGORITHM,
    KEY_OPTIONS,
    name_bytes,
    put,
    warn,
    warn_of_algorithm,
    warn_of_timing,
)
from joulemark.cli.without_typer import BaseCommand
from joulemark.errors import UsageError
from joulemark.foreign.text import waiting_told
from joulemark.mac_files import (
    STANDARD_INPUT,
    key_source,
    mac_algorithm,
    require_readable,
    tagger,
)

_LONGEST_TAG_FILE_BYTES: Final = 1 << 16


def verify(
    algorithm: str,
    files: list[str],
    *,
    tag: str | None,
    tag_file: str | None,
    key_file: str | None,
    key_env: str | None,
    key_hex: bool,
) -> int:
    """Check the authentication tag of a file.

    Prints OK and exits with 0 if the tag is right, prints FAILED and exits with 1 if it is not;
    2 means that it could not be checked. The tag must have its full length; the comparison takes
    the same time wherever tags differ.
    """
    if len(files) > 1:
        raise UsageError(f"got unexpected argument {files[1]} (see joulemark verify --help)")
    file = files[0] if files else STANDARD_INPUT
    facts = mac_algorithm(algorithm)
    source = key_source(key_file, key_env, hexadecimal=key_hex, warn=warn)
    expected = _expected_tag(tag, tag_file, facts.id, facts.output_bytes)
    require_readable([file], source)
    warn_of_algorithm(facts)
    with tagger(facts, source) as maker:
        warn_of_timing(facts, maker)
        right = _core.equal_constant_time(maker.tag(file), expected)
    put(name_bytes(file) + (b": OK\n" if right else b": FAILED\n"))
    return 0 if right else 1


def _expected_tag(text: str | None, file: str | None, algorithm: str, length: int) -> bytes:
    if (text is None) == (file is None):
        raise UsageError(
            "give the expected tag by --tag or by --tag-file"
            + ("" if text is None else ", not by both")
        )
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
    """The first word of the only line in a file, as `joulemark tag` prints it."""
    try:
        with waiting_told(Path(path)), Path(path).open("rb") as stream:
            content = stream.read(_LONGEST_TAG_FILE_BYTES)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"tag file {path} cannot be read ({reason})") from None
    lines = content.decode("ascii", "replace").strip().splitlines()
    if len(lines) != 1:
        raise UsageError(f"tag file {path} holds {len(lines) or 'no'} lines; it must hold one tag")
    return lines[0].split()[0].removeprefix("\\")


COMMAND: Final = BaseCommand(
    verify,
    "ALGORITHM [FILE]",
    {"ALGORITHM": ALGORITHM, "FILE": "The file; - or none is standard input."},
    {
        "--tag": {"metavar": "HEX", "help": "The expected tag."},
        "--tag-file": {
            "metavar": "FILE",
            "help": "File that holds the expected tag, as 'joulemark tag' prints it.",
        },
        **KEY_OPTIONS,
    },
    (
        "joulemark verify hmac-sha256 --key-file key.bin --tag-file firmware.tag firmware.img",
        "joulemark verify hmac-sha1 --key-env KEY --tag 9c1e...e7 - < message",
    ),
    mac_names,
)
