# SPDX-License-Identifier: Apache-2.0
"""Rules for the commands of pages on energy and on budgets of packets."""

from __future__ import annotations

import os

from page_rule import AS_ROOT, HALF_A_MINUTE, LIKE, MINUTES, QUICK, REFUSED, TWO, Rule
from page_text import commands_of

SIMULATED = " --foreign-limit 1000%"
WHY_SIMULATED = "the meter is simulated, and its process is foreign to the measurement"
METERED = " --quick --rounds 2 --energy-rounds 3 --energy-window 0.2"
STATED = frozenset({0, 2})
"""Exit codes after metering: on a busy machine it may be that no figure could be stated."""
_SERIAL = "needs an instrument at a serial port; tests/meters reads one from a pseudo-terminal"
_RELATIVE = "needs an instrument that writes now; tests/meters moves such stamps to the clock"
_BATTERY = "needs a battery that is being emptied, and half an hour; tests/meters simulates one"

_BUDGET_PAGE = "docs/how-to/plan-a-budget.md"


def _budgets() -> dict[str, Rule]:
    """Rules that run one command of each view in `make test`, and the other nodes later."""
    first, *rest = [
        command for command in commands_of(_BUDGET_PAGE) if command.startswith("joulemark budget ")
    ]
    rules = {
        first: Rule(
            says=(
                "for TinySec-Auth on MICA2 at 868 MHz: 24 bytes every 10 s, a tag of 32 bits",
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
    rules["joulemark bench --for lorawan_1_0 --node lora_sf7 --payload 24"] = Rule(
        late=HALF_A_MINUTE, says=("Cortex-M0+",)
    )
    return rules


RULES: dict[str, dict[str, Rule]] = {
    _BUDGET_PAGE: _budgets(),
    "docs/how-to/measure-energy.md": {
        "joulemark doctor": Rule(late=HALF_A_MINUTE, says=("powercap",)),
        "sudo chgrp energy /sys/class/powercap/intel-rapl*/energy_uj": Rule(never=AS_ROOT),
        "sudo chmod g+r /sys/class/powercap/intel-rapl*/energy_uj": Rule(never=AS_ROOT),
        'echo \'SUBSYSTEM=="powercap", ACTION=="add", KERNEL=="intel-rapl*:*", '
        'RUN+="/bin/chgrp energy %S%p/energy_uj", RUN+="/bin/chmod g+r %S%p/energy_uj"\' | sudo '
        "tee /etc/udev/rules.d/60-rapl.rules": Rule(never=AS_ROOT),
        "sudo sysctl kernel.perf_event_paranoid=0": Rule(never=AS_ROOT),
        "joulemark bench hmac-sha256 --size 64,1KiB --energy": Rule(
            short=f"{TWO} --size 1KiB --energy{METERED}", more=SIMULATED, why=WHY_SIMULATED,
            codes=STATED, says=("net of deep idle",),
        ),
        "joulemark compare hmac-sha256/portable hmac-sha256/engine --quantity energy": Rule(
            codes=STATED
        ),
        "joulemark compare hmac-sha256/portable hmac-sha256/engine --quantity gross-energy": Rule(
            late=LIKE, codes=STATED
        ),
        "joulemark export --format json --output run.json": Rule(late=LIKE),
        "joulemark report --output report.html": Rule(late="the charts of a page: seconds"),
        "joulemark energy -- ./encode input.wav": Rule(
            instead="joulemark energy --foreign-limit 1000% -- ./encode input.wav",
            why=WHY_SIMULATED, codes=STATED, late=HALF_A_MINUTE,
        ),
        "joulemark energy --rounds 10 --cpu 2 -- ./encode input.wav": Rule(
            instead="joulemark energy --foreign-limit 1000% --rounds 10 "
            f"--cpu {min(os.sched_getaffinity(0))} -- ./encode input.wav",
            why=f"{WHY_SIMULATED}; not every machine has three CPUs",
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
        "joulemark meter --recorded external:ppk2.csv,voltage=3.3": Rule(says=("2.64 mW",)),
        "joulemark meter --recorded external:otii.csv": Rule(says=("40.6 mW",)),
        "joulemark meter --recorded external:joulescope.csv": Rule(late=LIKE, says=("40.6 mW",)),
        "joulemark meter external:joulescope.csv,start=2026-11-28T09:30:00Z": Rule(never=_RELATIVE),
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
    "docs/how-to/simulate-a-meter.md": {
        f"{TWO} --size 1KiB --meter simulated --foreign-limit 50% --energy-window 1": Rule(
            late=HALF_A_MINUTE, codes=STATED, says=("simulated",)
        ),
        "joulemark compare hmac-sha256/portable --quantity energy": Rule(
            late=LIKE, codes=STATED
        ),
        "joulemark meter simulated:static_w=5,psys=yes --once": Rule(says=("psys",)),
        "joulemark bench md5/portable bmw-256/portable --size 64KiB --meter "
        "simulated:battery=yes,static_w=22 --energy-method westermann2010 --energy-rounds 2 "
        "--energy-window 10": Rule(late=MINUTES, codes=STATED, says=("BAT0", "simulated")),
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
}  # fmt: skip
