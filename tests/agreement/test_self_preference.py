"""Judges and what models of their own family wrote."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from agreement.tables import by_response, row, table
from creaeval.agreement.long_table import compared_dimensions, long_table
from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.pairs import AVG
from creaeval.agreement.scorers.self_preference import family_of, self_preference
from creaeval.data import read_ratings, read_scores
from creaeval.errors import SettingError
from creaeval.tasks import load_task
from data_folder import shared_data
from ttcw_data import DIMENSIONS, counts, read_ttcw

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from agreement.tables import Given


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("openai:gpt-4o", "openai"),
        ("cgpt", "openai"),
        ("o1-mini", "openai"),
        ("openrouter:anthropic/claude-3.5-sonnet", "anthropic"),
        ("claudev13", "anthropic"),
        ("claude_v1.3", "anthropic"),
        ("gemini-pro", "google"),
        ("ollama:qwen2.5:7b", "qwen"),
        ("local", "qwen"),
        ("groq:llama-3.3-70b", "meta"),
        # What a model is called comes before what it was made of, and before who serves it.
        ("deepseek-r1-distill-llama-70b", "deepseek"),
        ("openai:deepseek-chat", "deepseek"),
        ("ollama:mine", "ollama:mine"),
        ("openai:ft-mine", "openai"),
        ("gpt-neo-2.7B", "eleutherai"),
        ("human_new_yorker", "human"),
        ("NewYorker", "human"),
        ("Mixtral-8x7B", "mistral"),
        ("my-model", "my-model"),
    ],
)
def test_families_are_told_from_names(name: str, family: str) -> None:
    assert family_of(name) == family


def test_a_mapping_goes_before_what_is_known() -> None:
    assert family_of("gpt-neo-2.7B", {"gpt-neo-2.7B": "mine"}) == "mine"


# R00 and R01 by gpt, R02 to R04 by claude, R05 by a person, R06 by nobody named.
WRITERS = {
    **dict.fromkeys(["R00", "R01"], "gpt-4"),
    **dict.fromkeys(["R02", "R03", "R04"], "claude_v1.3"),
    "R05": "human_new_yorker",
    "R06": " ",
}
A: list[float | None] = [2, 4, 3, 3, 6, 5, 9]
B: list[float | None] = [4, 4, 3, None, 4, 5, 9]
JUDGE: list[float | None] = [5, 6, 3, 2, 6, 1, 0]


def measured(
    given: Given, writers: Mapping[str, str] = WRITERS, families: Mapping[str, str] | None = None
) -> pd.DataFrame:
    data = table(given, carried={"writer": writers})
    return self_preference(data, "writer", families=families, options=AgreementOptions(resamples=0))


def test_values_by_hand() -> None:
    found = measured({("judge", "gpt-4o", "d"): JUDGE, ("rater", "A", "d"): A, ("rater", "B", "d"): B})
    of = row(found, dimension="d")
    # Means of raters 3, 4, 3, 3, 5, 5: biases 2, 2 | 0, -1, 1 | -4.
    assert (of.bias_own, of.bias_other, of.self_preference, of.bias_people) == (2, 0, 2, -4)
    assert (of.family, of.n_own, of.n_other, of.n_people, of.reason) == ("openai", 2, 3, 1, "")
    assert math.isnan(of.low)
    assert row(found, dimension=AVG).self_preference == 2


def test_the_average_is_over_dimensions_in_which_it_is_defined() -> None:
    found = measured(
        {
            ("judge", "gpt-4o", "d"): JUDGE,
            ("judge", "gpt-4o", "e"): [None, None, 3, 3, 3, 3, 3],
            ("judge", "gpt-4o", "f"): [9, 7, 3, 2, 6, 1, 0],
            **{("rater", "A", one): A for one in "def"},
        }
    )
    # d: own (3 + 2) / 2, other (0 - 1 + 0) / 3; f: own (7 + 3) / 2, other the same.
    assert row(found, dimension="d").self_preference == pytest.approx(2.5 + 1 / 3)
    of_e = row(found, dimension="e")
    assert math.isnan(of_e.self_preference)
    assert (of_e.n_own, of_e.n_other) == (0, 3)
    assert of_e.reason == "nothing that both scored is by openai"
    average = row(found, dimension=AVG)
    assert average.self_preference == pytest.approx((2.5 + 5) / 2 + 1 / 3)
    assert average.bias_own == pytest.approx(3.75)


def test_a_judge_whose_family_wrote_nothing_is_undefined_with_the_reason() -> None:
    given: Given = {("judge", "gemini-pro", "d"): JUDGE, ("rater", "A", "d"): A}
    found = self_preference(table(given, carried={"writer": WRITERS}), "writer")
    assert found["self_preference"].isna().all()
    assert set(found["reason"]) == {"nothing that both scored is by google"}
    assert row(found, dimension="d").n_other == 5


def test_the_mapping_moves_judges_and_writers() -> None:
    given: Given = {("judge", "mine", "d"): JUDGE, ("rater", "A", "d"): A, ("rater", "B", "d"): B}
    found = measured(given, families={"mine": "openai"})
    assert row(found, dimension="d").self_preference == 2
    found = measured(given, families={"mine": "us", "claude_v1.3": "us"})
    assert row(found, dimension="d").self_preference == -2


def test_the_interval_draws_whole_clusters() -> None:
    # Two responses a cluster, one of each family: the difference is 1 or 3, whichever clusters are drawn.
    data = table(
        {
            ("judge", "gpt-4", "d"): [*([1.0, 0.0] * 6), *([3.0, 0.0] * 6)],
            ("rater", "A", "d"): [0] * 24,
        },
        carried={
            "writer": by_response(["gpt-4", "claude"] * 12),
            "plot": by_response(str(number // 2) for number in range(24)),
        },
    )
    options = AgreementOptions(cluster=("plot",))
    found = row(self_preference(data, "writer", options=options), dimension="d")
    assert found.self_preference == 2
    # The mean of 12 draws of 1 or 3: standard error 1 / sqrt(12), and the ends are means of whole clusters.
    assert (found.low, found.high) == pytest.approx((2 - 1.96 / 12**0.5, 2 + 1.96 / 12**0.5), abs=0.1)
    assert (found.low * 6) % 1 == pytest.approx(0, abs=1e-9)


def test_without_raters_or_writers_nothing_is_measured() -> None:
    with pytest.raises(SettingError, match="there is no rater"):
        measured({("judge", "gpt-4", "d"): JUDGE})
    given: Given = {("judge", "gpt-4", "d"): JUDGE, ("rater", "A", "d"): A}
    with pytest.raises(SettingError, match="no scored response names its writer"):
        measured(given, {})
    with pytest.raises(SettingError, match="author: the responses carry no such column; they carry none"):
        self_preference(table(given), "author")


def test_the_stories_give_what_their_arrays_give() -> None:
    task = load_task("ttcw")
    folder = shared_data("ttcw/stories.jsonl").parent
    lines = (folder / "stories.jsonl").read_text(encoding="utf-8").splitlines()
    stories = {one["story_id"]: one for one in map(json.loads, lines)}
    writers = {name: str(story["source"]) for name, story in stories.items()}
    plots = {name: str(story["plot_idx"]) for name, story in stories.items()}
    points, _ = long_table(
        task,
        read_scores(folder / "judge_verdicts.csv", task),
        read_ratings(folder / "expert_ratings.csv", task),
    )
    points = replace(points, carried={"writer": writers, "plot": plots})
    options = AgreementOptions(resamples=500, cluster=("plot",))
    found = self_preference(points, "writer", options=options)
    data = read_ttcw()
    own_of = {"gpt4": ["GPT3.5", "GPT4"], "cgpt": ["GPT3.5", "GPT4"], "claudev13": ["Claude"]}
    identities = dict(zip(compared_dimensions(task), DIMENSIONS.values(), strict=True))
    for judge, names in own_of.items():
        own = np.isin(data.writers, names)
        other = ~own & (data.writers != "NewYorker")
        expected = []
        for identity, tests in identities.items():
            experts = np.stack([counts(data.experts[:, :, one], tests) for one in range(3)])
            bias = counts(data.judges[judge], tests) - np.nanmean(experts, axis=0)
            expected.append(np.nanmean(bias[own]) - np.nanmean(bias[other]))
            of = row(found, judge=judge, dimension=identity)
            assert of.self_preference == pytest.approx(expected[-1])
            assert (of.n_own, of.n_other) == ((~np.isnan(bias[own])).sum(), (~np.isnan(bias[other])).sum())
        average = row(found, judge=judge, dimension=AVG)
        assert average.self_preference == pytest.approx(np.mean(expected))
        assert average.low < average.self_preference < average.high
    # No story is by Gemini.
    assert found.loc[found["judge"].eq("gemini-pro"), "self_preference"].isna().all()
