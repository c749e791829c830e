# SPDX-License-Identifier: Apache-2.0
"""How the study writes shares of a cost: "2.9 % more", never "saves -2.9 %"."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.studies.castellon2022.savings import Saving

__all__ = ["amount", "change", "extremes", "interval", "percent"]


def percent(share: float) -> str:
    """Writes a share in percent with one decimal, as in "2.3 %"."""
    return f"{100 * share:.1f} %"


def change(saved: float) -> str:
    """Writes a saved share of a cost, as in "2.3 % less", "2.9 % more" or "the same"."""
    return amount(saved, percent(abs(saved)), nothing=percent(0.0))


def amount(saved: float, text: str, *, nothing: str = "") -> str:
    """Writes an amount without a sign, and whether it is less or more."""
    if text == nothing:
        return "the same"
    return f"{text} {'less' if saved > 0 else 'more'}"


def _between(low: float, high: float) -> str:
    """Writes two saved shares: "1.8 to 2.9 % more", or "1.2 % more to 0.3 % less"."""
    texts = [change(low), change(high)]
    if texts[0] == texts[1]:
        return texts[0]
    words = {text.rsplit(" ", 1)[-1] for text in texts}
    if len(words) > 1:
        return " to ".join(texts)
    near, far = sorted((low, high), key=abs)
    return f"{100 * abs(near):.1f} to {change(far)}"


def interval(saving: Saving) -> str:
    """Writes a saving and its interval, as in "2.3 % less [2.1 to 2.4 % less]"."""
    return f"{change(saving.median)} [{_between(saving.low, saving.high)}]"


def extremes(shares: Sequence[float]) -> str:
    """Writes the least and the greatest of several saved shares."""
    return _between(min(shares), max(shares))
