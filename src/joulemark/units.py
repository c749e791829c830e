# SPDX-License-Identifier: Apache-2.0
"""Units at the edge: numbers become text for display, message sizes are read from the user.

Inside Joulemark every quantity is in SI base units and bytes; prefixes exist only here.
Sizes follow GNU coreutils: `k`, `Ki` and `KiB` are 1024, `kB` is 1000 (coreutils manual, section
"Block size"), because `16k` next to `16KiB` must not be two lengths. Case makes no difference.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final

from joulemark.errors import UsageError

MAX_MESSAGE_BYTES: Final = 1 << 30
"""Longest message that can be measured: 1 GiB; a cold-cache trial holds several in memory."""

_SI_PREFIXES: Final = {
    -18: "a",
    -15: "f",
    -12: "p",
    -9: "n",
    -6: "µ",
    -3: "m",
    0: "",
    3: "k",
    6: "M",
    9: "G",
    12: "T",
    15: "P",
    18: "E",
}
_BINARY_UNITS: Final = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))
_FACTORS: Final = {
    "": 1,
    "b": 1,
    "k": 1 << 10,
    "ki": 1 << 10,
    "kib": 1 << 10,
    "kb": 10**3,
    "m": 1 << 20,
    "mi": 1 << 20,
    "mib": 1 << 20,
    "mb": 10**6,
    "g": 1 << 30,
    "gi": 1 << 30,
    "gib": 1 << 30,
    "gb": 10**9,
    "t": 1 << 40,
    "ti": 1 << 40,
    "tib": 1 << 40,
    "tb": 10**12,
}
_SIZE: Final = re.compile(
    r"(?P<sign>[+-]?)\s*(?P<whole>[0-9]+)(?:\.(?P<part>[0-9]+))?\s*(?P<unit>[A-Za-z]*)"
)
_NUMBER: Final = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
_QUANTITY: Final = re.compile(rf"(?P<number>{_NUMBER})\s*(?P<unit>[A-Za-z\u00b5]*)")
_SECONDS: Final = {
    "": 1.0,
    "ns": 1e-9,
    "us": 1e-6,
    "\u00b5s": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "min": 60.0,
    "h": 3600.0,
    "d": 86_400.0,
}
_LONGEST_S: Final = 1e12
"""Bound of a length of time, thirty thousand years; years of battery stay finite numbers."""
_RATE: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([kKmMgG]?)")
_PER_RATE_PREFIX: Final = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}
_HIGHEST_RATE: Final = 1e9
_WATTS: Final = {"": 1.0, "nW": 1e-9, "uW": 1e-6, "\u00b5W": 1e-6, "mW": 1e-3, "W": 1.0}
_MOST_W: Final = 1e3
_LONGEST_SHOWN: Final = 40
_LONGEST_NUMBER: Final = 30
"""Digits after which a number is too large whatever its unit; int() itself refuses 4300."""


def format_count(number: int, noun: str) -> str:
    """A number with its noun, as in "1 run" and "2 runs"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def format_si(value: float, unit: str, *, digits: int = 3) -> str:
    """A quantity with the SI prefix that leaves one to three digits before the point.

    Trailing zeros are dropped; `digits` significant digits are kept (SI Brochure, 9th ed., 5.4.1:
    a space stands between number and unit). The prefix is chosen after rounding, so 999.96 ns is
    "1 µs". Not-a-number and infinities are written as such.

    Example:
        >>> format_si(0.0000000859, "s")
        '85.9 ns'
    """
    if not math.isfinite(value) or value == 0:
        return f"{value:g} {unit}"
    rounded = float(f"{value:.{digits - 1}e}")
    exponent = math.floor(math.log10(abs(rounded)) + 1e-12)
    power = min(18, max(-18, 3 * (exponent // 3)))
    # Division by an exact power of ten, because 10.0**-9 is not exact and would cost a digit.
    scaled = rounded / 10.0**power if power >= 0 else rounded * 10.0**-power
    decimals = max(0, digits - 1 - (exponent - power))
    text = f"{scaled:.{decimals}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"{text} {_SI_PREFIXES[power]}{unit}"


def format_seconds(seconds: float, *, digits: int = 3) -> str:
    """A time, as in "85.9 ns"."""
    return format_si(seconds, "s", digits=digits)


def format_duration(seconds: float) -> str:
    """A length of time as a person says it: "15 min", "2 h", and in seconds where they divide.

    Example:
        >>> format_duration(900), format_duration(5400), format_duration(0.01)
        ('15 min', '90 min', '10 ms')
    """
    for unit, per_unit in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= per_unit and seconds % per_unit == 0:
            return f"{seconds / per_unit:.0f} {unit}"
    return format_seconds(seconds)


def format_joules(joules: float, *, digits: int = 3) -> str:
    """An energy, as in "3.1 nJ"."""
    return format_si(joules, "J", digits=digits)


def format_hertz(hertz: float, *, digits: int = 3) -> str:
    """A frequency, as in "2.1 GHz"."""
    return format_si(hertz, "Hz", digits=digits)


def format_rate(bytes_per_second: float) -> str:
    """A data rate with decimal prefixes, as in "1.2 GB/s"."""
    return format_si(bytes_per_second, "B/s")


def format_percent(fraction: float, *, digits: int = 2) -> str:
    """A fraction of one as a percentage, as in "2.5 %"."""
    if not math.isfinite(fraction):
        return f"{fraction:g} %"
    percent = 100 * fraction
    magnitude = math.floor(math.log10(abs(percent))) if percent else 0
    text = f"{percent:.{max(0, digits - 1 - magnitude)}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} %"


def format_bytes(size_bytes: int) -> str:
    """A message size without loss: "64 KiB" where it divides, else "1500 B".

    `parse_size` reads it back to the same number.
    """
    for unit, factor in _BINARY_UNITS:
        if size_bytes and size_bytes % factor == 0:
            return f"{size_bytes // factor} {unit}"
    return f"{size_bytes} B"


def format_memory(size_bytes: int) -> str:
    """An amount of memory to three digits.

    Example:
        >>> format_memory(2_531_328), format_memory(900)
        ('2.41 MiB', '900 B')
    """
    for unit, factor in _BINARY_UNITS:
        if size_bytes >= factor:
            return f"{size_bytes / factor:.3g} {unit}"
    return f"{size_bytes} B"


def parse_number(text: str) -> float:
    """A decimal number; not-a-number for other text.

    Python's own float() also takes digits of other scripts, and 1_0 for 10.

    Example:
        >>> parse_number(" 1.5e3 "), parse_number("1_0")
        (1500.0, nan)
    """
    return float(text) if re.fullmatch(rf"\s*{_NUMBER}\s*", text) else math.nan


def small_letters(text: str) -> str:
    """A time in small letters; but Ms and MS stay, which are megaseconds and no `ms`."""
    return text if text.rstrip().endswith(("Ms", "MS")) else text.lower()


def parse_duration(text: str, option: str) -> float:
    """A length of time in seconds: 90, 90s, 10ms, 1.5min, 2h or 1d; above 0, to 1e12 s."""
    value = _quantity(small_letters(text), _SECONDS)
    if not 0 < value <= _LONGEST_S:
        raise UsageError(f"{option} {text}: give a length of time such as 10ms, 90s or 5min")
    return value


def parse_difference(text: str, option: str) -> float:
    """A difference as `5%`, `5 %` or `0.05`.

    Example:
        >>> parse_difference("5 %", "--threshold"), parse_difference("0.05", "--threshold")
        (0.05, 0.05)
    """
    stripped = text.strip()
    number = stripped.removesuffix("%").strip()
    percent = number != stripped
    value = parse_number(number) / (100 if percent else 1)
    if not 0 <= value < math.inf:
        raise UsageError(f"{option} {text}: give a difference such as 5% or 0.05")
    if value >= 1 and not percent:
        raise UsageError(
            f"{option} {text}: did you mean {number}%? Without the sign it is a fraction of one"
        )
    return value


def parse_percentile(percent: float) -> float:
    """The share of values at or below a percentile, as 0.99."""
    if not 0 < percent < 100:
        raise UsageError(f"--percentile {percent:g}: give a number between 0 and 100, such as 99")
    return percent / 100


def parse_power(text: str, option: str) -> float:
    """A power in watts: 0.001, 1mW or 20 uW; zero or more, and at most 1 kW."""
    value = _quantity(text, _WATTS)
    if not 0 <= value <= _MOST_W:
        raise UsageError(f"{option} {text}: give a power from 0 to 1 kW, such as 20uW or 0.5mW")
    return value


def parse_rate(text: str, also: str = "") -> float:
    """Messages a second, 1 to 1e9, as in 100k or 1.5M.

    Args:
        text: the user's text.
        also: end of the refusal, such as ", or saturated".
    """
    match = _RATE.fullmatch(text.strip())
    found = float(match[1]) * _PER_RATE_PREFIX[match[2].lower()] if match else math.nan
    if not 1 <= found <= _HIGHEST_RATE:
        raise UsageError(
            f"--rate {text[:40]}: give messages a second from 1 to 1G, as in 100k{also}"
        )
    return found


def _quantity(text: str, factors: Mapping[str, float]) -> float:
    """A decimal number by the factor of the unit behind it; not-a-number for other text."""
    match = _QUANTITY.fullmatch(text.strip().replace("\u03bc", "\u00b5"))
    factor = None if match is None else factors.get(match["unit"])
    return math.nan if match is None or factor is None else float(match["number"]) * factor


def parse_size(text: str) -> int:
    """Read one message size in bytes, 0 to `MAX_MESSAGE_BYTES`.

    Example:
        >>> parse_size("64KiB"), parse_size("1500"), parse_size("16k"), parse_size("1.5 KiB")
        (65536, 1500, 16384, 1536)
    """
    stripped = text.strip()
    if not stripped:
        raise UsageError("A message size is missing; give a number of bytes such as 64 or 16KiB.")
    shown = _printable(stripped)
    match = _SIZE.fullmatch(stripped)
    factor = _FACTORS.get(match["unit"].lower()) if match else None
    if match is None or factor is None:
        raise UsageError(f"{shown} is not a message size; give bytes such as 64, 1500 or 16KiB.")
    whole, part = match["whole"].lstrip("0") or "0", (match["part"] or "").rstrip("0")
    if match["sign"] == "-" and (whole != "0" or part):
        raise UsageError(f"{shown} is negative; the smallest message is 0 bytes.")
    limit = (
        f"{shown} is more than the largest message that can be measured, "
        f"{format_bytes(MAX_MESSAGE_BYTES)}; longer messages cost the same per byte."
    )
    if len(whole) > _LONGEST_NUMBER:
        raise UsageError(limit)
    if len(part) > _LONGEST_NUMBER:
        raise UsageError(f"{shown} is not a whole number of bytes.")
    numerator = int(whole + part) * factor
    denominator: int = 10 ** len(part)
    size_bytes, remainder = divmod(numerator, denominator)
    if remainder:
        raise UsageError(f"{shown} is not a whole number of bytes.")
    if size_bytes > MAX_MESSAGE_BYTES:
        raise UsageError(limit)
    return size_bytes


def parse_sizes(text: str) -> tuple[int, ...]:
    """Read a comma-separated list of sizes and ranges; keep the order, drop repetitions.

    `a..b` is a, every power of two between, and b: both ends always belong to it.

    Example:
        >>> parse_sizes("16,64..1024,16")
        (16, 64, 128, 256, 512, 1024)
    """
    if not text.strip():
        raise UsageError("No message size is given; give a list such as 16,64..1024.")
    sizes: dict[int, None] = {}
    for item in text.split(","):
        first, dots, last = item.partition("..")
        if not item.strip():
            raise UsageError(f"{_printable(text)} has an empty place between its commas.")
        if not dots:
            sizes[parse_size(item)] = None
            continue
        if not first.strip() or not last.strip():
            raise UsageError(f"{_printable(item.strip())} lacks an end; write a range as 64..1024.")
        sizes.update(dict.fromkeys(_doublings(parse_size(first), parse_size(last), item)))
    return tuple(sizes)


def _doublings(first: int, last: int, item: str) -> list[int]:
    """`first`, the powers of two strictly between, and `last`."""
    if first > last:
        shown = _printable(item.strip())
        raise UsageError(f"{shown} descends; write the smaller size first, as in {last}..{first}.")
    powers = [1 << bit for bit in range(MAX_MESSAGE_BYTES.bit_length())]
    between = [power for power in powers if first < power < last]
    return [first, *between, last]


def _printable(text: str) -> str:
    """The user's text on one printable line, cut where it is long."""
    printable = "".join(sign if sign.isprintable() else "?" for sign in text)
    if len(printable) > _LONGEST_SHOWN:
        return printable[:_LONGEST_SHOWN] + "..."
    return printable
