# SPDX-License-Identifier: Apache-2.0
"""Finds a core by the name of one of ours or by the path of a manifest."""

from __future__ import annotations

from pathlib import Path

from joulemark.catalogue.algorithms import algorithms, data_folder
from joulemark.errors import UsageError
from joulemark.hardware.core.manifest import Core, read_core
from joulemark.spelling import did_you_mean

__all__ = ["block_bytes", "find_core", "is_ours", "manifest_of", "read_cores", "shipped_manifests"]


def shipped_manifests() -> dict[str, Path]:
    """Manifests of the installed cores by name, `<core>/<core>.toml`.

    If no cores are installed, as in a tree that was not built, the manifests of the source tree.
    """
    installed = data_folder("hdl")
    folder = installed if installed.is_dir() else Path(__file__).resolve().parents[4] / "hdl"
    return _manifests(folder)


def read_cores(folder: Path) -> list[Core]:
    """The cores that lie in a folder, `<core>/<core>.toml`, in the order of their names.

    Raises:
        UsageError: a manifest is wrong.
    """
    return [read_core(path) for path in _manifests(folder).values()]


def _manifests(folder: Path) -> dict[str, Path]:
    return {
        path.stem: path for path in sorted(folder.glob("*/*.toml")) if path.stem == path.parent.name
    }


def manifest_of(name: str) -> Path:
    """The manifest of one of our cores, or the file of this path.

    Raises:
        UsageError: there is no such core or file.
    """
    if name.endswith(".toml") or "/" in name:
        path = Path(name)
        if path.is_dir():
            path /= f"{path.resolve().name}.toml"
        if not path.is_file():
            raise UsageError(f"there is no manifest {path}")
        return path
    known = shipped_manifests()
    if name not in known:
        hint = did_you_mean(name, known) or f"; there is {', '.join(known)}."
        raise UsageError(f"no core '{name}'{hint} A path to a manifest (.toml) works too.")
    return known[name]


def find_core(name: str) -> Core:
    """The core of this name or manifest.

    Raises:
        UsageError: there is no such core or file, or the manifest is wrong.
    """
    return read_core(manifest_of(name))


def is_ours(core: Core) -> bool:
    """Whether a core came with Joulemark rather than from a user."""
    manifest = shipped_manifests().get(core.name)
    return manifest is not None and manifest.resolve().parent == core.folder.resolve()


def block_bytes(core: Core) -> int | None:
    """Bytes of a block of the core's algorithm; None if the catalogue lacks the algorithm."""
    algorithm = algorithms().get(core.algorithm)
    return None if algorithm is None else algorithm.block_bytes
