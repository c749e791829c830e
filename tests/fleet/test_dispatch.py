# SPDX-License-Identifier: Apache-2.0
"""Jobs that any worker may do, on real workers: one that dies loses only the job that it had."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from distributed import Client
from jobs_of_tests import deadly_once, noted
from small_fleet import SmallFleet

from joulemark.fleet.dispatch import Dispatch, Job


def test_a_worker_that_dies_loses_only_its_job(fleet: SmallFleet, tmp_path: Path) -> None:
    """Its job is done by another worker; those that were done before it are not done again."""
    for machine in ("one", "two"):
        fleet.worker(machine)
    marks = [tmp_path / f"mark-{number}" for number in range(5)]
    jobs = [Job(f"job {place}", noted, mark) for place, mark in enumerate(marks)]
    jobs.insert(2, Job("the deadly job", deadly_once, tmp_path / "died"))
    said: list[str] = []
    found: dict[int, Any] = {}
    with Client(fleet.address, set_as_default=False) as client:
        Dispatch(client, said.append).run(jobs, found.__setitem__)
    assert found == dict.fromkeys(range(6), "done")
    again = [one for one in said if "is tried again" in one]
    assert [one for one in again if one.startswith("the deadly job")]
    assert len(again) == 1, said
    assert [mark.read_text() for mark in marks] == ["x"] * 5
