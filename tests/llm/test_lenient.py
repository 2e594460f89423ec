from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from creaeval.llm.replies.reply import ReplyProblem, parse_object

# What breaks readers of almost-JSON, more often than chance would bring it.
NASTY = st.text(
    st.sampled_from("ab '\"\\\n,{}[]:“”‘’„1`") | st.characters(codec="utf-8", exclude_categories=["Cs"]),
    max_size=12,
)
# Reply forms name their fields so that no key holds a quote.
KEYS = st.text("abc_-& 1", min_size=1, max_size=5)
VALUES = st.recursive(
    NASTY | st.integers(-99, 99) | st.none() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=4)


def _no_typographic(key: str) -> str:
    return key.translate(dict.fromkeys(map(ord, "“”‘’„"), "'"))


def value_of(text: str) -> dict[str, Any] | None:
    try:
        return parse_object(text)[0]
    except ReplyProblem:
        return None


def with_commas(value: Any) -> str:
    """Write JSON with a comma before each closing bracket."""
    if isinstance(value, dict) and value:
        return "{" + ", ".join(f"{json.dumps(k)}: {with_commas(v)}" for k, v in value.items()) + " ,\n}"
    if isinstance(value, list) and value:
        return "[" + ", ".join(with_commas(one) for one in value) + ",]"
    return json.dumps(value)


def test_trailing_commas_are_left_out_and_noted() -> None:
    assert parse_object('{"a": [1, 2, ], "b": {"c": 3,\n},}') == (
        {"a": [1, 2], "b": {"c": 3}},
        (
            "a: a comma before ']' left out",
            "b: a comma before '}' left out",
            "the reply: a comma before '}' left out",
        ),
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 'b'}", {"a": "b"}),
        ("{'a': \"O'Brien\", 'b': 'say \"yes\"'}", {"a": "O'Brien", "b": 'say "yes"'}),
        ("{'a': 'don't', 'b': 'O'Brien's plan, it's'}", {"a": "don't", "b": "O'Brien's plan, it's"}),
        ("{'a': 'don\\'t'}", {"a": "don't"}),
        ("{'a': 'don’t', 'b': 'so “x”, “y”'}", {"a": "don’t", "b": "so “x”, “y”"}),
        (
            '{"a": "don\'t, don’t", "b": "he said “yes”, and “no”",}',
            {"a": "don't, don’t", "b": "he said “yes”, and “no”"},
        ),
        ("{“a”: “b”, “c”: 1}", {"a": "b", "c": 1}),
        ("{„a“: „b“, ‟c‟: 1}", {"a": "b", "c": 1}),
        (
            "{‘a’: ‘don’t’, ‘b’: ‘he said ‘yes’, ‘no’ and left’}",
            {"a": "don’t", "b": "he said ‘yes’, ‘no’ and left"},
        ),
        ("{“a”: “he said “yes”, “no” and left”}", {"a": "he said “yes”, “no” and left"}),
        ("{“a”: [“He said “b”, “c””, “d”]}", {"a": ["He said “b”, “c”", "d"]}),
        ('{“a”: “don’t say "no" to O\'Brien”}', {"a": 'don’t say "no" to O\'Brien'}),
        ('{"a”: 1, “b": 2, "c": 3, “d”: "e"}', {"a": 1, "b": 2, "c": 3, "d": "e"}),
        ('{"a”: "x”, "b": ["y”, "z"]}', {"a": "x", "b": ["y", "z"]}),
        ('{"a”: ":"}', {"a": ":"}),
        ('{"a”: {"b”: 7}}', {"a": {"b": 7}}),
        ("{'a’: 1, ‘b': 'it’s'}", {"a": 1, "b": "it’s"}),
        ("{'a': '\\x41\\u00e9\\ud83d\\ude00\\n'}", {"a": "Aé😀\n"}),
        ('{"a": True, "b": [False, None], "c": null}', {"a": True, "b": [False, None], "c": None}),
        ('{"a": ７, "b": -٧.٥, "c": 1,}', {"a": 7, "b": -7.5, "c": 1}),
    ],
)
def test_other_quotes_words_and_digits_are_understood_and_texts_stay_as_written(
    text: str, value: dict[str, Any]
) -> None:
    found, notes = parse_object(text)
    assert found == value
    assert notes


def test_each_kind_of_repair_has_its_note() -> None:
    assert parse_object("{'a': True, “b”: [７], 'c': 'x\\'y'}")[1] == (
        "single quotes read as double ones",
        "a: True read as true",
        "typographic quotes read as straight ones",
        "b.0: ７ read as 7",
        "escapes of Python read",
    )


