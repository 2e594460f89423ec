"""The offline scorer by itself: what a score depends on, how sure it is, what it warns of."""

from __future__ import annotations

import csv
import json
import math
import random
import shutil
from typing import TYPE_CHECKING

import pytest

from creaeval.errors import SettingError
from creaeval.offline import OfflineScorer, scorer_identity
from creaeval.offline.card import CARD, FILES, MODEL, TOKENIZER, TRAINED, WORDS, Trust, read_card
from creaeval.offline.doubts import FOREIGN, LONG, UNSEEN, foreign_uses, is_foreign, mark_of, plain, words_of
from creaeval.offline.exchange import UsesReply, read_question, write_answer, write_question
from creaeval.offline.scorer import UseScore
from data_folder import shared_data

if TYPE_CHECKING:
    from pathlib import Path

USES = [
    ("brick", "doorstop"),
    ("brick", "build a house"),
    ("brick", "grind it to pigment for cave paintings"),
    ("knife", "cut"),
    ("rope", "to measure how long a year is by tying one knot a day"),
    ("paperclip", "hold paper together"),
    # As many tokens as the first.
    ("brick", "paperweight"),
    ("brick", "hat"),
    ("knife", "earring"),
]


@pytest.fixture(scope="module")
def scorer() -> OfflineScorer:
    return OfflineScorer(threads=1)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The files in a folder of the test's own; the weights stay where they are."""
    folder = tmp_path / "files"
    folder.mkdir()
    for name in (TOKENIZER, CARD, WORDS, TRAINED):
        shutil.copy(FILES / name, folder / name)
    (folder / MODEL).symlink_to(FILES / MODEL)
    return folder


def test_a_use_has_the_same_score_whatever_it_is_scored_with(scorer: OfflineScorer) -> None:
    alone = [scorer.score([use])[0] for use in USES]
    assert scorer.score(USES) == alone
    assert scorer.score(USES[::-1]) == alone[::-1]
    assert OfflineScorer(threads=2).score(USES * 9) == alone * 9


def test_a_use_that_everybody_names_scores_lower_than_one_that_hardly_anybody_does(
    scorer: OfflineScorer,
) -> None:
    points = [one.originality for one in scorer.score(USES)]
    assert max(points[1], points[3], points[5]) < min(points[2], points[4])


def test_nothing_is_scored_where_nothing_is_given(scorer: OfflineScorer) -> None:
    assert scorer.score([]) == []


def test_objects_without_rated_uses_are_named_whatever_case_and_spaces_they_are_written_in(
    scorer: OfflineScorer,
) -> None:
    found = scorer.score([("brick", "doorstop"), ("  BRICK ", "doorstop"), ("sock", "hand puppet")])
    assert [UNSEEN in one.warnings for one in found] == [False, False, True]


@pytest.mark.parametrize(
    "use",
    [
        "als Briefbeschwerer benutzen",
        "para romper una ventana",
        "casser une fenêtre",
        "использовать как молоток",
        "用来砸窗户",
        "als hamer gebruiken",
    ],
)
def test_uses_in_other_languages_are_warned_of(scorer: OfflineScorer, use: str) -> None:
    assert scorer.score([("brick", use)])[0].warnings == (FOREIGN,)


@pytest.mark.parametrize("use", ["a doorstop", "paperwieght", "hit somone on the head", "", "!!!", "42"])
def test_english_is_not_warned_of_even_with_a_misspelled_word(scorer: OfflineScorer, use: str) -> None:
    assert scorer.score([("brick", use)])[0].warnings == ()


def test_a_use_it_was_trained_on_is_known_whatever_case_spaces_and_punctuation_it_has(copied: Path) -> None:
    (copied / TRAINED).write_text(mark_of("brick", "a doorstop") + "\n")
    uses = [("Brick", " A  door-stop!"), ("brick", "a doorstop for elves"), ("rope", "a doorstop")]
    found = OfflineScorer(copied, threads=1).score(uses)
    assert [one.in_training for one in found] == [True, False, False]


