# SPDX-License-Identifier: Apache-2.0
"""Which port of a design plays which part, by direction, width and usual names.

What names leave open is tried in simulation (`trying`); what stays open is said in the manifest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from joulemark.catalogue import AlgorithmFacts
from joulemark.errors import UsageError
from joulemark.hardware.flow.place import Port
from joulemark.hardware.proposing import (
    BLOCKS,
    BUSY,
    BYTES,
    CLOCKS,
    DATA,
    DIRECTIONS,
    DONES,
    HIGH,
    KEY_DONES,
    KEY_STARTS,
    KEYS,
    LAST,
    OFF,
    READY,
    RESETS,
    RESULTS,
    SIDES,
    STARTS,
    STREAM_READY,
    VALID,
    Design,
    Level,
    rank_of,
    stem_of,
    words_of,
)


@dataclass(slots=True)
class Proposal:
    """The entries of a manifest, as far as they are known."""

    top: str
    algorithm: str | None
    clock: str | None = None
    reset: str | None = None
    reset_active: Level = "low"
    protocol: str | None = None
    ports: dict[str, str] = field(default_factory=dict)
    idle: dict[str, int] = field(default_factory=dict)
    block_bytes: int | None = None
    key_sizes: list[list[int]] = field(default_factory=lambda: [[]])
    """Values of `key_bytes` that are tried."""
    result_bytes: int | None = None
    is_one_block: bool = False
    """Whether a message, padding included, must fit into one block."""
    message_bytes_max: int | None = None
    message_bytes_min: int = 0
    word_bytes: int = 0
    """Bytes of the port that takes the message."""
    paddings: list[str] = field(default_factory=lambda: ["none"])
    """Paddings that are tried, the likeliest first."""
    doubted: list[str] = field(default_factory=list)
    """Inputs of one bit whose value of `idle` is tried."""
    open: dict[str, str] = field(default_factory=dict)
    """What is to be filled in, by entry of the manifest, as a sentence."""

    @property
    def is_whole(self) -> bool:
        """Whether a simulation can be driven by it."""
        return not self.open


class _Ports:
    """Ports that have no part yet."""

    def __init__(self, ports: Iterable[Port]) -> None:
        self.left = {port.name: port for port in ports}

    def take(
        self, names: Sequence[str], *, is_input: bool, wide: bool, only: bool = False
    ) -> str | None:
        """Takes the port that fits best; with `only`, the only one of this kind fits too."""
        kind = [
            port
            for port in self.left.values()
            if port.is_input is is_input
            and (port.width_bits > 1) is wide
            and not BUSY.intersection(words_of(port.name))
        ]
        ranked = [(rank, port.name) for port in kind if (rank := rank_of(port, names)) is not None]
        if ranked:
            return self.remove(min(ranked, key=lambda each: each[0])[1])
        return self.remove(kind[0].name) if only and len(kind) == 1 else None

    def remove(self, name: str) -> str:
        """Takes this port."""
        del self.left[name]
        return name


# Which port plays which part.


def propose(design: Design, algorithm: AlgorithmFacts | None, name: str | None) -> Proposal:
    """A proposal; `name` is of an algorithm that the catalogue lacks."""
    made = Proposal(design.top, algorithm.id if algorithm is not None else name)
    if made.algorithm is None:
        made.open["algorithm"] = (
            "fill in the id of the algorithm ('joulemark list' has them), or give --algorithm"
        )
    ports = _Ports(design.ports)
    _clock_and_reset(made, design, ports)
    if not (_streams(made, design, ports) or _pulses(made, ports)):
        made.open["adapter"] = (
            "fill in protocol and ports: no input looks like a start or a valid beside an output "
            "that looks like a result"
        )
    _sizes(made, design, algorithm)
    _idle(made, ports)
    return made


def _clock_and_reset(made: Proposal, design: Design, ports: _Ports) -> None:
    named = [port for port in design.ports if port.name in design.clocks]
    ranks = {port.name: rank_of(port, CLOCKS) for port in named}
    best = [name for name in design.clocks if ranks[name] is not None] or list(design.clocks)
    if best:
        made.clock = ports.remove(best[0])
    else:
        made.clock = ports.take(CLOCKS, is_input=True, wide=False)
    if made.clock is None:
        made.open["clock"] = "fill in the clock: no input clocks a flip-flop"
    for name in design.clocks:
        words = {word.rstrip("0123456789") for word in words_of(name)}
        if name != made.clock and words.intersection(CLOCKS):
            raise UsageError(
                f"{made.top}: {made.clock} and {name} both clock flip-flops, and a core with two "
                "clocks has no figure here; if one clock may drive both, give a top module in "
                "which it does"
            )
    made.reset = ports.take(RESETS, is_input=True, wide=False)
    if made.reset is None and design.resets:
        made.reset = ports.remove(next(iter(design.resets)))
    if made.reset is None:
        return
    level = design.resets.get(made.reset) or design.clocked_resets.get(made.reset)
    last = words_of(made.reset)[-1]
    made.reset_active = level or (
        "low" if last in {"n", "ni", "b"} or last.endswith("n") else "high"
    )


def _prefix(port: Port, word: str) -> tuple[str, ...]:
    """The words that name a port's stream."""
    return tuple(each for each in words_of(port.name) if each not in {word, *DIRECTIONS})


