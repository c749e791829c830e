# SPDX-License-Identifier: Apache-2.0
"""Names of an implementation in two builds: `sha256/mine@old`, `sha256/mine@new`."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from joulemark.records.trial import Trial

OLD: Final = "old"
NEW: Final = "new"


def plain_name(implementation: str) -> str:
    """The name without the build, as its source has it: `sha256/mine@old` -> `sha256/mine`."""
    name, _, build = implementation.rpartition("@")
    return name if build in {OLD, NEW} else implementation


def of_build(trial: Trial, build: str) -> Trial:
    """The same trial in that build."""
    return replace(trial, implementation=f"{plain_name(trial.implementation)}@{build}")
