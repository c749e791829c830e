# SPDX-License-Identifier: Apache-2.0
"""Writes docs/results/papers.md: each claim of the five papers, and results of our own.

    python tools/papers_page.py [FOLDER]

FOLDER holds `castellon2022.json` and so on, as `joulemark reproduce castellon2022 --json` prints;
a paper that it lacks is named on the page as one without an outcome.
The parts that the page shows are kept in docs/results/papers; without FOLDER the page is written
from these. A test compares the page with them, and their claims with the papers of the catalogue.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from joulemark.report import Notes, Part, Sheet, Table, text_table, write_atomically
from joulemark.report.draw import markdown

ROOT = Path(__file__).resolve().parent.parent
PAGE = "docs/results/papers.md"
KEPT = "docs/results/papers"
KEPT_PARTS: Final = (
    "schema_version", "study", "title", "reference", "reference_url", "started_at", "ended_at",
    "joulemark_version", "conditions", "done", "summary", "claims", "tables", "missing", "verdicts",
)  # fmt: skip
PAPERS: Final = ("castellon2022", "kaps2006", "michail2005", "rashwan2012", "westermann2010")
PLACES: Final = ("CPU", "command", "commit", "begin")
"""Conditions of a study that stand behind its citation; all are in the study's own page."""

Outcome = dict[str, Any]
"""A study's outcome as its JSON has it, or the parts of it that are kept."""


class OwnResult(NamedTuple):
    """A result that none of the papers has."""

    title: str
    study: str
    tables: tuple[str, ...]
    """Titles of the tables that show it, or their beginnings."""
    text: str
    """The question, the way to the answer, and its bounds. Figures are in the tables alone."""


RESULTS: Final = (
    OwnResult(
        "The gain of castellon2022 comes with the filling of the buffer, not with the order",
        "castellon2022",
        ("The order alone, and E against O: the kernel alone",),
        "The paper reports that HMAC-SHA-256 whose message is laid out for the banks of a memory "
        "takes 12 to 17 % less energy, and explains the gain by these banks. Its programs were not "
        "published, and its text does not say how either program fills its buffer. We built the "
        "standard program (O) and the engineered program (E) with one compression function and two "
        "fillings: byte by byte, and by copies of whole chunks. With one filling for both programs "
        "there is no gain. With the slow filling for O and the fast filling for E there is a gain "
        "of about the size that the paper prints. That the paper's programs differed so is a "
        "hypothesis; that the order alone has no such gain here is measured.",
    ),
    OwnResult(
        "AES against SHA-1, twenty years on",
        "kaps2006",
        ("Table 1", "Table 2, a packet", "The same packets in firmware"),
        "The paper finds that SHA-1 authenticates a packet for less energy than AES, on its own "
        "two serial cores, with one hash of the packet and no key set-up. Rebuilt from its text "
        "in an open library of 130 nm, with the exact number of blocks of each mode, and beside "
        "firmware, the answer depends on how the MAC is built: HMAC needs four blocks where the "
        "paper counts one.",
    ),
    OwnResult(
        "What merging of rounds and precomputation are worth apart",
        "michail2005",
        ("What each idea is worth",),
        "The paper merges two rounds of SHA-256 and computes a part of each round ahead of time, "
        "and reports the gain of both together. Four configurations of one core tell the two "
        "ideas apart.",
    ),
    OwnResult(
        "The second round of SHA-3, ranked in 2010 and today",
        "westermann2010",
        ("Table 1, 256 bits: time", "Table 2, 512 bits: time"),
        "The paper ranks the candidates of the second round by time on a Core 2 Duo with the "
        "fastest code of its day. The same candidates, in this project's and other libraries' code "
        "for today's CPU, take other places: instructions for AES and wide vectors came since.",
    ),
)


def read(folder: Path) -> dict[str, Outcome]:
    """Paper -> its outcome, of those that the folder has."""
    files = {name: folder / f"{name}.json" for name in PAPERS}
    return {
        name: json.loads(file.read_text("utf-8")) for name, file in files.items() if file.exists()
    }


