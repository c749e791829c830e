# SPDX-License-Identifier: Apache-2.0
"""A finding of the native check as a sentence: the input, and what was wrong with it."""

from __future__ import annotations

import re
from typing import Final

from joulemark.records.finding import Finding, Verdict
from joulemark.units import format_count

_SHOWN_BYTES = 16
_ONE_LENGTH: Final = re.compile(r"\blengths=([0-9a-f]+)(?:\*[0-9a-f]+)?(?: |$)")
"""Lengths of a case that are all the same."""


def case_words(line: str) -> str:
    """The input of a case that ended its process, from the line that `--replay` takes."""
    found = _ONE_LENGTH.search(line)
    return f"a message of {int(found[1], 16)} bytes" if found else "messages of several lengths"


def _ordinal(index: int) -> str:
    return ("first", "second", "third")[index] if index < 3 else f"{index + 1}th"


def _input_text(finding: Finding) -> str:
    """The input of a finding as the subject of a sentence."""
    size, call = finding.message_bytes, finding.call
    if finding.verdict is Verdict.REFUSED_KEY:
        return f"a key of {finding.key_bytes} bytes"
    where = "at the end of its memory"
    if finding.at is not None:
        where = f"at an address {finding.at} modulo 64"
    if call == "batch":
        number, count = finding.part + 1, finding.parts
        text = f"message {number} of a batch of {count}, of {size} bytes, {where}"
    elif call == "threads":
        text = f"a message of {size} bytes, while another thread uses another key,"
    elif call in ("stream", "abandon"):
        after = " after one that was abandoned" if call == "abandon" else ""
        pieces = format_count(finding.parts, "piece")
        turns = " beside another" if finding.keys > 1 else ""
        text = f"a stream of {size} bytes in {pieces}{after}{turns} {where}"
    else:
        text = f"a message of {size} bytes {where}"
        if call == "in-place":
            text += ", encrypted in place,"
        if finding.part:
            text = f"the {_ordinal(finding.part)} call, {text},"
        if call == "copy":
            text += " under a copied key"
    if finding.out:
        text += f" with its output at an address {finding.out} modulo 64"
    return text


def finding_sentence(finding: Finding) -> str:
    """The fault as a sentence, for the smallest input that shows it."""
    verdict, subject = finding.verdict, _input_text(finding)
    if verdict is Verdict.WRONG_OUTPUT:
        shown = 2 * _SHOWN_BYTES
        got, expected = finding.got, finding.expected
        dots = "..." if len(got) > shown else ""
        if got[:shown] == expected[:shown]:
            got, expected, dots = got[-shown:], expected[-shown:], " at its end"
        key = f" under a key of {finding.key_bytes} bytes" if finding.key_bytes else ""
        return f"{subject}{key} gives {got[:shown]}{dots}, not {expected[:shown]}{dots}"
    if verdict is Verdict.REFUSED_KEY:
        return f"{subject} is refused"
    if verdict is Verdict.REFUSED_MESSAGE:
        return f"{subject} is answered with an error"
    return f"it {verdict}: {subject}"
