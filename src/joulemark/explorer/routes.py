# SPDX-License-Identifier: Apache-2.0
"""From an address to the page of its view; a new view is a line here."""

from __future__ import annotations

from joulemark.explorer.holdings import Holdings
from joulemark.explorer.page.blocks import Page
from joulemark.explorer.views.algorithms import algorithm, algorithms
from joulemark.explorer.views.changes import changes
from joulemark.explorer.views.compare import compare
from joulemark.explorer.views.cores import cores
from joulemark.explorer.views.figures import figures
from joulemark.explorer.views.history import history
from joulemark.explorer.views.home import home
from joulemark.explorer.views.machines import machine, machines
from joulemark.explorer.views.picks import Picks, Query, whole
from joulemark.explorer.views.run import run, run_algorithm
from joulemark.explorer.views.runs import runs
from joulemark.explorer.views.targets import targets

__all__ = ["page_at"]


def page_at(holdings: Holdings, path: tuple[str, ...], query: Query) -> Page | None:
    """The page of an address; None where there is no such view.

    Raises:
        UsageError: a value of the address makes no sense.
        StoreError: the store cannot be read.
    """
    match path:
        case () | ("index",):
            return home(holdings)
        case ("machines",):
            return machines(holdings)
        case ("machines", slug):
            return machine(holdings, slug)
        case ("runs",):
            return runs(holdings, query)
        case ("runs", number):
            return run(holdings, whole(number, "run"))
        case ("runs", number, name):
            return run_algorithm(holdings, whole(number, "run"), name, query)
        case ("algorithms",):
            return algorithms(holdings)
        case ("algorithms", name):
            return algorithm(holdings, name, query)
        case ("figures",):
            return figures(holdings, Picks.of(query))
        case ("compare",):
            return compare(holdings, query)
        case ("history",):
            return history(holdings, query)
        case ("targets",):
            return targets(holdings, query)
        case ("cores",):
            return cores(holdings, query)
        case ("changes",):
            return changes(holdings)
    return None
