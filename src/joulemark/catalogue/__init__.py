# SPDX-License-Identifier: Apache-2.0
"""Facts about algorithms, their published vectors, and the documents that they cite.

An algorithm is read from `catalogue/algorithms/<id>.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeVar, get_args, get_origin, get_type_hints

from joulemark.errors import JoulemarkError, UsageError
from joulemark.foreign import did_you_mean

# Facts from TOML as a record: each field has the type that its data class declares.
#
# Authenticating reads the catalogue's files too, so this part needs no package beside Python.

T = TypeVar("T")


def facts_from(kind: type[T], values: Mapping[str, Any]) -> T:
    """A record of a data class with fields of text, whole numbers, truths, choices and lists."""
    hints = _hints(kind)  # type: ignore[arg-type]
    declared = {each.name: each for each in fields(kind)}  # type: ignore[arg-type]
    for name in values.keys() - declared.keys():
        raise ValueError(f"{name}: there is no such field")
    for name, declaration in declared.items():
        if name in values:
            _require(name, hints[name], values[name])
        elif declaration.default is MISSING and declaration.default_factory is MISSING:
            raise ValueError(f"{name}: the field is missing")
    return kind(**values)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _require(name: str, wanted: Any, value: Any) -> None:
    """Refuses a value of another type. TOML has no None: a file leaves such a field out."""
    if get_origin(wanted) is UnionType:
        wanted = next(kind for kind in get_args(wanted) if kind is not NoneType)
    if get_origin(wanted) is Literal:
        if value not in get_args(wanted):
            choices = ", ".join(map(str, get_args(wanted)))
            raise ValueError(f"{name}: {value!r} is none of {choices}")
    elif get_origin(wanted) is list:
        if not isinstance(value, list):
            raise ValueError(f"{name}: {value!r} is no list")
        for place, item in enumerate(value):
            _require(f"{name}[{place}]", get_args(wanted)[0], item)
    elif type(value) is not wanted:  # not isinstance, for which a truth is a number
        raise ValueError(f"{name}: {value!r} is not of type {wanted.__name__}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlgorithmFacts:
    """Facts of an algorithm that a user needs to choose it."""

    id: str
    """Also the file's name without `.toml`."""
    title: str
    kind: Literal["hash", "mac", "cipher"]
    summary: str
    """One sentence that says what the algorithm is, and what it serves for today."""
    standard: str
    """Document and section that define it."""
    references: list[str]
    """Ids in `catalogue/bibliography.toml`."""
    status: Literal["current", "legacy", "broken"]
    status_reason: str
    nist: str = ""
    """The publications of NIST that approve it, with their limits; empty if none does."""
    security_bits: int
    """Claimed strength against forgery (MAC), collision (hash) or key search (cipher)."""
    forgery: str = ""
    """Of a MAC: the greatest chance of a forgery, and where it is claimed; else empty."""
    block_bytes: int
    output_bytes: int
    key_bytes: list[int]
    """Usual key lengths, the default first; empty for a hash."""
    one_time_key: bool = False
    """True where a key may authenticate one message only."""
    one_length: bool = False
    """True where all messages that a key authenticates must have one length."""
    nonce_bytes: list[int] = field(default_factory=list)
    """Usual lengths of the nonce, the default first; empty if messages need none."""
    families: list[str] = field(default_factory=list)
    """Families of the algorithm, for patterns such as `family:sha3`."""
    ebacs: str | None = None
    """Its operation and primitive in eBACS (SUPERCOP): `crypto_hash/keccakc512`."""
    ebacs_output_bytes: int | None = None
    """Length of the output in eBACS, where it differs from ours."""
    vectors: list[str]
    """Names of the files in `vectors/<id>/`, without `.json`."""


class Approval(StrEnum):
    """Who has to approve an algorithm."""

    NIST = "nist"


def lacking_claim(
    facts: AlgorithmFacts, security_bits: int, approved: Approval | None
) -> str | None:
    """Which claim an algorithm lacks, in words; None if it has all."""
    if facts.security_bits < security_bits:
        return f"claims {facts.security_bits} bits of security"
    if approved is Approval.NIST and not facts.nist:
        return "not approved by NIST"
    return None


def data_folder(name: str) -> Path:
    """Folder of installed data: `catalogue`, `vectors`, `c`, `providers`."""
    return Path(__file__).parent.parent / "data" / name


