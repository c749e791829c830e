# SPDX-License-Identifier: Apache-2.0
"""Steps from each schema of a store to the next, by Alembic, run by `joulemark.store.access` alone.

A change of the tables (`joulemark.store`) adds a step to `STEPS`, sets `access.HEAD` to its number
and freezes a file of the new schema with `tests/store/freeze.py`. The tests compare the tables that
the steps build with the models. Steps import no models: they describe the past, and the models
change. The module takes a tenth of a second to import, so it is imported only where there is a step
to make.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import sqlalchemy as sa
from alembic import op
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext


def upgrade(connection: sa.Connection, version_table: str, until: str | None = None) -> None:
    """Brings a database to a schema, in the transaction of the connection."""
    versions = sa.table(version_table, sa.column("version_num"))
    with Operations.context(MigrationContext.configure(connection)):
        if sa.inspect(connection).has_table(version_table):
            done = int(connection.execute(sa.select(versions)).scalar_one())
        else:
            done = 0
            op.create_table(
                version_table,
                sa.Column("version_num", sa.String(32), nullable=False),
                sa.PrimaryKeyConstraint("version_num", name=f"{version_table}_pkc"),
            )
            connection.execute(versions.insert().values(version_num="0000"))
        last = len(STEPS) if until is None else int(until)
        for step in STEPS[done:last]:
            step()
        connection.execute(versions.update().values(version_num=f"{last:04d}"))


# The notation of the steps: columns as "name kind", with a question mark where NULL is allowed.

_KINDS: Final[dict[str, sa.types.TypeEngine[Any]]] = {
    "int": sa.Integer(),
    "big": sa.BigInteger(),
    "word": sa.String(255),
    "text": sa.Text(),
    "json": sa.JSON(none_as_null=True),
    "time": sa.DateTime(timezone=True),
}


def _columns(words: str) -> list[sa.Column[Any]]:
    columns: list[sa.Column[Any]] = []
    for part in words.split(","):
        name, kind = part.split()
        columns.append(sa.Column(name, _KINDS[kind.rstrip("?")], nullable=kind.endswith("?")))
    return columns


def _make(
    table: str, columns: str, key: str, *constraints: sa.Constraint, autoincrement: bool = False
) -> None:
    op.create_table(
        table,
        *_columns(columns),
        *constraints,
        sa.PrimaryKeyConstraint(*key.split(), name=f"pk_{table}"),
        sqlite_autoincrement=autoincrement,
    )


def _of(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    """A row goes with the row that its column points to."""
    return sa.ForeignKeyConstraint(
        [column], [f"{target}.id"], name=f"fk_{table}_{column}_{target}", ondelete="CASCADE"
    )


def _on_sqlite() -> bool:
    """Whether constraints and keys cannot be changed, so that a table is made again."""
    return op.get_bind().dialect.name == "sqlite"


_TRIAL: Final = (
    "id int, run_id int, implementation word, target word, size_bytes big, mode word, cache word, "
    "key_setup word, batch int"
)
_TRIAL_NAMES: Final = (
    *("run_id", "implementation", "target", "size_bytes"),
    *("mode", "cache", "key_setup", "batch"),
)
_SAMPLE_COUNTERS: Final = (
    "messages big, wall_start_ns big, wall_ns big, thread_cpu_ns big, tsc_ticks big?, "
    "perf_core_cycles big?, voluntary_switches big, involuntary_switches big, "
    "run_queue_wait_ns big?, machine_busy_ns big?, machine_steal_ns big?, chain_adds big, "
    "chain_ticks_before big?, chain_ticks_after big?"
)


def _make_sample() -> None:
    _make(
        "sample",
        f"trial_id int, round_index int, position int, generation int, {_SAMPLE_COUNTERS}",
        "trial_id round_index",
        _of("sample", "trial_id", "trial"),
    )


def _make_energy_window() -> None:
    _make(
        "energy_window",
        "id int, run_id int, trial_id int?, kind word, round_index int, position int, attempt int, "
        "generation int, window json, void text?",
        "id",
        _of("energy_window", "run_id", "run"),
        _of("energy_window", "trial_id", "trial"),
        sa.UniqueConstraint(
            *("run_id", "round_index", "position", "attempt"), name="uq_energy_window_run_id"
        ),
    )


def _first() -> None:
    """Makes run, implementation, trial, sample and failure."""
    _make(
        "run",
        "id int, study_digest word, study json, seed big, rounds int, environment json, "
        "started_at time, finished_at time?, joulemark_version word, loop json?",
        "id",
        autoincrement=True,
    )
    op.create_index("ix_run_study_digest", "run", ["study_digest"])
    _make(
        "implementation",
        "run_id int, id word, facts json",
        "run_id id",
        _of("implementation", "run_id", "run"),
    )
    names = sa.UniqueConstraint(*_TRIAL_NAMES, name="uq_trial_run_id")
    _make("trial", _TRIAL, "id", _of("trial", "run_id", "run"), names)
    _make_sample()
    _make(
        "failure",
        "id int, run_id int, implementation word, kind word, reason text, size_bytes big?",
        "id",
        _of("failure", "run_id", "run"),
    )
    op.create_index("ix_failure_run_id", "failure", ["run_id"])


def _energy() -> None:
    """Adds the meter of a run, and its windows of energy.

    The column is added in place. A batch that made `run` again would drop the old table, and its
    cascades would delete every sample.
    """
    op.add_column("run", *_columns("meter json?"))
    _make_energy_window()
    for name in ("run_id", "trial_id"):
        op.create_index(f"ix_energy_window_{name}", "energy_window", [name])


def _mixes() -> None:
    """Adds `mix` to `trial`, and to what names a trial; older trials have none.

    SQLite cannot change a constraint. There the table is made again, and with it those that point
    to it: a dropped table takes along, by its cascades, the rows that point to its rows. So all
    three are put aside, made, filled, and the old ones dropped from the outermost inwards.
    """
    if not _on_sqlite():
        _add_filled("trial", "mix word", "")
        op.drop_constraint("uq_trial_run_id", "trial", type_="unique")
        op.create_unique_constraint("uq_trial_run_id", "trial", [*_TRIAL_NAMES, "mix"])
        return
    for name in ("run_id", "trial_id"):
        op.drop_index(f"ix_energy_window_{name}")
    for name in ("trial", "sample", "energy_window"):
        op.rename_table(name, f"old_{name}")
    names = sa.UniqueConstraint(*_TRIAL_NAMES, "mix", name="uq_trial_run_id")
    _make("trial", f"{_TRIAL}, mix word", "id", _of("trial", "run_id", "run"), names)
    _make_sample()
    _make_energy_window()
    op.execute("INSERT INTO trial SELECT *, '' FROM old_trial")
    for name in ("sample", "energy_window"):
        op.execute(f"INSERT INTO {name} SELECT * FROM old_{name}")  # noqa: S608 - our own names
    for name in ("energy_window", "sample", "trial"):
        op.drop_table(f"old_{name}")
    for name in ("run_id", "trial_id"):
        op.create_index(f"ix_energy_window_{name}", "energy_window", [name])


def _add_filled(table: str, column: str, value: str) -> None:
    """Adds a column that is never NULL, with a value in the rows that are there."""
    (added,) = _columns(column)
    added.server_default = sa.DefaultClause(value)
    op.add_column(table, added)
    op.alter_column(table, added.name, server_default=None)


def _cores() -> None:
    """Adds clocks that simulated cores took, and reports of their area, clock and power."""
    _make(
        "clock_count",
        "trial_id int, messages big, clocks big, key_clocks big?",
        "trial_id",
        _of("clock_count", "trial_id", "trial"),
    )
    _make(
        "core_report",
        "id int, core word, algorithm word, configuration word?, parameters json, target word, "
        "settings json, figures json, evidence json, reasons json, made_at time, "
        "joulemark_version word, digest word",
        "id",
    )
    op.create_index("ix_core_report_digest", "core_report", ["digest"])


_VISIT: Final = "visit_wall_ns big?, visit_thread_cpu_ns big?"
_WIDTH: Final = "width_ticks_before big?, width_ticks_after big?"


def _windows() -> None:
    """Adds `run.conditions`, and `sample.window_index` with counters of visit and core.

    The window's index is part of the key of a sample. SQLite cannot change a key in place, so there
    the table is built again; what was stored had one window in each round.
    """
    op.add_column("run", *_columns("conditions json?"))
    if not _on_sqlite():
        _add_filled("sample", "window_index int", "0")
        _add_filled("sample", "width_adds big", "0")
        for column in _columns(f"{_VISIT}, {_WIDTH}"):
            op.add_column("sample", column)
        op.drop_constraint("pk_sample", "sample", type_="primary")
        op.create_primary_key("pk_sample", "sample", ["trial_id", "round_index", "window_index"])
        return
    op.rename_table("sample", "old_sample")
    _make(
        "sample",
        f"trial_id int, round_index int, window_index int, position int, generation int, "
        f"{_SAMPLE_COUNTERS}, {_VISIT}, width_adds big, {_WIDTH}",
        "trial_id round_index window_index",
        _of("sample", "trial_id", "trial"),
    )
    names = ", ".join(
        column["name"] for column in sa.inspect(op.get_bind()).get_columns("old_sample")
    )
    new = f"{names}, window_index, width_adds"
    op.execute(f"INSERT INTO sample ({new}) SELECT {names}, 0, 0 FROM old_sample")  # noqa: S608 - our own names
    op.drop_table("old_sample")


def _firmware() -> None:
    """Adds what trials on firmware targets came to."""
    _make(
        "firmware_count",
        "trial_id int, core_cycles big, instructions big, key_core_cycles big?, code_bytes big, "
        "constant_bytes big, static_ram_bytes big, state_bytes big?, stack_bytes big, "
        "evidence word, compiler word, flags text, simulator word",
        "trial_id",
        _of("firmware_count", "trial_id", "trial"),
    )


def _sessions() -> None:
    """Adds windows of many sessions at once."""
    _make(
        "sessions_point",
        "id int, implementation word, facts json, size_bytes big, mix word, sessions int, "
        "measured json, environment json, made_at time, joulemark_version word",
        "id",
    )
    op.create_index("ix_sessions_point_size_bytes", "sessions_point", ["size_bytes"])


def _published() -> None:
    """Adds results that came in a file without the samples that they stand on."""
    _make("published", "run_id int, results json", "run_id", _of("published", "run_id", "run"))


_WORDS: Final = ("core", "algorithm", "configuration", "target")
_OBJECTS: Final = ("parameters", "settings", "figures", "evidence", "reasons")


def _whole_reports() -> None:
    """Puts the parts of each report of a core into one object, in the column `report`.

    The object has no version, by which the record tells such parts from a report of today. SQLite
    cannot take a column away from a table of every version, so there the table is built again; a
    part that is no JSON then makes the object none, which its reader reports.
    """
    if not _on_sqlite():
        parts = ", ".join(f"'{name}', {name}" for name in (*_WORDS, *_OBJECTS))
        op.add_column("core_report", *_columns("report json?"))
        op.execute(f"UPDATE core_report SET report = json_build_object({parts})")  # noqa: S608 - our own names
        op.alter_column("core_report", "report", nullable=False)
        for name in (*_WORDS, *_OBJECTS):
            op.drop_column("core_report", name)
        return
    op.drop_index("ix_core_report_digest")
    op.rename_table("core_report", "old_core_report")
    _make(
        "core_report",
        "id int, made_at time, joulemark_version word, digest word, report json",
        "id",
    )
    op.create_index("ix_core_report_digest", "core_report", ["digest"])
    texts = [f"'\"{name}\": ' || json_quote({name})" for name in _WORDS]
    texts += [f"'\"{name}\": ' || {name}" for name in _OBJECTS]
    report = "'{' || " + " || ', ' || ".join(texts) + " || '}'"
    op.execute(
        "INSERT INTO core_report (id, made_at, joulemark_version, digest, report) "  # noqa: S608 - our own names
        f"SELECT id, made_at, joulemark_version, digest, {report} FROM old_core_report"
    )
    op.drop_table("old_core_report")


STEPS: tuple[Callable[[], None], ...] = (
    _first,
    _energy,
    _mixes,
    _cores,
    _windows,
    _firmware,
    _sessions,
    _published,
    _whole_reports,
)
"""The steps in order; the number of the last is the version of the newest schema."""
