"""Which columns hold what people wrote, and about what: long, wide, numbered, by title or by content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from creaeval.data import Found, read_data
from creaeval.tasks import load_task

from ..support import the_problem, write
from ..workbooks import workbook

if TYPE_CHECKING:
    from pathlib import Path

AUT = load_task("aut")

Use = tuple[str, str, str]


def read(folder: Path, *rows: str, name: str = "a.csv", **reading: Any) -> Found:
    return read_data(write(folder / name, "\n".join(rows) + "\n"), AUT, **reading)


def uses(found: Found) -> list[Use]:
    """Participant, object and text of each use."""
    return [
        (r.metadata.get("participant", ""), r.scenario or "", r.steps["uses"].text) for r in found.responses
    ]


WIDE: list[Use] = [
    ("p1", "brick", "a wall"),
    ("p1", "brick", "a hat"),
    ("p1", "rope", "a belt"),
    ("p2", "brick", "a step"),
    ("p2", "rope", "a snake"),
    ("p2", "rope", "a swing"),
]


@pytest.mark.parametrize(
    "rows",
    [
        ["participant,object,use", *(",".join(use) for use in WIDE)],
        ["object,use,Vp-Nr", *(",".join((use[1], use[2], use[0])) for use in WIDE)],
        # A column a use
        [
            "participant,brick_1,brick_2,rope_1,rope_2",
            "p1,a wall,a hat,a belt,",
            "p2,a step,,a snake,a swing",
        ],
        [
            "Teilnehmer;brick Idee 1;brick Idee 2;rope Idee 1;rope Idee 2",
            "p1;a wall;a hat;a belt;",
            "p2;a step;;a snake;a swing",
        ],
        # Interleaved
        [
            "participant,brick_1,rope_1,brick_2,rope_2",
            "p1,a wall,a belt,a hat,",
            "p2,a step,a snake,,a swing",
        ],
        # A row a participant and object
        [
            "participant,object,use1,use2",
            "p1,brick,a wall,a hat",
            "p1,rope,a belt,",
            "p2,brick,a step,",
            "p2,rope,a snake,a swing",
        ],
        # A column an object, lists in its cells
        ["participant,brick,rope", 'p1,"a wall\na hat",a belt', 'p2,a step,"a snake\na swing"'],
        ["participant,brick,rope", 'p1,"- a wall\n- a hat",- a belt', 'p2,- a step,"- a snake\n- a swing"'],
        ["participant,brick,rope", "p1,1. a wall 2. a hat,1. a belt", "p2,1) a step,1) a snake 2) a swing"],
        ["participant,brick,rope", "p1,a wall; a hat,a belt", "p2,a step;,a snake; a swing"],
        # The object in the question
        [
            "participant,List uses for a brick (one per line),List uses for a rope (one per line)",
            'p1,"a wall\na hat",a belt',
            'p2,a step,"a snake\na swing"',
        ],
    ],
)
def test_one_set_of_uses_is_read_from_every_form(tmp_path: Path, rows: list[str]) -> None:
    found = read(tmp_path, *rows)
    assert sorted(uses(found)) == sorted(WIDE)
    assert len({response.id for response in found.responses}) == len(WIDE)


def test_ids_that_are_made_tell_whose_and_of_what_and_stay_the_same(tmp_path: Path) -> None:
    rows = ["participant,object,use", *(",".join(use) for use in WIDE)]
    found = read(tmp_path, *rows)
    assert [r.id for r in found.responses] == [
        *("p1-brick-1", "p1-brick-2", "p1-rope-1", "p2-brick-1", "p2-rope-1", "p2-rope-2"),
    ]
    assert found.notes == [
        f"{tmp_path / 'a.csv'}: no column holds an id for each use; ids are made of participant, object and "
        "number, as in p1-brick-1."
    ]
    assert found.responses == read(tmp_path, *rows).responses


def test_rows_of_two_files_that_say_nobody_are_people_of_their_own(tmp_path: Path) -> None:
    one = write(tmp_path / "a.csv", "brick_1,brick_2\na wall,a belt\na hat,\n")
    two = write(tmp_path / "b.csv", "brick_1,brick_2\na step,\n")
    found = read_data([one, two], AUT)
    assert uses(found) == [
        ("P1", "brick", "a wall"),
        ("P1", "brick", "a belt"),
        ("P2", "brick", "a hat"),
        ("P3", "brick", "a step"),
    ]
    assert [r.id for r in found.responses] == ["P1-brick-1", "P1-brick-2", "P2-brick-1", "P3-brick-1"]
    assert "ids are made of participant, object and number, as in P1-brick-1." in found.notes[0]


def test_numbers_that_begin_anew_for_each_participant_are_no_ids(tmp_path: Path) -> None:
    rows = ["id,participant,object,use"]
    rows += [f"{n},{who},brick,{who} idea {n}" for who in ("p1", "p2", "p3") for n in (1, 2, 3)]
    found = read(tmp_path, *rows)
    assert [r.id for r in found.responses] == [f"{who}-{n}" for who in ("p1", "p2", "p3") for n in (1, 2, 3)]
    assert found.notes == [
        f"{tmp_path / 'a.csv'}: values of 'id' begin anew; ids are made of participant and number."
    ]


def test_an_id_in_several_rows_is_who_wrote_them(tmp_path: Path) -> None:
    found = read(
        tmp_path, "id,object,use", "7,brick,a wall", "7,brick,a hat", "7,rope,a belt", "9,brick,a step"
    )
    assert uses(found) == [
        ("7", "brick", "a wall"),
        ("7", "brick", "a hat"),
        ("7", "rope", "a belt"),
        ("9", "brick", "a step"),
    ]
    assert "values of 'id' stand in several rows, so they were read as the participants" in found.notes[0]


def test_columns_of_no_known_name_are_told_by_what_they_hold(tmp_path: Path) -> None:
    things = ["brick", "rope", "brick", "rope", "brick", "rope"]
    rows = [f"{n},{thing},the use number {n} of a {thing}" for n, thing in enumerate(things, 1)]
    found = read(tmp_path, "V1,V2,V3", *rows)
    assert [(r.id, r.scenario, r.steps["uses"].text) for r in found.responses] == [
        (str(n), thing, f"the use number {n} of a {thing}") for n, thing in enumerate(things, 1)
    ]
    notes = " ".join(found.notes)
    assert "the column 'V2' was read as the object" in notes
    assert "the column 'V3' was read as the uses" in notes


def test_the_object_is_in_the_name_of_the_file_or_the_sheet(tmp_path: Path) -> None:
    found = read(tmp_path, "participant,use", "p1,a wall", "p1,a hat", name="aut_brick.csv")
    assert uses(found) == [("p1", "brick", "a wall"), ("p1", "brick", "a hat")]
    assert "were read as those of 'brick', by the name of the file" in " ".join(found.notes)
    book = workbook(
        tmp_path / "a.xlsx",
        *(["participant", "use"], ["p1", "a wall"]),
        rope=[["participant", "use"], ["p1", "a belt"]],
    )
    assert uses(read_data(book, AUT)) == [("p1", "ratings", "a wall"), ("p1", "rope", "a belt")]


def test_questions_in_the_column_of_objects_name_them(tmp_path: Path) -> None:
    rows = [
        "participant,question,answer",
        "p1,List unusual uses for a brick.,a wall",
        "p1,List unusual uses for a rope.,a belt",
    ]
    assert uses(read(tmp_path, *rows)) == [("p1", "brick", "a wall"), ("p1", "rope", "a belt")]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [
                "word,thing,response",
                "brick,rope,a wall",
                "rope,brick,a hat",
                "rope,rope,a step",
                "brick,brick,a gate",
            ],
            "the columns 'thing' and 'word' could both be the object. Say which: --columns object=thing, or "
            "--columns object=word.",
        ),
        (
            ["participant,object,idea,solution", "p1,brick,a wall,a fence", "p2,brick,a hat,a cap"],
            "the columns 'solution' and 'idea' could both be the text (use's text). Say which: --columns "
            "text=solution, or --columns text=idea.",
        ),
        (
            [
                "participant,object,use",
                "p1,brick,a wall; a hat; a step",
                *(f"p{n},brick,a box" for n in range(2, 5)),
            ],
            "1 of 4 cells hold ';', as in 'a wall; a hat; a step': several uses, or one with ';' in it? Say "
            "--split ';', or --split none if each cell is one use.",
        ),
        (
            ["participant,use", "p1,a wall", "p2,a hat"],
            "no column says which object was shown. Found the columns participant, use. Say --columns "
            "object=COLUMN, or --read object=NAME where all are of one.",
        ),
        (
            ["participant,object,age", "p1,brick,20", "p2,brick,21"],
            "no column could be the text (what people wrote). Found the columns participant, object, age.",
        ),
    ],
)
def test_what_has_two_readings_or_none_is_refused_with_names_and_option(
    tmp_path: Path, rows: list[str], message: str
) -> None:
    problem = the_problem(lambda: read(tmp_path, *rows, want=("responses",)))
    assert problem.startswith(str(tmp_path / "a.csv"))
    assert message in problem


def test_the_option_that_is_named_decides(tmp_path: Path) -> None:
    rows = ["participant,object,idea,solution", "p1,brick,a wall,a fence", "p2,brick,a hat,a cap"]
    found = read(tmp_path, *rows, columns={"text": "solution"})
    assert uses(found) == [("p1", "brick", "a fence"), ("p2", "brick", "a cap")]
    assert [r.metadata["idea"] for r in found.responses] == ["a wall", "a hat"]
    both = read(tmp_path, *rows, columns={"text": ["idea", "solution"]})
    assert [text for _, _, text in uses(both)] == ["a wall", "a fence", "a hat", "a cap"]
    rows = [
        "participant,object,use",
        "p1,brick,a wall; a hat; a step",
        *(f"p{n},brick,a box" for n in (2, 3, 4)),
    ]
    assert [text for _, _, text in uses(read(tmp_path, *rows, split=";"))] == [
        "a wall",
        "a hat",
        "a step",
        *["a box"] * 3,
    ]
    assert uses(read(tmp_path, *rows, split="none"))[0][2] == "a wall; a hat; a step"


def test_personal_data_are_left_out_and_named_and_kept_if_asked(tmp_path: Path) -> None:
    rows = [
        "Timestamp,Name,E-Mail,IP,Ort,participant,object,use,age",
        "2026-01-02,Ann Lee,a@lee.org,10.0.0.1,Bonn,p1,brick,a wall,20",
        "2026-01-03,Bo Ek,b@ek.org,10.0.0.2,Köln,p2,brick,a hat,21",
    ]
    found = read(tmp_path, *rows)
    assert [r.metadata for r in found.responses] == [
        {"participant": "p1", "object": "brick", "age": "20", "response": "a wall"},
        {"participant": "p2", "object": "brick", "age": "21", "response": "a hat"},
    ]
    assert (
        f"{tmp_path / 'a.csv'}: left out as personal data: 'Timestamp' (date), 'Name' (name), 'E-Mail' "
        "(e-mail address), 'IP' (IP address), 'Ort' (location). Keep one with --keep COLUMN."
    ) in found.notes
    kept = read(tmp_path, *rows, keep=["Timestamp", "ort"])
    assert [(r.metadata["Timestamp"], r.metadata["Ort"]) for r in kept.responses] == [
        ("2026-01-02", "Bonn"),
        ("2026-01-03", "Köln"),
    ]
    assert "Name" not in kept.responses[0].metadata


def test_an_address_is_known_by_what_it_is_whatever_its_column_is_called(tmp_path: Path) -> None:
    found = read(
        tmp_path, "participant,object,use,who", "p1,brick,a wall,a@lee.org", "p2,brick,a hat,b@ek.org"
    )
    assert "who" not in found.responses[0].metadata
    assert "left out as personal data: 'who' (e-mail address)" in " ".join(found.notes)


def test_rows_without_a_use_are_left_out_and_counted(tmp_path: Path) -> None:
    found = read(
        tmp_path, "participant,object,use", "p1,brick,a wall", "p1,brick,", "p2,brick,NA", "p3,brick,a hat"
    )
    assert uses(found) == [("p1", "brick", "a wall"), ("p3", "brick", "a hat")]
    assert found.notes[-1].endswith("left out 2 rows in which no use is written.")
    assert len(found.responses) + found.left_out == 4
