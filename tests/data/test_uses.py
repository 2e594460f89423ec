"""Uses of objects: read one a row, put into batches, each a response of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from creaeval.data import (
    batch_notes,
    find_scenario,
    read_columns,
    read_ratings,
    read_responses,
    unit_ids,
)
from creaeval.data.batches import Use, make_batches
from creaeval.data.tables.columns import USE_ROLES
from creaeval.errors import DataError, SettingError
from creaeval.tasks import Scenario, load_task
from data_folder import shared_data

from .support import brick, problems_of, the_problem, write
from .workbooks import workbook

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.data import Item, Response

AUT = load_task("aut")
STEP = AUT.step("uses")


def read(path: Path, **options: Any) -> list[Response]:
    return read_responses(path, AUT, **options)


def items(response: Response) -> tuple[Item, ...]:
    return response.steps["uses"].items


TABLE = """id,object,response,participant,age
u1,brick,a hat,p1,20
u2,rope,jump over it,p1,20
u3,brick,null,p2,31
u4,brick,None,p1,20
"""


@pytest.mark.parametrize(
    "form", ["csv", "semicolons", "tsv", "xlsx", "own names", "response_id, prompt, use"]
)
def test_uses_of_one_object_by_one_person_make_a_batch(tmp_path: Path, form: str) -> None:
    rows = [line.split(",") for line in TABLE.splitlines()]
    columns = None
    if form == "own names":
        rows[0] = ["Nr", "Thing", "Idea", "Who", "age"]
        columns = read_columns(["id=Nr,object=Thing", "response=Idea,participant=who"], USE_ROLES)
    elif form == "response_id, prompt, use":
        rows[0] = ["response_id", "Prompt", "use", "Participant", "age"]
    if form == "xlsx":
        path = workbook(tmp_path / "a.xlsx", *rows)
    else:
        ending, mark = {"tsv": ("tsv", "\t"), "semicolons": ("csv", ";")}.get(form, ("csv", ","))
        path = write(tmp_path / f"a.{ending}", "\n".join(mark.join(row) for row in rows) + "\n")
    one, two, three = read(path, columns=columns)
    assert [one.id, two.id, three.id] == ["brick/p1/1", "rope/p1/1", "brick/p2/1"]
    assert [one.scenario, two.scenario] == ["brick", "rope"]
    assert [(i.number, i.id, i.text) for i in items(one)] == [(1, "u1", "a hat"), (2, "u4", "None")]
    assert items(three)[0].text == "null"
    assert items(one)[0].extra == {
        **{"object": "brick", "participant": "p1", "age": "20", "response": "a hat"},
    }
    assert unit_ids(AUT, [one, two, three]) == ["u1", "u4", "u2", "u3"]


@pytest.mark.parametrize("text", ["I don't know", "IDK", "i dont know.", "No idea!", "dunno"])
def test_who_says_no_more_than_not_to_know_is_not_scored(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "a.csv", f"id,object,use,participant\n1,brick,{text},p\n2,brick,a doorstop,p\n")
    (batch,) = read(path)
    first, second = items(batch)
    assert (first.invalid, first.blank, second.invalid, second.blank) == ("dont_know", True, "", False)
    # The model is shown nothing of it.
    assert batch.steps["uses"].text == "1.\n2. a doorstop"
    assert first.extra["response"] == text


@pytest.mark.parametrize("text", ["", "  ", "-", "...", "?"])
def test_a_cell_without_a_word_is_a_blank_use(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "a.csv", f"id,object,use,participant\n1,brick,{text},p\n")
    (item,) = items(read(path)[0])
    assert (item.blank, item.invalid, item.text) == (True, "", "")


@pytest.mark.parametrize("text", ["none", "null", "NA", "know", "don't know which colour", "⚽", "1"])
def test_words_that_may_be_meant_are_uses(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "a.csv", f"id,object,use,participant\n1,brick,{text},p\n")
    (item,) = items(read(path)[0])
    assert (item.blank, item.text) == (False, text)


def test_several_uses_in_a_cell_are_parted_on_request(tmp_path: Path) -> None:
    text = 'id,object,use,participant\nR1,brick,"hat; boat;; 3. a;",p\nR2,brick,,p\n'
    path = write(tmp_path / "a.csv", text)
    assert [i.text for i in items(read(path)[0])] == ["hat; boat;; 3. a;", ""]
    parted = items(read(path, split=";")[0])
    assert [(i.id, i.text) for i in parted] == [
        ("R1-1", "hat"),
        ("R1-2", "boat"),
        ("R1-3", "a"),
        ("R2-1", ""),
    ]
    lines = write(tmp_path / "b.csv", 'id,object,use,participant\nR1,brick,"1. hat\n2. boat",p\n')
    for word in ("newline", "\n", "\\n"):
        assert [i.text for i in items(read(lines, split=word)[0])] == ["hat", "boat"]


def test_without_a_participant_each_use_is_alone_unless_mixing_is_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,object,use\n1,brick,a\n2,brick,b\n3,rope,c\n")
    alone = read(path)
    assert [len(items(batch)) for batch in alone] == [1, 1, 1]
    (note,) = batch_notes(AUT, alone)
    assert "3 uses are of no known participant" in note
    assert "3 calls for each model. With --mix-participants, up to 20 uses of one object share a call" in note
    assert "which makes 2;" in note
    mixed = read(path, mix_participants=True)
    assert [[i.id for i in items(batch)] for batch in mixed] == [["1", "2"], ["3"]]
    assert batch_notes(AUT, mixed) == batch_notes(brick(), []) == []


def test_a_participant_that_r_calls_missing_is_none(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,object,use,participant\n1,brick,a,NA\n2,brick,b,\u200b\n")
    batches = read(path)
    assert [batch.id for batch in batches] == ["brick//1", "brick//2"]
    assert [items(batch)[0].extra["participant"] for batch in batches] == ["", ""]


def test_objects_that_differ_in_case_alone_are_one_spelled_as_at_first(tmp_path: Path) -> None:
    text = "id,object,use,participant\n1,Brick,a,p\n2,brick,b,q\n3,BRICK,c,p\n"
    one, two = read(write(tmp_path / "a.csv", text))
    assert [(one.id, one.scenario), (two.id, two.scenario)] == [
        ("Brick/p/1", "Brick"),
        ("Brick/q/1", "Brick"),
    ]
    assert [(item.id, item.extra["object"]) for item in items(one)] == [("1", "Brick"), ("3", "Brick")]


def test_no_batch_is_promised_to_be_larger_than_the_step_takes(tmp_path: Path) -> None:
    rows = "".join(f"{n},brick,use {n}\n" for n in range(250))
    alone = read(write(tmp_path / "a.csv", f"id,object,use\n{rows}"), batch=500)
    (note,) = batch_notes(AUT, alone, 500)
    assert "up to 100 uses of one object share a call, which makes 3;" in note


def test_what_is_missing_or_twice_is_named_with_file_row_and_column(tmp_path: Path) -> None:
    text = "id,object,use,participant\nu1,,a,p\n,brick,b,p\nu3,brick,c,p\nu3,brick,d,p\n"
    path = write(tmp_path / "a.csv", text)
    assert problems_of(lambda: read(path)) == (
        f"{path}, row 2, column 'object': is empty, expected an object.",
        f"{path}, row 3, column 'id': is empty, expected an id.",
        f"{path}, row 5: the id 'u3' is already taken by {path}, row 4. Every use needs an id of its own.",
    )
    other = write(tmp_path / "b.csv", "id,objct,use\nu1,brick,a\n")
    problem = the_problem(lambda: read(other))
    assert problem.startswith(
        f"{other}: no column for object (expected object or prompt). Found the columns id"
    )
    assert "Did you mean to map it: --columns object=objct?" in problem
    assert "there is no column 'Thing'" in the_problem(lambda: read(other, columns={"object": "Thing"}))
    assert "there is no role 'rater'" in the_problem(lambda: read(path, columns={"rater": "x"}))
    sheet = workbook(tmp_path / "c.xlsx", ["id", "object", "use"], ["u1", "brick", True])
    assert "C2 is" in the_problem(lambda: read(sheet))
    assert "ends in '.json', expected one of .csv, .tsv, .xlsm, .xlsx" in the_problem(
        lambda: read(write(tmp_path / "d.json", []))
    )


def test_settings_that_part_or_batch_nothing_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", TABLE)
    for options, message in (
        ({"batch": 0}, "--batch 0: expected 1 or more"),
        ({"split": ""}, "expected what stands between two uses"),
    ):
        with pytest.raises(SettingError, match=message):
            read(path, **options)
    with pytest.raises(SettingError, match="task brick has whole responses"):
        read_responses(path, brick(), mix_participants=True)


def test_a_column_called_like_another_role_keeps_its_values(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,prompt,use,object,response\n1,brick,a hat,red one,x\n")
    (batch,) = read(path, columns={"object": "prompt", "response": "use"})
    assert items(batch)[0].extra == {
        **{"object": "brick", "input_object": "red one", "input_response": "x", "response": "a hat"},
    }


def test_the_object_is_what_is_shown_and_a_scenario_of_the_users_own_counts_more(tmp_path: Path) -> None:
    (batch,) = read(write(tmp_path / "a.csv", "id,object,use\n1,brick,a hat\n"))
    made = find_scenario(batch, {}, AUT)
    assert made == Scenario(id="brick", title="brick", text="Object: brick")
    own = Scenario(id="Brick", text="A brick of red clay.")
    assert find_scenario(batch, {"Brick": own}, AUT) == own
    with pytest.raises(DataError, match="task aut needs a scenario"):
        find_scenario(batch.model_copy(update={"scenario": None}), {}, AUT)


uses = st.lists(
    st.tuples(
        st.sampled_from(["brick", "rope", "a/b", "a"]),
        st.sampled_from(["", "p", "q", "b/p"]),
        st.sampled_from(["hat", "idk", ""]),
    ),
    max_size=40,
)


@given(written=uses, size=st.integers(1, 7), mix=st.booleans())
def test_every_use_is_in_one_batch_in_order(
    written: list[tuple[str, str, str]], size: int, mix: bool
) -> None:
    given_uses = [
        Use(f"u{n}", thing, text, who, {"object": thing, "participant": who})
        for n, (thing, who, text) in enumerate(written)
    ]
    batches = make_batches(given_uses, STEP, size, mix_participants=mix)
    assert len({batch.id for batch in batches}) == len(batches)
    found = [[item.id for item in items(batch)] for batch in batches]
    assert sorted(one for batch in found for one in batch) == sorted(use.id for use in given_uses)
    by_id = {use.id: use for use in given_uses}
    for batch, ids in zip(batches, found, strict=True):
        assert 1 <= len(ids) <= size
        assert [item.number for item in items(batch)] == list(range(1, len(ids) + 1))
        assert ids == sorted(ids, key=lambda one: int(one[1:]))
        assert {by_id[one].object for one in ids} == {batch.scenario}
        people = {by_id[one].participant for one in ids}
        if not mix:
            assert len(people) == 1
            assert people != {""} or len(ids) == 1
    # No batch is smaller than it need be: only the last one of a group is not full.
    groups = [
        (batch.scenario, "" if mix else by_id[ids[0]].participant)
        for batch, ids in zip(batches, found, strict=True)
    ]
    for group in {one for one in groups if mix or one[1]}:
        sizes = [len(ids) for of, ids in zip(groups, found, strict=True) if of == group]
        assert all(one == size for one in sizes[:-1])


def test_the_released_table_is_understood_as_it_is() -> None:
    batches = read(shared_data("aut/aut.csv"))
    assert len(unit_ids(AUT, batches)) == 15_409
    assert max(len(items(batch)) for batch in batches) == 20
    first = items(batches[0])[0]
    assert (batches[0].id, first.id, first.text) == ("book/332/1", "0198c18178", "diary")
    assert not [name for name in first.extra if name.startswith(("human", "pred"))]
    # Of 3,290 lists of one person for one object, eight are of 21 to 27 uses.
    assert len(batches) == 3298


def test_a_table_of_uses_with_raters_or_a_mean_beside_them_is_read_as_ratings(tmp_path: Path) -> None:
    path = tmp_path / "uses.csv"
    path.write_text(
        "id,object,response,participant,rater1,rater2,human_mean\n"
        "u1,brick,a hat,17,4,5,4.5\nu2,2,42,18,1,,1.3\n",
        encoding="utf-8",
    )
    ratings = read_ratings(path, AUT)
    found = {(r.response_id, r.rater): r.sheet.final("uses.originality") for r in ratings}
    assert found == {
        **{("u1", "rater1"): 4, ("u1", "rater2"): 5, ("u1", "human_mean"): 4.5},
        **{("u2", "rater1"): 1, ("u2", "human_mean"): 1.3},
    }
    assert ratings[0].extra["participant"] == "17"
    # A column of numbers that is neither is still refused.
    path.write_text("id,object,response,rater1,speed\nu1,brick,a hat,4,3\n", encoding="utf-8")
    with pytest.raises(DataError, match="'speed'"):
        read_ratings(path, AUT)
