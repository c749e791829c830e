# SPDX-License-Identifier: Apache-2.0
"""Verdicts on the claims for different answers of the machine."""

from __future__ import annotations

import re

import pytest
from made_findings import comparisons, findings, verdicts

from joulemark.studies.castellon2022.claims import HEADLINE, answers
from joulemark.studies.castellon2022.findings import ProgramComparison, visits
from joulemark.studies.castellon2022.paper import castellon2022, chunks_of
from joulemark.studies.castellon2022.savings import Growth
from joulemark.studies.castellon2022.study import _explained, _summary
from joulemark.studies.study import ClaimVerdict, Ground, JudgedClaim


def test_every_claim_is_judged() -> None:
    """Each claim of the file has an answer with a sentence of why, and no other claim has one."""
    found = findings(comparisons(0.0))
    judged = verdicts(found)
    assert set(answers(castellon2022(), found)) == {claim.id for claim in castellon2022().claims}
    assert all(judged_claim.why.endswith((".", "too small")) for judged_claim in judged.values())


def test_a_saving_as_published_holds() -> None:
    """With 13.5 % saved at every size, the ranges hold; no figure of the paper reaches 17 %."""
    found = verdicts(findings(comparisons(0.135)))
    held = {name for name in ("small", "large", "consistent") if found[name].verdict == "holds"}
    assert held == {"small", "large", "consistent"}
    assert found["headline"].verdict is ClaimVerdict.CONTRADICTED
    assert found["consistent"].ground is Ground.MODELLED, "energy that is judged by time"


def test_the_headline_is_held_to_the_paper_s_own_figures() -> None:
    """Whatever is saved here, the paper says 13.6 % in its figures, 13.5 and 14 % elsewhere."""
    claim = verdicts(findings(comparisons(0.18)))["headline"]
    assert (claim.verdict, claim.ground) == (ClaimVerdict.CONTRADICTED, Ground.PUBLISHED)
    for said in ("13.6 % less at most", "13.5 % in the introduction", "14.0 % in the conclusion"):
        assert said in claim.why


@pytest.mark.parametrize(
    ("at_768", "verdict"),
    [(0.11, ClaimVerdict.HOLDS), (0.05, ClaimVerdict.FAILS), (0.16, ClaimVerdict.FAILS)],
)
def test_the_exception_at_768_bytes(at_768: float, verdict: ClaimVerdict) -> None:
    """The saving is over 10 %, and less than the average of all sizes."""
    rows = [
        other if row.size_bytes == 768 else row
        for row, other in zip(comparisons(0.13), comparisons(at_768), strict=True)
    ]
    assert verdicts(findings(rows))["exception"].verdict is verdict


def test_a_saving_that_rests_on_the_filling_is_no_verdict() -> None:
    """Equal fillings save nothing, and copying saves 14.5 %: which the paper has is not known."""
    found = verdicts(findings(comparisons(-0.01, copied=0.145)))
    for name in ("consistent", "small", "large"):
        assert found[name].verdict is ClaimVerdict.UNTESTED, name
        assert "holds for 'O byte by byte, E copying whole chunks', and for no" in found[name].why
    assert "both copying whole chunks: 64 B 1.0 % more" in found["small"].why
    assert found["order"].verdict is ClaimVerdict.FAILS
    assert "in 0 of 14 cases" in found["order"].why


@pytest.mark.parametrize(
    ("copied", "said"),
    [
        (0.145, "15.3 to 15.4 % less, as much as the paper says or near it, without"),
        (0.02, "3.0 % less, which does not explain what the paper says."),
    ],
)
def test_the_summary_calls_no_small_saving_the_paper_s(copied: float, said: str) -> None:
    """What copying saves beside a program filled byte by byte, against 10 to 14 % of the paper."""
    found = findings(comparisons(0.01, copied=copied))
    base = {row.size_bytes: row.programs["standard"] for row in found.kernel}
    assert said in _summary(found.model_copy(update={"seconds": {"standard": base}}))


def test_a_saving_at_some_sizes_is_called_so() -> None:
    """One size of seven that reaches the paper's range does not speak for all."""
    assert _explained([0.05, 0.05, 0.11], 0.10).startswith(
        "as much as the paper says or near it at 1 of 3 sizes, and less at others"
    )
    assert _explained([0.11, 0.12], 0.10).startswith("as much as the paper says or near it, with")
    assert _explained([0.05], 0.10) == "which does not explain what the paper says."


