# SPDX-License-Identifier: Apache-2.0
"""`joulemark add`, `added` and `remove` against names, flags, compilers and code that mean harm."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from joulemark.errors import UsageError
from joulemark.measure.worker.sources import (
    BrokenEntry,
    UserPlugin,
    keep_plugin,
    user_plugin_sources,
    user_plugins,
    workshop,
)
from joulemark.own_code import adding, building, checking
from joulemark.processes.keeper import landlock_version

HASH = "void mine(const uint8_t *in, size_t n, uint8_t *out) { whole_hash(in, n, out); }"
LOADED = """\
#include <dlfcn.h>
#include <stdio.h>
__attribute__((constructor)) static void when_loaded(void) {{
    Dl_info found;
    dladdr((void *)when_loaded, &found);
    char words[9000];
    snprintf(words, sizeof words, "{shell}", found.dli_fname, found.dli_fname);
    if (system(words)) exit(9);
}}
"""
Run = Callable[..., Any]


@pytest.mark.parametrize("name", ["key", "message", "digest", "functions"])
def test_a_name_that_is_ours_as_well(add: Run, mine: Run, name: str) -> None:
    """A function may have the name of a parameter or function in the files made around it."""
    result = add(mine(HASH.replace("mine", name)), function=name)
    assert result.exit_code == 0, result.output


def test_names_of_files(add: Run, mine: Run, tmp_path: Path) -> None:
    """Odd file names are taken, those with line ends are not; a link goes by its own name."""
    result = add(mine(HASH, name="a\tb #$c.c"), "--name", "tab")
    assert result.exit_code == 0, result.output
    assert "rename it" in add(mine(HASH, name="a\nb.c"), "--name", "line").stderr
    (tmp_path / "link.c").symlink_to(mine(HASH, name="mine.txt"))
    again = tmp_path / "again.c"
    again.symlink_to("link.c")
    result = add(tmp_path / "link.c", "link.c", again)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("sha256/link is right and kept: ")


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("-o victim", "leave out -o;"),
        ("-O2 -ovictim", "leave out -ovictim"),
        ("-E", "leave out -E"),
        ("-MF victim", "leave out -MF"),
        ("-x c++", "leave out -x"),
        ("-fsyntax-only", "leave out -fsyntax-only"),
        ("--help=common", "leave out --help=common"),
        ("-", "leave out -;"),
        ("-DX=\udcff", "this is no text in UTF-8"),
    ],
)
def test_flags_that_make_something_else(add: Run, mine: Run, flags: str, said: str) -> None:
    """A flag that makes the compiler produce something else is refused in one sentence."""
    result = add(mine(HASH), "--flags", flags)
    assert result.exit_code == 2
    assert result.stderr.startswith("joulemark: --flags ")
    assert said in result.stderr


def test_flags_are_shown_without_control_signs(run: Run, mine: Run) -> None:
    """Flags and folder are shown without control signs."""
    result = run("add", mine(HASH), "--function", "mine", "--algorithm", "sha256",
                 "--flags", "-O1 -DX=\x1b[31m", "--folder", "a\x07b", color=True)  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "-DX=\\x1b[31m" in result.stdout
    assert "a\\x07b" in result.stdout
    assert not {"\x1b", "\x07"} & set(result.stdout)


def test_the_linkers_words_are_shown(add: Run, mine: Run, tmp_path: Path) -> None:
    """The message has the linker's own words, and not only that the linker failed."""
    (tmp_path / "text").write_text("no object\n")
    said = add(mine(HASH), "--flags", tmp_path / "text").stderr
    assert "syntax error" in said
    assert "ld returned" not in said


