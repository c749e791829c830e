# SPDX-License-Identifier: Apache-2.0
"""Rules for the commands of pages on software: our code, the reader's, libraries, stores."""

from __future__ import annotations

from page_rule import (
    AS_ROOT,
    HALF_A_MINUTE,
    LIKE,
    MINUTES,
    QUICK,
    REFUSED,
    TOOLS_OF_CORES,
    TWO,
    Rule,
)

ANSWERED = frozenset({0, 1, 5})
"""Exit codes of a `joulemark check` that measured; the machine decides which of them it is."""
COUNTING = frozenset({0, 2})
"""Exit codes of a short run; a busy machine may leave no figure that counts."""
LIBRARY = "a build of the library; tests/library makes one in make test, too"
ARCHIVE = (
    "git archive --format=tar.gz --prefix=joulemark-0.1.0/ --output=joulemark-0.1.0.tar.gz HEAD"
)
_SERVER = "needs the reader's PostgreSQL server; tests/cli/test_store_commands.py starts a server"

_LANGUAGES = "tests/cli/own/test_other_languages.py runs it beside the files of the page"
_OF_SIPHASH = "_siphash --algorithm siphash-2-4 --name "
_CXX = f"mine.cpp mine.h --function cxx{_OF_SIPHASH}cxx"
_RUST = f"mine.h target/release/libmine.a --function rust{_OF_SIPHASH}rust"
_GO = "libmine.h libmine.so --function go_hmac_sha256 --algorithm hmac-sha256 --name go"
_ZIG = f"mine.h libmine.a --function zig{_OF_SIPHASH}zig"
_BUILDS = (
    'RUSTFLAGS="-C target-cpu=native" cargo build -r',
    "go build -buildmode=c-shared -o libmine.so .",
    "zig build-lib -O ReleaseFast -fPIC mine.zig",
)
RULES: dict[str, dict[str, Rule]] = {
    "docs/how-to/measure-other-languages.md": {
        f"joulemark add {words}": Rule(never=_LANGUAGES) for words in (_CXX, _RUST, _GO, _ZIG)
    }
    | dict.fromkeys(_BUILDS, Rule(never=_LANGUAGES)),
    "README.md": {
        "make bench": Rule(late=MINUTES, says=("report: report.html",)),
        "make test": Rule(never="it is what runs this test"),
        "apt-get install python3 python3-venv python3-dev gcc g++ make": Rule(
            never=f"{AS_ROOT}; .ci/run installs the same"
        ),
        ARCHIVE: Rule(
            instead=ARCHIVE.replace("git", "git -C $(dirname $(readlink Makefile))").replace(
                "--output=", "--output=$PWD/"
            ),
            late=LIKE, why="the folder of the page is no checkout",
        ),
        "make wheel": Rule(never="tests/package builds and tries such wheels"),
        "pip install dist/joulemark-0.1.0-*.whl": Rule(never="tests/package installs wheels"),
        'pip install "$(echo dist/joulemark-0.1.0-*.whl)[lab]"': Rule(
            never="tests/package installs wheels"
        ),
        "pip install 'joulemark-0.1.0.tar.gz[lab]'": Rule(
            instead="python3 -m venv fresh && fresh/bin/pip install --quiet "
            "'joulemark-0.1.0.tar.gz[lab]' && fresh/bin/joulemark list siphash-2-4",
            late=MINUTES, why="pip of an environment that is new", says=("siphash-2-4",),
        ),
        "joulemark doctor": Rule(late=LIKE, says=("Noise floor",)),
        "joulemark bench hmac-sha256 --size 16..1024": Rule(late=MINUTES),
        "joulemark compare hmac-sha256/portable hmac-sha256/engine": Rule(late=LIKE),
        "joulemark check --old old.so --new new.so": Rule(late=MINUTES, codes=ANSWERED),
    },
    "docs/tutorial/first-run.md": {
        "make bench": Rule(late=MINUTES, says=("report: report.html",)),
        ".venv/bin/joulemark results --all": Rule(late=LIKE, says=("times fastest",)),
        ".venv/bin/joulemark doctor": Rule(
            late=HALF_A_MINUTE, says=("core cycles, counted", "Advice")
        ),
        ".venv/bin/joulemark bench hmac-sha256 --size 16,64,1024": Rule(
            short=".venv/bin/joulemark bench hmac-sha256/portable hmac-sha256/engine"
            f"{QUICK} --size 64"
        ),
        ".venv/bin/joulemark report --output run.html": Rule(late="the charts of a page: seconds"),
    },
    "docs/how-to/compare-two-implementations.md": {
        f"{TWO} --size 16,64,1024": Rule(less=QUICK),
        "joulemark doctor": Rule(late=HALF_A_MINUTE, says=("Noise floor",)),
        "joulemark bench hmac-sha256/engine 'hmac-sha256/engine#2' "
        "hmac-sha256/openssl_oneshot": Rule(late=HALF_A_MINUTE),
        "joulemark compare hmac-sha256/engine": Rule(late=LIKE, says=("engine#2",)),
        "joulemark compare --runs 3 4": Rule(late="two runs"),
        "joulemark compare hmac-sha256/portable hmac-sha256/engine --fail-if slower": Rule(
            instead="joulemark compare hmac-sha256/portable hmac-sha256/engine --fail-if slower "
            "--run 3",
            short="joulemark compare hmac-sha256/portable hmac-sha256/engine --fail-if slower",
            why="the latest run has no portable variant in it",
        ),
    },
    "docs/how-to/gate-a-pull-request.md": {
        "joulemark check --old old/mine.so --new mine.so --size 64,1KiB --threshold 5%": Rule(
            less=" --budget 1", codes=ANSWERED
        ),
        "joulemark check --old-rev main --function fastsip --algorithm siphash-2-4 "
        "src/fastsip.c -I include --size 64,1KiB": Rule(less=" --budget 1", codes=ANSWERED),
        "joulemark check --old-rev main --build 'make libfastsip.a' include/fastsip.h libfastsip.a "
        "--function fastsip --algorithm siphash-2-4": Rule(late=LIKE, codes=ANSWERED),
        "joulemark check --old-rev main --build 'make mine.so' --artifact mine.so "
        "--size 64,1KiB": Rule(late="test_gate_how_to.py builds a revision", codes=ANSWERED),
        "joulemark check siphash-2-4 --old ~/released/.venv --new .venv --size 64": Rule(
            late=HALF_A_MINUTE, codes=ANSWERED
        ),
        "joulemark check --old old/mine.so --new mine.so --size 64 --target instructions": Rule(
            needs="valgrind", codes=ANSWERED
        ),
        "joulemark check --old old/mine.so --new mine.so --size 64,1KiB --thresholds "
        "limits.toml": Rule(less=" --budget 1", codes=ANSWERED),
        "joulemark bench siphash-2-4/mine --plugin ./mine.so --size 64,1024": Rule(less=QUICK),
        "joulemark bench siphash-2-4/mine --plugin ./mine.so --size 64,1024 --fresh": Rule(
            less=QUICK
        ),
        "joulemark check --baseline baseline.json --threshold 20%": Rule(codes=ANSWERED),
    },
    "docs/how-to/explore-results.md": {
        "joulemark explore": Rule(
            instead="joulemark bench siphash-2-4/portable --size 64 --quick --rounds 2 && "
            "timeout 20 joulemark explore --port 0",
            why="the server serves until it is interrupted", codes=frozenset({124}),
            says=("http://127.0.0.1:",),
        ),
    },
    "docs/how-to/publish-results.md": {
        "joulemark publish site": Rule(
            instead="joulemark bench siphash-2-4/portable --size 64 --quick --rounds 2 && "
            "joulemark publish site",
            why="there must be a store", says=("begin at site/index.html",),
        ),
    },
    "docs/how-to/measure-batches.md": {
        "joulemark bench hmac-sha256 --size 64 --batch 1,64": Rule(
            short=f"{TWO} --size 64 --batch 1,64{QUICK}"
        ),
        "joulemark bench hmac-sha256 --size 64 --batch 64 --key kept,distinct,fresh": Rule(
            late=MINUTES
        ),
        "joulemark bench hmac-sha256 --batch 64 --key distinct --mix imix,uniform:16-1500": Rule(
            late=MINUTES
        ),
    },
    "docs/how-to/choose-a-mac.md": {
        "joulemark bench hmac-sha256 cmac-aes128 siphash-2-4 --size 64": Rule(
            short=f"joulemark bench hmac-sha256/engine cmac-aes128/engine --size 64{QUICK}"
        ),
        "joulemark choose --size 64 --tag-bits 96": Rule(
            says=("for messages of 64 B, tags of 96 bits or more, status current",)
        ),
        "joulemark choose --size 64 --tag-bits 96 --rate 1M --watts-per-core 15 "
        "--core-hour 0.04": Rule(says=("1 000 000 messages a second: ", " a day modelled")),
        "joulemark bench hmac-sha256 cmac-aes128 --size 64 --rate 1M --watts-per-core 15 "
        "--core-hour 0.04": Rule(
            short="joulemark bench hmac-sha256/engine --size 64 --rate 1M --watts-per-core 15"
            f" --core-hour 0.04{QUICK}",
            says=("1 000 000 messages a second:",),
        ),
        "joulemark sessions hmac-sha256 cmac-aes128 siphash-2-4 --size 64 --sessions 100": Rule(
            short="joulemark sessions hmac-sha256/portable --size 64 --sessions 100 --rounds 1 "
            "--window 0.05s --warmup 0.01s --attempts 1",
            codes=COUNTING,
        ),
        "joulemark choose --size 64 --sessions 100 --tag-bits 96 --status current": Rule(
            says=("for messages of 64 B, 100 sessions, tags of 96 bits or more, status current",)
        ),
        "joulemark bench hmac-sha256 cmac-aes128 --size 64 --batch 16,64 --key distinct": Rule(
            late=MINUTES
        ),
    },
    "docs/how-to/measure-your-own-code.md": {
        "joulemark add siphash.c --function my_siphash --algorithm siphash-2-4": Rule(
            says=(
                "siphash-2-4/siphash is right and kept: my_siphash(out, in, len, key) of siphash.c",
                "-O3 -march=native -mtune=generic",
                "65 published vectors, 4 201 lengths, 109 more to 1 048 576 bytes, 64 alignments",
                "next: joulemark bench siphash-2-4/siphash siphash-2-4/auto",
            )
        ),
        "joulemark tune siphash.c --function my_siphash --algorithm siphash-2-4": Rule(
            less=" --compiler gcc --flag-set O3-native --flag-set O1-native --budget 1s",
            says=(
                "Seconds per message over those of the best candidate",
                "every sample is kept: joulemark results 1 --all",
                "next: joulemark add siphash.c --function my_siphash --algorithm siphash-2-4",
            ),
        ),
        "joulemark tune supercop/crypto_hash/sha256": Rule(
            less=" --compiler gcc --flag-set O3-native --flag-set O1-native --budget 4s --size 64",
            codes=COUNTING, says=("crypto_hash/sha256/ref",),
        ),
        "joulemark tune family:sha3-round2 --size 4096": Rule(late=LIKE),
        "joulemark add supercop/crypto_hash/sha256": Rule(
            less=" --compiler gcc --no-bench", codes=REFUSED,
            says=(
                "crypto_hash/sha256/armv7: for another architecture: its file architectures",
                "crypto_hash/sha256/ref gcc O3-native",
            ),
        ),
        "joulemark test siphash-2-4/siphash": Rule(
            late="`joulemark add` has checked it as thoroughly, and siphash-2-4/mine is tested here"
        ),
        "joulemark added": Rule(says=("my_siphash(out, in, len, key)",)),
        "joulemark test siphash-2-4/mine --plugin ./mine.so": Rule(
            says=("siphash-2-4/mine: 65 published vectors, 4 201 lengths",)
        ),
        "joulemark list siphash-2-4 --plugin ./mine.so": Rule(says=("mine 1.0",)),
        "joulemark bench siphash-2-4 --plugin ./mine.so --size 8,16,64,1024": Rule(
            late=MINUTES
        ),
        "joulemark compare siphash-2-4/portable siphash-2-4/mine": Rule(late=LIKE),
    },
    "docs/how-to/run-a-fleet.md": {
        "pip install 'joulemark[fleet]'": Rule(never="make setup installs the same"),
        **dict.fromkeys(
            (
                "joulemark fleet keys fleet.pem",
                "joulemark fleet scheduler --fleet-keys fleet.pem > scheduler.log &",
                ("joulemark fleet worker tls://127.0.0.1:8786 --fleet-keys fleet.pem "
                "--machine one > one.log &"),
                ("joulemark fleet worker tls://127.0.0.1:8786 --fleet-keys fleet.pem "
                "--machine two > two.log &"),
                ("joulemark fleet worker tls://127.0.0.1:8786 --fleet-keys fleet.pem "
                "--machine three > three.log &"),
                ("joulemark fleet workers --scheduler tls://127.0.0.1:8786 "
                "--fleet-keys fleet.pem --wait 3"),
                ("joulemark fleet bench hmac-sha256/portable --size 64 --quick --scheduler "
                "tls://127.0.0.1:8786 --fleet-keys fleet.pem --store fleet.db"),
                "joulemark runs --store fleet.db",
                "kill %4 %3 %2 %1",
            ),
            Rule(never="test_fleet_how_to.py runs the block in one shell"),
        ),
        ("joulemark core sweep siphash --target generic --scheduler tls://127.0.0.1:8786 "
         "--fleet-keys fleet.pem"): Rule(
            never="needs the fleet of another block; tests/fleet does the same"
        ),
        **dict.fromkeys(
            (
                ("joulemark fleet scheduler --host 192.0.2.7 --tls-ca-file ca.pem --tls-cert "
                "scheduler.pem"),
                ("joulemark fleet worker tls://192.0.2.7:8786 --host 192.0.2.8 --tls-ca-file "
                "ca.pem --tls-cert worker.pem"),
                ("joulemark fleet bench hmac-sha256 --scheduler tls://192.0.2.7:8786 "
                "--tls-ca-file ca.pem --tls-cert me.pem"),
            ),
            Rule(never="of other machines"),
        ),
        "joulemark core sweep siphash --target generic --workers 2": Rule(late=TOOLS_OF_CORES),
        "joulemark bench chaskey-12 --target mcu:atmega128 --workers 2 --store firmware.db": Rule(
            late="tests/fleet/test_spread_firmware.py does the same", needs="avr"
        ),
    },
    "docs/how-to/share-a-store.md": {
        "apt-get install postgresql": Rule(never=f"{AS_ROOT}; .ci/run installs the same"),
        "runuser -u postgres -- createuser --pwprompt lab": Rule(never=AS_ROOT),
        "runuser -u postgres -- createdb -O lab -E UTF8 -T template0 joulemark":
            Rule(never=AS_ROOT),
        "pip install 'joulemark[postgresql]'": Rule(never="make setup installs the same"),
        "(umask 077; echo 'localhost:5432:joulemark:lab:PASSWORD' >> ~/.pgpass)": Rule(
            never="writes into the home of the user"
        ),
        "export JOULEMARK_STORE=postgresql+psycopg://lab@localhost/joulemark": Rule(never=_SERVER),
        "joulemark bench hmac-sha256": Rule(never=_SERVER),
        "joulemark store copy joulemark.db postgresql+psycopg://lab@localhost/joulemark": Rule(
            never=_SERVER
        ),
        "joulemark bench siphash-2-4 --quick --store here.db": Rule(
            short=f"joulemark bench siphash-2-4/portable{QUICK} --size 64 --store here.db"
        ),
        "joulemark import node7.json --store lab.db": Rule(says=("run 1, of ", "samples")),
        "joulemark store check --store lab.db": Rule(says=("lab.db is whole",)),
        "joulemark store prune --keep 20 --store lab.db": Rule(says=("0 runs of lab.db",)),
        "JOULEMARK_MACHINE=node7 joulemark bench hmac-sha256": Rule(
            short=f"JOULEMARK_MACHINE=node7 joulemark bench hmac-sha256/portable --size 64{QUICK}",
            more=" && joulemark export", why="the table does not name the machine",
            says=('"machine_name":"node7"',),
        ),
    },
    "docs/how-to/reproduce-castellon2022.md": {
        "joulemark reproduce castellon2022": Rule(
            late=MINUTES, says=("Claims",)
        ),
        "joulemark reproduce castellon2022 --compiler gcc --compiler clang": Rule(
            late=MINUTES, says=("E against O by compiler",)
        ),
        "joulemark bench 'hmac-sha256/castellon2022_*' --size 64,1024": Rule(late=MINUTES),
        "joulemark compare hmac-sha256/castellon2022_ecm_j1 hmac-sha256/castellon2022_ecm_j8": Rule(
            late=LIKE
        ),
    },
    "docs/how-to/reproduce-westermann2010.md": {
        "joulemark reproduce westermann2010": Rule(
            late=MINUTES, says=("do not follow from",)
        ),
        "joulemark tune family:sha3-round2 --size 4096": Rule(
            late=MINUTES, says=("fastest build",)
        ),
    },
    "docs/how-to/reproduce-rashwan2012.md": {
        "joulemark reproduce rashwan2012": Rule(
            late=MINUTES, codes=COUNTING, says=("Validation of the windows",)
        ),
        "joulemark reproduce rashwan2012 --library cryptopp --output with-cryptopp": Rule(
            late=MINUTES, codes=COUNTING, says=("Validation of the windows",)
        ),
    },
    "docs/how-to/measure-sessions.md": {
        "joulemark sessions hmac-sha256 cmac-aes128 --sessions 100 --size 64,1KiB": Rule(
            short="joulemark sessions hmac-sha256/portable --sessions 10 --size 64 --rounds 1 "
            "--window 0.02s --warmup 0.01s --attempts 1",
            codes=COUNTING, says=("absolute", "windows count"),
        ),
        "joulemark sessions hmac-sha256 --size 64 --rate 1M --watts-per-core 15 "
        "--core-hour 0.04": Rule(
            short="joulemark sessions hmac-sha256/portable --sessions 10 --size 64 --rounds 1 "
            "--window 0.02s --warmup 0.01s --attempts 1 --rate 1M",
            codes=COUNTING,
        ),
    },
    "docs/how-to/gather-across-sessions.md": {
        "joulemark gather cmac-aes128 hmac-sha256 --size 64 --rate 100k,1M "
        "--wait 0,5,20,50,100us --report gather.html": Rule(
            short="joulemark gather hmac-sha256/portable --sessions 4 --size 64 --rate 50k "
            "--wait 20us --rounds 1 --window 0.02s --warmup 0.005s --attempts 1 "
            "--report gather.html",
            codes=COUNTING, says=("a gatherer on", "windows count"),
        ),
    },
    "docs/how-to/use-the-library.md": {
        "cmake -S . -B build/library -DCMAKE_INSTALL_LIBDIR=lib -DJOULEMARK_BINDINGS=OFF "
        "-DJOULEMARK_PROVIDERS=OFF": Rule(late=LIBRARY),
        "cmake --build build/library": Rule(late=LIBRARY),
        "cmake --install build/library --prefix ~/.local": Rule(late=LIBRARY),
        "cc -o packets packets.c $(PKG_CONFIG_PATH=~/.local/lib/pkgconfig pkg-config --cflags "
        "--libs joulemark)": Rule(late=LIBRARY),
        "LD_LIBRARY_PATH=~/.local/lib ./packets": Rule(late=LIBRARY),
        "cmake -S . -B build/aarch64 --toolchain aarch64.cmake -DJOULEMARK_BINDINGS=OFF "
        "-DJOULEMARK_PROVIDERS=OFF": Rule(never="tests/native/test_architectures.py builds so"),
        "cmake --build build/aarch64": Rule(never="tests/native/test_architectures.py builds so"),
        "./packets": Rule(
            short='cc -I"$(joulemark --include-dir)" -o packets packets.c '
            '-L"$(joulemark --library-dir)" -ljoulemark -pthread && ./packets',
            says=("packet 5 is not authentic",),
        ),
    },
}  # fmt: skip
