# SPDX-License-Identifier: Apache-2.0
"""The files of an implementation, read once: a copy of them is compiled, as SUPERCOP does it."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.errors import JoulemarkError, UsageError
from joulemark.foreign import shortened
from joulemark.measure.worker.sources import SourceDigest
from joulemark.own_code import COMPILED
from joulemark.own_code.ebacs import (
    ImplementationFolder,
    Primitive,
    entries_of,
    function_of,
    is_folder,
    leads_out,
)

_MOST_FILE_BYTES: Final = 16 << 20
_MOST_BYTES: Final = 64 << 20
_MOST_FILES: Final = 2000
_ARCHITECTURES: Final = "architectures"
_OURS: Final = {"x86_64": {"amd64", "x86"}, "aarch64": {"aarch64", "arm64"}}
"""Machine as uname(1) calls it -> names that eBACS has for it."""


class TroubleError(JoulemarkError):
    """An error of files that cannot be taken; its text ends a sentence about their folder."""


@dataclass(frozen=True, slots=True)
class TakenFile:
    """A file of an implementation."""

    name: str
    """Path in the folder of the implementation, with slashes."""
    content: bytes

    @property
    def is_compiled(self) -> bool:
        """Whether it is code by itself: not a header, and not in a folder below."""
        return "/" not in self.name and Path(self.name).suffix in COMPILED


def sources_of(place: ImplementationFolder, root: Path) -> tuple[TakenFile, ...]:
    """Every file of an implementation, by name; a link that leads out of the tree is refused."""
    if place.trouble is not None:
        raise TroubleError(place.trouble)
    found: list[TakenFile] = []
    total = 0
    for path, name in _files(place.folder, ""):
        content = _content(path, name, root)
        total += len(content)
        found.append(TakenFile(name, content))
        if total > _MOST_BYTES or len(found) > _MOST_FILES:
            raise TroubleError(
                f"holds more than {_MOST_FILES} files or {_MOST_BYTES >> 20} MiB, which no "
                "implementation needs; move what is not code out of it"
            )
    if not any(taken.is_compiled for taken in found):
        raise TroubleError("has no file to compile (.c, .S, .s, or .cpp, .cc, .cxx)")
    return tuple(found)


def _files(folder: Path, before: str) -> Iterator[tuple[Path, str]]:
    """Files in a folder, and in folders below it that are no other implementation."""
    try:
        entries = entries_of(folder)
    except UsageError as error:
        where = f"{shortened(before)} in it " if before else ""
        raise TroubleError(f"{where}{error}") from None
    for entry in entries:
        name = before + entry.name
        if entry.name.startswith("."):
            continue
        if not is_folder(entry):
            yield Path(entry.path), name
        elif not (Path(entry.path) / "api.h").exists():
            if entry.is_symlink() or name.count("/") > _MOST_FILES:
                raise TroubleError(f"has a link to a folder in it, {shortened(name)}")
            yield from _files(Path(entry.path), f"{name}/")


def _content(path: Path, name: str, root: Path) -> bytes:
    shown = shortened(name)
    target = leads_out(path, root)
    if target is not None:
        raise TroubleError(f"has a link that leads out of the tree: {shown} to {target}")
    if not name.isprintable() or '"' in name or "\\" in name:
        raise TroubleError(f"has a file whose name no compiler reads, '{shown}'; rename it")
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise TroubleError(f"has something in it that is no file, {shown}")
            content = file.read(_MOST_FILE_BYTES + 1)
    except OSError as error:
        raise TroubleError(f"has a file that cannot be read, {shown} ({error.strerror})") from None
    if len(content) > _MOST_FILE_BYTES:
        raise TroubleError(
            f"has a file larger than {_MOST_FILE_BYTES >> 20} MiB, {shown}, which is no source"
        )
    return content


def source_digests(sources: Iterable[TakenFile]) -> tuple[SourceDigest, ...]:
    """Name and SHA-256 of each file."""
    return tuple(
        SourceDigest(source.name, hashlib.sha256(source.content).hexdigest()) for source in sources
    )


def digest_of_sources(digests: Sequence[SourceDigest]) -> str:
    """SHA-256 of all names and contents together, in hexadecimal."""
    pairs = [(digest.name, digest.sha256) for digest in digests]
    return hashlib.sha256(json.dumps(pairs).encode()).hexdigest()


def copy_files(sources: Iterable[TakenFile], folder: Path) -> None:
    """Makes a folder, and writes the files into it."""
    folder.mkdir()
    for source in sources:
        path = folder / source.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source.content)


def not_for_this_machine(sources: Iterable[TakenFile], machine: str | None = None) -> str | None:
    """Why a file `architectures` excludes this machine, as a sentence; None if it does not.

    The machine may be given as uname(1) calls it.
    """
    file = next((source for source in sources if source.name == _ARCHITECTURES), None)
    if file is None:
        return None
    lines = file.content.decode("ascii", "replace").splitlines()
    named = [words[0] for line in lines if (words := line.split())]
    here = platform.machine() if machine is None else machine
    if not named or set(named) & _OURS.get(here, {here}):
        return None
    return f"its file architectures names {shortened(', '.join(named))}, and this is {here}"


# Headers that SUPERCOP puts before an implementation, and functions of others that it may call.
#
# All of them are ours and lie in a scratch folder. A name such as `crypto_hash` becomes the name
# that assembler sources in eBACS define, `crypto_hash_sha256_ref`. Other hashes are computed by our
# own kernels.

_INCLUDED: Final = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"](crypto_\w+)\.h[>"]', re.MULTILINE)
_INTEGER: Final = re.compile(r"crypto_(u?)int(8|16|32|64)")
_VERIFY: Final = re.compile(r"crypto_verify_(\d{1,4})")
_BLOCKS: Final = {"md5": (16, 64), "sha256": (32, 64), "sha512": (64, 128)}
"""Hash whose blocks can be hashed one by one -> bytes of its chaining value and of a block."""
_OPERATION: Final = """\
#ifndef {operation}_H
#define {operation}_H
#define {symbol}_BYTES {output_bytes}
#define {operation}_BYTES {output_bytes}
{key}#define {operation} {symbol}
#define {operation}_PRIMITIVE "{primitive}"
#define {operation}_IMPLEMENTATION "{text}"
#define {operation}_VERSION "-"
{before}
{prototypes}
{after}
#endif
"""
_BEFORE: Final = '#ifdef __cplusplus\nextern "C" {\n#endif'
_AFTER: Final = "#ifdef __cplusplus\n}\n#endif"
"""Lines round the declarations of a header: functions of eBACS have C's names in C++ too."""
_KEY: Final = """\
#define {symbol}_KEYBYTES {key_bytes}
#define {operation}_KEYBYTES {key_bytes}
#define {operation}_verify {symbol}_verify
"""
_HASH_ARGUMENTS: Final = "unsigned char *, const unsigned char *, unsigned long long"
_VERIFY_HEADER: Final = """\
#define {name}_BYTES {bytes}
extern int {name}(const unsigned char *, const unsigned char *);"""
_VERIFY_SOURCE: Final = """\
int {name}(const unsigned char *x, const unsigned char *y);
int {name}(const unsigned char *x, const unsigned char *y) {{
    unsigned differing = 0;
    for (int i = 0; i < {bytes}; i++) differing |= (unsigned)(x[i] ^ y[i]);
    return (int)(1 & ((differing - 1) >> 8)) - 1;
}}
"""
_KERNEL_HEAD: Final = """\
#include <joulemark/kernel.h>
const jm_implementation *jm_hash_chosen(const char *algorithm);
size_t jm_hash_blocks(const jm_implementation *hash, uint8_t *state, const uint8_t *message,
                      size_t message_bytes);
"""
_KERNEL: Final = """\
int {name}(unsigned char *, const unsigned char *, unsigned long long);
int {name}(unsigned char *out, const unsigned char *in, unsigned long long bytes) {{
    static const jm_implementation *chosen;
    if (!chosen) chosen = jm_hash_chosen("{algorithm}");
    return {call};
}}
"""
_HASH_CALL: Final = "chosen->hash->digest(chosen, in, bytes, out) != JM_OK"
_BLOCKS_CALL: Final = "(int)jm_hash_blocks(chosen, out, in, bytes)"


