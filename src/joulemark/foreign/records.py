# SPDX-License-Identifier: Apache-2.0
"""Foreign values as records: each field has the type that its record declares, or it is refused."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from joulemark.foreign.text import ForeignError, shortened

T = TypeVar("T")


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def record_from_json(kind: type[T], values: Any) -> T:
    """A record (data class, model or typed dictionary) from the JSON value of its fields.

    Only values for which JSON has no form are converted: words become members of their enumeration,
    lists become tuples. Fields that the record lacks are passed over.

    Raises:
        ForeignError: a field is missing or of another type; the text begins with its name.
    """
    try:
        record: T = _adapter(cast("Hashable", kind)).validate_json(to_json(values), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(shortened(str(part)) for part in first["loc"])
        what = first["msg"][:1].lower() + first["msg"][1:]
        raise ForeignError(f"{where}: {what}" if where else what) from None
    except PydanticSerializationError as error:
        raise ForeignError(shortened(str(error))) from None
    return record
