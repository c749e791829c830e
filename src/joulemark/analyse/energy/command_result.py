# SPDX-License-Identifier: Apache-2.0
"""The published shape of a command's energy: what `joulemark energy --json` prints.

`COMMAND_SCHEMA_VERSION` history:
    1  first version.
    2  without a meter the times stand alone: `meter`, `title`, `method`, `evidence` and `baseline`
       may be null, and `energy_reason` says why; `mean_seconds`, `modelled_watts`,
       `modelled_joules`; in each domain `upper_bounds`.

A figure that does not exist is `null`, and `reasons` says why under the figure's own name.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field

from joulemark.analyse.raw_run import PublishedModel
from joulemark.analyse.results import Figure, Reason
from joulemark.records.figures import Evidence

COMMAND_SCHEMA_VERSION: Final = 2


class CommandDomain(PublishedModel):
    """The energy of a command in one domain; every figure is of one run of the command."""

    domain: str
    """Id within its meter; `all` for the sum of domains that share nothing."""
    name: str
    kind: str
    parent: str | None
    """Id of the smallest domain that contains this one; the two are never added."""
    sum_of: list[str] = Field(default_factory=list)
    """Ids of the domains that were added; empty for a domain of the meter."""
    headline: bool
    """Whether its updates start and end the windows."""
    windows_kept: int
    windows_void: dict[str, int]
    """Why windows were not used -> how many windows."""
    outside_seconds: float | None
    """Median time between the edges in which the command did not run; null without a window."""
    gross_joules: Figure | None
    """All that the domain used while the command ran; nothing subtracted."""
    net_joules: Figure | None
    """Net of deep idle: what the command adds to a machine that would otherwise rest."""
    watts: Figure | None
    """gross_joules over the time."""
    joule_seconds: Figure | None
    """Energy-delay product: net_joules times the time, of the same windows."""
    static_watts: Figure | None
    """Power in deep idle."""
    reasons: dict[str, Reason] = Field(default_factory=dict)
    """Field name of a null figure -> why it is null, and what would help."""
    upper_bounds: dict[str, float] = Field(default_factory=dict)
    """Field name of a net figure that is null because it is not told from 0 -> upper end of its
    95 % interval, in the figure's unit: it lies below that."""


class CommandEnergy(PublishedModel):
    """What a command costs: the document that `joulemark energy --json` prints."""

    schema_version: Literal[2] = COMMAND_SCHEMA_VERSION
    command: list[str]
    rounds: int
    warmup: int
    repeat: int
    """Runs of the command in one window."""
    exit_codes: dict[str, int]
    """Exit code, or -N for signal N, of the metered runs -> how many."""
    seconds: Figure | None
    """Wall time of one run."""
    mean_seconds: float | None
    """Mean wall time of one run; `seconds` has the median."""
    cpu_seconds: Figure | None
    """CPU time of one run, over all CPUs, its children included."""
    modelled_watts: float | None = None
    """Power that the user stated."""
    modelled_joules: Figure | None = None
    """Wall time of one run times that power: modelled, whatever a meter says."""
    meter: str | None
    """Null where nothing was metered."""
    title: str | None
    method: str | None
    evidence: Evidence | None
    """Evidence of the domains' figures in joules and watts."""
    baseline: str | None
    """What was subtracted, in words."""
    domains: list[CommandDomain]
    """Parents before children; none without a meter."""
    energy_reason: str | None = None
    """Why nothing was metered, or why metering ended early."""
    facts: dict[str, Any]
    """Facts of the meter that belong to each of its figures."""
