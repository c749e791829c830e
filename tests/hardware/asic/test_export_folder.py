# SPDX-License-Identifier: Apache-2.0
"""The folder of an export is whole or absent, also after a failure; and its command."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import HERE, Flow
from forked_commands import run_joulemark
from joulemark.errors import UsageError
from joulemark.hardware.export.write import MANIFEST, check_new_folder, new_folder

WRITE = """
import sys, time
from pathlib import Path
from joulemark.hardware.export.write import new_folder
with new_folder("--export", Path(sys.argv[1])) as folder:
    (folder / "netlist.v").write_text("half")
    print("half", flush=True)
    time.sleep(60)
"""
LIMITED = """
import resource, signal, sys
from pathlib import Path
from joulemark.errors import UsageError
from joulemark.hardware.export.write import new_folder
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    with new_folder("--export", Path(sys.argv[1])) as folder:
        (folder / "netlist.v").write_text("x" * 100_000)
except UsageError as error:
    print(error)
"""


def test_a_folder_appears_with_all_of_its_files(tmp_path: Path):
    """Until it is complete a folder has a hidden name; it may be new or replace an empty folder."""
    (tmp_path / "empty").mkdir()
    for name in ("empty", "new"):
        path = tmp_path / name
        check_new_folder("--export", path)
        with new_folder("--export", path) as folder:
            (folder / "one").write_text("1")
            assert folder.parent == tmp_path
            assert folder.name.startswith(f".{name}.unfinished-")
            assert not path.exists() or not any(path.iterdir())
        assert [file.name for file in path.iterdir()] == ["one"]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["empty", "new"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("full", "the folder is not empty; name a new one"),
        ("full/file", "is a file; name a new folder"),
        ("gone/new", "there is no folder"),
        ("/proc/new", "cannot be written"),
    ],
)
def test_what_cannot_be_filled_is_refused(tmp_path: Path, name: str, said: str):
    """The refusal comes before any work, and again when the work is done."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("kept")
    with pytest.raises(UsageError, match=said):
        check_new_folder("--export", tmp_path / name)
    with pytest.raises(UsageError, match=said), new_folder("--export", tmp_path / name) as folder:
        (folder / "file").write_text("new")
    assert (tmp_path / "full" / "file").read_text() == "kept"


def test_nothing_stays_of_a_folder_that_was_given_up(tmp_path: Path):
    """An interrupt while files are written leaves nothing."""

    def interrupted() -> None:
        with new_folder("--export", tmp_path / "out") as folder:
            (folder / "one").write_text("1")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path: Path):
    """A limit of 4 KiB for the size of a file represents the full disk."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path / "out")], capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert done.stdout.startswith(f"--export {tmp_path}/out cannot be written (File too large)")
    assert list(tmp_path.iterdir()) == []


def test_a_kill_leaves_nothing_that_looks_whole(tmp_path: Path):
    """After a kill there is no folder of the requested name."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITE, str(tmp_path / "out")], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "half\n"
        process.send_signal(signal.SIGKILL)
    assert not (tmp_path / "out").exists()
    assert [path.name.startswith(".out.unfinished-") for path in tmp_path.iterdir()] == [True]


def test_an_export_is_made_though_the_cache_has_the_report(flow: Flow, tmp_path: Path):
    """Exports have the same files and digests; without power no activity, as the command says."""

    def report(*options: str) -> subprocess.CompletedProcess[str]:
        return run_joulemark(
            "core", "report", HERE / "crc8" / "crc8.toml", "--liberty", flow.liberty, "--no-power",
            "--no-store", "--mappings", "2", "--cache", "cache", *options, cwd=tmp_path, text=True,
        )  # fmt: skip

    first = report("--export", "first")
    assert first.returncode == 0, first.stderr
    assert "exported to first: netlist.v, shortest.sdc," in first.stderr
    assert "no activity is exported, since power was left out (--no-power)" in first.stderr
    second = report("--export", "second")
    assert second.returncode == 0, second.stderr
    assert second.stdout == first.stdout == report().stdout
    facts = json.loads((tmp_path / "second" / MANIFEST).read_text("utf-8"))
    names = {file["name"] for file in facts["files"]}
    assert names | {MANIFEST} == {path.name for path in (tmp_path / "second").iterdir()}
    assert not names & {"activity.saif", "activity.vcd", "power.tcl"}
    for file in facts["files"]:
        raw = (tmp_path / "second" / file["name"]).read_bytes()
        assert (hashlib.sha256(raw).hexdigest(), len(raw)) == (file["sha256"], file["bytes"])
        assert (tmp_path / "first" / file["name"]).read_bytes() == raw
    again = report("--export", "second")
    assert again.returncode == 2
    assert "second: the folder is not empty" in again.stderr
