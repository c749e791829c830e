# SPDX-License-Identifier: Apache-2.0
"""`joulemark core check` and `core new`: did a core become worse, and a manifest for a core."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict, replace
from math import isfinite
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.analyse.core_gate import CoreGate, gate_cores
from joulemark.analyse.gate_outcome import GateCode
from joulemark.catalogue import AlgorithmFacts, algorithm_named
from joulemark.cli.core_options import KEEP_OPTION, FlowOptions, ManyOptions, named_core
from joulemark.cli.core_reports import TARGETS_OPTION, make_reports
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.progress import StepProgress
from joulemark.cli.shared.terminal import (
    columns,
    heading,
    on_output,
    print_text,
    require_writable_json,
    sentences,
    write_json,
)
from joulemark.errors import UsageError
from joulemark.hardware.cores import chosen_variant, manifest_of, scratch_folder, split_core
from joulemark.hardware.flow import request as tools
from joulemark.hardware.flow.cache import report_key
from joulemark.hardware.flow.place import DEVICES
from joulemark.hardware.flow.points import ReportPoint
from joulemark.hardware.flow.request import Flow
from joulemark.hardware.proposing import include_folders, named_algorithm, read_design
from joulemark.hardware.proposing.roles import Proposal, propose
from joulemark.hardware.proposing.trying import Files, Tried, find_drive, manifest_text
from joulemark.hardware.vhdl import VHDL_SUFFIXES, is_vhdl, verilog_of
from joulemark.records.core_figures import CORE_FIGURES
from joulemark.records.figures import FigureUnit
from joulemark.report.words import core_figure_text
from joulemark.units import parse_difference

# `core check`: did a core become larger, slower or hungrier? The exit code answers.

CORE_CHECK_VERSION: Final = 1
"""Version of the JSON that `core check` writes."""
_FEWEST, _USUAL = 2, 3
"""Mappings or seeds that have a spread, and their number unless one is given."""
_EXIT_CODES: Final = """\b
Exit codes:
  0  no figure is above the old core's by more than the threshold
  1  some figure is, or the new core lacks one that the old core has
  2  the command makes no sense, or the old core has no report
  3  no figure is there for both
  5  no figure is shown to be beyond the threshold, and some cannot be
     excluded: not told apart, or just at the threshold
  6  old and new are the same core
