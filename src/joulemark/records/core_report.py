# SPDX-License-Identifier: Apache-2.0
"""The record of a core report: one core with one set of parameters on one target.

`hardware/flow` makes it. `joulemark core report --json` prints its JSON, the store keeps that JSON
as it is, and results, budgets and studies read it. Every figure of a new report is there, or is
None with its reason; `evidence` tells how it was obtained.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, model_validator, with_config
from typing_extensions import TypedDict

from joulemark.records.core_figures import CORE_FIGURES, with_present_names
from joulemark.records.figures import Evidence

SCHEMA_VERSION: Final = 4
"""2: figures in cells are medians over mappings, with modelled trees in them. 3: clocks in Hz.
4: `figures` is an object; the reasons of missing figures are `reasons` (until then `absent`)."""
_READABLE: Final = (None, 2, 3)
"""Older versions; parts of a report have none."""


@with_config(extra="allow")
class MemoryFacts(TypedDict, total=False):
    """A memory of the core that is made of flip-flops."""

    name: str
    words: int
    word_bits: int
    flip_flops_ge: float


@with_config(extra="allow")
class OutsideMemoryFacts(TypedDict, total=False):
    """A memory that the core works on and that no figure includes, as the manifest has it."""

    text: str


@with_config(extra="allow")
class ClockingFacts(TypedDict, total=False):
    """The check of a clock of two halves (`hardware.gate.halves.Halves`), or why it failed."""

    unchecked: str
    period_s: float
    period_with_skew_s: float
    limit: str
    hold_slack_s: float | None
    hold_limit: str
    hazards: list[str]
    latches: list[int]
    cut_latches: int


@with_config(extra="allow")
class TreeFacts(TypedDict, total=False):
    """The modelled clock and reset trees."""

    buffer: str | None
    """Name of the cell; None if the library has no buffer, and so no tree is modelled."""
    sinks_per_buffer: int
    clock_buffers: int
    reset_buffers: int
    levels: int
    skew_share: float
    reset_release_s: float


@with_config(extra="allow")
class CoreSettings(TypedDict, total=False):
    """All that is needed to obtain the figures again.

    A report has the settings of its target alone, and older reports have fewer, or others.
    """

    joulemark: str
    python: str
    tools: dict[str, str]
    """Package or command -> version."""
    sources_sha256: str
    """Digest of the core's files; older reports have none."""
    workload: dict[str, int | None]
    block_bytes: int | None
    memories: list[MemoryFacts]
    outside_memory: OutsideMemoryFacts
    firmware: str
    """This setting and the two below are of firmware on the netlist of a CPU: the implementation
    that ran. A block is then a call of its primitive."""
    memories_j: float
    """Joules of a message in memories outside the netlist, which no figure includes."""
    memories_leakage_w: float
    """The part of their power that they take all the time."""
    clocks_varied: str
    """The clocks that messages of one length take, where they depend on the message; else empty."""
    netlist_simulated: str
    """How the mapped netlist was simulated, or why it was not."""
    cells: dict[str, int]
    """Of generic gates and FPGAs: kind of cell -> how many."""
    weights: str
    """Of generic gates alone."""
    place_arguments: list[str]
    """This setting and those below, down to `inout_pins`, are of FPGAs; lists have an entry for
    each seed of the placer."""
    place_target_hz: float
    seeds: list[int]
    fmax_by_seed_hz: list[float | None]
    placer_by_seed: list[str]
    fallback_seeds: list[int]
    """Seeds for which the placer of first choice ran out of its effort."""
    effort_cpu_s: float
    router_by_seed: list[str]
    harness: str
    lut_weights: dict[str, int]
    inout_pins: int
    library: str
    """This setting and all below are of cell libraries and, but for `mappings`, of the mapping
    shown."""
    library_file: str
    corner: str
    clock_hz: float
    """Clock of the power figures."""
    voltage_v: float
    voltage_scaled: bool
    """Whether dynamic power is scaled by the square of the voltage."""
    mapping: str
    wire_model: str
    nand2_um2: float
    yosys: str
    layout: str
    trees: TreeFacts
    max_slew_s: float
    recovery_path_s: float | None
    recovery_by_setup: list[str]
    """Cells without recovery times, for which set-up times stand in."""
    buffers: int
    clocking: ClockingFacts
    icarus: str
    seed: int
    """Seed of the messages."""
    window_clocks: int
    window_messages: float
    mappings: list[dict[str, float | None]]
    """Seed of each mapping, with its figures that have a range."""
    mapping_shown: int
    """Seed of the mapping that is nearest to the medians."""
    glitches: str


