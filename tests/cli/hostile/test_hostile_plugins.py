# SPDX-License-Identifier: Apache-2.0
"""A collection of attacks: none leaves a process, ends another's figures, or reaches the terminal.

Each group is one `joulemark bench` with a plugin for each attack, and our own code beside them.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path

import pytest
from hostile_runs import RIVAL, HostileRun, bench_beside_rival, check_contained

Plugins = Callable[..., list[Path]]
MEASURED = ("measured", "")
"""The attack does no harm that its figures could show."""
ANYTHING = ("anything", "")
"""The effect is undefined in C or depends on our rights: a failure of the attack, or none."""
HANG = ("hang", "no answer within")
SEGV, SPOILT = ("crash", "SIGSEGV"), ("crash", "wrote on the pipe of its answers")
BY_SIGNAL = {2: "SIGINT", 13: "SIGPIPE", 15: "SIGTERM", 31: "SIGSYS", 35: "SIGRTMIN+1"}

ENDINGS = {
    **{f"dies_by_signal_{number}": ("crash", f"(signal {name})")
       for number, name in BY_SIGNAL.items()},
    "aborts": ("crash", "SIGABRT"), "aborts_when_timed": ("crash", "SIGABRT"),
    "aborts_when_unloaded": MEASURED, "sleeps_when_unloaded": MEASURED,
    "exits": ("crash", "exit code 0"), "exits_3": ("crash", "exit code 3"),
    "exits_at_once": ("crash", "exit code 0"), "hangs_in_exit": HANG,
    "ends_its_thread": ANYTHING, "jumps_to_nowhere": ("crash", "signal SIG"),
    "writes_to_null": SEGV, "overflows_the_stack": SEGV, "breaks_the_heap": ("crash", "signal SIG"),
    "reads_a_shortened_file": ("crash", "SIGBUS"), "becomes_another_program": HANG,
    "becomes_a_talker": ("crash", r"(exit code 9); it said last: bye\x1b[2J"),
    "gives_up_all_calls": ("crash", "SIGKILL"), "loops": HANG, "sleeps": HANG,
    "waits_for_itself": HANG, "heeds_no_signal": HANG, "stops_itself": HANG,
    "swallows_its_faults": HANG,
}  # fmt: skip
PROCESSES = {
    "leaves_a_daemon": MEASURED,
    "leaves_a_child_and_exits": ("crash", "exit code 3"), "leaves_a_daemon_and_crashes": SEGV,
    "leaves_a_daemon_and_hangs": HANG,
    "leaves_a_daemon_and_ends_its_keeper": ("crash", "SIGKILL"), "leaves_a_stranger": MEASURED,
    "leaves_a_pair_of_guards": MEASURED, "forks_without_end": MEASURED,
    "leaves_zombies": MEASURED, "leaves_threads": MEASURED,
}  # fmt: skip
BUSY = dict.fromkeys(
    ("leaves_a_busy_child", "leaves_a_busy_thread", "leaves_one_that_runs_away"), MEASURED
)
"""These attacks take a CPU as long as the run lasts, so they have a separate run."""
KEEPERS = {
    "signals_its_keeper_9": ("crash", "SIGKILL"), "signals_its_keeper_15": ("crash", "SIGTERM"),
    "signals_its_keeper_1": ("crash", "SIGKILL"), "signals_its_keeper_19": HANG,
    "ends_its_group": ("crash", "SIGKILL"), "flees_from_its_keeper": HANG,
    "traces_its_keeper": HANG, "is_traced_and_stops": HANG, "adopts_its_children": MEASURED,
}  # fmt: skip
PIPES = {
    "talks_in_control_sequences": ("crash", r"last: last words \x1b]0;owned\x07"),
    "writes_to_the_terminal": MEASURED, "writes_no_json": SPOILT,
    "writes_no_json_when_unloaded": MEASURED, "writes_no_object": ("crash", "no JSON object"),
    "writes_an_answer_without_fields": ("crash", "field required"),
    "writes_bytes_of_no_text": SPOILT,
    "writes_an_error_in_control_sequences": ("error", r"\x1b[2J\u202e sentence"),
    "writes_a_number_of_no_size": ("crash", "more than 64 bits"),
    "writes_deep_json": ("crash", "nested too deeply"),
    "writes_without_end": ("crash", "without end"), "writes_half_an_answer": HANG,
    "forges_its_figures": ("wrong output", "figures are withheld"), "steals_requests": HANG,
    "closes_everything": ("crash", "exit code"), "closes_standard_files": MEASURED,
    "mixes_its_descriptors": ANYTHING, "prints_much": MEASURED,
    "prints_much_of_its_faults": MEASURED, "prints_lines": MEASURED,
}  # fmt: skip
STATES = {
    "rounds_upwards": MEASURED, "may_open_no_files": MEASURED,
    "may_have_no_memory": ("error", "not enough memory"),
    "may_write_nothing": ("crash", "SIGXFSZ"), "may_use_no_time": ANYTHING,
    "raises_its_limits": MEASURED, "eats_memory": ("error", "not enough memory"),
    "sets_an_alarm": ("crash", "SIGALRM"), "ticks": MEASURED, "blocks_all_signals": MEASURED,
    "moves_to_another_root": ANYTHING, "moves_into_a_lost_folder": MEASURED,
    "empties_its_environment": MEASURED,
    "takes_another_name": MEASURED, "takes_the_core_for_itself": ANYTHING,
    "overwrites_the_harness": ("crash", "SIGTRAP"),
}  # fmt: skip
STATES_OF_X86 = {
    "traps_inexact_sums": ("crash", "SIGFPE"), "goes_backwards": ANYTHING,
    "minds_alignment": ANYTHING, "fills_the_x87_stack": MEASURED,
    "dirties_wide_registers": MEASURED,
}  # fmt: skip
OUTPUTS = {
    "is_wrong_sometimes": ("wrong output", "gives"),
    "is_wrong_when_long": ("wrong output", "a message of 8001 bytes"),
    "is_wrong_when_empty": ("wrong output", "a message of 0 bytes"),
    "is_wrong_when_unaligned": ("wrong output", "at an address 5 modulo"),
    "is_wrong_later": ("wrong output", ""), "writes_seven_bytes": ("wrong output", "gives"),
    "writes_before_its_tag": ("wrong output", "before its output"),
    "writes_past_its_tag": ("wrong output", "past the end of its output"),
    "writes_into_its_key": ("wrong output", "it wrote into its key"),
    "writes_past_its_key": ANYTHING,
    "writes_into_its_message": ("wrong output", "into its message"),
    "writes_before_its_message": ANYTHING,
    "reads_past_its_message": ("wrong output", "beyond its message"),
    "fails_in_its_own_words": ("error", "answered with an error"),
    "refuses_every_message": ("refused", "does not take messages of this length"),
    "writes_to_tags_of_yore": ANYTHING,
}  # fmt: skip
X86 = platform.machine() == "x86_64"
GROUPS = {
    "endings": ENDINGS, "processes": PROCESSES, "busy": BUSY, "keepers": KEEPERS, "pipes": PIPES,
    "states": {**STATES, **(STATES_OF_X86 if X86 else {})}, "outputs": OUTPUTS,
}  # fmt: skip
LIMIT_S = 300.0
LEAVES = {"processes": 6, "busy": 2, "keepers": 2}
"""Group -> the least number of processes that its plugins say they leave."""
CHECKS_CPU_S = {"outputs": 0.15}
"""CPU time of each check, as long as in a user's run, so that long messages are checked."""


