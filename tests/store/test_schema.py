# SPDX-License-Identifier: Apache-2.0
"""Schemas: the migrations build the tables of the models, and old files open."""

from __future__ import annotations

import gzip
import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import op
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from filled_store import fill
from sqlalchemy import MetaData, create_engine, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.pool import NullPool
from sqlalchemy.schema import CreateTable
from store_data import (
    CORE_REPORT,
    CORE_TRIAL,
    COUNT,
    DIGEST,
    ENVIRONMENT,
    FACTS,
    FAILURE,
    MIXED_TRIAL,
    OTHER_TRIAL,
    PUBLISHED,
    TRIAL,
    begin,
    sample,
)
from stored_energy_data import METER, add_energy, windows_of_a_round
from stored_sessions_data import POINT

from joulemark.errors import StoreError
from joulemark.records.energy_window import DomainTrace, EnergyWindow, MeterRecord, TracePoint
from joulemark.records.sample import SessionCounts, SessionsWindow
from joulemark.store import Base, access, migrations
from joulemark.store.beside_runs import SessionsAttempt, SessionsRound
from joulemark.store.repository import Store
from package_copies import copy_package

pytestmark = pytest.mark.usefixtures("migrations")
FROZEN = sorted((Path(__file__).resolve().parent.parent / "data" / "store").glob("*.db.gz"))

SESSIONS_SINCE = 7
PUBLISHED_SINCE = 8
LOST_UNTIL_9 = {"title": "", "device": "", "modules": [], "made_at": ""}
"""Fields that no store kept of a report before schema 9, and the moment."""
MIXED = {MIXED_TRIAL: [sample(n) for n in range(4)]}

NEXT = f"{int(access.HEAD) + 1:04}"


def next_step() -> None:
    """A step to a schema that this program does not know."""
    with op.batch_alter_table("run") as table:
        table.add_column(sa.Column("comment", sa.Text, nullable=True))


def broken_step() -> None:
    """As `next_step`, and then it fails."""
    next_step()
    op.execute("SELECT nonsense")


def test_steps_build_the_models(bare_place: str) -> None:
    """The tables that the steps build differ in nothing from the models."""
    Store.open(bare_place).close()
    address = bare_place if "://" in bare_place else f"sqlite:///{bare_place}"
    engine = create_engine(address, poolclass=NullPool)
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection,
            opts={"version_table": access.VERSION_TABLE, "compare_server_default": True},
        )
        assert compare_metadata(context, Base.metadata) == []


def test_names_and_cascades_agree(tmp_path: Path) -> None:
    """Constraint names, cascades and the order of keys agree, which the comparison leaves out."""
    Store.open(tmp_path / "steps.db").close()
    engine = create_engine(f"sqlite:///{tmp_path / 'models.db'}", poolclass=NullPool)
    Base.metadata.create_all(engine)

    def described(name: str) -> dict[str, list[str]]:
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            rows = connection.execute(
                "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT IN (?, ?)",
                (access.VERSION_TABLE, "sqlite_sequence"),
            ).fetchall()
        # A column added to a table stands behind its constraints, before the same bracket.
        return {
            key: sorted(
                filter(
                    None, (part.strip(" ,\t") for part in re.split(r"\n|, (?=\w+ JSON)", sql[:-1]))
                )
            )
            for key, sql in rows
        }

    assert described("steps.db") == described("models.db")


def test_head_is_the_last_step() -> None:
    """The schema that this program says it knows is that of the last step."""
    assert f"{len(migrations.STEPS):04}" == access.HEAD


def test_models_compile_for_postgresql() -> None:
    """Every table can be written for PostgreSQL, with 64-bit counters and zoned times."""
    dialect = postgresql.dialect()
    written = {
        table.name: str(CreateTable(table).compile(dialect=dialect))
        for table in Base.metadata.sorted_tables
    }
    assert "tsc_ticks BIGINT," in written["sample"]
    assert "started_at TIMESTAMP WITH TIME ZONE NOT NULL" in written["run"]
    assert "id SERIAL NOT NULL" in written["run"]
    assert "trial_id INTEGER," in written["energy_window"]
    assert "clocks BIGINT NOT NULL" in written["clock_count"]
    assert "report JSON NOT NULL" in written["core_report"]
    assert "size_bytes BIGINT NOT NULL" in written["sessions_point"]
    assert '"window" JSON NOT NULL' in written["energy_window"]


