# SPDX-License-Identifier: Apache-2.0
"""A core flow that answers from a table, so that studies are tested without tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from joulemark.studies.equipment import CoreEquipment
from joulemark.studies.papers import CoreFigures, CorePoint, CoreReporter, MemoryReporter
from joulemark.studies.study import PaperStudy, StudyOutcome


def figures(point: CorePoint, **values: object) -> CoreFigures:
    """Figures of a point; figures that are not given are None."""
    return CoreFigures.model_validate({"point": point, **values})


def each(answer: Callable[[CorePoint], CoreFigures | str]) -> CoreReporter:
    """A flow that makes one point after another."""

    def report(points: Sequence[CorePoint]) -> list[CoreFigures | str]:
        return [answer(point) for point in points]

    return report


def without_tools(point: CorePoint) -> str:
    """The refusal of a machine without any tool."""
    return f"no Yosys here, so no {point.core}: pip install pyosys"


def without_memory(_: object) -> str:
    """The refusal of a library that has no latch."""
    return "it has no latch"


def reproduced(
    study: PaperStudy[Any, Any, CoreEquipment, Any],
    flow: CoreReporter,
    memory: MemoryReporter = without_memory,
    **options: object,
) -> StudyOutcome:
    """The outcome of a study by this flow; `options` are its options."""
    equipment = CoreEquipment(lambda _seeds: flow, memory)
    return study.reproduce(study.options(**options), equipment, machine="test")
