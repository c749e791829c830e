# SPDX-License-Identifier: Apache-2.0
"""The page of an address; a new view is a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.views.budget import budget
from joulemark.explorer.views.compare import compare
from joulemark.explorer.views.cores import cores
from joulemark.explorer.views.figures import algorithm, algorithms, figures
from joulemark.explorer.views.history import changes, history
from joulemark.explorer.views.machines import home, machine, machines
from joulemark.explorer.views.page import Page, Picks, Query, whole
from joulemark.explorer.views.runs import run, run_algorithm, runs
from joulemark.explorer.views.targets import targets

_LISTS: Final[Mapping[str, Callable[[Holdings, Query], Page]]] = {
    "": lambda holdings, _: home(holdings),
    "index": lambda holdings, _: home(holdings),
    "machines": lambda holdings, _: machines(holdings),
    "runs": runs,
    "algorithms": lambda holdings, _: algorithms(holdings),
    "figures": lambda holdings, query: figures(holdings, Picks.of(query)),
    "compare": compare,
    "history": history,
    "targets": targets,
    "cores": cores,
    "budget": budget,
    "changes": lambda holdings, _: changes(holdings),
}
"""First segment -> view, of an address without another segment."""
_THINGS: Final[Mapping[str, Callable[[Holdings, str, Query], Page | None]]] = {
    "machines": lambda holdings, slug, _: machine(holdings, slug),
    "runs": lambda holdings, number, _: run(holdings, whole(number, "run")),
    "algorithms": algorithm,
}
"""First segment -> view, of an address whose second segment names a thing."""


def page_at(holdings: Holdings, path: tuple[str, ...], query: Query) -> Page | None:
    """The page of an address; None if there is no such view or thing."""
    first, *names = path or ("",)
    if not names and first in _LISTS:
        return _LISTS[first](holdings, query)
    if len(names) == 1 and first in _THINGS:
        return _THINGS[first](holdings, names[0], query)
    if len(names) == 2 and first == "runs":
        return run_algorithm(holdings, whole(names[0], "run"), names[1], query)
    return None
