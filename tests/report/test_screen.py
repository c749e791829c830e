# SPDX-License-Identifier: Apache-2.0
"""The screen at the end of a run: whole at 80 columns, short, and true to the results."""

from __future__ import annotations

from dataclasses import replace

import fake_results as fake
import pytest

from joulemark.analyse import Figure, Result, ResultFailure, ResultSet
from joulemark.environment import capture
from joulemark.environment.facts import limit_of_cpu_time
from joulemark.records import FailureKind
from joulemark.records.figures import Doubt, DoubtKind, Evidence
from joulemark.report.answers import SCREEN_RESULTS, blocks, has_answer, tally
from joulemark.report.draw import text_of
from joulemark.report.screen import LINES, Screen

LIBRARIES = ("openssl", "ipsec_mb", "cryptopp", "libsodium", "nettle", "python")
MACS = ("cmac-aes128", "cmac-aes256", "hmac-md5", "hmac-sha1", "hmac-sha256", "hmac-sha384",
        "hmac-sha512", "poly1305", "siphash-2-4", "siphash-2-4-128")  # fmt: skip
SIZES = (16, 64, 256, 1024, 4096, 16384, 65536)
MORE = "joulemark results 7 --all"
VIRTUAL = "This is a virtual machine: other guests share its cores. Measure on real hardware."
FOREIGN = (
    "foreign CPU time: Other programs used up to 87 % of a CPU beside this run (rounds 4 to 9): "
    "they share its clock; close them and repeat. So it was in 800 of the 868 trials."
)


def every_mac(**more: float) -> list[Result]:
    """Results of the algorithms, providers and lengths of the default run; ours is the fastest.

    Args:
        more: provider -> nanoseconds of each message in place of those invented here.
    """
    ns = {"joulemark": 40.0, **{name: 60.0 + 5 * i for i, name in enumerate(LIBRARIES)}} | more
    return [
        fake.result(fake.Fake(f"{mac}/{provider}_fast", provider, fixed, 0.5), size)
        for mac in MACS
        for provider, fixed in ns.items()
        for size in SIZES
    ]


def printed(results: ResultSet, width: int, height: int | None = None) -> list[str]:
    """Lines of the screen for a terminal of that height, or for a file."""
    return [text_of(line) for line in Screen(results, MORE).lines(width, height or LINES)]


def row(lines: list[str], name: str) -> list[str]:
    """The words of the first line that begins with a name."""
    return next(line.split() for line in lines if line.startswith(f"{name} "))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_default_run_is_one_screen(width: int) -> None:
    """Lines fit, nothing is padded, and from 80 columns on every library has its column."""
    lines = printed(fake.result_set(every_mac(), (), [VIRTUAL, FOREIGN]), width)
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= width
    assert [line for line in lines if line != line.rstrip()] == []
    assert lines[-1].endswith(MORE)
    if width >= 80:
        heads = [line.split() for line in lines if " factor " in line]
        assert [head[:2] for head in heads] == [["64", "B,"], ["1", "KiB,"], ["64", "KiB,"]]
        assert all(set(LIBRARIES) <= set(head) for head in heads)


def test_a_terminal_of_24_lines_has_one_length() -> None:
    """The screen shows the length of 64 bytes and all doubts below it."""
    lines = printed(fake.result_set(every_mac(), (), [VIRTUAL, FOREIGN]), 80, 24)
    assert len(lines) <= 24
    assert [line.split()[:3] for line in lines if " factor " in line] == [["64", "B,", "ns"]]


def test_a_row_is_the_fastest_of_each() -> None:
    """A row has our time, the factor to the fastest library, and a star on that library."""
    slow = fake.result(fake.Fake("hmac-sha256/slow", "joulemark", 900.0, 9.0), 64)
    lines = printed(fake.result_set([*every_mac(), slow]), 80)
    assert row(lines, "hmac-sha256") == [
        "hmac-sha256", "72", "1.28\N{MULTIPLICATION SIGN}", "92*", "97", "102", "107", "112", "117",
    ]  # fmt: skip
    said = " ".join(" ".join(lines).split())
    assert (
        f"Ours against the fastest of {', '.join(sorted(LIBRARIES))}: faster in 40, slower in 0, "
        "not told apart in 30"
    ) in said


def test_one_comparison_is_a_sentence() -> None:
    """A run with one comparison begins with its factor and interval, whoever is the faster."""
    found = [result for result in every_mac() if result.algorithm == "hmac-sha256"]
    short = [result for result in found if result.size_bytes == 64]
    first = " ".join(" ".join(printed(fake.result_set(short), 80)[:2]).split())
    assert first.startswith("hmac-sha256 of 64 B: ours is 1.28 times [1.2")
    assert first.split("] ")[1].startswith("as fast as openssl, the fastest library measured")
    slower = [
        result.model_copy(
            update={"provider": {"joulemark": "mine", "openssl": "joulemark"}[result.provider]}
        )
        for result in short
        if result.provider in {"joulemark", "openssl"}
    ]
    text = " ".join(" ".join(printed(fake.result_set(slower), 80)[:2]).split())
    assert text.startswith("hmac-sha256 of 64 B: ours takes 1.28 times [1.2")
    assert text.split("] ")[1].startswith("as long as plugin mine")


