# SPDX-License-Identifier: Apache-2.0
"""Luffa and Hamsi, SHA-3 candidates whose S-boxes of four bits work on slices of words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

from joulemark.reference.aes_finalists import mix_words
from joulemark.reference.words import bytes_of, rotate_left, words_of

# Luffa (De Canniere, Sato and Watanabe, specification version 2.0), of 256 and 512 bits.
#
# S-boxes are the sum of their truth table's rows, and constants are computed by the generator of
# section 4.4.

_Words = tuple[int, ...]

_MASK = 0xFFFFFFFF
_S = (13, 14, 0, 1, 5, 10, 7, 6, 11, 3, 9, 12, 15, 8, 2, 4)
_INITIAL = tuple(
    words_of(
        bytes.fromhex(
            "6d251e6944b051e04eaa6fb4dbf784656e29201190152df4ee058139def610bb"
            "c3b44b95d9d2f25670eee9a0de099fa35d9b05578fc944b3cf1ccf0e746cd581"
            "f7efc89d5dba578104016ce5ad659c050306194f666d183624aa230a8b264ae7"
            "858075d536d79ccee571f7d7204b1f6735870c6a57e9e92314bcb8087cde72ce"
            "6c68e9be5ec41e22c825b7c7affb4363f5df39990fc688f1b07224cc03e86cea"
        ),
        "big",
    )
)
_SEEDS = (
    0x181CCA53380CDE06,
    0x5B6F0876F16F8594,
    0x7E106CE938979CB0,
    0xBB62F36492E93C29,
    0x9A025047CFF2A940,
)
_FEEDBACK = 0xC4D6496C55C61C8D


@cache
def _constants(j: int) -> list[tuple[int, int]]:
    """For each step of permutation j, the constants that are added to words 0 and 4."""
    state, words = _SEEDS[j], []
    for _ in range(16):
        state = (state << 1) ^ ((1 << 64 | _FEEDBACK) if state >> 63 else 0)
        words.append(state >> 32)
        state = (state & _MASK) << 32 | state >> 32
    return list(zip(words[0::2], words[1::2], strict=True))


def substitute(words: list[int], box: Sequence[int], mask: int) -> list[int]:
    """Puts the four bits at each place of four words through an S-box of 16 values.

    The first word holds the lowest of the four bits; the mask has all bits of a word.
    """
    out = [0] * 4
    for value, image in enumerate(box):
        here = mask  # places whose four bits are `value`
        for k, word in enumerate(words):
            here &= word if value >> k & 1 else ~word
        for k in range(4):
            out[k] |= here if image >> k & 1 else 0
    return out


def _permute(words: list[int], j: int) -> list[int]:
    a = words[:4] + [rotate_left(word, j) for word in words[4:]]
    for first, second in _constants(j):
        # Both halves at once, in words of 64 bits.
        pairs = [a[k] << 32 | a[4 + (k + 1) % 4] for k in range(4)]
        both = substitute(pairs, _S, _MASK << 32 | _MASK)
        a = [word >> 32 for word in both] + [both[k - 1] & _MASK for k in range(4)]
        for k in range(4):
            x, y = a[k], a[k + 4] ^ a[k]
            x = rotate_left(x, 2) ^ y
            y = rotate_left(y, 14) ^ x
            a[k], a[k + 4] = rotate_left(x, 10) ^ y, rotate_left(y, 1)
        a[0] ^= first
        a[4] ^= second
    return a


def _twice(a: _Words) -> _Words:
    """Words are the coefficients of a polynomial modulo x^8 + x^4 + x^3 + x + 1."""
    t = a[7]
    return (t, a[0] ^ t, a[1], a[2] ^ t, a[3] ^ t, *a[4:7])


def _sum(*blocks: _Words) -> _Words:
    total = [0] * 8
    for block in blocks:
        total = [a ^ b for a, b in zip(total, block, strict=True)]
    return tuple(total)


@lru_cache(maxsize=512)
def _round(state: tuple[_Words, ...], message: _Words) -> tuple[_Words, ...]:
    """Message injection and permutations, of three or five blocks."""
    width, doubled = len(state), _twice(_sum(*state))
    blocks = [_sum(block, doubled) for block in state]
    if width == 5:
        for ahead in (1, 4):
            blocks = [_sum(_twice(blocks[j]), blocks[(j + ahead) % 5]) for j in range(5)]
    for j in range(width):
        blocks[j] = _sum(blocks[j], message)
        message = _twice(message)
    return tuple(tuple(_permute(list(block), j)) for j, block in enumerate(blocks))


def luffa(message: bytes, output_bytes: int) -> bytes:
    r"""The digest of 32 or 64 bytes.

    Example:
        >>> luffa(b"\xcc", 32).hex()[:16]
        'e47d4158bfe03555'
    """
    width = 3 if output_bytes <= 32 else 5
    state = tuple(_INITIAL[8 * j : 8 * j + 8] for j in range(width))
    padded = message + b"\x80" + bytes(-(len(message) + 1) % 32)
    for at in range(0, len(padded), 32):
        state = _round(state, tuple(words_of(padded[at : at + 32], "big")))
    digest = b""
    while len(digest) < output_bytes:
        state = _round(state, (0,) * 8)
        digest += bytes_of(_sum(*state), "big")
    return digest


# Hamsi (Kucuk, round 2 of the SHA-3 competition, 2009), of 256 and 512 bits.
#
# S-box and linear transformation are Serpent's. A block of the message is a vector over GF(4),
# which the generator of the code multiplies.

_HAMSI_S = (8, 6, 7, 9, 3, 12, 10, 15, 13, 1, 14, 4, 0, 11, 5, 2)
"""Serpent's S-box S2."""
_CONSTANTS = (
    (
        "ff00f0f0ccccaaaaf0f0ccccff00aaaaccccaaaaf0f0ff00aaaaccccf0f0ff00"
        "f0f0ccccaaaaff00ccccff00aaaaf0f0aaaaf0f0ff00ccccccccf0f0ff00aaaa"
        "ccccaaaaff00f0f0ff00aaaaf0f0ccccf0f0ff00ccccaaaaf0f0ff00aaaacccc"
        "aaaaff00f0f0ccccaaaaf0f0ccccff00ff00ccccaaaaf0f0ff00aaaaccccf0f0"
    ),
    (
        "caf9639c0ff0f9c0639c0ff0caf9f9c00ff0f9c0639ccaf9f9c00ff0639ccaf9"
        "639c0ff0f9c0caf90ff0caf9f9c0639cf9c0639ccaf90ff00ff0639ccaf9f9c0"
        "0ff0f9c0caf9639ccaf9f9c0639c0ff0639ccaf90ff0f9c0639ccaf9f9c00ff0"
        "f9c0caf9639c0ff0f9c0639c0ff0caf9caf90ff0f9c0639ccaf9f9c00ff0639c"
    ),
)
"""Constants of the rounds of P and of P_f: four rows of eight words."""
_CODE_256 = (
    "749510005a2b467e88fd1d2b1ee68292cba9000090273769bbdcf407d0f4af61"
    "e92a2000b4578cfc11fa3a573dc9052497530000204f6ed377b9e80fa1ec5ec1"
    "121b40005b17d9e88dfacfabce36cc72e65700004bb33a25848598ba1041003e"
    "e4788000859673c1b5fb245229cc5edf045f00009c4a93c962fc79d0731ebdc2"
    "b7a401008a1f31d88589d8abe6c46464734c0000956fa7d6a29d12976ee56854"
    "a7b802001f12843360e5f9f29e147576ee260000124b683e80c2d68f3bf3ab2c"
    "8f3e04000d9dc8776fc548e1898d2cd614bd00002fba37ff6a72e5bb247febe6"
    "de320800288350fe71852ac7a6bf9f96e18b00005459887dbf1283d31b666a73"
    "515c001040f372fbfce72602715750612e39000064dd66893cd406fcb1f490bc"
    "a2b8002081e7e5f6f9ce4c04e2afa0c05c720000c9bacd1279a90df963e92178"
    "4dce00403b5bec7e36656ba823633a0578ab0000a0cd5a345d5ca0f7727784cb"
    "5bd20080450f18ecc2c46c55f362b23339a600004ab753ebd14e094bb772b42b"
    "c04e000133b9c010ae0ebb05b5a4c63bc8f100000b2de7826bf648a4539cbdbf"
    "882300025fe7a7b399e585aa8d75f7f151ac000025e30f1479e22a4c1298bd46"
    "d00800048c768f779dc5b050af4a29da6ba9000040ebf9aa98321c3d76acc733"
    "a8ae00082079397dfe739301b8a92831171c0000b26e33449e6a837e58f8485f"
)
"""Generator of the code [128, 16, 70]: rows of 64 digits."""
_CODE_512 = (
    "ef0b02703afd00005dae0000694900009b0f3c064405b5f966140a51924f5d0a"
    "c96b0030e72500002f840000264f000008695bf96dfcf137509f69849e69af68"
    "145a3c00b9e9000061270000f1610000ce613d6cb0493d7847a96720e18e24c5"
    "23671400c8b90000f4c70000fb75000073cd2465f8a6a54902c40a3fdc24e61f"
    "54285c00eaed0000c5d60000a1c50000b3a2677094a5c4e16bb0419d551b3782"
    "9cbb1800b0d3000092510000ed930000593a4345e114d5f4430633da78cace29"
    "29449c0064e70000f24b0000c2f300000ede4e8f56c23745f3e042598d0d9ec4"
    "466d0c0008620000dd5d0000badd00006a927942441f2b93218ace6fbf2c0be2"
    "f68000053443c000240700008f3d000021373bfb0ab8d5aecdc58b19d795ba31"
    "a67f00017137800019fc000096db00003a8b6dfdebcaaef32c6d478fac8e6c88"
    "f7750009cf3cc000c3d6000004920000029519a9f8e836ba7a87f14e9e16981a"
    "d46a00008dc8c000a5af00004a290000fc4e427ac9b4866c98369604f746c320"
    "774400f0f15a0000f5b200003414000089377e8c5a8bec250bc3cd1ecf3775cb"
    "f46c00509618000014a50000031f000042947eb866bf7e199ca470d28a341574"
    "e88701709d72000012db0000d4220000f2886b27a921e5434ef8b518618813b1"
    "b43700600c4c000056c200005cae000094541f3f3b3ef8251b365f3df3d45758"
    "0c72000049e50f00427900005cea000033aa301a1582251495a34b7bb44b0090"
    "fe220000a758050025d10000f7600000893178da1fd4f8604ed0a315a123ff9f"
    "45180000a5b51700f96a00003b4800001ecc142c231395d616bca6b0df33f4df"
    "b83d000016710600379a0000f5b10000228161acae48f14566241616c5c1eb3e"
    "75a40000c28b270094a4000090f50000fb7857e049ce0bae1767c483aedf667e"
    "d16600001bbc03009eec0000f694000003024527cf70fcf2b4431b17857f3c2b"
    "75c900030e10c000d1200000baea00008bc42f3e8758b757bb28761d00b72e2b"
    "eecf00016f564000f33e0000a79e0000bdb57219b711ebc54a3b40bafeabf254"
    "867900003f390002e19ae000985600009565670e4e88c8ead3dd4944161ddab9"
    "30b70000e5d00000f4f4600042c4000063b83d6a78ba946021afa1eab0a51834"
    "1419000023ca003c50df000044b600001b6c67b03cf3ac7561e610b0dbcadb80"
    "e34300003a4e0014f2c60000aa4e0000db1e42a6256bbe15123db1563a4e99d7"
    "545000000671005c25ae00006a1e00002ea54edf664e8512bfba18c37e715d17"
    "bc8d0000fc3b001819830000d10b0000ae1878c442a698560012da372c3b504e"
    "69510000d4e1009cc3230000ac2f0000e4950baecea415dc87ec287cbce1a3ce"
    "c6730000af8d000ca4c10000218d0000231115877913512f1d28ac88378dd173"
    "cc140000a56300005ab907803b5000004bd013ff879b3418694348c1ca5a87fe"
    "819e0000ec5700006632028095f300005da9280248f43cbce65aa22d8e67b7fa"
    "7823000012fc0000a93a0b8090a50000713e28797ee98924f08ca062636f8bab"
    "02af0000b7280000ba1c030056980000ba8d45d38048c667a95c149af4f6ea7b"
    "ac4800001ba6000045fb1380034300005a85316a1fb250b6fe72c7fe91e478f6"
    "1e4e0000decf00006df8018077240000ec47079ef4a0694ecda3181298aa496e"
    "aec300009c4f000179d1e0002c15000045cc75b36650b736ab92f78fa312567b"
    "db2500000929000049aac00081e10000cafe6b594279343143566b76e86cba2e"
    "58430000807e000078330001c66b3800e7375cdc79ad3fddac73fe6f3a4479b1"
    "1d5a00002b720000488d0000af61180025cb2ec5c879bfd081a204291e7536a6"
    "a53b0000142600004e30001e7cae00008f9e0dd578dfaa3df73168d80b1b4946"
    "07ed0000b25000008774000a970d0000437223ae48c76ea4f47862229075b1ce"
    "889800001f9400007fcf002efb4e0000f158079a61ae9167a895706ce6107494"
    "0bc20000db6300007e88000c1586000091fd48f37581bb43f460449ed8b61463"
    "52500000295400006a61004ef0ff00009a317eec452341cecf568fe55303130f"
    "538d0000a9fc00009ef7000656ff00000ae4004e92c5cdf9a94440187f975691"
    "e62800004c4b0000a8550000d3d002e0d86130b898a7b0da289506b4d75a4897"
    "f0c500005923000045820000e18d00c03b6d0631c2ed5699cbe0fe1c56a7b19f"
    "b431000077330000b15d00007fd004e078a26138d116c35dd256d4894e6f74de"
    "e3060000bdc1000087130000bff200602eba0a1a8db5375173c5ab065bd61539"
    "02f20000a2810000873f0000e36c78001e1d74ef073d2bd6c4c232377f32259e"
    "badd000013ad0000b7e70000f7282800df45144d361ac33aea5a8d142a2c18f0"
    "1e6c0000c44200008a2e0000bcb6b8002c4413b68bfdd3da6a0c1bc8b99dc2eb"
    "925600001eda0000ea510000e8b13000a93556a5ebfb6199b15c225433c5244f"
    "033d000008b30000f33a00003ac2000751298a506b6e661f0ea5cfe3e6da7ffe"
    "a8da000096be00005c1d000007da00027d6695831f98708abb668808da878000"
    "01930000e7820000edfb0000cf0c000b8dd08d58bca3b42e063661e1536f9e7b"
    "92280000dc85000057fa000056dc0003bae923165aefa30c90cef7527b1675d7"
    "5fa800005603000043ae000064f30013257e86bf1311944e541e95bf8ea4db69"
    "004400007f480000da7c00002a2300013badc9cca9b69c87030a9e60be0a679e"
    "ee930000d607000092c100002b9801e09451287c3b6cfb5745312374201f6a64"
    "7b28000057420000a9e50000634300a09edb442f6d9995bb27f83b03c7ff60f0"
)
"""Generator of the code [256, 32, 131]: rows of 128 digits. In a row of both generators, the bits
of a symbol have the same place in both halves."""


