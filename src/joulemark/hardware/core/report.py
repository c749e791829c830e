# SPDX-License-Identifier: Apache-2.0
"""The report of `joulemark core report`: one core with one set of parameters on one target.

Every figure is there, or is None with a reason in `absent`; `evidence` tells how it was obtained.
"""

from __future__ import annotations

from typing import Any, Final

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from joulemark.records.core_figures import CORE_FIGURES, with_present_names
from joulemark.records.figures import Evidence

SCHEMA_VERSION: Final = 3
"""2: figures in cells are medians over mappings, with modelled trees in them. 3: clocks in Hz."""


class _Facts(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ModuleReport(_Facts):
    """Figures of one module instance, without the modules within it."""

    name: str
    area_ge: float
    storage_ge: float
    leakage_w: float | None = None
    dynamic_w: float | None = None


class CoreReport(_Facts):
    """Figures of one core, in the units of `joulemark.records.core_figures`.

    In JSON, and in the arguments that make a report, each figure is a field beside the others.
    """

    schema_version: int = Field(default=SCHEMA_VERSION, ge=SCHEMA_VERSION, le=SCHEMA_VERSION)
    core: str
    title: str
    algorithm: str
    configuration: str | None
    """Name of the manifest's configuration with these parameters, or None."""
    parameters: dict[str, int]
    target: str
    device: str
    """The FPGA, the cell library with its corner, or the generic gates, in words."""
    figures: dict[str, int | float | None]
    """Value of every figure, by its name."""
    evidence: dict[str, Evidence]
    """How each figure was obtained, by its name."""
    absent: dict[str, str]
    """Reason for every figure that is None."""
    modules: list[ModuleReport] = Field(default_factory=list)
    settings: dict[str, Any]
    """Versions, device or library, seeds, clock, voltage, wires, workload."""

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, given: Any) -> Any:
        """Collects the figures, and renames the fields of schema 2."""
        if not isinstance(given, dict):
            return given
        facts = dict(given)
        if facts.get("schema_version") == 2:
            facts = with_present_names(facts) | {"schema_version": SCHEMA_VERSION}
            facts |= {
                name: with_present_names(fact)
                for name, fact in facts.items()
                if isinstance(fact, dict)
            }
        return facts | {"figures": {name: facts.pop(name, None) for name in CORE_FIGURES}}

    @model_serializer(mode="wrap")
    def _flat(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields: dict[str, Any] = dump(self)
        figures = fields.pop("figures")
        head = {name: fields.pop(name) for name in list(fields)[: list(fields).index("evidence")]}
        return {**head, **figures, **fields}
