# SPDX-License-Identifier: Apache-2.0
"""Counts how often `joulemark check` is right here: equal code, and code a bit slower.

    .venv/bin/python tools/gate_trials.py --pairs 40 --slowed-by 0
    .venv/bin/python tools/gate_trials.py --pairs 10 --slowed-by 6 --threshold 2% --bench loops
    .venv/bin/python tools/gate_trials.py --revisions --pairs 20 --slowed-by 7 --size 504

Compiles tests/plugins/faulty.c twice, the second time with `--slowed-by` dependent additions before
each tag, checks the pair `--pairs` times, and prints each answer, the ratio seen, and the wall
time. The number of additions that costs 3 % must be tried: six at 112 B on the machine where this
was written. Test benches are those of `sampling_trials.py`.

With `--revisions` old and new are two revisions of a small C library in a new git repository, which
has no plugin: `joulemark check --old-rev --function` builds and checks both each time. The new
revision has another function beside the measured one, which would else be the same code, and does
`--slowed-by` more rounds of SipHash for each message: seven at 504 B took 2.9 % where this was
written.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import median

from sampling_trials import BENCHES, beside, nice_value

REPOSITORY = Path(__file__).resolve().parents[1]


def compiled(folder: Path, name: str, slowed_by: int) -> Path:
    """Compiles the plugin with `slowed_by` additions before each tag; returns its file."""
    output = folder / f"{name}.so"
    sources = ["tests/plugins/faulty.c", "kernels/siphash/siphash_portable.c"]
    subprocess.run(
        ["cc", "-std=gnu11", "-O3", "-shared", "-fPIC", "-fvisibility=hidden", "-Ikernels/include",
         "-Ikernels", "-DFAULT=NONE", f"-DSLOWED_BY={slowed_by}", "-o", str(output), *sources],
        cwd=REPOSITORY, check=True,
    )  # fmt: skip
    return output


OF_A_USER = """\
#include "fastsip.h"
{siphash}
void fastsip(uint8_t *out, const uint8_t *in, size_t length, const uint8_t *key) {{
    whole_mac(key, in, length, out);
}}
"""
MORE_ROUNDS = """\
    uint64_t more[4], first, same;
    memcpy(more, v, sizeof more);
    for (int i = 0; i < {rounds}; i++) sip_round(more);
    first = same = more[0];
    __asm__ volatile("" : "+r"(first));
    __asm__ volatile("" : "+r"(same));
    v[0] ^= first ^ same;
    v[2] ^= 0xff;
"""
"""Rounds for which the tag waits, and which leave it as it is."""


def repository_of(folder: Path, slowed_by: int) -> Path:
    """Makes a repository with the revisions `old` and `new` of a library without a plugin."""
    repository = folder / "library"
    (repository / "src").mkdir(parents=True)
    (repository / "include").mkdir()
    plain = (REPOSITORY / "tests/plugins/own/siphash.c").read_text("utf-8")
    order = "(uint8_t *out, const uint8_t *in, size_t length, const uint8_t *key)"
    header = f"#include <stddef.h>\n#include <stdint.h>\nvoid fastsip{order};\n"
    (repository / "include/fastsip.h").write_text(header, "utf-8")

    def git(*words: str) -> None:
        who = ["-c", "user.name=nobody", "-c", "user.email=nobody@localhost"]
        subprocess.run(["git", *who, *words], cwd=repository, check=True)

    git("init", "--quiet")
    for name, rounds in (("old", 0), ("new", slowed_by)):
        siphash = plain.replace("    v[2] ^= 0xff;\n", MORE_ROUNDS.format(rounds=rounds))
        text = OF_A_USER.format(siphash=siphash)
        if name == "new":
            text += "int fastsip_version(void);\nint fastsip_version(void) { return 2; }\n"
        (repository / "src/fastsip.c").write_text(text, "utf-8")
        git("add", ".")
        git("commit", "--quiet", "-m", name)
        git("tag", name)
    return repository


def main() -> None:
    """Runs the checks and prints one line for each, then the counts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--slowed-by", type=int, default=0, metavar="ADDITIONS")
    parser.add_argument("--threshold", default="2%")
    parser.add_argument("--size", default="112")
    parser.add_argument("--budget", default="60")
    parser.add_argument("--revisions", action="store_true")
    parser.add_argument("--bench", choices=BENCHES, default="quiet")
    asked = parser.parse_args()
    answers: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    ratios: list[float] = []
    times_s: list[float] = []
    with tempfile.TemporaryDirectory() as folder, beside(asked.bench, Path(folder)):
        if asked.revisions:
            here = repository_of(Path(folder), asked.slowed_by)
            builds = ["src/fastsip.c", "-I", "include", "--function", "fastsip", "--algorithm",
                      "siphash-2-4", "--old-rev", "old", "--new-rev", "new"]  # fmt: skip
        else:
            here = Path(folder)
            files = compiled(here, "old", 0), compiled(here, "new", asked.slowed_by)
            builds = ["--old", str(files[0]), "--new", str(files[1])]
        command = ["nice", "-n", str(nice_value(asked.bench)), sys.executable, "-m",
                   "joulemark.cli.entry", "check", *builds, "--json",
                   "--threshold", asked.threshold, "--size", asked.size,
                   "--budget", asked.budget]  # fmt: skip
        for number in range(1, asked.pairs + 1):
            begun_s = time.monotonic()
            done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=here)
            times_s.append(time.monotonic() - begun_s)
            if not done.stdout:
                sys.exit(done.stderr)
            found = json.loads(done.stdout)
            answers[found["answer"]] += 1
            for comparison in found["comparisons"]:
                verdicts[comparison["verdict"]] += 1
                ratios.append(comparison["ratio"])
                print(
                    f"{number}: {found['answer']}: {comparison['verdict']}, "
                    f"{comparison['ratio']:.4f} "
                    f"[{comparison['low']:.4f}, {comparison['high']:.4f}], "
                    f"{found['generations']} generations, {times_s[-1]:.1f} s",
                    flush=True,
                )
    print(f"answers: {dict(answers)}; verdicts: {dict(verdicts)}")
    print(
        f"ratio: {median(ratios):.4f} (median), {min(ratios):.4f} to {max(ratios):.4f}; "
        f"wall time: {median(times_s):.1f} s (median), {max(times_s):.1f} s at most"
    )


if __name__ == "__main__":
    main()
