# SPDX-License-Identifier: Apache-2.0
"""What a primitive of eBACS is in the catalogue, and what its checksum must be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from joulemark import _core
from joulemark.catalogue.algorithms import Algorithm, algorithms
from joulemark.catalogue.ebacs import EBACS_KEY_BYTES
from joulemark.errors import UsageError
from joulemark.foreign.text import shortened
from joulemark.measure.worker_process.native_check import portable_kernel
from joulemark.own_code.ebacs.layout import OPERATIONS
from joulemark.own_code.signature import Keyed
from joulemark.spelling import did_you_mean

__all__ = ["Function", "function_of", "name_of", "named", "tree_checksum"]

_CHECKSUM_FILE: Final = "checksumsmall"
_CHECKSUM: Final = re.compile(r"[0-9a-f]{64}")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")


@dataclass(frozen=True, slots=True)
class Function:
    """A primitive."""

    name: str
    """`crypto_hash/sha256`."""
    kind: Keyed
    algorithm: str | None = None
    """Of the catalogue; None: it is not there."""
    block_bytes: int = 1
    output_bytes: int | None = None
    """That `api.h` must say; None: whatever it says."""
    key_bytes: int | None = None
    """As above."""
    whole_bytes: int | None = None
    """Of the algorithm's output, where eBACS takes a part of it."""
    checksum: str | None = None
    """Its checksumsmall by our portable kernel."""

    @property
    def operation(self) -> str:
        """`crypto_hash`."""
        return self.name.split("/")[0]


def named(primitive: str) -> str:
    """`--primitive`, held to its form.

    Raises:
        UsageError: it is none.
    """
    operation, _, name = primitive.partition("/")
    if operation not in OPERATIONS or not _NAME.fullmatch(name):
        raise UsageError(
            f"--primitive {shortened(primitive)}: give an operation and a primitive of eBACS, such "
            f"as crypto_hash/sha256{did_you_mean(operation, OPERATIONS)} (operations: "
            f"{', '.join(OPERATIONS)})"
        )
    return primitive


def name_of(algorithm: Algorithm) -> str:
    """What eBACS calls an algorithm, or would.

    Raises:
        UsageError: it has no operation for it.
    """
    if algorithm.ebacs is not None:
        return algorithm.ebacs
    if algorithm.kind == "cipher":
        raise UsageError(f"{algorithm.id} is a cipher, and add takes hashes and MACs")
    mac = "crypto_onetimeauth" if algorithm.one_time_key else "crypto_auth"
    return f"{'crypto_hash' if algorithm.kind == 'hash' else mac}/{algorithm.id.replace('-', '_')}"


@cache
def _by_name() -> dict[str, Algorithm]:
    return {
        algorithm.ebacs: algorithm
        for algorithm in algorithms().values()
        if algorithm.ebacs is not None
    }


def function_of(name: str, algorithm: Algorithm | None = None) -> Function:
    """The function of that name.

    Args:
        name: `crypto_hash/sha256`.
        algorithm: what it is; found by the name unless given.
    """
    facts = algorithm or _by_name().get(name)
    kind = OPERATIONS[name.split("/", maxsplit=1)[0]]
    if facts is None:
        return Function(name, kind)
    output_bytes = facts.ebacs_output_bytes or facts.output_bytes
    kernel = portable_kernel(facts.id)
    key_bytes = facts.key_bytes[0] if facts.key_bytes else 0
    checksum = None
    if kernel is not None:
        if kernel.key_bytes_max != kernel.key_bytes_min:
            key_bytes = EBACS_KEY_BYTES
        checksum = _core.supercop_checksum(kernel, key_bytes, output_bytes, big=False).hex()
    whole = None if output_bytes == facts.output_bytes else facts.output_bytes
    return Function(
        name, kind, facts.id, facts.block_bytes, output_bytes, key_bytes, whole, checksum
    )


def tree_checksum(primitive: Path) -> str | None:
    """What the tree says of a primitive in its folder; None if it says nothing.

    Raises:
        UsageError: the file is no checksum; the end of a sentence about it.
    """
    path = primitive / _CHECKSUM_FILE
    try:
        with path.open("rb") as file:
            text = file.read(4096).decode("ascii", "replace").strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"{_CHECKSUM_FILE} cannot be read ({error.strerror})") from None
    if not _CHECKSUM.fullmatch(text):
        raise UsageError(f"{_CHECKSUM_FILE} is not 64 hexadecimal digits ('{shortened(text)}')")
    return text
