# SPDX-License-Identifier: Apache-2.0
"""The program that draws charts is bundled once, and a damaged copy is never used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import vl_convert

from joulemark.report import page
from joulemark.report.page import chart_library

SCRIPT = "draw('</script>');"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[], int]:
    """How often the program was bundled; the cache is empty at first."""
    calls: list[str] = []

    def bundle(exported: str) -> str:
        calls.append(exported)
        return SCRIPT

    monkeypatch.setattr(vl_convert, "javascript_bundle", bundle)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return lambda: len(calls)


def in_another_process() -> str:
    """The program as a new process gets it."""
    return chart_library.__wrapped__()


def test_the_second_process_finds_it(made: Callable[[], int], tmp_path: Path) -> None:
    """The first process keeps the program in one file of the cache; the second reads it."""
    first = in_another_process()
    assert first == "draw('<\\/script>');"
    assert in_another_process() == first
    assert made() == 1
    assert len(list((tmp_path / "joulemark" / "charts").iterdir())) == 1


@pytest.mark.parametrize(
    "spoil",
    [lambda whole: whole[:-1], lambda _: b"", lambda whole: whole.replace(b"draw", b"drag")],
    ids=["cut", "empty", "changed"],
)
def test_a_damaged_one_is_made_again(
    spoil: Callable[[bytes], bytes], made: Callable[[], int], tmp_path: Path
) -> None:
    """A damaged copy is replaced by a whole one."""
    first = in_another_process()
    (kept,) = (tmp_path / "joulemark" / "charts").iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(spoil(whole))
    assert in_another_process() == first
    assert made() == 2
    assert kept.read_bytes() == whole


def test_another_version_makes_another(
    made: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy of another version than the installed one is not used."""
    in_another_process()
    monkeypatch.setattr(page, "version", lambda _package: "other")
    in_another_process()
    assert made() == 2


def test_where_nothing_can_be_kept_it_is_made(
    made: Callable[[], int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With a file in place of the folder, on a full disk or without a home the program is bundled
    each time, and no part of a file stays.
    """
    (tmp_path / "joulemark").write_text("")
    assert in_another_process()
    (tmp_path / "joulemark").unlink()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(Path, "replace", full)
        assert in_another_process()
    assert list((tmp_path / "joulemark" / "charts").iterdir()) == []
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", home_of_nobody)
    assert in_another_process()
    assert made() == 3


def home_of_nobody() -> Path:
    """`Path.home` of a user without a home."""
    raise RuntimeError