@dataclass(frozen=True, slots=True)
class Shim:
    """Files of ours beside the copy of an implementation."""

    headers: dict[str, str]
    """Name -> text."""
    source: str
    """Code of other primitives; empty if the implementation calls none."""
    with_kernels: bool
    """Whether the source needs our library."""


def symbol_of(operation: str, primitive: str, implementation: str) -> str:
    """The beginning of an implementation's names in C, such as `crypto_hash_echo256_aes_aes64`."""
    return "_".join((operation, primitive, re.sub(r"\W", "_", implementation)))


def shim_for(
    function: Primitive,
    implementation: str,
    sources: Iterable[TakenFile],
    key_bytes: int,
    output_bytes: int,
) -> Shim:
    """The headers that the sources include, as far as they can be made here."""
    sources = list(sources)
    own = {taken.name for taken in sources}
    included = {name.decode() for taken in sources for name in _INCLUDED.findall(taken.content)}
    operation, primitive = function.name.split("/")
    headers = {
        operation: _operation_header(function, implementation, key_bytes, output_bytes),
        f"{operation}_{primitive}": _same_header(operation, primitive),
    }
    parts: list[str] = []
    with_kernels = False
    for name in sorted(included - headers.keys()):
        if f"{name}.h" in own:
            continue
        if _INTEGER.fullmatch(name):
            kind = name.removeprefix("crypto_")
            headers[name] = _guarded(name, f"#include <stdint.h>\ntypedef {kind}_t {name};")
        elif (verify := _VERIFY.fullmatch(name)) is not None:
            headers[name] = _guarded(name, _VERIFY_HEADER.format(name=name, bytes=verify[1]))
            parts.append(_VERIFY_SOURCE.format(name=name, bytes=verify[1]))
        elif (kernel := _kernel(name)) is not None:
            headers[name] = _guarded(name, kernel[0])
            parts.append(kernel[1])
            with_kernels = True
    head = [_KERNEL_HEAD] if with_kernels else []
    files = {f"{name}.h": text for name, text in headers.items()}
    return Shim(files, "\n".join([*head, *parts]), with_kernels)


