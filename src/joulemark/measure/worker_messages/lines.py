# SPDX-License-Identifier: Apache-2.0
"""Messages as lines of JSON: writes all messages, and reads requests in a worker.

The fields of a message are those of its JSON object; a request has its type beside them.
Bytes are hexadecimal.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from joulemark.measure.worker_messages.base import Request


def encode(message: Any) -> bytes:
    """Writes a request or an answer as a line."""
    kind = type(message)
    name = {"request": [kind.__module__, kind.__name__]} if isinstance(message, Request) else {}
    values = {**name, **_plain(message)}
    return json.dumps(values, default=_plain, separators=(",", ":")).encode() + b"\n"


def _plain(value: Any) -> Any:
    """A value for which JSON has no form, as a value for which it has one."""
    if isinstance(value, bytes):
        return value.hex()
    if hasattr(value, "stored"):  # a TraceFault, whose module most workers do not import
        return value.stored
    return {field.name: getattr(value, field.name) for field in fields(value)}


def decode_request(line: str) -> Request[Any]:
    """Reads the request in a line that `encode` made."""
    values = json.loads(line)
    module, name = values.pop("request")
    request: Request[Any] = _typed(getattr(import_module(module), name), values)
    return request


def _typed(kind: Any, value: Any) -> Any:
    """A value of the type, from the JSON value that `encode` made of it."""
    of = get_args(kind)
    if value is not None and get_origin(kind) is UnionType:
        return _typed(of[0], value)
    if get_origin(kind) is tuple:
        return tuple(_typed(of[0], item) for item in value)
    if kind is bytes:
        return bytes.fromhex(value)
    if isinstance(kind, type) and is_dataclass(kind):
        types = _field_types(kind)
        return kind(**{name: _typed(types[name], item) for name, item in value.items()})
    return kind(value) if isinstance(kind, type) and issubclass(kind, Enum) else value


@cache
def _field_types(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)
