# SPDX-License-Identifier: Apache-2.0
"""`joulemark add DIR`: a verdict for each implementation of a tree, and no process or file left."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from joulemark.processes.keeper import children_of

Run = Callable[..., Any]
OPTIONS = ("--no-bench", "--json", "--compiler", "gcc", "--flags", "-O1")
WRITES_INPUT = """\
static void spoil(const uint8_t *in) { ((uint8_t *)in)[0] ^= 1; }
#define whole_hash(in, length, out) \\
    do { whole_hash(in, length, out); if (length > 40) spoil(in); } while (0)
"""
EAGER = """\
#define whole_hash(in, length, out) do { out[0] = 0; whole_hash(in, length, out); } while (0)
"""
FICKLE = """\
static unsigned calls;
#define whole_hash(in, length, out) do { whole_hash(in, length, out); out[3] ^= calls++; } while (0)
"""
READS_ON = """\
#define whole_mac(k, in, length, out) \\
    do { (void)*(const volatile uint8_t *)(in + length); whole_mac(k, in, length, out); } while (0)
"""
LEAVES_A_FILE = """\
#include <fcntl.h>
#define whole_hash(in, length, out) \\
    do { whole_hash(in, length, out); close(open("left", O_CREAT | O_WRONLY, 0600)); } while (0)
"""
OTHERS = """\
#include "crypto_hash.h"
#include "crypto_hash_sha256.h"
#include "crypto_verify_16.h"
int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long length) {
    static const unsigned char zeros[16];
    return crypto_hash_sha256(out, in, length) | crypto_verify_16(zeros, zeros);
}
"""
HMAC = """\
#include <string.h>
#include "crypto_auth.h"
#include "crypto_hashblocks_sha256.h"
#include "crypto_uint64.h"
#include "crypto_verify_32.h"
static const unsigned char start[32] = "\\x6a\\x09\\xe6\\x67\\xbb\\x67\\xae\\x85\\x3c\\x6e\\xf3"
    "\\x72\\xa5\\x4f\\xf5\\x3a\\x51\\x0e\\x52\\x7f\\x9b\\x05\\x68\\x8c\\x1f\\x83\\xd9\\xab\\x5b\\xe0"
    "\\xcd\\x19";