def _with(
    ports: _Ports, words: Iterable[str], prefix: tuple[str, ...], *, is_input: bool
) -> str | None:
    """The port of a stream that has one of these words."""
    for port in ports.left.values():
        for word in words:
            if port.is_input is not is_input or word not in words_of(port.name):
                continue
            own = _prefix(port, word)
            if own == prefix or {*own, *prefix} <= SIDES:
                return port.name
    return None


def _data(ports: _Ports, prefix: tuple[str, ...], *, is_input: bool) -> str | None:
    """The widest port of a stream that carries its words."""
    named = _with(ports, DATA, prefix, is_input=is_input)
    if named is not None:
        return named
    fitting = [
        port
        for port in ports.left.values()
        if port.is_input is is_input and port.width_bits > 1 and _prefix(port, "") == prefix
    ]
    return max(fitting, key=lambda port: port.width_bits).name if fitting else None


def _streams(made: Proposal, design: Design, ports: _Ports) -> bool:
    """Gives parts to the ports of streams, if words go in and results come out by them."""
    found: dict[str, str] = {}
    for port in design.ports:
        word = next((word for word in words_of(port.name) if word in VALID), None)
        if word is None or port.width_bits != 1 or port.name not in ports.left:
            continue
        prefix = _prefix(port, word)
        key = port.is_input and any(word in KEYS for word in prefix)
        kind = "key_" if key else "" if port.is_input else "result_"
        if f"{kind}valid" not in found:
            found |= _stream(ports, port, prefix, kind)
    ends = {"last", "bytes", "result_ready"} & found.keys()
    if not ({"valid", "result_valid"} <= found.keys() and ends):
        return False
    for name in found.values():
        ports.remove(name)
    if "key" not in found and (key_port := ports.take(KEYS, is_input=True, wide=True)):
        found["key"] = key_port
    made.protocol, made.ports = "valid_ready", found
    return True


def _stream(ports: _Ports, valid: Port, prefix: tuple[str, ...], kind: str) -> dict[str, str]:
    """The parts of one stream; empty if its ports are not all there."""
    data = _data(ports, prefix, is_input=valid.is_input)
    ready = _with(ports, STREAM_READY, prefix, is_input=not valid.is_input)
    if data is None or (ready is None and not kind):
        return {}
    parts = {f"{kind}valid": valid.name, "key" if kind == "key_" else f"{kind}data": data}
    if ready is not None:
        parts[f"{kind}ready"] = ready
    for part, words in (("last", LAST), ("bytes", BYTES)):
        if not kind and (name := _with(ports, words, prefix, is_input=True)) is not None:
            parts[part] = name
    return parts


def _pulses(made: Proposal, ports: _Ports) -> bool:
    """Gives parts to a block, a result, and the signals of start and end."""
    key = ports.take(KEYS, is_input=True, wide=True)
    found = {
        "key": key,
        "block": ports.take(BLOCKS, is_input=True, wide=True, only=True)
        or _widest(ports, is_input=True),
        "result": ports.take(RESULTS, is_input=False, wide=True, only=True)
        or _widest(ports, is_input=False),
    }
    stems = {stem_of(name): name for name, port in ports.left.items() if port.is_input}
    has_pair = {"init", "next"} <= stems.keys()
    pair = [ports.remove(stems[stem]) for stem in ("init", "next")] if has_pair else []
    if pair and key is None:
        made.protocol = "init_next"
        found["digest"] = found.pop("result")
        found["init"], found["next"] = pair
        found["ready"] = ports.take(READY, is_input=False, wide=False)
        found["digest_valid"] = ports.take(DONES, is_input=False, wide=False)
    else:
        made.protocol = "start_done"
        if key is not None:
            found["key_init"] = (
                pair[0] if pair else ports.take(KEY_STARTS, is_input=True, wide=False)
            )
        if found.get("key_init"):
            found["key_ready"] = ports.take(KEY_DONES, is_input=False, wide=False)
        found["start"] = (
            pair[1] if pair else ports.take(STARTS, is_input=True, wide=False, only=True)
        )
        ready = ports.take(READY, is_input=False, wide=False)
        # One output may be for both: it is low while the core works.
        done = ports.take(DONES, is_input=False, wide=False, only=ready is None)
        found |= {"ready": ready, "done": ready if done is None else done}
    made.ports = {part: name for part, name in found.items() if name is not None}
    _note_missing(made, ports, [part for part, name in found.items() if name is None])
    return len(made.ports) > 1