def test_own_code_is_the_first_column() -> None:
    """Own code stands first, then ours, OpenSSL, and the others by speed; a sentence says how."""
    own = fake.Fake("hmac-sha256/quick", "quick-hmac-sha256", 20.0, 0.2)
    slow = fake.Fake("hmac-sha1/slow", "slow-hmac-sha1", 500.0, 2.0)
    mine = [fake.result(fake_, size) for fake_ in (own, slow) for size in SIZES]
    lines = printed(fake.result_set([*every_mac(openssl=95.0), *mine]), 80)
    said = " ".join(" ".join(lines).split())
    assert said.startswith("Yours against ours: slow slower in 7; quick faster in 7 Ours against")
    head = next(line.split() for line in lines if " factor " in line)
    assert head[head.index("ns") + 1 :][:6] == [
        "quick", "slow", "ours", "factor", "openssl", "ipsec_mb"
    ]  # fmt: skip
    assert row(lines, "hmac-sha256")[1:3] == ["32.8*", "-"]
    assert row(lines, "poly1305")[1:3] == ["-", "-"]


def test_names_of_ours_where_there_is_room() -> None:
    """Our implementation is named at 120 columns; at 80 its name goes before a library does."""
    results = fake.result_set(every_mac())
    assert "joulemark_fast" in row(printed(results, 120), "poly1305")
    assert "joulemark_fast" not in row(printed(results, 80), "poly1305")


def test_libraries_that_leave_are_told() -> None:
    """Libraries without a column are named; OpenSSL keeps its column, and then the fastest does."""
    lines = printed(fake.result_set(every_mac(python=50.0)), 60)
    assert "python" in next(line for line in lines if " factor " in line)
    told = next(line for line in lines if line.startswith("Not shown for want of width: "))
    assert "openssl" not in told
    assert "nettle" in told
    assert "python" not in told


def test_overlapping_intervals_are_not_told_apart() -> None:
    """Neither provider is called faster; a sign before the factor says so."""
    results = fake.result_set(every_mac(openssl=40.5))
    assert row(printed(results, 80), "cmac-aes128")[2] == "~1.01\N{MULTIPLICATION SIGN}"
    assert (tally(results).faster, tally(results).tied, tally(results).slower) == (0, 70, 0)
    slower = tally(fake.result_set(every_mac(openssl=10.0)))
    assert (slower.faster, slower.slower) == (0, 40)


def test_a_doubtful_row_has_one_sign() -> None:
    """Doubts of our result or the fastest library's put the sign there; doubts of others do not."""
    doubt = Doubt(DoubtKind.DRIFT, "slower.").sentence
    for provider, marked in (("joulemark", True), ("openssl", True), ("nettle", False)):
        found = [
            result.model_copy(update={"warnings": [Doubt.from_sentence(doubt)] * 3})
            if result.implementation == f"poly1305/{provider}_fast"
            else result
            for result in every_mac()
        ]
        lines = printed(fake.result_set(found), 80)
        assert (row(lines, "poly1305")[-1] == "!") is marked
        assert any(line.startswith("! ") for line in lines) is marked
        assert row(lines, "hmac-md5")[-1] != "!"


def test_the_kind_of_core_is_said_where_there_are_several() -> None:
    """The line above the table names the kind and the CPU; a quota of CPU time has its line."""
    limit = limit_of_cpu_time(replace(capture(), cpu_quota=0.5))
    assert limit is not None
    results = fake.result_set(every_mac(), (), [limit])
    run = {**results.context["run"], "conditions": {"cpu": 3, "core_kind": "P-core"}}
    context = {**results.context, "run": run}
    lines = printed(results.model_copy(update={"context": context}), 120)
    title = next(line for line in lines if line.startswith("Time per message"))
    assert title.endswith("; CPU 3 (P-core)")
    assert "Doubt: A CPU quota gives this process the time of 0.5 CPUs" in lines
    assert "-core" not in "".join(printed(results, 120))


def test_a_doubt_of_the_run_is_one_line() -> None:
    """The line has the doubt's first clause and the number of trials; one cause has one line."""
    interrupted = "interrupted: 3 of 4 windows were. So it was in 500 of the 868 trials."
    lines = printed(fake.result_set(every_mac(), (), [FOREIGN, interrupted, VIRTUAL]), 120)
    assert [line for line in lines if line.startswith("Doubt")] == [
        "Doubt in 800 of the 868 trials: Other programs used up to 87 % of a CPU beside this run",
        "Doubt: This is a virtual machine",
    ]


def test_what_failed_is_named() -> None:
    """Failed implementations are named; absent ones are only counted."""
    kinds = (FailureKind.WRONG_OUTPUT, FailureKind.UNAVAILABLE, FailureKind.UNAVAILABLE)
    failures = [
        ResultFailure(implementation=f"poly1305/f{i}", kind=kind, reason="so", size_bytes=None)
        for i, kind in enumerate(kinds)
    ]
    lines = printed(fake.result_set(every_mac(), failures), 80)
    assert "Without a figure: poly1305/f0 (wrong output)" in lines
    assert "Not measured: 2 unavailable" in lines


