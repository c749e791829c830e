# SPDX-License-Identifier: Apache-2.0
"""`joulemark core`: hardware cores, ours and anybody's: run them, test them, weigh them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joulemark.cli import core_options, core_report, core_run, core_space
from joulemark.cli.terminal import columns, examples, heading

if TYPE_CHECKING:
    from joulemark.hardware.flow.testing import Check

__all__ = ["register"]

LIST_VERSION = 1
"""Of the JSON that `core list` writes."""
TEST_VERSION = 1
"""Of the JSON that `core test` writes."""
EXIT_FAILED = 1

_TEST_EXIT_CODES = """\b
Exit codes:
  0    everything passed
  1    a check failed
  2    refused

"""

_core = typer.Typer(
    name="core",
    rich_markup_mode=None,
    help="Hardware cores: test them, and see their area, clock and power.",
    epilog=examples(
        "joulemark core list",
        "joulemark core report siphash",
        "joulemark core compare siphash:small siphash:fast",
    ),
)


def list_cores(json_: Annotated[Path | None, core_options.JSON_OPTION] = None) -> None:
    """List the cores that come with Joulemark and their named configurations."""
    from joulemark.hardware.core.manifest import read_core  # noqa: PLC0415
    from joulemark.hardware.core.shipped import shipped_manifests  # noqa: PLC0415

    found = [read_core(path) for path in shipped_manifests().values()]
    if core_options.asked_json(json_):
        rows = [{"core": one.name, **one.model_dump(mode="json", exclude={"name"})}
                for one in found]  # fmt: skip
        core_options.write_json(json_, {"schema_version": LIST_VERSION, "cores": rows})
    if core_options.on_output(json_):
        return
    for one in found:
        heading(f"{one.name}  ({one.title}): {one.algorithm}")
        if one.about:
            typer.echo(f"  {one.about}")
        columns(
            [
                (name, part.about, ",".join(map(str, part.values)), f"default {part.default}")
                for name, part in one.parameters.items()
            ]
        )
        columns(
            [
                (
                    f"{one.name}:{name}",
                    configuration.about,
                    _promise(configuration.clocks_per_block, "clocks per block"),
                    _promise(configuration.latency_clocks, "clocks of latency"),
                )
                for name, configuration in one.configurations.items()
            ]
        )


def _promise(clocks: int | None, what: str) -> str:
    return "" if clocks is None else f"{clocks} {what}"


def check(
    core: Annotated[str, core_options.CORE_ARGUMENT],
    param: Annotated[list[str] | None, core_options.PARAM_OPTION] = None,
    configuration: Annotated[str | None, core_options.CONFIGURATION_OPTION] = None,
    json_: Annotated[Path | None, core_options.JSON_OPTION] = None,
    keep: Annotated[Path | None, core_options.KEEP_OPTION] = None,
) -> None:
    """Lint a core, run its own tests, and hold its results and clocks to what it promises."""
    from joulemark.hardware.core.parameters import chosen_variant, text_of  # noqa: PLC0415
    from joulemark.hardware.flow.testing import check_core  # noqa: PLC0415
    from joulemark.hardware.tools.scratch import scratch_folder  # noqa: PLC0415

    name, found, more = core_options.named_core(core, configuration)
    _, parameters = chosen_variant(found, name, [*more, *(param or [])])
    core_options.asked_json(json_)
    with scratch_folder(keep) as work:
        checks = check_core(found, parameters, work)
    passed = all(one.passed for one in checks)
    if json_ is not None:
        rows: list[dict[str, Any]] = [
            {"check": one.name, "passed": one.passed, "note": one.note, "remark": one.remark}
            for one in checks
        ]
        core_options.write_json(
            json_,
            {
                "schema_version": TEST_VERSION, "core": found.name, "parameters": parameters,
                "passed": passed, "checks": rows,
            },
        )  # fmt: skip
    if not core_options.on_output(json_):
        heading(f"{found.name}, {text_of(parameters)}")
        columns([(_verdict(one), one.name, one.remark) for one in checks])
    if not passed:
        raise typer.Exit(EXIT_FAILED)


def _verdict(one: Check) -> str:
    if one.note:
        return "note"
    return "ok" if one.passed else "FAILED"


def register(app: typer.Typer) -> None:
    """Adds the group."""
    _core.command(
        "list",
        epilog=examples("joulemark core list", "joulemark core list --json cores.json"),
    )(list_cores)
    _core.command(
        "test",
        epilog=_TEST_EXIT_CODES
        + examples(
            "joulemark core test siphash",
            "joulemark core test siphash --param ROUNDS=4",
            "joulemark core test mine/my_core.toml",
        ),
    )(check)
    core_run.register(_core)
    core_report.register(_core)
    core_space.register(_core)
    app.add_typer(_core)