def test_marks_tell_texts_apart_by_letters_and_numbers_and_by_signs_where_there_is_nothing_else() -> None:
    assert mark_of("brick", "Step stool.") == mark_of("BRICK", "stepstool")
    assert mark_of("", "ｆull width") == mark_of("", "full width")
    different = ["कि", "का", "😀", "🎈", "?", "42", "43", "e", "é"]
    assert len({mark_of("brick", text) for text in different}) == len(different)
    # Where one text ends and the next begins counts.
    assert mark_of("s", "ab", "c") != mark_of("s", "a", "bc")


def test_a_use_of_which_the_end_is_not_read_is_warned_of(scorer: OfflineScorer) -> None:
    # One token a word, beside the object and the three marks: 91 fit into 96.
    fits, beyond = (scorer.score([("brick", " ".join(["hat"] * n))])[0] for n in (92, 93))
    assert (fits.warnings, beyond.warnings) == ((), (LONG,))


def test_words_are_compared_in_small_letters_without_punctuation() -> None:
    assert words_of("Don’t  THROW it, (please) 3x!") == ["don't", "throw", "it", "please", "x"]
    assert plain("  Coffee\tMUG ") == "coffee mug"
    # Two of four words are unknown: not more than half.
    assert not is_foreign("throw it bonjour madame", frozenset({"throw", "it"}))
    assert is_foreign("throw bonjour madame", frozenset({"throw", "it"}))


ENGLISH = frozenset({"a", "hat", "for", "the", "cat", "hammer", "in", "ball"})


def judged(uses: list[str], groups: list[str] | None = None) -> list[bool]:
    return foreign_uses(uses, groups or [""] * len(uses), ENGLISH)


def test_the_file_tells_the_language_and_not_the_use() -> None:
    # 2 of 6 words are known; by themselves the first three uses tell nothing.
    assert judged(["Hammer", "Ball", "Türstopper", "Tür aufhalten", "Fenster"]) == [True] * 5
    # 5 of 7 words are known.
    assert judged(["a hat", "for the cat", "Doppelkorn schnapps"]) == [False] * 3


def test_a_file_that_tells_no_language_is_judged_use_by_use() -> None:
    # 3 of 6 words are known, which is neither English nor another language; four words are too few.
    assert judged(["a hat for", "Türstopper aus Stein", ""]) == [False, True, False]
    assert judged(["Türstopper", "aus Stein", "hat"]) == [False, True, False]


def test_another_script_is_not_english_whatever_stands_beside_it() -> None:
    assert judged(["a hat", "for the cat", "挡门", "a ball"]) == [False, False, True, False]


def test_a_participant_who_wrote_in_another_language_than_the_others_is_judged_apart() -> None:
    others = ["a hat for the cat in a ball"] * 4
    german = ["Ball"] + ["Tür mit Stein aufhalten"] * 3  # 13 words, of which one is known
    groups = ["a", "b", "c", "d", *["x"] * 4]
    assert judged([*others, *german], groups) == [False] * 4 + [True] * 4
    # The other way round: most of the words are not English, and one participant's are.
    assert judged([*german, *german, *others[:2]], [*["x"] * 8, "a", "a"]) == [True] * 8 + [False] * 2
    # Fewer than ten words do not speak against the file.
    assert judged([*others, *german[:2]], [*groups[:4], "x", "x"]) == [False] * 6


