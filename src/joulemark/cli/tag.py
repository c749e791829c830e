# SPDX-License-Identifier: Apache-2.0
"""`joulemark tag` and `joulemark verify`: files authenticated with our own kernels."""

from __future__ import annotations

import codecs
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from joulemark import _core
from joulemark.catalogue import AlgorithmFacts
from joulemark.cli.shared.completion import mac_names
from joulemark.cli.without_typer import BaseCommand
from joulemark.errors import UsageError
from joulemark.foreign import code_of, say, visible, waiting_told
from joulemark.mac_files import (
    STANDARD_INPUT,
    Tagger,
    key_source,
    mac_algorithm,
    require_readable,
    tagger,
)

# The arguments and options that `tag` and `verify` share: the algorithm, and where the key is.

ALGORITHM: Final = "A MAC of the catalogue, such as hmac-sha256."
KEY_OPTIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    "--key-file": {
        "metavar": "FILE",
        "help": "File that holds the key: its bytes as they are, a last newline included.",
    },
    "--key-env": {
        "metavar": "NAME",
        "help": "Name of the environment variable that holds the key, as UTF-8 text.",
    },
    "--key-hex": {
        "action": "store_true",
        "help": "The file or variable holds the key in hexadecimal; spaces are ignored.",
    },
}


def put(line: bytes) -> None:
    """Writes a line to standard output at once: names of files need not be text."""
    sys.stdout.flush()
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def name_bytes(path: str) -> bytes:
    r"""A file's name as sha256sum escapes it; signs that a terminal obeys become codes: `\x1b`."""
    whole = path.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    return b"".join(map(_sign_bytes, whole))


def _sign_bytes(sign: str) -> bytes:
    # Bytes that are no UTF-8 stand as surrogates; those below 0xa0 are signs of control too.
    if "\udca0" <= sign <= "\udcff":
        return os.fsencode(sign)
    if "\udc80" <= sign <= "\udc9f":
        return code_of(ord(sign) - 0xDC00).encode()
    shown = visible(sign)
    if shown == " " != sign:  # in a sentence a tab may be a blank; a name tells files apart
        shown = code_of(ord(sign))
    return shown.encode()


def warn(sentence: str) -> None:
    """Prints a warning on standard error."""
    say(f"warning: {sentence}")


def warn_of_algorithm(algorithm: AlgorithmFacts) -> None:
    """Warns if the catalogue says that the algorithm is broken."""
    if algorithm.status == "broken":
        warn(f"{algorithm.id} is broken: {algorithm.status_reason}")


def warn_of_timing(algorithm: AlgorithmFacts, maker: Tagger) -> None:
    """Warns if the time that tags take depends on the key and the message."""
    if maker.constant_time is False:
        warn(
            f"{algorithm.id} is not constant-time: its time depends on the key and the message, "
            "and whoever shares this machine may learn both"
        )


def tag(
    algorithm: str,
    files: list[str],
    *,
    any_size: bool,
    key_file: str | None,
    key_env: str | None,
    key_hex: bool,
) -> None:
    """Print the authentication tag of files, in the form of sha256sum.

    Files are read in pieces and may be of any size. The key comes from a file or an environment
    variable, never from the command line, where other users of the machine could read it.
    """
    facts = mac_algorithm(algorithm)
    source = key_source(key_file, key_env, hexadecimal=key_hex, warn=warn)
    paths = files or [STANDARD_INPUT]
    if facts.one_time_key and len(paths) > 1:
        raise UsageError(
            f"a key of {facts.id} may authenticate one message only, and {len(paths)} files were "
            "given: two tags under one key let anyone forge; use one key for each file"
        )
    require_readable(paths, source)
    warn_of_algorithm(facts)
    with tagger(facts, source, any_size=any_size) as maker:
        warn_of_timing(facts, maker)
        if facts.one_time_key:
            warn(f"this key of {facts.id} may authenticate this one message only")
        if facts.one_length and any_size:
            warn(f"tags of {facts.id} of several lengths under one key let anyone forge (forced)")
        elif facts.one_length:
            warn(
                f"this key of {facts.id} may authenticate messages of one length only, in all calls"
            )
        for path in paths:
            put(_line(maker.tag(path).hex(), path))


def _line(digits: str, path: str) -> bytes:
    """The line that sha256sum prints: after a backslash, a name that would break it is escaped."""
    escaped = name_bytes(path)
    mark = b"\\" if escaped != os.fsencode(path) else b""
    return mark + digits.encode() + b"  " + escaped + b"\n"


TAG: Final = BaseCommand(
    tag,
    "ALGORITHM [FILE]...",
    {"ALGORITHM": ALGORITHM, "FILE": "Files; - or none is standard input."},
    {
        "--any-size": {
            "action": "store_true",
            "help": "Take files of several sizes by a MAC that is secure for one size alone, as "
            "CBC-MAC is: who sees the tags can forge.",
        },
        **KEY_OPTIONS,
    },
    (
        "joulemark tag hmac-sha256 --key-file key.bin firmware.img",
        "joulemark tag cmac-aes128 --key-file key.hex --key-hex *.log > tags",
        "tar c src | joulemark tag siphash-2-4 --key-env BUILD_KEY --key-hex",
    ),
    mac_names,
)


# `joulemark verify`: is the tag of a file right? The answer is the exit code.

_LONGEST_TAG_FILE_BYTES: Final = 1 << 16
_BYTE_ORDER_MARKS: Final = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NAMED: Final = re.compile(r"= ?[0-9a-fA-F]+$")
"""The end of `HMAC-SHA256(file)= 03d9`."""


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
    require_readable([file], source, tag_file)
    expected = _expected_tag(tag, tag_file, facts.id, facts.output_bytes)
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
    line = text.strip() if text is not None else _line_in(file or "")
    digits = line if text is not None else line.split()[0].removeprefix("\\")
    try:
        expected = bytes.fromhex(digits)
    except ValueError:
        named = _NAMED.search(line)
        hint = "; it has a name before '=', as openssl writes it: leave the digits alone"
        raise UsageError(f"{where} is not a hexadecimal tag{hint if named else ''}") from None
    if len(expected) != length:
        raise UsageError(
            f"{where} holds {len(expected)} bytes; a tag of {algorithm} has {length}, "
            "and a shortened one is not accepted"
        )
    return expected


def _line_in(path: str) -> str:
    """The only line in a file; its first word is the tag, as `joulemark tag` prints it."""
    try:
        with waiting_told(Path(path)), Path(path).open("rb") as stream:
            content = stream.read(_LONGEST_TAG_FILE_BYTES)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"tag file {path} cannot be read ({reason})") from None
    if content.startswith(_BYTE_ORDER_MARKS):
        raise UsageError(
            f"tag file {path} begins with a byte-order mark, as some editors and shells write it; "
            "save it as plain text without the mark (ASCII)"
        )
    lines = content.decode("ascii", "replace").strip().splitlines()
    if len(lines) != 1:
        raise UsageError(f"tag file {path} holds {len(lines) or 'no'} lines; it must hold one tag")
    return lines[0]


VERIFY: Final = BaseCommand(
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
