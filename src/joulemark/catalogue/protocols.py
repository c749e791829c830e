# SPDX-License-Identifier: Apache-2.0
"""Packet protocols, and the files of the planning catalogue by name, or the user's by path."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar

from pydantic import Field, model_validator

from joulemark.catalogue import data_folder, every_algorithm
from joulemark.catalogue.nodes import (
    Battery,
    Bytes,
    BytesAboveZero,
    BytesList,
    DataSheet,
    Frequency,
    Harvester,
    Microcontroller,
    Node,
    NumberPerYear,
    PlanningRecord,
    Radio,
    ShareOrNone,
    Symbols,
    Time,
    Times,
)
from joulemark.errors import UsageError
from joulemark.foreign import ForeignError, did_you_mean, shortened, visible
from joulemark.foreign.records import read_record, read_text
from joulemark.records.figures import Evidence

# Packet protocols: which bytes a packet has, which of them are authenticated, and with what.

CONSTRUCTIONS: Final = {
    "ccm-aes128": "CCM over AES-128, of which the CBC-MAC and the first counter block are counted",
    "gcm-aes128": "GCM over AES-128",
    "chacha20-poly1305": "ChaCha20-Poly1305",
    "aes-siv-cmac-256": "AES-SIV with CMAC",
    "cbc-mac-skipjack": "CBC-MAC over Skipjack",
    "sha256-of-key-and-message": "SHA-256 of a secret and the message, cut short",
    "umac-64": "UMAC with tags of 64 bits",
}
"""Algorithm of a protocol that the catalogue does not have -> its description."""

_LEFT_OUT: Final = "retries, acknowledgements, joins, and listening"
"""For a file that does not say what it leaves out."""


class Padding(PlanningRecord):
    """Bytes that are added until a part of the packet is a multiple of some number."""

    multiple: BytesAboveZero
    with_bytes: Bytes
    """Bytes of the header that are padded together with the payload."""
    with_tag: bool
    """Whether the tag is padded together with the payload."""


class ReceiveWindow(PlanningRecord):
    """A time after each packet sent in which the node listens for an answer."""

    name: str = Field(min_length=1)
    symbols: Symbols
    """Length of the window in symbols of LoRa, if nothing is received in it."""
    spreading_factor: int | None = Field(default=None, ge=6, le=12)
    """None: that of the packet."""
    bandwidth: Frequency | None = None
    """None: that of the packet."""
    delay: Time | None = None
    """From the end of the packet to the begin of the window; None: unknown."""


class Join(PlanningRecord):
    """The exchange by which a node enters the network."""

    per_year: NumberPerYear
    request: Bytes
    """Length of the packet that the node sends."""
    accept: Bytes
    """Length of the answer."""


class PacketProtocol(DataSheet):
    """`catalogue/protocols/<id>.toml`.

    A packet on the wire is `header`, the payload and the tag. The tag covers `covered` bytes of
    the header, the payload, and `extra_input` bytes that are not sent.
    """

    standard: str
    layer: Literal["link", "network", "transport", "application"]
    """Above the link, lower layers put bytes around the packet that this file does not count."""
    algorithms: list[str] = Field(min_length=1)
    """Algorithms that the standard has, the usual one first: ids of `catalogue/algorithms`, or keys
    of `CONSTRUCTIONS`."""
    payload_is: Literal["associated", "encrypted"] = "associated"
    """Whether CCM authenticates the payload alone, or encrypts it too."""
    plain: Bytes
    """Bytes beside the payload of a packet that is not authenticated."""
    header: Bytes
    """Bytes beside payload and tag of an authenticated packet, trailers included."""
    covered: Bytes
    extra_input: Bytes
    tag: BytesList
    tag_bits: Annotated[int, Field(gt=0)] | None = None
    """Bits of the tag that authenticate, where they are fewer than its bytes have."""
    macs: Annotated[int, Field(gt=0)] = 1
    """Number of times that the MAC is computed for a packet."""
    payload_limit: Bytes | None = None
    """The longest payload, whatever the tag."""
    frame_limit: Bytes | None = None
    """The longest packet, `header` and tag included."""
    steps: BytesList | None = None
    """Lengths to which payload, `header` and tag together are padded; None: any length exists."""
    padding: Padding | None = None
    window: list[ReceiveWindow] = Field(default_factory=list)
    """Receive windows after each packet, in their order."""
    transmissions: Times | None = None
    """How often a packet is sent on average, retries and repeats included; None: once."""
    acknowledged: ShareOrNone | None = None
    """Share of packets that are answered in the first window by a packet without payload, behind
    which no other window opens; None: none."""
    join: Join | None = None
    left_out: str = Field(default=_LEFT_OUT, min_length=1)
    """What the protocol makes a node do that this file does not count, in words for "Left out:"."""
    gap: Time | None = None
    """Time between two frames, in which a tag must be made if the answer depends on it."""

    @model_validator(mode="after")
    def _algorithms_are_known(self) -> PacketProtocol:
        for name in self.algorithms:
            if name not in CONSTRUCTIONS and name not in every_algorithm():
                raise ValueError(f"algorithms: there is no algorithm '{name}'")
        return self

    @model_validator(mode="after")
    def _parts_are_in_their_whole(self) -> PacketProtocol:
        if self.covered.value > self.header.value:
            raise ValueError(
                f"covered: it is {self.covered.text}s, more than the {self.header.text}s of header;"
                " count bytes that the tag covers and that are not sent as extra_input"
            )
        least = min(self.tag.value)
        if least == 0:
            raise ValueError("tag: a length is 0, and a packet without a tag is not authenticated")
        if self.tag_bits is not None and self.tag_bits > 8 * least:
            raise ValueError(
                f"tag_bits: it is {self.tag_bits}, and a tag of {least} bytes has {8 * least} bits;"
                " give fewer, or leave tag_bits out"
            )
        return self


# Core cycles of MACs on cores, for nodes without results in the store.

Whole = Annotated[int, Field(gt=0)]


class Count(PlanningRecord):
    """Core cycles of one message with one implementation, after the key's set-up."""

    algorithm: str
    variant: str
    message_bytes: Annotated[int, Field(ge=0)]
    core_cycles: Whole
    step_core_cycles: Whole | None = None
    """Core cycles of one more call of the primitive."""
    key_core_cycles: Whole | None = None
    """Core cycles of the key's set-up."""
    key_state_bytes: Whole | None = None
    """Memory that the set-up fills."""
    evidence: Evidence | None = None
    """None: the evidence of the file."""
    document: str | None = None
    """None: the document of the file."""


