# SPDX-License-Identifier: Apache-2.0
"""The judging that every study shares, by a paper that is made up."""

from __future__ import annotations

import pytest

from joulemark.studies.outcome import Ground, Verdict, either, not_tested
from joulemark.studies.papers import Claim, Paper
from joulemark.studies.study import judge

PAPER = Paper(
    id="nobody1999",
    title="made up",
    references=["nobody1999"],
    claims=[Claim(id=one, place="abstract", text=f"{one}.") for one in ("second", "first")],
)


def test_claims_are_judged_in_the_order_of_the_paper() -> None:
    """An answer for no claim of the paper is not asked."""
    judged = judge(
        PAPER,
        {
            "first": lambda: either(Ground.PROVED, "It is so.", holds=True),
            "second": lambda: not_tested("No time."),
            "third": lambda: pytest.fail("the paper has no such claim"),
        },
    )
    assert [(one.id, one.verdict) for one in judged] == [
        ("second", Verdict.UNTESTED),
        ("first", Verdict.HOLDS),
    ]
    assert (judged[1].text, judged[1].place, judged[1].why) == ("first.", "abstract", "It is so.")


def test_a_claim_without_an_answer_is_our_fault() -> None:
    """No claim is left out in silence."""
    with pytest.raises(KeyError, match="first"):
        judge(PAPER, {"second": lambda: not_tested("No time.")})
