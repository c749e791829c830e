# SPDX-License-Identifier: Apache-2.0
"""Names that a user's code may have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from joulemark.cli.own.own_options import kept_by_name, names_of_others
from joulemark.errors import UsageError
from joulemark.foreign.text import shortened
from joulemark.own_code.adding import CodeRequest
from joulemark.records import is_core

_VARIANT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,47}")


def require_variant(variant: str) -> None:
    """Refuses what cannot be the name of a variant."""
    if not _VARIANT.fullmatch(variant):
        raise UsageError(
            f"'{shortened(variant)}' cannot be the name of a variant: give with --name 1 to 48 "
            "letters, digits or . _ + -, a letter or a digit first"
        )


def refuse_taken(asked: Sequence[CodeRequest], *, replacing: bool) -> None:
    """Refuses names that other implementations have."""
    kept = kept_by_name(asked[0].folder)
    if not replacing and (before := next((wish for wish in asked if wish.name in kept), None)):
        raise UsageError(
            f"{before.name} was added already; --replace puts the new code in its place, --name "
            f"gives another name, joulemark remove {before.name} takes it away"
        )
    known = names_of_others(asked[0].folder)
    for wish in asked:
        if wish.name in known or is_core(wish.name):
            raise UsageError(
                f"{wish.algorithm.id} has an implementation {wish.variant} already, or the name is "
                "one of cores; give another with --name"
            )