@cache
def algorithms() -> dict[str, AlgorithmFacts]:
    """Every algorithm of the catalogue by id, in alphabetical order."""
    by_id = {}
    for path in sorted(data_folder("catalogue").glob("algorithms/*.toml")):
        try:
            algorithm = facts_from(AlgorithmFacts, tomllib.loads(path.read_text("utf-8")))
        except ValueError as error:  # in the TOML, the UTF-8 or a field
            raise JoulemarkError(f"{path}: {error}") from error
        if algorithm.id != path.stem:
            raise JoulemarkError(f"{path}: id is '{algorithm.id}' but the file's name says other")
        by_id[algorithm.id] = algorithm
    return by_id


# HMAC over each hash for which the catalogue has no HMAC: `hmac-<hash>`, with derived facts.
#
# Only its name and the pattern of its family match such an algorithm (docs/decisions).

DERIVED_FAMILY = "hmac-derived"
_PREFIX = "hmac-"
_CITED = "rfc2104"


@cache
def hmacs_over_hashes() -> dict[str, AlgorithmFacts]:
    """The derived algorithms by id, in alphabetical order.

    A hash whose block is shorter than its digest has no HMAC: the digest, which stands for a long
    key, would not fit the block (RFC 2104, section 2).
    """
    known = algorithms()
    hashes = [facts for facts in known.values() if facts.kind == "hash"]
    return {
        _PREFIX + digest.id: _hmac_over(digest)
        for digest in hashes
        if _PREFIX + digest.id not in known and digest.block_bytes >= digest.output_bytes
    }


def _hmac_over(digest: AlgorithmFacts) -> AlgorithmFacts:
    return AlgorithmFacts(
        id=_PREFIX + digest.id,
        title=f"HMAC over {digest.title}",
        kind="mac",
        summary=f"HMAC over {digest.title}, made of the hash as it is: to compare hashes as MACs.",
        standard=f"RFC 2104, section 2; {digest.standard}",
        references=[_CITED, *(reference for reference in digest.references if reference != _CITED)],
        status=digest.status,
        status_reason=f"Of its hash, {digest.title}: {digest.status_reason}",
        nist=f"FIPS 198-1, {digest.nist}" if digest.nist else "",
        security_bits=min(2 * digest.security_bits, 8 * digest.output_bytes),
        forgery="one guess in 2^t of a tag of t bits, or in 2^k with a key of k bits if that is "
        "less, as far as its hash is a random function",
        block_bytes=digest.block_bytes,
        output_bytes=digest.output_bytes,
        key_bytes=[digest.output_bytes],
        families=[DERIVED_FAMILY],
        vectors=[],
    )


@cache
def every_algorithm() -> dict[str, AlgorithmFacts]:
    """Algorithms of the catalogue and HMAC over its hashes, by id, in alphabetical order."""
    return dict(sorted((algorithms() | hmacs_over_hashes()).items()))


def algorithm_named(name: str) -> AlgorithmFacts:
    """The algorithm with this id."""
    algorithm = every_algorithm().get(name)
    if algorithm is None:
        raise UsageError(f"unknown algorithm '{name}'{names_near(name)} (joulemark list shows all)")
    return algorithm


def names_near(name: str) -> str:
    """End of the sentence that refuses a name: why a hash has no HMAC, or near names."""
    return (
        why_no_hmac(name)
        or did_you_mean(name, algorithms())
        or did_you_mean(name, hmacs_over_hashes())
    )


def why_no_hmac(name: str) -> str:
    """End of the sentence that refuses an undefined `hmac-<hash>`; empty for any other name."""
    digest = algorithms().get(name.removeprefix(_PREFIX))
    if name.startswith(_PREFIX) and digest is not None and digest.kind == "hash":
        return (
            f": HMAC over {digest.id} is not defined, since a block of {digest.block_bytes} bytes "
            f"does not hold a digest of {digest.output_bytes}"
        )
    return ""


# Families of algorithms, which patterns name as `family:NAME` or `family:NAME/VARIANT`.

_USES: Final = ("hmac", "cmac", "siphash")
"""Beginnings of the names of those MACs for which most people ask."""


def by_use(names: Iterable[str]) -> list[str]:
    """Algorithms in the order in which people look for them.

    HMAC, CMAC and SipHash come first: those that are current and, of HMAC and CMAC, approved by
    NIST. Then come all others by family, MACs before hashes and ciphers; a name that the catalogue
    lacks comes last.
    """
    return sorted(names, key=_use)


