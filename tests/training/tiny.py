"""A tiny model with random weights, a task of one step, responses to it and a rater's sheets."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from creaeval.data import Rating, Response, make_step
from creaeval.llm import Message
from creaeval.sheets import ScoreSheet, StepScores
from creaeval.tasks import Task, load_task
from creaeval.training.pairs import Pairs, response_pairs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

STORY = """
id: story
name: A story
source: made for the tests
description: Write a story.
steps:
  - id: story
    name: Story
    instruction: Write a story.
    dimensions:
      - {id: pace, name: Pace, description: Is the pace right?, scale: 0-3}
      - {id: ending, name: Ending, description: Does it end well?, scale: 0-3}
"""
WORDS = ("storm", "quiet", "river", "engine")


@cache
def story(folder: Path) -> Task:
    """The task, written to a file in a folder."""
    path = folder / "story.yaml"
    path.write_text(STORY, encoding="utf-8")
    return load_task(str(path))


def points(number: int) -> dict[str, float]:
    """The rater's points: they depend on the word that the response holds, so that they can be learnt."""
    return {"pace": number % 4, "ending": 3 - number % 4}


def response(task: Task, number: int) -> Response:
    """A response; two each share a plot."""
    text = f"A {WORDS[number % 4]} came. The {WORDS[number % 4]} went."
    steps = {"story": make_step(task.step("story"), text)}
    return Response(id=f"R{number:02d}", steps=steps, metadata={"plot": f"plot {number // 2}"})


def rating(task: Task, response_id: str, given: Mapping[str, float], rater: str = "A") -> Rating:
    """A rating of the points for the step's dimensions."""
    story = StepScores.build(task, task.step("story"), written=given)
    sheet = ScoreSheet.build(task, response_id, rater, [story])
    return Rating(response_id=response_id, rater=rater, sheet=sheet)


def story_pairs(folder: Path, n: int = 20) -> Pairs:
    """Pairs of so many responses."""
    task = story(folder)
    responses = [response(task, number) for number in range(n)]
    rated = {one.id: rating(task, one.id, points(number)) for number, one in enumerate(responses)}
    return response_pairs(task, responses, {}, "A", rated)


def make_model(folder: Path, texts: list[str], *, window: int = 1024) -> Path:
    """Save a Llama of two layers with random weights and a tokeniser made of texts."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=600, special_tokens=["<|end|>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )  # fmt: skip
    tokenizer: Any = PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<|end|>")
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=64, intermediate_size=128, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=window,
        eos_token_id=tokenizer.eos_token_id, bos_token_id=None, pad_token_id=None,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))
    return folder


def texts_of(pairs: Pairs) -> list[str]:
    """All words of some pairs."""
    return [text for pair in pairs.pairs for text in (pair.prompt.system, pair.prompt.user, pair.reply)]


def turn(text: str) -> tuple[Message, ...]:
    """A conversation of one turn."""
    return (Message("user", text),)


def make_gguf(folder: Path, texts: list[str]) -> Path:
    """Write a Qwen2 of one layer with random weights and a tokeniser of bytes as a GGUF file."""
    import gguf
    import numpy as np
    from tokenizers.pre_tokenizers import ByteLevel

    letters = sorted(ByteLevel.alphabet())
    tokens = [*letters, letters[0] + letters[1], "<|endoftext|>", "<|im_end|>"]
    hidden, inner, heads, kept = 32, 64, 4, 2
    path = folder / "tiny.gguf"
    writer = gguf.GGUFWriter(str(path), "qwen2")
    writer.add_name("tiny")
    writer.add_context_length(max(map(len, texts)) + 512)
    writer.add_embedding_length(hidden)
    writer.add_block_count(1)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kept)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types([*[1] * (len(tokens) - 2), 3, 3])
    writer.add_token_merges([f"{letters[0]} {letters[1]}"])
    writer.add_eos_token_id(len(tokens) - 1)
    draw = np.random.default_rng(0)
    shapes = {
        "token_embd": (len(tokens), hidden), "output": (len(tokens), hidden), "output_norm": (hidden,),
        "blk.0.attn_norm": (hidden,), "blk.0.ffn_norm": (hidden,),
        "blk.0.attn_q": (hidden, hidden), "blk.0.attn_output": (hidden, hidden),
        "blk.0.attn_k": (hidden * kept // heads, hidden), "blk.0.attn_v": (hidden * kept // heads, hidden),
        "blk.0.ffn_gate": (inner, hidden), "blk.0.ffn_up": (inner, hidden), "blk.0.ffn_down": (hidden, inner),
    }  # fmt: skip
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", draw.normal(0, 0.1, shape).astype(np.float32))
    for name, size in (("q", hidden), ("k", hidden * kept // heads), ("v", hidden * kept // heads)):
        writer.add_tensor(f"blk.0.attn_{name}.bias", np.zeros(size, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