class CoreCycles(DataSheet):
    """`catalogue/core_cycles/<core>.toml`."""

    evidence: Evidence
    document: str
    """A key of `documents`."""
    how: str
    """Program, compiler and flags that gave the counts."""
    spread: Annotated[float, Field(ge=0, lt=1)]
    """Half of the 95 % interval over a count, against boards."""
    spread_reason: str
    count: list[Count]


Kind = TypeVar("Kind", bound=DataSheet)
FOLDERS: Final[dict[type[DataSheet], tuple[str, str]]] = {
    Microcontroller: ("microcontrollers", "microcontroller"),
    Radio: ("radios", "radio"),
    Battery: ("batteries", "battery"),
    Harvester: ("harvesters", "harvester"),
    Node: ("nodes", "node"),
    PacketProtocol: ("protocols", "protocol"),
    CoreCycles: ("core_cycles", "core"),
}
"""Kind -> its folder of the catalogue, and its name in messages."""
_ENDING: Final = ".toml"


def names(kind: type[DataSheet]) -> Sequence[str]:
    """Names of a kind that the catalogue has, in alphabetical order."""
    return _names_in(data_folder("catalogue") / FOLDERS[kind][0])


@cache
def _names_in(folder: Path) -> tuple[str, ...]:
    """Names in a folder, which is listed once: a published site asks three thousand times."""
    return tuple(sorted(path.stem for path in folder.glob(f"*{_ENDING}")))


def sheet_path(kind: type[DataSheet], name: str, beside: Path | None = None) -> Path:
    """Path of the file of a name; a name that ends with `.toml` is a path of the user's.

    Args:
        kind: the kind of the file.
        name: a name of the catalogue, or a path.
        beside: the folder from which a relative path starts; None: the current folder.
    """
    if name.endswith(_ENDING):
        return (beside or Path()) / name
    folder, word = FOLDERS[kind]
    if name not in names(kind):
        raise UsageError(
            f"unknown {word} '{shortened(name)}'{did_you_mean(name, names(kind))} "
            f"(there are {', '.join(names(kind))}; a file of yours ends with {_ENDING})"
        )
    return data_folder("catalogue") / folder / f"{name}{_ENDING}"


def sheet(kind: type[Kind], name: str, beside: Path | None = None) -> Kind:
    """The facts of a name, which are read once."""
    facts = _read(kind, sheet_path(kind, name, beside))
    assert isinstance(facts, kind)
    return facts


def is_node(name: str) -> bool:
    """Whether a name, of the catalogue or of a file, is that of a node and not of a protocol.

    A file that cannot be read is none; who reads it as a protocol is told why.
    """
    if not name.endswith(_ENDING):
        return name in names(Node)
    try:
        keys = tomllib.loads(read_text(Path(name))).keys()
    except (ForeignError, tomllib.TOMLDecodeError):
        return False
    return bool(keys & (Node.model_fields.keys() - PacketProtocol.model_fields.keys()))


@cache
def _read(kind: type[DataSheet], path: Path) -> DataSheet:
    try:
        facts = read_record(kind, path)
    except ForeignError as error:
        raise UsageError(str(error)) from None
    if facts.id != path.stem:
        raise UsageError(
            f"{path}: id: it is '{shortened(facts.id)}' but the file's name says other"
        )
    shipped = path.is_relative_to(data_folder("catalogue"))
    facts.read_from(f"{FOLDERS[kind][1]} of the catalogue" if shipped else visible(str(path)))
    return facts
