# SPDX-License-Identifier: Apache-2.0
"""Installed sources are opened in forks of one worker: the same answers as from one worker each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from joulemark.measure.inventory import take_inventory
from joulemark.measure.worker.messages import OpenEach, SourcePlace
from joulemark.measure.worker.sources import ImplementationSource, installed_sources
from joulemark.measure.worker.worker import open_each
from joulemark.records import FailureKind


def installed(path: Path, name: str = "faulty") -> ImplementationSource:
    """A library's plugin."""
    return ImplementationSource(name, f"The library {name}", "plugin", str(path), None)


def test_the_inventory_is_that_of_each_source_alone() -> None:
    """The facts, failures and tables are those of each source opened alone, in the same order."""
    sources = installed_sources()
    together = take_inventory(sources)
    alone = [take_inventory([source]) for source in sources]
    assert together.facts == {
        name: facts for inventory in alone for name, facts in inventory.facts.items()
    }
    assert list(together.facts) == [name for inventory in alone for name in inventory.facts]
    assert together.unavailable == [
        failure for inventory in alone for failure in inventory.unavailable
    ]
    assert together.tables == {
        name: told for inventory in alone for name, told in inventory.tables.items()
    }


@pytest.mark.parametrize(
    ("fault", "kind"),
    [("CRASHES_WHEN_LOADED", FailureKind.CRASH), ("OLD_INTERFACE", FailureKind.UNAVAILABLE)],
)
def test_a_source_that_cannot_be_opened_harms_no_other(
    faulty_plugin: Callable[[str], Path], fault: str, kind: FailureKind
) -> None:
    """The failure names the source; the sources before and behind it are listed."""
    builtin, *_, python = installed_sources()
    found = take_inventory([builtin, installed(faulty_plugin(fault)), python])
    (failure,) = [told for told in found.unavailable if told.implementation == "*/faulty"]
    assert failure.kind is kind
    assert {"joulemark", "python"} == {facts.provider for facts in found.facts.values()}


def test_a_source_that_says_nothing_in_time_is_left_out() -> None:
    """A source that is silent at the limit has no line; the others of the request have theirs."""

    def line_of(place: SourcePlace) -> bytes:
        while place.kind == "python":
            pass
        return f"{place.path}\n".encode()

    places = (SourcePlace("plugin", "a"), SourcePlace("python", None), SourcePlace("plugin", "b"))
    assert open_each(OpenEach(places, 0.3), line_of).lines == ("a", None, "b")


def test_a_source_cannot_write_on_the_pipes_of_others(tmp_path: Path) -> None:
    """The fork closes the process's files; a source whose write fails therefore has no line."""
    with (tmp_path / "answers").open("wb", buffering=0) as answers:

        def line_of(place: SourcePlace) -> bytes:
            answers.write(b"{}")
            return b"{}\n"

        assert open_each(OpenEach((SourcePlace("plugin", "a"),), 10), line_of).lines == (None,)
    assert (tmp_path / "answers").read_bytes() == b""


def test_a_source_of_the_user_is_opened_by_itself(faulty_plugin: Callable[[str], Path]) -> None:
    """A user's source has a worker to itself, so that its crash is told as that of its worker."""
    builtin, *_, python = installed_sources()
    mine = replace(installed(faulty_plugin("CRASHES_WHEN_LOADED")), from_user=True)
    found = take_inventory([builtin, mine, python]).unavailable
    (failure,) = [told for told in found if told.implementation == "*/faulty"]
    assert failure.kind is FailureKind.CRASH
