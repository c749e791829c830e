# SPDX-License-Identifier: Apache-2.0
"""Names and patterns of implementations: which of those known a user's patterns mean."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Sequence
from typing import Final

from joulemark.catalogue import (
    DERIVED_FAMILY,
    FAMILY,
    alternatives,
    hmacs_over_hashes,
    names_near,
    why_no_hmac,
)
from joulemark.errors import UsageError
from joulemark.foreign import did_you_mean

_AUTHOR_AND_YEAR: Final = re.compile(r"/[a-z]+(?:19|20)\d\d[_*]")


_SMALL_MACHINE: Final = re.compile(r"/mcu(?:8|32|[*?[])")


def base_name(implementation: str) -> str:
    """`hmac-sha256/shani#2` -> `hmac-sha256/shani`."""
    return implementation.split("#", 1)[0]


def twin_number(implementation: str) -> int:
    """Which copy of an implementation a name means: 1 unless it carries `#n`."""
    _, mark, number = implementation.partition("#")
    if not mark:
        return 1
    if not number.isdecimal() or int(number) < 1:
        raise UsageError(f"'{implementation}': a twin is written as NAME#2, NAME#3, ...")
    return int(number)


def is_specimen(implementation: str) -> bool:
    """Whether a variant is named after a publication, by author and year: `castellon2022_ecm_j8`.

    Such a variant is the code that the publication measured. It is kept for that study, nobody
    would choose it, and it runs only where a name or glob asks for that author and year.
    """
    return _AUTHOR_AND_YEAR.search(implementation) is not None


def is_for_small_machines(implementation: str) -> bool:
    """Whether a variant, or the pattern for one, is written for microcontrollers: `mcu8`, `mcu32`.

    The host runs it to check its vectors, not because anyone would choose it there; so the host
    lists and measures it only where a name or glob asks for it.
    """
    return _SMALL_MACHINE.search(implementation) is not None


def is_derived(implementation: str) -> bool:
    """Whether its algorithm is HMAC over a hash, with derived facts: `hmac-keccak-256/bmi2`."""
    return implementation.split("/", 1)[0] in hmacs_over_hashes()


def _asks_for(base: str, implementation: str) -> bool:
    """Whether a pattern names the implementation's algorithm, or the family of derived ones."""
    asked = base.split("/", 1)[0]
    return asked in {FAMILY + DERIVED_FAMILY, implementation.split("/", 1)[0]}


def select(
    patterns: Sequence[str], known: Iterable[str], *, small_machine: bool = False
) -> list[str]:
    """The implementations that the patterns name, in catalogue order, twins last.

    A pattern is an algorithm (`hmac-sha256`), an implementation (`hmac-sha256/shani`), a glob over
    either (`hmac-*`, `*/openssl_*`), or a family of algorithms (`family:sha3`, `family:sha3/bmi2`);
    `#2` after an implementation asks for a twin. Specimens must be named (`is_specimen`).
    So must HMAC over a hash for which the catalogue has none, or its family.

    Args:
        patterns: as above, at least one.
        known: names of implementations.
        small_machine: whether the target is a microcontroller; on other targets, variants for
            microcontrollers must be named too.
    """
    names = sorted(set(known))
    algorithms = {name.split("/", 1)[0] for name in names}
    chosen: dict[str, None] = {}
    for pattern in patterns:
        base = base_name(pattern)
        full, globs = base if "/" in base else f"{base}/*", alternatives(base)
        matched = [name for name in names if any(fnmatch.fnmatchcase(name, glob) for glob in globs)]
        # `auto` repeats another variant, so it is chosen only by name.
        matched = [name for name in matched if not name.endswith("/auto") or full.endswith("auto")]
        matched = [name for name in matched if not is_specimen(name) or is_specimen(full)]
        matched = [name for name in matched if not is_derived(name) or _asks_for(base, name)]
        if not small_machine and not is_for_small_machines(full):
            matched = [name for name in matched if not is_for_small_machines(name)]
        if not matched:
            algorithm = base.split("/", 1)[0]
            if base.startswith(FAMILY):
                raise UsageError(
                    f"'{base}': no algorithm of this family has such an implementation here "
                    f"(joulemark list {algorithm} lists what there is)"
                )
            if "/" in base and algorithm in algorithms:
                raise UsageError(
                    f"no implementation '{base}'{did_you_mean(base, names)} "
                    f"(joulemark show {algorithm} lists them)"
                )
            named = [name for name in algorithms if not is_derived(name)]
            hint = why_no_hmac(algorithm) or did_you_mean(base, named)
            raise UsageError(
                f"unknown algorithm '{base}'{hint or names_near(algorithm)} "
                "(joulemark list shows all)"
            )
        suffix = f"#{twin_number(pattern)}" if twin_number(pattern) > 1 else ""
        chosen.update(dict.fromkeys(name + suffix for name in matched))
    return sorted(chosen, key=lambda name: (twin_number(name), name))
