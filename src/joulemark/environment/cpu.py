# SPDX-License-Identifier: Apache-2.0
"""Small system files, and what they tell of the processor: its model, its layout, its clock."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from joulemark.environment.facts import Fact

# Reads small system files, and keeps the reason for every fact that is unknown.

T = TypeVar("T")


class SystemFiles:
    """A tree with `proc` and `sys` in it.

    A fact is asked for by its name in `Environment`; if no file gives the fact, the answer is None
    and `reasons` says why under that name.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.live = root == Path("/")
        self.reasons: dict[str, str] = {}

    def text(self, path: str) -> str | None:
        """Content of a file without surrounding space; None where it cannot be read."""
        return self._look(path)[0]

    def fact(self, name: str, *paths: str, parse: Callable[[str], T]) -> T | None:
        """The value of the first file that can be read and understood.

        Args:
            name: field of `Environment`.
            paths: files from the root, without a leading stroke.
            parse: the function from a text to the value; it raises ValueError for a text that it
                does not understand.
        """
        why = ""
        for path in paths:
            text, reason = self._look(path)
            if text is not None:
                try:
                    return parse(text)
                except ValueError:
                    reason = f"/{path} holds something that is not understood"
            why = why or reason
        return self.unknown(name, why)

    def unknown(self, name: str, reason: str) -> T | None:
        """Records why a fact is unknown, and returns None for it, which has any type."""
        self.reasons[name] = reason
        return None

    def folders(self, pattern: str) -> Iterator[str]:
        """Folders and files that match, as paths from the root, in order."""
        for path in sorted(self.root.glob(pattern)):
            yield path.relative_to(self.root).as_posix()

    def exists(self, path: str) -> bool:
        """Whether there is such a file or folder, readable or not."""
        try:
            return (self.root / path).exists()
        except OSError:
            return True

    def _look(self, path: str) -> tuple[str | None, str]:
        """Content of a file, or None and the reason."""
        try:
            text = (self.root / path).read_text("utf-8", "replace").strip().strip("\0")
        except FileNotFoundError:
            return None, f"there is no /{path} here"
        except PermissionError:
            return None, f"/{path} may be read by an administrator only"
        except OSError as error:
            return None, f"/{path} cannot be read ({error.strerror})"
        return (text, "") if text else (None, f"/{path} is empty")


def cpu_numbers(text: str) -> list[int]:
    """The numbers in the kernel's notation of lists, as in `0-3,8`."""
    numbers: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers.extend(range(int(first), int(last or first) + 1))
    return numbers


# The processor: its model, its features, and the layout of its cores and caches.

_CPU = "sys/devices/system/cpu"

_X86 = (
    "sse2 ssse3 sse4_1 sse4_2 avx avx2 avx_vnni avx512f avx512bw avx512dq avx512vl avx512ifma "
    "avx512vbmi avx512_vbmi2 avx512_vpopcntdq gfni aes vaes pclmulqdq vpclmulqdq sha_ni sha512 sm3 "
    "sm4 bmi1 bmi2 adx movbe rdrand rdseed erms fsrm"
)
_ARM = "neon asimd aes pmull sha1 sha2 sha3 sha512 asimddp sve sve2 sveaes svesha3 crc32"
_RISCV = "zbb zbc zbkb zbkc zbkx zkne zknd zknh zvkned zvknha zvknhb zvkg"
_FEATURES = frozenset(f"{_X86} {_ARM} {_RISCV}".split())

_UNITS = {"K": 1024, "M": 1024**2, "G": 1024**3}

_KEYS = {
    "cpu_vendor": "vendor_id",
    "cpu_model": "model name",
    "cpu_family": "cpu family",
    "cpu_model_number": "model",
    "cpu_stepping": "stepping",
}
"""Field of `Environment` -> its name in `/proc/cpuinfo`."""
_ARM_KEYS = {
    "cpu_vendor": "CPU implementer",
    "cpu_model": "model name",
    "cpu_family": "CPU architecture",
    "cpu_model_number": "CPU part",
}


def cpuinfo(source: SystemFiles) -> dict[str, str]:
    """Each field of `/proc/cpuinfo`, as it first occurs: of the first processor, or of all."""
    info: dict[str, str] = {}
    for line in (source.text("proc/cpuinfo") or "").splitlines():
        name, colon, value = line.partition(":")
        if colon:
            info.setdefault(name.strip(), value.strip())
    return info


