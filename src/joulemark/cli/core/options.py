# SPDX-License-Identifier: Apache-2.0
"""Options that say which core, and with which parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final

import typer

from joulemark.errors import UsageError
from joulemark.hardware.core.manifest import Core, find_core, shipped_manifests
from joulemark.hardware.core.parameters import chosen_variant, split_core


def _core_names(incomplete: str) -> list[str]:
    """Cores of ours whose names begin with what was typed; never fails."""
    try:
        return [name for name in shipped_manifests() if name.startswith(incomplete)]
    except Exception:  # noqa: BLE001 - a completion must not complain
        return []


CORE_ARGUMENT: Final[Any] = typer.Argument(
    metavar="CORE",
    help="Name of a core (see 'joulemark core list') or path of a manifest; ':small' or "
    "':STAGES=4,ROUNDS=1' after it chooses a configuration or parameters.",
    autocompletion=_core_names,
)
KEEP_OPTION: Final[Any] = typer.Option(
    "--keep", metavar="DIR", help="Leave the tools' files and logs in this folder."
)


@dataclass(frozen=True, slots=True)
class CoreChoice:
    """One core and its parameters."""

    core: Annotated[str, CORE_ARGUMENT]
    param: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=NUMBER", help="Parameter of the core; may be given several times."
        ),
    ] = None
    configuration: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Named set of parameters of the core's manifest."),
    ] = None

    def core_and_parameters(self) -> tuple[Core, dict[str, int]]:
        """The core, and a value for every parameter.

        Raises:
            UsageError: there is no such core or parameter, or two configurations are named.
        """
        name, core, more = named_core(self.core, self.configuration)
        _, parameters = chosen_variant(core, name, [*more, *(self.param or [])])
        return core, parameters


def named_core(text: str, configuration: str | None) -> tuple[str | None, Core, list[str]]:
    """Configuration, core and parameters of `CORE[:...]`.

    Raises:
        UsageError: there is no such core, or two configurations are named.
    """
    name, inside, values = split_core(text)
    if inside is not None and configuration not in {None, inside}:
        raise UsageError(f"{text} and --configuration {configuration} name two configurations")
    return configuration or inside, find_core(name), values