def _note_missing(made: Proposal, ports: _Ports, missing: Sequence[str]) -> None:
    """Says what the parts are that no port was found for."""
    needed = [part for part in missing if part in _MEANT[made.protocol or ""]]
    for part in needed:
        meant = _MEANT[made.protocol or ""][part]
        made.open[f"ports.{part}"] = f"fill in ports.{part}: {meant}{_busy(ports, part)}"
    ports_ = made.ports
    if "key_init" in ports_ and not {"key_ready", "ready"} & ports_.keys():
        made.open["key_clocks"] = (
            f"fill in key_clocks, the clocks that the key set-up after {ports_['key_init']} "
            "takes, as no output shows its end"
        )


_BLOCK_PART: Final = {"block": "the input that takes a block of the message"}
_MEANT: Final[Mapping[str, Mapping[str, str]]] = {
    "start_done": {
        **_BLOCK_PART,
        "result": "the output that has the result",
        "start": "the input of one bit whose pulse starts a block",
        "done": "the output of one bit that is high when the result is there",
    },
    "init_next": {
        **_BLOCK_PART,
        "digest": "the output that has the digest",
        "ready": "the output of one bit that is high when the core takes a block",
    },
}
"""What the needed parts of a protocol are."""

_RESULT_PARTS: Final = ("result", "digest", "result_data")


def _busy(ports: _Ports, part: str) -> str:
    """A remark on a signal that says the opposite of what is needed."""
    names = [name for name, port in ports.left.items() if not port.is_input]
    busy = next((name for name in names if BUSY.intersection(words_of(name))), None)
    if part not in {"done", "ready"} or busy is None:
        return ""
    return f"; {busy} is high while the core works, so give the top module an output of ~{busy}"


def _widest(ports: _Ports, *, is_input: bool) -> str | None:
    fitting = [p for p in ports.left.values() if p.is_input is is_input and p.width_bits >= 8]
    return ports.remove(max(fitting, key=lambda p: p.width_bits).name) if fitting else None


def _sizes(made: Proposal, design: Design, algorithm: AlgorithmFacts | None) -> None:
    """Bytes of block and key, and the paddings that are to be tried."""
    if (key := made.ports.get("key")) is not None:
        _key_sizes(made, key, design.port(key).width_bits, algorithm)
    result = next((made.ports[part] for part in _RESULT_PARTS if part in made.ports), None)
    if algorithm is not None and result is not None:
        bits, needed = design.port(result).width_bits, 8 * algorithm.output_bytes
        if bits > needed or (bits != needed and made.protocol == "valid_ready"):
            made.result_bytes = algorithm.output_bytes
    made.is_one_block = made.protocol == "start_done"
    data = made.ports.get("block") or made.ports.get("data")
    if data is None:
        return
    size = made.word_bytes = design.port(data).width_bits // 8
    if design.port(data).width_bits % 8 or not size:
        made.open["block_bytes"] = f"fill in block_bytes: {data} has no whole number of bytes"
        return
    pads = ["none", "zero", *([] if "key" in made.ports else ["sha2", "md5"])]
    if made.protocol == "valid_ready":
        _stream_sizes(made, algorithm, pads)
        return
    made.block_bytes = size
    if algorithm is None:
        made.paddings = pads
    elif not algorithm.key_bytes and algorithm.block_bytes == size:
        made.paddings = ["sha2", "none", "md5"] if algorithm.id != "md5" else ["md5", "none"]
    elif algorithm.block_bytes != size:
        made.paddings = pads


def _stream_sizes(made: Proposal, algorithm: AlgorithmFacts | None, pads: list[str]) -> None:
    ends = {"last", "bytes"} & made.ports.keys()
    size = made.word_bytes
    if not ends and algorithm is not None and not algorithm.key_bytes:
        made.block_bytes, made.paddings = algorithm.block_bytes, ["sha2", "md5"]
        made.is_one_block = True
    elif not ends:
        made.block_bytes = made.message_bytes_min = made.message_bytes_max = size
    elif "bytes" not in ends:
        made.paddings = pads
        made.block_bytes = size if algorithm is None else algorithm.block_bytes


def _key_sizes(made: Proposal, key: str, bits: int, algorithm: AlgorithmFacts | None) -> None:
    if algorithm is None:
        # A port may be for keys of two lengths, of which the model takes one.
        made.key_sizes = [[bits // share] for share in (8, 16) if bits % share == 0]
    else:
        fitting = [size for size in algorithm.key_bytes if 8 * size <= bits]
        made.key_sizes = [fitting] if fitting else []
    if not made.key_sizes:
        made.key_sizes = [[]]
        made.open["key_bytes"] = (
            f"fill in key_bytes, the bytes of a key: {key} has {bits} bits, and a key of several "
            "words needs an adapter in Python"
        )


def _idle(made: Proposal, ports: _Ports) -> None:
    """Values of the inputs without a part."""
    for name, port in ports.left.items():
        if not port.is_input:
            continue
        off = any(word in OFF for word in (stem_of(name), *words_of(name)))
        made.idle[name] = int(port.width_bits == 1 and not off and rank_of(port, HIGH) is not None)
        if port.width_bits == 1 and not off:
            made.doubted.append(name)
