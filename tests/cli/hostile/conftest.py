# SPDX-License-Identifier: Apache-2.0
"""Fixtures: a run of many plugins together has only the plugins whose tests were selected."""

from __future__ import annotations

from collections.abc import Callable, Collection

import pytest

Selected = Callable[[str, Collection[str]], list[str]]


@pytest.fixture(scope="session")
def selected(request: pytest.FixtureRequest) -> Selected:
    """`selected(test, names)`: those of `names` that selected cases of this test have as `name`.

    A case that is left out as `exhaustive`, or by `-k`, costs no process.
    """

    def of(test: str, names: Collection[str]) -> list[str]:
        cases = {
            item.callspec.params["name"]
            for item in request.session.items
            if isinstance(item, pytest.Function) and item.originalname == test
        }
        return [name for name in names if name in cases]

    return of
