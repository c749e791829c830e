# SPDX-License-Identifier: Apache-2.0
"""What a command asks `joulemark.cli.bench.measuring` for, once its options are understood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from joulemark.cli.bench.output_options import OutputOptions
from joulemark.cli.cluster.cluster_options import SpreadOptions
from joulemark.measure.study import Study

__all__ = ["MeasureRequest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureRequest:
    """A study that is carried out on this machine, kept, and shown."""

    study: Study
    store_location: str | None
    """Where every sample is kept; None keeps nothing."""
    hang_limit_s: float
    """Seconds without an answer after which code counts as hung."""
    output: OutputOptions = field(default_factory=OutputOptions)
    plugins: Sequence[str] = ()
    """The user's files."""
    fresh: bool = False
    """Whether an unfinished run of the same study is left as it is."""
    cpu: int | None = None
    """The CPU to measure on; None: the least busy one."""
    kept_in: Path | None = None
    """Folder of the plugins that this user keeps; None: the usual one."""
    spread: SpreadOptions = field(default_factory=SpreadOptions)
    """The cluster that simulates firmware, if any."""
    wait_quiet_s: float | None = None
    """Longest time to wait for a quiet machine; None: not at all."""
