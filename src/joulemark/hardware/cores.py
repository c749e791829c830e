# SPDX-License-Identifier: Apache-2.0
"""What commands about cores share: the core of a name, its parameters, a folder for the tools."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from joulemark.catalogue import algorithms, data_folder
from joulemark.errors import ImplementationError, UsageError
from joulemark.foreign import did_you_mean
from joulemark.hardware.manifest import Core, read_core

# Finds a core by the name of one of ours or by the path of a manifest.


def shipped_manifests() -> dict[str, Path]:
    """Manifests of the installed cores by name, `<core>/<core>.toml`.

    If no cores are installed, as in a tree that was not built, the manifests of the source tree.
    """
    installed = data_folder("hdl")
    folder = installed if installed.is_dir() else Path(__file__).resolve().parents[3] / "hdl"
    return _manifests(folder)


def read_cores(folder: Path) -> list[Core]:
    """The cores that lie in a folder, `<core>/<core>.toml`, in the order of their names."""
    return [read_core(path) for path in _manifests(folder).values()]


def _manifests(folder: Path) -> dict[str, Path]:
    return {
        path.stem: path for path in sorted(folder.glob("*/*.toml")) if path.stem == path.parent.name
    }


def manifest_of(name: str) -> Path:
    """The manifest of one of our cores, or the file of this path."""
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
    """The core of this name or manifest."""
    return read_core(manifest_of(name))


def is_ours(core: Core) -> bool:
    """Whether a core came with Joulemark rather than from a user."""
    manifest = shipped_manifests().get(core.name)
    return manifest is not None and manifest.resolve().parent == core.folder.resolve()


def block_bytes(core: Core) -> int | None:
    """Bytes of a block of the core's algorithm, by the catalogue, else by the manifest's table."""
    algorithm = algorithms().get(core.algorithm)
    if algorithm is not None:
        return algorithm.block_bytes
    given = core.adapter.get("block_bytes") if isinstance(core.adapter, dict) else None
    return given if isinstance(given, int) else None


# Reads parameters from a command line: `STAGES=4`, `STAGES=1,2,4`, `core:fast`.

Variant = tuple[str | None, dict[str, int]]
"""All parameters of a core, after the name of the configuration that has them, or None."""


def chosen_variant(core: Core, configuration: str | None, given: Sequence[str]) -> Variant:
    """A named configuration with some parameters given apart, the rest at their defaults."""
    values = dict(_configured(core, configuration))
    for name, numbers in _assignments(given).items():
        if len(numbers) != 1:
            raise UsageError(f"--param {name}: one value here; several are for 'core sweep'")
        values[name] = numbers[0]
    return _variant(core, core.chosen(values))


def swept_variants(core: Core, given: Sequence[str]) -> list[Variant]:
    """Every combination of listed values; parameters that are not listed are at their defaults.

    Values that do not go together are left out, unless nothing else is left.
    """
    lists = _assignments(given)
    if not lists:
        lists = {name: list(parameter.values) for name, parameter in core.parameters.items()}
    defaults = {name: parameter.default for name, parameter in core.parameters.items()}
    combinations = [
        dict(zip(lists, values, strict=True)) for values in itertools.product(*lists.values())
    ]
    fitting = [
        values
        for values in combinations
        if not any(bad.covers({**defaults, **values}) for bad in core.excluded)
    ]
    return [_variant(core, core.chosen(values)) for values in fitting or combinations]


def split_core(text: str) -> tuple[str, str | None, list[str]]:
    """`NAME`, `NAME:CONFIGURATION` or `NAME:STAGES=4,ROUNDS=1` as name, configuration, values."""
    name, separator, rest = text.partition(":")
    if not separator:
        return name, None, []
    return (name, None, rest.split(",")) if "=" in rest else (name, rest, [])


def text_of(parameters: Mapping[str, int]) -> str:
    """Parameters in one line."""
    return " ".join(f"{name}={value}" for name, value in parameters.items()) or "no parameters"


def _variant(core: Core, parameters: dict[str, int]) -> Variant:
    return core.configuration(parameters), parameters


def _configured(core: Core, configuration: str | None) -> Mapping[str, int]:
    if configuration is None:
        return {}
    chosen = core.configurations.get(configuration)
    if chosen is None:
        there = ", ".join(core.configurations) or "none"
        hint = did_you_mean(configuration, core.configurations) or f"; there is {there}"
        raise UsageError(f"{core.name} has no configuration '{configuration}'{hint}")
    return chosen.parameters


def _assignments(given: Sequence[str]) -> dict[str, list[int]]:
    assignments: dict[str, list[int]] = {}
    for text in given:
        name, separator, values = text.partition("=")
        try:
            numbers = [int(word, 0) for word in values.split(",")]
        except ValueError:
            numbers = []
        if not separator or not name or not numbers:
            raise UsageError(f"--param {text}: write NAME=NUMBER, as STAGES=4")
        if name in assignments:
            raise UsageError(f"--param {name} is given twice")
        assignments[name] = list(dict.fromkeys(numbers))
    return assignments


# Makes the folder in which a report's tools work, and deletes it when the report is done.


@contextmanager
def scratch_folder(keep: Path | None = None) -> Iterator[Path]:
    """A folder for the tools: `keep`, or a new folder that is deleted at the end.

    An error that names a log in a deleted folder tells instead how to keep the folder.
    """
    if keep is not None:
        yield keep.resolve()
        return
    try:
        with tempfile.TemporaryDirectory(prefix="joulemark-core-") as folder:
            yield Path(folder)
    except ImplementationError as error:
        if error.log is None:
            raise
        text = f"{error.without_log}; {log_words(error.log, keep)}"
        raise type(error)(text) from error


def log_words(log: Path, keep: Path | None) -> str:
    """Where a log in a `scratch_folder` is, or the option that would have kept it."""
    return "--keep DIR leaves the log" if keep is None else f"see {log}"
