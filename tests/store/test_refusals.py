# SPDX-License-Identifier: Apache-2.0
"""Files, folders and disks that cannot hold a store: one sentence each, and no file changes."""

from __future__ import annotations

import gc
import gzip
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
from filled_store import fill
from store_data import TRIAL, begin, sample
from stored_energy_data import window

from joulemark.errors import StoreError
from joulemark.store.address import StoreAddress, without_password
from joulemark.store.repository import Store

pytestmark = pytest.mark.usefixtures("migrations")
DAMAGED = (
    r"is not a Joulemark database or is damaged \(.+\); "
    r"move it away, or name another with --store$"
)


def use(path: Path) -> None:
    """Open a store and read all of it."""
    with Store.open(path) as store:
        for run in store.runs():
            store.samples(run.id)
            store.implementations(run.id)
            store.meter(run.id)
            store.energy_windows(run.id)


@contextmanager
def mounted(folder: Path, *arguments: str) -> Iterator[Path]:
    """A small file system for the test; skips where this user may not mount."""
    folder.mkdir(exist_ok=True)
    command = ["mount", *arguments, str(folder)]
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting a file system needs root")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"mounting is not permitted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def tmpfs(size: str) -> tuple[str, ...]:
    """Arguments that mount a memory file system of a size."""
    return ("-t", "tmpfs", "-o", f"size={size}", "joulemark-test")


def fill_up(folder: Path) -> Path:
    """Use up all the space there is."""
    path = folder / "ballast"
    with path.open("wb", buffering=0) as ballast, suppress(OSError):
        while ballast.write(b"\0" * 4096):
            pass
    assert os.statvfs(folder).f_bavail == 0
    return path


def add_samples(store: Store, run_id: int) -> None:
    """Add more samples than fit; all that were accepted are there when one is refused."""
    for round_index in range(100_000):
        try:
            store.add_samples(run_id, TRIAL, [sample(round_index)])
        except StoreError:
            assert store.sample_counts(run_id) == {TRIAL: round_index}
            raise


def add_windows(store: Store, run_id: int) -> None:
    """Add far more windows of energy than fit."""
    for round_index in range(100_000):
        store.add_energy_window(run_id, TRIAL, window(round_index=round_index))


def test_random_bytes(tmp_path: Path) -> None:
    """A file of other content is refused by name and left as it was."""
    path = tmp_path / "store.db"
    content = bytes(range(1, 251)) * 40
    path.write_bytes(content)
    with pytest.raises(StoreError, match=DAMAGED) as refused:
        use(path)
    assert str(refused.value).startswith(f"{path} is not")
    assert "(file is not a database)" in str(refused.value)
    assert path.read_bytes() == content


@pytest.mark.parametrize("kept", [10, 100, 1000, 4096, 20_000])
def test_truncated(tmp_path: Path, filled_file: Path, kept: int) -> None:
    """A store cut short is called damaged, wherever it was cut, and left as it was."""
    path = tmp_path / "store.db"
    shutil.copy(filled_file, path)
    content = path.read_bytes()
    assert len(content) > kept
    path.write_bytes(content[:kept])
    with pytest.raises(StoreError, match=DAMAGED):
        use(path)
    assert path.read_bytes() == content[:kept]


def test_garbage_behind_a_good_header(tmp_path: Path, filled_file: Path) -> None:
    """A store whose pages hold garbage is called damaged, and left as it was."""
    path = tmp_path / "store.db"
    shutil.copy(filled_file, path)
    content = path.read_bytes()
    garbage = content[:100] + b"\xa5" * (len(content) - 100)
    path.write_bytes(garbage)
    with pytest.raises(StoreError, match=DAMAGED):
        use(path)
    assert path.read_bytes() == garbage


