# SPDX-License-Identifier: Apache-2.0
"""`joulemark checksum` prints only the checksum that SUPERCOP has in its files checksumsmall."""

from __future__ import annotations

import pytest

from joulemark import _core
from joulemark.catalogue import EBACS_KEY_BYTES, algorithm_called, algorithms
from joulemark.measure.inventory import inventory_of
from joulemark.measure.worker.sources import installed_sources
from joulemark.reference.sha3_with_aes import CODE_OF_2009, TWEAK_OF_2010, shavite3

CHECKSUMS = {
    "ebacs:md5": "87baaef0918b9e5d9cfc52af3bb6a1bc7070b396af837d09f364d9cb3bb1c78e",
    "ebacs:sha1": "ef2533c223e26050f6dedf56c85d16419c19d08e06c7ebc0fd166bf20f5f4caa",
    "ebacs:sha256": "0fb5122d471d9310c4ff212c64a73cc985f0826484c24f34b56cb1d39534ba24",
    "ebacs:sha512": "8220572f58bd4730be165c9739d8d4b0fd2e0229dbe01e25b4aed23f00f23b70",
    "ebacs:sha3256": "ebbed3a47232047ad399cb77b6324d6c902f4715de871750545b1a3b12046ebe",
    "ebacs:sha3512": "a2ad202e4c91b2b22a059308182b692a08c63ab839c2c0dbdc6e31fe1a9c14f4",
    "ebacs:keccakc512": "995ec6efa3a2e23e34c2b0fba46e55fd634c414173019d6437858741a70a82f2",
    "ebacs:keccakc1024": "e76c5669450be730432e26b6f6ced608a3536509e28c8d38b07ebaf64c95500a",
    "ebacs:blake2b": "32f7429ae7e28c7f760e1f3390997b446d6d1634455411888f84ab2429c5b951",
    "ebacs:blake2s": "714b4f3bc990419e765cf0f125d92db516835b7d571b15ec65d45221844429b8",
    "ebacs:k12": "d8e3b1835c92bc58997aa21403ef4e0c7484c2dfcc2ef1fdb02ace848f80726e",
    "ebacs:asconhashv12": "0c7c447bfc05eae4acafa14899b87255dda0b028242968eb5f3dd1a7b30b9895",
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
    "ebacs:blake32": "5836d006ec66370d8c07c655d634e346b9ea489a1099deda7af1d97d732fbc7c",
    "ebacs:blake64": "cee48be821214988c42943cceb3b6dcf315b419bd84d9fdb68ced5280bffc8ec",
    "ebacs:blake256": "3b1dd815e015dd0ba095ff895f68c51124cc84bd98f1f5b3537def6057a8aa19",
    "ebacs:blake512": "c575a8d8e8a750b9bb62f5db07c269f2992d5b6beeb5fb84e4a5145a3c79cf5e",
    "skein-512-r2-256": "cb14ec095889d25c9deaa50d7f4f540c2cf67954f42ae48b5c782b708abae9b2",
    "skein-512-r2-512": "b84649bfea67f2d931416741d3ddfcf279ff8fdb354fda68ea16e572f04f9c9c",
    "ebacs:skein512256": "cb8f6bb0491bfbc8a866b91cbcb58a08945c0f8c2e6917a902292da92cd2195f",
    "ebacs:skein512512": "236e74a6be04689220a82630ae2936ca7234aef9877e0c2d1ab46c767f4a0733",
    "ebacs:bmw256": "06cab08b0d4b59ab393a55dc2fbf1fd78d71f71877200e0614b00d6172f87beb",
    "ebacs:bmw512": "27b778fc591c4a579ecc6bcd4f93c2de12c0c4fcd2a3bc6523e0fa1148379d58",
    "ebacs:shabal256": "1b4577d2f16e50ee274152ea73726a43b5b2224fe835112ff43f39d6f963640c",
    "ebacs:shabal512": "415f15a3dd50b4f23222249912c5e9317f8e41c2bc1aab418c5204c283097b4a",
    "ebacs:cubehash1632": "fd0ff189fe9e475f9fb9a43182b387446eb5506597e2d87427168e8f79e1ecf9",
    "ebacs:cubehash512": "b9dfac7a0d5738a3b9db4be9b6a199b578685e499742a0f192240e7f7ff85a37",
    "ebacs:simd256": "2e7bd347e1fb7beb0e3f61f4c6ad841797e012a7bdc245e51de90f28c107c245",
    "ebacs:simd512": "bc66ace0564663b5efd8a3c675f5c2aeabf04001b0b3b075b8db521de4e25198",
    "ebacs:jh256": "5f5a1f455ff5b8494a103085aa8167cf244c3ffbb17ccf944014425f5a368e0d",
    "ebacs:jh512": "1e658f0f30711805a8c807ba56511fb41d8b5748266bb6277ee0c74fe3e3d5f1",
    "ebacs:round3jh256": "1e09bbe057b255871aa745f677946af8146e542de6868c5d455e748a93471e49",
    "ebacs:round3jh512": "86153286c5663aa56eca807bb8edf463bfdb6c93eccce642c7a7db8a66de9209",
    "ebacs:luffa256": "86376eba6f65ad8bedb4d44ae8d11794ce95f1e02d9f9568f98771b37872a7ef",
    "ebacs:luffa512": "58d694ef79d9ecbdfdda70b3bade9c938de03a0f5ff7b64f78ac35eec66ec4ac",
    "ebacs:hamsi": "94c834960e42afe33ae9ab49f26c9fb8f6743946addb3aea6d8d5492fa5381d8",
    "hamsi-512": "79e45ba446180791aef31c7e471dd3ee63d7fefc2c744a6852cf0b4d142e87d8",
    "ebacs:hmacmd5": "b288aadc6dce3667b632062d8928e7e8c81b1faa0a68edc768f65cb5ae859668",
    "ebacs:hmacsha256": "0e2353400319630aecd4e8f0865325c51927fca117f6a50a2bc75bffba06e07a",
    "ebacs:hmacsha512256": "15c0bb089c680e53db34724ad6bf9cf9495afeb7b4ce75d7781e7fbaa375a06f",
    "ebacs:siphash24": "66a29d9f5bd7ac367e71906ae361bfa149b8f3ee8e932c25ff40bc8961a036ae",
    "ebacs:poly1305": "6e0b9cab26afe89025afa79802234668b378ae2a0f8415b062ece0174f8bdcef",
}
"""Checksums of SUPERCOP 20190811; that of k12 is the one on which many implementations there agree.
It lacks the second round's Groestl, Keccak and Skein, and a checksum of Hamsi-512 and
SHAvite-3-512: their checksums here are those of models that pass published vectors.
"""