@pytest.fixture(scope="module")
def group_runs(
    hostile_plugins: Plugins, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], HostileRun]:
    """`group_runs(group)`: the run of a group, which is made once."""
    made: dict[str, HostileRun] = {}

    def of(group: str) -> HostileRun:
        if group not in made:
            names = list(GROUPS[group])
            made[group] = bench_beside_rival(
                names, hostile_plugins(*names), tmp_path_factory.mktemp(group), limit_s=LIMIT_S,
                check_cpu_s=CHECKS_CPU_S.get(group, 0.0),
            )  # fmt: skip
        return made[group]

    return of


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_of_attacks_is_contained(
    group: str, group_runs: Callable[[str], HostileRun]
) -> None:
    """The command ends as documented, leaves nothing, and our own code has all of its figures."""
    done = group_runs(group)
    check_contained(done, 0 if group == "busy" else 2)  # no busy plugin fails
    assert done.has_figures(RIVAL)
    assert done.left >= LEAVES.get(group, 0)


@pytest.mark.parametrize(
    ("group", "name"), [(group, name) for group, names in GROUPS.items() for name in names]
)
def test_an_attack_is_its_own_failure(
    group: str, name: str, group_runs: Callable[[str], HostileRun]
) -> None:
    """An attack has one failure in printable words and no figures; a harmless one has figures."""
    done = group_runs(group)
    kind, says = GROUPS[group][name]
    failures = done.failures_of(name)
    assert len(failures) <= 1
    assert done.has_figures(f"siphash-2-4/{name}") is (failures == [])
    for found, reason in failures:
        assert reason.isprintable()
        if kind != "anything":
            assert (found, says in reason) == (kind, True), reason
    if kind != "anything":
        assert bool(failures) is (kind != "measured")


@pytest.mark.exhaustive
def test_a_forged_finding_is_no_finding(hostile_plugins: Plugins, tmp_path: Path) -> None:
    """An attack fills the pipe of answers and waits: its check is given up after a minute."""
    name = "forges_an_answer_and_hangs"
    done = bench_beside_rival([name], hostile_plugins(name), tmp_path, limit_s=LIMIT_S)
    check_contained(done, 2)
    assert [kind for kind, _ in done.failures_of(name)] == ["hang"]
    assert not done.has_figures(f"siphash-2-4/{name}")


@pytest.mark.exhaustive
def test_every_signal_is_a_crash(hostile_plugins: Plugins, tmp_path: Path) -> None:
    """Each signal that ends a process by default is a crash; the others do nothing or stop it."""
    ending = sorted({*range(1, 65)} - {17, 18, 19, 20, 21, 22, 23, 28, 32, 33})
    names = [f"dies_by_signal_{number}" for number in ending]
    done = bench_beside_rival(names, hostile_plugins(*names), tmp_path, limit_s=LIMIT_S)
    check_contained(done, 2)
    assert done.has_figures(RIVAL)
    assert [kind for name in names for kind, _ in done.failures_of(name)] == ["crash"] * len(names)
