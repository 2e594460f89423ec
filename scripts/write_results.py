"""Write the tables of a page anew from an experiment of scores that were made elsewhere.

python scripts/write_results.py EXPERIMENT.yaml PAGE.md fills each part of the page between
``<!-- begin: TABLE [COLUMN=VALUE …] -->`` and ``<!-- end -->``: TABLE is the name of one of the report's
tables and COLUMN=VALUE keeps those of its rows.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from creaeval.experiments import load_results, read_experiment
from creaeval.report.display.markdown import markdown_tables
from creaeval.report.experiment import compared_of, make_exhibits
from creaeval.report.experiment.tables import readable

if TYPE_CHECKING:
    from creaeval.report.experiment import PaperTable
    from creaeval.tasks import Task

PART = re.compile(r"(<!-- begin: (\w+)((?: \w+=\w+)*) -->\n).*?(<!-- end -->)", re.DOTALL)


def tables_of(path: Path) -> dict[str, tuple[PaperTable, Task, str]]:
    """By name each table of an experiment, with its task and the part of its name that says what it is of."""
    experiment = read_experiment(path)
    found: dict[str, tuple[PaperTable, Task, str]] = {}
    for results in load_results(experiment, None).values():
        for compared in compared_of(experiment, results):
            for table in make_exhibits(compared, experiment.agreement).tables:
                part = table.name.removeprefix(f"{compared.name}_")
                found[table.name] = table, compared.task, part
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("experiment", type=Path)
    parser.add_argument("page", type=Path)
    given = parser.parse_args()
    tables = tables_of(given.experiment)

    def written(part: re.Match[str]) -> str:
        begin, name, wanted, end = part.groups()
        if name not in tables:
            raise SystemExit(f"{given.page}: there is no table {name}; there are {', '.join(tables)}.")
        table, task, kind = tables[name]
        # The page says itself what must be known of its tables.
        frame = table.frame.copy()
        frame.attrs.clear()
        for column, value in re.findall(r"(\w+)=(\w+)", wanted):
            frame = frame[frame[column].astype(str).eq(value)]
        shown = readable(kind, frame, task, table.caption)
        return f"{begin}\n{markdown_tables(shown, table.caption)}\n{end}"

    text = given.page.read_text(encoding="utf-8")
    given.page.write_text(PART.sub(written, text), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
