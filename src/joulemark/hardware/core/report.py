# SPDX-License-Identifier: Apache-2.0
"""What `joulemark core report` says of one core with one set of parameters on one target.

Every figure is there or None with a reason in `absent`; `evidence` has how each one was obtained.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["FIGURES", "CoreReport", "Evidence", "ModuleReport"]

Evidence = Literal["simulated", "modelled"]

SCHEMA_VERSION: Final = 2
"""2: figures in cells are medians over mappings, with modelled trees in them."""


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
    """Figures of one core; SI units without prefixes, but for `fmax_mhz`."""

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

    clocks_per_block: float | None = None
    """Between blocks of back-to-back messages of the manifest's workload."""
    latency_clocks: int | None = None
    """Of one message of the workload alone, last word in to first word of the result."""

    luts: int | None = None
    flip_flops: int | None = None
    block_rams: int | None = None
    multipliers: int | None = None
    fmax_mhz: float | None = None
    """The clock that the core reaches, in MHz: on an FPGA the median over the seeds, in a library
    the reciprocal of `period_s`."""
    fmax_lowest_mhz: float | None = None
    fmax_highest_mhz: float | None = None
    seeds: int | None = None

    mappings: int | None = None
    """In a cell library: seeds of the mapping. Figures are medians over them."""
    area_um2: float | None = None
    area_ge: float | None = None
    """In two-input NAND gates, modelled trees included."""
    area_lowest_ge: float | None = None
    area_highest_ge: float | None = None
    storage_ge: float | None = None
    """Flip-flops, latches and clock gates."""
    logic_ge: float | None = None
    clock_tree_ge: float | None = None
    """Buffers of the clock, as a model of layout has them."""
    reset_tree_ge: float | None = None
    """Buffers of resets that come in at a port; those of resets made by logic are in `logic_ge`."""
    area_without_trees_ge: float | None = None
    period_s: float | None = None
    """Shortest clock period in which every path settles, halves of latches and the clock's modelled
    skew included."""
    period_lowest_s: float | None = None
    period_highest_s: float | None = None
    period_without_trees_s: float | None = None
    """With an ideal clock."""
    clock_insertion_s: float | None = None
    """From the clock port to the sinks that it reaches last."""
    clock_skew_s: float | None = None
    """What the period loses by it, once in each budget."""
    critical_path_s: float | None = None
    """Of a core without latches. Paths through latches may take more than a period, or may go
    through latches that are never open at once."""
    critical_path_pin_cap_s: float | None = None
    """Without wires."""
    leakage_w: float | None = None
    trees_leakage_w: float | None = None
    """Of it, the modelled trees."""
    dynamic_w: float | None = None
    """At `settings.clock_hz`, glitches, wires and modelled trees in."""
    clock_tree_w: float | None = None
    """Of it, the modelled trees."""
    dynamic_no_glitch_w: float | None = None
    dynamic_pin_cap_w: float | None = None

    throughput_bit_per_s: float | None = None
    """At the highest clock."""
    bit_per_s_per_lut: float | None = None
    energy_per_block_j: float | None = None
    """At `settings.clock_hz`."""
    energy_per_block_lowest_j: float | None = None
    energy_per_block_highest_j: float | None = None
    energy_per_block_without_trees_j: float | None = None
    energy_per_byte_j: float | None = None
    energy_per_mac_j: float | None = None
    """Of one message of the workload, its padding included."""

    evidence: dict[str, Evidence]
    """By figure."""
    absent: dict[str, str]
    """Reason for every figure that is None."""
    modules: list[ModuleReport] = Field(default_factory=list)
    settings: dict[str, Any]
    """Versions, device or library, seeds, clock, voltage, wires, workload."""


FIGURES: Final = tuple(
    name
    for name, field in CoreReport.model_fields.items()
    if field.default is None and name != "configuration"
)
"""Names of the figures, in the order of the model."""
