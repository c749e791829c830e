# SPDX-License-Identifier: Apache-2.0
"""Usual names of ports and of modules, and what they say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from joulemark.catalogue.algorithms import AlgorithmFacts, algorithms
from joulemark.hardware.flow.place import Port
from joulemark.hardware.proposing.design import Design

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
