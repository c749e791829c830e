# SPDX-License-Identifier: Apache-2.0
"""The results of a stored run, estimated from its samples, for commands that write them down."""

from __future__ import annotations

from joulemark.analyse.assemble import cores_alone, result_set
from joulemark.analyse.results import ResultSet
from joulemark.cli.shared.stored import opened, run_in


def stored_results(location: str, number: int | None, *, raw: bool) -> ResultSet:
    """Results of one run; reports of cores alone where the store holds nothing else.

    Args:
        location: of the store.
        number: of the run; the latest unless given.
        raw: whether every sample is wanted too.
    """
    with opened(location) as store:
        if number is None and store.latest_run() is None and store.core_reports():
            return cores_alone(store)
        return result_set(store, run_in(store, number).id, raw=raw)
