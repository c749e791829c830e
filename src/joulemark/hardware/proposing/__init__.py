# SPDX-License-Identifier: Apache-2.0
"""A manifest for a core that has none, from its ports, their names, and what a simulation shows.

Here are the ports of a design, their names, and which of them clock and reset its flip-flops, as
Yosys reads it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from joulemark.catalogue import AlgorithmFacts, algorithms
from joulemark.errors import UsageError
from joulemark.hardware.flow.place import Port, ports_of
from joulemark.hardware.synthesis import YosysCell, YosysModule, modules_of, read_sources, run_yosys

# The ports of a design, and which of them clock and reset its flip-flops, as Yosys reads it.

Level = Literal["low", "high"]
"""Level of a port that resets."""

_HEADERS: Final = {".vh", ".svh", ".h"}
_INVERTERS: Final = {"$not", "$logic_not"}
_RESETS: Final = {
    "ARST": "ARST_POLARITY",
    "ALOAD": "ALOAD_POLARITY",
    "CLR": "CLR_POLARITY",
    "SRST": "SRST_POLARITY",
}
"""Pins of Yosys' flip-flops that reset them, each with the parameter of its level."""


@dataclass(frozen=True, slots=True)
class Design:
    """The top module of some sources."""

    top: str
    ports: tuple[Port, ...]
    """In the order of the source."""
    clocks: tuple[str, ...]
    """Inputs that clock flip-flops, the one with the most first."""
    resets: Mapping[str, Level]
    """Inputs that reset flip-flops, without the clock too, and the level that does."""
    clocked_resets: Mapping[str, Level]
    """Inputs that set flip-flops to a constant as the clock steps. A start may do so, too."""

    def port(self, name: str) -> Port:
        """The port of this name."""
        return next(port for port in self.ports if port.name == name)


def include_folders(sources: Sequence[Path]) -> list[Path]:
    """Folders of the sources that have files to be included."""
    folders = dict.fromkeys(source.parent for source in sources)
    return [
        folder for folder in folders if any(file.suffix in _HEADERS for file in folder.iterdir())
    ]


def read_design(sources: Sequence[Path], top: str | None, folder: Path) -> Design:
    """Reads the sources with all parameters at their defaults; Yosys works in `folder`."""
    run_yosys(
        [
            read_sources(sources, include_folders(sources), top),
            *("write_json modules.json", "proc", "flatten", "opt_clean", "opt_dff"),
            "write_json design.json",
        ],
        folder,
        name="design",
    )
    modules = modules_of(folder / "modules.json")
    used = {cell["type"] for module in modules.values() for cell in module["cells"].values()}
    tops = sorted(modules.keys() - used)
    if not tops:
        raise UsageError("the sources have no module")
    if len(tops) > 1:
        raise UsageError(f"{', '.join(tops)} are used by no other module; name the core by --top")
    netlist = folder / "design.json"
    return _design(tops[0], ports_of(netlist, tops[0]), modules_of(netlist)[tops[0]])


def _design(top: str, ports: Sequence[Port], module: YosysModule) -> Design:
    for port in ports:
        if port.direction == "inout":
            raise UsageError(
                f"{top}: the port {port.name} is of both directions, which none of a core may be"
            )
    nets = _Inputs(module)
    clocks: Counter[str] = Counter()
    resets: dict[str, Level] = {}
    clocked: dict[str, Level] = {}
    for cell in module["cells"].values():
        if (clock := nets.source(cell, "CLK")) is not None:
            clocks[clock[0]] += len(cell["connections"].get("Q", ()))
        for pin, polarity in _RESETS.items():
            found = nets.source(cell, pin)
            if found is None:
                continue
            name, inverted = found
            high = (int(cell["parameters"].get(polarity, "1"), 2) != 0) != inverted
            (clocked if pin == "SRST" else resets).setdefault(name, "high" if high else "low")
    return Design(
        top,
        tuple(ports),
        tuple(name for name, _ in clocks.most_common()),
        {name: level for name, level in resets.items() if name not in clocks},
        {name: level for name, level in clocked.items() if name not in clocks},
    )


class _Inputs:
    """Which input of one bit stands behind a pin, through inverters."""

    def __init__(self, module: YosysModule) -> None:
        self._ports = {
            port["bits"][0]: name
            for name, port in module["ports"].items()
            if port["direction"] == "input" and len(port["bits"]) == 1
        }
        self._inverted = dict(self._inverters(module))

    @staticmethod
    def _inverters(module: YosysModule) -> Iterator[tuple[int | str, int | str]]:
        for cell in module["cells"].values():
            pins = cell["connections"]
            if cell["type"] in _INVERTERS and len(pins["A"]) == len(pins["Y"]) == 1:
                yield pins["Y"][0], pins["A"][0]

    def source(self, cell: YosysCell, pin: str) -> tuple[str, bool] | None:
        """The input, and whether its level is inverted; None if there is none."""
        bits = cell["connections"].get(pin)
        if bits is None or len(bits) != 1:
            return None
        net, inverted = bits[0], False
        for _ in self._inverted:  # no more steps, as inverters may stand in a ring
            if net in self._ports or net not in self._inverted:
                break
            net, inverted = self._inverted[net], not inverted
        return (self._ports[net], inverted) if net in self._ports else None


