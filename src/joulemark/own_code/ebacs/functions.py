# SPDX-License-Identifier: Apache-2.0
"""Primitives of eBACS: their algorithms in the catalogue, and the checksums that they must have."""

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
    """Algorithm of the catalogue; None: the catalogue lacks it."""
    block_bytes: int = 1
    output_bytes: int | None = None
    """Length of the output that `api.h` must state; None: any length."""
    key_bytes: int | None = None
    """Length of the key that `api.h` must state; None: any length."""
    whole_bytes: int | None = None
    """Length of the algorithm's whole output if eBACS takes a part of it; otherwise None."""
    checksum: str | None = None
    """The checksumsmall that our portable kernel gives."""

    @property
    def operation(self) -> str:
        """`crypto_hash`."""
        return self.name.split("/")[0]


def named(primitive: str) -> str:
    """The value of `--primitive`, checked.

    Raises:
        UsageError: it does not have the form of a primitive.
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
    """The name that eBACS gives to an algorithm, or would give.

    Raises:
        UsageError: eBACS has no operation for it.
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
        algorithm: the algorithm that it is; found by the name unless given.
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
    """The checksum in the folder of a primitive; None if there is no such file.

    Raises:
        UsageError: the file has no checksum; the text is the end of a sentence.
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
