# SPDX-License-Identifier: Apache-2.0
"""The title of a page: the finding of a run in one line."""

from __future__ import annotations

from joulemark.analyse.results import ResultSet
from joulemark.report.answers import Answer, blocks, missing_words, opponents, tally
from joulemark.report.workload import algorithms, default_size

__all__ = ["headline"]


def headline(results: ResultSet) -> str:
    """Says who was compared with Joulemark, how that ended, and which libraries were not there.

    If Joulemark is alone, it counts what was measured.
    """
    names = algorithms(results.results)
    score = tally(results)
    if not score.total:
        return _measured(results)
    if len(names) > 1:
        others = opponents(results)
        against = f"the fastest of {', '.join(others)}" if len(others) > 1 else others[0]
        level = f", level in {score.tied}" if score.tied else ""
        comparisons = "1 comparison" if score.total == 1 else f"{score.total} comparisons"
        return (
            f"Joulemark against {against}: faster in {score.faster} of {comparisons}{level}"
            f"{missing_words(results)}"
        )
    size = default_size(results.results)
    answers = [answer for block in blocks(results, 1) for _, answer in block.rows]
    compared = [answer for answer in answers if answer.factor is not None]
    at_size = (
        answer for answer in compared if answer.ours is not None and answer.ours.size_bytes == size
    )
    answer = next(at_size, compared[0])
    others = sorted(answer.libraries)
    among = f"; compared: {', '.join(others)}" if len(others) > 1 else ""
    return f"{_compared(answer)}{among}{missing_words(results)}"


def _compared(answer: Answer) -> str:
    length = answer.length_text.replace(" ", "\N{NO-BREAK SPACE}")
    where = f"{answer.algorithm} at {length}"
    other = next(iter(answer.libraries))
    factor = answer.factor or 1.0
    if answer.tied:
        return f"{where}: Joulemark and {other} are level"
    if factor < 1:
        return f"{where}: {other} is {1 / factor:.2f} times as fast as Joulemark"
    return f"{where}: Joulemark is {factor:.2f} times as fast as {other}"


def _measured(results: ResultSet) -> str:
    names = algorithms(results.results)
    count = len({result.implementation for result in results.results})
    if not names:
        cores = len({core_report.core for core_report in results.core_reports})
        if cores and not results.failures:
            return f"{cores} hardware core{'s' if cores != 1 else ''}"
        return "Nothing was measured"
    of = names[0] if len(names) == 1 else f"{len(names)} algorithms"
    return f"{count} implementation{'s' if count != 1 else ''} of {of}"
