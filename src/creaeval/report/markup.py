"""Tables as Markdown and LaTeX, and names of users as plain text in both."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

_LATEX = str.maketrans(
    {
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
    }
)


def markdown_grid(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write cells as a Markdown table, the first column to the left."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def latex_grid(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    caption: str,
    ruled: Iterable[int] = (),
    notes: Sequence[str] = (),
) -> str:
    """Write cells as a LaTeX table (package booktabs), the first column to the left."""
    above = set(ruled)
    body = []
    for number, row in enumerate(rows):
        if number in above:
            body.append(r"\midrule")
        # Behind the end of a row, LaTeX takes a bracket or asterisk for an option of it.
        line = " & ".join(row)
        body.append(("{}" if line.lstrip()[:1] in ("[", "*") else "") + line + r" \\")
    below = []
    if notes:
        lines = "\\\\\n".join("{}" * (note.lstrip()[:1] in ("[", "*")) + note for note in notes)
        below = [r"\par\smallskip", r"\begin{minipage}{\linewidth}\footnotesize", lines, r"\end{minipage}"]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{caption}}}",
            rf"\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}",
            r"\toprule",
            " & ".join(header) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            *below,
            r"\end{table}",
        ]
    )


def write_text(path: Path, text: str) -> Path:
    """Write a text file, the same on every system."""
    path.write_text(text, encoding="utf-8", newline="\n")
    return path


def escape_latex(text: str) -> str:
    """Make text that LaTeX prints as it is, on one line."""
    return _one_line(text).translate(_LATEX)


def escape_markdown(text: str) -> str:
    """Make text that Markdown shows as it is, on one line; pipes are left to the table."""
    return re.sub(r"([\\`*_\[\]<>#~&$])", r"\\\1", _one_line(text))


def _one_line(text: str) -> str:
    """Replace line ends and control characters by a space."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text)
