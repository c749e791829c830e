# SPDX-License-Identifier: Apache-2.0
"""The choice of a MAC among made-up results: which algorithms fall out, and how the rest rank."""

from __future__ import annotations

from typing import Any

import pytest
from choice_results import SIZE_BYTES, figure, result

from joulemark.analyse import Result
from joulemark.analyse.choice import Accepted, Choice, Order, Requirements, choose
from joulemark.catalogue import algorithms


def chosen(*results: Result, **requirements: Any) -> Choice:
    """The choice among the results of one run."""
    wanted = Requirements(**({"size_bytes": SIZE_BYTES} | requirements))
    return choose([(1, shown_result) for shown_result in results], algorithms(), wanted)


def names(choice: Choice) -> list[str]:
    """Implementations in the order of the ranking."""
    return [candidate.result.implementation for candidate in choice.ranking]


def test_the_cheapest_is_first_and_the_best_of_each_is_told() -> None:
    """All candidates are ranked, and the best of each algorithm is listed."""
    found = chosen(
        result("hmac-sha256/portable", 600), result("cmac-aes128/aesni", 57),
        result("hmac-sha256/shani", 110),
    )  # fmt: skip
    assert names(found) == ["cmac-aes128/aesni", "hmac-sha256/shani", "hmac-sha256/portable"]
    best = [candidate.result.implementation for candidate in found.best_of_each]
    assert best == ["cmac-aes128/aesni", "hmac-sha256/shani"]


@pytest.mark.parametrize(("name", "requirements", "reason"), [
    ("hmac-md5/portable", {}, "status legacy"),
    ("siphash-2-4/portable", {"tag_bits": 96}, "tag of 64 bits"),
    ("poly1305/portable", {}, "a key is for one message alone"),
])  # fmt: skip
def test_an_algorithm_falls_out_with_its_reason(
    name: str, requirements: dict[str, Any], reason: str
) -> None:
    """A fast algorithm falls out too if it does not meet a requirement."""
    found = chosen(result(name, 1), result("hmac-sha256/shani", 110), **requirements)
    assert names(found) == ["hmac-sha256/shani"]
    (why,) = [
        fallen_out.reason
        for fallen_out in found.fallen_out
        if name.partition("/")[0] in fallen_out.algorithms
    ]
    assert why == reason


def test_reasons_go_by_their_numbers() -> None:
    """The weakest algorithms come first, and 102 bits after 90."""
    found = chosen(result("hmac-sha256/shani", 110), security_bits=128)
    claims = [each.reason for each in found.fallen_out if each.reason.startswith("claims ")]
    bits = [int(reason.split()[1]) for reason in claims]
    assert len(bits) > 4
    assert bits == sorted(bits)


def test_the_status_that_is_accepted_can_be_widened() -> None:
    """Legacy algorithms are ranked if the caller accepts their status."""
    slow = result("hmac-sha256/shani", 110)
    assert names(chosen(slow, result("hmac-sha1/shani", 90), status=Accepted.LEGACY)) == [
        "hmac-sha1/shani", "hmac-sha256/shani",
    ]  # fmt: skip


def test_a_tag_of_exactly_the_bits_is_enough() -> None:
    """A tag of 64 bits meets a requirement of 64 bits, but not of 65."""
    assert names(chosen(result("siphash-2-4/portable", 30), tag_bits=64))
    assert not names(chosen(result("siphash-2-4/portable", 30), tag_bits=65))


@pytest.mark.parametrize("changes", [
    {"size_bytes": 65}, {"mode": "latency"}, {"cache": "cold"}, {"key_setup": "fresh"},
    {"mix": "imix"}, {"target": "rtl:verilator"}, {"chosen": "shani"},
    {"seconds_per_message": None}, {"implementation": "hmac-sha256/shani#2"},
    {"batch": 8, "batch_calls": True},
    {"batch": 16, "batch_calls": True, "key_setup": "distinct"},
    {"batch": 8, "batch_calls": False, "key_setup": "distinct"},
], ids=str)  # fmt: skip
def test_other_workloads_are_not_candidates(changes: dict[str, Any]) -> None:
    """Nor are batches of one key, of more messages than sessions, or taken message by message."""
    found = chosen(result("hmac-sha256/shani", 1, **changes), sessions=8)
    assert names(found) == []
    assert "hmac-sha256" in found.not_measured


def test_batches_of_as_many_sessions_are_candidates() -> None:
    """A batch and single messages of one implementation are two candidates."""
    together = {"batch": 8, "batch_calls": True, "key_setup": "distinct"}
    found = chosen(
        result("hmac-sha256/x8", 40, **together), result("hmac-sha256/x8", 300), sessions=8
    )
    assert [candidate.result.batch for candidate in found.ranking] == [8, 1]


def test_the_newest_run_counts() -> None:
    """Of several results of one candidate the first, which is the newest, is ranked."""
    runs = [(7, result("hmac-sha256/shani", 130)), (3, result("hmac-sha256/shani", 100))]
    (only,) = choose(runs, algorithms(), Requirements(SIZE_BYTES)).ranking
    assert only.run == 7


def test_energy_ranks_by_joules() -> None:
    """The times do not matter; a result without joules is no candidate."""
    found = chosen(
        result("hmac-sha256/shani", 100, joules_per_message=figure(2e-6)),
        result("cmac-aes128/aesni", 900, joules_per_message=figure(1e-6)),
        result("siphash-2-4/portable", 30),
        order=Order.ENERGY,
    )
    assert names(found) == ["cmac-aes128/aesni", "hmac-sha256/shani"]
    assert "siphash-2-4" in found.not_measured


def test_a_hash_is_no_candidate() -> None:
    """A hash makes no tags."""
    found = chosen(result("sha256/shani", 1))
    assert not found.ranking
    assert "sha256" not in found.not_measured
