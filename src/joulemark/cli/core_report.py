# SPDX-License-Identifier: Apache-2.0
"""`joulemark core report`: area, clock, throughput and power of one core on one target."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from joulemark.cli import core_options, options
from joulemark.cli.refusals import InterruptedRunError
from joulemark.cli.terminal import examples

if TYPE_CHECKING:
    from joulemark.hardware.core.manifest import Core
    from joulemark.hardware.core.report import CoreReport
    from joulemark.hardware.export.circuit import Circuit
    from joulemark.hardware.flow.request import Flow

__all__ = ["keep_reports", "register", "report"]

Keyed = tuple[str, "CoreReport"]
"""Digest of all that a report depends on, and the report."""


def report(
    core: Annotated[str, core_options.CORE_ARGUMENT],
    param: Annotated[list[str] | None, core_options.PARAM_OPTION] = None,
    configuration: Annotated[str | None, core_options.CONFIGURATION_OPTION] = None,
    target: Annotated[str | None, core_options.TARGET_OPTION] = None,
    liberty: Annotated[str | None, core_options.LIBERTY_OPTION] = None,
    mapping: Annotated[str, core_options.MAPPING_OPTION] = "area",
    clock: Annotated[str, core_options.CLOCK_OPTION] = "500k",
    voltage: Annotated[float | None, core_options.VOLTAGE_OPTION] = None,
    wire: Annotated[str | None, core_options.WIRE_OPTION] = None,
    mappings: Annotated[int | None, core_options.MAPPINGS_OPTION] = None,
    seeds: Annotated[int | None, core_options.SEEDS_OPTION] = None,
    placer: Annotated[str | None, core_options.PLACER_OPTION] = None,
    memory_bits: Annotated[int | None, core_options.MEMORY_OPTION] = None,
    modules: Annotated[bool, typer.Option("--modules", help="Figures of each module too.")] = False,
    no_power: Annotated[
        bool, typer.Option("--no-power", help="Leave out power, which takes the longest.")
    ] = False,
    json_: Annotated[Path | None, core_options.JSON_OPTION] = None,
    keep: Annotated[Path | None, core_options.KEEP_OPTION] = None,
    export: Annotated[Path | None, core_options.EXPORT_OPTION] = None,
    cache: Annotated[Path | None, core_options.CACHE_OPTION] = None,
    no_cache: Annotated[bool, core_options.NO_CACHE_OPTION] = False,
    store: Annotated[str, options.STORE_OPTION] = options.DEFAULT_STORE,
    no_store: Annotated[bool, options.NO_STORE_OPTION] = False,
) -> None:
    """Say what a core occupies, how fast it can be clocked, and what a block costs in energy.

    Clocks are counted in simulation, with every result checked; areas, timing and power come from
    the tools' and the library's models.
    """
    from joulemark.cli.core_table import print_report  # noqa: PLC0415
    from joulemark.hardware.core.parameters import chosen_variant  # noqa: PLC0415
    from joulemark.hardware.flow.request import flow  # noqa: PLC0415

    name, found, more = core_options.named_core(core, configuration)
    _, parameters = chosen_variant(found, name, [*more, *(param or [])])
    asked = flow(
        target, liberty, mapping=mapping, clock_hz=core_options.hertz(clock), voltage_v=voltage,
        wire=wire, mappings=mappings, seeds=seeds, placer=placer, modules=modules,
        power=not no_power, memory_bits=memory_bits,
    )  # fmt: skip
    core_options.asked_json(json_)
    _asked_export(export, asked)
    folder = core_options.cache_folder(cache, none=no_cache)
    circuits: dict[int, Circuit] = {}
    try:
        key, made = _made(
            found, parameters, asked, folder, keep, circuits.__setitem__ if export else None
        )
    except KeyboardInterrupt:
        what = "nothing is" if folder is None or keep is not None else "only finished mappings are"
        raise InterruptedRunError(f"stopped; {what} kept of a report that is not done") from None
    if not no_store:
        keep_reports(store, [(key, made)])
    core_options.write_json(json_, made.model_dump(mode="json"))
    if not core_options.on_output(json_):
        print_report(made)
    if export is not None:
        _write_export(circuits[made.settings["mapping_shown"]], export)


def _asked_export(path: Path | None, asked: Flow) -> None:
    """Refuses an export that cannot be made, before any work is done.

    Raises:
        UsageError: the target has no cells of a library, or the folder cannot be filled.
    """
    from joulemark.errors import UsageError  # noqa: PLC0415
    from joulemark.hardware.export.folder import check_new_folder  # noqa: PLC0415
    from joulemark.hardware.export.write import OPTION  # noqa: PLC0415

    if path is None:
        return
    if asked.target != "asic":
        raise UsageError(
            f"{OPTION} is for --target asic, not {asked.target}: it needs the cells of a library, "
            "--liberty FILE"
        )
    check_new_folder(OPTION, path)


def _write_export(circuit: Circuit, path: Path) -> None:
    """Writes the folder and says what it has.

    Raises:
        UsageError: it cannot be written.
    """
    from joulemark.hardware.export.write import export_circuit  # noqa: PLC0415

    files = export_circuit(circuit, path)
    typer.echo(f"exported to {path}: {', '.join(files)}", err=True)
    if circuit.workload is None:
        typer.echo("no activity is exported, since power was left out (--no-power)", err=True)


def _made(
    core: Core, parameters: dict[str, int], asked: Flow, folder: Path | None, keep: Path | None,
    observe: Callable[[int, Circuit], None] | None,
) -> Keyed:  # fmt: skip
    """The report and its key.

    What the cache has is not enough where somebody wants the tools' files or the circuit.
    """
    from joulemark.hardware.flow.cache import ReportCache, report_key  # noqa: PLC0415
    from joulemark.hardware.flow.characterise import make_report  # noqa: PLC0415
    from joulemark.hardware.tools.scratch import scratch_folder  # noqa: PLC0415

    kept = ReportCache(folder)
    key = report_key(core, parameters, asked)
    found = kept.get(key) if keep is None and observe is None else None
    if found is not None:
        return key, found
    with scratch_folder(keep) as work:
        made = make_report(
            core, parameters, asked, work, cache=folder if keep is None else None, say=_say,
            observe=observe,
        )  # fmt: skip
    kept.put(key, made)
    return key, made


def _say(text: str) -> None:
    """What is being done, on a terminal."""
    if sys.stderr.isatty():
        typer.echo(f"  {text}", err=True)


def keep_reports(store_location: str, reports: Iterable[Keyed]) -> None:
    """Puts reports into the store, beside the software's runs.

    Raises:
        StoreError: it cannot be written.
    """
    from joulemark import __version__  # noqa: PLC0415
    from joulemark.store.cores import CoreReportRecord  # noqa: PLC0415
    from joulemark.store.repository import Store  # noqa: PLC0415

    with Store.open(store_location) as store:
        for key, one in reports:
            store.add_core_report(
                CoreReportRecord.of(
                    one.model_dump(mode="json"), digest=key, joulemark_version=__version__
                )
            )


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(
        "report",
        epilog=examples(
            "joulemark core report siphash",
            "joulemark core report siphash --param ROUNDS=4 --seeds 5 --json siphash.json",
            "joulemark core report siphash --liberty typical.lib --clock 500k",
            "joulemark core report siphash --liberty typical.lib --export siphash_netlist",
            "joulemark core report mine/my_core.toml --target generic",
        ),
    )(report)
