# SPDX-License-Identifier: Apache-2.0
"""Options that `tag` and `verify` share: the algorithm, and where the key is."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Annotated

from joulemark.catalogue.algorithms import Algorithm
from joulemark.cli.endings import say
from joulemark.cli.shared.completion import mac_names
from joulemark.cli.shared.declared import Argument, Option
from joulemark.foreign.text import visible
from joulemark.mac_files.keys import KeySource, key_source
from joulemark.mac_files.tagging import Tagger

__all__ = [
    "MAC", "KeyOptions", "name_bytes", "put", "warn", "warn_of_algorithm", "warn_of_timing",
]  # fmt: skip

MAC = Annotated[
    str, Argument("ALGORITHM", "A MAC of the catalogue, such as hmac-sha256.", mac_names)
]


@dataclass(frozen=True, slots=True)
class KeyOptions:
    """Where the key is."""

    key_file: Annotated[
        str | None,
        Option(
            "--key-file",
            "File that holds the key: its bytes as they are, a last newline included.",
            "FILE",
        ),
    ] = None
    key_env: Annotated[
        str | None,
        Option(
            "--key-env",
            "Name of the environment variable that holds the key, as UTF-8 text.",
            "NAME",
        ),
    ] = None
    key_hex: Annotated[
        bool,
        Option(
            "--key-hex", "The file or variable holds the key in hexadecimal; spaces are ignored."
        ),
    ] = False

    def source(self) -> KeySource:
        """The place of the key that is named.

        Raises:
            UsageError: there is none, or there are two.
        """
        return key_source(self.key_file, self.key_env, hexadecimal=self.key_hex, warn=warn)


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


def warn_of_algorithm(algorithm: Algorithm) -> None:
    """Warns if the catalogue says that the algorithm is broken."""
    if algorithm.status == "broken":
        warn(f"{algorithm.id} is broken: {algorithm.status_reason}")


def warn_of_timing(algorithm: Algorithm, maker: Tagger) -> None:
    """Warns if the time that tags take depends on the key and the message."""
    if maker.constant_time is False:
        warn(
            f"{algorithm.id} is not constant-time: its time depends on the key and the message, "
            "and whoever shares this machine may learn both"
        )
