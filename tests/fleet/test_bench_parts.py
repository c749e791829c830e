# SPDX-License-Identifier: Apache-2.0
"""Parts of `fleet bench` that need no cluster: files of studies, news of a child, what is sent."""

from __future__ import annotations

import zlib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from joulemark.fleet import benching
from joulemark.fleet.benching import MachineAnswer, _News, begin_afresh
from joulemark.measure.study import Study
from joulemark.store.repository import Store

STUDY = Study(patterns=("siphash-2-4/portable",), sizes_bytes=(64,))


def test_fresh_begins_once_for_each_command(tmp_path: Path) -> None:
    """A second worker that takes the study up keeps the samples of the first."""
    path = tmp_path / "cache" / "study.db"
    begin_afresh(path, "first")
    path.write_text("samples of the first command")
    begin_afresh(path, "first")
    assert path.exists()
    begin_afresh(path, "second")
    assert not path.exists()
    path.write_text("samples of the second command")
    begin_afresh(path, "second")
    assert path.exists()


def test_news_are_passed_on_once(tmp_path: Path) -> None:
    """Whole lines alone, what was kept, the last step of several, and nothing that others print."""
    told: list[dict[str, Any]] = []
    with (tmp_path / "output").open("w+b") as file:
        news = _News(file, told.append)
        lines = (b'{"failed": "x"}', b"a library says hello \xff", b"[1]",
                 b'{"done": 1, "total": 3, "kept": 1}', b'{"done": 1, "total": 3}',
                 b'{"done": 2, "total": 3}', b'{"done": ')  # fmt: skip
        file.write(b"\n".join(lines))
        file.flush()
        news.pass_on()
        goes_on = {"done": 1, "total": 3, "kept": 1}
        assert told == [{"failed": "x"}, goes_on, {"done": 2, "total": 3}]
        file.write(b'3, "total": 3}\n{"kept_whole": true}\n')
        file.flush()
        news.pass_on()
        news.pass_on()
    assert told[3:] == [{"kept_whole": True}, {"done": 3, "total": 3}]
    assert news.kept_whole


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (b"nonsense", "damaged"),
        (zlib.compress(b"no store" * 100), "not a Joulemark database"),
        (zlib.compress(bytes(1000))[:-6], "cut off"),
    ],
)
def test_what_one_machine_sends_does_not_end_the_others(
    tmp_path: Path, sent: bytes, words: str
) -> None:
    """A damaged answer is the reason why that machine has no run."""
    observer: Any = SimpleNamespace(said=lambda _: None)
    with Store.open(tmp_path / "all.db") as store:
        found = benching._receive("one", MachineAnswer(sent, None), STUDY, store, observer)
        assert (found.run_ids, store.runs()) == ((), [])
    assert "what it sent is damaged" in (found.reason or "")
    assert words in (found.reason or "")


def test_runs_of_another_study_are_refused(tmp_path: Path) -> None:
    """A machine that answers with figures of another study has no run, and none is stored."""
    observer: Any = SimpleNamespace(said=lambda _: None)
    with Store.open(tmp_path / "all.db") as store:
        for sizes_bytes, taken in (((64,), True), ((65,), False)):
            study = replace(STUDY, sizes_bytes=sizes_bytes)
            path = tmp_path / f"{sizes_bytes[0]}.db"
            with Store.open(path) as sent:
                sent.finish_run(
                    sent.begin_run(
                        study={**study.as_dict(), "plan": {}}, study_digest="a5f0", seed=1,
                        rounds=1, environment={}, joulemark_version="0.1.0",
                    )
                )  # fmt: skip
            answer = MachineAnswer(zlib.compress(path.read_bytes()), None)
            found = benching._receive("one", answer, STUDY, store, observer)
            assert (found.reason is None) == taken, found.reason
        assert "runs of another study" in (found.reason or "")
        assert len(store.runs()) == 1
