# SPDX-License-Identifier: Apache-2.0
"""Which build of an outside library was measured: the loaded files and their hashes."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from joulemark.measure.inventory import take_inventory
from joulemark.measure.worker.python_provider import linked_files, mapped_libraries
from joulemark.measure.worker.sources import installed_sources


def test_the_files_that_a_plugin_needs_are_hashed(tmp_path: Path) -> None:
    """A library is hashed if the plugin names it and the process maps it, whatever its version."""
    plugin, library, other = (tmp_path / name for name in ("p.so", "libx.so.8.6", "liby.so.1"))
    plugin.write_bytes(b"\x7fELF\0libx.so.8\0libc.so.6\0")
    library.write_bytes(b"the library")
    other.write_bytes(b"not needed")
    found = linked_files(plugin, [plugin, library, other, tmp_path / "libc.so.6"])
    assert found == {library: hashlib.sha256(b"the library").hexdigest()}


def test_a_link_leads_to_a_file_of_another_version(tmp_path: Path) -> None:
    """The plugin names a link, as with Mbed TLS, whose link and file count versions differently."""
    plugin, library = tmp_path / "p.so", tmp_path / "libx.so.2.28"
    plugin.write_bytes(b"\0libx.so.7\0")
    library.write_bytes(b"the library")
    assert linked_files(plugin, [library]) == {}
    (tmp_path / "libx.so.7").symlink_to(library.name)
    assert list(linked_files(plugin, [library])) == [library]


def test_what_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    """A replaced file, a plugin that is gone and a system without the list give no guess."""
    plugin = tmp_path / "p.so"
    plugin.write_bytes(b"\0libx.so.8\0")
    assert linked_files(plugin, [tmp_path / "libx.so.8"]) == {}
    assert linked_files(tmp_path / "gone.so", []) == {}
    assert mapped_libraries(tmp_path / "maps") == []


def test_mapped_files_are_listed_once(tmp_path: Path) -> None:
    """Each mapped shared object is listed once; anonymous memory and plain files are not."""
    maps = tmp_path / "maps"
    maps.write_text(
        "7f00-7f01 r--p 00000000 08:01 42 /usr/lib/libx.so.8.6\n"
        "7f01-7f02 r-xp 00001000 08:01 42 /usr/lib/libx.so.8.6\n"
        "7f02-7f03 rw-p 00000000 00:00 0\n"
        "7f03-7f04 r--p 00000000 08:01 43 /usr/lib/locale/C.utf8/LC_CTYPE\n"
    )
    assert mapped_libraries(maps) == [Path("/usr/lib/libx.so.8.6")]


def test_every_outside_library_here_is_known_by_its_file() -> None:
    """The facts of each outside library have loaded files; our own kernels have none."""
    inventory = take_inventory(installed_sources())
    by_provider = {facts.provider: facts.library_files for facts in inventory.facts.values()}
    assert by_provider.pop("joulemark") == ()
    by_provider.pop("python", None)
    if not by_provider:
        pytest.skip("no outside library found; apt-get install libssl-dev nettle-dev")
    for provider, files in by_provider.items():
        assert files, provider
        assert all(len(file.sha256) == 64 and "/" not in file.name for file in files)
