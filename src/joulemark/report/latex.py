# SPDX-License-Identifier: Apache-2.0
"""A sheet's tables as LaTeX for a paper, in the style of booktabs, with units in the headings.

A paper takes the file in with `input`. Sentences beside the tables are comments, so that nothing of
a sheet is lost and nothing of it stands in a paper unasked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from joulemark.report import Cell, Facts, Heading, Notes, Sheet, Table, words_in_headings

PACKAGES: Final = ("[T1]{fontenc}", "{textcomp}", "{booktabs}", "{longtable}")
"""What the tables need, as arguments of `\\usepackage`."""
_ROWS_OF_A_PAGE: Final = 40
"""Rows beyond which a table may be broken between pages."""
_SIGNS: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "_": r"\_",
        "%": r"\%",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "\N{MULTIPLICATION SIGN}": r"\texttimes{}",
        "\N{MICRO SIGN}": r"\textmu{}",
        "\N{DEGREE SIGN}": r"\textdegree{}",
        "\N{PLUS-MINUS SIGN}": r"\textpm{}",
        "\N{SUPERSCRIPT TWO}": r"\texttwosuperior{}",
        "\N{ALMOST EQUAL TO}": r"$\approx$",
        "\N{LESS-THAN OR EQUAL TO}": r"$\leq$",
        "\N{GREATER-THAN OR EQUAL TO}": r"$\geq$",
        "\N{MINUS SIGN}": "$-$",
        "\N{EN DASH}": r"\textendash{}",
        "\N{RIGHT SINGLE QUOTATION MARK}": r"\textquoteright{}",
        "\N{HORIZONTAL ELLIPSIS}": r"\textellipsis{}",
        "\N{MIDDLE DOT}": r"\textperiodcentered{}",
    }
)
"""Signs with a meaning in LaTeX, and those for which its fonts have commands."""
_UNKNOWN: Final = re.compile(r"[^\x20-\x7e\u00a1-\u017f]")
"""Signs that LaTeX does not know without further packages."""


def latex(sheet: Sheet) -> str:
    """The tables of a sheet and of the sheets in it, the rest as comments."""
    needed = ", ".join(rf"\usepackage{package}" for package in PACKAGES)
    return "\n".join([f"% Needs {needed}.", *_lines(sheet)]) + "\n"


def escaped(text: str) -> str:
    """The text such that LaTeX shows it as it is, on one line."""
    words = " ".join(text.split()).translate(_SIGNS)
    # Two hyphens would become a dash.
    words = words.replace("--", "-{}-").replace("--", "-{}-")
    return _UNKNOWN.sub(lambda sign: f"[U+{ord(sign[0]):04X}]", words)


def _lines(sheet: Sheet) -> Iterator[str]:
    yield from _comments([sheet.title, *sheet.lead.splitlines()])
    for part in sheet.parts:
        if isinstance(part, Sheet):
            yield from _lines(part)
        elif isinstance(part, Table):
            yield from _table(part, sheet.title)
        elif isinstance(part, Notes):
            yield from _comments([part.title, *part.sentences])
        elif isinstance(part, Facts) and not part.closed:
            yield from _comments([part.title, *(f"{name}: {text}" for name, text in part.rows)])


def _comments(sentences: Iterable[str]) -> Iterator[str]:
    """Each sentence behind a sign of a comment, which ends with the line."""
    yield from (f"% {escaped(sentence)}" for sentence in sentences if sentence)


def _table(table: Table, above: str) -> Iterator[str]:
    """The table; of the sheet that it is in, only the title is known here."""
    if not table.rows:
        return
    table = _united(words_in_headings(table))
    width = len(table.headings)
    title = escaped(". ".join(filter(None, (table.title or above, table.caption))))
    body = [_row([*row, *[Cell("")] * (width - len(row))], table.headings) for row in table.rows]
    heads = [_line([escaped(heading.text) for heading in table.headings])]
    if any(heading.evidence for heading in table.headings):
        words = [escaped(heading.evidence) for heading in table.headings]
        heads.append(_line([rf"\emph{{{word}}}" if word else "" for word in words]))
    columns = _columns(table.headings)
    yield ""
    if len(body) > _ROWS_OF_A_PAGE:
        yield rf"\begin{{longtable}}{{{columns}}}"
        yield rf"\caption{{{title}}}\\"
        yield from (r"\toprule", *heads, r"\midrule", r"\endhead", *body)
        yield from (r"\bottomrule", r"\end{longtable}")
    else:
        yield r"\begin{table}"
        yield rf"\caption{{{title}}}"
        yield rf"\begin{{tabular}}{{{columns}}}"
        yield from (r"\toprule", *heads, r"\midrule", *body)
        yield from (r"\bottomrule", r"\end{tabular}", r"\end{table}")
    yield from _comments(table.notes)


def _columns(headings: Sequence[Heading]) -> str:
    """Figures stand to the right; words that may be broken share two thirds of the line."""
    prose = sum(heading.prose for heading in headings)
    return "".join(
        "r" if heading.number else rf"p{{{0.66 / prose:.2f}\linewidth}}" if heading.prose else "l"
        for heading in headings
    )


def _row(row: Sequence[Cell], headings: Sequence[Heading]) -> str:
    return _line(
        [_cell(cell, worded=bool(head.evidence)) for cell, head in zip(row, headings, strict=True)]
    )


def _line(cells: Sequence[str]) -> str:
    line = rf"{' & '.join(cells)} \\"
    # A rule, or the end of the line before, would take a bracket or a star for its own.
    return f"{{}}{line}" if line.startswith(("[", "*")) else line


def _cell(cell: Cell, *, worded: bool) -> str:
    text = escaped(cell.text)
    parts = [rf"\textbf{{{text}}}" if cell.strong and text else text, escaped(cell.interval)]
    parts += [f"({escaped(cell.small)})"] if cell.small else []
    parts += [rf"\emph{{{escaped(cell.evidence)}}}"] if cell.evidence and not worded else []
    parts += [rf"\textsuperscript{{{escaped(cell.doubts)}}}"] if cell.doubts else []
    return " ".join(filter(None, parts))


# One unit for each column of figures, which stands in its heading.

_PREFIXES: Final = dict(zip((*"fpn\N{MICRO SIGN}m", "", *"kMGT"), range(-15, 15, 3), strict=True))
"""SI prefix -> power of ten."""
_QUANTITY: Final = re.compile(r"(~?)(-?\d+(?:\.\d+)?)(?: ([^\s,\d][^,]*))?")
"""A sign, a number and a unit; several figures in a cell, with commas between, are no quantity."""


def _united(table: Table) -> Table:
    """The table with units in its headings, where all figures of a column have one unit.

    Figures with other prefixes are written with the prefix that most have, with the same digits.
    """
    headings, rows = list(table.headings), [list(row) for row in table.rows]
    for place, heading in enumerate(headings):
        if not heading.number:
            continue
        cells = [row[place] for row in rows if place < len(row)]
        united = _unite(cells)
        if united is not None:
            unit, shown = united
            headings[place] = replace(heading, text=f"{heading.text} ({unit})")
            for row, cell in zip((row for row in rows if place < len(row)), shown, strict=True):
                row[place] = cell
    return replace(table, headings=headings, rows=rows)


def _unite(cells: Sequence[Cell]) -> tuple[str, list[Cell]] | None:
    """The unit of a column, and its cells without it; None if they share none."""
    found = [match for cell in cells if (match := _QUANTITY.fullmatch(cell.text)) is not None]
    units = [match[3] for match in found]
    if not found or None in units:
        return None
    base = min(units, key=len)
    bases = [base[1:], base] if base[1:] and base[0] in _PREFIXES else [base]
    for wanted in bases:
        prefixes = [unit.removesuffix(wanted) for unit in units if unit.endswith(wanted)]
        if len(prefixes) == len(units) and _PREFIXES.keys() >= set(prefixes):
            usual = max(prefixes, key=lambda prefix: (prefixes.count(prefix), -_PREFIXES[prefix]))
            power = _PREFIXES[usual]
            return f"{usual}{wanted}", [_with_unit(cell, wanted, power) for cell in cells]
    return None


def _with_unit(cell: Cell, base: str, power: int) -> Cell:
    """The cell in the unit `base` times ten to the `power`; a dash stays."""
    match = _QUANTITY.fullmatch(cell.text)
    if match is None:
        return cell
    bounds = cell.interval.strip("[]").split(", ") if cell.interval else []
    moved = [_moved(text, match[3], base, power) for text in bounds]
    interval = f"[{', '.join(moved)}]" if moved else ""
    return cell._replace(text=_moved(cell.text, match[3], base, power), interval=interval)


def _moved(text: str, unit: str, base: str, power: int) -> str:
    """A figure, which has `unit` unless it names its own, as a number of the common unit."""
    match = _QUANTITY.fullmatch(text)
    own = match and _PREFIXES.get((match[3] or unit).removesuffix(base))
    if match is None or own is None:
        return text
    return f"{match[1]}{Decimal(match[2]).scaleb(own - power):f}"
