# SPDX-License-Identifier: Apache-2.0
"""How the commands of pages run that do not run just as they stand.

A command without a rule runs as it is, in `make test` too, and must end with 0.

The file is long because it is one table, which grows with the pages: a rule for each command.
"""

from __future__ import annotations

from dataclasses import dataclass

from page_text import commands_of


@dataclass(frozen=True)
class Rule:
    """What is different about one command of one page."""

    less: str = ""
    """Added in `make test`, where what is shown takes too long."""
    short: str = ""
    """Runs in its place in `make test`, where nothing that could be added makes it short."""
    late: str = ""
    """Why it runs in `make test-all` alone."""
    never: str = ""
    """Why it is not run."""
    instead: str = ""
    """Runs in its place, since the page has a placeholder or something of the reader's in it."""
    more: str = ""
    """Added always; `why` says why."""
    why: str = ""
    needs: str = ""
    """Name of what must be on this machine (`page_places.PRESENT`)."""
    codes: frozenset[int] = frozenset({0})
    """Exit codes of which each is right."""
    says: tuple[str, ...] = ()
    """Pieces of what it prints, on either stream, where it ends with 0 or must not."""


ANSWERED = frozenset({0, 1, 5})
"""`joulemark check` measured; which answer it is, is the machine's business."""
QUICK = " --quick --rounds 2"
SIMULATED = " --foreign-limit 1000%"
WHY_SIMULATED = "the meter is simulated, and its process is foreign to the measurement"
METERED = " --quick --rounds 2 --energy-rounds 3 --energy-window 0.2"
MINUTES = "minutes"
HALF_A_MINUTE = "half a minute"
LIKE = "another page has the like of it, and what it reads is made in make test-all alone"
TOOLS_OF_CORES = "minutes of simulation, synthesis, place and route"
LIBRARY = "a build of the library; tests/library makes one in make test, too"
AS_ROOT = "changes this machine, as root"
IN_A_PROJECT = "tests/docs/test_use_a_core.py runs it in the project of the page"
FETCHED = "reads a file that the reader fetches; tests/cli/core/test_core_run.py has such of ours"
REFUSED = frozenset({2})
STATED = frozenset({0, 2})
"""Energy was metered; on a busy machine it may be that no figure could be stated."""

_SERIAL = "needs an instrument at a serial port; tests/meters reads one from a pseudo-terminal"
_BATTERY = "needs a battery that is being emptied, and half an hour; tests/meters simulates one"
ARCHIVE = (
    "git archive --format=tar.gz --prefix=joulemark-0.1.0/ --output=joulemark-0.1.0.tar.gz HEAD"
)
_SERVER = "needs a server of the reader's; tests/cli/test_store_commands.py has one of its own"
_TWO = "joulemark bench hmac-sha256/portable hmac-sha256/shani"

_BUDGET_PAGE = "docs/how-to/plan-a-budget.md"


def _budgets() -> dict[str, Rule]:
    """Of each view one command in `make test`, and the same view of other nodes later."""
    first, *rest = [
        command for command in commands_of(_BUDGET_PAGE) if command.startswith("joulemark budget ")
    ]
    rules = {
        first: Rule(
            says=(
                "TinySec-Auth on MICA2 at 868 MHz: 24 bytes every 10 s, a tag of 32 bits:",
                "a packet for authentication",
            )
        )
    }
    seen: set[str] = set()
    for command in rest:
        view = command.partition("--show ")[2].partition(" ")[0]
        if view in seen:
            rules[command] = Rule(late="the same view of another node")
        seen.add(view)
    return rules


