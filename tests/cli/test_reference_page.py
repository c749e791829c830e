# SPDX-License-Identifier: Apache-2.0
"""`docs/reference/cli.md` agrees with the help texts."""

from __future__ import annotations

import os
import subprocess
import sys

from joulemark.cli.reference import WIDTH, reference_text


def test_the_page_is_up_to_date(repository):
    """The page is what `python -m joulemark.cli.reference docs/reference/cli.md` would write."""
    page = (repository / "docs" / "reference" / "cli.md").read_text("utf-8")
    assert page == reference_text()


def test_the_page_does_not_depend_on_the_terminal(tmp_path):
    """Width, colour and the user's own settings change nothing."""
    made = tmp_path / "cli.md"
    environment = {**os.environ, "COLUMNS": "40", "FORCE_COLOR": "1", "JOULEMARK_STORE": "/x.db"}
    command = [sys.executable, "-m", "joulemark.cli.reference", str(made)]
    subprocess.run(command, env=environment, check=True)
    assert made.read_text("utf-8") == reference_text()


def test_no_line_of_the_help_is_too_wide():
    """Help fits its width, except for a metavar that cannot be broken."""
    for line in reference_text().splitlines():
        assert len(line) <= WIDTH + 4, line
