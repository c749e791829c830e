# SPDX-License-Identifier: Apache-2.0
"""Files of the planning catalogue by name, and the user's by path."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Final, TypeVar

from pydantic import Field

from joulemark.catalogue.algorithms import data_folder
from joulemark.catalogue.planning.nodes import Battery, Microcontroller, Node, Radio
from joulemark.catalogue.planning.protocols import PacketProtocol
from joulemark.catalogue.planning.sourced import DataSheet, PlanningRecord
from joulemark.errors import UsageError
from joulemark.foreign.records import read_record
from joulemark.foreign.text import ForeignError, shortened
from joulemark.records.figures import Evidence
from joulemark.spelling import did_you_mean

# Core cycles of MACs on cores, for nodes without results in the store.

Whole = Annotated[int, Field(gt=0)]


class Count(PlanningRecord):
    """Core cycles of one message with one implementation, after the key's set-up."""

    algorithm: str
    variant: str
    message_bytes: Annotated[int, Field(ge=0)]
    core_cycles: Whole
    step_core_cycles: Whole | None = None
    """Core cycles of one more call of the primitive."""
    key_core_cycles: Whole | None = None
    """Core cycles of the key's set-up."""
    key_state_bytes: Whole | None = None
    """Memory that the set-up fills."""
    evidence: Evidence | None = None
    """None: the evidence of the file."""
    document: str | None = None
    """None: the document of the file."""


class CoreCycles(DataSheet):
    """`catalogue/core_cycles/<core>.toml`."""

    evidence: Evidence
    document: str
    """A key of `documents`."""
    how: str
    """Program, compiler and flags that gave the counts."""
    spread: Annotated[float, Field(ge=0, lt=1)]
    """Half of the 95 % interval over a count, against boards."""
    spread_reason: str
    count: list[Count]


Kind = TypeVar("Kind", bound=DataSheet)
FOLDERS: Final[dict[type[DataSheet], tuple[str, str]]] = {
    Microcontroller: ("microcontrollers", "microcontroller"),
    Radio: ("radios", "radio"),
    Battery: ("batteries", "battery"),
    Node: ("nodes", "node"),
    PacketProtocol: ("protocols", "protocol"),
    CoreCycles: ("core_cycles", "core"),
}
"""Kind -> its folder of the catalogue, and its name in messages."""
_ENDING: Final = ".toml"


def names(kind: type[DataSheet]) -> Sequence[str]:
    """Names of a kind that the catalogue has, in alphabetical order."""
    return _names_in(data_folder("catalogue") / FOLDERS[kind][0])


@cache
def _names_in(folder: Path) -> tuple[str, ...]:
    """Names in a folder, which is listed once: a published site asks three thousand times."""
    return tuple(sorted(path.stem for path in folder.glob(f"*{_ENDING}")))


def sheet_path(kind: type[DataSheet], name: str, beside: Path | None = None) -> Path:
    """Path of the file of a name; a name that ends with `.toml` is a path of the user's.

    Args:
        kind: the kind of the file.
        name: a name of the catalogue, or a path.
        beside: the folder from which a relative path starts; None: the current folder.
    """
    if name.endswith(_ENDING):
        return (beside or Path()) / name
    folder, word = FOLDERS[kind]
    if name not in names(kind):
        raise UsageError(
            f"unknown {word} '{shortened(name)}'{did_you_mean(name, names(kind))} "
            f"(there are {', '.join(names(kind))}; a file of yours ends with {_ENDING})"
        )
    return data_folder("catalogue") / folder / f"{name}{_ENDING}"


def sheet(kind: type[Kind], name: str, beside: Path | None = None) -> Kind:
    """The facts of a name, which are read once."""
    facts = _read(kind, sheet_path(kind, name, beside))
    assert isinstance(facts, kind)
    return facts


@cache
def _read(kind: type[DataSheet], path: Path) -> DataSheet:
    try:
        facts = read_record(kind, path)
    except ForeignError as error:
        raise UsageError(str(error)) from None
    if facts.id != path.stem:
        raise UsageError(
            f"{path}: id: it is '{shortened(facts.id)}' but the file's name says other"
        )
    return facts
