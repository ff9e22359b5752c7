"""A model answers questions about repositories, those of SWE-QA, since the paper's are not public."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from selu.metrics.percentiles import Resampling
from selu.papers.asked import Given, Questions, Reply
from selu.papers.evidence import Evidence
from selu.papers.faun_eval import paired
from selu.papers.faun_eval.asking.common import Count, Part, Row, average_cost, draw
from selu.papers.faun_eval.records import AnswerMeans, AskedQuestions
from selu.papers.faun_eval.retrieval import questions
from selu.papers.faun_eval.retrieval.files import FUSED, Embed
from selu.papers.faun_eval.retrieval.part import ENCODERS, remember
from selu.papers.faun_eval.retrieval.questions import MEAN, METRICS, RANDOM, Question
from selu.project import Settings

BATCH = 8  # prompts that are asked together
SECTION = "asked_questions"
MODEL = "model"
PROMPT = """\
Below is a question about the software project {repository}. Answer it. Put code between triple backticks.

Question:
{question}
"""


@dataclass(frozen=True)
class QuestionSettings(Settings):
    """Section ``asked_questions`` of the benchmark's parameters.

    Attributes:
        questions: how many are drawn.
        answer_tokens: of an answer, at most.
    """

    questions: Count
    answer_tokens: Count
    seed: int


def ask(evidence: Evidence, given: Given, found: Sequence[Question]) -> Part[AskedQuestions]:
    """Ask the model for missing answers to some questions and score them, beside those that retrieval finds.

    Raises:
        SeluError: as the model's own.
    """
    settings = evidence.settings(SECTION, QuestionSettings)
    drawn = draw(range(len(found)), settings.questions, settings.seed)
    prompts = [write_prompt(found[place]) for place in drawn]
    replies = given.ask([Questions("answered", prompts, (), BATCH)], settings.answer_tokens)
    by_place = {drawn[at]: reply for at, reply in replies.sets["answered"].items()}
    encoders = {ENCODERS[0]: remember(partial(evidence.embed, ENCODERS[0]))}
    record: AskedQuestions = {
        "sample": {
            "of": len(found),
            "repositories": len({question.repository for question in found}),
            "questions": len(drawn),
            "answer_tokens": settings.answer_tokens,
            "seed": settings.seed,
        },
        **score(found, drawn, by_place, encoders, evidence.draws),
    }
    rows = [
        Row("question answering", f"{found[place].repository} {place}", "", by_place[place])
        for place in drawn
        if place in by_place
    ]
    return Part(replies, record, rows)


def write_prompt(question: Question) -> str:
    """Write the prompt of a question."""
    return PROMPT.format(repository=question.repository, question=question.text.strip())


def score(
    found: Sequence[Question],
    drawn: Sequence[int],
    replies: Mapping[int, Reply],
    encoders: Mapping[str, Embed],
    draws: Resampling,
) -> AnswerMeans:
    """Score the replies to drawn questions by the paper's four metrics; no answer scores 0.

    Beside them are the answer of the most similar other question, by the fusion of BM25 and the encoder, and
    that of a random other one; each change is the paired difference from the random one.
    """
    nearest = questions.nearest(found, encoders, draws.seed)
    given: dict[str, list[str]] = {MODEL: [replies[at].text if at in replies else "" for at in drawn]}
    for way in (FUSED, RANDOM):
        places = [nearest[way][at] for at in drawn]
        given[way] = ["" if place is None else found[place].answer for place in places]
    scored = {
        way: [questions.score_one(text, found[at].answer) for at, text in zip(drawn, texts, strict=True)]
        for way, texts in given.items()
    }
    values = {
        way: {metric: [scores[metric] for scores in rows] for metric in (*METRICS, MEAN)}
        for way, rows in scored.items()
    }
    return {
        "empty": sum(not text.strip() for text in given[MODEL]),
        "cut": sum(reply.cut for reply in replies.values()),
        "rows": [
            {
                "way": way,
                "bleu": paired.mean(each["bleu"], draws),
                "rouge_l": paired.mean(each["rouge_l"], draws),
                "rouge_1": paired.mean(each["rouge_1"], draws),
                "edit": paired.mean(each["edit"], draws),
                "mean": paired.mean(each[MEAN], draws),
                "change": paired.mean(each[MEAN], draws, minus=values[RANDOM][MEAN]),
            }
            for way, each in values.items()
        ],
        "cost": average_cost(list(replies.values())),
    }
