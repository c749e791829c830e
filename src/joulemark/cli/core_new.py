# SPDX-License-Identifier: Apache-2.0
"""`joulemark core new`: a manifest for somebody's core, from its ports."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.catalogue import AlgorithmFacts, algorithm_named
from joulemark.cli.core_options import KEEP_OPTION
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.progress import StepProgress
from joulemark.cli.shared.terminal import heading, print_text, sentences
from joulemark.errors import UsageError
from joulemark.hardware.cores import scratch_folder
from joulemark.hardware.flow import request as tools
from joulemark.hardware.proposing import include_folders, named_algorithm, read_design
from joulemark.hardware.proposing.roles import Proposal, propose
from joulemark.hardware.proposing.trying import Files, Tried, find_drive, manifest_text
from joulemark.hardware.vhdl import VHDL_SUFFIXES, is_vhdl, verilog_of

EXIT_OPEN: Final = 1
_SUFFIXES: Final = {".v", ".sv", *VHDL_SUFFIXES}
_EXIT_CODES: Final = """\b
Exit codes:
  0    the manifest is written, and the core gives right results by it
  1    the manifest is written, and something is left to fill in
  2    refused

"""


def new(
    *,
    sources: Annotated[
        list[Path],
        typer.Argument(metavar="TOP.v [MORE.v ...]", help="All sources, in Verilog or in VHDL."),
    ],
    top: Annotated[
        str | None, typer.Option(metavar="NAME", help="The top module; the one that no other uses.")
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="ALGORITHM",
            help="Id of 'joulemark list', or any word together with --reference; else by the name "
            "of the module.",
        ),
    ] = None,
    reference: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.py",
            help="A function reference(key, message), for an algorithm that the catalogue lacks.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.toml", help="The manifest; TOP.toml beside the first source unless given."
        ),
    ] = None,
    keep: Annotated[Path | None, KEEP_OPTION] = None,
) -> int:
    """Write a manifest for a core, from its ports and from trials in simulation.

    Names and widths of the ports propose a protocol; what they leave open, such as the order of
    bytes and the values of idle inputs, is tried. A file that exists is never overwritten.
    """
    _require_sources(sources)
    _require_free(output)
    facts = _known(algorithm, reference)
    tools.require("generic")
    with scratch_folder(keep) as work:
        found = [path.resolve() for path in sources]
        if is_vhdl(found[0]):
            design = read_design([verilog_of(found, top)], None, work / "design")
        else:
            design = read_design(found, top, work / "design")
        manifest = output or sources[0].parent / f"{design.top}.toml"
        _require_free(manifest)
        if algorithm is None and reference is None:
            facts = named_algorithm(design, [design.top, *(path.stem for path in sources)])
        made = propose(design, facts, algorithm or (design.top if reference else None))
        files = Files.beside(manifest, found, include_folders(found), reference)
        with StepProgress() as say:
            tried = find_drive(made, files, work / "trials", say)
    _write(manifest, manifest_text(made, tried, files))
    _print(manifest, made, tried)
    return 0 if tried.clocks is not None else EXIT_OPEN


def _require_sources(sources: Sequence[Path]) -> None:
    for path in sources:
        if path.suffix.lower() not in _SUFFIXES:
            raise UsageError(
                f"{path}: give sources in Verilog, SystemVerilog or VHDL (.v, .sv, .vhd, .vhdl)"
            )
        if not path.is_file():
            raise UsageError(f"there is no source {path}")
    if len({is_vhdl(path) for path in sources}) > 1:
        raise UsageError("some sources are VHDL and others Verilog; give all in one language")


def _require_free(manifest: Path | None) -> None:
    """Refuses a manifest that exists or cannot be written, before any work is done."""
    if manifest is None:
        return
    if manifest.suffix != ".toml":
        raise UsageError(f"--output {manifest}: a manifest's name ends in .toml")
    if manifest.exists() or manifest.is_symlink():
        raise UsageError(f"{manifest} exists, and nothing is overwritten; name another --output")
    if not manifest.parent.is_dir():
        raise UsageError(f"{manifest}: there is no folder {manifest.parent}")


def _known(algorithm: str | None, reference: Path | None) -> AlgorithmFacts | None:
    """The algorithm's facts; None if it is not given, or has a reference of its own."""
    if reference is not None:
        if not reference.is_file():
            raise UsageError(f"--reference {reference}: there is no such file")
        return None
    return None if algorithm is None else algorithm_named(algorithm)


def _write(manifest: Path, text: str) -> None:
    try:
        with manifest.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{manifest} cannot be written: {error.strerror}") from None


def _print(manifest: Path, made: Proposal, tried: Tried) -> None:
    """What was found, what is left, and the next command."""
    if tried.clocks is not None:
        heading(f"{made.top} gives right results of {made.algorithm}; {manifest} says how")
        print_text(f"  clocks per block: {tried.clocks.clocks_per_block:g} (simulated)")
    else:
        heading(f"{manifest} is written, and something in it is left to fill in")
    parts = ", ".join(f"{part} {name}" for part, name in made.ports.items())
    if made.protocol is not None:
        print_text(f"  {made.protocol}: {parts}")
    level = f"; reset {made.reset}, active {made.reset_active}" if made.reset else "; no reset"
    print_text(f"  clock {made.clock or 'unknown'}{level}")
    if tried.drive.idle:
        idle = ", ".join(f"{name} = {value}" for name, value in tried.drive.idle.items())
        print_text(f"  idle: {idle}")
    sentences([f"{text}." for text in made.open.values()], indent=2)
    if tried.failure is not None:
        sentences([f"No way of driving it was right: {tried.failure}."], indent=2)
    typer.echo(f"next: {shlex.join(['joulemark', 'core', 'test', str(manifest)])}")


NEW: Final = Command(
    new,
    (
        "joulemark core new my_sha256.v",
        "joulemark core new rtl/top.v rtl/rounds.v --top aes --algorithm aes128",
        "joulemark core new aes_pkg.vhd aes.vhd",
        "joulemark core new toy.v --algorithm toy --reference model.py --output toy.toml",
    ),
    notes=(_EXIT_CODES,),
    options_once=True,
)
