# SPDX-License-Identifier: Apache-2.0
"""Checks that `joulemark test` alone makes: of secrets, with valgrind, and by vectors of others."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.catalogue import every_algorithm
from joulemark.errors import UnavailableError
from joulemark.foreign.vectors import Vector, VectorVerdict
from joulemark.measure.worker.run_messages import OutputCase
from joulemark.measure.worker.sources import WITHOUT_AVX512, ImplementationSource
from joulemark.processes.tool import ToolOutput, ask_tool
from joulemark.records import ImplementationFacts

# Checks with valgrind whether branches or addresses of an implementation depend on secrets.
#
# Keys and messages are marked undefined, and valgrind's memcheck reports what depends on them
# (`harness/programs/constant_time.c`). Instructions whose own time depends on data are not seen.

_PROGRAM = Path(__file__).parents[2] / "data" / "programs" / "constant_time"
_LIMIT_S = 300.0
_KEEPS, _DEPENDS, _NEEDS_FEATURES, _NOT_WATCHED = 0, 3, 4, 77
_ILLEGAL: Final = (-signal.SIGILL, 128 + signal.SIGILL)
"""Exit codes of a program that valgrind ended at an instruction which it does not know."""


@dataclass(frozen=True, slots=True)
class SecrecyVerdict:
    """The verdict of valgrind on one implementation."""

    right: bool | None
    """Whether no secret shows; None if that cannot be checked."""
    text: str


def keeps_secrets(source: ImplementationSource, name: str) -> SecrecyVerdict:
    """Runs an implementation on secrets under valgrind."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise UnavailableError(
            "--constant-time needs valgrind; on Debian or Ubuntu: apt-get install valgrind"
        )
    if not _PROGRAM.exists():
        raise UnavailableError(
            f"--constant-time: {_PROGRAM} is missing; run make setup to build it again"
        )
    if source.kind == "python":
        return SecrecyVerdict(None, "cannot be checked: it runs in Python's interpreter")
    command = [valgrind, "-q", str(_PROGRAM), *name.split("/", 1)]
    path, where = source.path, ""
    try:
        done = ask_tool([*command, *filter(None, [path])], timeout_s=_LIMIT_S)
        copy = None if path is None else Path(path).with_name(WITHOUT_AVX512)
        if done.code in _ILLEGAL and copy is not None and copy.is_file():
            where = " in a second copy, compiled without AVX-512, which valgrind lacks"
            done = ask_tool([*command, str(copy)], timeout_s=_LIMIT_S)
    except subprocess.TimeoutExpired:
        return SecrecyVerdict(False, f"no answer under valgrind within {_LIMIT_S:.0f} s")
    if done.code in _ILLEGAL:
        return SecrecyVerdict(None, _unknown_instruction(source, second_copy=bool(where)))
    return _verdict(done, where)


def _verdict(done: ToolOutput, where: str) -> SecrecyVerdict:
    """What the program's end says; `where` names the code if it is not the measured one."""
    if done.code == _KEEPS:
        return SecrecyVerdict(
            True,
            f"constant time by valgrind{where}: no branch and no address depends on keys or "
            "messages",
        )
    if done.code == _DEPENDS:
        return SecrecyVerdict(False, f"is not constant time{where}: {_first_report(done.errors)}")
    if done.code == _NEEDS_FEATURES:
        names = " and ".join(done.output.split())
        return SecrecyVerdict(None, f"cannot be checked: valgrind does not know {names}")
    if done.code == _NOT_WATCHED:
        raise UnavailableError(
            "--constant-time: this build knows no valgrind/memcheck.h; install the package "
            "valgrind, then run make setup"
        )
    last = (done.errors.strip().splitlines() or ["it said nothing"])[-1]
    return SecrecyVerdict(False, f"failed under valgrind: {re.sub('==[0-9]+== *', '', last)}")


def _unknown_instruction(source: ImplementationSource, *, second_copy: bool) -> str:
    """Why code cannot be checked that has an instruction without a meaning for valgrind."""
    lacks = "cannot be checked: it has an instruction that valgrind does not know, as of AVX-512"
    if second_copy:
        return f"{lacks}, and so has its second copy, which was compiled without AVX-512"
    if source.known is not None:
        return f"{lacks}; add its sources again, with --flags '-O3 -march=native -mno-avx512f'"
    return f"{lacks}; there are no sources to compile again: build it with -mno-avx512f"


def _first_report(errors: str) -> str:
    """The first report of memcheck, with its function."""
    lines = [re.sub(r"^==\d+== *", "", line) for line in errors.splitlines()]
    for at, line in enumerate(lines[:-1]):
        where = re.search(r"(?:at|by) 0x[0-9A-F]+: (.*)", lines[at + 1])
        if line and where:
            return f"'{line}' in {where[1]}"
    return "a branch or an address depends on a key or a message"