static void keyed(unsigned char *state, const unsigned char *key, int pad,
                  const unsigned char *in, crypto_uint64 length) {
    unsigned char block[128];
    crypto_uint64 bits = 8 * (length + 64);
    for (int i = 0; i < 64; i++) block[i] = pad ^ (i < 32 ? key[i] : 0);
    memcpy(state, start, 32);
    crypto_hashblocks_sha256(state, block, 64);
    int rest = crypto_hashblocks_sha256(state, in, length), end = rest < 56 ? 64 : 128;
    memset(block, 0, sizeof block);
    memcpy(block, in + length - rest, rest);
    block[rest] = 0x80;
    for (int i = 1; i <= 8; i++, bits >>= 8) block[end - i] = bits;
    crypto_hashblocks_sha256(state, block, end);
}
int crypto_auth(unsigned char *out, const unsigned char *in, unsigned long long length,
                const unsigned char *k) {
    unsigned char inner[32], outer[32];
    keyed(inner, k, 0x36, in, length);
    keyed(outer, k, 0x5c, inner, 32);
    memcpy(out, outer, 32);
    return 0;
}
int crypto_auth_verify(const unsigned char *tag, const unsigned char *in,
                       unsigned long long length, const unsigned char *k) {
    unsigned char right[32];
    crypto_auth(right, in, length, k);
    return crypto_verify_32(tag, right);
}
"""


BLOCKS = """\
#include <string.h>
#include "crypto_hash.h"
#include "crypto_hashblocks_NAME.h"
enum { BLOCK = crypto_hashblocks_NAME_BLOCKBYTES, STATE = crypto_hashblocks_NAME_STATEBYTES };
int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long length) {
    unsigned char state[STATE] = {START}, last[2 * BLOCK] = {0};
    int rest = crypto_hashblocks_NAME(state, in, length);
    int end = rest < BLOCK - BLOCK / 8 ? BLOCK : 2 * BLOCK;
    memcpy(last, in + length - rest, rest);
    last[rest] = 0x80;
    for (int i = 0; i < 8; i++) last[BIG ? end - 1 - i : end - 8 + i] = 8 * length >> (8 * i);
    crypto_hashblocks_NAME(state, last, end);
    memcpy(out, state, STATE);
    return 0;
}
"""
STARTS = {
    "md5": "0123456789abcdeffedcba9876543210",
    "sha256": "6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19",
    "sha512": "6a09e667f3bcc908bb67ae8584caa73b3c6ef372fe94f82ba54ff53a5f1d36f1"
    "510e527fade682d19b05688c2b3e6c1f1f83d9abfb41bd6b5be0cd19137e2179",
}
"""Initial chaining values (RFC 1321, section 3.3; FIPS 180-4, section 5.3) in bytes."""


def test_a_tree_of_everything(run: Run, ebacs: Run, kept: Path, tmp_path: Path) -> None:
    """Each implementation of a tree, right or faulty in some way, has its verdict and reason."""
    expected: dict[str, tuple[str, str]] = {}

    def hash_(name: str, verdict: str, reason: str = "", **made: str) -> Path:
        expected[f"crypto_hash/sha256/{name}"] = (verdict, reason)
        return Path(ebacs(f"crypto_hash/sha256/{name}", **made))

    hash_("good", "right", "3 published vectors", architectures="amd64\nx86\naarch64\narm64\n")
    hash_("deep/er/good", "right", "3 published vectors")
    hash_("children", "right", "3 published vectors", fault="LEAVES_CHILDREN")
    hash_("file", "right", "3 published vectors", before=LEAVES_A_FILE)
    hash_("crashing", "crashes", "its process died (signal SIGSEGV), at a message of 64 bytes",
          fault="CRASHES_AT_64")  # fmt: skip
    hash_("wrong", "wrong answer", "a message of 200 bytes at an address 0 modulo 64 gives",
          fault="WRONG_AT_200")  # fmt: skip
    hash_("behind", "writes outside", "it wrote past the end of its output: a message of 0 bytes",
          fault="WRITES_BEHIND_OUTPUT")  # fmt: skip
    hash_("input", "writes outside", "it wrote into its message: ", before=WRITES_INPUT)
    hash_("eager", "wrong answer", "it is wrong where its output takes the place of its message: ",
          before=EAGER)  # fmt: skip
    hash_("foreign", "needs another CPU", "its process died (signal SIGILL)",
          fault="FOREIGN_INSTRUCTION")  # fmt: skip
    hash_("other", "for another architecture", "its file architectures names armeabi, ia64",
          architectures="armeabi\nia64 neon\n")  # fmt: skip
    hash_("text", "does not compile", "code.c:3:1: error: unknown type name 'no'",
          before="no C at all;")  # fmt: skip
    hash_("absent", "does not compile", "it does not define crypto_hash", code_c="int x;\n")
    hash_("needs", "needs what is not here", "it needs crypto_stream_aes128, which is not here",
          before='#include "crypto_stream_aes128.h"')  # fmt: skip
    hash_("calls", "needs what is not here", "it needs crypto_core_salsa20, which is not here",
          before="int crypto_core_salsa20(void);\n__attribute__((constructor)) static void f(void) "
          "{ crypto_core_salsa20(); }")  # fmt: skip
    hash_("lying", "wrong answer", "its api.h says CRYPTO_BYTES 20, and crypto_hash/sha256 has 32",
          api_h="#define CRYPTO_BYTES (160 / 8)\n")  # fmt: skip
    hash_("silent", "does not compile", "its api.h does not say CRYPTO_BYTES", api_h="\n")
    hash_("failing", "fails", "a message of 0 bytes at an address 0 modulo 64 is answered with an",
          code_c='#include "crypto_hash.h"\nint crypto_hash(unsigned char *o, const unsigned char '
          "*i, unsigned long long n) { return o && i && n < 9; }\n")  # fmt: skip
    expected["crypto_hash/unheard/of"] = (
        "not in the catalogue", "crypto_hash/unheard is not there; it behaves, and its checksums",
    )  # fmt: skip
    ebacs("crypto_hash/unheard/of", code_c=OTHERS)
    expected["crypto_hash/fickle/one"] = (
        "wrong answer", "it gives another output when it is called again: a message of ",
    )  # fmt: skip
    ebacs("crypto_hash/fickle/one", before=FICKLE)
    expected["crypto_auth/siphash24/good"] = ("right", "65 published vectors")
    ebacs("crypto_auth/siphash24/good")
    expected["crypto_auth/siphash24/trusting"] = ("wrong answer", "it accepts a forged tag: ")
    ebacs("crypto_auth/siphash24/trusting", before="#define EQUAL(x, y) 0")
    expected["crypto_auth/siphash24/suspicious"] = ("wrong answer", "it refuses a right tag: ")
    ebacs("crypto_auth/siphash24/suspicious", before="#define EQUAL(x, y) 1")
    expected["crypto_auth/siphash24/whole_words"] = ("right", "65 published vectors")
    ebacs("crypto_auth/siphash24/whole_words", before=READS_ON)
    (tmp_path / "tree" / "crypto_aead").mkdir()

    before = set(children_of(os.getpid()))
    files = sorted((tmp_path / "tree").rglob("*"))
    result = run("add", tmp_path / "tree", *OPTIONS)
    assert result.exit_code == 2, result.output
    answer = json.loads(result.stdout)
    found = {
        outcome["implementation"]: (outcome["verdict"], outcome["reason"])
        for outcome in answer["outcomes"]
    }
    assert {name: (verdict, reason[: len(expected.get(name, ("", ""))[1])])
            for name, (verdict, reason) in found.items()} == expected  # fmt: skip
    assert answer["passed_over"] == ["crypto_aead"]
    assert answer["counts"]["right"] == 6
    assert [outcome["name"] for outcome in answer["outcomes"] if outcome["reads_on"]] == [
        "siphash-2-4/whole_words"
    ]

    assert set(children_of(os.getpid())) <= before
    assert sorted((tmp_path / "tree").rglob("*")) == files
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept", "tree"]
    assert [path.name for path in kept.glob(".*")] == [".tried"]
    assert len(list(kept.glob("[!.]*"))) == 6

    [good] = [
        outcome for outcome in answer["outcomes"] if outcome["implementation"].endswith("24/good")
    ]
    assert good["name"] == "siphash-2-4/good"
    assert good["flags"] == "-O1 -fcommon"
    assert good["checksum"].startswith("66a29d9f5bd7ac36")
    added = {entry["name"]: entry for entry in json.loads(run("added", "--json").stdout)["added"]}
    made = added["sha256/deep_er_good"]["plugin"]["made_from"]
    assert [source["name"] for source in made["sources"]] == ["api.h", "code.c"]
    assert made["flags"] == "-O1 -fcommon"
    assert run("test", "sha256/good").exit_code == 0
    assert "reads past the end of its message" in run("test", "siphash-2-4/whole_words").stdout


def test_code_that_hangs(run: Run, ebacs: Run) -> None:
    """Code that hangs is ended after the limit, and its verdict is `hangs`."""
    ebacs("crypto_hash/sha256/hanging", fault="HANGS")
    result = run("add", "tree/crypto_hash/sha256/hanging", *OPTIONS, "--hang-limit", "1")
    assert result.exit_code == 2, result.output
    [outcome] = json.loads(result.stdout)["outcomes"]
    assert outcome["verdict"] == "hangs"
    assert outcome["reason"].startswith("no answer within 1 s; its process was ended")


def test_blocks_of_our_hashes(run: Run, ebacs: Run) -> None:
    """Our kernels absorb blocks for code of eBACS, whatever order of words a kernel keeps."""
    for name, start in STARTS.items():
        value = bytes.fromhex(start)
        code = BLOCKS.replace("NAME", name).replace("BIG", str(int(name != "md5")))
        ebacs(f"crypto_hash/{name}/blocks", api_h=f"#define CRYPTO_BYTES {len(value)}\n",
              code_c=code.replace("START", ", ".join(map(str, value))))  # fmt: skip
    result = run("add", "tree", *OPTIONS)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["counts"] == {"right": 3}


def test_several_builds_of_one_folder(run: Run, ebacs: Run, tmp_path: Path) -> None:
    """Each build has its flag set in its name; our kernels stand in for other primitives."""
    folder = ebacs("crypto_auth/hmacsha256/mine", code_c=HMAC,
                   api_h="#define CRYPTO_BYTES 32\n#define CRYPTO_KEYBYTES 32\n")  # fmt: skip
    folder.rename(tmp_path / "mine")
    words = ("add", "mine", "--primitive", "crypto_auth/hmacsha256", "--compiler", "gcc",
             "--flag-set", "O2-native", "--flag-set", "O1-native", "--no-bench")  # fmt: skip
    result = run(*words)
    assert result.exit_code == 0, result.output
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[1][:4] == [
        "hmac-sha256/mine-O1-native",
        "crypto_auth/hmacsha256/mine",
        "gcc",
        "O1-native",
    ]
    assert lines[2][:4] == [
        "hmac-sha256/mine-O2-native",
        "crypto_auth/hmacsha256/mine",
        "gcc",
        "O2-native",
    ]
    assert lines[-2:] == [["2", "builds", "of", "1", "implementations"], ["right", "2"]]
    again = run(*words).stdout.splitlines()
    assert again[1].split()[-2:] == ["as", "before"]


def test_what_is_right_is_timed_into_the_store(
    run: Run, ebacs: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Right code is timed, and the store has its flags and the digest of its sources."""
    from joulemark.cli import own_measuring as timing

    shortest = timing.Effort(rounds=1, window_ns=20_000, generations=1, windows=1)
    monkeypatch.setattr(timing, "QUICK", shortest)
    ebacs("crypto_hash/sha256/good")
    result = run("add", "tree", "--compiler", "gcc", "--json", "--store", "mine.db")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    stored = json.loads(run("export", "--run", answer["run"], "--format", "json", "--store",
                            "mine.db").stdout)  # fmt: skip
    mine = stored["context"]["implementations"]["sha256/good"]
    assert mine["flags"].startswith("-O3 -march=native -mtune=generic ")
    [outcome] = answer["outcomes"]
    assert mine["library_version"] == f"of sources {Path(outcome['entry']).name[:12]}"


