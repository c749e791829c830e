# SPDX-License-Identifier: Apache-2.0
"""Correct before fast: the outputs that an implementation must give before and after it is timed.

Expected outputs come from the published vectors and from `joulemark.reference`, which shares no
code with any kernel. The expected outputs of messages that together are longer than REFERENCE_BYTES
come from our portable kernel, since a readable reference would take minutes; that kernel is itself
held to the reference up to that length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from joulemark import _core
from joulemark.catalogue import every_algorithm
from joulemark.catalogue.vectors import vectors
from joulemark.errors import UncheckedError, WrongOutputError
from joulemark.measure.worker.messages import output_text
from joulemark.measure.worker.run_messages import OutputCase
from joulemark.measure.worker.trials import (
    cycle_lengths,
    distinct_keys,
    message_starts,
    portable_kernel,
)
from joulemark.records import Finding, FindingKind, ImplementationFacts
from joulemark.records.trial import KeySetup, Workload
from joulemark.reference import in_hashlib, key_zero, reference_output
from joulemark.units import format_count

# A finding of the native check as a sentence: the input, and what was wrong with it.

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
    if finding.verdict is FindingKind.REFUSED_KEY:
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
    if verdict is FindingKind.WRONG_OUTPUT:
        shown = 2 * _SHOWN_BYTES
        got, expected = finding.got, finding.expected
        dots = "..." if len(got) > shown else ""
        if got[:shown] == expected[:shown]:
            got, expected, dots = got[-shown:], expected[-shown:], " at its end"
        key = f" under a key of {finding.key_bytes} bytes" if finding.key_bytes else ""
        return f"{subject}{key} gives {got[:shown]}{dots}, not {expected[:shown]}{dots}"
    if verdict is FindingKind.REFUSED_KEY:
        return f"{subject} is refused"
    if verdict is FindingKind.REFUSED_MESSAGE:
        return f"{subject} is answered with an error"
    return f"it {verdict}: {subject}"


REFERENCE_BYTES = 1 << 16
_LENGTHS = (*range(131), 255, 256, 257, 1000, 1023, 1024, 1025)
"""All lengths near the block edges of all algorithms, and some longer ones."""

Ask = Callable[[Sequence[OutputCase]], Sequence[str | None]]
"""Cases -> outputs, from the worker that runs the implementation; None if the implementation
refuses messages of that length."""
AskBatches = Callable[[bytes, Sequence[Sequence[int]]], Sequence[str | None]]
"""First key, lengths of each batch -> outputs of each batch together; None if it is refused."""


def trial_key(facts: ImplementationFacts) -> bytes:
    """The key of every trial of an implementation: fixed, without equal bytes in a row."""
    return key_zero(facts.key_bytes)


def _reference(algorithm: str, key: bytes, message: bytes) -> bytes:
    """The output of the reference, which encrypts each block of a cipher by itself."""
    facts = every_algorithm()[algorithm]
    if facts.kind != "cipher":
        return reference_output(algorithm, key, message, block_bytes=facts.block_bytes)
    size = facts.block_bytes
    blocks = (message[at : at + size] for at in range(0, len(message), size))
    return b"".join(reference_output(algorithm, key, block) for block in blocks)


@cache
def expected_output(algorithm: str, key: bytes, size_bytes: int) -> str:
    """The right output of the harness's first message of this size, as `output_text` writes it."""
    message = _core.message(size_bytes)
    return output_text(_expected(algorithm, key, message, trusted=size_bytes <= REFERENCE_BYTES))


def _expected(algorithm: str, key: bytes, message: bytes, *, trusted: bool) -> bytes:
    """The output of the reference, if that is fast or `trusted`, or else of our portable kernel."""
    if in_hashlib(algorithm) or trusted:
        return _reference(algorithm, key, message)
    own = portable_kernel(algorithm)
    if own is None:
        raise UncheckedError(
            f"no reference for '{algorithm}' at {len(message)} bytes; at most "
            f"{REFERENCE_BYTES} bytes can be checked"
        )
    if own.kind == "hash":
        return own.digest(message)
    if own.kind == "cipher":
        return own.encrypt(key, message)
    return _core.KeyState(own, key).tag(message)


