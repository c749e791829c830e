# SPDX-License-Identifier: Apache-2.0
"""`joulemark publish`: whole, relative, incremental, and careful with the files of others."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import many_runs
import pytest

from joulemark.errors import UsageError
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.publish import LIST_NAME, publish
from joulemark.explorer.render import feed_of
from joulemark.explorer.views.page import file_stem
from joulemark.report.sheet import Address
from joulemark.store.repository import Store

LINK = re.compile(r'(?:href|src)="([^"]*)"')
ATOM = "{http://www.w3.org/2005/Atom}"


def quiet(_: str) -> None:
    """Discards the progress."""


def files(folder: Path) -> dict[str, bytes]:
    """Every published file but the list."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != LIST_NAME
    }


def test_every_link_is_relative_and_leads_to_a_file(site: Path) -> None:
    """Links lead to pages, data and assets, and each page can be reached."""
    reached = {"index.html"}
    for page in site.rglob("*.html"):
        for link in LINK.findall(page.read_text()):
            if link.startswith(("data:", "#")):
                continue
            assert not link.startswith("/"), (page, link)
            assert ":" not in link, (page, link)
            target = (page.parent / unquote(link)).resolve()
            assert target.is_file(), (page, link)
            reached.add(str(target.relative_to(site.resolve())))
    pages = {str(path.relative_to(site)) for path in site.rglob("*.html")}
    assert pages <= reached


def test_there_is_a_page_for_each_thing(site: Path, holdings: Holdings) -> None:
    """Each machine, run, algorithm, history and comparison has a page, with data beside."""
    known = holdings.known()
    for slug in known.machines:
        assert (site / "machines" / f"{slug}.html").is_file()
    for number, run in known.runs.items():
        for name in run.algorithms:
            for suffix in ("html", "csv", "json"):
                assert (site / "runs" / str(number) / f"{name}.{suffix}").is_file()
    assert (site / "compare" / "12--18.html").is_file()
    assert (site / "history" / "hmac-sha256--shani.html").is_file()
    rows = json.loads((site / "runs" / "18" / "hmac-sha256.json").read_bytes())["rows"]
    assert len(rows) == 10


def test_second_time_writes_what_changed(tmp_path: Path) -> None:
    """An unchanged store writes no file; a deleted run's pages go, and few others are written."""
    store, folder = tmp_path / "runs.db", tmp_path / "site"
    many_runs.fill(store, runs=5, samples=100, machines=2)
    first = publish(str(store), folder, quiet)
    assert first.written == len(files(folder))
    before = files(folder)
    again = publish(str(store), folder, quiet)
    assert (again.written, again.removed) == (0, 0)
    assert files(folder) == before
    with Store.open(store) as found:
        found.delete_run(5)
    less = publish(str(store), folder, quiet)
    assert less.removed > 0
    after = files(folder)
    assert not any(name.startswith("runs/5") for name in after)
    assert 0 < less.written < len(after) / 2
    assert all(after[name] == before[name] for name in after if name.startswith("runs/1/"))
    fresh = tmp_path / "fresh"
    publish(str(store), fresh, quiet)
    assert files(fresh) == after


def test_old_pages_link_to_a_new_view(tmp_path: Path) -> None:
    """The first counts of firmware bring the view of budgets, which every page names."""
    store, folder = tmp_path / "runs.db", tmp_path / "site"
    many_runs.fill(store, runs=2, samples=100, machines=1)
    publish(str(store), folder, quiet)
    many_runs.add_firmware(store)
    publish(str(store), folder, quiet)
    publish(str(store), tmp_path / "fresh", quiet)
    assert files(folder) == files(tmp_path / "fresh")


def test_files_of_others_stay(tmp_path: Path) -> None:
    """A folder with other files is refused; a file that somebody added later is left alone."""
    store, folder = tmp_path / "runs.db", tmp_path / "site"
    many_runs.fill(store, runs=2, samples=100, machines=1)
    folder.mkdir()
    (folder / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="did not write"):
        publish(str(store), folder, quiet)
    assert (folder / "thesis.txt").read_text() == "years of work"
    (folder / "thesis.txt").unlink()
    publish(str(store), folder, quiet)
    (folder / "CNAME").write_text("example.org")
    (folder / "runs" / "notes.txt").write_text("mine")
    publish(str(store), folder, quiet)
    assert (folder / "CNAME").is_file()
    assert (folder / "runs" / "notes.txt").is_file()


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{", '{"schema_version": 1}', "[" * 5000,
     '{"schema_version": 1, "files": {"../../gone": {"key": "", "sha256": ""}}}',
     '{"schema_version": 1, "files": {"/etc/passwd": {"key": "", "sha256": ""}}}',
     '{"schema_version": 1, "files": {"a": 3}}'],
)  # fmt: skip
def test_damaged_list_is_refused(tmp_path: Path, content: str) -> None:
    """A list that names files elsewhere removes none of them."""
    store, folder = tmp_path / "runs.db", tmp_path / "site"
    many_runs.fill(store, runs=1, samples=100, machines=1)
    folder.mkdir()
    (folder / LIST_NAME).write_text(content)
    with pytest.raises(UsageError, match="is not the list"):
        publish(str(store), folder, quiet)


def test_feed_has_an_entry_for_each_flagged_run(holdings: Holdings) -> None:
    """RFC 4287: id, title, updated in each; the newest first, and a link to the run."""
    feed = ET.fromstring(feed_of(holdings, lambda address: f"x/{file_stem(address)}"))
    entries = feed.findall(f"{ATOM}entry")
    flagged = {change.run for change in holdings.estimates.changes() if change.flagged}
    assert len(entries) == len(flagged) > 0
    for entry in (feed, *entries):
        assert all(entry.findtext(f"{ATOM}{name}") for name in ("id", "title", "updated"))
    assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == len(entries)
    link = entries[0].find(f"{ATOM}link")
    assert link is not None
    assert link.get("href") == f"x/runs/{max(flagged)}"
    assert feed.findtext(f"{ATOM}updated") == entries[0].findtext(f"{ATOM}updated")


def test_hostile_names_are_text_in_the_feed(hostile: Holdings) -> None:
    """Markup in a name is the entry's text, with no element of its own."""
    data = feed_of(hostile, lambda _: None)
    assert b"<script" not in data
    assert b"<img" not in data
    feed = ET.fromstring(data)
    titles = [text.findtext(f"{ATOM}title") or "" for text in feed.findall(f"{ATOM}entry")]
    assert any("<script>" in title for title in titles)


@pytest.mark.parametrize(
    "name",
    ["a/b", "../up", "a" * 400, "CON", "Ünïcode/\N{SNOWMAN}", "<script>", "a b", ".hidden", "-x",
     "a\0b", "A/b", "a--b", "%2e%2e"],
)  # fmt: skip
def test_names_of_files_are_safe(name: str) -> None:
    """An implementation of any name has a file in the folder, with a plain name."""
    stem = file_stem(Address.of("history", implementation=name))
    assert re.fullmatch(r"history/[a-z0-9+_][a-z0-9.+_-]*", stem), stem
    assert len(stem) < 150


def test_names_of_files_differ() -> None:
    """Different names whose plain forms are alike get different files."""
    names = ["a/b", "a--b", "a b", "a?b", "A/b", "a/B", "a:b"]
    stems = {file_stem(Address.of("history", implementation=name)).lower() for name in names}
    assert len(stems) >= len(names) - 1  # a/b and a--b: no algorithm has two dashes in its name