def _guarded(name: str, text: str) -> str:
    return f"#ifndef {name}_H\n#define {name}_H\n{_BEFORE}\n{text}\n{_AFTER}\n#endif\n"


def _operation_header(
    function: Primitive, implementation: str, key_bytes: int, output_bytes: int
) -> str:
    operation, primitive = function.name.split("/")
    symbol = symbol_of(operation, primitive, implementation)
    keyed = function.kind == "mac"
    key = _KEY.format(symbol=symbol, operation=operation, key_bytes=key_bytes) if keyed else ""
    return _OPERATION.format(
        operation=operation,
        symbol=symbol,
        output_bytes=output_bytes,
        primitive=primitive,
        text=re.sub(r"[^\w./+-]", "_", f"{function.name}/{implementation}"),
        key=key,
        before=_BEFORE,
        prototypes="\n".join(_prototypes(operation, keyed=keyed)),
        after=_AFTER,
    )


def _prototypes(name: str, *, keyed: bool) -> Iterator[str]:
    key = ", const unsigned char *" if keyed else ""
    yield f"extern int {name}({_HASH_ARGUMENTS}{key});"
    if keyed:
        arguments = _HASH_ARGUMENTS.replace("unsigned char *", "const unsigned char *", 1)
        yield f"extern int {name}_verify({arguments}{key});"


def _same_header(operation: str, primitive: str) -> str:
    """The header of the primitive itself under its longer name."""
    name = f"{operation}_{primitive}"
    return _guarded(
        name,
        f'#include "{operation}.h"\n#define {name} {operation}\n'
        f"#define {name}_BYTES {operation}_BYTES",
    )


def _kernel(name: str) -> tuple[str, str] | None:
    """Header and source of another hash that a kernel of ours computes; None if we have none."""
    operation, _, primitive = name.removeprefix("crypto_").partition("_")
    if operation == "hash":
        other = function_of(f"crypto_hash/{primitive}")
        if other.algorithm is None or other.checksum is None:
            return None
        sizes = f"#define {name}_BYTES {other.output_bytes}"
        algorithm, call = other.algorithm, _HASH_CALL
    elif operation == "hashblocks" and primitive in _BLOCKS:
        state, block = _BLOCKS[primitive]
        sizes = f"#define {name}_STATEBYTES {state}\n#define {name}_BLOCKBYTES {block}"
        algorithm, call = primitive, _BLOCKS_CALL
    else:
        return None
    header = f"{sizes}\nextern int {name}({_HASH_ARGUMENTS});"
    return header, _KERNEL.format(name=name, algorithm=algorithm, call=call)
