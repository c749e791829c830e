# SPDX-License-Identifier: Apache-2.0
"""The columns of one row as typed values: every conversion of values of the database is here.

SQLite stores any value in any column, whatever the column's type; so a file that another program
wrote to, or that a disk has damaged, may hold anything anywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from joulemark.foreign.records import record_from_json
from joulemark.foreign.text import ForeignError, shortened, visible

T = TypeVar("T")
_LARGEST = 2**63 - 1


class DamagedRowError(Exception):
    """A row holds a value that this program never wrote; the text names table, row and column."""


class Unreadable:
    """Stands for a stored value that could not be converted to the type of its column."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


class Cells:
    """One row.

    Args:
        row: an object with an attribute for each column; None if the row has no key.
        table: its table.
        key: columns that name the row, for sentences.
    """

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

    def json(self, column: str) -> dict[str, Any]:
        """A JSON object of anything."""
        return self._of(dict, column, "a JSON object")

    def record(self, kind: type[T], column: str) -> T:
        """A JSON object whose fields are those of a record."""
        values = self.json(column)
        try:
            return record_from_json(kind, values)
        except ForeignError as error:
            raise self.damaged(column, str(error)) from None

    def checked_json(self, kind: Any, column: str) -> dict[str, Any]:
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