# Usual names of ports and of modules, and what they say.

# Names of ports. `msg_valid_i` has the words msg and valid: `i` and `o` only repeat the direction.

_WORD: Final = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+(?![a-z])")
DIRECTIONS: Final = {"i", "o", "ni", "no", "n", "port"}
SIDES: Final = {"in", "out", "input", "output"}


def _listed(names: str) -> list[str]:
    return names.split()


CLOCKS: Final = _listed("clk clock aclk ck sysclk clkin hclk pclk mclk")
RESETS: Final = _listed(
    "rst reset rstn resetn nrst nreset aresetn areset arst arstn srst rstb resetb nres por sreset"
)
KEYS: Final = _listed("key kin cipherkey userkey masterkey k secret")
BLOCKS: Final = _listed(
    "block data plaintext plain pt text message msg din state word dat d m x chunk"
)
RESULTS: Final = _listed(
    "result digest hash ciphertext cipher ct tag mac dout data text state q y h res"
)
STARTS: Final = _listed(
    "start go begin run trigger kick fire req request launch strt load ld next newblock init "
    "valid vld drdy encrypt en enable we write"
)
DONES: Final = _listed("done finished finish complete completed valid vld dvld dvalid drdy ack")
READY: Final = _listed("ready rdy idle")
BUSY: Final = {"busy", "bsy"}
"""Outputs that say the opposite of done."""
KEY_STARTS: Final = _listed(
    "keyinit initkey kld keyload loadkey ldkey keyld keyvalid keystart setkey keyset krdy "
    "keyexpand expand keyen enkey keywe writekey"
)
KEY_DONES: Final = _listed("keyready keydone keyok keyrdy keyvalid kready kdone krdy kvld")
HIGH: Final = _listed("en ena enable ce clken encdec enc encrypt encryption encipher first mode")
"""Inputs of one bit that are usually 1; all others without a part begin at 0."""
OFF: Final = _listed("scan scanenable scanen test testmode wipe flush zeroize abort")
"""Inputs that stay 0, which is not doubted."""
VALID, STREAM_READY = {"valid", "vld", "tvalid"}, {"ready", "rdy", "tready"}
LAST, BYTES = {"last", "tlast", "eop", "final"}, {"bytes", "nbytes", "bytecount", "numbytes"}
DATA: Final = ("data", "tdata", "dat", "word", "block")


def words_of(name: str) -> list[str]:
    """The words of a port's name in small letters."""
    return [word.lower() for word in _WORD.findall(name)]


def stem_of(name: str) -> str:
    """The name without what only repeats the direction."""
    words = words_of(name)
    kept = [word for word in words if word not in DIRECTIONS | SIDES]
    return "".join(kept or [word for word in words if word not in DIRECTIONS] or words)


def rank_of(port: Port, names: Sequence[str]) -> int | None:
    """How well a name fits: 0 is best; None if not at all."""
    stem = stem_of(port.name)
    if stem in names:
        return names.index(stem)
    found = [names.index(word) for word in words_of(port.name) if word in names]
    return len(names) + min(found) if found else None


# The algorithm, by the name of the module.

_SHORT_NAMES: Final = {
    "siphash": ("siphash-2-4", "siphash-2-4-128"),
    "halfsiphash": ("halfsiphash-2-4", "halfsiphash-2-4-64"),
    "chaskey": ("chaskey-12",),
    "cmac": ("cmac-aes128", "cmac-aes192", "cmac-aes256"),
    "aes": ("aes128", "aes192", "aes256"),
    "serpent": ("serpent128", "serpent256"),
    "twofish": ("twofish128", "twofish256"),
    "blake2b": ("blake2b-512",),
    "blake2s": ("blake2s-256",),
    "gmac": ("gmac-aes128",),
}
"""Names that say less than an id of the catalogue -> ids that they may mean."""


def named_algorithm(design: Design, names: Sequence[str]) -> AlgorithmFacts | None:
    """The algorithm that the module's or a file's name says and whose widths the ports have."""
    known = algorithms()
    keys = [p.width_bits for p in design.ports if p.is_input and rank_of(p, KEYS) is not None]
    outputs = {port.width_bits for port in design.ports if not port.is_input}

    def fits(facts: AlgorithmFacts) -> bool:
        """Whether there is a key where one is needed, and of its width where that is known."""
        if bool(keys) != bool(facts.key_bytes):
            return False
        return not keys or max(keys) < 64 or any(8 * size in keys for size in facts.key_bytes)

    for name in names:
        plain = "".join(words_of(name))
        ids = sorted(known, key=len, reverse=True)
        found = [id_ for id_ in ids if "".join(words_of(id_)) in plain]
        for short, meant in _SHORT_NAMES.items():
            if short in plain:
                found += meant
        fitting = [known[id_] for id_ in found if fits(known[id_])]
        exact = [facts for facts in fitting if 8 * facts.output_bytes in outputs]
        if fitting:
            return (exact or fitting)[0]
    return None