def read_cpu(source: SystemFiles) -> dict[str, Fact]:
    """Facts about the processor, by field of `Environment`."""
    info = cpuinfo(source)
    flags = _flags(info)
    return {
        "architecture": _architecture(source),
        **_names(source, info),
        "microcode": _text(source, info, "microcode", "microcode"),
        "hybrid": _hybrid(source),
        "physical_cores": len(hardware_threads(source))
        or source.unknown("physical_cores", "the kernel shows no CPU topology"),
        "logical_cpus": source.fact(
            "logical_cpus", f"{_CPU}/online", parse=lambda text: len(cpu_numbers(text))
        ),
        "core_kinds": _named_kinds(source),
        "smt_active": _smt_active(source),
        "cpu_features": sorted(_FEATURES & flags)
        if flags
        else source.unknown("cpu_features", "/proc/cpuinfo lists no features here"),
        "caches_bytes": _caches(source),
        "tsc_hz": source.fact(
            "tsc_hz", f"{_CPU}/cpu0/tsc_freq_khz", parse=lambda text: int(text) * 1000
        ),
        **{name: _tsc_flag(source, name, flags) for name in ("constant_tsc", "nonstop_tsc")},
    }


def _flags(info: Mapping[str, str]) -> set[str]:
    if "isa" in info:
        return set(info["isa"].replace("_", " ").split())
    return set(info.get("flags", info.get("Features", "")).split())


def _architecture(source: SystemFiles) -> str | None:
    if source.live:
        return os.uname().machine
    return source.fact("architecture", "proc/sys/kernel/arch", parse=str)


def _names(source: SystemFiles, info: Mapping[str, str]) -> dict[str, Fact]:
    is_arm = "CPU implementer" in info
    names: dict[str, Fact] = {}
    for name, key in (_ARM_KEYS if is_arm else _KEYS).items():
        read_field = _text if name in {"cpu_vendor", "cpu_model"} else _number
        names[name] = read_field(source, info, name, key)
    if is_arm:
        variant = _number(source, info, "cpu_stepping", "CPU variant")
        revision = _number(source, info, "cpu_stepping", "CPU revision")
        stepping = None if variant is None or revision is None else 16 * variant + revision
        names["cpu_stepping"] = stepping
    return names


def _text(source: SystemFiles, info: Mapping[str, str], name: str, key: str) -> str | None:
    value = info.get(key)
    return value or source.unknown(name, f"/proc/cpuinfo has no '{key}' here")


def _number(source: SystemFiles, info: Mapping[str, str], name: str, key: str) -> int | None:
    value = _text(source, info, name, key)
    try:
        return None if value is None else int(value, 0)
    except ValueError:
        return source.unknown(name, f"'{key}' in /proc/cpuinfo is not a number")


# Cores of several kinds: fast ones (P) and small ones (E), of which each run measures one kind.
#
# Intel's kinds are the kernel's counters of events, `cpu_core`, `cpu_atom` and, for cores of low
# power, `cpu_lowpower` (Linux, arch/x86/events/intel/core.c). On Arm `cpu_capacity` is the speed
# of a CPU, 1024 for the fastest (Documentation/ABI/testing/sysfs-devices-system-cpu).

P_CORE = "P-core"
_E_CORE = "E-core"
_INTEL_KINDS = {P_CORE: "cpu_core", _E_CORE: "cpu_atom", "low-power E-core": "cpu_lowpower"}


def core_kinds(source: SystemFiles) -> dict[int, str]:
    """CPU -> kind of its core, the fastest kind first; empty where the cores are of one kind.

    Cores of a speed between that of the fastest and that of the slowest are named by it, as in
    "core of capacity 871".
    """
    found: dict[int, str] = {}
    try:
        for kind, folder in _INTEL_KINDS.items():
            listed = source.text(f"sys/devices/{folder}/cpus")
            found |= dict.fromkeys(cpu_numbers(listed) if listed else (), kind)
        if not found:
            found = _kinds_by_speed(source)
    except ValueError:
        return {}
    return found if len(set(found.values())) > 1 else {}


def _kinds_by_speed(source: SystemFiles) -> dict[int, str]:
    speeds: dict[int, int] = {}
    for path in source.folders(f"{_CPU}/cpu[0-9]*/cpu_capacity"):
        number = path.removeprefix(f"{_CPU}/cpu").partition("/")[0]
        speeds[int(number)] = int(source.text(path) or "")
    if not speeds:
        return {}
    names = {min(speeds.values()): _E_CORE, max(speeds.values()): P_CORE}
    by_speed = sorted(speeds, key=lambda cpu: (-speeds[cpu], cpu))
    return {cpu: names.get(speeds[cpu], f"core of capacity {speeds[cpu]}") for cpu in by_speed}