@cache
def expected_outputs(algorithm: str, key: bytes, workload: Workload) -> str:
    """The right outputs of a trial's smallest window together, as `output_text` writes them.

    Args:
        algorithm: in the catalogue.
        key: key of the first message; other messages have other keys if the workload says so.
        workload: any.
    """
    batch = workload.batch
    if batch == 1 and not workload.mix:
        return expected_output(algorithm, key, workload.size_bytes)
    distinct = workload.key_setup is KeySetup.DISTINCT
    keys = distinct_keys(key, batch) if distinct else [key] * batch
    lengths = cycle_lengths(workload.size_bytes, batch, workload.mix)
    trusted = sum(lengths) <= REFERENCE_BYTES
    known: dict[tuple[bytes, int, int], bytes] = {}
    outputs = []
    for at in range(0, len(lengths), batch):
        of_batch = lengths[at : at + batch]
        for key_used, length, start in zip(keys, of_batch, message_starts(of_batch), strict=True):
            case = (key_used, length, start)
            if case not in known:
                message = _core.message(length, start)
                known[case] = _expected(algorithm, key_used, message, trusted=trusted)
            outputs.append(known[case])
    return output_text(b"".join(outputs))


def _takes_key(facts: ImplementationFacts, key: bytes) -> bool:
    most = facts.key_bytes_max
    return len(key) >= facts.key_bytes_min and (most is None or len(key) <= most)


def _cases(facts: ImplementationFacts, algorithm: str) -> list[tuple[str, OutputCase, str]]:
    """Name, case and expected output of each message, in the order of the check."""
    cases = []
    for vector in vectors(algorithm):
        if facts.kind == "hash" or _takes_key(facts, bytes.fromhex(vector.key_hex)):
            case = OutputCase(
                bytes.fromhex(vector.key_hex),
                bytes.fromhex(vector.message_hex),
                vector.message_repeat,
                nonce=bytes.fromhex(vector.nonce_hex),
            )
            cases.append((f"published vector '{vector.name}'", case, vector.output_hex.lower()))
    key = trial_key(facts)
    for length in _LENGTHS:
        if facts.kind == "cipher" and (length == 0 or length % facts.block_bytes):
            continue
        case = OutputCase(key, pattern_bytes=length)
        expected = expected_output(algorithm, key, length)
        cases.append((f"a message of {length} bytes", case, expected))
    return cases


def check_outputs(facts: ImplementationFacts, ask: Ask) -> None:
    """Compares an implementation with its vectors and the reference, at every length it takes."""
    cases = _cases(facts, facts.implementation.split("/", 1)[0])
    outputs = ask([case for _, case, _ in cases])
    for (name, _, expected), output in zip(cases, outputs, strict=True):
        if output is not None and not _agrees(output, expected):
            raise WrongOutputError(
                f"{name} gives {output[:32]}..., not {expected[:32]}...; it is not timed"
            )


_COUNTS = (0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 67)
"""Messages of a batch: near the usual numbers of lanes, and more than the widest kernel has."""


def _batch_cases(facts: ImplementationFacts) -> list[list[int]]:
    """Lengths of the messages of each batch: all equal, then ascending, descending and mixed."""
    block = facts.block_bytes
    cases = []
    for count in sorted({*_COUNTS, *(facts.lanes + more for more in (-1, 0, 1))}):
        cases += [[length] * count for length in (0, block - 1, 2 * block)]
        ascending = [7 * i for i in range(count)]
        cases += [ascending, ascending[::-1], [(97 * i) % (4 * block + 3) for i in range(count)]]
        cases.append([0 if i % 5 else 3 * block + i for i in range(count)])
    return cases


def check_batches(facts: ImplementationFacts, ask: AskBatches) -> None:
    """Compares the call that takes several messages, each with its key, with the reference."""
    algorithm = facts.implementation.split("/", 1)[0]
    key = trial_key(facts)
    cases = _batch_cases(facts)
    outputs = ask(key, cases)
    refused = [lengths for lengths, output in zip(cases, outputs, strict=True) if output is None]
    if refused:  # a library may take no empty message: the rest of the batch is checked
        filled = [[max(1, length) for length in lengths] for lengths in refused]
        cases, outputs = cases + filled, [*outputs, *ask(key, filled)]
    for lengths, output in zip(cases, outputs, strict=True):
        if output is None:
            continue
        expected = output_text(_expected_tags(algorithm, key, tuple(lengths)))
        if output != expected:
            raise WrongOutputError(
                f"a batch of {len(lengths)} messages of {min(lengths)} to {max(lengths)} bytes "
                "gives other tags than its messages one by one; it is not timed"
            )


@cache
def _expected_tags(algorithm: str, key: bytes, lengths: tuple[int, ...]) -> bytes:
    """Tags of one batch with a key for each message."""
    keys = distinct_keys(key, len(lengths))
    starts = message_starts(lengths)
    return b"".join(
        _expected(algorithm, key_used, _core.message(length, start), trusted=False)
        for key_used, length, start in zip(keys, lengths, starts, strict=True)
    )


def _agrees(output: str, expected: str) -> bool:
    """Equal, or equal to a truncated expectation (RFC 4231 test case 5)."""
    return bool(expected) and output.startswith(expected)
