# SPDX-License-Identifier: Apache-2.0
"""A core flow that answers from a table, so that studies are tested without tools."""

from __future__ import annotations

from collections.abc import Callable

from joulemark.errors import UnavailableError
from joulemark.studies.core_figures import CoreFigures, CorePoint

Answer = Callable[[CorePoint], CoreFigures]


def figures(point: CorePoint, **values: object) -> CoreFigures:
    """Figures of a point; what is not given is None."""
    return CoreFigures.model_validate({"point": point, **values})


def without_tools(point: CorePoint) -> CoreFigures:
    """A machine without any tool."""
    raise UnavailableError(f"no Yosys here, so no {point.core}: pip install pyosys")