def test_a_saving_with_every_filling_holds() -> None:
    """If the order itself saves, each filling shows it."""
    found = verdicts(findings(comparisons(0.135, 0.12, copied=0.001)))
    held = {name for name in ("consistent", "small", "order") if found[name].verdict == "holds"}
    assert held == {"consistent", "small", "order"}


def test_printed_joules_are_held_against_what_the_cpu_may_draw() -> None:
    """9600 µJ at 35 W are 274 µs; an HMAC of 2 µs is no part of that worth naming."""

    def taking(seconds: float) -> JudgedClaim:
        rows = [
            row.model_copy(
                update={
                    "programs": {
                        name: spread.model_copy(update={"median": seconds})
                        for name, spread in row.programs.items()
                    }
                }
            )
            for row in comparisons(0.0)
        ]
        return verdicts(findings(rows))["absolute"]

    claim = taking(2e-6)
    assert (claim.verdict, claim.ground) == (ClaimVerdict.FAILS, Ground.MODELLED)
    assert "274 µs" in claim.why
    assert "137 times" in claim.why
    assert taking(1e-4).verdict is ClaimVerdict.HOLDS


def test_what_is_wrong_on_paper_is_told_apart() -> None:
    """No machine decides about Algorithm 1 as printed, I = 8 and a growth of 100 %."""
    found = verdicts(findings(comparisons(0.0)))
    wrong = {
        name
        for name, judged_claim in found.items()
        if judged_claim.verdict is ClaimVerdict.CONTRADICTED
    }
    assert wrong == {"permutation", "parallel", "growth-engineered", "headline"}
    grounds = {name: found[name].ground for name in ("permutation", "parallel", "complexity")}
    assert grounds == {"permutation": Ground.PROVED, "parallel": Ground.COMPUTED,
                       "complexity": Ground.PROVED}  # fmt: skip


def test_a_loss_fails() -> None:
    """A program that takes 3 % more saves nothing anywhere."""
    found = verdicts(findings(comparisons(-0.03)))
    for name in ("small", "large", "consistent", "exception"):
        assert found[name].verdict is ClaimVerdict.FAILS, name
    assert "3.0 % more" in found["small"].why
    assert not any(re.search(r"-\d", judged_claim.why) for judged_claim in found.values())


def between(low: float, high: float, *sizes: int) -> list[ProgramComparison]:
    """Savings whose intervals have these ends, at some sizes; 13 % less at the others."""
    return [
        row.model_copy(
            update={"saving": row.saving.model_copy(update={"low": low, "high": high})}
        )
        if not sizes or row.size_bytes in sizes
        else row
        for row in comparisons(0.13)
    ]  # fmt: skip


@pytest.mark.parametrize("claim", ["small", "large", "consistent", "exception"])
def test_noise_is_no_verdict(claim: str) -> None:
    """Where the interval holds both no saving and the published one, nothing is claimed."""
    found = verdicts(findings(between(-0.01, 0.36)))
    assert found[claim].verdict is ClaimVerdict.UNTESTED
    assert found[claim].why.endswith("The intervals are too wide to tell.")


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.001, 0.36, ClaimVerdict.HOLDS),
        (-0.02, 0.02, ClaimVerdict.UNTESTED),
        (-0.02, 0.009, ClaimVerdict.FAILS),
        (-0.03, -0.01, ClaimVerdict.FAILS),
    ],
)
def test_one_size_without_a_saving_refutes_a_saving_at_every_size(
    low: float, high: float, verdict: ClaimVerdict
) -> None:
    """A saving that may be none is open, and one that is shown not to matter is none."""
    assert verdicts(findings(between(low, high, 256)))["consistent"].verdict is verdict


def test_a_saving_is_below_the_average_by_its_whole_interval() -> None:
    """At 768 bytes 10 to 30 % may be more than the 13 % of the others, or less."""
    found = verdicts(findings(between(0.10, 0.30, 768)))
    assert found["exception"].verdict is ClaimVerdict.UNTESTED


def test_a_meter_decides_over_time() -> None:
    """Joules are believed where there are any: time says a loss, energy a saving."""
    found = verdicts(findings(comparisons(-0.03), energy=comparisons(0.135)))
    assert found["small"].verdict is ClaimVerdict.HOLDS
    assert found["small"].why.startswith(
        "Judged by energy (simulated), E costs beside O: both filled"
    )
    assert found["small"].ground is Ground.SIMULATED


@pytest.mark.parametrize(
    ("order", "verdict"),
    [(0.0, ClaimVerdict.FAILS), (0.03, ClaimVerdict.HOLDS), (-0.03, ClaimVerdict.HOLDS)],
)
def test_the_order_is_judged_against_its_control(order: float, verdict: ClaimVerdict) -> None:
    """Jump 8 beside jump 1 decides, however much both save beside the standard program."""
    assert verdicts(findings(comparisons(0.13, order)))["order"].verdict is verdict


