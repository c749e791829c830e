# SPDX-License-Identifier: Apache-2.0
"""`joulemark core list`: the cores that come with Joulemark."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from joulemark.cli.core.json_file import JSON_OPTION, asked_json, on_output, write_json
from joulemark.cli.shared.terminal import columns, examples, heading
from joulemark.hardware.core.manifest import read_core
from joulemark.hardware.core.shipped import shipped_manifests

__all__ = ["list_cores", "register"]

LIST_VERSION = 1
"""Of the JSON that `core list` writes."""


def list_cores(json_: Annotated[Path | None, JSON_OPTION] = None) -> None:
    """List the cores that come with Joulemark and their named configurations."""
    found = [read_core(path) for path in shipped_manifests().values()]
    if asked_json(json_):
        rows = [{"core": one.name, **one.model_dump(mode="json", exclude={"name"})}
                for one in found]  # fmt: skip
        write_json(json_, {"schema_version": LIST_VERSION, "cores": rows})
    if on_output(json_):
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


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(
        "list",
        epilog=examples("joulemark core list", "joulemark core list --json cores.json"),
    )(list_cores)
