# SPDX-License-Identifier: Apache-2.0
"""The options of `bench` about what is printed and written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from joulemark.cli.shared.measuring_options import ALL_OPTION, JSON_OPTION
from joulemark.cli.shared.report_file import require_writable
from joulemark.errors import UsageError


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """Forms of the results."""

    all_of_them: Annotated[bool, ALL_OPTION] = False
    json_: Annotated[bool, JSON_OPTION] = False
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV instead of a table.")] = False
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown instead of a table.")
    ] = False
    raw: Annotated[bool, typer.Option("--raw", help="With --json: every raw sample too.")] = False
    report: Annotated[Path | None, typer.Option(help="Also write this HTML page.")] = None

    def check(self) -> None:
        """Refuses options now, not after an hour of measuring.

        Raises:
            UsageError: two forms exclude one another, or the report could not be written.
        """
        if self.json_ + self.csv + self.markdown > 1:
            raise UsageError(
                "--json, --csv and --markdown exclude one another; name one, and use "
                "joulemark export for the others"
            )
        if self.report is not None:
            require_writable(self.report)

    @property
    def kind(self) -> str | None:
        """Name of an export format; None for a table."""
        asked = {"json": self.json_, "csv": self.csv, "markdown": self.markdown}
        return next((name for name, wanted in asked.items() if wanted), None)
