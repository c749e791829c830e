# SPDX-License-Identifier: Apache-2.0
"""Libraries that a function can be taken from, each in two builds: software only, and assisted.

The builds of our kernels are variants: `portable`, and the variant that `auto` stands for. The
libraries of others choose by the CPU when they run, so both builds are one file: in the workers of
software alone a variable hides the instructions that a CPU may lack, those of AES, SHA and wide
vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from joulemark.measure.inventory import Inventory
from joulemark.studies.rashwan2012.findings import BUILDS, Build

OWN: Final = "joulemark"


@dataclass(frozen=True, slots=True)
class LibraryBuilds:
    """A library with its two builds."""

    title: str
    variant: str
    """The variant that is measured, in the call style that keeps a key; empty for our kernels."""
    variables: Mapping[str, str]
    """Environment variables of workers of software alone."""
    note: str
    """A sentence about the two builds."""

    def builds(self, algorithm: str, inventory: Inventory) -> dict[Build, str] | None:
        """Returns the implementations of an algorithm by build; None if a build is missing."""
        if self.variant:
            name = f"{algorithm}/{self.variant}"
            return dict.fromkeys(BUILDS, name) if name in inventory.facts else None
        auto = inventory.facts.get(f"{algorithm}/auto")
        portable = f"{algorithm}/portable"
        if auto is None or portable not in inventory.facts:
            return None
        return dict(zip(BUILDS, (portable, f"{algorithm}/{auto.chosen}"), strict=True))


LIBRARIES: Final[dict[str, LibraryBuilds]] = {
    OWN: LibraryBuilds(
        "our kernels",
        "",
        {},
        "software-only is our variant portable, hardware-assisted the variant that auto stands for "
        "here.",
    ),
    "openssl": LibraryBuilds(
        "OpenSSL",
        "openssl_mac_reinit",
        {"OPENSSL_ia32cap": "0:0"},
        "Both builds are the OpenSSL found here: as software alone with OPENSSL_ia32cap=0:0, by "
        "which it finds no instructions for AES or SHA and no vectors beyond SSE2.",
    ),
    "cryptopp": LibraryBuilds(
        "Crypto++",
        "cryptopp",
        {"JOULEMARK_SOFTWARE_ONLY": "1"},
        "Both builds are the Crypto++ found here, which the paper measured too: as software alone "
        "our provider sets its variables of CPU features to none beyond SSE2.",
    ),
}
"""Name on the command line -> library."""
