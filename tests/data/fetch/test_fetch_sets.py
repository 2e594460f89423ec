"""What is made of the originals of public data; small ones of our own in the originals' form."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from typing import Any

import pytest

from creaeval.data.fetch import DATASETS
from creaeval.data.fetch.aut import AUT
from creaeval.data.fetch.cgpst import CGPST
from creaeval.data.fetch.dataset import Check
from creaeval.data.fetch.ttcw import TTCW
from data_folder import shared_data

JUDGES = ("cgpt", "claude3-opus", "claudev13", "claudev2", "claudev21", "gemini-pro", "gpt4")
TESTS = [
    {
        "ttcw_idx": number,
        "torrance_dimension": dimension,
        "category": category,
        "question": f"Is it {category}, then?",
        "full_prompt": "left out",
    }
    for number, dimension, category in ((1, "Fluency", "Ending"), (12, "Elaboration", "Complexity"))
]
URL = "https://www.newyorker.com/books/flash-fiction/keys"


def story(plot: int, writer: str, content: str) -> dict[str, Any]:
    return {
        "story_idx": plot,
        "story_id": f"{plot}_{writer}",
        "story_name": f"Title {plot}",
        "plot": "A plot — with a dash.",
        "content": content,
    }


def expert(story_id: str, rater: int, test: int, verdict: str, explanation: str) -> dict[str, Any]:
    return {
        "story_idx": int(story_id.partition("_")[0]),
        "story_id": story_id,
        "expert_idx": rater,
        "ttcw_idx": test,
        "category": "Ending",
        "binary_verdict": verdict,
        "explanation": explanation,
    }


def lines(*records: object) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in records).encode()


def answer(story_id: str, test: int, response: str) -> dict[str, str]:
    return {"id": f"story_{story_id}_test{test}", "response": response}


def ttcw() -> dict[str, bytes]:
    originals = dict.fromkeys(JUDGES, b"")
    originals["gpt4"] = lines(
        answer("10_GPT4", 1, "Yes, it does.\n\nAnd well\u2028so."),
        answer("10_GPT4", 12, "Content Blocked"),
        answer("2_NewYorker", 12, "It depends, no?"),
        answer("2_NewYorker", 1, "no"),
    )
    stories = [story(10, "GPT4", "\nOne “two” three"), story(2, "NewYorker", URL), story(2, "Claude", "x")]
    experts = [
        expert("10_GPT4", 10, 1, "Yes", "two words"),
        expert("10_GPT4", 9, 1, "No", ""),
        expert("2_Claude", 0, 12, "No", "one\n\nline, more"),
    ]
    return originals | {
        "licence": b"BSD\n",
        "stories": json.dumps(stories).encode(),
        "tests": json.dumps(TESTS).encode(),
        "experts": json.dumps(experts, indent=4).encode(),
    }


def test_stories_are_in_order_of_plot_and_new_yorker_stories_have_no_text() -> None:
    made = TTCW.convert(ttcw())["stories.jsonl"].decode()
    assert [json.loads(line) for line in made.splitlines()] == [
        {
            "story_id": story_id,
            "plot_idx": plot,
            "title": f"Title {plot}",
            "plot": "A plot — with a dash.",
            "source": source,
            "url": url,
            "text": text,
            "text_words": words,
        }
        for story_id, plot, source, url, text, words in (
            ("2_Claude", 2, "claude_v1.3", None, "x", 1),
            ("2_NewYorker", 2, "human_new_yorker", URL, None, None),
            ("10_GPT4", 10, "gpt-4", None, "\nOne “two” three", 3),
        )
    ]
    assert "“two”" in made  # in UTF-8, not escaped


def test_experts_are_in_order_of_story_test_and_rater() -> None:
    assert TTCW.convert(ttcw())["expert_ratings.csv"].decode() == (
        "story_id,ttcw_idx,dimension,rater,verdict,explanation_words\n"
        "2_Claude,12,Elaboration,0,No,3\n"
        "10_GPT4,1,Fluency,9,No,0\n"
        "10_GPT4,1,Fluency,10,Yes,2\n"
    )


def test_a_judges_verdict_is_how_the_answer_begins_and_what_lacks_one_says_why() -> None:
    made = TTCW.convert(ttcw())["judge_verdicts.csv"].decode().splitlines()
    assert len(made) == 1 + len(JUDGES) * 3 * len(TESTS)
    assert made[0] == "story_id,ttcw_idx,dimension,judge,verdict,status,explanation_words"
    assert made[1] == "2_Claude,1,Fluency,cgpt,,missing,0"
    # As in the known file, a comma after the verdict counts as a word of what follows.
    assert made[-6:] == [
        "2_Claude,1,Fluency,gpt4,,missing,0",
        "2_Claude,12,Elaboration,gpt4,,missing,0",
        "2_NewYorker,1,Fluency,gpt4,No,ok,0",
        "2_NewYorker,12,Elaboration,gpt4,,unparsed,3",
        "10_GPT4,1,Fluency,gpt4,Yes,ok,6",
        "10_GPT4,12,Elaboration,gpt4,,blocked,0",
    ]


def test_tests_and_licence_are_taken_over() -> None:
    made = TTCW.convert(ttcw())
    assert made["LICENSE"] == b"BSD\n"
    assert made["tests.csv"].decode() == (
        "ttcw_idx,dimension,category,question\n"
        '1,Fluency,Ending,"Is it Ending, then?"\n'
        '12,Elaboration,Complexity,"Is it Complexity, then?"\n'
    )


def use(prompt: str, response: str, completion: str) -> dict[str, str]:
    return {"prompt": f"AUT Prompt:{prompt}\nResponse:{response}\nScore:\n", "completion": completion}


STUDIES = (
    "n_id,type,src,question,prompt,response,id,target,participant,response_num\n"
    '1,uses,dod20,What use for a BOTTLE?,bottle,"a vase, Of sorts",dod20_bottle-1,3,dod201,1\n'
    "2,uses,hass17,What use for a BOTTLE?,bottle,a drum,hass17_bottle-2,3,hass171,1\n"
    "3,instances,dod20,,bottle,a lamp,dod20_bottle-3,3,dod202,1\n"
)


def aut(**changed: bytes) -> dict[str, bytes]:
    return {
        "licence": b"MIT\n",
        "train": lines(
            use("brick", "Paper weight ", "17"),
            use("sock", "a child's answer", "30"),
            use("bottle", "A vase, of sorts", "33"),
            use("bottle", "a drum", "33"),
            use("bottle", "a lamp", "33"),
            use("book", "null", "10"),
        ),
        "val": lines(use("brick", 'say "hi"', "50")),
        "test": lines(use("table", "a Score:\nboard", "25")),
        "studies": STUDIES.encode(),
        **changed,
    }


def test_adults_uses_are_kept_by_split_object_and_row_id() -> None:
    made = AUT.convert(aut())
    rows = list(csv.DictReader(io.StringIO(made["aut.csv"].decode(), newline="")))
    assert [(r["split"], r["prompt"], r["response"], r["human_mean"]) for r in rows] == [
        ("train", "book", "null", "1.0"),
        ("train", "bottle", "A vase, of sorts", "3.3"),
        ("train", "brick", "Paper weight ", "1.7"),
        ("val", "brick", 'say "hi"', "5.0"),
        ("test", "table", "a Score:\nboard", "2.5"),
    ]
    assert rows[2]["row_id"] == "1ff3fb9fe0"  # printf "brick\tPaper weight " | sha1sum
    assert made["LICENSE"] == b"MIT\n"
    assert b"\r" not in made["aut.csv"]


def test_a_line_of_another_form_is_refused() -> None:
    with pytest.raises(ValueError, match="no object and response in 'Rate this'"):
        AUT.convert(aut(val=lines({"prompt": "Rate this", "completion": "10"})))


def test_the_known_uses_of_train_and_val_are_as_many_as_said() -> None:
    data = shared_data("aut/aut.csv").read_bytes()
    splits = [row["split"] for row in csv.DictReader(io.StringIO(data.decode(), newline=""))]
    assert (splits.count("train"), splits.count("val")) == (13_567, 842)
    (check,) = AUT.checks
    assert check.digest(data) == check.sha256


def test_known_uses_survive_the_way_through_the_published_form() -> None:
    """The known rows, written as the originals are and read back, pass the check."""
    data = shared_data("aut/aut.csv").read_bytes()
    rows = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    originals = {"licence": b""} | {
        split: lines(
            *(
                use(row["prompt"], row["response"], row["human_mean"].replace(".", ""))
                for row in reversed(rows)
                if row["split"] == split
            )
        )
        for split in ("train", "val", "test")
    }
    bottle = [
        ["uses", "dod20", "bottle", row["response"].upper()] for row in rows if row["prompt"] == "bottle"
    ]
    studies = io.StringIO()
    csv.writer(studies).writerows([["type", "src", "prompt", "response"], *bottle])
    originals["studies"] = studies.getvalue().encode()
    (check,) = AUT.checks
    assert check.digest(AUT.convert(originals)["aut.csv"]) == check.sha256


def test_the_known_stories_and_tests_survive_the_way_through_the_published_form() -> None:
    folder = shared_data("ttcw")
    known = [json.loads(line) for line in (folder / "stories.jsonl").read_text("utf-8").split("\n") if line]
    stories = [
        story(s["plot_idx"], s["story_id"].partition("_")[2], s["url"] or s["text"])
        | {"story_name": s["title"], "plot": s["plot"]}
        for s in reversed(known)
    ]
    with (folder / "tests.csv").open(encoding="utf-8", newline="") as file:
        tests = [
            {**row, "ttcw_idx": int(row["ttcw_idx"]), "torrance_dimension": row["dimension"]}
            for row in csv.DictReader(file)
        ]
    with (folder / "expert_ratings.csv").open(encoding="utf-8", newline="") as file:
        experts = [
            expert(
                r["story_id"],
                int(r["rater"]),
                int(r["ttcw_idx"]),
                r["verdict"],
                "w " * int(r["explanation_words"]),
            )
            for r in csv.DictReader(file)
        ]
    with (folder / "judge_verdicts.csv").open(encoding="utf-8", newline="") as file:
        verdicts = list(csv.DictReader(file))
    originals = {
        judge: lines(
            *(
                answer(row["story_id"], int(row["ttcw_idx"]), said)
                for row in verdicts
                if row["judge"] == judge and row["status"] != "missing"
                for words in [" w" * int(row["explanation_words"])]
                for said in ["Content Blocked" if row["status"] == "blocked" else row["verdict"] + words]
            )
        )
        for judge in JUDGES
    }
    originals |= {
        "licence": b"",
        "stories": json.dumps(stories).encode(),
        "tests": json.dumps(tests).encode(),
        "experts": json.dumps(experts[::-1]).encode(),
    }
    made = TTCW.convert(originals)
    for check in TTCW.checks:
        assert check.digest(made[check.file]) == check.sha256, check.file
    assert made["judge_verdicts.csv"] == (folder / "judge_verdicts.csv").read_bytes()


def test_the_sample_is_taken_over_as_it_is() -> None:
    originals = {name: name.encode() for name in CGPST.originals}
    assert CGPST.convert(originals) == originals
    assert {check.file: check.sha256 for check in CGPST.checks} == {
        name: one.sha256 for name, one in CGPST.originals.items()
    }


def test_a_check_of_columns_sees_no_others_and_one_of_splits_no_other_rows() -> None:
    check = Check("t.csv", "", columns=("a",), splits=("x",))
    first = check.digest(b"split,a,b\nx,1,2\ny,3,4\n")
    assert first == hashlib.sha256(b"a\n1\n").hexdigest()
    assert first == check.digest(b"b,a,split\n9,1,x\n")
    assert first != check.digest(b"b,a,split\n9,2,x\n")
    assert check.digest(b"b\n1\n") == hashlib.sha256(b"b\n1\n").hexdigest()


@pytest.mark.parametrize("name", DATASETS)
def test_the_notice_is_a_page_and_names_the_terms(name: str) -> None:
    notice = DATASETS[name].notice
    assert notice.startswith("# ")
    assert notice.endswith("\n")
    assert "LICENSE" in notice or "no licence" in notice
