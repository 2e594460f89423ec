"""Send observations back once: those that give a score and, if asked for, those that copy the response."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from creaeval.errors import ReplyError
from creaeval.llm import Message, Prompt
from creaeval.methods.render import render
from creaeval.sheets import copied_runs, find_score_words
from creaeval.sheets.read_replies import check_observation
from creaeval.sheets.replies import Words, item_key, make_reply

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from creaeval.llm import Ask
    from creaeval.methods.base import Case
    from creaeval.sheets import DimensionEvidence, StepEvidence

MEMORY = "memory"
_BOUND = 1200


@dataclass(frozen=True)
class Reading:
    """What an analyst's answer was read as.

    Parameters
    ----------
    prompt : Prompt
        What was asked.
    reply : str
        The answer, word for word.
    evidence : tuple of StepEvidence
        Of one step, or of all that were read at once.
    memory : str
        The memory that came with it, empty if none did.
    """

    prompt: Prompt
    reply: str
    evidence: tuple[StepEvidence, ...]
    memory: str


@dataclass(frozen=True)
class Fault:
    """A text that goes back, by the name of its field, with the words that must not stand in it."""

    name: str
    text: str
    score_words: str
    copied: tuple[str, ...] = ()


async def reword(
    case: Case, reading: Reading, analyst: Ask, *, stage: str, repeat: int
) -> tuple[tuple[StepEvidence, ...], str]:
    """Have what an analyst must not write worded anew, once, in the same conversation.

    Parameters
    ----------
    case : Case
        The response; its options say what is done with copied words.
    reading : Reading
        The analyst's answer.
    analyst : Ask
        The analyst.
    stage : str
        The call's stage in the accounts.
    repeat : int
        For which time, from 0.

    Returns
    -------
    tuple of (tuple of StepEvidence, str)
        The evidence and the memory. What still holds a score or copied words is flagged; where the analyst
        gives no usable second answer, the first one stays with its flags.

    Raises
    ------
    CallError
        The second request failed.
    """
    written = {step.step: case.response.steps[step.step].text for step in reading.evidence}
    whole = "\n".join(written.values())
    faults = [fault for step in reading.evidence for fault in _faults(case, step, written[step.step])]
    if words := find_score_words(reading.memory, whole):
        faults.append(Fault(MEMORY, reading.memory, words))
    if not faults:
        return reading.evidence, reading.memory
    texts = await _ask_again(case, reading, faults, analyst, stage=stage, repeat=repeat)
    evidence = tuple(_with_texts(case, step, texts, written[step.step]) for step in reading.evidence)
    memory = texts.get(MEMORY, reading.memory).strip()
    if words := find_score_words(memory, whole):
        notes = (*evidence[-1].notes, f"the memory reads like a score: {words!r}")
        evidence = (*evidence[:-1], evidence[-1].model_copy(update={"notes": notes}))
    return evidence, memory


async def _ask_again(
    case: Case, reading: Reading, faults: list[Fault], analyst: Ask, *, stage: str, repeat: int
) -> Mapping[str, str]:
    """Return the texts worded anew by their names; none where there is no usable answer."""
    prompt = reading.prompt
    turns = (*prompt.earlier, Message("user", prompt.user), Message("assistant", reading.reply))
    question = render(case.task.language, "reword", faults=faults)
    try:
        asked = await analyst(
            Prompt(prompt.system, question, turns),
            make_reply("reworded", {fault.name: (Annotated[str, Words(_BOUND)], ...) for fault in faults}),
            schema_name="reworded",
            label={"response_id": case.response.id, "step": stage, "part": "reworded"},
            repeat=repeat,
        )
    except ReplyError:
        return {}
    return {fault.name: str(getattr(asked.value, fault.name)) for fault in faults}


def _faults(case: Case, evidence: StepEvidence, written: str) -> Iterator[Fault]:
    for number, dimension, finding in _findings(evidence):
        again = case.options.copied == "again" and finding.copied > 0
        copied = copied_runs(finding.observation, written) if again else ()
        if finding.score_words or copied:
            name = _field(case, evidence, number, dimension)
            yield Fault(name, finding.observation, finding.score_words, copied)


def _findings(evidence: StepEvidence) -> Iterator[tuple[int | None, str, DimensionEvidence]]:
    for item in evidence.items:
        yield from ((item.item, name, finding) for name, finding in item.dimensions.items())
    yield from ((None, name, finding) for name, finding in evidence.dimensions.items())


def _field(case: Case, evidence: StepEvidence, item: int | None, dimension: str) -> str:
    """Name an observation among those of a whole response: ``step1_item_4_elaboration``."""
    several = [evidence.step] if len(case.task.steps) > 1 else []
    return "_".join([*several, *([] if item is None else [item_key(item)]), dimension])


def _with_texts(case: Case, evidence: StepEvidence, texts: Mapping[str, str], written: str) -> StepEvidence:
    """Put observations that were worded anew in the places of the first ones, measured like these."""
    step = case.task.step(evidence.step)

    def new(item: int | None, findings: Mapping[str, DimensionEvidence]) -> dict[str, DimensionEvidence]:
        changed = dict(findings)
        for name, finding in findings.items():
            if (text := texts.get(_field(case, evidence, item, name))) is not None:
                checks = check_observation(step.dimension(name), text, written)
                changed[name] = finding.model_copy(update=checks)
        return changed

    items = tuple(
        item.model_copy(update={"dimensions": new(item.item, item.dimensions)}) for item in evidence.items
    )
    return evidence.model_copy(update={"items": items, "dimensions": new(None, evidence.dimensions)})
