# SPDX-License-Identifier: Apache-2.0
"""Rules for the commands of pages on microcontrollers and hardware cores."""

from __future__ import annotations

from page_rule import AS_ROOT, LIKE, TOOLS_OF_CORES, Rule

IN_A_PROJECT = "tests/docs/test_use_a_core.py runs it in the project of the page"
FETCHED = "reads a file that the reader fetches; tests/cli/core/test_core_run.py has such of ours"

RULES: dict[str, dict[str, Rule]] = {
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
        "joulemark compare-targets siphash-2-4 --size 33 --targets mcu,core --every 1s": Rule(
            says=("mcu:nrf52840", "joulemark core report siphash --message 33")
        ),
        "joulemark compare-targets siphash-2-4 --liberty typical.lib": Rule(
            late=TOOLS_OF_CORES, needs="liberty", says=("gate:serv", "Least energy")
        ),
        "joulemark bench chaskey-12/mcu32 --size 33 --target gate:serv --liberty typical.lib": Rule(
            late=TOOLS_OF_CORES, needs="liberty", says=("without glitches", "memory")
        ),
        "joulemark bench chaskey-12/mcu32 --size 33 --target gate:serv --liberty typical.lib "
        "--glitches": Rule(
            late=TOOLS_OF_CORES, needs="liberty", says=("share", "3 slices of the message")
        ),
        "joulemark bench siphash-2-4 --size 16,33 --target gate:picorv32,gate:serv "
        "--liberty typical.lib --json": Rule(
            late=TOOLS_OF_CORES, needs="liberty", says=("without_glitches",)
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
        "(cd siphash_netlist && iverilog -g2009 -s testbench -o test.vvp testbench.v netlist.v "
        "cells.v && vvp -n test.vvp)": Rule(late=TOOLS_OF_CORES, needs="liberty"),
        "joulemark core run siphash --key 000102030405060708090a0b0c0d0e0f --message-hex "
        "000102": Rule(late=TOOLS_OF_CORES),
        "joulemark core run hmac_sha256 --key-file key.bin --message firmware.img": Rule(
            late=TOOLS_OF_CORES
        ),
        "joulemark core run hmac_sha256:proposed --vectors hmac_sha256_test.json": Rule(
            never=FETCHED
        ),
        "joulemark core run my_sha256.toml --vectors SHA256ShortMsg.rsp": Rule(never=FETCHED),
        "joulemark core check --old aes128_serial --new aes128_serial:decoded --target generic "
        "--threshold 5%": Rule(late=TOOLS_OF_CORES, codes=frozenset({1}), says=("worse",)),
        "joulemark core new my_sha256.v --output proposed.toml": Rule(
            late=TOOLS_OF_CORES, says=("gives right results of sha256",)
        ),
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
    "docs/how-to/reproduce-kaps2006.md": {
        "joulemark reproduce kaps2006": Rule(says=("9 bytes, not 17",)),
        "joulemark reproduce kaps2006 --hardware": Rule(late=TOOLS_OF_CORES),
        "joulemark reproduce kaps2006 --hardware --liberty sg13g2_stdcell_typ_1p20V_25C.lib": Rule(
            late=TOOLS_OF_CORES, needs="liberty"
        ),
    },
    "docs/how-to/reproduce-michail2005.md": {
        "joulemark reproduce michail2005": Rule(
            late=TOOLS_OF_CORES, says=("proposed 65, conventional 129",)
        ),
        "joulemark reproduce michail2005 --liberty typical_1p20V.lib --corner slow_1p08V.lib "
        "--corner fast_1p32V.lib": Rule(late=TOOLS_OF_CORES, needs="liberty"),
    },
}  # fmt: skip
