# SPDX-License-Identifier: Apache-2.0
"""`joulemark compare` and `joulemark check` on stored runs."""

from __future__ import annotations

import json
import math
import re
import sqlite3
from contextlib import closing

import pytest
from fake_store import PORTABLE, SHANI, TWIN, YOURS, store_with

from joulemark.cli.comparison_table import _ratio
from joulemark.errors import UsageError
from joulemark.units import parse_difference


@pytest.fixture
def store(tmp_path):
    """Makes a store of the given runs where the commands look by default."""
    return lambda *runs: store_with(tmp_path / "joulemark.db", *runs)


def test_two_implementations_are_compared(run, store):
    """Each size has ratio, interval, p and verdict; the twin is equal."""
    store({})
    result = run("compare", PORTABLE, SHANI)
    assert result.exit_code == 0, result.output
    rows = [line for line in result.stdout.splitlines() if SHANI in line]
    assert len(rows) == 2
    assert all(re.search(r"B +faster +0\.21", row) for row in rows)
    assert re.search(r"message +verdict +ratio +interval +adjusted p$", result.stdout, re.MULTILINE)
    twin = run("compare", PORTABLE, TWIN).stdout
    assert twin.count("  equal within the threshold ") == 2


def test_without_a_contender_all_are_compared(run, store):
    """Without a contender every other implementation of the run is compared with the baseline."""
    store({})
    found = json.loads(run("compare", SHANI, "--json").stdout)
    assert {comparison["contender"] for comparison in found["comparisons"]} == {PORTABLE, TWIN}
    assert {comparison["verdict"] for comparison in found["comparisons"]} == {"slower"}
    assert found["schema_version"] == 6


def test_own_code_is_the_first_row(run, store):
    """The user's code stands before ours, within a run and between two."""
    names = {"names": (PORTABLE, SHANI, YOURS)}
    store(names, names)
    for words in ((SHANI,), ("--runs", "1", "2")):
        rows = run("compare", *words).stdout.splitlines()[2:]
        named = [row.split()[0] for row in rows if row.startswith("  hmac-")]
        assert set(named[:2]) == {YOURS}
        assert set(named[2:]) == {PORTABLE, SHANI} - {*words}


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ((0.190123, 0.185501, 0.194778), ["0.190", "0.186", "0.195"]),
        ((0.19932, 0.19911, 0.19944), ["0.1993", "0.1991", "0.1994"]),
        ((2.34567, 1.21, 4.9), ["2.35", "1.21", "4.90"]),
        ((1.0, 1.0, 1.0), ["1.000000"] * 3),
        ((1.0, 0.0, math.inf), ["1.000000", "0.000000", "inf"]),
    ],
)
def test_a_ratio_has_the_digits_that_its_interval_leaves(values, shown):
    """A ratio is not printed with digits far below the width of its interval."""
    assert _ratio(*values) == shown


def test_auto_is_no_implementation_of_a_run(refused, store):
    """`auto` is refused: its variant depends on the machine; the message says where to look."""
    store({})
    assert "'joulemark list hmac-sha256' says" in refused("compare", "hmac-sha256/auto")


def test_a_slip_of_a_name_is_answered_with_the_name(refused, store):
    """A slip gets the near name, else the algorithm's implementations, else the algorithms."""
    store({})
    assert f"did you mean {SHANI}?" in refused("compare", SHANI.replace("shani", "shanni"))
    assert "; of hmac-sha256 it has " in refused("compare", "hmac-sha256/qqqqqqqqq")
    assert "; it has hmac-sha256" in refused("compare", "qqqq/zzzz")


def test_what_failed_is_not_compared(refused, store):
    """Samples of a failed implementation take no part, since a wrong answer may be a fast one."""
    store({"broken": (SHANI,)})
    assert f"no sample of '{SHANI}'" in refused("compare", PORTABLE, SHANI)


