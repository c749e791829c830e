# SPDX-License-Identifier: Apache-2.0
"""Rules for the commands of pages that do not run exactly as they stand.

A command without a rule runs unchanged, in `make test` too, and must end with 0.
"""

from __future__ import annotations

import page_rules_of_energy
import page_rules_of_hardware
import page_rules_of_software
from page_rule import Rule

RULES: dict[str, dict[str, Rule]] = {
    **page_rules_of_software.RULES,
    **page_rules_of_energy.RULES,
    **page_rules_of_hardware.RULES,
}
"""Page -> command -> rule."""

TEXTS: dict[str, dict[str, str]] = {
    "docs/tutorial/first-run.md": {"64 B": "figures of one run", "16 B": "figures of one run"},
    "docs/how-to/measure-energy.md": {
        "joulemark: other programs use": "tests/cli/energy/test_bench_energy.py provokes it",
        "Energy by domain": "one run of one machine",
    },
    "docs/how-to/measure-your-own-code.md": {
        "siphash-2-4/mine is wrong": "of a fault, as tests/cli/test_test_command.py has it",
    },
    "docs/how-to/gate-a-pull-request.md": {"-3.4 %": "tests/report/test_gate_forms.py draws it"},
    "docs/how-to/explore-results.md": {"run,started_at": "tests/explorer/test_views.py holds it"},
    "docs/how-to/use-a-core.md": {"tag 49be45e5": "tests/docs/test_use_a_core.py is held to it"},
}
"""Page -> beginning of a text that no command of the page is compared with -> the reason."""
