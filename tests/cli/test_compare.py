from __future__ import annotations

import csv
import json
import shutil
from itertools import product
from statistics import fmean, pvariance
from typing import TYPE_CHECKING, Any

import pytest

from booklets import marked, write_inputs
from scripted import ScriptedModel, fill

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from conftest import CommandLine, Ended
    from creaeval.llm import ChatRequest

# What the judges give for step2.focus to the booklets R0 to R5, and what two people gave.
FOCUS = {"scripted:one": [2, 3, 4, 5, 6, 7], "scripted:two": [4, 5, 6, 7, 8, 9]}
PEOPLE = {"P": [2, 3, 4, 5, 6, 7], "Q": [3, 4, 5, 6, 7, 8]}


def model(name: str, **options: Any) -> ScriptedModel:
    def answer(request: ChatRequest) -> str:
        text = "\n".join(message.text for message in request.messages)
        seen = next(number for number in range(6) if f"token{number}" in text)
        reply: dict[str, Any] = fill(
            request.schema, request.schema_name, write=lambda path: f"[bold]token{seen} by {name}: {path}"
        )
        if request.schema_name == "cgpst_scores":
            reply["step2"]["focus"] = FOCUS[name][seen]
        return json.dumps(reply)

    return ScriptedModel(name, answer=answer, **options)


def ids(command: CommandLine) -> set[str]:
    if not (command.folder / ".creaeval").exists():
        return set()
    return {line.split("\t")[0] for line in command("runs", "list").out.splitlines()}