def test_two_runs_are_compared(run, store):
    """Two runs are compared by trial, with the common shift and the trials of one run alone."""
    store({}, {"seed": 2, "slower": {SHANI: 1.2}, "names": (PORTABLE, SHANI)})
    text = run("compare", "--runs", 1, 2).stdout
    (row, _) = [line for line in text.splitlines() if line.strip().startswith(SHANI)]
    assert re.search(r"B +slower ", row)
    assert "All 4 trials together" in text
    assert f"Only in the old run: 2 trials ({TWIN})" in text
    found = json.loads(run("compare", "--runs", 1, 2, "--json").stdout)
    assert found["runs"] == [1, 2]
    assert len(found["missing"]) == 2


def test_runs_of_two_machines_are_told(run, store):
    """Ratios of two machines are no ratios of code: text and JSON say what differs."""
    store({}, {"seed": 2, "environment": {"cpu_model": "Model U"}}, {"seed": 3})
    told = "different machines or settings (cpu_model: Model T, then Model U)"
    assert told in " ".join(run("compare", "--runs", 1, 2).stdout.split())
    found = json.loads(run("compare", "--runs", 1, 2, "--json").stdout)
    assert told in found["note"]
    assert found["environment_differences"] == {"cpu_model": ["Model T", "Model U"]}
    assert "different machines" not in run("compare", "--runs", 1, 3).stdout
    equal = json.loads(run("compare", "--runs", 1, 3, "--json").stdout)
    assert (equal["note"], equal["environment_differences"]) == (None, {})


def test_no_run_is_compared_with_itself(refused, store):
    """A run beside itself would be equal, which answers no question."""
    store({})
    assert "cannot be compared with itself" in refused("compare", "--runs", 1, 1)


def test_the_threshold_decides_what_counts(run, store):
    """A difference of 20 % is not reported under a threshold of 50 %."""
    store({}, {"seed": 2, "slower": {SHANI: 1.2}})
    assert "slower" in run("compare", "--runs", 1, 2, "--threshold", "5%").stdout
    assert "slower" not in run("compare", "--runs", 1, 2, "--threshold", "50%").stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((PORTABLE, SHANI, "--fail-if", "faster"), 1),
        ((PORTABLE, SHANI, "--fail-if", "different"), 1),
        ((PORTABLE, SHANI, "--fail-if", "slower"), 0),
        ((SHANI, PORTABLE, "--fail-if", "slower", "--json"), 1),
        ((PORTABLE, TWIN, "--fail-if", "different"), 0),
        (("--runs", 1, 2, "--fail-if", "slower"), 1),
        (("--runs", 1, 2, "--fail-if", "slower", "--threshold", "50%"), 0),
        (("--runs", 2, 1, "--fail-if", "faster", "--json"), 1),
        (("--runs", 1, 3, "--fail-if", "slower"), 1),
        (("--runs", 1, 3, "--fail-if", "faster"), 0),
    ],
)
def test_a_verdict_can_be_what_must_not_be(run, store, arguments, code):
    """`--fail-if` turns a verdict into exit code 1 and leaves the printed text unchanged."""
    store({}, {"seed": 2, "slower": {SHANI: 1.2}}, {"seed": 3, "names": (PORTABLE,)})
    run_one = () if "--runs" in arguments else ("--run", 1)
    result = run("compare", *arguments, *run_one)
    assert result.exit_code == code, result.output
    end = arguments.index("--fail-if")
    without = run("compare", *arguments[:end], *arguments[end + 2 :], *run_one)
    assert (without.exit_code, without.stdout) == (0, result.stdout)


@pytest.mark.parametrize(
    "arguments",
    [(PORTABLE, SHANI, "--fail-if", "noisy"), (),
     (PORTABLE, PORTABLE), (PORTABLE, "hmac-sha256/nonsense"), ("nonsense",),
     (PORTABLE, SHANI, "--run", "7"), ("--runs", "1", "7"), ("--runs", "1"),
     (PORTABLE, "--runs", "1", "1"), ("--runs", "1", "1", "--run", "1"),
     (PORTABLE, SHANI, "--alpha", "2"), (PORTABLE, SHANI, "--alpha", "nan"),
     (PORTABLE, SHANI, "--threshold", "-1%"), (PORTABLE, SHANI, "--threshold", "much")],
)  # fmt: skip
def test_comparisons_that_make_no_sense(refused, store, arguments):
    """Each comparison that makes no sense is refused in one sentence."""
    store({})
    refused("compare", *arguments)


