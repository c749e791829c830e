# SPDX-License-Identifier: Apache-2.0
"""Code in the layout of eBACS, as SUPERCOP has it: found, compiled, tried, and kept if right.

The layout is `crypto_hash/PRIMITIVE/IMPLEMENTATION/api.h`, in one folder or many. An implementation
is a folder with a file `api.h`, at any depth below its primitive.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from joulemark import _core
from joulemark.catalogue import EBACS_KEY_BYTES, AlgorithmFacts, algorithms
from joulemark.errors import UsageError
from joulemark.foreign import did_you_mean, shortened, visible
from joulemark.measure.worker.trials import portable_kernel
from joulemark.own_code import COMPILED, Keyed

OPERATIONS: Final[Mapping[str, Keyed]] = {
    "crypto_hash": "hash",
    "crypto_auth": "mac",
    "crypto_onetimeauth": "mac",
}
"""Operation of eBACS that is taken -> whether it has a key."""
_API: Final = "api.h"
_NOWHERE: Final = "is a link that leads nowhere or in a circle"
_DEEPEST: Final = 6
"""Most folders below a primitive that are searched: an implementation lies one or two below."""


@dataclass(frozen=True, slots=True)
class ImplementationFolder:
    """A folder that is an implementation, or was meant for one."""

    operation: str
    primitive: str
    implementation: str
    """Path below the primitive, with slashes; empty: the primitive's own folder."""
    folder: Path
    trouble: str | None = None
    """Why it cannot be taken, as the end of a sentence about the folder."""

    @property
    def function(self) -> str:
        """`crypto_hash/sha256`."""
        return f"{self.operation}/{self.primitive}"

    @property
    def text(self) -> str:
        """`crypto_hash/sha256/ref`, fit to be shown."""
        parts = (self.operation, self.primitive, self.implementation)
        return visible("/".join(filter(None, parts)))


@dataclass(frozen=True, slots=True)
class ImplementationTree:
    """The implementations in a folder."""

    root: Path
    """Root of the tree; a link that leads out of it is not followed."""
    places: tuple[ImplementationFolder, ...]
    passed_over: tuple[str, ...]
    """Operations that are neither a hash nor a MAC."""


def find_tree(given: Path, function: str | None) -> ImplementationTree:
    """The implementations in a folder: of a tree, an operation, a primitive, or the folder itself.

    The function, such as `crypto_hash/sha256`, is given if the path does not say it.
    """
    folder = Path(os.path.abspath(given))  # noqa: PTH100 - links stay, since their names count
    parts = folder.parts
    if any("\ud800" <= sign <= "\udfff" for sign in str(folder)):
        raise UsageError(f"{shortened(str(given), 200)}: rename it; this is no text in UTF-8")
    at = next((i for i in reversed(range(len(parts))) if parts[i] in OPERATIONS), None)
    if function is not None:
        operation, primitive = function.split("/")
        root, places = folder, list(_Walk(folder, operation, primitive).visit(folder, (), (), 0))
    elif at is not None:
        root = Path(*parts[:at])
        places = list(_below_operation(root, parts[at:]))
    else:
        return _whole(folder, given)
    if len(places) == 1 and places[0].folder == folder and places[0].trouble is not None:
        raise UsageError(f"{shortened(str(given), 200)} {places[0].trouble}")
    if not places:
        raise UsageError(
            f"{shortened(str(given), 200)} has no implementation in it: no folder with an api.h"
        )
    return ImplementationTree(root, tuple(places), ())


def _whole(folder: Path, given: Path) -> ImplementationTree:
    """The tree in a folder that lies above folders of operations."""
    names = [entry.name for entry in entries_of(folder) if entry.name.startswith("crypto_")]
    taken = [name for name in names if name in OPERATIONS]
    if not taken:
        known = ", ".join(OPERATIONS)
        raise UsageError(
            f"{shortened(str(given), 200)} neither lies in a folder {known} nor has one in it, so "
            "nothing says what its code computes; name that with --primitive crypto_hash/sha256 or "
            "--algorithm"
        )
    places = [place for name in taken for place in _below_operation(folder, (name,))]
    return ImplementationTree(
        folder, tuple(places), tuple(name for name in names if name not in OPERATIONS)
    )


def _below_operation(root: Path, parts: tuple[str, ...]) -> Iterator[ImplementationFolder]:
    """Implementations at `parts` below the root: an operation, or also a primitive and more."""
    operation, *more = parts
    folder = root.joinpath(*parts)
    if more:
        walk = _Walk(root, operation, more[0])
        yield from walk.visit(folder, tuple(more[1:]), (), min(len(more) - 1, 1))
        return
    try:
        entries = entries_of(folder)
    except UsageError as error:
        yield ImplementationFolder(operation, "", "", folder, str(error))
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if leads_nowhere(entry):
            yield ImplementationFolder(operation, entry.name, "", folder / entry.name, _NOWHERE)
        elif is_folder(entry):
            yield from _Walk(root, operation, entry.name).visit(folder / entry.name, (), (), 0)


