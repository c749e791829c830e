# SPDX-License-Identifier: Apache-2.0
"""The study that the options of `bench` ask for, on this machine or on others."""

from __future__ import annotations

from joulemark.cli.bench.effort_options import EffortOptions
from joulemark.cli.bench.workload_options import WorkloadOptions
from joulemark.cli.shared.energy_options import EnergyOptions, TreeOptions, checked_watts
from joulemark.measure.study import Study

__all__ = ["study_of"]


def study_of(
    workload: WorkloadOptions, effort: EffortOptions, energy: EnergyOptions, trees: TreeOptions
) -> Study:
    """The study: what is measured, and how.

    Raises:
        UsageError: an option makes no sense, or not with the others.
    """
    targets = workload.targets()
    effort.check(targets)
    return Study(
        patterns=tuple(workload.patterns or ()),
        sizes_bytes=workload.sizes_bytes(),
        modes=workload.modes(),
        caches=workload.caches(),
        key_setups=workload.key_setups(),
        batches=workload.batches(),
        mixes=workload.mixes(),
        effort=effort.effort(),
        energy=energy.plan(trees),
        modelled_watts=checked_watts(energy.modelled_power),
        targets=targets,
    )
