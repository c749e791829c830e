# SPDX-License-Identifier: Apache-2.0
"""`joulemark core report`: area, clock, throughput and power of one core on one target."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.cli.core.core_options import KEEP_OPTION, CacheOptions, CoreChoice, FlowOptions
from joulemark.cli.core.json_file import JSON_OPTION, on_output, require_writable_json, write_json
from joulemark.cli.core.keeping import keep_reports
from joulemark.cli.core.table import print_report
from joulemark.cli.endings import InterruptedRunError
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import StoreOptions
from joulemark.errors import UsageError
from joulemark.hardware.export.circuit import Circuit
from joulemark.hardware.export.write import OPTION, check_new_folder, export_circuit
from joulemark.hardware.flow.points import kept_report
from joulemark.hardware.flow.request import Flow


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """Parts of a report that are wanted, and where the report goes."""

    modules: Annotated[bool, typer.Option("--modules", help="Figures of each module too.")] = False
    no_power: Annotated[
        bool, typer.Option("--no-power", help="Leave out power, which takes the longest.")
    ] = False
    json_: Annotated[Path | None, JSON_OPTION] = None
    keep: Annotated[Path | None, KEEP_OPTION] = None
    export: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write netlist, constraints, delays and activity for other tools into this new "
            "folder; needs a cell library. The report is then made again, whatever the cache "
            "has.",
        ),
    ] = None


def report(
    *,
    choice: CoreChoice,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="TARGET",
            help="ecp5, ice40, asic (needs --liberty) or generic (gates without a library); ecp5 "
            "unless a library is given.",
        ),
    ] = None,
    flow: FlowOptions,
    wanted: ReportOptions,
    cache: CacheOptions,
    store: StoreOptions,
) -> None:
    """Say what a core occupies, how fast it can be clocked, and what a block costs in energy.

    Clocks are counted in simulation, with every result checked; areas, timing and power come from
    the tools' and the library's models.
    """
    core, parameters = choice.core_and_parameters()
    asked = flow.flow(target, modules=wanted.modules, power=not wanted.no_power)
    require_writable_json(wanted.json_)
    _check_export(wanted.export, asked)
    folder = cache.folder
    circuits: dict[int, Circuit] = {}
    try:
        key, made = kept_report(
            core,
            parameters,
            asked,
            folder,
            keep=wanted.keep,
            say=_say,
            observe=circuits.__setitem__ if wanted.export else None,
        )
    except KeyboardInterrupt:
        partly = folder is not None and wanted.keep is None
        kept = "only finished mappings are" if partly else "nothing is"
        raise InterruptedRunError(f"stopped; {kept} kept of a report that is not done") from None
    if store.location is not None:
        keep_reports(store.location, [(key, made)])
    write_json(wanted.json_, made.model_dump(mode="json"))
    if not on_output(wanted.json_):
        print_report(made)
    if wanted.export is not None:
        _write_export(circuits[made.settings["mapping_shown"]], wanted.export)


def _check_export(path: Path | None, asked: Flow) -> None:
    """Refuses an export that cannot be made, before any work is done."""
    if path is None:
        return
    if asked.target != "asic":
        raise UsageError(
            f"{OPTION} is for --target asic, not {asked.target}: it needs the cells of a library, "
            "--liberty FILE"
        )
    check_new_folder(OPTION, path)


def _write_export(circuit: Circuit, path: Path) -> None:
    """Writes the folder, and says which files it has."""
    files = export_circuit(circuit, path)
    typer.echo(f"exported to {path}: {', '.join(files)}", err=True)
    if circuit.workload is None:
        typer.echo("no activity is exported, since power was left out (--no-power)", err=True)


def _say(text: str) -> None:
    """Prints what is being done, on a terminal alone."""
    if sys.stderr.isatty():
        typer.echo(f"  {text}", err=True)


COMMAND: Final = Command(
    report,
    (
        "joulemark core report siphash",
        "joulemark core report siphash --param ROUNDS=4 --seeds 5 --json siphash.json",
        "joulemark core report siphash --liberty typical.lib --clock 500k",
        "joulemark core report siphash --liberty typical.lib --export siphash_netlist",
        "joulemark core report mine/my_core.toml --target generic",
    ),
    options_once=True,
)
