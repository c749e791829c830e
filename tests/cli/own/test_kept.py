# SPDX-License-Identifier: Apache-2.0
"""Plugins that `joulemark add` keeps: one for each name, whole, and not opened without need."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from joulemark.measure import inventory as inventory_module
from joulemark.measure.worker.sources import user_plugin_sources, user_plugins, workshop

HASH = "void mine(const uint8_t *in, size_t n, uint8_t *out) { whole_hash(in, n, out); }"
Run = Callable[..., Any]


def test_a_name_is_given_once(add: Run, mine: Run, kept: Path) -> None:
    """New code replaces old code only if it is right and the user asks for that."""
    assert add(mine(HASH)).exit_code == 0
    [old] = kept.iterdir()
    said = add(mine(HASH)).stderr
    assert "sha256/mine was added already; --replace puts the new code in its place" in said
    wrong = add(mine(HASH), "--replace", "--flags", "-O1 -DFAULT=WRONG_AT_200")
    assert wrong.exit_code == 2
    assert "is wrong, and what was added before stays: a message of 200" in wrong.stderr
    assert list(kept.iterdir()) == [old]
    assert add(mine(HASH), "--replace", "--flags", "-O2").exit_code == 0
    [new] = kept.iterdir()
    assert new != old
    assert add(mine(HASH), "--replace", "--flags", "-O2").exit_code == 0
    assert list(kept.iterdir()) == [new]
    for name, also in (("portable", "implementation portable already"), ("auto", "auto already"),
                       ("core_x", "one of cores"), ("a/b", "cannot be the name"),
                       ("", "cannot be the name")):  # fmt: skip
        assert also in add(mine(HASH), "--name", name).stderr


def test_another_folder_is_named_in_the_next_command(
    run: Run, add: Run, mine: Run, tmp_path: Path
) -> None:
    """The next command names another folder, since other commands do not look there."""
    folder = tmp_path / "else where"
    result = add(mine(HASH), "--folder", folder)
    assert result.exit_code == 0, result.output
    assert f"next: JOULEMARK_PLUGINS='{folder}' joulemark bench " in result.stdout
    assert run("list", "sha256/mine").exit_code == 2
    assert run("remove", "sha256/mine", "--folder", folder).exit_code == 0


def test_a_damaged_plugin_is_not_run(run: Run, add: Run, mine: Run, kept: Path) -> None:
    """A damaged plugin is listed with the command that removes it."""
    assert add(mine(HASH)).exit_code == 0
    [entry] = kept.iterdir()
    with (entry / "plugin.so").open("ab") as file:
        file.write(b"!")
    listed = run("list", "sha256")
    assert f"take it away with joulemark remove {entry.name}" in listed.stdout
    assert "damaged" in run("added").stdout
    (entry / "plugin.json").write_text("{}")
    assert "is damaged" in run("list", "sha256").stdout
    assert run("remove", entry.name).exit_code == 0
    assert list(kept.iterdir()) == []


def test_a_kept_plugin_is_not_opened_to_be_listed(
    add: Run, mine: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Listing kept plugins starts no process, so hundreds of them cost little."""
    assert add(mine(HASH)).exit_code == 0
    monkeypatch.setattr(inventory_module, "WorkerClient", None)
    found = inventory_module.take_inventory(user_plugin_sources(set()))
    assert list(found.facts) == ["sha256/mine"]
    [taken] = user_plugin_sources({"mine-sha256"})
    assert taken.unavailable == "there is a provider mine-sha256 already"


def test_what_a_killed_command_left_goes(add: Run, mine: Run, kept: Path) -> None:
    """A folder of a killed command, whose lock is free, goes; that of a living command stays."""
    kept.mkdir()
    (kept / ".new-dead").mkdir()
    (kept / ".new-dead" / "lock").touch()
    with workshop(kept) as busy:
        assert add(mine(HASH)).exit_code == 0
        assert [path.name for path in kept.glob(".new-*")] == [busy.name]
    assert len(user_plugins(kept)) == 1
    assert list(kept.glob(".new-*")) == []


def test_a_home_that_is_none(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a home folder nothing is found, and the variable is named where one is needed."""

    def none(_path: object) -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", classmethod(none))
    monkeypatch.delenv("JOULEMARK_PLUGINS")
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    assert run("list", "sha256").exit_code == 0
    assert "set XDG_DATA_HOME" in run("added").stderr
    monkeypatch.setenv("XDG_DATA_HOME", "/nonexistent")
    assert "/nonexistent/joulemark/plugins" in run("added").stdout


def test_what_others_may_write_is_not_loaded(
    add: Run, run: Run, mine: Run, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plugin made under umask 000 is not writable by others; one that is, is not loaded."""
    before = os.umask(0)
    try:
        assert add(mine(HASH)).exit_code == 0
    finally:
        os.umask(before)
    [entry] = user_plugins(kept)
    for path in (entry, *entry.iterdir()):
        assert not path.stat().st_mode & stat.S_IWOTH, path
    for path in (*entry.iterdir(), entry, kept):
        mode = path.stat().st_mode
        path.chmod(mode | stat.S_IWOTH)
        [source] = user_plugin_sources(set())
        assert f"others than you may write {path}" in (source.unavailable or ""), path
        assert run("bench", "sha256/mine", "--quick", "--no-store").exit_code == 2
        path.chmod(mode)
    [source] = user_plugin_sources(set())
    assert source.unavailable is None
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    [source] = user_plugin_sources(set())
    assert (source.unavailable is None) == (os.getuid() == 0)


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="no valgrind here")
@pytest.mark.skipif("avx512f" not in Path("/proc/cpuinfo").read_text(), reason="no AVX-512 here")
def test_secrets_of_code_with_avx512(run: Run, add: Run, mine: Run, kept: Path) -> None:
    """A copy without AVX-512 is kept and stands for the code; without one a sentence says why."""
    wide = '__asm__ volatile("vpxord %%zmm0, %%zmm0, %%zmm0" ::: "xmm0");'
    chosen = HASH.replace("{ ", f"{{\n#ifdef __AVX512F__\n{wide}\n#endif\n")
    assert add(mine(chosen), "--flags", "-O1 -mavx512f").exit_code == 0
    [entry] = kept.iterdir()
    found = run("test", "sha256/mine", "--constant-time")
    assert found.exit_code == 0, found.output
    assert "by valgrind in a second copy, compiled without AVX-512, which val" in found.stdout
    alone = shutil.copyfile(entry / "plugin.so", kept.parent / "alone.so")
    always = add(mine(HASH.replace("{ ", f"{{ {wide} ")), "--flags", "-O1 -mavx512f", "--replace")
    assert always.exit_code == 0, always.output
    both = run("test", "sha256/mine", "--constant-time")
    assert both.exit_code == 2
    assert "cannot be checked: it has an instruction that valgrind does not know, as of AVX-5" in (
        both.stdout
    )
    assert "and so has its second copy" in both.stdout
    assert run("remove", "sha256/mine").exit_code == 0
    built = run("test", "sha256/mine", "--plugin", alone, "--constant-time")
    assert built.exit_code == 2
    assert "there are no sources to compile again: build it with -mno-avx512f" in built.stdout


def test_code_without_avx512_needs_no_copy(add: Run, mine: Run, kept: Path) -> None:
    """Where the flags allow no AVX-512, nothing is compiled twice."""
    assert add(mine(HASH), "--flags", "-O1").exit_code == 0
    assert {path.name for path in kept.glob("*/*")} == {"plugin.so", "plugin.json"}
