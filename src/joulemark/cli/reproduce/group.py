# SPDX-License-Identifier: Apache-2.0
"""`joulemark reproduce PAPER`: a paper's experiment here, beside what the paper printed."""

from __future__ import annotations

from typing import Any, Final, NoReturn

import typer

from joulemark.cli.lazy import Entry, LazyGroup
from joulemark.cli.shared.terminal import examples
from joulemark.errors import UsageError

__all__ = ["PAPERS", "register"]

PAPERS: Final = {
    "castellon2022": Entry(
        "joulemark.cli.reproduce.castellon2022",
        "HMAC-SHA-256 with its block order engineered: does it save energy on this machine?",
    ),
    "kaps2006": Entry(
        "joulemark.cli.reproduce.kaps2006",
        "Serial SHA-1 and AES-128 for microwatts: clocks, area, power, and energy of a packet.",
    ),
    "michail2005": Entry(
        "joulemark.cli.reproduce.michail2005",
        "A pipelined HMAC-SHA-256 with two rounds merged: throughput, area and power, "
        "part by part.",
    ),
}


class _Papers(LazyGroup):
    """A group whose commands are papers."""

    TABLE = PAPERS

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The study that was named.

        Raises:
            UsageError: there is none of that name.
        """
        if args and args[0] not in self.TABLE:
            self._refuse(args[0])
        return super().resolve_command(ctx, args)

    def _refuse(self, name: str) -> NoReturn:
        raise UsageError(f"no study of '{name}'; there is {', '.join(self.TABLE)}")


def register(app: typer.Typer) -> None:
    """Adds the command, with a subcommand for each paper."""
    papers = typer.Typer(
        name="reproduce",
        cls=_Papers,
        rich_markup_mode=None,
        no_args_is_help=True,
        help="Repeat a paper's experiment here: its figures beside ours, a verdict on each claim.",
        epilog=examples(
            "joulemark reproduce castellon2022",
            "joulemark reproduce michail2005 --no-fpga",
            "joulemark reproduce kaps2006 --hardware",
        ),
    )
    app.add_typer(papers)
