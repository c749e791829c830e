# SPDX-License-Identifier: Apache-2.0
"""What `joulemark core report` says of one core with one set of parameters on one target.

Every figure is there or None with a reason in `absent`; `evidence` has how each one was obtained.
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
from joulemark.records.evidence import Evidence

__all__ = ["CoreReport", "ModuleReport"]

SCHEMA_VERSION: Final = 3
"""2: figures in cells are medians over mappings, with modelled trees in them. 3: clocks in Hz."""


class _Facts(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ModuleReport(_Facts):
    """One module instance, the modules within it apart."""

    name: str
    area_ge: float
    storage_ge: float
    leakage_w: float | None = None
    dynamic_w: float | None = None


class CoreReport(_Facts):
    """Figures of one core, in the units of `joulemark.records.core_figures`.

    In JSON, and where a report is made, each figure is a field beside the others.
    """

    schema_version: int = Field(default=SCHEMA_VERSION, ge=SCHEMA_VERSION, le=SCHEMA_VERSION)
    core: str
    title: str
    algorithm: str
    configuration: str | None
    """Name that the manifest has for these parameters."""
    parameters: dict[str, int]
    target: str
    device: str
    """The FPGA, the cell library with its corner, or the generic gates, in words."""
    figures: dict[str, int | float | None]
    """Every figure of the table."""
    evidence: dict[str, Evidence]
    """By figure."""
    absent: dict[str, str]
    """Reason for every figure that is None."""
    modules: list[ModuleReport] = Field(default_factory=list)
    settings: dict[str, Any]
    """Versions, device or library, seeds, clock, voltage, wires, workload."""

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, given: Any) -> Any:
        """Collects the figures, and reads what schema 2 called otherwise."""
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
        made: dict[str, Any] = dump(self)
        figures = made.pop("figures")
        head = {name: made.pop(name) for name in list(made)[: list(made).index("evidence")]}
        return {**head, **figures, **made}
