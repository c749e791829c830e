# SPDX-License-Identifier: Apache-2.0
"""The workers of a fleet and the fate of their jobs, with a made-up scheduler."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from joulemark import __version__
from joulemark.errors import UnavailableError
from joulemark.fleet import benching, own_build
from joulemark.fleet import dispatch as roll
from joulemark.fleet.dispatch import Dispatch, WaitLimits, WorkerJob

LIMITS = WaitLimits(silent_after_s=0.2, lost_after_s=0.4, alone_for_s=0.4)
QUICK_S = 5.0


class FakeClient:
    """A scheduler whose workers give these answers, and do jobs at once or never."""

    def __init__(self, **answers: Callable[[], Any]) -> None:
        self.answers = answers
        self.seen = dict.fromkeys(answers, 0.0)
        self.beating = set(answers)
        self.cancelled = 0

    def scheduler_info(self, n_workers: int) -> dict[str, Any]:
        """Every worker; a worker whose heart beats was seen since the last call."""
        assert n_workers == -1
        for name in self.beating:
            self.seen[name] += 1.0
        return {
            "workers": {
                name: {"name": name, "last_seen": seen, "nthreads": 1, "resources": {"bench": 1}}
                for name, seen in self.seen.items()
            }
        }

    def run(self, _function: object, workers: list[str], on_error: str) -> dict[str, Any]:
        """The answer of one worker."""
        assert on_error == "return"
        return {name: self.answers[name]() for name in workers}

    def submit(self, *_words: object, workers: list[str], **_options: object) -> Any:
        """A job is done while the worker's heart beats."""
        beats = workers[0] in self.beating
        return SimpleNamespace(
            done=lambda: beats, status="finished", result=lambda: f"done by {workers[0]}"
        )

    def cancel(self, futures: list[object], force: bool) -> None:
        """Counts the cancelled jobs."""
        assert force
        self.cancelled += len(futures)


def member(machine: str) -> Callable[[], dict[str, str]]:
    """The answer of a worker of our build."""
    return lambda: {"machine": machine, "build": own_build(), "version": __version__}


def hangs() -> Any:
    """The answer of a worker that is stopped."""
    time.sleep(2 * QUICK_S)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shortens the pause between two looks."""
    monkeypatch.setattr(roll, "_LOOK_S", 0.05)


def done_by(client: Any, job: WorkerJob, said: list[str], dispatch: Dispatch | None = None) -> Any:
    """The outcome of one job, which must come within `QUICK_S`."""
    found: dict[int, Any] = {}
    start_s = time.monotonic()
    (dispatch or Dispatch(client, said.append, LIMITS)).run([job], found.__setitem__)
    assert time.monotonic() - start_s < QUICK_S
    return found[0]


def test_a_worker_that_stays_silent_is_not_waited_for() -> None:
    """The job of a lost worker is given up after some time, though the scheduler still has it."""
    client, said = FakeClient(one=member("here")), list[str]()
    client.beating.clear()
    # Its answer comes in a thread, which on a busy machine may take longer than the limits here.
    dispatch = Dispatch(client, said.append, LIMITS)
    assert dispatch.members(within_s=QUICK_S)
    job = WorkerJob("the job", print, None, machine="here")
    reason = done_by(client, job, said, dispatch)
    assert "no worker of machine here that may do it came" in str(reason)
    assert any("worker one of machine here has been silent" in name for name in said)


def test_a_silent_worker_gives_its_job_to_another() -> None:
    """Another worker does the job, which has one outcome."""
    client, said = FakeClient(one=member("here"), two=member("here")), list[str]()
    client.beating.remove("one")
    assert done_by(client, WorkerJob("the job", print, None, machine="here"), said) == "done by two"


def test_a_worker_that_could_not_be_asked_is_asked_again() -> None:
    """A connection that broke once excludes no worker."""
    answers = iter([OSError("broken"), member("here")()])

    def answer() -> Any:
        found = next(answers)
        if isinstance(found, OSError):
            raise found
        return found

    dispatch = Dispatch(FakeClient(one=answer), lambda _: None)  # type: ignore[arg-type]
    assert [other.machine for other in dispatch.members(QUICK_S)] == ["here"]


def test_workers_that_do_not_answer_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Silent workers are named, beside others and alone; only an empty fleet has no workers."""
    said: list[str] = []
    observer: Any = SimpleNamespace(said=said.append)

    def machines(**answers: Callable[[], Any]) -> list[str]:
        client: Any = FakeClient(**answers)
        dispatch = Dispatch(client, said.append)
        members = dispatch.members
        monkeypatch.setattr(dispatch, "members", lambda: members(0.3))
        return benching._machines(dispatch, observer)

    assert machines(one=member("here"), two=hangs) == ["here"]
    assert said == ["no answer from the worker at two; it takes no part"]
    with pytest.raises(UnavailableError, match="no answer from the workers at two"):
        machines(two=hangs)
    with pytest.raises(UnavailableError, match="has no workers"):
        machines()