def test_nothing_at_the_same_sizes(refused, store):
    """A baseline that is alone in its run is refused."""
    store({"names": (PORTABLE,)})
    assert "nothing to compare" in refused("compare", PORTABLE)


SAME, SLOW = {"seed": 2}, {"seed": 2, "slower": {PORTABLE: 1.3}}
GATES = [
    (SAME, (), 0, "ok"),
    (SLOW, (), 1, "regressed"),
    (SLOW, ("--threshold", "60%"), 0, "ok"),
    ({"seed": 2, "names": ()}, (), 3, "nothing measured"),
    ({"seed": 2, "sizes": (16,)}, (), 3, "nothing measured"),
    ({**SLOW, "environment": {"cpu_model": "Model A"}}, (), 4, "environment differs"),
    ({"seed": 2, "noise": 0.4}, (), 5, "too noisy"),
    ({"seed": 2, "names": (PORTABLE,)}, (), 1, "regressed"),
    ({"seed": 2, "names": (PORTABLE,)}, (PORTABLE,), 0, "ok"),
]


@pytest.mark.parametrize(("changes", "options", "code", "answer"), GATES)
def test_the_exit_code_of_check_is_its_answer(run, store, changes, options, code, answer):
    """Each answer has its documented code, in text and in JSON."""
    store({}, changes)
    result = run("check", "--baseline", 1, *options)
    assert result.exit_code == code, result.output
    first = result.stdout.splitlines()[0]
    assert re.fullmatch(
        f"run 2 against run 1: {answer}(: (up to )?[0-9.]+ % slower, allowed)?", first
    )
    if changes is SLOW and code == 0:
        assert " % slower, allowed" in first
    found = run("check", "--baseline", 1, "--json", *options)
    assert found.exit_code == code
    assert (json.loads(found.stdout)["code"], json.loads(found.stdout)["answer"]) == (code, answer)


def test_every_exit_code_is_in_the_help(run):
    """The help lists each code that is an answer, and code 2 of a refusal."""
    help_text = run("check", "--help").stdout
    for code in {code for _, _, code, _ in GATES} | {2}:
        assert f"\n    {code}  " in help_text


def test_check_against_an_exported_file(run, store, tmp_path):
    """A file with raw samples as a baseline gives the same answer as the run in the store."""
    store({})
    (tmp_path / "base.json").write_text(run("export", "--raw").stdout)
    store(SLOW)
    by_file = json.loads(run("check", "--baseline", "base.json", "--json").stdout)
    by_run = json.loads(run("check", "--baseline", 1, "--json").stdout)
    assert by_file["comparisons"] == by_run["comparisons"]
    assert (by_file["code"], by_file["baseline"]) == (1, "base.json")


@pytest.mark.parametrize("baseline", ["1", "base.json"])
def test_a_run_older_than_its_baseline_is_called_so(run, store, tmp_path, baseline):
    """The latest run is the one begun last; an older one that was imported is told as older."""
    path = store({}, SAME, SLOW)
    (tmp_path / "base.json").write_text(run("export", "--raw", "--run", 1).stdout)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE run SET started_at = '2025-01-01 06:00:00.000000' WHERE id = 3")
    latest = run("check", "--baseline", baseline)
    assert latest.stdout.startswith("run 2 against ")
    assert "began before" not in latest.stdout
    older = json.loads(run("check", "--baseline", baseline, "--run", 3, "--json").stdout)
    assert older["code"] == 1
    assert older["reasons"][-1].startswith(
        "Run 3 began before its baseline, at 2025-01-01 06:00:00 UTC, and the baseline at 20"
    )


def test_an_export_of_the_same_run_is_no_baseline(run, refused, store, tmp_path):
    """A run is not compared with its own samples, whatever name they have."""
    store({})
    (tmp_path / "base.json").write_text(run("export", "--raw").stdout)
    assert "no run can be its own baseline" in refused("check", "--baseline", "base.json")