def test_an_order_that_noise_hides_is_not_judged() -> None:
    """Intervals wider than what matters show neither an effect nor that there is none."""
    found = verdicts(findings(comparisons(0.13), kernel=comparisons(0.13, 0.0, noise=0.2)))
    assert found["order"].verdict is ClaimVerdict.UNTESTED


def test_growth_is_that_of_the_figures() -> None:
    """From 64 + 64 to 64 + 1024 is 750 % more; the paper's figures give 77.4 % and 79.3 %."""
    found = verdicts(findings(comparisons(0.0)))
    assert found["growth-standard"].verdict is ClaimVerdict.FAILS
    assert "grows by 750.0 % [749.0 %, 751.0 %]" in found["growth-standard"].why
    assert "79.3 %" in found["growth-standard"].why
    assert "77.4 %" in found["growth-engineered"].why


def test_a_growth_between_what_is_said_and_what_is_printed_holds() -> None:
    """75 % in words, 79.3 % by the figures: 77 % is neither more nor less."""
    found = verdicts(findings(comparisons(0.0), grown=0.77))
    assert found["growth-standard"].verdict is ClaimVerdict.HOLDS
    assert found["growth-engineered"].verdict is ClaimVerdict.CONTRADICTED


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (-0.5, 90.0, ClaimVerdict.UNTESTED),
        (0.60, 0.80, ClaimVerdict.UNTESTED),
        (0.72, 0.83, ClaimVerdict.HOLDS),
        (0.86, 90.0, ClaimVerdict.FAILS),
    ],
)
def test_a_growth_is_about_a_number_by_its_whole_interval(
    low: float, high: float, verdict: ClaimVerdict
) -> None:
    """Within 5 points of 75 to 79.3 %; the wider the interval the less is known."""
    found = findings(comparisons(0.0))
    grown = dict.fromkeys(found.growth, Growth(median=0.8, low=low, high=high))
    claim = verdicts(found.model_copy(update={"growth": grown}))["growth-standard"]
    assert claim.verdict is verdict


def test_without_memory_the_reason_is_given() -> None:
    """The claim about banks repeats why the part is missing."""
    claim = verdicts(findings(comparisons(0.0)))["memory"]
    assert (claim.verdict, claim.why) == (ClaimVerdict.UNTESTED, "too small")


def test_memory_is_compared_between_orders() -> None:
    """Same bank beside row by row: reading 50 % more, hashing 2 % more."""

    def series(read: float, hashed: float) -> dict[str, list[float]]:
        return {"read": [read] * 8, **dict.fromkeys(("standard", "ecm_j1", "ecm_j8"), [hashed] * 8)}

    orders = {"sequential": series(1, 100), "row by row": series(2, 100),
              "same bank": series(3, 102), "random": series(3, 103)}  # fmt: skip
    found = findings(comparisons(0.0)).model_copy(update={"memory": visits({"64": orders})})
    why = verdicts(found)["memory"].why
    assert "reading costs 50.0 % more, and HMAC 2.0 % more" in why


def test_the_paper_s_jump_is_not_parallel_in_its_own_model() -> None:
    """At no size of the paper does jump 8 reach I = 8."""
    claim = verdicts(findings(comparisons(0.0)))["parallel"]
    assert claim.verdict is ClaimVerdict.CONTRADICTED
    assert "I = 8 needs 64 chunks" in claim.why


def test_chunks_include_padding() -> None:
    """55 bytes and 9 of padding are one chunk; 56 are two; 1024 are seventeen."""
    assert [chunks_of(size, 64) for size in (0, 55, 56, 1024)] == [1, 1, 2, 17]


def test_the_facts_agree_with_themselves() -> None:
    """The headline is the file's; published energies give 12.7 and 13.6 %, within its ranges."""
    paper = castellon2022()
    assert paper.saving_of("up to").high == HEADLINE
    assert [round(published_energy.saving, 3) for published_energy in paper.published_energy] == [
        0.127,
        0.136,
    ]
    for published_energy in paper.published_energy:
        for size in published_energy.sizes_bytes:
            stated = paper.saving_at(size)
            assert stated.low <= published_energy.saving <= stated.high
    facts = paper.experiment
    sizes = facts.small_sizes_bytes + facts.large_sizes_bytes + facts.exception_sizes_bytes
    assert sorted(sizes) == facts.sizes_bytes
