# SPDX-License-Identifier: Apache-2.0
"""A core flow that answers from a table, so that studies are tested without tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from joulemark.studies.core_figures import CoreFigures, CorePoint, CoreReporter


def figures(point: CorePoint, **values: object) -> CoreFigures:
    """Figures of a point; what is not given is None."""
    return CoreFigures.model_validate({"point": point, **values})


def each(answer: Callable[[CorePoint], CoreFigures | str]) -> CoreReporter:
    """A flow that makes one point after another."""

    def report(points: Sequence[CorePoint]) -> list[CoreFigures | str]:
        return [answer(point) for point in points]

    return report


def without_tools(point: CorePoint) -> str:
    """A machine without any tool."""
    return f"no Yosys here, so no {point.core}: pip install pyosys"