@dataclass(frozen=True, slots=True)
class ModuleFigures:
    """Figures of one module instance, without the modules within it."""

    name: str
    """Hierarchical name; empty for the top."""
    area_ge: float
    storage_ge: float
    leakage_w: float | None = None
    dynamic_w: float | None = None


class CoreReport(BaseModel):
    """Area, clock and power of one core on one target, as `joulemark core report` found them."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    schema_version: int = Field(default=SCHEMA_VERSION, ge=SCHEMA_VERSION, le=SCHEMA_VERSION)
    """4 is written. 2 and 3 can be read, and parts of reports in older stores and results."""
    core: str
    title: str = ""
    """The core in words; empty in reports that were kept before the title was."""
    algorithm: str
    configuration: str | None = None
    """Name of these parameters in the core's manifest, where they have one."""
    parameters: dict[str, int]
    target: str
    """`ecp5`, `ice40`, `asic` or `generic`."""
    device: str = ""
    """The FPGA, the cell library with its corner, or the generic gates, in words."""
    figures: dict[str, int | float | None]
    """Figure of [Figures of hardware cores](#figures-of-hardware-cores) -> value, or null where
    there is none."""
    evidence: dict[str, Evidence]
    """Figure -> word that says how it was obtained."""
    reasons: dict[str, str] = Field(default_factory=dict)
    """Figure that is null -> why it is null."""
    modules: list[ModuleFigures] = Field(default_factory=list)
    settings: CoreSettings
    """Tools, library, corner, clock, wire model, workload: with them the figures can be obtained
    again."""

    @property
    def message_bytes(self) -> int | None:
        """Length of the messages of the report; None in reports that do not say it."""
        return self.settings.get("workload", {}).get("message_bytes")

    @property
    def firmware(self) -> str | None:
        """The implementation that ran on the netlist of a CPU; None for a core that is no CPU."""
        return self.settings.get("firmware")

    def workload_of(self, message_bytes: int) -> Mapping[str, int | None]:
        """The workload from which the blocks of such a message follow, each with the same figures.

        Empty for firmware of another length: its figures of a block are of one length alone.
        """
        if self.firmware is not None and message_bytes != self.message_bytes:
            return {}
        return self.settings.get("workload", {})

    @model_validator(mode="before")
    @classmethod
    def _of_today(cls, given: Any) -> Any:
        """Reads older forms.

        Until schema 3 each figure was a field beside the others. Stores and results had parts of a
        report: the device among the settings, modules among the figures, and no version.
        """
        if not isinstance(given, Mapping) or given.get("schema_version") not in _READABLE:
            return given
        facts = with_present_names(given)
        for name in ("figures", "evidence", "absent", "reasons", "settings"):
            if isinstance(facts.get(name), Mapping):
                facts[name] = with_present_names(facts[name])
        if "absent" in facts:
            facts["reasons"] = facts.pop("absent")
        if "figures" not in facts:
            facts["figures"] = {name: facts.pop(name, None) for name in CORE_FIGURES}
        elif isinstance(facts["figures"], dict) and isinstance(facts.get("settings"), dict):
            facts.setdefault("modules", facts["figures"].pop("modules", []))
            facts.setdefault("device", facts["settings"].pop("device", ""))
        return facts | {"schema_version": SCHEMA_VERSION}


class StoredCoreReport(CoreReport):
    """A core report with its origin."""

    digest: str
    """Digest of all that the figures depend on; reports of equal digests have equal figures."""
    joulemark_version: str
    """Version of the program that made the report."""
    made_at: str
    """UTC, ISO 8601."""
