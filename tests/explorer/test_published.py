# SPDX-License-Identifier: Apache-2.0
"""`joulemark publish`: whole, relative, incremental, and careful with the files of others."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import re
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import many_runs
import pytest

from joulemark.catalogue import every_algorithm
from joulemark.errors import UsageError
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.publish import (
    JOURNAL_NAME,
    LIST_NAME,
    MOST_ALGORITHM_FILES,
    PublishedFolder,
    publish,
)
from joulemark.explorer.render import feed_of
from joulemark.explorer.views import gathered, place_of
from joulemark.report import Address
from joulemark.store.repository import Store

LINK = re.compile(r'(?:href|src)="([^"]*)"')
PART = re.compile(r'<(?:article|span) id="([^"]*)">')
BEGINS_WITH_A_PART = re.compile(r'<main id="main" tabindex="-1">\s*<article id=')
DATA = re.compile(r'id="data-gzip[^"]*">([^<]*)<')
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
    texts = {page.resolve(): page.read_text() for page in site.rglob("*.html")}
    parts = {page: set(PART.findall(text)) for page, text in texts.items()}
    reached = {(site.resolve() / "index.html", "")}
    for page, text in texts.items():
        for link in LINK.findall(text):
            if link.startswith(("data:", "#")):
                continue
            assert not link.startswith("/"), (page, link)
            assert ":" not in link, (page, link)
            name, _, part = link.partition("#")
            target = (page.parent / unquote(name)).resolve()
            assert target.is_file(), (page, link)
            assert not part or part in parts[target], (page, link)
            reached.add((target, part))
    every = {(page, part) for page, text in texts.items() for part in ("", *parts[page])
             if part or not BEGINS_WITH_A_PART.search(text)}  # fmt: skip
    assert every <= reached


def test_there_is_a_page_for_each_thing(site: Path, holdings: Holdings) -> None:
    """Each machine, run, algorithm, history and comparison has a page, with its data in it."""
    known = holdings.known()
    for slug in known.machines:
        assert (site / "machines" / f"{slug}.html").is_file()
    for number, run in known.runs.items():
        text = (site / "runs" / f"{number}.html").read_text()
        assert set(PART.findall(text)) == set(run.algorithms)
    assert (site / "compare" / "12--18.html").is_file()
    text = (site / "algorithms" / "hmac-sha256.html").read_text()
    slug = next(iter(known.machines))
    assert {"targets", "history--shani", f"history--shani--{slug}"} <= set(PART.findall(text))
    packed = DATA.findall((site / "runs" / "18.html").read_text())
    found = [json.loads(gzip.decompress(base64.b64decode(text))) for text in packed]
    rows = [json.loads(files["json"])["rows"] for files in found]
    assert len(rows[0]) == sum(map(len, rows[1:])) > 0
    assert all(len(list(csv.DictReader(io.StringIO(files["csv"])))) == len(table)
               for files, table in zip(found, rows, strict=True))  # fmt: skip
    assert all(r"\begin{tabular}" in files["tex"] for files in found)


def test_one_run_is_few_files(tmp_path: Path) -> None:
    """A run of two algorithms is two files of algorithms, one of the run, and those of every site.

    A history of all machines stands for that of the only machine.
    """
    store, folder = tmp_path / "runs.db", tmp_path / "site"
    many_runs.fill(store, runs=1, samples=100, machines=1)
    found = publish(str(store), folder, quiet)
    algorithms = list((folder / "algorithms").iterdir())
    every = ("index", "machines", "runs", "algorithms", "cores", "changes")
    rest = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    rest -= {path.relative_to(folder).as_posix() for path in algorithms}
    rest = {name for name in rest if not name.startswith("machines/")}
    assert rest == {
        *(f"{name}.html" for name in every), "runs/1.html", "changes.atom", LIST_NAME,
        *(f"assets/{name}" for name in ("explorer.css", "explorer.js", "vega.js", "search.js")),
    }  # fmt: skip
    text = algorithms[0].read_text()
    assert len(PART.findall(text)) == len(set(PART.findall(text)))
    assert found.pages == 6 + 1 + 1 + len(PART.findall((folder / "runs/1.html").read_text())) + sum(
        1 + path.read_text().count("<article id=") for path in algorithms
    )


def test_many_algorithms_share_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Algorithms of one first word have one file with a part for each page; all links lead there.

    The whole catalogue takes 60 files at most, and a site goes from one layout to the other.
    """
    catalogue = {place_of(Address.of("algorithms", name)) for name in every_algorithm()}
    assert len(catalogue) > 100
    assert len({gathered(place).stem for place in catalogue}) <= MOST_ALGORITHM_FILES
    store, folder = tmp_path / "runs.db", tmp_path / "site"
    many_runs.fill(store, runs=2, samples=100, machines=1)
    apart = publish(str(store), folder, quiet)
    monkeypatch.setattr("joulemark.explorer.publish.MOST_ALGORITHM_FILES", 1)
    assert publish(str(store), folder, quiet).pages == apart.pages
    assert {path.name for path in (folder / "algorithms").iterdir()} == {
        "hmac.html", "siphash.html",
    }  # fmt: skip
    test_every_link_is_relative_and_leads_to_a_file(folder)
    text = (folder / "algorithms" / "hmac.html").read_text()
    assert {"hmac-sha1", "hmac-sha1--targets"} <= set(PART.findall(text))


