from __future__ import annotations

import pytest

from creaeval.tasks import (
    display_name,
    find_category,
    find_part,
    find_step,
    fold,
    identities,
    load_task,
    resolve,
)
from creaeval.tasks.load import parse_task

TASK = load_task("cgpst")


@pytest.mark.parametrize("name", ["Stem & KVP", "stem_kvp", "STEM KVP", "Ｓｔｅｍ＆ＫＶＰ"])
def test_spellings_of_one_name_fold_alike(name: str) -> None:
    assert fold(name) == "stemkvp"


@pytest.mark.parametrize("name", ["step1", "Step-1", "STEP 1", "Identify Challenges", "identify-challenges"])
def test_a_step_is_found_by_each_of_its_names(name: str) -> None:
    step = find_step(TASK, name)
    assert step is not None
    assert step.id == "step1"


def test_humaness_is_humaneness() -> None:
    step6 = TASK.step("step6")
    assert find_part(step6, "Humaness") is find_part(step6, "Humaneness") is step6.dimension("humaneness")
    assert find_part(step6, "Humanity") is None


def test_a_category_is_found_whatever_its_case_and_marks() -> None:
    assert find_category(TASK, "law & JUSTICE") == find_category(TASK, "Law-Justice") == "Law & Justice"
    assert find_category(TASK, "Law") is None


@pytest.mark.parametrize(
    ("name", "step", "part"),
    [
        ("step1.fluency", "step1", "fluency"),
        ("Step-1 Fluency", "step1", "fluency"),
        ("step2.Integrity", "step2", "integrity"),
        ("Focus", "step2", "focus"),
        ("step6.Humaness", "step6", "humaneness"),
        ("Step-3: Overall", "step3", "overall"),
    ],
)
def test_an_identity_is_resolved_from_each_spelling(name: str, step: str, part: str) -> None:
    found, found_part = resolve(TASK, name)
    assert found is not None
    assert (found.id, found_part) == (step, part)


def test_the_total_belongs_to_no_step() -> None:
    assert resolve(TASK, "Total Score") == resolve(TASK, "total") == (None, "total")


@pytest.mark.parametrize(
    ("name", "choices"),
    [
        ("Fluency", "step1.fluency, step3.fluency"),
        ("relevance", "step4.relevance, step6.relevance"),
        ("overall", "step1.overall, step2.overall"),
    ],
)
def test_a_bare_name_in_several_steps_is_refused_with_the_choices(name: str, choices: str) -> None:
    with pytest.raises(KeyError, match=rf"is in more than one step of task cgpst; write one of {choices}"):
        resolve(TASK, name)


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(KeyError, match=r"no dimension 'step2\.fokus'; did you mean step2\.focus"):
        resolve(TASK, "step2.fokus")
    with pytest.raises(KeyError, match=r"known are step1\.fluency"):
        resolve(TASK, "zzzz")


def test_every_identity_resolves_to_itself_and_has_a_name_for_people() -> None:
    names = identities(TASK)
    assert len(names) == len(set(names))
    assert names[-1] == "total"
    for name in names:
        step, part = resolve(TASK, name)
        assert name == (f"{step.id}.{part}" if step is not None else part)
        assert display_name(TASK, name)
    assert display_name(TASK, "step2.stem_kvp") == "Stem & KVP"


ODD_NAMES = """
id: odd
name: Odd names
source: made up for a test
description: Steps, dimensions and groups whose names hold dots and spaces.
steps:
  - id: step1
    name: Phase 1.5
    instruction: Write.
    dimensions:
      - {id: novelty, name: Novelty v1.2, scale: 0-4, description: How new.}
      - {id: detail, name: Elab. of detail, scale: 0-4, description: How rich., aliases: [E.o.D.]}
      - {id: style, name: Style, scale: 0-4, description: How well written.}
      - {id: tone, name: Tone, scale: 0-4, description: How it sounds.}
    groups:
      - {id: voice, name: St. & To., members: [style, tone]}
  - id: step2
    name: Phase 2
    instruction: Write on.
    dimensions:
      - {id: first, name: Step 2.1 originality, scale: 0-4, description: Of the first part.}
      - {id: second, name: Step-1 Novelty, scale: 0-4, description: Beside the first step's.}
      - {id: style, name: Style, scale: 0-4, description: How well written.}
"""


@pytest.mark.parametrize(
    ("name", "identity"),
    [
        ("Novelty v1.2", "step1.novelty"),
        ("step1.Novelty v1.2", "step1.novelty"),
        ("Step-1 Novelty v1.2", "step1.novelty"),
        ("Phase 1.5.Novelty v1.2", "step1.novelty"),
        ("Phase 1.5.style", "step1.style"),
        ("Elab. of detail", "step1.detail"),
        ("e.o.d.", "step1.detail"),
        ("step1.E.o.D.", "step1.detail"),
        ("St. & To.", "step1.voice"),
        ("Step 2.1 originality", "step2.first"),
        ("step2.Step 2.1 originality", "step2.first"),
        ("Phase 2.Style", "step2.style"),
        # The whole name comes first, and an identity is never anything else.
        ("Step-1 Novelty", "step2.second"),
        ("step1.novelty", "step1.novelty"),
    ],
)
def test_names_may_hold_dots_and_spaces(name: str, identity: str) -> None:
    step, part = resolve(parse_task(ODD_NAMES, "odd"), name)
    assert step is not None
    assert f"{step.id}.{part}" == identity


def test_a_step_whose_name_is_there_twice_is_not_taken_for_the_first() -> None:
    task = parse_task(ODD_NAMES.replace("Phase 1.5", "Phase 2"), "odd")
    with pytest.raises(KeyError, match=r"of task odd; write one of step1\.style, step2\.style"):
        resolve(task, "Phase 2.Style")
