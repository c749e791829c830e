# SPDX-License-Identifier: Apache-2.0
"""The folder that a report's tools work in, which goes when the report is done."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from joulemark.errors import ImplementationError

__all__ = ["scratch_folder"]


@contextmanager
def scratch_folder(keep: Path | None = None) -> Iterator[Path]:
    """A folder for the tools: the one to keep, or a new one that is deleted at the end.

    A refusal that points at a log in a folder that is deleted says how to keep it instead.
    """
    if keep is not None:
        yield keep.resolve()
        return
    try:
        with tempfile.TemporaryDirectory(prefix="joulemark-core-") as folder:
            yield Path(folder)
    except ImplementationError as error:
        if error.log is None:
            raise
        text = f"{error.without_log}; core report --keep DIR leaves the log"
        raise type(error)(text) from error
