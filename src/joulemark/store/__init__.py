# SPDX-License-Identifier: Apache-2.0
"""Raw samples and the runs that they belong to, kept so that a killed run loses nothing.

Here are the tables, a class for each. They have only portable types, so that the same models serve
SQLite and PostgreSQL. Counters are 64 bits wide: nanoseconds pass 2^31 after two seconds, and
time-stamp ticks may come near 2^63. A change here needs a new step in `migrations`. So does a new
field of `EnergyWindow` or `MeterRecord`, which are kept as JSON: the newer schema tells an older
Joulemark that it cannot read the store.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from types import NoneType
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

from sqlalchemy import (
    JSON,
    BigInteger,
    DateTime,
    Dialect,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeEngine

from joulemark.foreign import ForeignError, shortened, visible
from joulemark.foreign.records import record_from_json
from joulemark.records import JsonObject
from joulemark.records.sample import ClockCount, FirmwareCount, RawSample
from joulemark.records.trial import Workload

# The columns of one row as typed values: every conversion of values of the database is here.
#
# SQLite stores any value in any column, whatever the column's type; so a file that another program
# wrote to, or that a disk has damaged, may hold anything anywhere.

T = TypeVar("T")
_LARGEST = 2**63 - 1


class DamagedRowError(Exception):
    """A row holds a value that this program never wrote; the text names table, row and column."""


class Unreadable:
    """Stands for a stored value that could not be converted to the type of its column."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


class Cells:
    """One row."""

    def __init__(self, row: Any, table: str, key: str = "id") -> None:
        self._row = row
        self._table = table
        self._key = key
        if row is None:
            raise DamagedRowError(f"a row of the table {table} has no {key}")

    def damaged(self, column: str, reason: str) -> DamagedRowError:
        """The error that says what is wrong with a column."""
        number = shortened(str(getattr(self._row, self._key, "?")))
        return DamagedRowError(
            f"table {self._table}, row {self._key} {number}, column {column}: {reason}"
        )

    def text(self, column: str) -> str:
        """A word or sentence, control characters made visible."""
        return visible(self._of(str, column, "text"))

    def whole(self, column: str, least: int = 0, most: int = _LARGEST) -> int:
        """A whole number in a range."""
        value = self._of(int, column, "a whole number")
        if not least <= value <= most:
            raise self.damaged(column, f"{value} is not from {least} to {most}")
        return value

    def moment(self, column: str) -> datetime:
        """A moment in UTC."""
        return self._of(datetime, column, "a moment")

    def optional(self, read: Callable[[str], T], column: str) -> T | None:
        """As `read`, which is another method of this row; None for NULL."""
        return None if getattr(self._row, column) is None else read(column)

    def json(self, column: str) -> JsonObject:
        """A JSON object of anything."""
        return self._of(dict, column, "a JSON object")

    def record(self, kind: type[T], column: str) -> T:
        """A JSON object whose fields are those of a record."""
        values = self.json(column)
        try:
            return record_from_json(kind, values)
        except ForeignError as error:
            raise self.damaged(column, str(error)) from None

    def checked_json(self, kind: Any, column: str) -> JsonObject:
        """An unchanged JSON object whose known fields have the types of a typed dictionary.

        Stores of other versions have fewer fields, or more; neither is an error.
        """
        self.record(kind, column)
        return self.json(column)

    def _of(self, kind: type[T], column: str, title: str) -> T:
        value = getattr(self._row, column)
        if isinstance(value, Unreadable):
            raise self.damaged(column, value.reason)
        # bool is an int to isinstance, and no database gives it for one.
        if not isinstance(value, kind) or isinstance(value, bool):
            shown = "NULL" if value is None else shortened(repr(value), 30)
            raise self.damaged(column, f"{shown} is not {title}")
        return value


class UtcTime(TypeDecorator[datetime]):
    """A moment with its time zone, also where the database keeps none; stored in UTC."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Turn any zone into UTC; a moment without a zone is a programming error."""
        del dialect
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a moment without a time zone cannot be stored")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Put back the zone that SQLite dropped."""
        del dialect
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any] | None:
        """Makes a value that is no moment `Unreadable`, which `Cells` refuses by table and row."""
        return _or_unreadable(super().result_processor(dialect, coltype), "no moment")


class JsonText(TypeDecorator[Any]):
    """A JSON value; a text that is no JSON becomes `Unreadable`."""

    impl = JSON(none_as_null=True)
    cache_ok = True

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any] | None:
        """As that of `UtcTime`."""
        return _or_unreadable(super().result_processor(dialect, coltype), "no JSON")


def _or_unreadable(
    read: Callable[[Any], Any] | None, otherwise: str
) -> Callable[[Any], Any] | None:
    if read is None:
        return None

    def process(value: Any) -> Any:
        try:
            return read(value)
        except ForeignError as error:
            return Unreadable(str(error))
        except (ValueError, TypeError, OverflowError):
            return Unreadable(otherwise)

    return process


Id = Annotated[int, mapped_column(Integer, primary_key=True)]
RunId = Annotated[int, mapped_column(ForeignKey("run.id", ondelete="CASCADE"))]
TrialId = Annotated[int, mapped_column(ForeignKey("trial.id", ondelete="CASCADE"))]
Small = Annotated[int, mapped_column(Integer)]
Counter = Annotated[int, mapped_column(BigInteger)]
Word = Annotated[str, mapped_column(String(255))]
Json = Annotated[JsonObject, mapped_column(JsonText)]
Moment = Annotated[datetime, mapped_column(UtcTime)]


