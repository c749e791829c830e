# SPDX-License-Identifier: Apache-2.0
"""The context of a run's results: how and where it was measured, and what the harness costs."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any, Final

from joulemark.analyse.energy.run_energy import RunEnergy
from joulemark.analyse.simulated import NO_TIME_OF_A_CORE
from joulemark.records import ImplementationFacts
from joulemark.records.figures import Absence
from joulemark.records.trial import HOST
from joulemark.store.rows import RunRecord

NO_LOOP: Final = {"seconds_per_message": None, "reason": NO_TIME_OF_A_CORE.text}
"""The cost of the loop in a run that timed nothing."""


def loop_cost(loop: Mapping[str, Any] | None) -> dict[str, Any]:
    """The harness's own cost per message.

    Args:
        loop: `messages` in each window; wall time of each window without a call
            (`without_call_ns`) and with an empty one (`empty_call_ns`); or what an imported file
            stated instead (`stated`); None if the run died before they were taken.

    Returns:
        Median, minimum and maximum over the windows, of the loop alone (`seconds_per_message`) and
        with a call that does nothing (`empty_call_seconds_per_message`), which any caller of a MAC
        pays too. Both are stated beside the figures and not subtracted from them.
    """
    if loop and isinstance(loop.get("stated"), dict):
        return {**loop["stated"], "evidence": "published"}
    if not loop or not {"messages", "without_call_ns", "empty_call_ns"} <= loop.keys():
        return {"seconds_per_message": None, "reason": "the run ended before it was measured"}

    def spread(series: Sequence[int]) -> dict[str, float]:
        each = [wall_ns / loop["messages"] / 1e9 for wall_ns in series]
        return {"median": statistics.median(each), "minimum": min(each), "maximum": max(each)}

    return {
        "seconds_per_message": spread(loop["without_call_ns"]),
        "empty_call_seconds_per_message": spread(loop["empty_call_ns"]),
        "evidence": "measured",
        "subtracted": False,
    }


def run_context(
    record: RunRecord,
    study: Mapping[str, Any],
    facts: Mapping[str, ImplementationFacts],
    energy: RunEnergy | Absence,
) -> dict[str, Any]:
    """The context of a result set, as `joulemark.analyse.results.ResultSet` names its fields.

    Args:
        record: of the run.
        study: the run's study, as far as it is shown.
        facts: of the run's implementations.
        energy: of the run, or why it has none.
    """
    return {
        "run": {
            "id": record.id,
            "started_at": record.started_at.isoformat(),
            "finished_at": record.finished_at.isoformat() if record.finished_at else None,
            "joulemark_version": record.joulemark_version,
            "study": study,
            "seed": record.seed,
            "rounds": record.rounds,
            "conditions": record.conditions,
        },
        "environment": dict(record.environment),
        "implementations": {name: of_one.as_dict() for name, of_one in sorted(facts.items())},
        "loop": loop_cost(record.loop) if is_timed(study) else NO_LOOP,
        "meter": energy.record.as_dict() if isinstance(energy, RunEnergy) else None,
        "modelled_watts": study.get("modelled_watts"),
    }


def is_timed(study: Mapping[str, Any]) -> bool:
    """Whether the machine itself is a target of the study, so that something was timed."""
    return HOST in study.get("targets", [HOST])