@pytest.mark.parametrize("n_uses", [20, 50, 200])
def test_files_in_eleven_languages_are_told_from_english_ones(n_uses: int) -> None:
    with shared_data("aut_multilingual/aut_multilingual.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    known, rng = read_card().words, random.Random(n_uses)  # noqa: S311
    languages = {row["language"] for row in rows}
    assert len(languages) == 11
    for language in languages:
        uses = [row for row in rows if row["language"] == language]
        for _ in range(5):
            sample = rng.sample(uses, n_uses)
            found = foreign_uses(
                [row["response"] for row in sample], [row["participant"] for row in sample], known
            )
            assert found == [language != "en"] * n_uses, language


def test_confidence_is_a_logistic_curve_over_the_score() -> None:
    # ln 3 is a probability of 3/4; at 3 points the slope counts once, at 4 the bend four times.
    assert Trust(math.log(3), 0, 0, 1, 5).of(1.7) == pytest.approx(0.75)
    assert Trust(0, math.log(3), 0, 1, 5).of(3) == pytest.approx(0.75)
    assert Trust(0, 0, -math.log(3) / 4, 1, 5).of(4) == pytest.approx(0.25)
    # Beyond its ends the curve stays where it is there.
    assert Trust(0, math.log(3), 0, 1, 3).of(4.9) == pytest.approx(0.75)
    assert Trust(0, math.log(3), 0, 1, 3).of(0.2) == pytest.approx(0.25)


def test_objects_never_seen_have_a_confidence_of_their_own_or_none(copied: Path) -> None:
    card = json.loads((copied / CARD).read_text())
    for trust, expected in (([0, 0, 0, 1, 5], 0.5), (None, None)):
        card["runtime"]["trust_unseen"] = trust
        (copied / CARD).write_text(json.dumps(card))
        (score,) = OfflineScorer(copied, threads=1).score([("sock", "hand puppet")])
        assert score.confidence == expected


def test_a_missing_file_is_named(copied: Path) -> None:
    (copied / WORDS).unlink()
    with pytest.raises(SettingError, match=r"words\.txt: this file of the offline scorer is missing"):
        OfflineScorer(copied)


@pytest.mark.parametrize("name", [MODEL, TOKENIZER])
def test_a_damaged_file_is_an_error_and_no_traceback(copied: Path, name: str) -> None:
    (copied / name).unlink()
    (copied / name).write_bytes(b"{")
    with pytest.raises(SettingError, match="the offline scorer cannot be loaded"):
        OfflineScorer(copied)


def test_a_damaged_card_is_named(copied: Path) -> None:
    (copied / CARD).write_text('{"name": "x"}')
    with pytest.raises(SettingError, match=r"card\.json: this is no card of an offline scorer"):
        read_card(copied)


def test_the_identity_follows_every_file_and_names_no_folder(copied: Path) -> None:
    before = scorer_identity(copied)
    assert before == scorer_identity(FILES)
    assert not any("/" in value for value in before.values())
    other = copied.parent / "other"
    shutil.copytree(copied, other, symlinks=True)
    (other / WORDS).write_text("other words\n")
    assert scorer_identity(other)["sha256"] != before["sha256"]


def test_all_files_together_are_small_enough_to_ship() -> None:
    assert sum(path.stat().st_size for path in FILES.iterdir()) < 60_000_000


def test_questions_and_answers_come_back_as_they_were_written() -> None:
    uses = ['say "hi"', '"], "object": "x', "line\nline", "日本"]
    assert read_question(write_question("a box", uses)) == [("a box", use) for use in uses]
    scores = [UseScore(2.5, 0.6, (UNSEEN,)), UseScore(0.9, 0.7, in_training=True)]
    reply = UsesReply.model_validate_json(write_answer(scores))
    assert reply == UsesReply(
        originality=(2.5, 0.9),
        confidence=(0.6, 0.7),
        warnings=((UNSEEN,), ()),
        in_training=(False, True),
    )
    for other in ("Score this.", '["object"]', '{"object": "box"}'):
        with pytest.raises(ValueError, match=r"no object and uses|Expecting value"):
            read_question(other)


def test_the_card_says_what_the_model_is_and_on_what_it_was_trained() -> None:
    card = json.loads((FILES / CARD).read_text())
    assert {"name", "base", "licences", "data", "training", "results", "runtime"} <= set(card)
    # The five objects of split_byprompt's test are known to the model that is shipped.
    assert {"brick", "pants", "shovel"} <= set(card["runtime"]["objects"])
    assert len(card["runtime"]["objects"]) == 13
