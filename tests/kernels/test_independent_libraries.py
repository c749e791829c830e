# SPDX-License-Identifier: Apache-2.0
"""Our MACs beside independent code where `test_against_references.py` does not look.

That file compares every implementation of each MAC of the catalogue at every length. This file has
random nonces, HMAC over hashes without an HMAC in the catalogue, packages of PyPI with MACs that no
library for C has, and the page that says which library each MAC is compared with.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from joulemark.catalogue import algorithms, every_algorithm, hmacs_over_hashes
from joulemark.measure.inventory import Inventory
from joulemark.measure.pool import WorkerPool
from joulemark.measure.worker.messages import output_text
from joulemark.measure.worker.run_messages import ComputeOutputs, OutputCase
from joulemark.measure.worker.sources import installed_sources

SAMPLED = (0, 1, 7, 8, 15, 16, 17, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 777, 1024, 1025)
EVERY = range(1026)
LENGTHS = [
    pytest.param(SAMPLED, id="sampled"),
    pytest.param(EVERY, id="every", marks=pytest.mark.exhaustive),
]
TAKES_NO_EMPTY = ("ipsec_mb",)
ROW = re.compile(r"^\| `([a-z0-9-]+)` \| (.*) \|$", re.MULTILINE)
WITH_NONCE = {name for name, facts in algorithms().items() if facts.nonce_bytes}


def _aegis_128l(case: OutputCase) -> bytes:
    pyaegis = pytest.importorskip("pyaegis")
    mac = pyaegis.AegisMac128L(case.key, case.nonce, 16)
    mac.update(case.message)
    return bytes(mac.final())


def _aegis_256(case: OutputCase) -> bytes:
    pyaegis = pytest.importorskip("pyaegis")
    mac = pyaegis.AegisMac256(case.key, case.nonce, 32)
    mac.update(case.message)
    return bytes(mac.final())


def _ascon(variant: str) -> Callable[[OutputCase], bytes]:
    def tag(case: OutputCase) -> bytes:
        ascon = pytest.importorskip("ascon")
        return bytes(ascon.mac(case.key, case.message, variant, 16))

    return tag


def _blake3(case: OutputCase) -> bytes:
    blake3 = pytest.importorskip("blake3")
    return bytes(blake3.blake3(case.message, key=case.key).digest())


PACKAGES: dict[str, tuple[str, Callable[[OutputCase], bytes]]] = {
    "aegismac-128l": ("pyaegis", _aegis_128l),
    "aegismac-256": ("pyaegis", _aegis_256),
    "ascon-mac": ("ascon", _ascon("Ascon-Mac")),
    "ascon-prf": ("ascon", _ascon("Ascon-Prf")),
    "blake3-keyed": ("blake3", _blake3),
}
"""Package of PyPI and function for its tag, by algorithm; the tool for the page names them too."""


def random_cases(algorithm: str, lengths: tuple[int, ...] | range) -> list[OutputCase]:
    """A random key, nonce and message of each length."""
    chance = random.Random(algorithm)
    facts = every_algorithm()[algorithm]
    nonce_bytes = facts.nonce_bytes[0] if facts.nonce_bytes else 0
    return [
        OutputCase(
            chance.randbytes(facts.key_bytes[0]),
            chance.randbytes(length),
            nonce=chance.randbytes(nonce_bytes),
        )
        for length in lengths
    ]


def outputs(pool: WorkerPool, name: str, cases: list[OutputCase]) -> list[str | None]:
    """The outputs of an implementation; None for a length that it refuses."""
    return list(pool.ask(name, ComputeOutputs(name, tuple(cases)), limit_s=120).outputs)


def outside(inventory: Inventory) -> dict[str, dict[str, list[str]]]:
    """Implementations of outside libraries, as algorithm -> provider -> names."""
    found: dict[str, dict[str, list[str]]] = {}
    for name, facts in inventory.facts.items():
        if facts.kind == "mac" and facts.provider != "joulemark":
            of_algorithm = found.setdefault(name.partition("/")[0], {})
            of_algorithm.setdefault(facts.provider, []).append(name)
    return found


@pytest.mark.parametrize("lengths", LENGTHS)
def test_derived_hmacs_and_nonces_agree(
    lengths: tuple[int, ...] | range,
    inventory: Inventory,
    pool: WorkerPool,
    living: Callable[[str], bool],
) -> None:
    """Libraries agree on derived HMACs, and on every MAC with random nonces."""
    found = outside(inventory)
    compared = sorted((hmacs_over_hashes().keys() | WITH_NONCE) & found.keys())
    if not compared:
        pytest.skip("no outside library found; apt-get install libssl-dev nettle-dev")
    for algorithm in compared:
        cases = random_cases(algorithm, lengths)
        expected = outputs(pool, f"{algorithm}/portable", cases)
        for provider, names in found[algorithm].items():
            for name in filter(living, names):
                for case, ours, theirs in zip(
                    cases, expected, outputs(pool, name, cases), strict=True
                ):
                    refused = theirs is None and not case.message and provider in TAKES_NO_EMPTY
                    assert refused or ours == theirs, (name, len(case.message))


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("algorithm", sorted(PACKAGES))
def test_a_package_of_pypi_agrees(
    algorithm: str, lengths: tuple[int, ...] | range, pool: WorkerPool
) -> None:
    """The package is compared if no provider has the algorithm."""
    _, tag = PACKAGES[algorithm]
    cases = random_cases(algorithm, lengths)
    theirs = [output_text(tag(case)) for case in cases]
    assert outputs(pool, f"{algorithm}/portable", cases) == theirs


def test_the_page_names_every_library(inventory: Inventory, repository: Path) -> None:
    """Each MAC that a library has is a row; the text below the table names all other MACs."""
    page = (repository / "docs/reference/independent-libraries.md").read_text("utf-8")
    rows = {name: cell.split(", ") for name, cell in ROW.findall(page)}
    here = {
        installed_source.name
        for installed_source in installed_sources()
        if installed_source.unavailable is None
    }
    found = outside(inventory)
    lacks = [failure.implementation for failure in inventory.unavailable]
    macs = {name for name, facts in algorithms().items() if facts.kind == "mac"}
    for name, cell in rows.items():
        there = sorted(text for text in found.get(name, {}) if text != "blake3")
        # A version of a library may lack an algorithm that another version has.
        told = [
            entry
            for entry in cell
            if entry in there
            or (entry in here and not any(lack.startswith(f"{name}/{entry}") for lack in lacks))
        ]
        assert told == there, f"{name}: run tools/list_independent_libraries.py"
    assert {name: cell[-1].strip("*") for name, cell in rows.items() if cell[-1][0] == "*"} == {
        name: package for name, (package, _) in PACKAGES.items()
    }
    assert found.keys() - hmacs_over_hashes().keys() <= rows.keys()
    for name in (macs | hmacs_over_hashes().keys()) - rows.keys():
        assert f"`{name}`" in page, f"{name}: run tools/list_independent_libraries.py"