VERSIONS_OF_SHAVITE3 = {
    (32, CODE_OF_2009): "307e815dbaa6bbe17c27dc82e6f62fdaafae1b57e1fd8a5f65246448807f4c0e",
    (64, CODE_OF_2009): "a52ba988bed912a435f257ad37f0946fffec8b3638dfa32902d04274c5c5f328",
    (64, TWEAK_OF_2010): "28f1dca99fb1bd3fed5516fb8c14537a1ab2482cc00199ce8e5c888d5c647779",
}
"""Checksums of code that passes for SHAvite-3 and does not follow the second round's specification:
of files that pass the competition's known answers, and of eight folders of SUPERCOP.
"""


@pytest.fixture(autouse=True)
def kernels_alone(monkeypatch):
    """Hides all outside libraries from the commands."""
    builtin = [
        installed_source
        for installed_source in installed_sources()
        if installed_source.kind == "builtin"
    ]
    monkeypatch.setattr("joulemark.measure.inventory.installed_sources", lambda: builtin)


def computed(name: str, variant: str, *, big: bool = False) -> str:
    """Computes the checksum of one of our kernels in this process."""
    facts = algorithm_called(name)
    (implementation,) = [
        tried
        for tried in _core.builtin_plugin().implementations()
        if (tried.algorithm, tried.variant) == (facts.id, variant)
    ]
    fixed = implementation.key_bytes_min == implementation.key_bytes_max
    return _core.supercop_checksum(
        implementation, implementation.key_bytes if fixed else EBACS_KEY_BYTES,
        facts.ebacs_output_bytes or implementation.output_bytes, big,
    ).hex()  # fmt: skip


@pytest.mark.parametrize("name", CHECKSUMS)
def test_checksums_are_those_of_supercop(name):
    """Every algorithm of ours that eBACS has too gives SUPERCOP's checksum."""
    assert computed(name, "portable") == CHECKSUMS[name]


@pytest.mark.parametrize(("output_bytes", "version"), VERSIONS_OF_SHAVITE3)
def test_the_reference_knows_other_versions_of_shavite3(output_bytes, version):
    """The reference gives the checksums of other versions, which eBACS has under the same names."""
    implementation = _core.python_implementation(
        "shavite3", "reference", "", 2 * output_bytes, output_bytes, 0, None,
        lambda message: shavite3(bytes(message), output_bytes, version),
    )  # fmt: skip
    found = _core.supercop_checksum(implementation, 0, output_bytes, False).hex()
    assert found == VERSIONS_OF_SHAVITE3[output_bytes, version]


def test_every_name_in_ebacs_has_a_checksum_here():
    """No algorithm is mapped to a primitive without its checksum being tested."""
    mapped = {algorithm.id for algorithm in algorithms().values() if algorithm.ebacs}
    assert mapped <= {algorithm_called(name).id for name in CHECKSUMS}


def test_the_checksum_alone_is_printed(run):
    """The output is 64 digits and a line's end, of `auto` or of a named implementation."""
    for more in ([], ["--implementation", "portable"]):
        result = run("checksum", "ebacs:crypto_hash/keccakc512", *more)
        assert result.exit_code == 0, result.output
        assert result.output == CHECKSUMS["ebacs:keccakc512"] + "\n"


def test_the_keys_of_hmac_have_the_length_of_ebacs(run):
    """Keys of HMAC have 32 bytes, whatever key length is usual for the hash."""
    assert run("checksum", "hmac-md5").output == CHECKSUMS["ebacs:hmacmd5"] + "\n"


def test_the_big_checksum_is_another(run):
    """The big checksum, of longer and more messages, is that of the native function."""
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
        (["sha256", "--implementation", "shanni"], "did you mean sha256/shani"),
        (["sha256", "--implementation", "*"], "--implementation *: name one, not "),
    ],
)
def test_what_has_none_is_refused(refused, arguments, says):
    """A name without a checksum is refused in one sentence that says what is wrong."""
    assert says in refused("checksum", *arguments)


def test_what_a_core_alone_computes_has_none(refused, monkeypatch):
    """An algorithm without an implementation in software is refused."""
    found = inventory_of([])
    for name in [fact for fact in found.facts if fact.startswith("ascon-mac/")]:
        del found.facts[name]
    monkeypatch.setattr("joulemark.cli.testing.inventory_of", lambda _: found)
    assert "nothing here computes ascon-mac in software" in refused("checksum", "ascon-mac")