def _expand(block: bytes) -> list[int]:
    """Each two bits are a symbol: 1 takes a row of the generator, 2 takes w times it, 3 both."""
    digits = 16 * len(block)
    text = _CODE_256 if len(block) == 4 else _CODE_512
    rows = (text[at : at + digits] for at in range(0, len(text), digits))
    half_bits, total = 32 * len(block), 0
    for i, row in enumerate(rows):
        symbol = block[i // 4] >> 2 * (i % 4) & 3
        first, second = divmod(int(row, 16), 1 << half_bits)
        for _ in range(2):
            if symbol & 1:
                total ^= first << half_bits | second
            symbol >>= 1
            first, second = second, first ^ second
    return words_of(total.to_bytes(half_bits // 4, "big"), "big")


def _substitute(state: list[int], columns: int) -> None:
    """Puts all columns through the S-box at once: a row is a number, its first word the lowest."""
    rows = [sum(state[row * columns + i] << 32 * i for i in range(columns)) for row in range(4)]
    rows = substitute(rows, _HAMSI_S, (1 << 32 * columns) - 1)
    state[:] = [row >> 32 * i & _MASK for row in rows for i in range(columns)]


def _diffuse(state: list[int], places: tuple[int, ...]) -> None:
    mixed = mix_words(*(state[place] for place in places))
    for place, word in zip(places, mixed, strict=True):
        state[place] = word


def _hamsi_permute(state: list[int], columns: int, rounds: int, constants: list[int]) -> None:
    for number in range(rounds):
        for i in range(4 * columns):
            state[i] ^= constants[i // columns * 8 + i % columns]
        state[1] ^= number
        _substitute(state, columns)
        for i in range(columns):
            _diffuse(state, tuple(row * columns + (i + row) % columns for row in range(4)))
        if columns == 8:
            for places in ((0, 2, 5, 7), (16, 19, 21, 22), (9, 11, 12, 14), (25, 26, 28, 31)):
                _diffuse(state, places)


@lru_cache(maxsize=2048)
def _compress(chain: tuple[int, ...], block: bytes, last: bool) -> tuple[int, ...]:
    columns = len(chain) // 2
    message, state = _expand(block), []
    for row in range(4):  # pairs of the message and of the chaining value take turns
        for i in range(columns):
            pair = row * columns // 2 + i // 4 * 2 + i % 2
            state.append((chain if (i // 2 + row) % 2 else message)[pair])
    rounds = (3 if columns == 4 else 6) * (2 if last else 1)
    _hamsi_permute(state, columns, rounds, words_of(bytes.fromhex(_CONSTANTS[last]), "big"))
    taken = state[:columns] + state[2 * columns : 3 * columns]
    return tuple(a ^ b for a, b in zip(chain, taken, strict=True))


def hamsi(message: bytes, output_bytes: int) -> bytes:
    r"""The digest of 32 or 64 bytes.

    Example:
        >>> hamsi(b"\xcc", 32).hex()[:16]
        'ac2dac2a6ddaf703'
    """
    size = output_bytes // 8
    start = b"versiteit Leuven, Departement El"
    if size == 8:
        start = b"steelpark Arenberg 10, bus 2446, B-3001 Leuven-Heverlee, Belgium"
    chain = tuple(words_of(start, "big"))
    padded = message + b"\x80" + bytes(-(len(message) + 1) % size)
    padded += (8 * len(message)).to_bytes(8, "big")
    for at in range(0, len(padded), size):
        chain = _compress(chain, padded[at : at + size], at + size == len(padded))
    return bytes_of(chain, "big")