@pytest.mark.parametrize(
    "text",
    [
        # where a text ends is not certain
        "{'a': 'He said 'no', then', 'b': 1}",
        "{'a': ['He said 'b', 'c'']}",
        '{“a": [“He said "b", "c"”]}',
        '{"a”: "he said “yes”, “no” x", "b": 1}',
        '{"a": "he said "no", then"}',
        # cut off, or a closing quote of another kind: both look like this
        '{"a": "x”}',
        '{"a": "x\'}',
        # what is missing or too much
        '{"a": 1,, "b": 2}',
        '{"a": ,}',
        '{, "a": 1}',
        '{"a" 1}',
        '{"a": 1 "b": 2}',
        '{"a": [1, 2}',
        '{"a": 1]',
        '{"a": {"b": 1}',
        '{"a": 1; "b": 2}',
        '{"a": "x" + "y"}',
        # names and words without quotes, comments, line breaks in texts, escapes of nobody
        "{a: 1}",
        '{"a": yes}',
        '{"a": TRUE}',
        '{"a": 1 // one\n}',
        '{/* one */ "a": 1}',
        '{"a": "x\ny",}',
        '{"a": "\\d",}',
        "{'a': '\\U00110000'}",
        "{'a': '\\u12'}",
        "{`a`: 1}",
        "{«a»: 1}",
        "{7: 1}",
        "{'a': (1, 2)}",
    ],
)
def test_what_is_not_plain_is_refused(text: str) -> None:
    for reply in (text, f"```json\n{text}\n```"):
        with pytest.raises(ReplyProblem):
            parse_object(reply)


def test_the_error_names_the_field_and_where_it_is() -> None:
    with pytest.raises(ReplyProblem) as caught:
        parse_object('{"a": 1,\n "b": [{"c": 4/5}]}')
    assert str(caught.value) == (
        "b.0.c: found '4/5', expected a value (the JSON is not well formed at line 2, column 14)"
    )
    with pytest.raises(ReplyProblem, match=r"^a\.b: found NaN, expected a number that JSON has$"):
        parse_object('{"a": {"b": NaN}}')
    with pytest.raises(ReplyProblem, match=r"^a\.b: found twice, 1 and '1', expected once$"):
        parse_object('{"a": {"b": 1, "b": "1"}}')


@given(OBJECTS)
def test_any_json_object_is_read_as_it_is_without_notes(value: dict[str, Any]) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
        assert parse_object(text) == (value, ())


@given(st.dictionaries(NASTY.map(_no_typographic), NASTY | st.integers(), max_size=4) | OBJECTS)
def test_what_python_prints_of_an_object_is_read_to_the_same_value(value: dict[str, Any]) -> None:
    assert parse_object(repr(value))[0] == value


@given(OBJECTS)
def test_trailing_commas_change_nothing(value: dict[str, Any]) -> None:
    assert parse_object(with_commas(value))[0] == value


@given(OBJECTS, st.sampled_from(["json", "python", "commas"]), st.data())
def test_an_object_that_is_cut_off_has_no_value(value: dict[str, Any], way: str, data: st.DataObject) -> None:
    write = {"json": lambda one: json.dumps(one, ensure_ascii=False), "python": repr, "commas": with_commas}
    text = write[way](value)
    end = data.draw(st.integers(0, len(text) - 1))
    with pytest.raises(ReplyProblem):
        parse_object(text[:end])


@given(
    st.dictionaries(
        KEYS,
        st.lists(
            st.sampled_from(["don’t", "don't", "O'Brien", "“yes”", "“no”,", "plan", "it's", "{x}", "5,"])
        ).map(" ".join),
        max_size=4,
    ),
    st.randoms(use_true_random=False),
)
def test_quotes_of_mixed_kinds_never_change_a_text(value: dict[str, str], random: Any) -> None:
    def quoted(text: str) -> str:
        opening, closing = random.choice(["“”", '""', '"”', '“"', "„“"])
        return f"{opening}{text}{closing}"

    text = "{" + ", ".join(f"{quoted(key)}: {quoted(inner)}" for key, inner in value.items()) + "}"
    found = value_of(text)
    # Where all quotes happen to pair as JSON pairs them, it is JSON; its odd keys are no field of any form.
    assert found in (None, value) or any("”" in key or "“" in key for key in found or ()) or _is_json(text)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@given(st.text(st.sampled_from("{}[]\"'“”‘’:,\\ \n1ax</think>")) | NASTY)
def test_no_text_raises_anything_but_a_reply_problem(text: str) -> None:
    value_of(text)
    value_of(f'{{"a": {text}}}')
    value_of(f"{{'a': '{text}'}}")


def long(sign: str) -> str:
    return sign * (100_000 // len(sign))


@pytest.mark.parametrize(
    "text",
    [
        *map(
            long, ("{", "}", '"', "'", "“", "’", "\\", "<", "{}", "{x}", '{"', "{'", "{“", "{‘", '{"a": 1}')
        ),
        *(
            '{"a": ' + long(sign)
            for sign in ("[", "{", '"', "'", "“", "’", "-", "9", " ", '{"a":', '"\\', "[,")
        ),
        *("{'a': '" + long(sign) for sign in ("it's ", "' ", "’, '", "\\'", "{'")),
        *('{"a”: “' + long(sign) for sign in ("“", "”", "” , ", '" , ', "”: “", '"')),
        *map(long, ("<think>", "</think>", "<think></think>", '{"a" x</think>', "{'a” x</think>")),
        "<" + long(" "),
        "{" + long(" "),
        "{" + long("a"),
        "{" + long('"a": 1, '),
        "{" + long("'a': 1, "),
        '{"a": [' + long("True, "),
    ],
    ids=lambda text: text[:14],
)
def test_hostile_text_takes_time_in_proportion_to_its_length(text: str) -> None:
    started = time.process_time()
    value_of(text)
    # A reader whose time grows with the square takes minutes; the margin is for slow machines.
    assert time.process_time() - started < 5
