# SPDX-License-Identifier: Apache-2.0
"""Mixes of message lengths: their words, their shares, their order."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.errors import UsageError
from joulemark.measure.worker.trials import cycle_lengths, distinct_keys, message_starts
from joulemark.records.trial import IMIX, mean_bytes, mix_lengths, mix_title, parse_mix, parse_mixes


@pytest.mark.parametrize(
    ("text", "mix"),
    [
        ("imix", "imix"),
        (" IMIX ", "imix"),
        ("uniform:16-1500", "uniform:16-1500"),
        ("uniform:0-1KiB", "uniform:0-1024"),
    ],
)
def test_one_spelling(text: str, mix: str) -> None:
    """A mix has one name, however it is written, so that equal trials are found again."""
    assert parse_mix(text) == mix


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "give imix"),
        ("imx", "give imix"),
        ("uniform:16", "give imix"),
        ("uniform:64-64", "below the second"),
        ("uniform:1500-16", "below the second"),
        ("uniform:0-1GiB", "go up to 1 MiB"),
        ("uniform:a-b", "not a message size"),
    ],
)
def test_what_is_no_mix_is_refused(text: str, says: str) -> None:
    """The refusal says in one sentence what to write instead."""
    with pytest.raises(UsageError, match=says):
        parse_mix(text)


def test_lists_drop_repetitions() -> None:
    """Repetitions are dropped, and the order is kept."""
    assert parse_mixes("uniform:1-2,imix,IMIX") == ("uniform:1-2", "imix")


def test_titles() -> None:
    """Titles are the names of mixes in tables and charts."""
    assert mix_title("imix") == "IMIX"
    assert mix_title("uniform:16-1500") == "16 to 1500 B"


@settings(deadline=None)
@given(batch=st.integers(1, 300))
def test_imix_holds_its_shares(batch: int) -> None:
    """The cycle has whole batches, at least four, of exact shares; so has each batch of twelves."""
    lengths = mix_lengths("imix", batch)
    assert len(lengths) % batch == 0
    assert len(lengths) >= max(1000, 4 * batch)
    shares = {size: share * len(lengths) // 12 for size, share in IMIX.items()}
    assert Counter(lengths) == shares
    assert sum(lengths) / len(lengths) == mean_bytes("imix")
    if batch % 12 == 0:
        for at in range(0, len(lengths), batch):
            of_batch = Counter(lengths[at : at + batch])
            assert of_batch == {size: share * batch // 12 for size, share in IMIX.items()}


@settings(deadline=None)
@given(low=st.integers(0, 3000), span=st.integers(1, 3000), batch=st.integers(1, 200))
def test_uniform_is_even_and_its_mean_exact(low: int, span: int, batch: int) -> None:
    """Lengths fill their range evenly, both ends within it, with the exact mean."""
    mix = f"uniform:{low}-{low + span}"
    lengths = mix_lengths(mix, batch)
    assert len(lengths) % batch == 0
    assert min(lengths) >= low
    assert max(lengths) <= low + span
    assert sum(lengths) / len(lengths) == mean_bytes(mix)
    often = Counter(length // ((low + span) // 4 + 1) for length in lengths)
    if low == 0:
        assert max(often.values()) - min(often.values()) <= len(lengths) / 8 + len(lengths) / span


def test_order_is_shuffled_and_the_same_every_time() -> None:
    """The order is neither sorted nor periodic with a short period, and equal in every process."""
    lengths = mix_lengths("imix", 64)
    mix_lengths.cache_clear()
    assert mix_lengths("imix", 64) == lengths
    batches = {lengths[at : at + 64] for at in range(0, len(lengths), 64)}
    assert len(batches) == len(lengths) // 64
    for period in (1, 2, 3, 4, 12, 16, 64):
        same = sum(a == b for a, b in zip(lengths, lengths[period:], strict=False))
        assert same < 0.6 * len(lengths)


def test_one_length_is_a_cycle_of_one_batch() -> None:
    """Without a mix the smallest window is one batch of one length."""
    assert cycle_lengths(64, 3, "") == (64, 64, 64)
    assert cycle_lengths(354, 12, "imix") == mix_lengths("imix", 12)


def test_places_do_not_overlap() -> None:
    """Each message, even an empty message, starts on its own cache line."""
    assert message_starts([64, 65, 0, 1, 0, 64]) == [0, 64, 192, 256, 320, 384]
    assert message_starts([]) == []


def test_keys_are_distinct() -> None:
    """There are as many keys as asked for, all of one length, and the first is the given key."""
    key = bytes(range(16))
    keys = distinct_keys(key, 65536)
    assert keys[0] == key
    assert len(set(keys)) == 65536
    assert {len(block) for block in keys} == {16}