def test_garbage_in_one_table(tmp_path: Path, filled_file: Path) -> None:
    """Where only the samples are damaged, the rest reads; `integrity` says what is wrong."""
    path = tmp_path / "store.db"
    shutil.copy(filled_file, path)
    with closing(sqlite3.connect(path)) as connection:
        [page] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'sample'")
        [size] = connection.execute("PRAGMA page_size")
    content = bytearray(path.read_bytes())
    content[(page[0] - 1) * size[0] : page[0] * size[0]] = b"\xa5" * size[0]
    path.write_bytes(content)
    with Store.open(path) as store:
        assert len(store.runs()) == 2
        with pytest.raises(StoreError, match=DAMAGED):
            store.samples(1)
        assert store.integrity() != "ok"
        assert store.integrity()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE trial SET mode = 'sideways'",
        "UPDATE implementation SET facts = '{}'",
        "UPDATE run SET study = '{'",
        "UPDATE run SET meter = '{}'",
        "UPDATE run SET meter = json_set(meter, '$.evidence', 'hearsay')",
        "UPDATE energy_window SET \"window\" = '{'",
        "UPDATE energy_window SET \"window\" = '{}'",
        "UPDATE energy_window SET \"window\" = '[]'",
        "UPDATE energy_window SET \"window\" = json_set(\"window\", '$.kind', 'asleep')",
        "UPDATE run SET study_digest = CAST(X'FF' AS TEXT)",
        "UPDATE joulemark_schema SET version_num = 'x'",
        "DELETE FROM joulemark_schema",
    ],
)
def test_content_that_is_not_ours(tmp_path: Path, filled_file: Path, change: str) -> None:
    """A whole file with senseless content is called damaged; no traceback of a parser escapes."""
    path = tmp_path / "store.db"
    shutil.copy(filled_file, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(change)
        connection.commit()
    with pytest.raises(StoreError, match=DAMAGED):
        use(path)


def test_database_of_another_program(tmp_path: Path) -> None:
    """Another program's database, even one that uses Alembic, is refused and left as it was."""
    path = tmp_path / "places.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
        connection.execute("CREATE TABLE run (id INTEGER)")
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"database of another program \(it holds 2 tables"):
        Store.open(path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_places_that_cannot_be(tmp_path: Path) -> None:
    """A folder, a pipe, a missing folder, a missing file: each has its sentence, none is made."""
    with pytest.raises(StoreError, match="is a folder; name a file in it"):
        Store.open(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="is not a file"):
        Store.open(tmp_path / "pipe")
    with pytest.raises(StoreError, match=r"there is no folder .*absent to hold store\.db"):
        Store.open(tmp_path / "absent" / "store.db")
    with pytest.raises(StoreError, match=r"there is no store at .*measure something first"):
        Store.open(tmp_path / "store.db", create=False)
    assert [entry.name for entry in tmp_path.iterdir()] == ["pipe"]


def test_addresses_that_cannot_be() -> None:
    """A bad URL and another engine have a sentence, and no sentence shows a password."""
    for url, reason in (
        ("://x:hunter2@/", "not a database URL"),
        ("postgresql://x:hunter2@h:port/d", "not a database URL"),
        ("nosuch://u:hunter2@h/d", "address begins with 'nosuch'"),
        ("oracle+cx_oracle://u:hunter2@h/d", "address begins with 'oracle'"),
        ("postgresql+asyncpg://u:hunter2@h/d", "names the driver 'asyncpg'"),
        ("postgresql://u@h/d?password=hunter2", r"among its options \(password\)"),
    ):
        with pytest.raises(StoreError, match=reason) as refused:
            Store.open(url)
        assert "hunter2" not in str(refused.value)


def test_a_password_is_taken_out_of_an_address() -> None:
    """No address that is shown or handed on has a password, and the engine still gets it."""
    shown = without_password("postgresql://lab:hunter2@db.example.org/runs?sslmode=require")
    assert shown == "postgresql://lab@db.example.org/runs?sslmode=require"
    place = StoreAddress.of(shown)
    assert place.url.password == "hunter2"
    assert "hunter2" not in place.name
    assert StoreAddress.of("postgresql://lab@elsewhere/runs").url.password is None
    for other in ("runs.db", "://", "postgresql://lab@db.example.org:x/runs"):
        assert without_password(other) == other


def test_full_disk_while_measuring(tmp_path: Path) -> None:
    """A disk that fills up costs no stored sample; with more space the same run goes on."""
    with mounted(tmp_path / "small", *tmpfs("1m")) as folder:
        path = folder / "store.db"
        with Store.open(path) as store:
            run_id = begin(store)
            with pytest.raises(StoreError) as refused:
                add_samples(store, run_id)
            [stored] = store.sample_counts(run_id).values()
            assert stored > 100
            assert str(refused.value) == (
                f"No space left where {path} lies; {stored} samples and windows of all its runs "
                "are safe; free some space and run the same command to go on"
            )
        subprocess.run(["mount", "-o", "remount,size=8m", str(folder)], check=True)
        with Store.open(path) as store:
            assert store.integrity() == "ok"
            assert store.samples(run_id)[TRIAL] == [sample(n) for n in range(stored)]
            store.add_samples(run_id, TRIAL, [sample(stored)])


def test_full_disk_while_metering(tmp_path: Path) -> None:
    """The sentence about a full disk counts the windows of energy among the samples."""
    with mounted(tmp_path / "small", *tmpfs("1m")) as folder, Store.open(folder / "s.db") as store:
        run_id = begin(store)
        store.add_samples(run_id, TRIAL, [sample(0)])
        with pytest.raises(StoreError) as refused:
            add_windows(store, run_id)
        stored = len(store.energy_windows(run_id))
        assert stored > 20
        assert f"; {1 + stored} samples and windows of all its runs are safe; " in str(
            refused.value
        )


@pytest.mark.parametrize("free_kib", [0, 4, 8, 40, 60, 100, 130, 160, 200, 300])
def test_full_disk_while_opening(tmp_path: Path, free_kib: int) -> None:
    """However little space there is, a new store works or says that the disk is full."""
    with mounted(tmp_path / "small", *tmpfs("1m")) as folder:
        ballast = fill_up(folder)
        os.truncate(ballast, ballast.stat().st_size - 1024 * free_kib)
        path = folder / "store.db"
        try:
            fill(path)
        except StoreError as refused:
            said = str(refused)
        else:
            said = "there was room"
        full = said.startswith(f"No space left where {path} lies; ")
        assert full or (said == "there was room" and free_kib > 60)
        ballast.unlink()
        use(path)
        with Store.open(path) as store:
            assert store.integrity() == "ok"


def test_full_disk_with_a_store_in_it(tmp_path: Path) -> None:
    """A store on a disk without a free block says how many samples are safe or still reads."""
    with mounted(tmp_path / "small", *tmpfs("1m")) as folder:
        path = folder / "store.db"
        fill(path)
        fill_up(folder)
        with pytest.raises(StoreError, match=r"No space left where .*store\.db lies; "):
            use(path)
        (folder / "ballast").unlink()
        use(path)


def check_read_only(path: Path) -> None:
    """A store and a new store are both refused in a place that cannot be written."""
    for name in (path, path.with_name("new.db")):
        with pytest.raises(StoreError, match=r"cannot be written: .*is read-only"):
            use(name)


@pytest.mark.parametrize("source", ["new", "schema_1", "schema_5"])
def test_read_only_file_system_can_be_read(tmp_path: Path, source: str) -> None:
    """On a read-only file system stores of every schema can be read, and no file changes."""
    path = tmp_path / "a b?#%.db"
    if source == "new":
        fill(path)
    else:
        frozen = Path(__file__).parent.parent / "data" / "store" / f"{source}.db.gz"
        path.write_bytes(gzip.decompress(frozen.read_bytes()))
    content = path.read_bytes()
    with mounted(tmp_path / "view", "--bind", str(tmp_path)) as folder:
        done = subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=False)
        if done.returncode != 0:
            pytest.skip("a bind mount cannot be made read-only here")
        with Store.open(folder / path.name, create=False, reading=True) as store:
            assert [run.id for run in store.runs()] == [1, 2]
            assert store.samples(1)
            assert store.integrity() == "ok"
    assert path.read_bytes() == content
    assert {file.name for file in tmp_path.iterdir()} == {"view", path.name}


