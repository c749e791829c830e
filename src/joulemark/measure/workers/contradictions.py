# SPDX-License-Identifier: Apache-2.0
"""Compares a plugin's table with the catalogue, before anything is planned with the plugin.

Otherwise a key, an output or a block of another length than the algorithm's would be found by a
check that cannot even begin, in the middle of a run that others share.
"""

from __future__ import annotations

from joulemark.catalogue.hmac_over import every_algorithm
from joulemark.records.implementation import ImplementationFacts
from joulemark.reference import fixed_key_bytes

__all__ = ["contradiction"]


def contradiction(facts: ImplementationFacts) -> str | None:
    """Why code with these facts cannot be run, as the end of a sentence; None if it can."""
    name = facts.implementation.split("/", 1)[0]
    algorithm = every_algorithm().get(name)
    if algorithm is None:
        return (
            f"'{name}' is not in the catalogue, so its output cannot be checked; "
            f"add catalogue/algorithms/{name}.toml and vectors"
        )
    if facts.kind != algorithm.kind:
        return f"its table calls {name} a {facts.kind}, which is a {algorithm.kind}"
    for what, found, right in (
        ("a block", facts.block_bytes, algorithm.block_bytes),
        ("an output", facts.output_bytes, algorithm.output_bytes),
    ):
        if found != right:
            return f"its table has {what} of {found} bytes, and {name} has {what} of {right}"
    return None if facts.kind == "hash" else _key_contradiction(name, facts)


def _key_contradiction(name: str, facts: ImplementationFacts) -> str | None:
    used, least, most = facts.key_bytes, facts.key_bytes_min, facts.key_bytes_max
    if used < least or (most is not None and used > most):
        return f"its table uses a key of {used} bytes, and takes {least} to {most}"
    fixed = fixed_key_bytes(name)
    if fixed is not None and used != fixed:
        return f"its table uses a key of {used} bytes, and {name} has keys of {fixed}"
    return None
