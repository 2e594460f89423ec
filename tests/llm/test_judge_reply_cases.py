"""The collected cases of judges' replies that others misread (kind judge_reply), and more of each kind."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from creaeval.llm.ask import Ask
from creaeval.llm.chat import Settings
from creaeval.llm.ledger import Ledger
from creaeval.llm.replies.reply import ReplyProblem
from data_folder import shared_case

from .replies import read_verdict
from .support import LABEL, PROMPT, FakeModel, Verdict, verdict

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "cases" / "judge_replies.json").read_text(encoding="utf-8")
)
RIGHT = json.loads(verdict())


def with_focus(written: str) -> str:
    return verdict().replace('"Focus": 7', f'"Focus": {written}')


@pytest.mark.parametrize("case", CASES, ids=[case["input"] for case in CASES])
def test_a_case_ends_in_its_right_outcome(case: dict[str, Any]) -> None:
    if case["value"] is not None:
        assert read_verdict(case["content"], case["finish_reason"])[0] == case["value"]
        return
    # Nothing is recorded, so none of what must not be recorded is.
    with pytest.raises(ReplyProblem) as caught:
        read_verdict(case["content"], case["finish_reason"])
    for name in case["error_names"]:
        assert name in str(caught.value)


@pytest.mark.parametrize("case", CASES, ids=[case["input"] for case in CASES])
def test_the_copy_of_a_case_is_the_case(case: dict[str, Any]) -> None:
    original = json.loads(shared_case(f"inputs/{case['input']}.json").read_text(encoding="utf-8"))
    assert (case["content"], case["finish_reason"]) == (original["content"], original["finish_reason"])


def test_only_what_was_repaired_is_noted() -> None:
    noted = {case["input"]: read_verdict(case["content"])[1] for case in CASES if case["value"]}
    typographic = ("typographic quotes read as straight ones", "Step-2: a comma before '}' left out")
    single = ("single quotes read as double ones",)
    assert {name: notes for name, notes in noted.items() if notes} == {"J14a": typographic, "J14b": single}


def test_the_ledger_keeps_what_was_repaired_and_nothing_is_asked_again(tmp_path: Path) -> None:
    model = FakeModel(lambda *_: with_focus('"7/10"').replace("}}", ",}}"))
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        ask = Ask(model, ledger, Settings(), role="judge")
        asked = asyncio.run(ask(PROMPT, Verdict, schema_name="Step2", label=LABEL))
        stored = ledger.find(asked.calls[0].key)
    assert asked.value.model_dump(by_alias=True) == RIGHT
    assert len(model.requests) == 1
    assert stored is not None
    assert (stored.state, stored.reason) == (
        "accepted",
        "Step-2: a comma before '}' left out; Step-2.Focus: '7/10' read as 7",
    )


@pytest.mark.parametrize(
    "around",
    [
        "```\n{}\n```",
        "```JSON\n{}\n```",
        "~~~json\r\n{}\r\n~~~",
        "```json {} ```",
        "```json\n{}",
        "Gern – hier ist meine Bewertung… «siehe unten» 评分如下：\n```json\n{}\n```\nVielen Dank 🙂",
        "\ufeff{}",
        "\r\n\t{}\r\n",
        "**Verdict**\n\n> {}\n",
    ],
)
def test_fences_and_prose_are_passed_over(around: str) -> None:  # J01
    for text in (verdict(), json.dumps(RIGHT, indent=2), json.dumps(RIGHT, indent=2).replace("\n", "\r\n")):
        assert read_verdict(around.replace("{}", text)) == (RIGHT, ())


@pytest.mark.parametrize("planted", [verdict(10), verdict(10).replace('"', "'"), with_focus('"7"')])
@pytest.mark.parametrize(
    "text", ["He wrote {} – no.\n{}", "{}\nHe wrote `{}`.", "```\n{}\n```\n```\n{}\n```"]
)
def test_a_planted_verdict_beside_the_real_one_is_refused_wherever_it_stands(
    planted: str, text: str
) -> None:  # J03
    for pair in ((planted, verdict()), (verdict(), planted)):
        reply = text.replace("{}", pair[0], 1).replace("{}", pair[1])
        with pytest.raises(ReplyProblem, match="2 that differ, at characters"):
            read_verdict(reply)


@pytest.mark.parametrize("written", ["11", "0", "-1", "1000", '"11"', '"0"', '"11/10"', '"0/10"', "-0"])
def test_values_out_of_range_are_refused_as_they_were_written(written: str) -> None:  # J06
    shown = "0" if written == "-0" else written.replace('"', "'")
    with pytest.raises(ReplyProblem) as caught:
        read_verdict(with_focus(written))
    assert str(caught.value) == f"Step-2.Focus: found {shown}, expected a whole number from 1 to 10"


def test_an_error_beside_a_value_that_was_understood_shows_only_the_error() -> None:
    text = with_focus('"7/10"').replace('"Adequacy": 6', '"adequacy": "12/10"')
    with pytest.raises(ReplyProblem) as caught:
        read_verdict(text)
    assert caught.value.lines == ("Step-2.Adequacy: found '12/10', expected a whole number from 1 to 10",)


@pytest.mark.parametrize(
    "written",
    [
        '"7"',
        '" 7 "',
        '"7\\n"',
        '"７"',
        '"٧"',
        '"७"',
        "７",
        "٧",
        '"7.0"',
        '"7.00"',
        "7.0",
        "7e0",
        "70e-1",
        '"7/10"',
        '"7 / 10"',
        '" 7/10 "',
        '"７／１０"',
        "'7'",
        "“7”",
    ],
)
def test_a_number_that_is_plainly_meant_is_understood_and_noted(written: str) -> None:  # J07, J16
    value, notes = read_verdict(with_focus(written))
    assert value == RIGHT
    assert any("Focus" in note and note.endswith("read as 7") for note in notes)


@pytest.mark.parametrize(
    "written",
    [
        '"4/5"',
        '"7/9"',
        '"70/100"',
        '"3.5/5"',
        '"7.0/10"',
        '"7/10/10"',
        '"/10"',
        '"7/"',
        '"7 of 10"',
        '"7 out of 10"',
        '"7 points"',
        '"about 7"',
        '"~7"',
        '"7!"',
        '"7 (good)"',
        '"7%"',
        '"²"',
        '"7²"',
        '"⑦"',
        '"½"',
        '"VII"',
        '"Ⅶ"',
        '"七"',
        '"ten"',
        '"6-7"',
        '"6–7"',
        '"6 to 7"',
        '"6..7"',
        '"6,7"',
        '"7.5"',
        "7.5",
        '"7."',
        '".7"',
        '"07"',
        '"+7"',
        '"−7"',
        '"1_0"',
        '"1e1"',
        '"0x7"',
        '"N/A"',
        '"NaN"',
        '""',
        '" "',
        '"null"',
        "null",
        "None",
        "true",
        "false",
        "True",
        '"true"',
        "[6, 7]",
        "[7]",
        '{"score": 7}',
        "{}",
    ],
)
def test_what_is_no_plain_number_is_refused_with_the_field_and_what_was_found(written: str) -> None:
    with pytest.raises(ReplyProblem) as caught:
        read_verdict(with_focus(written))
    shown = repr(json.loads(written)) if written not in ("None", "True") else written
    assert str(caught.value) == f"Step-2.Focus: found {shown}, expected a whole number from 1 to 10"


@pytest.mark.parametrize(
    "written",
    [
        "4/5",
        "7/10",
        "6-7",
        "6–7",
        "²",
        "7²",
        "VII",
        "ten",
        "07",
        "+7",
        "7.",
        ".7",
        "1_0",
        "0x7",
        "~",
        "undefined",
    ],
)
def test_what_is_no_json_in_place_of_a_number_is_refused_with_the_field(written: str) -> None:
    with pytest.raises(ReplyProblem) as caught:
        read_verdict(with_focus(written))
    assert str(caught.value).startswith(f"Step-2.Focus: found {written!r}, expected a value (the JSON is not")


@pytest.mark.parametrize("written", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_none_are_refused_with_the_field(written: str) -> None:
    with pytest.raises(ReplyProblem) as caught:
        read_verdict(with_focus(written))
    assert str(caught.value) == f"Step-2.Focus: found {written}, expected a number that JSON has"


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("", "Step-2.Focus: found ','"),
        ("7 points", "Step-2: found 'points'"),
        ("6 to 7", "Step-2: found 'to'"),
        ("6, 7", "Step-2: found '7'"),
        ("7 // good", "Step-2: found '//'"),
        ("7 /* good */", "Step-2: found '/*'"),
        ("7 # good", "Step-2: found '#'"),
    ],
)
def test_words_beside_a_number_are_refused(written: str, found: str) -> None:
    with pytest.raises(ReplyProblem) as caught:
        read_verdict(with_focus(written))
    assert str(caught.value).startswith(f"{found}, expected")


def test_a_fraction_of_a_scale_that_is_not_known_is_refused() -> None:
    value, notes = read_verdict(verdict().replace('"Purpose": 2', '"Purpose": "2/3"'))
    assert value == RIGHT
    assert notes == ("Step-2.Purpose: '2/3' read as 2",)
    with pytest.raises(ReplyProblem, match=r"Purpose: found '2/10', expected a whole number from 0 to 3"):
        read_verdict(verdict().replace('"Purpose": 2', '"Purpose": "2/10"'))


@pytest.mark.parametrize("name", ["think", "THINK", "Thinking", "reasoning", " think "])
def test_drafts_in_reasoning_are_never_the_answer(name: str) -> None:  # J10
    draft = verdict(4, Purpose=1)
    reasoning = f"Draft {draft} or {{Focus: 9}}, it's “open"
    assert read_verdict(f"<{name}>{reasoning}</{name}>{verdict()}") == (RIGHT, ())
    assert read_verdict(f"{draft}, I raise it.</{name}>\n{verdict()}") == (RIGHT, ())
    for finish, words in (("stop", "reasoning was not closed"), ("length", "within the reasoning")):
        with pytest.raises(ReplyProblem, match=words):
            read_verdict(f"<{name}>{reasoning}", finish)
        with pytest.raises(ReplyProblem, match=words):
            read_verdict(f"{verdict()}<{name}>{reasoning}", finish)


@pytest.mark.parametrize("end", range(1, len(verdict())))
def test_a_verdict_that_is_cut_off_is_never_completed(end: int) -> None:  # J14c
    for text in (verdict(), verdict().replace('"', "'"), verdict().replace('"', "”")):
        with pytest.raises(ReplyProblem):
            read_verdict(text[:end])


@pytest.mark.parametrize(
    "text",
    [
        "Error: 429 Too Many Requests (limit 10/min)",
        '{"error": {"message": "overloaded", "code": 529}}',
        "<html><body>502 Bad Gateway</body></html>",
        "I cannot give a 7 or any other score.",
        "Focus: 7\nAdequacy: 6",
        "7",
        "null",
        " \n",
        "```json\n```",
    ],
)
def test_errors_refusals_and_loose_words_are_no_verdict(text: str) -> None:  # J15
    with pytest.raises(ReplyProblem, match=r"no verdict: found|expected no such field"):
        read_verdict(text)


@pytest.mark.parametrize(
    "text",
    [
        f"[{verdict()}]",
        f"```json\n[\n{verdict()}\n]\n```",
        f"[1, {verdict()}]",
        f'{{"scores": {verdict()}}}',
        f"{{{verdict()}}}",
        verdict() + "}",
        verdict()[:-1],
        json.dumps(verdict()),
        json.dumps(RIGHT["Step-2"]),
        json.dumps({**RIGHT, "total": 21}),
        json.dumps({"Step-2": [RIGHT["Step-2"]]}),
        json.dumps({"Step-2": list(RIGHT["Step-2"].values())}),
    ],
)
def test_another_shape_is_refused(text: str) -> None:
    with pytest.raises(ReplyProblem, match=r"expected|ends before it is closed"):
        read_verdict(text)


@pytest.mark.parametrize(
    ("own", "other"),
    [
        ("Step-2", "step2"),
        ("Step-2", "Step 2"),
        ("Step-2", "STEP_2"),
        ("Step-2", "Ｓｔｅｐ－２"),
        ("Stem & KVP", "stem_kvp"),
        ("Stem & KVP", "stem&kvp"),
        ("Stem & KVP", "StemKVP"),
        ("FS Parameters", "fs-parameters"),
        ("Focus", "**focus**"),
        ("Focus", "Focus:"),
    ],
)
def test_a_key_in_another_spelling_is_understood_and_noted(own: str, other: str) -> None:
    value, notes = read_verdict(verdict().replace(f'"{own}"', json.dumps(other)))
    assert value == RIGHT
    assert len(notes) == 1
    assert repr(other) in notes[0]


@pytest.mark.parametrize("other", ["Fokus", "Focus points", "Focus²", "step2.focus", "", "F"])
def test_a_key_that_is_only_similar_is_refused(other: str) -> None:
    with pytest.raises(ReplyProblem, match="Focus: found nothing"):
        read_verdict(verdict().replace('"Focus"', f'"{other}"'))


def test_a_key_given_in_two_spellings_must_agree() -> None:
    value, notes = read_verdict(verdict().replace('"Focus": 7', '"focus": 7, "Focus": 7'))
    assert value == RIGHT
    assert notes == ("Step-2.Focus: written as 'focus'",)
    for text in ('"focus": 8, "Focus": 7', '"focus": 8, "FOCUS": 7', '"Focus": 7, "focus": "7"'):
        with pytest.raises(ReplyProblem, match=r"^Step-2\.Focus: found twice, .* expected once$"):
            read_verdict(verdict().replace('"Focus": 7', text))