def test_every_schema_has_a_frozen_file() -> None:
    """There is one small frozen file per schema."""
    assert [path.name for path in FROZEN] == [
        f"schema_{number}.db.gz" for number in range(1, int(access.HEAD) + 1)
    ]
    assert all(path.stat().st_size < 20_000 for path in FROZEN)


def thawed(frozen: Path, folder: Path, place: str) -> str:
    """A place with the store of a frozen file; on PostgreSQL its steps are made and rows copied."""
    path = folder / "frozen.db"
    path.write_bytes(gzip.decompress(frozen.read_bytes()))
    if "://" not in place:
        return str(path)
    revision = f"{int(frozen.name.split('_')[1].split('.')[0]):04}"
    old = create_engine(f"sqlite:///{path}", poolclass=NullPool)
    new = create_engine(place, poolclass=NullPool)
    with new.begin() as connection:
        migrations.upgrade(connection, access.VERSION_TABLE, revision)
    with old.connect() as source, new.begin() as target:
        tables, made = MetaData(), MetaData()
        tables.reflect(source)
        made.reflect(target)
        for table in tables.sorted_tables:
            if rows := [dict(row) for row in source.execute(table.select()).mappings()]:
                for row in rows:
                    for name, value in row.items():
                        if isinstance(value, datetime):
                            row[name] = value.replace(tzinfo=UTC)
                if table.name != access.VERSION_TABLE:
                    target.execute(made.tables[table.name].insert(), rows)
                if "id" in table.c and table.name != "implementation":
                    target.execute(text(f"SELECT setval('{table.name}_id_seq', {len(rows)})"))
    return place


@pytest.mark.parametrize("frozen", FROZEN, ids=lambda path: path.name)
def test_frozen_file_opens(frozen: Path, tmp_path: Path, bare_place: str) -> None:
    """A store of each schema ever released opens, is upgraded, reads right and takes samples."""
    with Store.open(thawed(frozen, tmp_path, bare_place), create=False) as store:
        first, second = store.runs()
        assert (first.id, first.study_digest, first.environment) == (1, DIGEST, ENVIRONMENT)
        assert first.finished_at is not None
        assert first.loop == {"seconds_per_message": 1e-9}
        assert store.resumable_run(DIGEST, {"turbo": None}) == second
        expected = [sample(n) for n in range(4)]
        mixed = {} if frozen.name in ("schema_1.db.gz", "schema_2.db.gz") else MIXED
        assert store.samples(second.id) == {TRIAL: expected, OTHER_TRIAL: expected} | mixed
        assert store.implementations(1) == {FACTS.implementation: FACTS}
        assert store.failures(1) == [FAILURE]
        store.add_samples(second.id, TRIAL, [sample(4)])
        same_mean = replace(TRIAL, workload=replace(TRIAL.workload, mix="uniform:0-128"))
        store.add_samples(second.id, same_mean, [sample(0)])
        assert store.samples(second.id)[same_mean] == [sample(0)]
        metered = frozen.name != "schema_1.db.gz"
        assert store.meter(1) == (METER if metered else None)
        assert store.energy_windows(1) == (windows_of_a_round() if metered else [])
        if not metered:
            add_energy(store, second.id)
        cores = frozen.name not in ("schema_1.db.gz", "schema_2.db.gz", "schema_3.db.gz")
        assert store.clock_counts(1) == ({CORE_TRIAL: COUNT} if cores else {})
        if not cores:
            store.add_clock_count(second.id, CORE_TRIAL, COUNT)
        assert store.clock_counts(second.id) == {CORE_TRIAL: COUNT}
        reports = store.core_reports()
        assert [report.model_copy(update=LOST_UNTIL_9) for report in reports] == (
            [CORE_REPORT.model_copy(update=LOST_UNTIL_9)] if cores else []
        )
        assert store.add_core_report(reports[0] if cores else CORE_REPORT) == 1
        sessions = int(re.sub(r"\D", "", frozen.name)) >= SESSIONS_SINCE
        points = store.sessions_points(size_bytes=POINT.size_bytes, sessions=POINT.sessions)
        assert [point.point for point in points] == ([POINT] if sessions else [])
        newest = frozen == FROZEN[-1]
        assert reports == [CORE_REPORT] or not newest
        number = int(re.sub(r"\D", "", frozen.name))
        assert store.published(1) == (PUBLISHED if number >= PUBLISHED_SINCE else None)
        assert store.published(2) is None
        assert store.meter(second.id) == METER
        assert store.energy_windows(second.id) == windows_of_a_round()
        assert store.integrity() == "ok"


