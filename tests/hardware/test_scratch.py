# SPDX-License-Identifier: Apache-2.0
"""The folder in which a report's tools work, and how a refusal names the logs in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from joulemark.errors import CrashError, ImplementationError
from joulemark.hardware.cores import scratch_folder


def test_a_log_that_is_deleted_is_not_named() -> None:
    """The message names the option that keeps the folder in place of the log."""
    with pytest.raises(ImplementationError) as refusal, scratch_folder() as folder:
        raise ImplementationError("Yosys refused it", folder / "map.log")
    assert str(refusal.value) == "Yosys refused it; --keep DIR leaves the log"
    assert not folder.exists()


def test_a_log_that_is_kept_is_named(tmp_path: Path) -> None:
    """The log lies in the folder that the user asked for."""
    with pytest.raises(ImplementationError) as refusal, scratch_folder(tmp_path) as folder:
        raise ImplementationError("Yosys refused it", folder / "map.log")
    assert str(refusal.value) == f"Yosys refused it; see {tmp_path / 'map.log'}"


def test_a_refusal_without_a_log_stays_as_it_is() -> None:
    """Its words are left alone, also if they name a folder of such logs."""
    error = CrashError("it died", "see /tmp/joulemark-core-1/a.log")
    with pytest.raises(CrashError) as refusal, scratch_folder():
        raise error
    assert refusal.value is error