"""


def check(
    *,
    old: Annotated[
        str,
        typer.Option(metavar="CORE", help="The old core: a manifest, or a name as of core report."),
    ],
    new: Annotated[str, typer.Option(metavar="CORE", help="The new core, in the same form.")],
    threshold: Annotated[
        str,
        typer.Option(metavar="DIFFERENCE", help="Largest increase that is allowed, as 5% or 0.05."),
    ] = "5%",
    target: Annotated[list[str] | None, TARGETS_OPTION] = None,
    flow: FlowOptions,
    many: ManyOptions,
) -> int:
    """Check a new core against an old one, for continuous integration.

    Clocks per block, area, shortest period and energy per block are compared. A figure is worse if
    it is so for every mapping of the new core against every mapping of the old one: three mappings
    or seeds of each unless another number is given. Reports are taken from the cache where it has
    them.
    """
    share = parse_difference(threshold, "--threshold")
    many.check()
    flows = [_with_spread(asked) for asked in flow.flows(target or ())]
    sides = [_points(text, flows) for text in (old, new)]
    for asked in flows:
        tools.require(asked.target, power=asked.target == "asic" and asked.power)
    require_writable_json(many.json_)
    if all(_key(before) == _key(after) for before, after in zip(*sides, strict=True)):
        found = CoreGate(
            GateCode.SAME_FILE,
            "same core",
            ("Old and new are the same core with the same parameters, so nothing is compared.",),
            (),
        )
    else:
        found = _gate(sides, share, many)
    _show(found, f"{new} against {old}", many.json_)
    return int(found.code)


def _with_spread(asked: Flow) -> Flow:
    """The flow with enough mappings or seeds for a spread."""
    if asked.target == "asic":
        number, option = asked.mappings or _USUAL, "--mappings"
        made = asked.model_copy(update={"mappings": number})
    elif asked.target in DEVICES:
        number, option = asked.seeds, "--seeds"
        made = asked
    else:
        return asked
    if number < _FEWEST:
        raise UsageError(f"{option} {number}: give at least {_FEWEST}, as one has no spread")
    return made


def _points(text: str, flows: list[Flow]) -> list[ReportPoint]:
    """The reports of one core that are needed."""
    configuration, found, values = named_core(text, None)
    variant = chosen_variant(found, configuration, values)
    manifest = manifest_of(split_core(text)[0])
    return [ReportPoint(found, manifest, variant, asked) for asked in flows]


def _key(point: ReportPoint) -> str:
    return report_key(point.core, point.variant[1], point.asked)


def _gate(sides: list[list[ReportPoint]], threshold: float, many: ManyOptions) -> CoreGate:
    """Makes all reports and judges them."""
    before, after = sides
    outcomes = make_reports([*before, *after], many)
    pairs, lost = [], []
    for old, new in zip(outcomes[: len(before)], outcomes[len(before) :], strict=True):
        if old.report is None:
            raise UsageError(
                f"the old core has no report on {old.point.asked.target}: {old.reason}"
            )
        if new.report is None:
            lost.append(f"The new core has no report on {new.point.asked.target}: {new.reason}.")
        else:
            pairs.append((old.report, new.report))
    return gate_cores(pairs, threshold, lost)


def _show(found: CoreGate, title: str, json_: Path | None) -> None:
    write_json(
        json_,
        {
            "schema_version": CORE_CHECK_VERSION,
            "code": int(found.code),
            "answer": found.answer,
            "reasons": list(found.reasons),
            "figures": [
                {
                    **{name: fact for name, fact in asdict(line).items() if name != "code"},
                    # Nothing that became something has no ratio.
                    "ratio": asdict(line.ratio) if isfinite(line.ratio.high) else None,
                    "code": int(line.code),
                    "evidence": str(CORE_FIGURES[line.figure].evidence),
                }
                for line in found.lines
            ],
        },
    )
    if on_output(json_):
        return
    heading(f"{title}: {found.answer}")
    sentences(found.reasons, indent=2)
    if not found.lines:
        return
    typer.echo("")
    rows = [("target", "figure", "old", "new", "verdict")]
    rows += [
        (
            line.target,
            line.title,
            core_figure_text(line.figure, _plain(line.figure, line.old.value)),
            core_figure_text(line.figure, _plain(line.figure, line.new.value)),
            line.verdict,
        )
        for line in found.lines
    ]
    columns(rows, right=(2, 3), prose=(4,))


def _plain(figure: str, value: float) -> float | int:
    """A count without a fraction is an integer, as in reports."""
    counted = CORE_FIGURES[figure].unit in {FigureUnit.COUNT, FigureUnit.CLOCKS}
    return int(value) if counted and value == int(value) else value


CHECK: Final = Command(
    check,
    (
        "joulemark core check --old old/aes.toml --new aes.toml",
        "joulemark core check --old old/aes.toml --new aes.toml --liberty osu018 --threshold 2%",
        "joulemark core check --old aes128_serial --new aes128_serial:decoded --target generic",
    ),
    notes=(_EXIT_CODES,),
    options_once=True,
)


# `core new`: a manifest for somebody's core, from its ports.

EXIT_OPEN: Final = 1
_SUFFIXES: Final = {".v", ".sv", *VHDL_SUFFIXES}
_NEW_EXIT_CODES: Final = """\b
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
    held = next((name for name in made.idle if name in design.clocks), None)
    if held is not None and tried.failure is not None:
        # Its name is not a clock's: it may be for tests alone, and most cores go without these.
        clocks = f"{held} clocks flip-flops too, and was held"
        tried = replace(tried, failure=f"{clocks}; {tried.failure}")
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
    """The algorithm's facts; None without an algorithm, or with the user's reference."""
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
    notes=(_NEW_EXIT_CODES,),
    options_once=True,
)