def test_records_kept_as_json_need_a_schema(tmp_path: Path) -> None:
    """The newest frozen store has each field that its records have now, and no other."""
    path = tmp_path / "store.db"
    path.write_bytes(gzip.decompress(FROZEN[-1].read_bytes()))
    with closing(sqlite3.connect(path)) as connection:
        [[meter]] = connection.execute("SELECT meter FROM run WHERE id = 1")
        stored = connection.execute("SELECT \"window\" FROM energy_window WHERE kind = 'load'")
        window = json.loads(stored.fetchone()[0])
        [[measured]] = connection.execute("SELECT measured FROM sessions_point")
        sessions = json.loads(measured)["rounds"][0]
    for kept, record in (
        (json.loads(meter), MeterRecord),
        (window, EnergyWindow),
        (window["traces"][0], DomainTrace),
        (window["traces"][0]["points"][0], TracePoint),
        (sessions, SessionsRound),
        (sessions["window"], SessionsWindow),
        (sessions["window"]["sessions"][0], SessionCounts),
        (sessions["attempts"][0], SessionsAttempt),
    ):
        assert kept.keys() == {field.name for field in fields(record)}, record.__name__


def add_next_schema(monkeypatch: pytest.MonkeyPatch, step: Callable[[], None] = next_step) -> None:
    """Lets this program be one that knows one schema more."""
    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, step))
    monkeypatch.setattr(access, "HEAD", NEXT)


def test_upgrade_on_a_server(bare_place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On each engine an older program refuses a newer store; a broken upgrade changes nothing."""
    fill(bare_place)
    with monkeypatch.context() as newer:
        add_next_schema(newer, broken_step)
        with pytest.raises(StoreError, match="nonsense"):
            Store.open(bare_place)
    with Store.open(bare_place) as store:
        assert len(store.runs()) == 2
    with monkeypatch.context() as newer:
        add_next_schema(newer)
        with Store.open(bare_place) as store:
            assert [len(found) for found in store.samples(1).values()] == [4, 4, 4]
    with pytest.raises(StoreError, match=rf"newer Joulemark \(its schema is {NEXT}"):
        Store.open(bare_place)


def test_reading_makes_no_store(bare_place: str) -> None:
    """A command that only reads leaves an empty place empty, and says that nothing is there."""
    for _ in range(2):
        with pytest.raises(StoreError, match=r"there is no store at .*measure something first"):
            Store.open(bare_place, create=False, reading=True)
    Store.open(bare_place).close()
    Store.open(bare_place, create=False, reading=True).close()


def test_upgrade_then_older_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An older store is upgraded with its samples; an older program then refuses it untouched."""
    path = tmp_path / "store.db"
    fill(path)
    with monkeypatch.context() as newer:
        add_next_schema(newer)
        with Store.open(path) as store:
            assert [len(found) for found in store.samples(1).values()] == [4, 4, 4]
    with closing(sqlite3.connect(path)) as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(run)")]
    assert "comment" in columns
    before = path.read_bytes()
    sentence = rf"newer Joulemark \(its schema is {NEXT}.*{access.HEAD}"
    with pytest.raises(StoreError, match=sentence):
        Store.open(path)
    assert path.read_bytes() == before


def test_upgrade_that_breaks_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An upgrade that fails half way leaves the store as it was."""
    path = tmp_path / "store.db"
    fill(path)
    with monkeypatch.context() as newer:
        add_next_schema(newer, broken_step)
        with pytest.raises(StoreError, match="nonsense"):
            Store.open(path)
    with Store.open(path) as store:
        assert len(store.runs()) == 2
        assert store.integrity() == "ok"
        begin(store)


def test_works_where_it_is_installed(tmp_path: Path) -> None:
    """A copy of the package elsewhere, run from another folder, finds its own migrations."""
    package = copy_package(tmp_path / "site")
    code = (
        "import joulemark.store.migrations as s; from joulemark.store.repository import Store\n"
        "Store.open('store.db').close(); print(s.__file__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(package.parent), "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(done.stdout.strip()) == package / "store" / "migrations.py"
    assert (tmp_path / "store.db").stat().st_size > 0