def test_the_search_has_each_page(site: Path, holdings: Holdings) -> None:
    """The script has words and link of each page, the name of a machine in place of its address."""
    script = (site / "assets" / "search.js").read_text()
    words = dict(json.loads(script.removeprefix("window.joulemarkPages = ").rstrip(";\n")))
    assert words["History hmac-sha256/shani"] == "algorithms/hmac-sha256.html#history--shani"
    assert words["Runs 18 hmac-sha256"] == "runs/18.html#hmac-sha256"
    for link in words.values():
        name, _, part = link.partition("#")
        text = (site / name).read_text()
        assert not part or f'<article id="{part}">' in text, link
    machine = next(iter(holdings.known().machines.values()))
    assert any(machine.name in text for text in words)


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
    assert "runs/5.html" not in after
    assert less.unchanged >= 4
    assert after["runs/1.html"] == before["runs/1.html"]
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
    mine = folder / "runs" / "3.html"
    mine.write_text("mine")
    more = tmp_path / "more.db"
    many_runs.fill(more, runs=3, samples=100, machines=1)
    with pytest.raises(UsageError, match=r"runs/3\.html is a file that joulemark publish did not"):
        publish(str(more), folder, quiet)
    assert mine.read_text() == "mine"
    mine.unlink()
    publish(str(more), folder, quiet)
    assert mine.read_text() != "mine"


def test_damaged_pages_are_written_again(tmp_path: Path) -> None:
    """A page that somebody emptied is not "unchanged"."""
    store, folder = tmp_path / "runs.db", tmp_path / "site"
    many_runs.fill(store, runs=2, samples=100, machines=1)
    publish(str(store), folder, quiet)
    before = files(folder)
    for name in ("index.html", "runs/1.html"):
        (folder / name).write_bytes(b"")
    again = publish(str(store), folder, quiet)
    assert again.written == 2
    assert files(folder) == before


def test_an_interrupted_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of a run that was killed before its list are ours, and are written again."""
    store, folder = tmp_path / "runs.db", tmp_path / "site"
    many_runs.fill(store, runs=2, samples=100, machines=1)

    def killed(_: PublishedFolder) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(PublishedFolder, "finish", killed)
        with pytest.raises(KeyboardInterrupt):
            publish(str(store), folder, quiet)
    assert (folder / JOURNAL_NAME).is_file()
    publish(str(store), folder, quiet)
    assert not (folder / JOURNAL_NAME).exists()
    publish(str(store), tmp_path / "fresh", quiet)
    assert files(folder) == files(tmp_path / "fresh")


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
    feed = ET.fromstring(feed_of(holdings, lambda address: f"x/{place_of(address).stem}"))
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
    place = place_of(Address.of("history", implementation=name))
    assert re.fullmatch(r"algorithms/[a-z0-9+_][a-z0-9.+_-]*", place.stem), place
    assert re.fullmatch(r"history--[a-z0-9+_][a-z0-9.+_-]*", place.part), place
    assert len(place.link) < 250


def test_names_of_files_differ() -> None:
    """Different names whose plain forms are alike get different files."""
    names = ["a/b", "a--b", "a b", "a?b", "A/b", "a/B", "a:b"]
    stems = {place_of(Address.of("history", implementation=name)).link.lower() for name in names}
    assert len(stems) >= len(names) - 1  # a/b and a--b: no algorithm has two dashes in its name
