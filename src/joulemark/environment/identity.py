# SPDX-License-Identifier: Apache-2.0
"""A digest that tells this machine from equal machines, and from which nobody learns its number.

systemd gives each installation a random number. According to machine-id(5) the number must not be
exposed, and a program derives an identifier from it with a keyed hash. A container has the number
of its image, or none, so there the number does not tell machines apart.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
from typing import Any, Final

from joulemark.environment.source import SystemFiles
from joulemark.errors import UsageError

MACHINE_VARIABLE: Final = "JOULEMARK_MACHINE"
"""Environment variable with the name that the owner gives this machine."""
_FILE: Final = "etc/machine-id"
_MOUNTS: Final = "proc/self/mountinfo"
_NUMBER: Final = re.compile("[0-9a-f]{32}")
_PURPOSE: Final = b"joulemark machine"
_PURPOSE_OF_NAMES: Final = b"joulemark machine by name"
_DIGITS: Final = 16
_MOST_SIGNS: Final = 64


def read(source: SystemFiles, container: str | None) -> dict[str, Any]:
    """Facts that tell this machine from its equals, by field of `Environment`.

    Args:
        source: the files.
        container: the kind of container in which this process runs, if any.
    """
    name = _name(source)
    number = _number(source, container)
    digest = None
    if number is not None:
        digest = _digest(bytes.fromhex(number), _PURPOSE)
    elif name is not None:
        digest = _digest(name.encode(), _PURPOSE_OF_NAMES)
        del source.reasons["machine_digest"]
    return {"machine_digest": digest, "machine_name": name}


def checked_name(name: str) -> str:
    """The name, if it can name a machine."""
    if 0 < len(name) <= _MOST_SIGNS and name.isprintable() and name == name.strip():
        return name
    raise UsageError(
        f"the name of a machine has 1 to {_MOST_SIGNS} signs that can be seen, and no space at its "
        "ends"
    )


def _name(source: SystemFiles) -> str | None:
    name = os.environ.get(MACHINE_VARIABLE) if source.live else None
    if not name:
        return source.unknown("machine_name", f"{MACHINE_VARIABLE} gives it none")
    try:
        return checked_name(name)
    except UsageError as error:
        return source.unknown("machine_name", f"{MACHINE_VARIABLE}: {error}")


def _number(source: SystemFiles, container: str | None) -> str | None:
    if container is not None:
        return source.unknown("machine_digest", "a container may have the number of its image")
    # Where /etc cannot be written, systemd makes a number for this boot, and mounts it there.
    mounts = (source.text(_MOUNTS) or "").splitlines()
    if any(line.split()[4:5] == [f"/{_FILE}"] for line in mounts):
        return source.unknown("machine_digest", f"/{_FILE} is another one after the next start")

    def check(text: str) -> str:
        if not _NUMBER.fullmatch(text) or not int(text, 16):
            raise ValueError
        return text

    return source.fact("machine_digest", _FILE, parse=check)


def _digest(key: bytes, purpose: bytes) -> str:
    return hmac.new(key, purpose, hashlib.sha256).hexdigest()[:_DIGITS]