def test_a_compiler_that_hangs(
    add: Run, mine: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A compiler that hangs when it is asked for its version is refused."""
    hanging = tmp_path / "hanging"
    hanging.write_text("#!/bin/sh\nsleep 600\n")
    hanging.chmod(0o755)
    monkeypatch.setattr(building, "_VERSION_S", 0.5)
    result = add(mine(HASH), "--compiler", hanging)
    assert result.exit_code == 2
    assert "--version does not end within 0.5 s; name another" in result.stderr


def test_a_limit_beyond_all_clocks(add: Run, mine: Run) -> None:
    """A limit that no clock can hold is the same as no limit."""
    assert add(mine(HASH), "--hang-limit", "1e308").exit_code == 0


@pytest.mark.parametrize(
    ("shell", "said"),
    [
        ("echo x >> %s", "changes itself, and it is not kept"),
        ("mkdir -p $(dirname %s)/entry/plugin.so", None),
    ],
)
def test_code_that_works_on_the_workshop(
    add: Run, mine: Run, kept: Path, shell: str, said: str | None
) -> None:
    """Code that changes its file while it is loaded is not kept: kept code is checked code.

    A kernel with Landlock lets it change nothing there at all.
    """
    if landlock_version():
        said = "Permission denied"
    path = mine(LOADED.format(shell=shell) + HASH)
    result = add(path, "--flags", "-O1 -D_GNU_SOURCE")
    assert result.exit_code == (2 if said else 0), result.output
    assert (said or "sha256/mine is right and kept: ") in result.output
    assert len([*kept.glob("*"), *kept.glob(".*")]) == (0 if said else 1)


def test_code_that_takes_all_memory(add: Run, mine: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code gets no more memory than the limit."""
    monkeypatch.setattr(checking, "_MEMORY_BYTES", 512 << 20)
    takes = HASH.replace("{", "{ char *volatile p = malloc(1u << 30); if (!p) exit(7); free(p);")
    result = add(mine(takes))
    assert result.exit_code == 2
    assert "its process died (exit code 7)" in result.stderr


def test_two_commands_at_once(
    add: Run, mine: Run, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two commands with one name the first is kept, and the second is told."""
    plain = adding.check

    def slow(*words: Any) -> Any:
        monkeypatch.setattr(adding, "check", plain)
        assert add(mine(HASH, name="mine.c"), "--flags", "-O2").exit_code == 0
        return plain(*words)

    monkeypatch.setattr(adding, "check", slow)
    result = add(mine(HASH))
    assert result.exit_code == 2
    assert "was kept by another command meanwhile; --replace" in result.stderr
    assert len(list(kept.iterdir())) == 1
    with workshop(kept) as place:
        [found] = user_plugins(kept).values()
        assert isinstance(found, UserPlugin)
        (place / "x.so").touch()
        with pytest.raises(UsageError):
            keep_plugin(place / "x.so", found, kept, "other", replacing=False)


def test_two_of_one_name_are_not_mixed(run: Run, add: Run, mine: Run, kept: Path) -> None:
    """Of a copied folder the first counts, and facts of both are not mixed."""
    assert add(mine(HASH)).exit_code == 0
    [entry] = kept.iterdir()
    (kept / "zz").mkdir()
    for file in entry.iterdir():
        (kept / "zz" / file.name).write_bytes(file.read_bytes())
    first, second = user_plugin_sources(set())
    assert first.unavailable is None
    assert second.unavailable == "there is a provider mine-sha256 already"
    assert run("list", "sha256/mine").exit_code == 0


def test_a_damaged_record(run: Run, add: Run, mine: Run, kept: Path) -> None:
    """A record without implementations goes by its provider's name; a link is removed alone."""
    assert add(mine(HASH)).exit_code == 0
    [entry] = kept.iterdir()
    record = json.loads((entry / "plugin.json").read_text())
    record["opened"]["implementations"] = []
    (entry / "plugin.json").write_text(json.dumps(record))
    assert run("added").exit_code == 0
    elsewhere = kept.parent / "elsewhere"
    entry.rename(elsewhere)
    entry.symlink_to(elsewhere)
    assert run("remove", "mine-sha256").stdout == "mine-sha256 is gone\n"
    assert len(list(elsewhere.iterdir())) == 2
    assert not entry.is_symlink()


def test_an_entry_that_may_not_be_read(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry without permission to read is listed as damaged and does not stop commands."""

    def refused(*_words: object) -> bool:
        raise PermissionError(13, "Permission denied")

    (kept / "closed").mkdir(parents=True)
    for name in ("plugin.json", "plugin.so"):
        (kept / "closed" / name).touch()
    monkeypatch.setattr(Path, "is_file", refused)
    monkeypatch.setattr(Path, "read_bytes", refused)
    [found] = user_plugins(kept).values()
    assert isinstance(found, BrokenEntry)
    assert "Permission denied" in found.reason
