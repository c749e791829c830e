# SPDX-License-Identifier: Apache-2.0
"""Rules that change how one command of a page runs, and words that several tables use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """The differences in how one command of one page runs."""

    less: str = ""
    """Words added in `make test`, where the command takes too long as it stands."""
    short: str = ""
    """Command for `make test` if no added words make the page's command short."""
    late: str = ""
    """Why the command runs in `make test-all` alone."""
    never: str = ""
    """Why the command is not run."""
    instead: str = ""
    """Command that the test runs in place of the page's command; `why` has the reason."""
    more: str = ""
    """Words that are always added; `why` has the reason."""
    why: str = ""
    needs: str = ""
    """Name of a program or file that must be here (`page_places.PRESENT`)."""
    codes: frozenset[int] = frozenset({0})
    """Exit codes that are right."""
    says: tuple[str, ...] = ()
    """Pieces of the output, on either stream; compared if the exit code is 0 or 0 is not right."""


QUICK = " --quick --rounds 2"
MINUTES = "minutes"
HALF_A_MINUTE = "half a minute"
LIKE = "another page has the like of it, and what it reads is made in make test-all alone"
TOOLS_OF_CORES = "minutes of simulation, synthesis, place and route"
AS_ROOT = "changes this machine, as root"
REFUSED = frozenset({2})
TWO = "joulemark bench hmac-sha256/portable hmac-sha256/engine"