class Base(DeclarativeBase):
    """Base of all tables; every constraint has a name so that a later migration can change it."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_name)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class RunRow(Base):
    """One run of one study on one machine; its number is never given to another run."""

    __tablename__ = "run"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[Id]
    study_digest: Mapped[Word] = mapped_column(index=True)
    study: Mapped[Json]
    seed: Mapped[Counter]
    rounds: Mapped[Small]
    environment: Mapped[Json]
    started_at: Mapped[Moment]
    finished_at: Mapped[Moment | None]
    joulemark_version: Mapped[Word]
    loop: Mapped[Json | None]
    meter: Mapped[Json | None]
    conditions: Mapped[Json | None]


class ImplementationRow(Base):
    """Facts of one implementation in one run."""

    __tablename__ = "implementation"

    run_id: Mapped[RunId] = mapped_column(primary_key=True)
    id: Mapped[Word] = mapped_column(primary_key=True)
    facts: Mapped[Json]


def _add_columns(table: type[Base], record: type, **types: type[TypeEngine[Any]]) -> None:
    """Adds a column for each field of a record that a table has none for, in their order.

    A field that may be None may be NULL. Unless its type is named, a number has 64 bits, and a text
    is a word.
    """
    for name, hint in get_type_hints(record).items():
        if name not in table.__table__.c:
            kinds = get_args(hint) or (hint,)
            usual = BigInteger() if int in kinds else String(255)
            kind = types[name]() if name in types else usual
            setattr(table, name, mapped_column(kind, nullable=NoneType in kinds))


class TrialRow(Base):
    """One implementation x workload x target of one run; the other columns are of `Workload`."""

    __tablename__ = "trial"

    id: Mapped[Id]
    run_id: Mapped[RunId]
    implementation: Mapped[Word]
    target: Mapped[Word]


_add_columns(TrialRow, Workload, batch=Integer)
TrialRow.__table__.append_constraint(  # type: ignore[attr-defined]
    UniqueConstraint(*(column for column in TrialRow.__table__.c if column.name != "id"))
)


class SampleRow(Base):
    """One raw observation; the columns after `trial_id` are the fields of `RawSample`."""

    __tablename__ = "sample"

    trial_id: Mapped[TrialId] = mapped_column(primary_key=True)
    round_index: Mapped[Small] = mapped_column(primary_key=True)
    window_index: Mapped[Small] = mapped_column(primary_key=True)


_add_columns(SampleRow, RawSample, position=Integer, generation=Integer)


class ClockCountRow(Base):
    """Clocks that the simulation of a core counted for one trial: the fields of `ClockCount`.

    A simulation has no wall time, no CPU and no rounds, so a sample cannot hold its counts.
    """

    __tablename__ = "clock_count"

    trial_id: Mapped[TrialId] = mapped_column(primary_key=True)


_add_columns(ClockCountRow, ClockCount)


class FirmwareCountRow(Base):
    """Counts of one trial on a firmware target; the columns are those of `FirmwareCount`."""

    __tablename__ = "firmware_count"

    trial_id: Mapped[TrialId] = mapped_column(primary_key=True)


_add_columns(FirmwareCountRow, FirmwareCount, flags=Text)


class EnergyWindowRow(Base):
    """One window of energy; a baseline belongs to no trial.

    `window` holds all the fields of `EnergyWindow`; the columns before it repeat the fields that
    place the window in its run.
    """

    __tablename__ = "energy_window"
    __table_args__ = (UniqueConstraint("run_id", "round_index", "position", "attempt"),)

    id: Mapped[Id]
    run_id: Mapped[RunId] = mapped_column(index=True)
    trial_id: Mapped[TrialId | None] = mapped_column(index=True)
    kind: Mapped[Word]
    round_index: Mapped[Small]
    position: Mapped[Small]
    attempt: Mapped[Small]
    generation: Mapped[Small]
    window: Mapped[Json]
    void: Mapped[str | None] = mapped_column(Text)


class FailureRow(Base):
    """One implementation, or one of its trials, without a figure."""

    __tablename__ = "failure"

    id: Mapped[Id]
    run_id: Mapped[RunId] = mapped_column(index=True)
    implementation: Mapped[Word]
    kind: Mapped[Word]
    reason: Mapped[str] = mapped_column(Text)
    size_bytes: Mapped[Counter | None]


class PublishedRow(Base):
    """Results of a run that came in a file without the samples to compute them from."""

    __tablename__ = "published"

    run_id: Mapped[RunId] = mapped_column(primary_key=True)
    results: Mapped[Json]


class CoreReportRow(Base):
    """Area, clock and power of a core on one target; belongs to no run, since nothing ran here."""

    __tablename__ = "core_report"

    id: Mapped[Id]
    made_at: Mapped[Moment]
    joulemark_version: Mapped[Word]
    digest: Mapped[Word] = mapped_column(index=True)
    report: Mapped[Json]


class SessionsPointRow(Base):
    """Many sessions of one implementation at one length; `measured` holds the windows."""

    __tablename__ = "sessions_point"

    id: Mapped[Id]
    implementation: Mapped[Word]
    facts: Mapped[Json]
    size_bytes: Mapped[Counter] = mapped_column(index=True)
    mix: Mapped[Word]
    sessions: Mapped[Small]
    measured: Mapped[Json]
    environment: Mapped[Json]
    made_at: Mapped[Moment]
    joulemark_version: Mapped[Word]
