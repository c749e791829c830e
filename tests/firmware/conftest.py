# SPDX-License-Identifier: Apache-2.0
"""Targets for tests, by name: targets that cannot run here are skipped, and name the package."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from joulemark.firmware.firmware_counts import missing
from joulemark.firmware.target import Target, target_named


@pytest.fixture
def runnable() -> Callable[[str], Target]:
    """A function that finds a target by name, or skips the test and names the missing package."""

    def find(name: str) -> Target:
        target = target_named(name)
        lacking = missing(target)
        if lacking is not None:
            pytest.skip(f"{name} {lacking}")
        return target

    return find