CXX = """\
#include <vector>
#include "crypto_hash.h"
extern "C" void plain(const unsigned char *in, unsigned long long length, unsigned char *out);
int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long length) {
    const std::vector<unsigned char> copy(in, in + length);
    plain(copy.data(), length, out);
    return 0;
}
"""
PLAIN = """
#undef crypto_hash
void plain(const unsigned char *in, unsigned long long length, unsigned char *out);
void plain(const unsigned char *in, unsigned long long length, unsigned char *out) {
    whole_hash(in, length, out);
}
"""


def test_cxx_beside_c(run: Run, ebacs: Run, tmp_path: Path) -> None:
    """C++ is compiled by g++ beside C; a function that C does not find is named with the remedy."""
    if shutil.which("g++") is None:
        pytest.skip("no g++; on Debian or Ubuntu: apt-get install g++")
    whole = Path(__file__).resolve().parents[2] / "plugins" / "own" / "sha256.c"
    own = f'#include "{whole}"\n{PLAIN}'
    ebacs("crypto_hash/sha256/cxx", code_c=own, more_cpp=CXX)
    hidden = CXX.replace('#include "crypto_hash.h"\n', "")
    ebacs("crypto_hash/sha256/hidden", code_c=own, more_cc=hidden)
    done = run("add", tmp_path / "tree", *OPTIONS)
    found = {
        outcome["implementation"]: (outcome["verdict"], outcome["reason"])
        for outcome in json.loads(done.stdout)["outcomes"]
    }
    assert found["crypto_hash/sha256/cxx"][0] == "right"
    assert found["crypto_hash/sha256/hidden"] == (
        "does not compile", 'it does not define crypto_hash; C++ has to declare it as extern "C"'
    )  # fmt: skip