def page(outcomes: dict[str, Outcome]) -> str:
    """The page: the counts of verdicts, the four results, each paper's claims."""
    about = (
        "Each figure here comes from the outcome of `joulemark reproduce PAPER`, of which "
        f"{KEPT} holds the parts that this page shows; tools/papers_page.py wrote it. A claim that "
        "agrees with itself was judged by the paper's own figures: nothing was built for it."
    )
    text = markdown(
        Sheet(
            "Five papers, built again",
            [
                Notes("", [about, *_absent(outcomes)], listed=False),
                _counts(outcomes),
                Sheet("Results that the papers do not have", list(_results(outcomes))),
                *(_paper(outcome) for outcome in outcomes.values()),
            ],
        )
    )
    return text.replace("\\`", "`")  # a sheet escapes backticks; here they mark code


def _absent(outcomes: dict[str, Outcome]) -> list[str]:
    """A sentence for papers without an outcome, and for the results that wait for them."""
    absent = [name for name in PAPERS if name not in outcomes]
    waiting = [result.title for result in RESULTS if result.study in absent]
    if not absent:
        return []
    return [
        f"No outcome is kept yet of {', '.join(absent)}, so that its claims are not on this page"
        + "".join(f', nor the result "{title}"' for title in waiting)
        + "."
    ]


def _counts(outcomes: dict[str, Outcome]) -> Table:
    verdicts = list(next(iter(outcomes.values()))["verdicts"])
    rows = [
        [name, str(len(outcome["claims"])), *(str(outcome["verdicts"][text]) for text in verdicts)]
        for name, outcome in outcomes.items()
    ]
    return text_table("Verdicts", ["paper", "claims", *verdicts], rows)


def _results(outcomes: dict[str, Outcome]) -> Iterator[Part]:
    for result in RESULTS:
        if result.study not in outcomes:
            continue
        outcome = outcomes[result.study]
        texts = [result.text, f"Here: {outcome['summary']}", _where(outcome)]
        shown = [
            text_table(table["title"], table["headings"], table["rows"], caption=table["caption"])
            for table in outcome["tables"]
            if table["title"].startswith(result.tables)
        ]
        yield Sheet(result.title, [Notes("", texts, listed=False), *shown])


def _paper(outcome: Outcome) -> Sheet:
    rows = [
        [claim[part] for part in ("verdict", "text", "place", "ground", "why")]
        for claim in outcome["claims"]
    ]
    # A title has the words of its authors, so it is code, whose words are not ours.
    cited = outcome["reference"].replace(outcome["title"], f"`{outcome['title']}`")
    if outcome["reference_url"] not in cited:
        cited += f" {outcome['reference_url']}"
    return Sheet(
        outcome["study"],
        [
            Notes("", [cited, f"{outcome['done']} {_where(outcome)}"], listed=False),
            text_table("Claims", ["verdict", "claim", "place", "judged by", "why"], rows),
        ],
    )


def _where(outcome: Outcome) -> str:
    known = {**outcome["conditions"], "begin": outcome["started_at"]}
    facts = [f"{name} {known[name]}" for name in PLACES if name in known]
    return f"{'; '.join(facts)}; Joulemark {outcome['joulemark_version']}."


def main(arguments: list[str]) -> int:
    """Keeps the outcomes of a folder, if one is given, and writes the page."""
    if arguments:
        (ROOT / KEPT).mkdir(exist_ok=True)
        for name, outcome in read(Path(arguments[0])).items():
            kept = {part: outcome[part] for part in KEPT_PARTS}
            text = json.dumps(kept, indent=1, ensure_ascii=False) + "\n"
            write_atomically(ROOT / KEPT / f"{name}.json", text.encode())
    write_atomically(ROOT / PAGE, page(read(ROOT / KEPT)).encode())
    print(f"{PAGE} written")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