def _use(name: str) -> tuple[int, str, str]:
    facts = every_algorithm().get(name)
    if facts is None:
        return len(_USES) + 3, "", name
    stem = name.partition("-")[0]
    usual = facts.status == "current" and (facts.nist != "" or stem == "siphash")
    if stem in _USES and usual and DERIVED_FAMILY not in facts.families:
        return _USES.index(stem), "", name
    kind = ("mac", "hash", "cipher").index(facts.kind)
    return len(_USES) + kind, (facts.families or [stem])[-1], name


FAMILY = "family:"
"""Start of a pattern that means every algorithm of a family."""


@cache
def families() -> dict[str, tuple[str, ...]]:
    """The ids of each family's algorithms by the family's name, both in alphabetical order."""
    members: dict[str, list[str]] = {}
    for name, algorithm in every_algorithm().items():
        for family in algorithm.families:
            members.setdefault(family, []).append(name)
    return {family: tuple(members[family]) for family in sorted(members)}


def alternatives(pattern: str) -> list[str]:
    """Globs over implementations; a name that matches any of them matches the pattern.

    Args:
        pattern: an algorithm, an implementation, a glob over either, or a family of algorithms,
            with or without a glob over variants; no twin.

    Example:
        >>> alternatives("family:shabal/portable")
        ['shabal-256/portable', 'shabal-512/portable']
        >>> alternatives("hmac-*")
        ['hmac-*/*']
    """
    named = pattern.removeprefix(FAMILY)
    algorithm, slash, variant = named.partition("/")
    if named == pattern:
        members: tuple[str, ...] = (algorithm,)
    elif algorithm in families():
        members = families()[algorithm]
    else:
        raise UsageError(
            f"unknown family '{algorithm}'{did_you_mean(algorithm, families())} "
            f"(there are {', '.join(families())})"
        )
    return [f"{member}/{variant if slash else '*'}" for member in members]


# Names of algorithms in eBACS (Bernstein and Lange), whose tool is SUPERCOP.

EBACS = "ebacs:"
"""Start of an algorithm's name in eBACS: `ebacs:keccakc512`, `ebacs:crypto_hash/keccakc512`."""
EBACS_KEY_BYTES = 32
"""Length of eBACS's keys for MACs that take keys of any length."""


def algorithm_called(name: str) -> AlgorithmFacts:
    """The algorithm with this id, or with this name in eBACS.

    Example:
        >>> algorithm_called("ebacs:keccakc512").id
        'keccak-256'
    """
    if not name.startswith(EBACS):
        return algorithm_named(name)
    primitive = name.removeprefix(EBACS)
    known = {algorithm.ebacs: algorithm for algorithm in algorithms().values() if algorithm.ebacs}
    short = {full.partition("/")[2]: algorithm for full, algorithm in known.items()}
    algorithm = known.get(primitive) or short.get(primitive)
    if algorithm is None:
        raise UsageError(
            f"eBACS's '{primitive}' is no algorithm of the catalogue"
            f"{did_you_mean(primitive, short)} (it has {', '.join(sorted(short))})"
        )
    return algorithm


# Why a name is no algorithm of `joulemark.mac`; for the native module when it refuses a name.


def unknown_mac(name: object, known: Collection[str]) -> str:
    """End of the sentence that there is no such algorithm: why a Key has none, or near names.

    Args:
        name: the name that was refused, of any type.
        known: all names of algorithms.

    Example:
        >>> unknown_mac("poly1305", ["hmac-sha256"])
        ': a key of poly1305 is for one message alone, and a Key is for many'
        >>> unknown_mac("HMAC_SHA256", ["hmac-sha256", "hmac-sha1"])
        '; did you mean hmac-sha256?'
    """
    if not isinstance(name, str):
        return ""
    near = did_you_mean(name, known)
    facts = algorithms().get(name)
    if facts is None:
        return near
    if facts.one_time_key:
        return f": a key of {facts.id} is for one message alone, and a Key is for many"
    if facts.one_length:
        return (
            f": a key of {facts.id} is for messages of one length alone, and a Key is for all "
            "lengths; cmac-aes128 is as fast and takes them"
        )
    return near if facts.kind == "mac" else f": it is a {facts.kind}, which makes no tags{near}"
