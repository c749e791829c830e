# SPDX-License-Identifier: Apache-2.0
"""Counts how often `joulemark check --old --new` is right here: equal code, and code a bit slower.

    .venv/bin/python tools/gate_trials.py --pairs 40 --slowed-by 0
    .venv/bin/python tools/gate_trials.py --pairs 10 --slowed-by 6 --threshold 2% --bench loops

Compiles tests/plugins/faulty.c twice, the second time with `--slowed-by` dependent additions before
each tag, checks the pair `--pairs` times, and prints each answer, the ratio seen, and the wall
time. The number of additions that costs 3 % must be tried: six at 112 B on the machine where this
was written. Test benches are those of `sampling_trials.py`.
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


def main() -> None:
    """Runs the checks and prints one line for each, then the counts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--slowed-by", type=int, default=0, metavar="ADDITIONS")
    parser.add_argument("--threshold", default="2%")
    parser.add_argument("--size", default="112")
    parser.add_argument("--budget", default="60")
    parser.add_argument("--bench", choices=BENCHES, default="quiet")
    asked = parser.parse_args()
    answers: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    ratios: list[float] = []
    times_s: list[float] = []
    with tempfile.TemporaryDirectory() as folder, beside(asked.bench, Path(folder)):
        old = compiled(Path(folder), "old", 0)
        new = compiled(Path(folder), "new", asked.slowed_by)
        command = ["nice", "-n", str(nice_value(asked.bench)), sys.executable, "-m",
                   "joulemark.cli.entry", "check", "--old", str(old), "--new", str(new), "--json",
                   "--threshold", asked.threshold, "--size", asked.size,
                   "--budget", asked.budget]  # fmt: skip
        for number in range(1, asked.pairs + 1):
            begun_s = time.monotonic()
            done = subprocess.run(command, capture_output=True, text=True, check=False)
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
