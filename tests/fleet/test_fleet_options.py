# SPDX-License-Identifier: Apache-2.0
"""`--energy` and `--plugin` of `joulemark fleet bench`: whose meter, and which file."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from small_fleet import SmallFleet

from joulemark.errors import UnavailableError, UsageError
from joulemark.fleet.plugins import plugin_files, sources_with
from joulemark.measure.workers.sources import installed_sources


def test_a_plugin_is_the_same_file_or_is_refused(tmp_path: Path) -> None:
    """By its path and both digests; a file that is not there, and a name that is taken, too."""
    mine = tmp_path / "mine.so"
    mine.write_bytes(b"one")
    asked = plugin_files([str(mine)])
    assert [one.name for one in sources_with(asked, [])] == ["mine"]
    mine.write_bytes(b"two")
    with pytest.raises(UnavailableError, match=rf"plugin {mine} is another file here, \w{{12}}, "):
        sources_with(asked, [])
    mine.unlink()
    with pytest.raises(UnavailableError, match=f"plugin {mine}: no such file"):
        sources_with(asked, [])
    with pytest.raises(UsageError, match="no such file"):
        plugin_files([str(mine)])
    taken = tmp_path / "joulemark.so"
    taken.touch()
    with pytest.raises(UnavailableError, match="provider named 'joulemark' exists"):
        sources_with(plugin_files([str(taken)]), installed_sources())


def test_a_machine_without_a_meter_says_so(
    fleet: SmallFleet, faulty_plugin: Callable[..., Path]
) -> None:
    """Its times stand, those of the plugin too, and the exit code is 2."""
    shutil.copy(faulty_plugin("NONE"), fleet.folder / "mine.so")
    bare = fleet.folder / "bare"
    bare.mkdir()
    fleet.worker("one")
    command = fleet.started(
        "bench", "siphash-2-4/faulty", "--size", "64", "--rounds", "2", "--plugin", "mine.so",
        "--energy", "--sysfs", bare, "--proc", bare, "--scheduler", fleet.address,
        "--store", "all.db",
    )  # fmt: skip
    assert command.wait(120) == 2
    output, errors = fleet.said()
    assert output.startswith("one: run 1, no joules: "), errors
    assert output.count("\n") == 1
    with closing(sqlite3.connect(fleet.folder / "all.db")) as store:
        assert store.execute("SELECT count(*) FROM sample").fetchone()[0] >= 8
        assert store.execute("SELECT 1 FROM failure WHERE kind = 'unavailable' AND "
                             "implementation = '*/energy'").fetchall()  # fmt: skip