def score(command: CommandLine, name: str) -> str:
    """Score booklets.json; the run's id."""
    before = ids(command)
    models = ("--analyst", name, "--judge", name)
    ended = command("score", "booklets.json", "--scenario", "scenario.yaml", *models)
    assert ended.code in (0, 3), ended.err
    (new,) = ids(command) - before
    return new


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the first test puts what all begin with."""
    return tmp_path_factory.mktemp("compare") / "made"


@pytest.fixture
def two(command: CommandLine, made: Path) -> tuple[str, str]:
    """Two runs over six booklets, and ratings.csv; their ids."""
    command.add(model("scripted:one"), model("scripted:two"))
    if not made.exists():
        _make(command)
        shutil.copytree(command.folder, made)
    shutil.copytree(made, command.folder, dirs_exist_ok=True)
    first, second = (command.folder / "ids.txt").read_text().split()
    return first, second


def _make(command: CommandLine) -> None:
    write_inputs(command.folder, *(marked(f"R{number}", f"token{number}") for number in range(6)))
    with (command.folder / "ratings.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("response_id", "rater", "dimension", "score"))
        for rater, given in PEOPLE.items():
            writer.writerows((f"R{number}", rater, "Focus", points) for number, points in enumerate(given))
    runs = [score(command, "scripted:one"), score(command, "scripted:two")]
    (command.folder / "ids.txt").write_text(" ".join(runs))


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def qwk(x: Sequence[float], y: Sequence[float]) -> float:
    """2 cov / (var + var + (difference of means) squared)."""
    a, b = fmean(x), fmean(y)
    cov = fmean((one - a) * (other - b) for one, other in zip(x, y, strict=True))
    return 2 * cov / (pvariance(x) + pvariance(y) + (a - b) ** 2)


def test_folders_that_are_compared_may_have_number_signs_in_their_names(
    command: CommandLine, two: tuple[str, str]
) -> None:
    for run, folder in zip(two, ("study#1", "study#2"), strict=True):
        assert command("runs", "export", run, "--out", folder).code == 0
    ended = command("compare", "study#1", "study#2/scores.csv", "--out", "out", "--resamples", "0")
    assert ended.code == 0, ended.err
    scores = {row["dimension"]: row for row in table(command.folder / "out" / "differences.csv")}
    assert float(scores["step2.focus"]["difference"]) == -2


def test_two_runs_are_compared_in_one_command(command: CommandLine, two: tuple[str, str]) -> None:
    ended = command("compare", *two, "--ratings", "ratings.csv", "--out", "out", "--resamples", "50")
    assert ended.code == 0, ended.err
    out = command.folder / "out"
    assert sorted(path.stem for path in out.iterdir()) == [
        *("agreement", "differences", "failures", "largest", "responses", "settings", "usage"),
    ]
    scores = {row["dimension"]: row for row in table(out / "differences.csv")}
    focus = scores["step2.focus"]
    # Two points less throughout; the sample variance of 1..6 is 3.5.
    assert [focus[name] for name in ("difference", "low", "high", "equal")] == ["-2.0", "", "", "0.0"]
    assert focus["reason"] == "no interval: all resamples are equal"
    assert float(focus["standardized"]) == pytest.approx(-2 / 3.5**0.5)
    assert (focus["n"], focus["n_missing"]) == ("6", "0")
    assert float(scores["total"]["difference"]) == -2
    # 20 dimensions are compared, and one differs.
    assert float(scores["AVG"]["difference"]) == pytest.approx(-2 / 20)
    other = scores["step2.stem_kvp"]
    assert (float(other["difference"]), float(other["equal"])) == (0, 1)
    assert "neither run's scores vary" in other["reason"]
    # With a shift of d points qwk is 2 v / (2 v + d * d), v the population variance 35 / 12.
    by_shift = [35 / 6 / (35 / 6 + d * d) for d in range(3)]
    agreement = {(row["dimension"], row["metric"]): row for row in table(out / "agreement.csv")}
    average = agreement["AVG", "qwk"]
    assert (average["first"], average["second"]) == ("A", "B")
    assert float(average["first_value"]) == pytest.approx((by_shift[0] + by_shift[1]) / 2)
    assert float(average["second_value"]) == pytest.approx((by_shift[1] + by_shift[2]) / 2)
    # All 64 ways of swapping the judges of six responses: how many differ as far.
    far = 0
    pairs = list(zip(*FOCUS.values(), strict=True))
    for swaps in product([False, True], repeat=6):
        by_first = [pair[swap] for pair, swap in zip(pairs, swaps, strict=True)]
        by_second = [pair[not swap] for pair, swap in zip(pairs, swaps, strict=True)]
        found = fmean(qwk(by_first, given) - qwk(by_second, given) for given in PEOPLE.values())
        far += abs(found) >= (by_shift[0] - by_shift[2]) / 2 - 1e-12
    assert float(average["p"]) == pytest.approx(far / 64)
    usage = {row["measure"]: row for row in table(out / "usage.csv")}
    # Six steps read and one judged: seven calls of 110 tokens and half a second.
    assert [float(usage["tokens"][name]) for name in ("a", "b", "b_over_a")] == [770, 770, 1]
    assert float(usage["seconds"]["a"]) == 3.5
    assert (usage["failures"]["a"], usage["failures"]["n_a"]) == ("0.0", "6")
    settings = {row["setting"]: (row["a"], row["b"]) for row in table(out / "settings.csv")}
    assert settings == {
        **{
            f"{role}.{key}": ("scripted:one", "scripted:two")
            for role in ("analyst", "judge")
            for key in ("name", "model")
        }
    }
    assert table(out / "failures.csv") == table(out / "responses.csv") == []
    assert "What differs" in ended.out


def test_where_they_part_is_shown_with_the_evidence_of_both(
    command: CommandLine, two: tuple[str, str]
) -> None:
    ended = command("compare", *two, "--ratings", "ratings.csv", "--out", "out", "--resamples", "0")
    assert ended.code == 0, ended.err
    rows = table(command.folder / "out" / "largest.csv")
    assert [row["response_id"] for row in rows] == [f"R{number}" for number in range(6)]
    assert {row["dimension"] for row in rows} == {"step2.focus"}
    first = rows[0]
    assert [float(first[name]) for name in ("a", "b", "difference")] == [2, 4, -2]
    assert float(first["share_of_scale"]) == pytest.approx(2 / 9)
    assert first["ratings"] == "P: 2; Q: 3"
    assert first["evidence_a"].startswith("[bold]token0 by scripted:one: step2_evidence.")
    assert "token0 by scripted:two" in first["evidence_b"]
    # What models wrote is no markup of the terminal.
    assert "evidence of A: [bold]token0 by scripted:one" in ended.out


#: (1 + s1) / 2 is .927, (s1 + s2) / 2 is .723: .203 less.
CONDITIONS = {
    "qwk drops 0.2": True,
    "qwk drops 0.21": False,
    "QWK drops by 20%": True,
    "qwk drops 25%": False,
    "qwk rises 0": False,
    "exact drops .5": True,
    "mean rises 2": True,
    "mean surely rises 2": True,
    "mean rises 2.01": False,
    "mean drops 0": False,
    "tokens rises 0": False,
    "failures rises 0": False,
    "seconds rises 10%": False,
}


def test_conditions_hold_or_fail_at_their_limit(command: CommandLine, two: tuple[str, str]) -> None:
    given = [part for text in CONDITIONS for part in ("--fail-if", text)]
    ended = command("compare", *two, "--ratings", "ratings.csv", *given, "--resamples", "50", "--out", "out")
    assert ended.code == 3, ended.err
    rows = table(command.folder / "out" / "conditions.csv")
    assert {row["condition"]: row["failed"] == "True" for row in rows} == CONDITIONS
    assert [line.partition(" (A ")[0] for line in ended.err.splitlines()] == [
        f"failed: {text}" for text, failed in CONDITIONS.items() if failed
    ]


def test_conditions_that_hold_end_with_code_0(command: CommandLine, two: tuple[str, str]) -> None:
    ended = command(
        "compare", *two, "--fail-if", "mean drops 1", "--fail-if", "tokens rises 5%", "--resamples", "50"
    )
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.count("held") == 2


def test_every_failed_condition_is_named_with_its_values(command: CommandLine, two: tuple[str, str]) -> None:
    given = ("--fail-if", "qwk drops 0.05", "--fail-if", "mean drops 1", "--fail-if", "mean rises 1.5")
    ended = command("compare", *two, "--ratings", "ratings.csv", *given, "--out", "out", "--resamples", "50")
    assert ended.code == 3
    assert "failed: qwk drops 0.05 (A .9268, B .7234, change −.2034 [−" in ended.err
    assert "failed: mean rises 1.5 (A " in ended.err
    assert "mean drops" not in ended.err
    rows = table(command.folder / "out" / "conditions.csv")
    assert [row["failed"] for row in rows] == ["True", "False", "True"]


def test_an_undefined_value_fails_with_its_reason(command: CommandLine, two: tuple[str, str]) -> None:
    rows = [(f"R{number}", "j", "Focus", 4) for number in range(6)]
    with (command.folder / "flat.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("response_id", "judge", "dimension", "score"), *rows])
    given = ("--ratings", "ratings.csv", "--fail-if", "pearson drops 0.05", "--fail-if", "cost rises 10%")
    ended = command("compare", two[0], "flat.csv", *given, "--resamples", "0")
    assert ended.code == 3
    assert "failed: pearson drops 0.05 (A 1.0000, B undefined, n 6; undefined: " in ended.err
    assert "B: a file of scores does not say" in ended.err
    ended = command("compare", *two, "--fail-if", "mean surely drops 1", "--resamples", "0")
    assert ended.code == 3
    assert "undefined: no interval (no resamples)" in ended.err


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("qwk falls 0.05", "expected MEASURE [surely] drops|rises AMOUNT[%]"),
        ("qwk drops -1", "expected MEASURE [surely] drops|rises AMOUNT[%]"),
        ("qwk drops 0,05", "expected MEASURE [surely] drops|rises AMOUNT[%]"),
        ("kapa drops 0.05", "there is no measure 'kapa'"),
        ("bias drops 1", "there is no measure 'bias'"),
        ("qwk drops 0.05", "agreement needs ratings; give --ratings FILE"),
        ("cost surely rises 1", "cost has no interval"),
    ],
)
def test_a_condition_that_cannot_be_read_is_wrong_usage(
    command: CommandLine, condition: str, message: str
) -> None:
    ended = command("compare", "aaaa", "bbbb", "--fail-if", condition)
    assert ended.code == 2
    assert message in " ".join(ended.err.replace("│", " ").split())


def test_folders_give_what_their_runs_give(command: CommandLine, two: tuple[str, str]) -> None:
    for run, out in zip(two, ("first", "second"), strict=True):
        assert command("runs", "export", run, "--out", out).code == 0
    more = ("--ratings", "ratings.csv", "--resamples", "50")
    assert command("compare", *two, *more, "--out", "of_runs").code == 0
    ended = command("compare", "first", "second", *more, "--out", "of_folders", "--ledger", "none.db")
    assert ended.code == 0, ended.err
    for file in (command.folder / "of_runs").iterdir():
        assert file.read_bytes() == (command.folder / "of_folders" / file.name).read_bytes(), file.name


def test_files_of_scores_have_no_costs_and_that_is_said(command: CommandLine, two: tuple[str, str]) -> None:
    assert command("runs", "export", two[0], "--out", "first").code == 0
    ended = command("compare", two[1], "first/scores.csv", "--out", "out", "--resamples", "0")
    assert ended.code == 0, ended.err
    usage = {row["measure"]: row for row in table(command.folder / "out" / "usage.csv")}
    assert (usage["tokens"]["a"], usage["tokens"]["b"]) == ("770.0", "")
    assert usage["tokens"]["reason"] == "B: a file of scores does not say"
    assert "B is a file of scores" in ended.out
    scores = {row["dimension"]: row for row in table(command.folder / "out" / "differences.csv")}
    assert float(scores["step2.focus"]["difference"]) == 2


def unusable_at(token: str) -> Callable[[ChatRequest], int]:
    return lambda request: 99 if token in "\n".join(one.text for one in request.messages) else 0


def test_failures_and_responses_of_one_run_alone_are_named(
    command: CommandLine, two: tuple[str, str]
) -> None:
    command.add(
        model(
            "scripted:two",
            invalid=unusable_at("token4"),
            identity={"provider": "x", "base_url": "", "model": "y"},
        )
    )
    write_inputs(command.folder, *(marked(f"R{number}", f"token{number}") for number in range(1, 6)))
    other = score(command, "scripted:two")
    ended = command(
        *("compare", two[0], other, "--out", "out", "--resamples", "50"),
        *("--fail-if", "failures rises 0.1", "--fail-if", "failures rises 0.25"),
    )
    assert ended.code == 3
    assert "failed: failures rises 0.1 (A .0000, B .2000, change +.2000, n 5)" in ended.err
    assert "0.25" not in ended.err
    assert "In A alone, so left out (1): R0." in ended.out
    assert "Without a score in B: 1 of the 5 responses of both." in ended.out
    out = command.folder / "out"
    assert table(out / "responses.csv") == [{"response_id": "R0", "run": "A"}]
    (failure,) = table(out / "failures.csv")
    assert (failure["run"], failure["response_id"]) == ("B", "R4")
    assert failure["reason"]
    focus = next(row for row in table(out / "differences.csv") if row["dimension"] == "step2.focus")
    assert (focus["n"], focus["n_missing"]) == ("4", "1")
    assert "no interval: fewer than 5 responses or clusters" in focus["reason"]
    assert float(focus["mean_a"]) == pytest.approx((3 + 4 + 5 + 7) / 4)


def test_another_text_under_the_same_id_is_said(command: CommandLine, two: tuple[str, str]) -> None:
    write_inputs(command.folder, *(marked(f"R{number}", f"token{number}") for number in [0, 1, 2, 4, 3, 5]))
    booklets = json.loads((command.folder / "booklets.json").read_text())
    booklets[0]["steps"]["step3"][0] += " and more"
    (command.folder / "booklets.json").write_text(json.dumps(booklets))
    other = score(command, "scripted:two")
    ended = command("compare", two[1], other, "--resamples", "0")
    assert ended.code == 0, ended.err
    assert "Of the same id in both runs, but not the same text (1): R0." in ended.out
    assert "The runs do not differ in any setting" in ended.out
    assert "No response has different scores in any dimension." in ended.out


def test_what_cannot_be_compared_is_refused(command: CommandLine, two: tuple[str, str]) -> None:
    def refused(*arguments: str) -> Ended:
        ended = command("compare", *arguments)
        assert ended.code == 1
        assert "Traceback" not in ended.err
        return ended

    rows = [("S1", "j", "Focus", 4)]
    with (command.folder / "others.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("response_id", "judge", "dimension", "score"), *rows])
    assert "have no response in common: one has R0, R1" in refused(two[0], "others.csv").err
    assert "there is no such file or folder" in refused(two[0], "nothing.csv").err
    assert "There is no run 'ffff'" in refused(two[0], "ffff").err
    assert "plot: the responses carry no such column" in refused(*two, "--cluster", "plot").err
    assert command("runs", "export", two[0], "--out", "first").code == 0
    assert "is of task 'cgpst', not of 'ttcw'" in refused("first", two[1], "--task", "ttcw").err
    (command.folder / "first" / "responses" / "R0.json").write_text("{}")
    assert "R0.json: at response_id" in refused("first", two[1]).err


def test_agree_tells_whether_judges_favour_their_own_family(command: CommandLine) -> None:
    writers = ["gpt-4", "gpt-4", "claude-3", "claude-3", "someone"]
    with (command.folder / "scores.csv").open("w", newline="") as file:
        given_points = [(f"R{n}", "gpt-4o", "Focus", points) for n, points in enumerate([8, 6, 3, 4, 5])]
        csv.writer(file).writerows([("response_id", "judge", "dimension", "score"), *given_points])
    with (command.folder / "ratings.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("response_id", "rater", "dimension", "score", "writer"))
        for rater, rated in {"P": [5, 5, 3, 4, 6], "Q": [5, 5, 5, 4, 6]}.items():
            writer.writerows((f"R{n}", rater, "Focus", rated[n], writers[n]) for n in range(5))
    given = ("agree", "scores.csv", "ratings.csv", "--writer", "writer", "--out", "out", "--resamples", "50")
    ended = command(*given, "--family", "someone=human")
    assert ended.code == 0, ended.err
    rows_of = {row["dimension"]: row for row in table(command.folder / "out" / "self_preference.csv")}
    average = rows_of["AVG"]
    # Own 3 and 1; others' -1 and 0; people's -1.
    assert [float(average[name]) for name in ("bias_own", "bias_other", "bias_people")] == [2, -0.5, -1]
    assert float(average["self_preference"]) == 2.5
    assert (average["family"], average["n_own"], average["n_other"], average["n_people"]) == (
        "openai",
        "2",
        "2",
        "1",
    )
    assert "Self-preference" in ended.out
    ended = command(*given, "--family", "someone")
    assert (ended.code, "expected NAME=FAMILY" in ended.err) == (1, True)