@dataclass(frozen=True, slots=True)
class _Walk:
    """A search through the folders of one primitive."""

    root: Path
    operation: str
    primitive: str

    def visit(
        self, folder: Path, parts: tuple[str, ...], above: tuple[str, ...], depth: int
    ) -> Iterator[ImplementationFolder]:
        """The implementations in a folder, or why it is none though it was meant for one.

        `parts` are the names from the primitive to the folder, `above` the real paths of the
        folders in which it lies, and `depth` says how many folders the search has come down.
        """
        try:
            entries = entries_of(folder)
        except UsageError as error:
            yield self._place(folder, parts, str(error))
            return
        real = os.path.realpath(folder)
        if real in above or depth > _DEEPEST:
            yield self._place(folder, parts, "is a link to a folder above it, or lies too deep")
            return
        is_code = any(entry.name == _API for entry in entries)
        if is_code:
            yield self._place(folder, parts or (folder.name,))
        found = is_code
        for entry in entries:
            if not is_code and leads_nowhere(entry) and not entry.name.startswith("."):
                found = True
                yield self._place(folder / entry.name, (*parts, entry.name), _NOWHERE)
            if entry.name.startswith(".") or not is_folder(entry):
                continue
            for deeper in self._below(
                folder / entry.name, (*parts, entry.name), (*above, real), depth
            ):
                # A folder beside the code of an implementation belongs to the implementation.
                if not is_code or deeper.trouble is None:
                    found = True
                    yield deeper
        has_source = any(Path(entry.name).suffix in COMPILED for entry in entries)
        if not found and (depth <= 1 or has_source):
            why = "has no api.h, by which an implementation is known" if entries else "is empty"
            yield self._place(folder, parts, why)

    def _below(
        self, folder: Path, parts: tuple[str, ...], above: tuple[str, ...], depth: int
    ) -> Iterator[ImplementationFolder]:
        target = leads_out(folder, self.root)
        if target is None:
            yield from self.visit(folder, parts, above, depth + 1)
        else:
            why = f"is a link that leads out of the tree, to {target}"
            yield self._place(folder, parts, why)

    def _place(
        self, folder: Path, parts: tuple[str, ...], trouble: str | None = None
    ) -> ImplementationFolder:
        return ImplementationFolder(
            self.operation, self.primitive, "/".join(parts), folder, trouble
        )


def leads_out(path: Path, root: Path) -> str | None:
    """The target of a link that leads out of the tree, fit to be shown; None for all else."""
    if not path.is_symlink():
        return None
    target, inside = os.path.realpath(path), os.path.realpath(root)
    if target == inside or target.startswith(inside + os.sep):
        return None
    return shortened(target, 200)


def leads_nowhere(entry: os.DirEntry[str]) -> bool:
    """Whether it is a link to nothing, or in a circle."""
    return entry.is_symlink() and not os.path.exists(entry.path)  # noqa: PTH110 - False of circles


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder, or a link to one."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def entries_of(folder: Path) -> list[os.DirEntry[str]]:
    """The entries of a folder, by name."""
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        raise UsageError(f"cannot be read ({error.strerror})") from None


# Primitives of eBACS: their algorithms in the catalogue, and the checksums that they must have.

_CHECKSUM_FILE: Final = "checksumsmall"
_CHECKSUM: Final = re.compile(r"[0-9a-f]{64}")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")


@dataclass(frozen=True, slots=True)
class Primitive:
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
    """The value of `--primitive`, checked."""
    operation, _, name = primitive.partition("/")
    if operation not in OPERATIONS or not _NAME.fullmatch(name):
        raise UsageError(
            f"--primitive {shortened(primitive)}: give an operation and a primitive of eBACS, such "
            f"as crypto_hash/sha256{did_you_mean(operation, OPERATIONS)} (operations: "
            f"{', '.join(OPERATIONS)})"
        )
    return primitive


def name_of(algorithm: AlgorithmFacts) -> str:
    """The name that eBACS gives to an algorithm, or would give."""
    if algorithm.ebacs is not None:
        return algorithm.ebacs
    if algorithm.kind == "cipher":
        raise UsageError(f"{algorithm.id} is a cipher, and add takes hashes and MACs")
    mac = "crypto_onetimeauth" if algorithm.one_time_key else "crypto_auth"
    return f"{'crypto_hash' if algorithm.kind == 'hash' else mac}/{algorithm.id.replace('-', '_')}"


@cache
def _by_name() -> dict[str, AlgorithmFacts]:
    return {
        algorithm.ebacs: algorithm
        for algorithm in algorithms().values()
        if algorithm.ebacs is not None
    }


def function_of(name: str, algorithm: AlgorithmFacts | None = None) -> Primitive:
    """The function named `crypto_hash/sha256`; its algorithm is found by the name unless given."""
    facts = algorithm or _by_name().get(name)
    kind = OPERATIONS[name.split("/", maxsplit=1)[0]]
    if facts is None:
        return Primitive(name, kind)
    output_bytes = facts.ebacs_output_bytes or facts.output_bytes
    kernel = portable_kernel(facts.id)
    key_bytes = facts.key_bytes[0] if facts.key_bytes else 0
    checksum = None
    if kernel is not None:
        if kernel.key_bytes_max != kernel.key_bytes_min:
            key_bytes = EBACS_KEY_BYTES
        checksum = _core.supercop_checksum(kernel, key_bytes, output_bytes, big=False).hex()
    whole = None if output_bytes == facts.output_bytes else facts.output_bytes
    return Primitive(
        name, kind, facts.id, facts.block_bytes, output_bytes, key_bytes, whole, checksum
    )


def tree_checksum(primitive: Path) -> str | None:
    """The checksum in the folder of a primitive; None if there is no such file."""
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
