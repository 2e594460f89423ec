"""Self-BLEU against sacrebleu, nltk and the pilot's values; BERTScore by hand."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from sacrebleu.metrics.bleu import BLEU

from creaeval.errors import SettingError
from creaeval.stats import similarity
from creaeval.stats.similarity import bert_score, self_bert_score, self_bleu, self_bleu_pilot, tokenizer_of

TEXTS = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=6).map(" ".join), min_size=2, max_size=5
)
SENTENCES = [
    "The idea names a cause and an effect.",
    "The idea names a cause, but no effect.",
    "It is original: nobody else writes of fog.",
]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Transportation"),
        ("en", "Law & Justice"),
        ("de", "Der Nebel wird in Netzen gefangen."),
        ("zh", "法律"),
        ("zh", "这个想法很新颖。"),
        ("ja", "霧"),
        ("ko", "안개"),
    ],
)
def test_equal_texts_are_wholly_alike_in_any_language_and_length(language: str, text: str) -> None:
    assert self_bleu([text] * 5, language=language) == pytest.approx(1, abs=1e-12)
    assert self_bleu([text] * 5, language=language) <= 1


def test_texts_without_a_common_word_are_not_alike() -> None:
    assert self_bleu(["fog nets", "solar roof", "deep well"], language="en") == 0


def test_self_bleu_is_the_mean_of_bleu_against_the_others() -> None:
    bleu = BLEU(effective_order=True)
    by_hand = [
        bleu.sentence_score(text, [other for other in SENTENCES if other != text]).score / 100
        for text in SENTENCES
    ]
    assert self_bleu(SENTENCES, language="en") == pytest.approx(sum(by_hand) / 3)


def test_two_texts_that_share_one_of_two_words_by_hand() -> None:
    # One of two words is shared, no pair of words is: precision 1/2, and 1/(2 * 1) by exponential smoothing.
    assert self_bleu(["the cat", "the dog"], language="en") == pytest.approx(0.5)


def test_chinese_is_compared_by_characters_and_not_as_one_word() -> None:
    texts = ["这个想法很新颖", "这个想法不新颖"]
    assert 0.4 < self_bleu(texts, language="zh") < 1
    assert self_bleu_pilot(texts) == 0


def test_a_text_without_words_repeats_only_another_one() -> None:
    assert self_bleu(["", " "], language="en") == 1
    assert self_bleu(["", "word"], language="en") == 0
    # Two of three repeat each other; the third shares nothing.
    assert self_bleu(["", "", "word"], language="en") == pytest.approx(2 / 3)


@pytest.mark.parametrize("texts", [[], ["alone"]])
def test_fewer_than_two_texts_are_undefined(texts: list[str]) -> None:
    assert math.isnan(self_bleu(texts, language="en"))
    assert math.isnan(self_bleu_pilot(texts))


def test_each_language_has_its_tokeniser() -> None:
    languages = ["en", "de", "ru", "zh", "zh-Hant", "ZH", "ja", "ko"]
    assert [tokenizer_of(one) for one in languages] == ["13a", "13a", "13a", "zh", "zh", "zh", "char", "char"]


def test_without_sacrebleu_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    similarity._sacrebleu.cache_clear()
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
    with pytest.raises(SettingError, match=r'pip install "creaeval\[similarity\]"'):
        self_bleu(["a", "b"], language="en")


def test_the_pilots_values_for_one_word_texts() -> None:
    # The values that fill its raw files: 5, 4, 3, 2 and 1 of five equal.
    values = [self_bleu_pilot(["x"] * equal + list("abcd")[: 5 - equal]) for equal in (5, 4, 3, 2, 1)]
    assert [round(value, 3) for value in values] == [0.631, 0.505, 0.379, 0.252, 0]


def test_the_pilots_value_of_an_equal_name_of_three_words_is_1() -> None:
    assert self_bleu_pilot(["Law & Justice"] * 5) == pytest.approx(1)


@settings(max_examples=60)
@given(TEXTS)
def test_the_pilots_variant_is_that_of_nltk(texts: list[str]) -> None:
    tokens = [text.split() for text in texts]
    smooth = SmoothingFunction().method1
    by_nltk = [
        sentence_bleu(
            tokens[:place] + tokens[place + 1 :], own, weights=(0.8, 0.2), smoothing_function=smooth
        )
        for place, own in enumerate(tokens)
    ]
    assert self_bleu_pilot(texts) == pytest.approx(float(np.mean(by_nltk)))


@settings(max_examples=40)
@given(TEXTS)
def test_the_order_of_texts_changes_nothing(texts: list[str]) -> None:
    turned = texts[::-1]
    assert self_bleu(texts, language="en") == pytest.approx(self_bleu(turned, language="en"))
    assert self_bleu_pilot(texts) == pytest.approx(self_bleu_pilot(turned))
    assert 0 <= self_bleu(texts, language="en") <= 1


def test_bert_score_by_hand() -> None:
    # Cosines of (1,0), (0,1) with (1,0), (.6,.8), (-1,0): rows 1, .6, -1 and 0, .8, 0.
    # Precision (1 + .8) / 2 = .9; recall (1 + .8 + 0) / 3 = .6; F1 = 2 * .54 / 1.5 = .72.
    # Lengths of the embeddings do not matter.
    found = bert_score([[2, 0], [0, 5]], [[1, 0], [3, 4], [-7, 0]])
    assert found == pytest.approx((0.9, 0.6, 0.72))


def test_swapping_the_texts_swaps_precision_and_recall() -> None:
    a, b = [[2, 0], [0, 5]], [[1, 0], [3, 4], [-7, 0]]
    there, back = bert_score(a, b), bert_score(b, a)
    assert (there.precision, there.recall, there.f1) == pytest.approx((back.recall, back.precision, back.f1))


def test_self_bert_score_is_the_mean_over_all_ordered_pairs() -> None:
    a, b = [[2, 0], [0, 5]], [[1, 0], [3, 4], [-7, 0]]
    # F1 is 1 for the pair of equal texts and .72 for the two others, each in both orders.
    assert self_bert_score([a, a, b]) == pytest.approx((2 * 1 + 4 * 0.72) / 6)
    assert self_bert_score([a, a]) == pytest.approx(1)


def test_bert_score_without_tokens_or_pairs_is_undefined() -> None:
    assert all(map(math.isnan, bert_score(np.empty((0, 2)), [[1, 0]])))
    assert math.isnan(self_bert_score([[[1, 0]]]))
    assert math.isnan(self_bert_score([[[1, 0]], [[1, 0]], np.empty((0, 2))]))


def test_embeddings_without_a_direction_or_of_other_widths_are_refused() -> None:
    with pytest.raises(ValueError, match="length 0"):
        bert_score([[0, 0]], [[1, 0]])
    with pytest.raises(ValueError, match="not finite"):
        bert_score([[1, 0]], [[math.inf, 0]])
    with pytest.raises(ValueError, match="2 and 3 numbers"):
        bert_score([[1, 0]], [[1, 0, 0]])
    with pytest.raises(ValueError, match="shape"):
        bert_score([1, 0], [[1, 0]])
