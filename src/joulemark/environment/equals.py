# SPDX-License-Identifier: Apache-2.0
"""Records of equal machines, told apart where a digest tells them apart.

Runs of older versions, and of containers, have no digest. They count with the other runs of the
same facts if all of these are of one machine; if these are of several, the machine is not known.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from joulemark.environment.facts import MACHINE_DIGEST, MACHINE_KEYS

_FACTS: Final = tuple(key for key in MACHINE_KEYS if key != MACHINE_DIGEST)


def facts_and_digest(environment: Mapping[str, Any]) -> tuple[str, str | None]:
    """Facts of a machine, as JSON, and the digest that tells it from its equals, if any.

    Args:
        environment: fields of `Environment`; any field may be missing.
    """
    known = {key: environment.get(key) for key in _FACTS}
    return json.dumps(known, sort_keys=True, default=str), environment.get(MACHINE_DIGEST)


def told_apart(records: Iterable[tuple[str, str | None]]) -> list[str]:
    """A text for each record, which is equal for records of one machine alone.

    The text is that of the facts; it ends with the digest where several machines have these facts.

    Args:
        records: facts and digest of each, as `facts_and_digest` returns them.
    """
    pairs = list(records)
    digests: dict[str, set[str]] = {}
    for facts, digest in pairs:
        if digest is not None:
            digests.setdefault(facts, set()).add(digest)
    return [
        f"{facts} {digest}" if digest is not None and len(digests[facts]) > 1 else facts
        for facts, digest in pairs
    ]
