# SPDX-License-Identifier: Apache-2.0
"""Freezes a store of the present schema as `tests/data/store/schema_N.db.gz`.

Run once for each new schema, before it is released: `python tests/store/freeze.py`. A frozen file
is never made again; the tests open each file with every later Joulemark. It holds the records of
`filled_store.fill`, to which the records of a new schema are added first.
"""

from __future__ import annotations

import gzip
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from filled_store import fill

from joulemark.store.access import HEAD

FOLDER = Path(__file__).resolve().parent.parent / "data" / "store"


def main() -> None:
    """Write the file, unless it is there."""
    target = FOLDER / f"schema_{int(HEAD)}.db.gz"
    if target.exists():
        sys.exit(f"{target} is frozen already; a new schema needs a new number")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        fill(path)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("VACUUM")
        target.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    print(f"{target}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
