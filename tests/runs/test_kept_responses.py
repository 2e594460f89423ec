"""What was written is kept with a run, read one by one, and missed with a reason in older ledgers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

import creaeval
from booklets import booklet, scenarios, scored, variant
from creaeval.errors import SettingError
from creaeval.llm import Ledger
from creaeval.runs import RunStore
from scripted import ScriptedModel

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.data import Response


def without_source(response: Response) -> Response:
    return response.model_copy(update={"source": ""})


def test_a_loaded_run_has_its_responses_and_scenarios_as_they_were_given(tmp_path: Path) -> None:
    given = [variant("r1", {"step1": ["First\none", "", "Tschüß"]}, grade="7"), variant("r2")]
    run = scored(tmp_path, *given)
    with Ledger.open(tmp_path / "l.db") as ledger:
        loaded = RunStore(ledger).load(run.id)
        assert list(loaded.responses) == ["r1", "r2"]
        assert len(loaded.responses) == 2
        assert [loaded.response(one.id) for one in given] == [without_source(one) for one in given]
        assert loaded.scenarios == {"fog_water": scenarios()["fog_water"]}
        with pytest.raises(SettingError, match=r"there is no response 'r3'"):
            loaded.response("r3")


def test_the_file_a_response_came_from_is_not_kept(tmp_path: Path) -> None:
    given = variant("r1").model_copy(update={"source": "Ms Smith, class 7b/booklets.json"})
    scored(tmp_path, given)
    with Ledger.open(tmp_path / "l.db") as ledger, ledger.engine.connect() as connection:
        kept = connection.execute(sa.text("select response from outcomes")).scalar_one()
        assert "Smith" not in kept


def test_a_run_in_memory_has_its_responses_after_its_ledger_is_closed(tmp_path: Path) -> None:
    run = scored(tmp_path, variant("r1"))
    assert run.response("r1").steps == booklet().steps


def test_a_run_of_before_texts_were_kept_says_so_and_scoring_again_brings_them_free(tmp_path: Path) -> None:
    run = scored(tmp_path, variant("r1"))
    with Ledger.open(tmp_path / "l.db") as ledger:
        with ledger.engine.begin() as connection:
            connection.execute(sa.text("update outcomes set response = null"))
            connection.execute(sa.text("update runs set scenarios = null"))
        old = RunStore(ledger).load(run.id)
        assert (len(old.responses), old.scenarios) == (0, {})
        assert len(old.scores) == len(run.scores)
        with pytest.raises(SettingError, match=r"the texts were not kept.*Score again, which costs nothing"):
            old.response("r1")
    model = ScriptedModel()
    again = scored(tmp_path, variant("r1"), analyst=model, judges=model)
    assert (again.id, model.requests) == (run.id, [])
    with Ledger.open(tmp_path / "l.db") as ledger:
        assert RunStore(ledger).load(run.id).response("r1").steps == booklet().steps


def test_uses_that_share_a_call_are_kept_each(tmp_path: Path) -> None:
    (tmp_path / "uses.csv").write_text("id,object,use,participant\nu1,brick,a wall,p1\nu2,brick,a hat,p1\n")
    model = ScriptedModel()
    run = creaeval.score(
        tmp_path / "uses.csv", task="aut", analyst=model, judges=model, ledger=tmp_path / "l.db"
    )
    with Ledger.open(tmp_path / "l.db") as ledger:
        loaded = RunStore(ledger).load(run.id)
        texts = [(response.id, response.steps["uses"].text) for response in loaded.responses.values()]
        assert texts == [("u1", "a wall"), ("u2", "a hat")]
        with pytest.raises(SettingError, match="there is no response 'u3'"):
            loaded.response("u3")


def test_responses_go_with_their_run_when_it_is_made_again(tmp_path: Path) -> None:
    scored(tmp_path, variant("r1"))
    scored(tmp_path, variant("r1"))
    with Ledger.open(tmp_path / "l.db") as ledger, ledger.engine.connect() as connection:
        assert connection.execute(sa.text("select count(*) from outcomes")).scalar() == 1
