# SPDX-License-Identifier: Apache-2.0
"""Outside libraries: Python's `hmac` and `hashlib` as a provider, and the files behind any library.

Many users have `hmac` and `hashlib` today. The call into the interpreter is measured too, since
such a user pays for it.
"""

from __future__ import annotations

import hashlib
import hmac
import platform
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from joulemark import _core

PROVIDER = "python"

_HASHES = {
    "md5": "md5",
    "sha1": "sha1",
    "sha256": "sha256",
    "sha384": "sha384",
    "sha512": "sha512",
    "sha224": "sha224",
    "blake2b-512": "blake2b",
    "blake2s-256": "blake2s",
    "sha3-224": "sha3_224",
    "sha3-256": "sha3_256",
    "sha3-384": "sha3_384",
    "sha3-512": "sha3_512",
}
"""Id of each hash in the catalogue -> Python's name."""
_WITHOUT_HMAC = ("sha3-224", "sha3-384", "sha224", "blake2b-512", "blake2s-256")
"""Hashes over which the catalogue has no HMAC."""


def library_version() -> str:
    """Interpreter, and the OpenSSL that its hash functions come from."""
    import ssl  # noqa: PLC0415 - takes 6 ms, and a search for files needs none of it

    return f"{platform.python_implementation()} {platform.python_version()} ({ssl.OPENSSL_VERSION})"


def _digest(name: str) -> Callable[[bytes], bytes]:
    constructor = getattr(hashlib, name)

    def run(message: bytes) -> bytes:
        output: bytes = constructor(message, usedforsecurity=False).digest()
        return output

    return run


def _one_shot(name: str) -> Callable[[bytes, bytes], bytes]:
    def run(key: bytes, message: bytes) -> bytes:
        return hmac.digest(key, message, name)

    return run


def _keyed(name: str) -> Callable[[bytes], hmac.HMAC]:
    def set_up(key: bytes) -> hmac.HMAC:
        return hmac.new(key, digestmod=name)

    return set_up


def _copy_and_update(keyed: hmac.HMAC, message: bytes) -> bytes:
    mac = keyed.copy()
    mac.update(message)
    return mac.digest()


def implementations() -> list[_core.Implementation]:
    """Two call styles of HMAC, and the plain hashes."""
    offered = []
    for algorithm, name in _HASHES.items():
        hasher = hashlib.new(name, usedforsecurity=False)
        sizes = {"block_bytes": hasher.block_size, "output_bytes": hasher.digest_size}
        make = _core.python_implementation
        offered.append(
            make(
                algorithm,
                "python_hashlib",
                f"hashlib.{name}(message).digest()",
                **sizes,
                key_bytes=0,
                set_up=None,
                run=_digest(name),
            )
        )
        if algorithm in _WITHOUT_HMAC:
            continue
        offered += [
            make(
                f"hmac-{algorithm}",
                "python_hmac_digest",
                f"hmac.digest(key, message, '{name}'), the key set up for every message",
                **sizes,
                key_bytes=hasher.digest_size,
                set_up=bytes,
                run=_one_shot(name),
            ),
            make(
                f"hmac-{algorithm}",
                "python_hmac_copy",
                "hmac.new(key) kept; copy(), update(message), digest() for every message",
                **sizes,
                key_bytes=hasher.digest_size,
                set_up=_keyed(name),
                run=_copy_and_update,
            ),
        ]
    return offered


# Finds the files that an outside library was loaded from, and their SHA-256.
#
# A library's version does not tell which build was measured, and some libraries do not tell their
# patch level. The file that the loader took does. Only Linux lists the files that a process has
# mapped.

_SONAME: Final = re.compile(rb"\0([\w.+-]+\.so(?:\.[\w.]+)?)(?=\0)")
"""A name as the dynamic section of a shared object has it, between zeros of its string table."""
_RUNTIME: Final = frozenset(
    {
        "ld-linux-x86-64",
        "ld-linux-aarch64",
        "libc",
        "libdl",
        "libgcc_s",
        "libm",
        "libpthread",
        "librt",
        "libstdc++",
    }
)
"""Libraries that every program is linked with; they are not measured."""
_MAPS: Final = Path("/proc/self/maps")


def libraries_behind(plugin: str) -> dict[Path, str]:
    """`linked_files` of this process, which has loaded the shared object, as it is mapped now."""
    return linked_files(Path(plugin), mapped_libraries())


def mapped_libraries(maps: Path = _MAPS) -> list[Path]:
    """Paths of the shared objects of this process; none where the system does not tell."""
    try:
        lines = maps.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return []
    fields = (line.split(maxsplit=5) for line in lines)
    found = {field[5] for field in fields if len(field) == 6 and ".so" in field[5]}
    return [Path(path) for path in sorted(found) if path.startswith("/")]


def linked_files(plugin: Path, mapped: Iterable[Path]) -> dict[Path, str]:
    """Each file that `plugin` is linked with, the runtime's left out, and its SHA-256.

    Args:
        plugin: a shared object that this process has loaded.
        mapped: shared objects that the process has mapped since.

    Returns:
        The files by name, without unreadable ones, such as a file replaced while it was mapped.
    """
    try:
        needed = {name.decode() for name in _SONAME.findall(plugin.read_bytes())}
    except OSError:
        return {}
    found = {}
    for path in sorted(mapped, key=lambda path: path.name):
        if path == plugin or path.name.split(".so", 1)[0] in _RUNTIME:
            continue
        if any(_is_file_of(path, name) for name in needed):
            with suppress(OSError):
                found[path] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def _is_file_of(path: Path, name: str) -> bool:
    """Whether the loader takes a file for a name, by the file's name or through a link.

    `libcrypto.so.3` is a file; `libsodium.so.23` a link to `libsodium.so.23.3.0`, and
    `libmbedcrypto.so.7` one to `libmbedcrypto.so.2.28.3`.
    """
    if path.name == name or path.name.startswith(f"{name}."):
        return True
    try:
        return path.with_name(name).samefile(path)
    except OSError:
        return False
