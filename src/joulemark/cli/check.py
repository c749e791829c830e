# SPDX-License-Identifier: Apache-2.0
"""`joulemark check`: did it become slower? The answer is the exit code."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joulemark.cli.baseline import Measured, measured_in, read_baseline
from joulemark.cli.compare import print_common, print_comparisons
from joulemark.cli.options import (
    ALPHA_OPTION,
    DEFAULT_STORE,
    JSON_OPTION,
    RUN_OPTION,
    STORE_OPTION,
    THRESHOLD_OPTION,
)
from joulemark.cli.quantities import fraction
from joulemark.cli.stored import opened, run_in
from joulemark.cli.terminal import examples, heading, print_json
from joulemark.errors import UsageError

if TYPE_CHECKING:
    from joulemark.analyse.gate import GateOutcome

__all__ = ["check", "register"]

CHECK_VERSION = 2
"""Of the JSON that `check` prints."""

_EXIT_CODES = """\b
Exit codes:
  0  no trial is slower by more than the threshold
  1  some trial is slower by more than the threshold, or an implementation failed
  2  the command makes no sense, or a file cannot be read
  3  nothing was measured in both runs
  4  the environments differ, so that times cannot be compared
  5  no slow-down beyond the threshold is shown, and none can be excluded
"""


def register(app: typer.Typer) -> None:
    """Adds `check`."""
    app.command(
        epilog=_EXIT_CODES
        + "\n"
        + examples(
            "joulemark check --baseline 3",
            "joulemark check --baseline main.json --threshold 10%",
            "joulemark bench hmac-sha256 && joulemark check --baseline ci/baseline.json --json",
        )
    )(check)


def check(
    *,
    baseline: Annotated[
        str,
        typer.Option(
            metavar="RUN_OR_FILE",
            help="Number of a run in the store, or a file from 'joulemark export --raw'.",
            show_default=False,
        ),
    ],
    run: Annotated[int | None, RUN_OPTION] = None,
    threshold: Annotated[str, THRESHOLD_OPTION] = "5%",
    alpha: Annotated[float, ALPHA_OPTION] = 0.05,
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
    as_json: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """Check a run against a baseline, for continuous integration.

    Both must come from the same machine with the same settings. Run the benchmark with several
    generations of processes (the default), or noise will hide small slow-downs.
    """
    smallest = fraction(threshold, "--threshold")
    with opened(store) as found:
        new = measured_in(found, run_in(found, run).id)
        old = read_baseline(found, baseline)
    if old.name == new.name:
        raise UsageError(f"{old.name} cannot be its own baseline; name an older run")
    outcome = _judged(old, new, smallest, alpha)
    if as_json:
        print_json(_as_json(outcome, old, new))
    else:
        _print(outcome, old, new)
    raise typer.Exit(int(outcome.code))


def _judged(old: Measured, new: Measured, threshold: float, alpha: float) -> GateOutcome:
    from joulemark.analyse import gate  # noqa: PLC0415 - scipy is slow to import

    return gate.check(
        old.samples,
        new.samples,
        old.environment,
        new.environment,
        threshold=threshold,
        alpha=alpha,
        failed=new.failed,
    )


def _as_json(outcome: GateOutcome, old: Measured, new: Measured) -> dict[str, Any]:
    return {
        "schema_version": CHECK_VERSION,
        "code": int(outcome.code),
        "answer": outcome.code.name.lower().replace("_", " "),
        "baseline": old.name,
        "run": new.name,
        "reasons": list(outcome.reasons),
        "failures": list(new.failures),
        "environment_differences": {
            key: list(values) for key, values in outcome.environment_differences.items()
        },
        **asdict(outcome.runs),
    }


def _print(outcome: GateOutcome, old: Measured, new: Measured) -> None:
    heading(f"{new.name} against {old.name}: {outcome.code.name.lower().replace('_', ' ')}")
    for reason in outcome.reasons:
        typer.echo(f"  {reason}")
    for failure in new.failures:
        typer.echo(f"  {failure}")
    if outcome.runs.comparisons:
        typer.echo("")
        print_comparisons(outcome.runs.comparisons)
        print_common(outcome.runs)