def test_a_log_that_cannot_be_read_is_not_left_out(tmp_path: Path) -> None:
    """A copy taken while somebody wrote has its newest samples in the log beside it."""
    path = tmp_path / "store.db"
    with Store.open(path) as store:
        run_id = begin(store)
        store.add_samples(run_id, TRIAL, [sample(0)])
        for end in ("", "-wal"):
            shutil.copy(f"{path}{end}", f"{tmp_path / 'copy.db'}{end}")
    with mounted(tmp_path / "view", "--bind", str(tmp_path)) as folder:
        done = subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=False)
        if done.returncode != 0:
            pytest.skip("a bind mount cannot be made read-only here")
        with pytest.raises(StoreError, match=r"log .*copy\.db-wal .*copy both"):
            Store.open(folder / "copy.db", create=False, reading=True)
    gc.collect()  # Python 3.13 and newer warn here of a database that was left open


def test_read_only_file_system(tmp_path: Path) -> None:
    """A read-only file system is refused, and the sentence says so."""
    fill(tmp_path / "store.db")
    with mounted(tmp_path / "view", "--bind", str(tmp_path)) as folder:
        done = subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=False)
        if done.returncode != 0:
            pytest.skip("a bind mount cannot be made read-only here")
        check_read_only(folder / "store.db")


def test_read_only_folder(tmp_path: Path) -> None:
    """A folder without write permission is refused, and the sentence says so."""
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere; the read-only file system is tested instead")
    folder = tmp_path / "folder"
    folder.mkdir()
    fill(folder / "store.db")
    folder.chmod(0o555)
    try:
        check_read_only(folder / "store.db")
    finally:
        folder.chmod(0o755)
