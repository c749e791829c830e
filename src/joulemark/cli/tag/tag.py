# SPDX-License-Identifier: Apache-2.0
"""`joulemark tag`: authenticate files with our own kernels."""

from __future__ import annotations

import os
from typing import Annotated, Final

from joulemark.cli.shared.declared import Argument, DeclaredCommand, Option
from joulemark.cli.tag.options import (
    MAC,
    KeyOptions,
    name_bytes,
    put,
    warn,
    warn_of_algorithm,
    warn_of_timing,
)
from joulemark.errors import UsageError
from joulemark.mac_files.tagging import STANDARD_INPUT, mac_algorithm, require_readable, tagger

__all__ = ["COMMAND", "tag"]


def tag(
    *,
    algorithm: MAC,
    files: Annotated[
        list[str] | None, Argument("FILE", "Files; - or none is standard input.")
    ] = None,
    any_size: Annotated[
        bool,
        Option(
            "--any-size",
            "Take files of several sizes by a MAC that is secure for one size alone, as "
            "CBC-MAC is: who sees the tags can forge.",
        ),
    ] = False,
    key: KeyOptions,
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
    source = key.source()
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


COMMAND: Final = DeclaredCommand(
    tag,
    (
        "joulemark tag hmac-sha256 --key-file key.bin firmware.img",
        "joulemark tag cmac-aes128 --key-file key.hex --key-hex *.log > tags",
        "tar c src | joulemark tag siphash-2-4 --key-env BUILD_KEY --key-hex",
    ),
)
