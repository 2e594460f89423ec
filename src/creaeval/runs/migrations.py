"""How the tables of runs came to be what they are: the steps that bring an older ledger up to date.

Each step is written as it must stay when the tables change again, so none uses today's tables or models.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, column, delete, insert, select, table, update

from creaeval.errors import LedgerError
from creaeval.tasks.model import read_unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Connection


def _as_it_began(connection: Connection) -> None:
    # Ledgers of before migrations have these.
    connection.exec_driver_sql(
        """
        CREATE TABLE IF NOT EXISTS runs (
            id VARCHAR(10) NOT NULL PRIMARY KEY,
            created VARCHAR(32) NOT NULL,
            updated VARCHAR(32) NOT NULL,
            state VARCHAR(16) NOT NULL,
            task JSON NOT NULL,
            manifest JSON NOT NULL
        )
        """
    )
    connection.exec_driver_sql(
        """
        CREATE TABLE IF NOT EXISTS outcomes (
            run_id VARCHAR(10) NOT NULL REFERENCES runs (id),
            response_id VARCHAR NOT NULL,
            position INTEGER NOT NULL,
            carried JSON NOT NULL,
            outcome JSON NOT NULL,
            PRIMARY KEY (run_id, response_id)
        )
        """
    )


def _with_the_texts(connection: Connection) -> None:
    # What was written stands in the prompts of the calls already: this exposes nothing new.
    connection.exec_driver_sql("ALTER TABLE runs ADD COLUMN scenarios JSON")
    connection.exec_driver_sql("ALTER TABLE outcomes ADD COLUMN response JSON")


_stored_runs = table("runs", column("id"), column("task", JSON), column("manifest", JSON))
_stored_outcomes = table(
    "outcomes",
    column("run_id"),
    column("response_id"),
    column("position"),
    column("carried", JSON),
    column("outcome", JSON),
    column("response", JSON(none_as_null=True)),
)


def _a_row_a_response(connection: Connection) -> None:
    """Give each response a row of its own: until version 0.1 those that shared a call shared a row."""
    for run in connection.execute(select(_stored_runs)).all():
        if run.task.get("unit") != "item":
            continue
        in_run = _stored_outcomes.c.run_id == run.id
        stored = select(_stored_outcomes).where(in_run).order_by(_stored_outcomes.c.position)
        batches = [dict(batch) for batch in connection.execute(stored).mappings()]
        try:
            rows = [row for batch in batches for row in _responses(batch)]
        except (AttributeError, KeyError, StopIteration, TypeError, ValueError) as error:
            raise LedgerError(
                f"run {run.id}: its outcomes are not as version 0.1 wrote them ({error!r}), so the ledger "
                "cannot be brought up to date; nothing was changed."
            ) from error
        connection.execute(delete(_stored_outcomes).where(in_run))
        if rows:
            numbered = [{**row, "position": position} for position, row in enumerate(rows)]
            connection.execute(insert(_stored_outcomes), numbered)
        values = {"task": read_unit(run.task), "manifest": _manifest(run.manifest, batches)}
        connection.execute(update(_stored_runs).where(_stored_runs.c.id == run.id).values(values))


def _manifest(manifest: Mapping[str, Any], batches: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    listed = {batch["id"]: batch for batch in manifest.get("responses", ())}
    kept = {name: value for name, value in manifest.items() if name not in ("batches", "unasked")}
    responses: list[dict[str, Any]] = []
    for batch in batches:
        # The hash was that of the whole batch.
        entry = listed.get(batch["response_id"], {})
        about = {name: value for name, value in entry.items() if name not in ("id", "sha256")}
        responses += [{"id": response_id, **about} for response_id in batch["carried"]]
    return {**kept, "responses": responses}


def _responses(batch: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Make the rows of a batch's responses; ``carried`` has their codes and columns by id, in their order."""
    outcome, written = batch["outcome"], batch["response"]
    asked = [response_id for response_id, (code, _) in batch["carried"].items() if not code]
    ids = {f"item_{number}": response_id for number, response_id in enumerate(batch["carried"], 1)}
    analyses = [outcome.get("evidence"), *(more["evidence"] for more in outcome.get("further", ()))]
    for number, (response_id, (code, carried)) in enumerate(batch["carried"].items(), 1):
        first = asked[:1] == [response_id]
        shared = {"shared_by": len(asked), "counted": first}
        own = [
            _evidence(evidence, number, response_id, ids) for evidence in analyses if evidence and not code
        ]
        yield {
            "run_id": batch["run_id"],
            "response_id": response_id,
            "carried": carried,
            "outcome": {
                "response_id": response_id,
                "evidence": own[0] if own else None,
                "memories": outcome.get("memories", {}),
                "further": [
                    {**more, "evidence": evidence}
                    for more, evidence in zip(outcome.get("further", ()), own[1:], strict=False)
                ],
                "trail": [line for line in outcome.get("trail", ()) if _concerns(line, response_id)],
                "sheets": [_sheet(sheet, number, response_id, code) for sheet in outcome["sheets"]],
                "failures": [] if code else outcome["failures"],
                "calls": [] if code else [{**call, **shared} for call in outcome["calls"]],
                "failed_attempts": outcome.get("failed_attempts", 0) if first else 0,
            },
            "response": written and _text(written, number, response_id, carried),
        }


def _evidence(
    evidence: Mapping[str, Any], number: int, response_id: str, ids: Mapping[str, str]
) -> dict[str, Any]:
    steps = []
    for step in evidence["steps"]:
        item = next(item for item in step["items"] if item["item"] == number)
        for finding in item["dimensions"].values():
            for quote in finding["quotes"]:
                if quote.get("place"):
                    quote["place"] = ids.get(quote["place"], quote["place"])
        steps.append({"step": step["step"], "dimensions": item["dimensions"], "notes": step.get("notes", [])})
    return {"response_id": response_id, "steps": steps}


def _sheet(sheet: Mapping[str, Any], number: int, response_id: str, code: str) -> dict[str, Any]:
    (step,) = sheet["steps"]
    item = next(item for item in step["items"] if item["item"] == number)
    reason = code or item.get("invalid") or ""
    points = item.get("scores", {}) if reason in ("", "not_captured") else {}
    return {
        **sheet,
        "response_id": response_id,
        "steps": [{"step": step["step"], "written": points, "invalid": reason}],
    }


def _concerns(line: str, response_id: str) -> bool:
    """Whether a line of the trail is about a response: the offline scorer's were each about one use."""
    if not line.startswith('{"use": '):
        return True
    return bool(json.loads(line)["use"] == response_id)


def _text(
    written: Mapping[str, Any], number: int, response_id: str, carried: Mapping[str, str]
) -> dict[str, Any]:
    (step, items), *_ = ((name, part["items"]) for name, part in written["steps"].items())
    text = next(item["text"] for item in items if item["number"] == number)
    return {
        "id": response_id,
        "scenario": written["scenario"],
        "steps": {step: {"text": text}},
        "extra": carried,
    }


MIGRATIONS = (_as_it_began, _with_the_texts, _a_row_a_response)