def test_one_algorithm_has_all_lengths() -> None:
    """The rows of a run of one algorithm are its lengths."""
    found = [result for result in every_mac() if result.algorithm == "hmac-sha256"]
    (block,) = blocks(fake.result_set(found), 3)
    assert [label for label, _ in block.rows] == [
        "16 B", "64 B", "256 B", "1 KiB", "4 KiB", "16 KiB", "64 KiB",
    ]  # fmt: skip
    heading = "hmac-sha256, ns "
    assert any(line.startswith(heading) for line in printed(fake.result_set(found), 80))


def with_joules(found: list[Result], watts: float) -> ResultSet:
    """The results with the joules that `bench --modelled-power` gives them."""

    def joules(figure: Figure) -> Figure:
        scaled = {end: getattr(figure, end) * watts for end in ("median", "low", "high")}
        return figure.model_copy(update={**scaled, "evidence": Evidence.MODELLED})

    modelled = [
        result.model_copy(
            update={"modelled_joules_per_message": joules(result.seconds_per_message)}
        )
        for result in found
        if result.seconds_per_message
    ]
    results = fake.result_set(modelled)
    context = {**results.context, "modelled_watts": watts}
    return results.model_copy(update={"context": context})


@pytest.mark.parametrize("width", [60, 80, 120])
def test_modelled_joules_are_a_column_of_the_screen(width: int) -> None:
    """The energy of ours stands beside its time, in a unit of its own, with word and power."""
    results = with_joules(every_mac(), 15.0)
    assert has_answer(results)
    lines = printed(results, width)
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= width
    place = next(place for place, line in enumerate(lines) if line.startswith("64 B, "))
    assert "ours modelled µJ factor" in " ".join(lines[place].split())
    assert row(lines[place:], "poly1305")[1:3] == ["72", "1.08"]
    said = " ".join(line.strip() for line in lines)
    assert "modelled: energy of a message of ours, its time at the 15 W that you stated" in said
    assert "modelled" not in " ".join(printed(fake.result_set(every_mac()), width))


def test_what_needs_the_long_table() -> None:
    """The screen is not used for few results, one provider, a simulated core, or two kinds of
    evidence.
    """
    found = every_mac()
    assert has_answer(fake.result_set(found))
    assert not has_answer(fake.result_set(found[:SCREEN_RESULTS]))
    assert not has_answer(
        fake.result_set(result for result in found if result.provider == "openssl")
    )
    joules = fake.figure(1e-9, Evidence.MODELLED)
    for update in (
        {"target": "rtl:verilator"},
        {"seconds_per_message": joules},
    ):
        assert not has_answer(fake.result_set([found[0].model_copy(update=update), *found[1:]]))


def test_names_cannot_steer_the_terminal() -> None:
    """Control signs in names of algorithms and providers are shown, not obeyed."""
    evil = "\x1b[2J[red]"
    found = [
        fake.result(fake.Fake(f"mac-{i}{evil}/x", f"{provider}{evil}", 9.0, 1.0), 64)
        for i in range(11)
        for provider in ("a", "b")
    ]
    text = "\n".join(printed(fake.result_set(found, (), [evil]), 140, 40))
    assert "\x1b[2J" not in text
    assert r"mac-0\x1b[2J[red]" in text


def test_a_plugin_is_called_by_its_name() -> None:
    """A plugin is not called a library; beside libraries the text says others."""
    found = [result for result in every_mac() if result.provider in {"joulemark", "openssl"}]
    mine = [
        result.model_copy(update={"provider": "mysha"}) if result.provider == "openssl" else result
        for result in found
    ]
    alone = "\n".join(printed(fake.result_set(mine), 80))
    assert "Ours against plugin mysha: faster in" in alone
    assert "factor: time of plugin mysha (*) over ours" in alone
    assert "library" not in alone
    both = "\n".join(printed(fake.result_set([*mine, *found]), 80))
    assert "Ours against the fastest of mysha, openssl: faster in" in both


def test_slow_medians_are_said_once_in_words() -> None:
    """One line says how far medians lie above the fastest sample, and in how many trials."""
    slow = Doubt.from_sentence(Doubt(DoubtKind.SLOW_MEDIAN, "The median is slow.").sentence)
    found = every_mac()
    for place in (3, 4):
        figure = found[place].seconds_per_message
        assert figure is not None
        other = figure.model_copy(update={"minimum": figure.median / (1 + place / 10)})
        found[place] = found[place].model_copy(
            update={"warnings": [slow], "seconds_per_message": other}
        )
    lines = printed(fake.result_set(found), 120)
    (said,) = [line for line in lines if "fastest sample" in line]
    assert said.startswith("In 2 of 490 trials the median is up to 1.4 times the fastest sample: ")
    assert "fastest sample" not in "\n".join(printed(fake.result_set(every_mac()), 120))
