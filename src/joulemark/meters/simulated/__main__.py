# SPDX-License-Identifier: Apache-2.0
"""`python -m joulemark.meters.simulated`: runs a simulated machine in real time in a folder.

Anything may then read it as `simulated:FOLDER`. Its load is a process (`--watch`) and all that it
starts. Figures from it are simulated, and say so.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from joulemark.errors import JoulemarkError, UsageError
from joulemark.meters.simulated.config import HELP, DaemonConfig, parse_config, parse_options
from joulemark.meters.simulated.daemon import Daemon


def main(words: list[str] | None = None) -> int:
    """Runs the daemon until it is told to end; returns the exit code."""
    options = "\n".join(f"  {name}: {meaning}" for name, meaning in HELP.items())
    parser = argparse.ArgumentParser(
        prog="python -m joulemark.meters.simulated",
        description="Runs a simulated machine in real time: a test double for energy meters.",
        epilog=f"options, written as name=value,name=value:\n{options}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--root", type=Path, required=True, help="empty folder for the file tree")
    machine = parser.add_mutually_exclusive_group()
    machine.add_argument("--config", help="JSON file that describes the machine; - reads stdin")
    machine.add_argument("--options", default="", help="the machine in short form; see below")
    parser.add_argument(
        "--watch", type=int, help="process whose tree is the load; the daemon ends with it"
    )
    parser.add_argument("--remove", action="store_true", help="remove the folder at the end")
    arguments = parser.parse_args(words)
    try:
        config = _config(arguments.config, arguments.options)
        Daemon(arguments.root, config, arguments.watch, remove=arguments.remove).run()
    except JoulemarkError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    except OSError as error:
        print(f"{arguments.root} cannot be written ({error.strerror})", file=sys.stderr)
        return UsageError.exit_code
    return 0


def _config(file: str | None, options: str) -> DaemonConfig:
    if file is None:
        return parse_options(options)
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read ({error})") from None
    return parse_config(text)


if __name__ == "__main__":
    sys.exit(main())
