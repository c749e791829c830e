# SPDX-License-Identifier: Apache-2.0
"""Made-up machines: the small files under `/proc` and `/sys` that the environment is read from."""

from __future__ import annotations

from pathlib import Path

CPU = "sys/devices/system/cpu"

INTEL = """processor\t: 0
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: 142
model name\t: Intel(R) Core(TM) i7-8650U CPU @ 1.90GHz
stepping\t: 10
microcode\t: 0xf4
flags\t\t: fpu tsc ssse3 avx2 aes constant_tsc nonstop_tsc

processor\t: 1
vendor_id\t: GenuineIntel
stepping\t: 11
"""
AMD = """processor\t: 0
vendor_id\t: AuthenticAMD
cpu family\t: 25
model\t\t: 33
model name\t: AMD Ryzen 9 5950X 16-Core Processor
stepping\t: 2
microcode\t: 0xa201016
flags\t\t: fpu tsc sha_ni vaes avx2 constant_tsc nonstop_tsc
"""
ARM = """processor\t: 0
BogoMIPS\t: 108.00
Features\t: fp asimd aes pmull sha1 sha2 crc32
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x3
CPU part\t: 0xd0c
CPU revision\t: 1
"""


def tree(root: Path, files: dict[str, str]) -> Path:
    """Write the files of a made-up machine."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return root


def intel_laptop() -> dict[str, str]:
    """Two cores of two threads, driven by intel_pstate."""
    files = {
        "proc/cpuinfo": INTEL,
        "proc/meminfo": "MemTotal:       16303428 kB\nMemFree:  1 kB\n",
        "proc/sys/kernel/osrelease": "6.1.0-18-amd64\n",
        "proc/sys/kernel/arch": "x86_64\n",
        "proc/sys/kernel/randomize_va_space": "2\n",
        "proc/sys/kernel/perf_event_paranoid": "-1\n",
        "etc/os-release": 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
        f"{CPU}/online": "0-3\n",
        f"{CPU}/smt/active": "1\n",
        f"{CPU}/intel_pstate/no_turbo": "0\n",
        "sys/class/dmi/id/sys_vendor": "LENOVO\n",
        "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
    }
    for number in range(4):
        folder = f"{CPU}/cpu{number}"
        files |= {
            f"{folder}/topology/thread_siblings_list": f"{number % 2},{number % 2 + 2}\n",
            f"{folder}/cpufreq/scaling_driver": "intel_pstate\n",
            f"{folder}/cpufreq/scaling_governor": "powersave\n",
            f"{folder}/cpufreq/energy_performance_preference": "balance_power\n",
            f"{folder}/cpufreq/cpuinfo_min_freq": "400000\n",
            f"{folder}/cpufreq/cpuinfo_max_freq": f"{4200000 - number}\n",
            f"{folder}/cpufreq/scaling_min_freq": "400000\n",
            f"{folder}/cpufreq/scaling_max_freq": "1900000\n",
        }
    for index, (level, kind, size) in enumerate(
        [
            (1, "Data", "32K"),
            (1, "Instruction", "32K"),
            (2, "Unified", "256K"),
            (3, "Unified", "8M"),
        ]
    ):
        folder = f"{CPU}/cpu0/cache/index{index}"
        files |= {
            f"{folder}/level": f"{level}\n",
            f"{folder}/type": f"{kind}\n",
            f"{folder}/size": f"{size}\n",
        }
    return files
