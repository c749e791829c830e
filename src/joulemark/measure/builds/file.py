# SPDX-License-Identifier: Apache-2.0
"""The shared object of a build: a plugin, or the kernels of an installed Joulemark."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from joulemark.errors import UsageError

_KERNELS: Final = (
    "_core*.so",
    "joulemark/_core*.so",
    "lib/python*/site-packages/joulemark/_core*.so",
    "libjoulemark.so",
    "lib/libjoulemark.so",
    "lib/*/libjoulemark.so",
)
"""Files in which an installation keeps our kernels: in the package, a folder with the package, a
virtual environment, and as the C library in its folder or under its prefix."""
_IN_WHEEL: Final = "joulemark/_core"


def build_file(path: str, option: str, scratch: Path) -> Path:
    """The shared object that a path means.

    Args:
        path: a plugin or `libjoulemark.so`; a folder or a virtual environment in which Joulemark
            is installed; a wheel of Joulemark.
        option: option that the refusal names, as `--old`.
        scratch: existing folder, into which a wheel's module is unpacked.
    """
    named = Path(path)
    if named.suffix == ".whl":
        return _unpack(named, option, scratch)
    if named.is_dir():
        return _first(
            [file for pattern in _KERNELS for file in sorted(named.glob(pattern))],
            f"{option} {path}: no installed Joulemark in this folder",
        )
    if not named.is_file():
        raise UsageError(
            f"{option} {path}: no such file; name a shared object that exports joulemark_plugin"
        )
    return named.resolve()


def _first(found: Sequence[Path], refusal: str) -> Path:
    if not found:
        raise UsageError(
            f"{refusal}; name a plugin, libjoulemark.so, a wheel, or a virtual environment"
        )
    return found[0].resolve()


def _unpack(wheel: Path, option: str, scratch: Path) -> Path:
    """The extension module of a wheel, in a separate folder under `scratch`."""
    folder = scratch / option.lstrip("-")
    try:
        with zipfile.ZipFile(wheel) as content:
            names = [
                name
                for name in content.namelist()
                if name.startswith(_IN_WHEEL) and name.endswith(".so")
            ]
            found = [Path(content.extract(name, folder)) for name in names]
    except (OSError, zipfile.BadZipFile) as error:
        raise UsageError(f"{option} {wheel}: it cannot be read as a wheel ({error})") from None
    return _first(found, f"{option} {wheel}: no Joulemark in this wheel")
