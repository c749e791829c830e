# SPDX-License-Identifier: Apache-2.0
"""Rules that change how one command of a page runs, and words that several tables use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """What is different about one command of one page."""

    less: str = ""
    """Added in `make test`, where what is shown takes too long."""
    short: str = ""
    """Runs in its place in `make test`, where nothing that could be added makes it short."""
    late: str = ""
    """Why it runs in `make test-all` alone."""
    never: str = ""
    """Why it is not run."""
    instead: str = ""
    """Command that runs instead: the page's has a placeholder, or names a file of the reader."""
    more: str = ""
    """Added always; `why` says why."""
    why: str = ""
    needs: str = ""
    """Name of what must be on this machine (`page_places.PRESENT`)."""
    codes: frozenset[int] = frozenset({0})
    """Exit codes of which each is right."""
    says: tuple[str, ...] = ()
    """Pieces of what it prints, on either stream, where it ends with 0 or must not."""


QUICK = " --quick --rounds 2"
MINUTES = "minutes"
HALF_A_MINUTE = "half a minute"
LIKE = "another page has the like of it, and what it reads is made in make test-all alone"
TOOLS_OF_CORES = "minutes of simulation, synthesis, place and route"
AS_ROOT = "changes this machine, as root"
REFUSED = frozenset({2})
TWO = "joulemark bench hmac-sha256/portable hmac-sha256/shani"
