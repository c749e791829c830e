# SPDX-License-Identifier: Apache-2.0
"""Writes packages of cores for other tools: FuseSoC's `.core`, `Bender.yml`, `.f` lists of files.

Run from the root of the source tree, with Joulemark installed: `python tools/package_cores.py`.
The packages follow from the manifests (`<core>.toml`); a test compares them. A manifest in `uses`
becomes a dependency on the folder that the used manifest lies in, so that no package names a file
outside its folder. A `.f` list has no dependencies: it names all files by paths from `hdl/`, where
the tool that reads the list must be started.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from joulemark.hardware.cores import read_cores
from joulemark.hardware.manifest import Core

__all__ = ["main", "packages"]

_SAID = "Written by tools/package_cores.py from"
_VENDOR = "joulemark:core"
_COMMON = "common"


@dataclass(frozen=True, slots=True)
class _Package:
    """One folder of `hdl/` with sources."""

    name: str
    folder: Path
    about: str
    sources: list[str]
    """Sources in the folder, relative to it, in the order of compilation."""
    needs: list[Path]
    """Folders of the packages that it depends on."""
    all_sources: list[Path]
    """Sources of the package and of all its dependencies, in the order of compilation."""
    core: Core | None = None


def packages(hdl: Path, version: str) -> dict[Path, str]:
    """The text of every generated file below `hdl`, by its path."""
    cores = [*read_cores(hdl), *read_cores(hdl / "wrappers")]
    texts: dict[Path, str] = {}
    for package in (_common(hdl), *(_package(hdl, core) for core in cores)):
        texts[package.folder / f"{package.name}.core"] = _fusesoc(package, version)
        texts[package.folder / "Bender.yml"] = _bender(package)
        texts[package.folder / f"{package.name}.f"] = _list_of_files(package, hdl)
    return texts


def _common(hdl: Path) -> _Package:
    folder = hdl / _COMMON
    found = sorted(folder.glob("rtl/*.sv"), key=lambda path: ("_pkg" not in path.stem, path.stem))
    return _Package(
        name=_COMMON, folder=folder, about="What several cores of Joulemark share",
        sources=[str(path.relative_to(folder)) for path in found], needs=[], all_sources=found,
    )  # fmt: skip


def _package(hdl: Path, core: Core) -> _Package:
    needs = list(dict.fromkeys((core.folder / used).resolve().parent for used in core.uses))
    assert all(folder.is_relative_to(hdl.resolve()) for folder in needs)
    return _Package(
        name=core.name, folder=core.folder, about=core.title, sources=core.sources, needs=needs,
        all_sources=core.source_paths(), core=core,
    )  # fmt: skip


def _head(package: _Package) -> str:
    source = "the sources' folder" if package.core is None else f"{package.name}.toml"
    return f"# SPDX-License-Identifier: Apache-2.0\n# {_SAID} {source}.\n"


def _fusesoc(package: _Package, version: str) -> str:
    """The text of a `.core` file in CAPI2, the format of FuseSoC 2."""
    lines = [
        "CAPI=2:",
        *_head(package).splitlines(),
        f"name: {_VENDOR}:{package.name}:{version}",
        f"description: {_quoted(package.about)}",
        "",
        "filesets:",
        "  rtl:",
        "    file_type: systemVerilogSource",
        *(["    depend:"] if package.needs else []),
        *(f"      - {_VENDOR}:{folder.name}" for folder in package.needs),
        "    files:",
        *(f"      - {source}" for source in package.sources),
    ]
    constraints = _constraints(package)
    if constraints:
        lines += ["  constraints:", "    file_type: SDC", "    files:", f"      - {constraints}"]
    lines += ["", "targets:", "  default:", "    filesets: [rtl]"]
    if package.core is not None:
        names = list(package.core.parameters)
        # No parameters in `default`: FuseSoC would set them at the top of every package that
        # depends on this one.
        lines += [
            f"    toplevel: {package.core.top}",
            "  lint:",
            "    filesets: [rtl]",
            f"    toplevel: {package.core.top}",
            *([f"    parameters: [{', '.join(names)}]"] if names else []),
            "    flow: lint",
            "    flow_options:",
            "      tool: verilator",
            "      verilator_options: [-Wall, -Wno-SYNCASYNCNET, --assert]",
        ]
        if constraints:
            lines += ["  constrained:", "    filesets: [rtl, constraints]",
                      f"    toplevel: {package.core.top}"]  # fmt: skip
        if names:
            lines += ["", "parameters:"]
        for name, parameter in package.core.parameters.items():
            lines += [
                f"  {name}:",
                f"    description: {_quoted(parameter.about)}",
                "    datatype: int",
                "    paramtype: vlogparam",
                f"    default: {parameter.default}",
            ]
    return "\n".join([*lines, ""])


def _constraints(package: _Package) -> str | None:
    path = f"constraints/{package.name}.sdc"
    return path if (package.folder / path).is_file() else None


def _bender(package: _Package) -> str:
    lines = [*_head(package).splitlines(), "package:", f"  name: {package.name}", ""]
    if package.needs:
        lines += ["dependencies:"]
        up = {folder: _upwards(package.folder, folder) for folder in package.needs}
        lines += [f'  {folder.name}: {{ path: "{path}" }}' for folder, path in up.items()]
        lines += [""]
    return "\n".join([*lines, "sources:", *(f"  - {source}" for source in package.sources), ""])


def _upwards(start: Path, end: Path) -> str:
    """The relative path from one folder to another."""
    start, end = start.resolve(), end.resolve()
    steps = 0
    while not end.is_relative_to(start):
        start, steps = start.parent, steps + 1
    return "/".join([*[".."] * steps, *end.relative_to(start).parts])


def _list_of_files(package: _Package, hdl: Path) -> str:
    head = _head(package).replace("# ", "// ")
    place = "// Paths are from hdl/: start the tool there.\n"
    files = "".join(
        f"{path.resolve().relative_to(hdl.resolve())}\n" for path in package.all_sources
    )
    return head + place + files


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def project_version(root: Path) -> str:
    """The project's version in `pyproject.toml`."""
    facts: Mapping[str, Mapping[str, str]] = tomllib.loads(
        (root / "pyproject.toml").read_text("utf-8")
    )
    return facts["project"]["version"]


def main() -> int:
    """Writes all files."""
    root = Path(__file__).resolve().parents[1]
    texts = packages(root / "hdl", project_version(root))
    for path, text in texts.items():
        path.write_text(text, "utf-8")
    print(f"{len(texts)} files of {len(texts) // 3} packages")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
