# SPDX-License-Identifier: Apache-2.0
"""`--plugin` of `joulemark fleet bench`: the same file on each machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from joulemark.errors import UnavailableError, UsageError
from joulemark.fleet.bench_child import plugin_files, sources_with
from joulemark.measure.worker.sources import installed_sources


def test_a_plugin_is_the_same_file_or_is_refused(tmp_path: Path) -> None:
    """The refusal has path and both digests; a missing file and a taken name are refused too."""
    mine = tmp_path / "mine.so"
    mine.write_bytes(b"one")
    asked = plugin_files([str(mine)])
    assert [source.name for source in sources_with(asked, [])] == ["mine"]
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