def cpu_list(numbers: Iterable[int]) -> str:
    """The numbers as the kernel writes lists, as in `0-3,8`."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][-1] + 1:
            parts[-1][1:] = [number]
        else:
            parts.append([number])
    return ",".join("-".join(map(str, part)) for part in parts)


def _named_kinds(source: SystemFiles) -> dict[str, str] | None:
    kinds = core_kinds(source)
    if not kinds:
        return source.unknown("core_kinds", "the kernel tells no core from another here")
    return {
        kind: cpu_list(cpu for cpu, of in kinds.items() if of == kind)
        for kind in dict.fromkeys(kinds.values())
    }


def _hybrid(source: SystemFiles) -> bool | None:
    if core_kinds(source):
        return True
    lines = (source.text("proc/cpuinfo") or "").splitlines()
    parts = {line for line in lines if line.startswith(("CPU part", "uarch"))}
    if not parts and not any(line.startswith("flags") for line in lines):
        return source.unknown("hybrid", "/proc/cpuinfo does not tell one core from another here")
    return len(parts) > 1


def _smt_active(source: SystemFiles) -> bool | None:
    listed = source.text(f"{_CPU}/smt/active")
    if listed in {"0", "1"}:
        return listed == "1"
    siblings = hardware_threads(source)
    if not siblings:
        return source.unknown("smt_active", "the kernel shows neither SMT state nor CPU topology")
    return any(len(group) > 1 for group in siblings)


def hardware_threads(source: SystemFiles) -> set[tuple[int, ...]]:
    """Logical CPUs of each core; empty where the kernel does not show them."""
    paths = source.folders(f"{_CPU}/cpu[0-9]*/topology/thread_siblings_list")
    try:
        return {tuple(cpu_numbers(source.text(path) or "")) for path in paths}
    except ValueError:
        return set()


def _caches(source: SystemFiles) -> dict[str, int] | None:
    sizes_bytes = {}
    for folder in source.folders(f"{_CPU}/cpu0/cache/index*"):
        level, kind, size = (source.text(f"{folder}/{name}") for name in ("level", "type", "size"))
        if level and kind and size and size[:-1].isdigit() and size[-1] in _UNITS:
            letter = {"Data": "d", "Instruction": "i"}.get(kind, "")
            sizes_bytes[f"L{level}{letter}"] = int(size[:-1]) * _UNITS[size[-1]]
    return sizes_bytes or source.unknown("caches_bytes", "the kernel shows no cache sizes here")


def _tsc_flag(source: SystemFiles, name: str, flags: set[str]) -> bool | None:
    if "asimd" in flags:
        return True  # AArch64: the generic timer counts at one rate, also while cores sleep
    if "tsc" not in flags:
        return source.unknown(name, "this processor has no time-stamp counter of that kind")
    return name in flags


# How the clock of the cores is set, and between which bounds.


_WORDS = {
    "frequency_driver": "scaling_driver",
    "governor": "scaling_governor",
    "energy_preference": "energy_performance_preference",
}
"""Field of `Environment` -> file in a CPU's folder `cpufreq`."""
_BOUNDS: dict[str, tuple[str, Callable[[list[int]], int]]] = {
    "frequency_min_hz": ("cpuinfo_min_freq", min),
    "frequency_max_hz": ("cpuinfo_max_freq", max),
    "frequency_limit_low_hz": ("scaling_min_freq", min),
    "frequency_limit_high_hz": ("scaling_max_freq", max),
}
"""Field of `Environment` -> file of kilohertz, and the choice among the CPUs' values."""


def read_frequency(source: SystemFiles) -> dict[str, Fact]:
    """Facts about frequency, by field of `Environment`."""
    return {
        **{name: _of_every_cpu(source, name, file) for name, file in _WORDS.items()},
        **{name: _bound(source, name, *bound) for name, bound in _BOUNDS.items()},
        "turbo": _turbo(source),
    }


def _of_every_cpu(source: SystemFiles, name: str, file: str) -> str | None:
    words = set(_values(source, file))
    return "+".join(sorted(words)) or source.unknown(name, _absent(source, file))


def _bound(
    source: SystemFiles, name: str, file: str, choose: Callable[[list[int]], int]
) -> int | None:
    values_khz = [int(value) for value in _values(source, file) if value.isdigit()]
    return choose(values_khz) * 1000 if values_khz else source.unknown(name, _absent(source, file))


def _values(source: SystemFiles, file: str) -> list[str]:
    paths = source.folders(f"{_CPU}/cpu[0-9]*/cpufreq/{file}")
    return [value for path in paths if (value := source.text(path))]


def _absent(source: SystemFiles, file: str) -> str:
    if any(source.folders(f"{_CPU}/cpu[0-9]*/cpufreq")):
        return f"the frequency driver shows no {file}"
    return "the kernel does not set the frequency here (usual in a virtual machine)"


def _turbo(source: SystemFiles) -> bool | None:
    """Whether cores may pass their base frequency; 1 means no in `no_turbo` and yes in `boost`."""
    for file, yes in (("intel_pstate/no_turbo", "0"), ("cpufreq/boost", "1")):
        text = source.text(f"{_CPU}/{file}")
        if text in {"0", "1"}:
            return text == yes
    policies = set(_values(source, "boost"))
    if policies and policies <= {"0", "1"}:
        return "1" in policies
    return source.unknown("turbo", "the kernel shows no turbo or boost switch here")
