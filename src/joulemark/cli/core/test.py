# SPDX-License-Identifier: Apache-2.0
"""`joulemark core test`: lint, the core's own tests, and what its manifest promises."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from joulemark.cli.core.core_options import KEEP_OPTION, CoreChoice
from joulemark.cli.core.json_file import JSON_OPTION, on_output, require_writable_json, write_json
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.terminal import columns, heading
from joulemark.hardware.cores import scratch_folder, text_of
from joulemark.hardware.flow.testing import CheckOutcome, check_core

TEST_VERSION = 1
"""Version of the JSON that `core test` writes."""
EXIT_FAILED = 1

_EXIT_CODES = """\b
Exit codes:
  0    everything passed
  1    a check failed
  2    refused

"""


def check(
    *,
    choice: CoreChoice,
    json_: Annotated[Path | None, JSON_OPTION] = None,
    keep: Annotated[Path | None, KEEP_OPTION] = None,
) -> None:
    """Lint a core, run its own tests, and hold its results and clocks to what it promises."""
    found, parameters = choice.core_and_parameters()
    require_writable_json(json_)
    with scratch_folder(keep) as work:
        checks = check_core(found, parameters, work)
    passed = all(verdict.passed for verdict in checks)
    if json_ is not None:
        rows: list[dict[str, Any]] = [
            {
                "check": verdict.name,
                "passed": verdict.passed,
                "note": verdict.note,
                "remark": verdict.remark,
            }
            for verdict in checks
        ]
        write_json(
            json_,
            {
                "schema_version": TEST_VERSION,
                "core": found.name,
                "parameters": parameters,
                "passed": passed,
                "checks": rows,
            },
        )
    if not on_output(json_):
        heading(f"{found.name}, {text_of(parameters)}")
        columns(
            [(_verdict(verdict), verdict.name, verdict.remark) for verdict in checks], prose=(2,)
        )
    if not passed:
        raise typer.Exit(EXIT_FAILED)


def _verdict(verdict: CheckOutcome) -> str:
    if verdict.note:
        return "note"
    return "ok" if verdict.passed else "FAILED"


COMMAND: Final = Command(
    check,
    (
        "joulemark core test siphash",
        "joulemark core test siphash --param ROUNDS=4",
        "joulemark core test mine/my_core.toml",
    ),
    notes=(_EXIT_CODES,),
    options_once=True,
)
