"""Uses of objects: read one a row, each a response of its own, and put together for the calls they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from creaeval.data import find_scenario, read_columns, read_data, read_ratings, read_responses
from creaeval.errors import DataError, SettingError
from creaeval.methods import Options
from creaeval.runs.batching import make_batches, written_code
from creaeval.tasks import Batching, Scenario, load_task
from data_folder import shared_data
from uses import use, use_cases

from ..support import brick, problems_of, the_problem, write
from ..workbooks import workbook

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.data import Response

AUT = load_task("aut")


def read(path: Path, **options: Any) -> list[Response]:
    return read_responses(path, AUT, **options)


def texts(responses: list[Response]) -> list[tuple[str, str]]:
    return [(response.id, response.steps["uses"].text) for response in responses]


def together(responses: list[Response], batching: Batching | None = None) -> list[list[str]]:
    """Ids of the uses that share a call."""
    cases = use_cases(responses, options=Options(batching=batching))
    return [[case.response.id for case in batch.cases] for batch in make_batches(cases)]


TABLE = """id,object,response,participant,age
u1,brick,a hat,p1,20
u2,rope,jump over it,p1,20
u3,brick,null,p2,31
u4,brick,None,p1,20
"""


@pytest.mark.parametrize(
    "form", ["csv", "semicolons", "tsv", "xlsx", "own names", "response_id, prompt, use"]
)
def test_uses_of_one_object_by_one_person_share_a_call(tmp_path: Path, form: str) -> None:
    rows = [line.split(",") for line in TABLE.splitlines()]
    columns = None
    if form == "own names":
        rows[0] = ["Nr", "Thing", "Idea", "Who", "age"]
        columns = read_columns(["id=Nr,object=Thing", "response=Idea,participant=who"])
    elif form == "response_id, prompt, use":
        rows[0] = ["response_id", "Prompt", "use", "Participant", "age"]
    if form == "xlsx":
        path = workbook(tmp_path / "a.xlsx", *rows)
    else:
        ending, mark = {"tsv": ("tsv", "\t"), "semicolons": ("csv", ";")}.get(form, ("csv", ","))
        path = write(tmp_path / f"a.{ending}", "\n".join(mark.join(row) for row in rows) + "\n")
    responses = read(path, columns=columns)
    assert texts(responses) == [("u1", "a hat"), ("u2", "jump over it"), ("u3", "null"), ("u4", "None")]
    assert [response.scenario for response in responses] == ["brick", "rope", "brick", "brick"]
    assert responses[0].metadata == {
        **{"object": "brick", "participant": "p1", "age": "20", "response": "a hat"},
    }
    assert together(responses) == [["u1", "u4"], ["u2"], ["u3"]]


@pytest.mark.parametrize("text", ["I don't know", "IDK", "i dont know.", "No idea!", "dunno"])
def test_who_says_no_more_than_not_to_know_is_not_scored(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "a.csv", f"id,object,use,participant\n1,brick,{text},p\n2,brick,a doorstop,p\n")
    responses = read(path)
    assert [written_code(AUT, response) for response in responses] == ["dont_know", ""]
    # The model is shown nothing of it.
    (batch,) = make_batches(use_cases(responses))
    assert batch.case.response.steps["uses"].text == "1.\n2. a doorstop"
    assert batch.asked == (2,)
    assert responses[0].metadata["response"] == text


@pytest.mark.parametrize("text", ["", "  ", "-", "...", "?", ".", "NA", "n/a", "#N/A", "–"])
def test_a_cell_without_a_word_is_a_blank_use(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "a.csv", f"id,object,use,participant\n1,brick,{text},p\n")
    (response,) = read(path)
    assert (written_code(AUT, response), response.steps["uses"].text) == ("blank", "")


@pytest.mark.parametrize("text", ["none", "null", "nothing", "know", "don't know which colour", "⚽", "1"])
def test_words_that_may_be_meant_are_uses(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "a.csv", f"id,object,use,participant\n1,brick,{text},p\n")
    (response,) = read(path)
    assert (written_code(AUT, response), response.steps["uses"].text) == ("", text)


def test_several_uses_in_a_cell_are_parted_on_request(tmp_path: Path) -> None:
    text = 'id,object,use,participant\nR1,brick,"hat; boat;; 3. a;",p\nR2,brick,,p\n'
    path = write(tmp_path / "a.csv", text)
    assert texts(read(path, split="none")) == [("R1", "hat; boat;; 3. a;"), ("R2", "")]
    parted = [("R1-1", "hat"), ("R1-2", "boat"), ("R1-3", "3. a"), ("R2-1", "")]
    assert texts(read(path, split=";")) == parted
    # All cells there are have it, and one has it three times.
    with pytest.warns(UserWarning, match="the cells hold ';', which parts uses"):
        assert texts(read(path)) == [*parted[:3], ("R2", "")]  # a cell with one use keeps its id
    lines = write(tmp_path / "b.csv", 'id,object,use,participant\nR1,brick,"1. hat\n2. boat",p\n')
    for word in ("newline", "\n", "\\n"):
        assert [text for _, text in texts(read(lines, split=word))] == ["hat", "boat"]


def test_without_a_participant_each_use_is_alone_unless_mixing_is_asked_for(tmp_path: Path) -> None:
    alone = read(write(tmp_path / "a.csv", "id,object,use\n1,brick,a\n2,brick,b\n3,rope,c\n"))
    assert together(alone) == [["1"], ["2"], ["3"]]
    assert together(alone, Batching(by=())) == [["1", "2"], ["3"]]


def test_a_participant_that_r_calls_missing_is_none(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,object,use,participant\n1,brick,a,NA\n2,brick,b,\u200b\n")
    responses = read(path)
    assert [response.metadata["participant"] for response in responses] == ["", ""]
    assert together(responses) == [["1"], ["2"]]


def test_objects_that_differ_in_case_alone_are_one_spelled_as_at_first(tmp_path: Path) -> None:
    text = "id,object,use,participant\n1,Brick,a,p\n2,brick,b,q\n3,BRICK,c,p\n"
    responses = read(write(tmp_path / "a.csv", text))
    assert [(response.scenario, response.metadata["object"]) for response in responses] == [
        ("Brick", "Brick")
    ] * 3
    assert together(responses) == [["1", "3"], ["2"]]


def test_what_is_missing_or_twice_is_named_with_file_row_and_column(tmp_path: Path) -> None:
    text = "id,object,use,participant\nu1,,a,p\n,brick,b,p\nu3,brick,c,p\nu3,brick,d,p\n"
    path = write(tmp_path / "a.csv", text)
    assert problems_of(lambda: read(path)) == (
        f"{path}, row 2, column 'object': is empty, expected an object.",
        f"{path}, row 3, column 'id': is empty, expected an id.",
        f"{path}, row 5: the id 'u3' is already taken by {path}, row 4. Every use needs an id of its own. If "
        "it is who wrote several, say --columns participant=COLUMN.",
    )
    other = write(tmp_path / "b.csv", "id,objct,use\nu1,brick,a\n")
    problem = the_problem(lambda: read(other))
    assert problem.startswith(f"{other}: no column says which object was shown. Found the columns id, objct")
    assert "Say --columns object=COLUMN, or --read object=NAME where all are of one." in problem
    assert texts(read(other, columns={"object": "objct"})) == [("u1", "a")]
    assert "there is no column 'Thing'" in the_problem(lambda: read(other, columns={"object": "Thing"}))
    sheet = workbook(tmp_path / "c.xlsx", ["id", "object", "use"], ["u1", "brick", True])
    assert "ratings!C2 is the truth value TRUE where a use is due" in the_problem(lambda: read(sheet))


def test_settings_that_separate_nothing_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", TABLE)
    with pytest.raises(SettingError, match="expected what stands between two uses"):
        read(path, split="")
    with pytest.raises(SettingError, match="task brick has whole responses"):
        read_responses(path, brick(), split=";")
    with pytest.raises(
        SettingError, match=r"'splitt' says nothing about how files are read\. Did you mean 'split'"
    ):
        read(path, splitt=";")


def test_a_column_called_like_another_role_keeps_its_values(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,prompt,use,object,response\n1,brick,a hat,red one,x\n")
    (response,) = read(path, columns={"object": "prompt", "response": "use"})
    assert response.metadata == {
        **{"object": "brick", "input_object": "red one", "input_response": "x", "response": "a hat"},
    }


def test_the_object_is_what_is_shown_and_a_scenario_of_the_users_own_counts_more(tmp_path: Path) -> None:
    (response,) = read(write(tmp_path / "a.csv", "id,object,use\n1,brick,a hat\n"))
    made = find_scenario(response, {}, AUT)
    assert made == Scenario(id="brick", title="brick", text="Object: brick")
    own = Scenario(id="Brick", text="A brick of red clay.")
    assert find_scenario(response, {"Brick": own}, AUT) == own
    with pytest.raises(DataError, match="task aut needs a scenario"):
        find_scenario(response.model_copy(update={"scenario": None}), {}, AUT)


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
    responses = [use(f"u{n}", text, thing, who) for n, (thing, who, text) in enumerate(written)]
    found = together(responses, Batching(by=() if mix else ("participant",), most=size))
    assert sorted(name for batch in found for name in batch) == sorted(r.id for r in responses)
    by_id = {response.id: response for response in responses}
    for ids in found:
        assert 1 <= len(ids) <= size
        assert ids == sorted(ids, key=lambda name: int(name[1:]))
        assert len({by_id[name].scenario for name in ids}) == 1
        people = {by_id[name].metadata["participant"] for name in ids}
        if not mix:
            assert len(people) == 1
            assert people != {""} or len(ids) == 1
    # No batch is smaller than it need be: only the last one of a group is not full.
    groups = [(by_id[ids[0]].scenario, "" if mix else by_id[ids[0]].metadata["participant"]) for ids in found]
    for group in {one for one in groups if mix or one[1]}:
        sizes = [len(ids) for of, ids in zip(groups, found, strict=True) if of == group]
        assert all(one == size for one in sizes[:-1])


def test_the_released_table_is_understood_as_it_is() -> None:
    with pytest.warns(UserWarning, match="3 of 15,409 cells hold ';', and each was read as one use"):
        responses = read(shared_data("aut/aut.csv"))
    assert len(responses) == 15_409
    first = responses[0]
    assert texts(responses[:1]) == [("0198c18178", "diary")]
    assert first.metadata["participant"] == "332"
    assert not [name for name in first.metadata if name.startswith(("human", "pred"))]
    batches = together(responses)
    assert max(map(len, batches)) == 20
    # Of 3,290 lists of one person for one object, eight are of 21 to 27 uses.
    assert len(batches) == 3298


def test_a_table_of_uses_with_raters_beside_them_holds_both_and_a_mean_is_no_rater(tmp_path: Path) -> None:
    path = write(
        tmp_path / "uses.csv",
        "id,object,response,participant,rater1,rater2,human_mean\n"
        "u1,brick,a hat,17,4,5,4.5\nu2,2,42,18,1,,1.3\n",
    )
    found = read_data(path, AUT)
    scores = {(r.response_id, r.rater): r.sheet.final("uses.originality") for r in found.ratings}
    assert scores == {("u1", "rater1"): 4, ("u1", "rater2"): 5, ("u2", "rater1"): 1}
    assert found.ratings[0].metadata["participant"] == "17"
    assert texts(found.responses) == [("u1", "a hat"), ("u2", "42")]
    assert [response.scenario for response in found.responses] == ["brick", "2"]
    assert found.notes == [f"{path}: 'human_mean' sums up others and is no rater."]


def test_a_mean_alone_is_read_as_ratings(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.csv", "id,object,response,human_mean\nu1,brick,a hat,4.5\nu2,brick,a wall,1.3\n"
    )
    with pytest.warns(UserWarning, match="'human_mean' was read as scores, of a rater of this name"):
        ratings = read_ratings(path, AUT)
    found = {r.response_id: (r.rater, r.sheet.final("uses.originality")) for r in ratings}
    assert found == {"u1": ("human_mean", 4.5), "u2": ("human_mean", 1.3)}


def test_a_column_of_points_beside_raters_may_be_one_more(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,object,response,rater1,Anna\nu1,brick,a hat,4,3\n")
    problem = the_problem(lambda: read_ratings(path, AUT))
    assert "the columns 'rater1' hold scores by their names; 'Anna' could be a rater's, too" in problem
    assert "Say --columns score=rater1,score=Anna … if it is a rater's, or --columns carry=Anna if" in problem
    for columns, raters in (
        ({"carry": "Anna"}, ["rater1"]),
        ({"score": ["rater1", "Anna"]}, ["rater1", "Anna"]),
    ):
        assert [r.rater for r in read_ratings(path, AUT, columns=columns)] == raters
    # What is not called like a person is no rater beside one that is called so.
    path = write(tmp_path / "b.csv", "id,object,response,rater1,speed\nu1,brick,a hat,4,3\n")
    assert [r.rater for r in read_ratings(path, AUT)] == ["rater1"]
