# SPDX-License-Identifier: Apache-2.0
"""`make test` runs lint and tests, and fails if either does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PYTHON = """\
#!/bin/sh
echo "ran $*"
exit $TESTS_END
"""


@pytest.mark.parametrize(
    ("verb", "lint", "tests"),
    [
        *(("test", 0, 0), ("test", 1, 0), ("test", 0, 1), ("test", 0, 2)),
        *(("test-ci", 1, 0), ("test-all", 1, 0)),
    ],
)
def test_a_red_lint_hides_no_test(
    verb: str, lint: int, tests: int, repository: Path, tmp_path: Path
) -> None:
    """Both parts of the tests run whatever lint said, and the last line names a red lint.

    Tests that failed run once more; of those side by side not where pytest itself failed (2).
    """
    (tmp_path / "python").write_text(PYTHON)
    (tmp_path / "python").chmod(0o755)
    # This test may itself run below a make with other values of its variables.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    mark = f"LINT_FAILED={tmp_path / 'lint_failed'}"
    done = subprocess.run(
        ["make", "--no-print-directory", "--assume-old", "tools-ready", verb, mark,
         f"BIN={tmp_path}", f"MAKE={'false' if lint else 'true'}", f"PYTHON={sys.executable}"],
        cwd=repository, env={**kept, "TESTS_END": str(tests)}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    ran = [line for line in done.stdout.splitlines() if line.startswith("ran -m pytest -m")]
    again = [line for line in ran if "--last-failed" in line]
    assert (len(ran) - len(again), len(again)) == (2, {0: 0, 1: 2, 2: 1}[tests]), done.stderr
    assert ran[0].split("-m ")[2].startswith("timing")
    assert ran[-1].split("-m ")[2].startswith("not timing")
    assert (done.returncode != 0) == bool(lint or tests)
    assert done.stdout.splitlines()[-1].startswith("lint failed") == bool(lint)


def test_each_slow_test_is_there(repository: Path) -> None:
    """A test that was renamed would be in `make test` again, with all its seconds."""
    lines = (repository / "tests" / "slow.txt").read_text().splitlines()
    assert len(lines) == len(set(lines)) > 100
    texts: dict[str, str] = {}
    gone = []
    for path, _, name in (line.partition("::") for line in lines):
        if path not in texts:
            texts[path] = (repository / path).read_text() if (repository / path).exists() else ""
        if f"\ndef {name.partition('[')[0]}(" not in texts[path]:
            gone.append(f"{path}::{name}")
    assert not gone