# Compares an implementation with test vectors of others: of Project Wycheproof, or of NIST.

AskOutputs = Callable[[Sequence[OutputCase]], Sequence[str | None]]
_AT_ONCE: Final = 500
"""Most cases in one request, which are some MiB with the longest messages of such files."""
_NONCES: Final = "they have nonces of {} bytes"
_NOT_CUT: Final = "kmac"
"""Algorithm whose shorter tags are not cut from longer ones (NIST SP 800-185, section 4.3)."""


@dataclass(frozen=True, slots=True)
class HeldVector:
    """A vector that the implementation fails, and why."""

    vector: Vector
    wrong: str


@dataclass(frozen=True, slots=True)
class VectorReport:
    """The numbers of vectors that passed, failed, and were passed over."""

    passed: int
    failed: tuple[HeldVector, ...]
    passed_over: Mapping[str, int]
    """Reason -> number of vectors that the implementation cannot take."""


def hold_to_vectors(
    facts: ImplementationFacts, vectors: Sequence[Vector], ask_outputs: AskOutputs
) -> VectorReport:
    """Computes every vector that the implementation can take, and compares the outputs.

    An invalid vector passes where the tag differs. It passes too where its key or nonce has a
    length that the implementation does not take: files call such keys invalid, and every check
    makes sure that they are refused.

    Args:
        facts: facts of the implementation.
        vectors: vectors of its algorithm, and of others, which are passed over.
        ask_outputs: asks the implementation's worker for outputs in hexadecimal; None for a message
            that it refuses.
    """
    algorithm = facts.implementation.partition("/")[0]
    passed_over: Counter[str] = Counter()
    taken: list[Vector] = []
    passed = 0
    for vector in vectors:
        if reason := _refusal(vector, algorithm, facts):
            passed_over[reason] += 1
        elif (reason := _wrong_length(vector, facts)) is None:
            taken.append(vector)
        elif vector.verdict is VectorVerdict.VALID:
            passed_over[reason] += 1
        else:
            passed += 1
    failed: list[HeldVector] = []
    for first in range(0, len(taken), _AT_ONCE):
        part = taken[first : first + _AT_ONCE]
        outputs = ask_outputs(
            [
                OutputCase(vector.key or b"", vector.message, nonce=vector.nonce or b"")
                for vector in part
            ]
        )
        for vector, output in zip(part, outputs, strict=True):
            if output is None and vector.nonce and vector.verdict is VectorVerdict.VALID:
                passed_over[_NONCES.format(len(vector.nonce))] += 1
            elif wrong := _wrong(vector, None if output is None else bytes.fromhex(output)):
                failed.append(HeldVector(vector, wrong))
            else:
                passed += 1
    return VectorReport(passed, tuple(failed), passed_over)


def _refusal(vector: Vector, algorithm: str, facts: ImplementationFacts) -> str | None:
    """Why the implementation cannot take a vector; None if it can."""
    if not vector.is_of(algorithm):
        return f"they are of {vector.algorithm}"
    if (vector.key is None) != (facts.kind == "hash"):
        return "they have a key" if vector.key is not None else "they have no key"
    if (vector.nonce is None) == bool(every_algorithm()[algorithm].nonce_bytes):
        return "they have no nonce" if vector.nonce is None else "they have a nonce"
    whole_bytes = every_algorithm()[algorithm].output_bytes
    if algorithm.startswith(_NOT_CUT) and vector.output_bytes != whole_bytes:
        return (
            f"they have tags of {vector.output_bytes} bytes, of which {algorithm} has {whole_bytes}"
        )
    return None


def _wrong_length(vector: Vector, facts: ImplementationFacts) -> str | None:
    """Why the implementation cannot take key or nonce; None if it can or only a worker can tell.

    An empty nonce is no nonce to a worker, which then takes zeros.
    """
    most = facts.key_bytes_max
    length = facts.key_bytes_min if vector.key is None else len(vector.key)
    if length < facts.key_bytes_min or (most is not None and length > most):
        return f"they have keys of {length} bytes"
    return _NONCES.format(0) if vector.nonce == b"" else None


def _wrong(vector: Vector, output: bytes | None) -> str | None:
    """Why an output fails its vector; None if it passes."""
    if output is None:
        return "it is refused" if vector.verdict is VectorVerdict.VALID else None
    shown = output[: vector.output_bytes].hex()
    if vector.verdict is VectorVerdict.VALID and not vector.equals(output):
        return f"the output is {shown}, the vector's {vector.output.hex()}"
    if vector.verdict is VectorVerdict.INVALID and vector.equals(output):
        return f"the output is {shown}, which the vector says is wrong"
    return None
