# SPDX-License-Identifier: Apache-2.0
"""`joulemark core list`: the cores that come with Joulemark."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

from joulemark.cli.core.json_file import JSON_OPTION, on_output, require_writable_json, write_json
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.terminal import columns, heading
from joulemark.hardware.cores import shipped_manifests
from joulemark.hardware.manifest import read_core

LIST_VERSION = 1
"""Version of the JSON that `core list` writes."""
_HEADINGS = ("configuration", "clocks/block", "latency", "")


def list_cores(json_: Annotated[Path | None, JSON_OPTION] = None) -> None:
    """List the cores that come with Joulemark and their named configurations."""
    found = [read_core(path) for path in shipped_manifests().values()]
    require_writable_json(json_)
    if json_ is not None:
        rows = [
            {"core": core.name, **core.model_dump(mode="json", exclude={"name"})} for core in found
        ]
        write_json(json_, {"schema_version": LIST_VERSION, "cores": rows})
    if on_output(json_):
        return
    for core in found:
        heading(f"{core.name}  ({core.title}): {core.algorithm}")
        if core.about:
            columns([(core.about,)], prose=(0,))
        columns(
            [
                (name, ",".join(map(str, part.values)), f"default {part.default}", part.about)
                for name, part in core.parameters.items()
            ],
            prose=(3,),
        )
        columns(
            [
                _HEADINGS,
                *(
                    (
                        f"{core.name}:{name}",
                        _clocks(configuration.clocks_per_block),
                        _clocks(configuration.latency_clocks),
                        configuration.about,
                    )
                    for name, configuration in core.configurations.items()
                ),
            ],
            right=(1, 2),
            prose=(3,),
        )


def _clocks(number: int | None) -> str:
    return "-" if number is None else str(number)


COMMAND: Final = Command(
    list_cores, ("joulemark core list", "joulemark core list --json cores.json")
)