def test_a_baseline_of_the_first_schema_still_serves(run, store, tmp_path):
    """A baseline file from before the fields of energy gives the same answer as before."""
    store({})
    old = json.loads(run("export", "--raw").stdout)
    old["schema_version"] = 1
    for name in ("meter", "modelled_watts"):
        del old["context"][name]
    new = {"joules_per_message", "gross_joules_per_message", "watts", "joule_seconds_per_message",
           "energy", "modelled_joules_per_message", "modelled_joules_per_byte"}  # fmt: skip
    for result in old["results"]:
        for name in new:
            del result[name]
            result["reasons"].pop(name, None)
    (tmp_path / "base.json").write_text(json.dumps(old))
    store(SLOW)
    found = run("check", "--baseline", "base.json")
    assert (found.exit_code, found.stdout.splitlines()[0][-9:]) == (1, "regressed")


def test_what_failed_is_said(run, store):
    """An implementation that broke is named with its reason."""
    store({}, {"seed": 2, "broken": (SHANI,)})
    result = run("check", "--baseline", 1)
    assert f"{SHANI}: wrong output: it computed nonsense" in result.stdout


@pytest.mark.parametrize("content", [None, b"", b"{}", b"\xff\x00", b'{"schema_version": 99}'])
def test_a_bad_baseline_file_is_refused(refused, store, tmp_path, content):
    """A baseline file that is missing, empty, foreign, binary or of a later version is refused."""
    store({})
    if content is not None:
        (tmp_path / "base.json").write_bytes(content)
    assert "base.json" in refused("check", "--baseline", "base.json")


def test_an_export_without_samples_is_refused(run, refused, store, tmp_path):
    """An export without samples is refused, and the sentence names the option that adds them."""
    store({})
    (tmp_path / "base.json").write_text(run("export").stdout)
    assert "--raw" in refused("check", "--baseline", "base.json")


def test_an_export_with_other_samples_is_refused(run, refused, store, tmp_path):
    """An export whose samples lack a field is refused, and the sentence names the field."""
    store({})
    changed = run("export", "--raw").stdout.replace('"wall_ns"', '"wall_clock"')
    (tmp_path / "base.json").write_text(changed)
    assert "samples.0: it lacks wall_ns" in refused("check", "--baseline", "base.json")


@pytest.mark.parametrize("arguments", [(), ("--baseline", "9"), ("--baseline", "1"),
                                       ("--baseline", ".")])  # fmt: skip
def test_checks_that_make_no_sense(refused, store, arguments):
    """A missing baseline, an unknown run, the run itself and a folder are refused."""
    store({})
    refused("check", *arguments)


@pytest.mark.parametrize(
    ("text", "value"), [("5%", 0.05), ("5 %", 0.05), ("0.05", 0.05), ("0", 0.0), ("150%", 1.5)]
)
def test_a_difference_is_read(text, value):
    """A difference is read as a percentage or as a fraction."""
    assert parse_difference(text, "--threshold") == pytest.approx(value)


@pytest.mark.parametrize("text", ["", "%", "-1%", "nan", "inf%", "5", "1", "five"])
def test_a_slip_in_a_difference_is_refused(text):
    """Bad differences are refused; `5` too, which would be a factor of six and is probably 5 %."""
    with pytest.raises(UsageError, match="--threshold"):
        parse_difference(text, "--threshold")


def test_limits_come_from_a_file(run, refused, store, tmp_path):
    """A file of limits decides the answer, and a bad one is refused with its line."""
    limits = tmp_path / "limits.toml"
    limits.write_text('[[limit]]\nthreshold = "900%"\nbelow = "1ns"\n', "utf-8")
    store({}, {"seed": 2})
    stored = ("check", "--baseline", "1", "--thresholds", limits)
    result = run(*stored, "--json")
    assert result.exit_code == 1, result.output
    found = json.loads(result.stdout)
    assert {limit["verdict"] for limit in found["longest_times"]} == {"above the limit of 1 ns"}
    assert found["longest_times"][0]["longest_s"] == pytest.approx(1e-9)
    limits.write_text('[[limit]]\nthreshold = "x"\n', "utf-8")
    assert f"--thresholds {limits}, line 2: limit.0.threshold: x: give a" in refused(*stored)
    assert "nowhere.toml: " in refused(*stored[:-1], "nowhere.toml")
