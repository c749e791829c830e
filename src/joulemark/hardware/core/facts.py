# SPDX-License-Identifier: Apache-2.0
"""Types of the fields of all files about cores, and the function that reads such a file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from joulemark.errors import UsageError
from joulemark.foreign.errors import ForeignError
from joulemark.foreign.files import read_whole
from joulemark.foreign.text import shortened, visible

__all__ = ["Facts", "File", "Identifier", "Words", "read_facts"]

_LONGEST_PART_BYTES = 255
_MOST_BYTES = 1 << 20
_Model = TypeVar("_Model", bound=BaseModel)


def _file(name: str) -> str:
    """Refuses text that cannot be a relative or absolute path of a file."""
    if not name.isprintable() or not name:
        raise ValueError("this is no name of a file")
    if len(name) > 4000 or any(
        len(part.encode()) > _LONGEST_PART_BYTES for part in name.split("/")
    ):
        raise ValueError("no file has so long a name")
    return name


Identifier = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_$]*$", max_length=255)]
File = Annotated[str, AfterValidator(_file)]
Words = Annotated[str, AfterValidator(visible)]


class Facts(BaseModel):
    """A table of such a file; it may have the fields of its class and no others."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def read_facts(path: Path, model: type[_Model], **more: Any) -> _Model:
    """Reads a TOML file of at most 1 MiB as a model; `more` has fields that the file lacks.

    Raises:
        UsageError: the file cannot be read or breaks the schema.
    """
    try:
        facts = tomllib.loads(read_whole(path, _MOST_BYTES).decode("utf-8"))
        return model.model_validate({**facts, **more})
    except ForeignError as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(shortened(str(part)) for part in first["loc"])
        raise UsageError(f"{path}: {place}: {first['msg'].lower()}") from None
    except RecursionError:
        raise UsageError(f"{path} is nested too deeply") from None
    except ValueError as error:  # of the decoder, of TOML, and of numbers too long for Python
        raise UsageError(f"{path} is no TOML file: {shortened(str(error), 200)}") from None