RULES: dict[str, dict[str, Rule]] = {
    _BUDGET_PAGE: _budgets(),
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
        "joulemark compare hmac-sha256/portable hmac-sha256/shani": Rule(late=LIKE, needs="sha"),
        "joulemark check --old old.so --new new.so": Rule(late=MINUTES, codes=ANSWERED),
    },
    "docs/tutorial/first-run.md": {
        "make bench": Rule(late=MINUTES, says=("report: report.html",)),
        ".venv/bin/joulemark results --all": Rule(late=LIKE, says=("times fastest",)),
        ".venv/bin/joulemark doctor": Rule(
            late=HALF_A_MINUTE, says=("core cycles, counted", "Advice")
        ),
        ".venv/bin/joulemark bench hmac-sha256 --size 16,64,1024": Rule(
            short=".venv/bin/joulemark bench hmac-sha256/portable hmac-sha256/openssl_oneshot"
            f"{QUICK} --size 64"
        ),
        ".venv/bin/joulemark report --output run.html": Rule(late="the charts of a page: seconds"),
    },
    "docs/how-to/compare-two-implementations.md": {
        f"{_TWO} --size 16,64,1024": Rule(less=QUICK, needs="sha"),
        "joulemark compare hmac-sha256/portable hmac-sha256/shani": Rule(needs="sha"),
        "joulemark doctor": Rule(late=HALF_A_MINUTE, says=("Noise floor",)),
        "joulemark bench hmac-sha256/shani 'hmac-sha256/shani#2' hmac-sha256/openssl_oneshot": Rule(
            late=HALF_A_MINUTE, needs="sha"
        ),
        "joulemark compare hmac-sha256/shani": Rule(late=LIKE, needs="sha", says=("shani#2",)),
        "joulemark compare --runs 3 4": Rule(late="two runs", needs="sha"),
        "joulemark compare hmac-sha256/portable hmac-sha256/shani --fail-if slower": Rule(
            instead="joulemark compare hmac-sha256/portable hmac-sha256/shani --fail-if slower "
            "--run 3",
            short="joulemark compare hmac-sha256/portable hmac-sha256/shani --fail-if slower",
            why="the latest run has no portable variant in it", needs="sha",
        ),
    },
    "docs/how-to/gate-a-pull-request.md": {
        "joulemark check --old old/mine.so --new mine.so --size 64,1KiB --threshold 5%": Rule(
            less=" --budget 1", codes=ANSWERED
        ),
        "joulemark check --old-rev main --build 'make mine.so' --artifact mine.so "
        "--size 64,1KiB": Rule(late="test_gate_how_to.py builds a revision", codes=ANSWERED),
        "joulemark check siphash-2-4 --old ~/released/.venv --new .venv --size 64": Rule(
            late=HALF_A_MINUTE, codes=ANSWERED
        ),
        "joulemark check --old old/mine.so --new mine.so --size 64 --target instructions": Rule(
            needs="valgrind", codes=ANSWERED
        ),
        "joulemark bench siphash-2-4/mine --plugin ./mine.so --size 64,1024": Rule(less=QUICK),
        "joulemark bench siphash-2-4/mine --plugin ./mine.so --size 64,1024 --fresh": Rule(
            late=LIKE
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
            short=f"{_TWO} --size 64 --batch 1,64{QUICK}", needs="sha"
        ),
        "joulemark bench hmac-sha256 --size 64 --batch 64 --key kept,distinct,fresh": Rule(
            late=MINUTES
        ),
        "joulemark bench hmac-sha256 --batch 64 --key distinct --mix imix,uniform:16-1500": Rule(
            late=MINUTES
        ),
        "joulemark compare hmac-sha256/shani": Rule(needs="sha"),
    },
    "docs/how-to/measure-energy.md": {
        "joulemark doctor": Rule(late=HALF_A_MINUTE, says=("powercap",)),
        "sudo chgrp energy /sys/class/powercap/intel-rapl*/energy_uj": Rule(never=AS_ROOT),
        "sudo chmod g+r /sys/class/powercap/intel-rapl*/energy_uj": Rule(never=AS_ROOT),
        'echo \'SUBSYSTEM=="powercap", ACTION=="add", KERNEL=="intel-rapl*:*", '
        'RUN+="/bin/chgrp energy %S%p/energy_uj", RUN+="/bin/chmod g+r %S%p/energy_uj"\' | sudo '
        "tee /etc/udev/rules.d/60-rapl.rules": Rule(never=AS_ROOT),
        "sudo sysctl kernel.perf_event_paranoid=0": Rule(never=AS_ROOT),
        "joulemark bench hmac-sha256 --size 64,1KiB --energy": Rule(
            short=f"{_TWO} --size 1KiB --energy{METERED}", more=SIMULATED, why=WHY_SIMULATED,
            needs="sha", codes=STATED, says=("net of deep idle",),
        ),
        "joulemark compare hmac-sha256/portable hmac-sha256/shani --quantity energy": Rule(
            needs="sha", codes=STATED
        ),
        "joulemark compare hmac-sha256/portable hmac-sha256/shani --quantity gross-energy": Rule(
            late=LIKE, needs="sha", codes=STATED
        ),
        "joulemark export --format json --output run.json": Rule(late=LIKE),
        "joulemark report --output report.html": Rule(late="the charts of a page: seconds"),
        "joulemark energy -- ./encode input.wav": Rule(
            instead="joulemark energy --foreign-limit 1000% -- ./encode input.wav",
            why=WHY_SIMULATED, codes=STATED, late=HALF_A_MINUTE,
        ),
        "joulemark energy --rounds 10 --cpu 2 -- ./encode input.wav": Rule(
            instead="joulemark energy --foreign-limit 1000% --rounds 10 --cpu 0 -- ./encode "
            "input.wav", why=f"{WHY_SIMULATED}; not every machine has three CPUs",
            codes=STATED, late=HALF_A_MINUTE,
        ),
        "joulemark energy --repeat 200 -- ./short-program": Rule(
            instead="joulemark energy --foreign-limit 1000% --repeat 200 -- ./short-program",
            why=WHY_SIMULATED, late=HALF_A_MINUTE, codes=STATED,
        ),
        "joulemark meter": Rule(instead="joulemark meter --duration 2", why="Ctrl-C ends it"),
        "joulemark meter powercap --interval 2": Rule(more=" --once", why="Ctrl-C ends it",
                                                      says=("package-0",)),
        "joulemark meter --interval 10 --prometheus /var/lib/node_exporter/textfile/"
        "joulemark.prom": Rule(
            instead="joulemark meter --once --interval 1 --prometheus textfile/joulemark.prom && "
            "cat textfile/joulemark.prom",
            why="Ctrl-C ends it; the folder is node_exporter's",
            says=("# TYPE joulemark_energy_joules_total counter",
                  'joulemark_energy_joules_total{meter="powercap",domain="intel-rapl:0",'),
        ),
        "joulemark meter external:watts.csv,clock=epoch": Rule(
            more=" --once", why="Ctrl-C ends it"
        ),
        "joulemark bench hmac-sha256 --size 1KiB --meter external:watts.csv,clock=epoch": Rule(
            more=SIMULATED, why="this machine is not quiet", codes=STATED, late=HALF_A_MINUTE,
        ),
        "joulemark bench hmac-sha256 --size 1KiB --meter external:/dev/ttyUSB0@115200": Rule(
            never=_SERIAL
        ),
        "joulemark bench hmac-sha256 --size 1KiB --meter battery": Rule(never=_BATTERY),
        "joulemark bench hmac-sha256 --size 1KiB --meter battery --energy-method "
        "westermann2010": Rule(never=_BATTERY),
        "joulemark bench hmac-sha256 --size 1KiB --energy": Rule(
            instead="env JOULEMARK_SYSFS=no-meters joulemark bench hmac-sha256 --size 1KiB "
            "--energy",
            short="env JOULEMARK_SYSFS=no-meters joulemark bench hmac-sha256/portable --size 1KiB "
            f"--energy{QUICK}",
            why="a machine without a meter", codes=REFUSED, says=("joulemark: no energy meter",),
        ),
    },
    "docs/how-to/choose-a-mac.md": {
        "joulemark bench hmac-sha256 cmac-aes128 siphash-2-4 --size 64": Rule(
            short=f"joulemark bench hmac-sha256/shani cmac-aes128/aesni --size 64{QUICK}"
        ),
        "joulemark choose --size 64 --tag-bits 96": Rule(
            says=("messages of 64 B, tags of 96 bits or more, status current:",)
        ),
        "joulemark sessions hmac-sha256 cmac-aes128 siphash-2-4 --size 64 --sessions 100": Rule(
            short="joulemark sessions hmac-sha256/portable --size 64 --sessions 100 --rounds 1 "
            "--window 0.05s --warmup 0.01s --attempts 1"
        ),
        "joulemark choose --size 64 --sessions 100 --tag-bits 96 --status current": Rule(
            says=("messages of 64 B, 100 sessions, tags of 96 bits or more, status current:",)
        ),
        "joulemark bench hmac-sha256 cmac-aes128 --size 64 --batch 16,64 --key distinct": Rule(
            late=MINUTES
        ),
    },
    "docs/how-to/measure-your-own-code.md": {
        "joulemark add siphash.c --function my_siphash --algorithm siphash-2-4": Rule(
            says=(
                "siphash-2-4/siphash: my_siphash(out, in, len, key) of siphash.c",
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
    "docs/how-to/measure-firmware.md": {
        "apt-get install gcc-avr avr-libc libsimavr-dev libelf-dev gcc": Rule(never=AS_ROOT),
        "apt-get install gcc-arm-none-eabi gcc-riscv64-unknown-elf": Rule(never=AS_ROOT),
        "apt-get install clang lld mspdebug": Rule(never=AS_ROOT),
        "pip install 'joulemark[firmware]'": Rule(never="tests/package installs wheels"),
        "joulemark bench halfsiphash-2-4 chaskey-12 --target mcu:atmega128 --size 16,33 "
        "--store firmware.db": Rule(needs="avr", says=("core cycles", "simulated")),
        "joulemark results --store firmware.db": Rule(needs="avr"),
        "joulemark export --store firmware.db --output firmware.csv": Rule(needs="avr"),
        "joulemark footprint halfsiphash-2-4 --target mcu:atmega128": Rule(
            needs="avr", says=("key state",)
        ),
    },
    "docs/how-to/report-a-core.md": {
        "joulemark core list": Rule(says=("sha1_latch",)),
        "joulemark core test siphash": Rule(late=TOOLS_OF_CORES),
        "joulemark core report siphash": Rule(late=TOOLS_OF_CORES),
        "joulemark core report siphash --param ROUNDS=4 --seeds 5 --json siphash.json": Rule(
            late=TOOLS_OF_CORES
        ),
        "joulemark core report siphash --liberty typical.lib --clock 500k": Rule(
            late=TOOLS_OF_CORES, needs="liberty"
        ),
        "joulemark core report siphash --liberty typical.lib --mapping speed --clock 50MHz": Rule(
            late=TOOLS_OF_CORES, needs="liberty"
        ),
        "joulemark core report siphash --liberty typical.lib --modules": Rule(
            late=TOOLS_OF_CORES, needs="liberty"
        ),
        "apt-get install qflow-tech-osu018": Rule(never=AS_ROOT),
        "joulemark core report siphash --liberty osu018": Rule(late=TOOLS_OF_CORES, needs="osu018"),
        "joulemark core report siphash --target generic": Rule(late=TOOLS_OF_CORES),
        "joulemark core compare siphash:small siphash:fast --target ecp5 --target generic": Rule(
            late=TOOLS_OF_CORES
        ),
        "joulemark core sweep siphash --param ROUNDS=1,2,4 --seeds 5 --json sweep.json": Rule(
            late=TOOLS_OF_CORES
        ),
        "joulemark core report siphash --liberty typical.lib --mappings 5": Rule(
            late=TOOLS_OF_CORES, needs="liberty"
        ),
        "joulemark core report siphash --liberty typical.lib --export siphash_netlist": Rule(
            late=TOOLS_OF_CORES, needs="liberty", says=("exported to siphash_netlist",)
        ),
        "(cd siphash_netlist && sta -exit timing.tcl)": Rule(late=LIKE, needs="opensta"),
        "joulemark core run siphash --key 000102030405060708090a0b0c0d0e0f --message-hex "
        "000102": Rule(late=TOOLS_OF_CORES),
        "joulemark core run hmac_sha256 --key-file key.bin --message firmware.img": Rule(
            late=TOOLS_OF_CORES
        ),
        "joulemark core run hmac_sha256:proposed --vectors hmac_sha256_test.json": Rule(
            never=FETCHED
        ),
        "joulemark core run my_sha256.toml --vectors SHA256ShortMsg.rsp": Rule(never=FETCHED),
        "joulemark core test my_sha256.toml": Rule(late=TOOLS_OF_CORES),
        "joulemark core report my_sha256.toml --target ecp5": Rule(late=TOOLS_OF_CORES),
        "joulemark core compare my_sha256.toml siphash": Rule(late=TOOLS_OF_CORES),
    },
    "docs/how-to/use-a-core.md": {
        "export JOULEMARK=/path/to/joulemark": Rule(never="the folder is the reader's"),
        'fusesoc library add joulemark "$JOULEMARK/hdl"': Rule(never=IN_A_PROJECT),
        "fusesoc library add node .": Rule(never=IN_A_PROJECT),
        "fusesoc run --target sim example:design:node": Rule(never=IN_A_PROJECT),
    },
    "docs/how-to/run-a-fleet.md": {
        "pip install 'joulemark[fleet]'": Rule(never="make setup installs the same"),
        **dict.fromkeys(
            (
                "joulemark fleet scheduler > scheduler.log &",
                "joulemark fleet worker tcp://127.0.0.1:8786 --machine one > one.log &",
                "joulemark fleet worker tcp://127.0.0.1:8786 --machine two > two.log &",
                "joulemark fleet worker tcp://127.0.0.1:8786 --machine three > three.log &",
                "joulemark fleet workers --scheduler tcp://127.0.0.1:8786 --wait 3",
                ("joulemark fleet bench hmac-sha256/portable --size 64 --quick --scheduler "
                "tcp://127.0.0.1:8786 --store fleet.db"),
                "joulemark runs --store fleet.db",
                "kill %4 %3 %2 %1",
            ),
            Rule(never="test_fleet_how_to.py runs the block in one shell"),
        ),
        "joulemark core sweep siphash --target generic --scheduler tcp://127.0.0.1:8786": Rule(
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
        "joulemark bench siphash-2-4 --quick --store here.db": Rule(less=" --rounds 2 --size 64"),
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
        "joulemark bench 'hmac-sha256/castellon2022_*' --size 64,1024": Rule(late=MINUTES),
        "joulemark compare hmac-sha256/castellon2022_ecm_j1 hmac-sha256/castellon2022_ecm_j8": Rule(
            late=LIKE
        ),
    },
    "docs/how-to/reproduce-westermann2010.md": {
        "joulemark reproduce westermann2010 --scale 0.01": Rule(
            late=MINUTES, says=("do not follow from",)
        ),
    },
    "docs/how-to/reproduce-rashwan2012.md": {
        "joulemark reproduce rashwan2012": Rule(late=MINUTES, says=("Validation of the windows",)),
        "joulemark reproduce rashwan2012 --library cryptopp --output with-cryptopp": Rule(
            late=MINUTES, says=("Validation of the windows",)
        ),
    },
    "docs/how-to/measure-sessions.md": {
        "joulemark sessions hmac-sha256 cmac-aes128 --sessions 100 --size 64,1KiB": Rule(
            short="joulemark sessions hmac-sha256/portable --sessions 10 --size 64 --rounds 1 "
            "--window 0.02s --warmup 0.01s --attempts 1",
            says=("absolute", "windows count"),
        ),
    },
    "docs/how-to/gather-across-sessions.md": {
        "joulemark gather cmac-aes128 hmac-sha256 --size 64 --rate 100k,1M "
        "--wait 0,5,20,50,100us --report gather.html": Rule(
            short="joulemark gather hmac-sha256/portable --sessions 4 --size 64 --rate 50k "
            "--wait 20us --rounds 1 --window 0.02s --warmup 0.005s --attempts 1 "
            "--report gather.html",
            says=("Which waiting pays", "windows count"),
        ),
    },
    "docs/how-to/reproduce-kaps2006.md": {
        "joulemark reproduce kaps2006": Rule(says=("9 bytes, not 17",)),
        "joulemark reproduce kaps2006 --hardware": Rule(late=TOOLS_OF_CORES),
        "joulemark reproduce kaps2006 --hardware --liberty sg13g2_stdcell_typ_1p20V_25C.lib": Rule(
            late=TOOLS_OF_CORES, needs="liberty"
        ),
    },
    "docs/how-to/reproduce-michail2005.md": {
        "joulemark reproduce michail2005 --no-fpga": Rule(
            late=TOOLS_OF_CORES, says=("proposed 65, conventional 129",)
        ),
        "joulemark reproduce michail2005 --liberty typical_1p20V.lib --corner slow_1p08V.lib "
        "--corner fast_1p32V.lib": Rule(
            more=" --no-fpga", why="placing and routing its HMAC cores takes hours",
            late=TOOLS_OF_CORES, needs="liberty",
        ),
    },
    "docs/how-to/simulate-a-meter.md": {
        f"{_TWO} --size 1KiB --meter simulated --foreign-limit 50% --energy-window 1": Rule(
            late=HALF_A_MINUTE, needs="sha", codes=STATED, says=("simulated",)
        ),
        "joulemark compare hmac-sha256/portable --quantity energy": Rule(
            late=LIKE, needs="sha", codes=STATED
        ),
        "joulemark meter simulated:static_w=5,psys=yes --once": Rule(says=("psys",)),
        "joulemark energy --meter simulated:active_w=8 --foreign-limit 50% -- ./encode": Rule(
            late=HALF_A_MINUTE, codes=STATED, says=("simulated",)
        ),
        "python -m joulemark.meters.simulated --root FOLDER --watch PID --options "
        "psys=yes,dram=yes": Rule(
            instead="python -m joulemark.meters.simulated --root ./machine --watch $PAGE_PID "
            "--options psys=yes,dram=yes >/dev/null 2>&1 & until [ -e machine/ready ]; do sleep "
            "0.1; done",
            why="it runs until the process ends",
        ),
        "joulemark meter simulated:FOLDER": Rule(
            instead="joulemark meter simulated:./machine --once", why="a folder of the reader's",
            says=("dram",),
        ),
        "joulemark doctor --sysfs FOLDER/sys --proc FOLDER/proc": Rule(
            instead="joulemark doctor --sysfs machine/sys --proc machine/proc", less=" --quick",
            why="a folder of the reader's", says=("powercap", "simulated"),
        ),
        "joulemark bench siphash-2-4/portable --meter simulated:fault=reset@20 --foreign-limit "
        "50%": Rule(late=MINUTES, codes=STATED),
        "joulemark bench siphash-2-4/portable --meter simulated:permission=yes": Rule(
            late=HALF_A_MINUTE, codes=REFUSED, says=("times above stand",)
        ),
        "joulemark meter simulated:fault=vanish@2": Rule(codes=REFUSED),
    },
    "docs/how-to/use-the-library.md": {
        "cmake -S . -B build/library -DCMAKE_INSTALL_LIBDIR=lib -DJOULEMARK_BINDINGS=OFF "
        "-DJOULEMARK_PROVIDERS=OFF": Rule(late=LIBRARY),
        "cmake --build build/library": Rule(late=LIBRARY),
        "cmake --install build/library --prefix ~/.local": Rule(late=LIBRARY),
        "cc -o packets packets.c $(PKG_CONFIG_PATH=~/.local/lib/pkgconfig pkg-config --cflags "
        "--libs joulemark)": Rule(late=LIBRARY),
        "./packets": Rule(
            short='cc -I"$(joulemark --include-dir)" -o packets packets.c '
            '-L"$(joulemark --library-dir)" -ljoulemark -pthread && ./packets',
            says=("packet 5 is not authentic",),
        ),
    },
}  # fmt: skip

TEXTS: dict[str, dict[str, str]] = {
    "docs/tutorial/first-run.md": {"64 B": "figures of one run", "16 B": "figures of one run"},
    "docs/how-to/measure-energy.md": {
        "joulemark: other programs use": "tests/cli/energy/test_bench_energy.py provokes it",
        "Energy by domain": "one run of one machine",
    },
    "docs/how-to/measure-your-own-code.md": {
        "siphash-2-4/mine is wrong": "of a fault, as tests/cli/test_test_command.py has it",
    },
    "docs/how-to/explore-results.md": {"run,started_at": "tests/explorer/test_views.py holds it"},
    "docs/how-to/use-a-core.md": {"tag 49be45e5": "tests/docs/test_use_a_core.py is held to it"},
}
"""Texts of pages that no command of the page is held to (`Rule.says`): how they begin, and why."""
