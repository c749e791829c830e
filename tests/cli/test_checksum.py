# SPDX-License-Identifier: Apache-2.0
"""`joulemark checksum`: what SUPERCOP's files checksumsmall have, printed alone."""

from __future__ import annotations

import pytest

from joulemark import _core
from joulemark.catalogue.algorithms import algorithms
from joulemark.catalogue.ebacs import EBACS_KEY_BYTES, algorithm_called
from joulemark.measure.workers.sources import installed_sources

CHECKSUMS = {
    "ebacs:md5": "87baaef0918b9e5d9cfc52af3bb6a1bc7070b396af837d09f364d9cb3bb1c78e",
    "ebacs:sha1": "ef2533c223e26050f6dedf56c85d16419c19d08e06c7ebc0fd166bf20f5f4caa",
    "ebacs:sha256": "0fb5122d471d9310c4ff212c64a73cc985f0826484c24f34b56cb1d39534ba24",
    "ebacs:sha512": "8220572f58bd4730be165c9739d8d4b0fd2e0229dbe01e25b4aed23f00f23b70",
    "ebacs:sha3256": "ebbed3a47232047ad399cb77b6324d6c902f4715de871750545b1a3b12046ebe",
    "ebacs:sha3512": "a2ad202e4c91b2b22a059308182b692a08c63ab839c2c0dbdc6e31fe1a9c14f4",
    "ebacs:keccakc512": "995ec6efa3a2e23e34c2b0fba46e55fd634c414173019d6437858741a70a82f2",
    "ebacs:keccakc1024": "e76c5669450be730432e26b6f6ced608a3536509e28c8d38b07ebaf64c95500a",
    "ebacs:echo256": "55d4e371e12e4a99b5e06ca048f057fa798acdc2df63500226a03bb0d4f26d91",
    "ebacs:echo512": "39a9286352583f662b2ab8cec47505532f9d10ff4ef61f8853fab67e5bb4634f",
    "ebacs:fugue256": "a1ea4d3ff1b21785496a84d56b1fdf9f7d82e3a55013f96527a7c6a07f0793eb",
    "ebacs:fugue512": "58290b223df17cc557ef7fedc3036a357b641fb668f4966c444ee204073d0758",
    "ebacs:groestl256": "c651fbb1e19847737ebb05c3bb6abebadc561652d068b34c105e2a565a53365c",
    "ebacs:groestl512": "e9e72162127a48d3ad499c73f24e27e99b4b0129409aa80ba6b58a4cd2747037",
    "groestl-r2-256": "0b6952b428ce995c69645e4c126910be861ec32e10da295f53d9445b47953780",
    "groestl-r2-512": "22930d366bc668d506d95293789dd4ed2c0ea1e10741f3f621ce37d235a6951f",
    "ebacs:shavite3256": "1a696bc786a02249056e4ca294c454f46e5e3506fc5bcb95d565d3d466c94ce2",
    "shavite3-512": "34f16e87155a288d869b02d03ea5475db11de8d4dc77dee5586ae93b8d427a10",
    "keccak-r2-256": "85b1d28214bc74051c3c20b1ffadfbbdf33f2a1906ab0276b3190f16d5b3fee3",
    "keccak-r2-512": "149a84c9a4091526bdb2cf0bd6b2824468ac50491e9197ac9f119849d1d7c1ca",
    "ebacs:hmacmd5": "b288aadc6dce3667b632062d8928e7e8c81b1faa0a68edc768f65cb5ae859668",
    "ebacs:hmacsha256": "0e2353400319630aecd4e8f0865325c51927fca117f6a50a2bc75bffba06e07a",
    "ebacs:hmacsha512256": "15c0bb089c680e53db34724ad6bf9cf9495afeb7b4ce75d7781e7fbaa375a06f",
    "ebacs:siphash24": "66a29d9f5bd7ac367e71906ae361bfa149b8f3ee8e932c25ff40bc8961a036ae",
    "ebacs:poly1305": "6e0b9cab26afe89025afa79802234668b378ae2a0f8415b062ece0174f8bdcef",
}
"""Of SUPERCOP 20190811. It lacks the second round's Groestl and Keccak, and a checksum of
SHAvite-3-512: theirs are of models that pass published vectors."""


@pytest.fixture(autouse=True)
def kernels_alone(monkeypatch):
    """No library is opened for a command."""
    builtin = [one for one in installed_sources() if one.kind == "builtin"]
    monkeypatch.setattr("joulemark.cli.shared.inventory.installed_sources", lambda: builtin)


def computed(name: str, variant: str, *, big: bool = False) -> str:
    """The checksum of one of our kernels, in this process."""
    facts = algorithm_called(name)
    (one,) = [
        one
        for one in _core.builtin_plugin().implementations()
        if (one.algorithm, one.variant) == (facts.id, variant)
    ]
    fixed = one.key_bytes_min == one.key_bytes_max
    return _core.supercop_checksum(
        one, one.key_bytes if fixed else EBACS_KEY_BYTES,
        facts.ebacs_output_bytes or one.output_bytes, big,
    ).hex()  # fmt: skip


@pytest.mark.parametrize("name", CHECKSUMS)
def test_checksums_are_those_of_supercop(name):
    """Every algorithm of ours that eBACS has too."""
    assert computed(name, "portable") == CHECKSUMS[name]


def test_every_name_in_ebacs_has_a_checksum_here():
    """No algorithm is mapped to a primitive without its checksum being tested."""
    mapped = {one.id for one in algorithms().values() if one.ebacs}
    assert mapped <= {algorithm_called(name).id for name in CHECKSUMS}


def test_the_checksum_alone_is_printed(run):
    """64 digits and a line's end, of `auto` or of the implementation that was named."""
    for more in ([], ["--implementation", "portable"]):
        result = run("checksum", "ebacs:crypto_hash/keccakc512", *more)
        assert result.exit_code == 0, result.output
        assert result.output == CHECKSUMS["ebacs:keccakc512"] + "\n"


def test_the_keys_of_hmac_have_the_length_of_ebacs(run):
    """32 bytes, whatever key is usual for the hash."""
    assert run("checksum", "hmac-md5").output == CHECKSUMS["ebacs:hmacmd5"] + "\n"


def test_the_big_checksum_is_another(run):
    """Longer and more messages; two implementations agree."""
    result = run("checksum", "sha3-256", "--big", "--implementation", "portable")
    assert result.output != CHECKSUMS["ebacs:sha3256"] + "\n"
    assert result.output == computed("sha3-256", "portable", big=True) + "\n"
    assert len(result.output) == 65


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["sha3256"], "unknown algorithm 'sha3256'; did you mean sha3-256?"),
        (["ebacs:keccak512"], "did you mean keccakc512? (it has "),
        (["aes128"], "aes128 is a cipher"),
        (["ascon-mac"], "nothing here computes ascon-mac in software"),
        (["sha256", "--implementation", "shanni"], "did you mean sha256/shani"),
        (["sha256", "--implementation", "*"], "--implementation *: name one, not "),
    ],
)
def test_what_has_none_is_refused(refused, arguments, says):
    """One sentence that says what is wrong."""
    assert says in refused("checksum", *arguments)
