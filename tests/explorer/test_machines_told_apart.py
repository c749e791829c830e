# SPDX-License-Identifier: Apache-2.0
"""Two equal machines in the explorer: lists, changes, comparisons, published pages."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from urllib.parse import unquote

import many_runs
import pytest
from estimating import estimated

from joulemark.explorer.estimates.known import Index, KnownRuns
from joulemark.explorer.publish import publish
from joulemark.explorer.server import Answers
from joulemark.store.reading import open_for_reading

DIGESTS = {"a": "00112233445566aa", "b": "00112233445566bb"}
LINK = re.compile(r'(?:href|src)="([^"#]+)"')
Told = Mapping[int, str]
"""Run -> which of the two machines says that it is its own."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Seven runs of one machine, or of equal ones; 1, 4 and 7 have the same trials."""
    made = tmp_path / "runs.db"
    many_runs.fill(made, runs=7, samples=50, machines=1)
    return made


def tell(path: Path, told: Told) -> None:
    """Runs say of which machine they are; machine b has a name too."""
    with closing(sqlite3.connect(path)) as store, store:
        for run, which in told.items():
            (text,) = store.execute("SELECT environment FROM run WHERE id = ?", (run,)).fetchone()
            known = {**json.loads(text), "machine_digest": DIGESTS[which]}
            known |= {"machine_name": "node <b>"} if which == "b" else {}
            store.execute("UPDATE run SET environment = ? WHERE id = ?", (json.dumps(known), run))


def known_of(path: Path) -> KnownRuns:
    """The explorer's index of a store."""
    with open_for_reading(str(path)) as store:
        return Index(store).known()


ALL = range(1, 8)


@pytest.mark.parametrize(
    ("told", "machines", "before"),
    [
        ({}, 1, 4),
        ({7: "a"}, 1, 4),
        (dict.fromkeys(ALL, "a"), 1, 4),
        ({4: "a", 7: "b"}, 3, 1),
        ({1: "b", 4: "a", 7: "b"}, 3, 1),
        ({1: "a", 4: "a", 7: "b"}, 3, None),
        ({2: "a", 7: "b"}, 3, 4),
    ],
)
def test_lists_and_changes(path: Path, told: Told, machines: int, before: int | None) -> None:
    """The list has as many machines, and run 7 is judged against this earlier run."""
    tell(path, told)
    known = known_of(path)
    assert len(known.machines) == machines
    assert list(known.before(known.runs[7])) == ([] if before is None else [before])
    slugs = {run: known.machine_of[run] for run in ALL}
    for number in ALL:
        for other in ALL:
            same = machines == 1 or told.get(number) == told.get(other)
            assert (slugs[number] == slugs[other]) == same, (number, other)


def test_addresses_stay_while_there_is_one_machine(path: Path) -> None:
    """A digest alone changes no address, and no address has a part of a digest."""
    (slug,) = known_of(path).machines
    tell(path, dict.fromkeys(ALL, "a"))
    assert list(known_of(path).machines) == [slug]
    tell(path, {7: "b"})
    found = known_of(path).machines
    assert len(found) == 2
    assert slug not in found
    assert not any(digest[:4] in name for name in found for digest in DIGESTS.values())


def test_pages_tell_them_apart_and_show_no_digest(path: Path, tmp_path: Path) -> None:
    """A machine's given name is text, and a comparison says that there are two machines."""
    tell(path, {**dict.fromkeys(ALL, "a"), 7: "b"})
    with estimated(str(path), tmp_path / "kept.db") as holdings:
        answers = Answers(holdings)
        name, other = holdings.known().machines
        pages = {
            place: answers.answer(place, query).body.decode()
            for place, query in (
                ("/machines", ""), (f"/machines/{other}", ""), ("/runs/7", ""),
                ("/compare", f"before={name}&after={other}"), ("/machines.json", ""),
                ("/runs/7.json", ""),
            )
        }  # fmt: skip
    assert "node &lt;b&gt;, Model 0" in pages["/machines"]
    assert "<b>" not in pages["/machines"]
    assert "different machines or settings (equal in all facts)" in pages["/compare"]
    for place, text in pages.items():
        assert not any(digest in text for digest in DIGESTS.values()), place


def test_published_links_hold_when_an_equal_machine_comes(path: Path, tmp_path: Path) -> None:
    """Pages of old runs lead to the machine's new address, though the runs are as they were."""
    tell(path, {**dict.fromkeys(ALL, "a")})
    site = tmp_path / "site"
    publish(str(path), site, lambda _: None)
    (before,) = (site / "machines").glob("*.html")
    tell(path, {7: "b"})
    publish(str(path), site, lambda _: None)
    assert len(list((site / "machines").glob("*.html"))) == 2
    assert not before.exists()
    for page in site.rglob("*.html"):
        for link in LINK.findall(page.read_text()):
            if not link.startswith("data:"):
                name = unquote(link.partition("#")[0])
                assert not name or (page.parent / name).is_file(), (page, link)
