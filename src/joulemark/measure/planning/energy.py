# SPDX-License-Identifier: Apache-2.0
"""How the energy of a run is measured: the methods, and the settings of the user.

`edges`: windows of a cumulative counter, both ends on an update; deep and active idle windows of
the same length are interleaved. `gauge`: windows of power samples, otherwise the same.

`westermann2010`: the procedure of B. Westermann, D. Gligoroski and S. Knapskog, "Comparison of the
Power Consumption of the 2nd Round SHA-3 Candidates", sections 2.2 and 2.3. Before each
run, 30 samples of idle power, 2 s apart; the run's first 4 s are skipped; then a sample every 2 s;
the power is the median of the run less the median of that idle; 15 s of rest after each run; 10
rounds, each in a random order.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class EnergyMethod:
    """The fixed parts of a method."""

    name: str
    summary: str
    sample_s: float | None
    """Time between samples of a gauge; None for the meter's own period."""
    skip_s: float
    """Time of load before the first sample of a gauge that counts."""
    samples: int
    """Samples of a gauge in a window, idle or load, unless the user asks for a length."""
    rest_s: float
    """Pause after each load window."""
    loads_per_baseline: int
    """Number of load windows between two baselines."""
    active_idle: bool
    """Whether the pause loop is measured too."""


EDGES: Final = EnergyMethod(
    "edges",
    "cumulative counter, both edges on an update, interleaved baselines",
    sample_s=None,
    skip_s=0.0,
    samples=0,
    rest_s=0.0,
    loads_per_baseline=8,
    active_idle=True,
)
GAUGE: Final = EnergyMethod(
    "gauge",
    "mean of power samples, interleaved baselines",
    sample_s=None,
    skip_s=4.0,
    samples=30,
    rest_s=0.0,
    loads_per_baseline=4,
    active_idle=True,
)
WESTERMANN2010: Final = EnergyMethod(
    "westermann2010",
    "median of power samples less the median of idle before each run",
    sample_s=2.0,
    skip_s=4.0,
    samples=30,
    rest_s=15.0,
    loads_per_baseline=1,
    active_idle=False,
)
METHODS: Final = {protocol.name: protocol for protocol in (EDGES, GAUGE, WESTERMANN2010)}


@dataclass(frozen=True)
class EnergyPlan:
    """The settings of the user for energy; equal plans give equal digests."""

    meter: str | None = None
    """Name of the meter, with its argument; None: the best usable meter."""
    method: str | None = None
    """One of `METHODS`; None: `edges` for a counter, `gauge` for a gauge."""
    rounds: int = 10
    window_s: float | None = None
    """Length of a window; None: it follows from the update period and `precision`."""
    precision: float = 0.01
    """Half of a window's 95 % interval over its gross energy, from which its length follows."""
    foreign_limit: float = 0.01
    """Foreign CPU time over wall time above which a window is void."""
    retakes: int = 3
    """How often a void window is taken again at most."""
    sample_s: float | None = None
    """Time between samples of a gauge; None: that of the method."""
    warm_up_s: float = 5.0
    """Time of load before the first round, in which clock, power limits and temperature settle; its
    energy is not kept."""
    sysfs: str = "/sys"
    proc: str = "/proc"

    def as_dict(self) -> dict[str, Any]:
        """The plan for the store and the digest."""
        return asdict(self)


def protocol_of(plan: EnergyPlan, *, gauge: bool) -> EnergyMethod:
    """The method of a plan with a meter whose headline domain is a gauge, or else a counter."""
    if plan.method is not None:
        return METHODS[plan.method]
    return GAUGE if gauge else EDGES
