# SPDX-License-Identifier: Apache-2.0
"""The folder that a report's tools work in, which goes when the report is done."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from joulemark.errors import ImplementationError

__all__ = ["scratch_folder"]

_PREFIX = "joulemark-core-"
_LOG = re.compile(rf"[;,]? see \S*{_PREFIX}\S+")


@contextmanager
def scratch_folder(keep: Path | None = None) -> Iterator[Path]:
    """A folder for the tools: the one to keep, or a new one that is deleted at the end.

    A refusal that points at a log in a folder that is deleted says how to keep it instead.
    """
    if keep is not None:
        yield keep.resolve()
        return
    try:
        with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder:
            yield Path(folder)
    except ImplementationError as error:
        text = _LOG.sub("; core report --keep DIR leaves the log", str(error))
        raise type(error)(text) from error
