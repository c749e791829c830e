# SPDX-License-Identifier: Apache-2.0
"""Makes the folder in which a report's tools work, and deletes it when the report is done."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from joulemark.errors import ImplementationError


@contextmanager
def scratch_folder(keep: Path | None = None) -> Iterator[Path]:
    """A folder for the tools: `keep`, or a new folder that is deleted at the end.

    An error that names a log in a deleted folder tells instead how to keep the folder.
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
