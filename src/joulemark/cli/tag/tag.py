# SPDX-License-Identifier: Apache-2.0
"""`joulemark tag`: authenticate files with our own kernels."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any, Final

from joulemark.catalogue.algorithms import AlgorithmFacts
from joulemark.cli.endings import say
from joulemark.cli.shared.completion import mac_names
from joulemark.cli.without_typer import BaseCommand
from joulemark.errors import UsageError
from joulemark.foreign.text import visible
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
        return f"\\x{ord(sign) - 0xDC00:02x}".encode()
    return visible(sign).encode()


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
    if facts.nonce_bytes:
        raise UsageError(
            f"{facts.id} needs another nonce for each message, which this command does not take; "
            "choose an algorithm without nonces, as hmac-sha256, or use joulemark.mac.Key in Python"
        )
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


COMMAND: Final = BaseCommand(
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
