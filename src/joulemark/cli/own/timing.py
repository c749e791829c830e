# SPDX-License-Identifier: Apache-2.0
"""The body of `joulemark add`: times what was added beside ours."""

from __future__ import annotations

from typing import Final

import typer

from joulemark.cli.bench import measuring
from joulemark.cli.bench.bench import MeasureRequest
from joulemark.cli.endings import say
from joulemark.cli.own.add import FilesAdded
from joulemark.cli.own.add_tree import TreeAdded
from joulemark.measure.plan import Effort
from joulemark.measure.study import QUICK, Study

_FILE_SIZES: Final = (64, 1024, 16384)
_TREE_SIZES: Final = (64, 1536, 4096)
"""Lengths that eBACS's tables have."""
_FEW: Final = 12
"""Most implementations that get the rounds of a quick run; a larger number gets half of them."""


def carry_out(request: FilesAdded | TreeAdded) -> None:
    """Times what was added, and ends the command as it asks."""
    if isinstance(request, FilesAdded):
        _time_files(request)
        request.end()
    else:
        request.end(_time_tree(request))


def _time_files(files: FilesAdded) -> None:
    """Times functions in files; nothing of it goes to the store."""
    asked = files.asked
    names = (*(addition.name for addition in files.added), f"{asked.algorithm.id}/auto")
    measuring.carry_out(
        MeasureRequest(
            study=Study(patterns=names, sizes_bytes=_FILE_SIZES, effort=QUICK),
            store_location=None,
            fresh=True,
            hang_limit_s=asked.limit_s,
            kept_in=asked.folder,
        )
    )


def _time_tree(tree: TreeAdded) -> int | None:
    """Times what is right, into the store; returns the number of the run if JSON will name it."""
    names = tree.right
    ours = dict.fromkeys(f"{name.split('/')[0]}/auto" for name in names)
    effort = (
        QUICK
        if len(names) <= _FEW
        else Effort(
            rounds=QUICK.rounds // 2, window_ns=QUICK.window_ns, generations=QUICK.generations // 2
        )
    )
    request = MeasureRequest(
        study=Study(patterns=(*names, *ours), sizes_bytes=_TREE_SIZES, effort=effort),
        store_location=tree.ebacs.store,
        hang_limit_s=tree.limit_s,
        kept_in=tree.folder,
    )
    if tree.ebacs.as_json:
        _, outcome, _ = measuring.measure(request)
        return outcome.run_id
    try:
        measuring.carry_out(request)
    except typer.Exit:
        say("what failed while it was timed is named above; it stays until it is removed")
        raise
    return None
