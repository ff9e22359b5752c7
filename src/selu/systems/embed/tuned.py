"""An encoder tuned on pairs through sentence-transformers' trainer; then frozen.

Losses and targets are those of Abdelaziz et al. (2022, section 3.3) and of their scripts: cosine regression
where pairs have a distance, towards 1 for the nearest pair and 0 for the farthest, and of questions and
answers towards the place of the answer among those with other votes; the library's contrastive loss where
they are related or not. Several tasks take turns, a batch of each at a time, on one encoder. One pair in ten
is for validation, and the encoder is kept that was best there, on the mean of all tasks. On one machine the
same pairs and seed give the same encoder.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from selu.systems.embed import sentences
from selu.systems.embed.encoder_pairs import EncoderPairs
from selu.vocabulary import SeluError

PACKAGES = ("accelerate", "datasets", *sentences.PACKAGES)
REGRESSION, CONTRASTIVE, RANKING = "pair_correlation", "pair_separation", "answer_ranking"  # kinds of tasks
HELD = 10  # one pair in this many is for validation
LEAST = 40  # pairs of a task
_HERE = ("path", "hub", "vectors")  # parameters that are locations of files
_TRAINING = "training.json"


class Learnt(NamedTuple):
    """The training data of one task: the kind that decides the loss, and text pairs with targets in 0..1."""

    kind: str
    pairs: list[tuple[str, str, float]]


class Tuned(EncoderPairs):
    """Learner with the parameters ``steps`` (of all tasks together), ``batch`` (pairs), ``rate``, ``tokens``
    (where texts are cut in training), ``most`` and ``validated`` (pairs of a task at most), ``looks``
    (validations), and those of ``EncoderPairs``, to which the tuned encoder is given.

    A row of ``lesson.texts`` may name its ``task`` and that one's ``kind``; others are of the lesson's own.
    """

    def __init__(self, lesson: Any) -> None:
        super().__init__(lesson)
        self._seed, self._folder = int(lesson.seed), Path(lesson.folder)
        self._learnt = read_pairs(lesson)
        self.training_notes: dict[str, Any] = {}

    def answer(self, params: Any) -> list[float]:
        """Return the distance of each pair; the tuned encoder is kept for the next task that asks for it.

        Raises:
            SeluError: as in ``EncoderPairs``.
        """
        from selu.systems.embed.weights import folder_of

        base = folder_of(params)
        decided = {name: value for name, value in params.items() if name not in _HERE}
        versions = {name: version(name) for name in PACKAGES}
        depends_on = [
            sentences.files_hash(base),
            decided,
            self._seed,
            self._learnt,
            versions,
            Path(__file__).read_text(),
        ]
        key = hashlib.sha256(json.dumps(depends_on, sort_keys=True).encode()).hexdigest()
        place = Path(params["vectors"]).parent if params.get("vectors") else self._folder
        folder = place / "tuned" / key[:32]
        if not (folder / _TRAINING).is_file():
            tune(base, self._learnt, params, self._seed, folder)
        self.training_notes = json.loads((folder / _TRAINING).read_text("utf-8"))
        return super().answer({**params, "path": str(folder / "model"), "weights": None})


def read_pairs(lesson: Any) -> dict[str, Learnt]:
    """Return the training pairs by task, those of the task itself under an empty name.

    Raises:
        SeluError: a task has too few pairs, or nothing can be learnt of it.
    """
    found: dict[tuple[str, str], list[tuple[Any, Any]]] = {}
    for row, label in zip(lesson.texts, lesson.answers, strict=True):
        found.setdefault((row.get("task", ""), row.get("kind", lesson.kind)), []).append((row, label))
    return {task: _learnt(task or "this task", kind, rows) for (task, kind), rows in sorted(found.items())}


def _learnt(task: str, kind: str, rows: Sequence[tuple[Any, Any]]) -> Learnt:
    if kind not in (REGRESSION, CONTRASTIVE, RANKING):
        raise SeluError(f"{task} has several classes of pairs, on which no encoder is tuned: name other tasks.")
    if kind == RANKING:
        pairs = [pair for row, votes in rows for pair in _ranked(row["question"], row["answers"], votes)]
    else:
        pairs = [(row["text_a"], row["text_b"], float(label)) for row, label in rows]
    lowest, highest = min(pair[2] for pair in pairs), max(pair[2] for pair in pairs)
    if len(pairs) < LEAST or lowest == highest:
        raise SeluError(
            f"{task} has {len(pairs)} pairs to learn from, with labels from {lowest:g} to {highest:g}: an "
            f"encoder is tuned on {LEAST} at least that differ."
        )
    if kind == REGRESSION:  # the nearest is to have a cosine of 1, and the farthest one of 0
        pairs = [(text, other, (highest - distance) / (highest - lowest)) for text, other, distance in pairs]
    return Learnt(CONTRASTIVE if kind == CONTRASTIVE else REGRESSION, pairs)


def _ranked(question: str, answers: str, votes: Sequence[float | None]) -> list[tuple[str, str, float]]:
    """Pair a question with its answers, the best with 1; of answers with equal votes the first alone."""
    first: dict[float, str] = {}
    for text, count in zip(json.loads(answers), votes, strict=True):
        first.setdefault(count or 0.0, text)
    return [(question, first[count], place / len(first)) for place, count in enumerate(sorted(first), start=1)]


def tune(base: Path, learnt: Mapping[str, Learnt], params: Any, seed: int, folder: Path) -> None:
    """Tune the encoder of the folder ``base``; writes it to ``folder/model``, and what was seen beside it.

    Args:
        params: as in ``Tuned``.
    """
    import torch
    from sentence_transformers import SentenceTransformer

    started, cpu = time.perf_counter(), time.process_time()
    _silence()
    torch.set_num_threads(1)  # the order of additions depends on it
    # also refuses what brings code of its own
    longest = sentences.SentenceEncoder(base, int(params["plain_tokens"])).max_tokens
    parts = {task or "own": _parted(pairs, params, seed) for task, pairs in learnt.items()}
    model: Any = SentenceTransformer(
        str(base), device="cpu", local_files_only=True, model_kwargs={"use_safetensors": True}
    )
    model.max_seq_length = int(params["tokens"])
    with tempfile.TemporaryDirectory() as scratch:
        seen = _train(model, parts, params, seed, scratch)
    model.max_seq_length = longest
    training = {
        "pairs": {task: len(fit.pairs) for task, (fit, _) in parts.items()},
        "validated": {task: len(held.pairs) for task, (_, held) in parts.items()},
        "looks": seen,
        "seconds": time.perf_counter() - started,
        "cpu": time.process_time() - cpu,
    }
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        model.save(str(made / "model"), create_model_card=False)
        (made / _TRAINING).write_text(json.dumps(training), "utf-8")
        with contextlib.suppress(OSError):  # another process was faster
            made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _parted(learnt: Learnt, params: Any, seed: int) -> tuple[Learnt, Learnt]:
    """Draw pairs of a task, and part them into those that are learnt from and those for validation."""
    rows = random.Random(seed).sample(learnt.pairs, len(learnt.pairs))
    held = min(len(rows) // HELD, int(params["validated"]))
    return learnt._replace(pairs=rows[held:][: int(params["most"])]), learnt._replace(pairs=rows[:held])


def _train(
    model: Any, parts: Mapping[str, tuple[Learnt, Learnt]], params: Any, seed: int, folder: str
) -> list[list[float]]:
    """Train, and leave the best weights in the model; returns step and mean validation score of each look."""
    from datasets import Dataset
    from sentence_transformers import SentenceTransformerTrainer, SentenceTransformerTrainingArguments
    from sentence_transformers.sentence_transformer import evaluation, losses
    from transformers import PrinterCallback, ProgressCallback

    made: dict[str, Any] = {
        REGRESSION: losses.CosineSimilarityLoss(model),
        CONTRASTIVE: losses.ContrastiveLoss(model),
    }
    judges: dict[str, Any] = {
        REGRESSION: evaluation.EmbeddingSimilarityEvaluator,
        CONTRASTIVE: evaluation.BinaryClassificationEvaluator,
    }
    judge = evaluation.SequentialEvaluator(
        [
            judges[held.kind](*map(list, zip(*held.pairs, strict=True)), name=task, write_csv=False)
            for task, (_, held) in parts.items()
        ],
        main_score_function=lambda scores: sum(scores) / len(scores),
    )
    steps, looks = int(params["steps"]), int(params["looks"])
    arguments = SentenceTransformerTrainingArguments(
        output_dir=folder,
        max_steps=steps,
        per_device_train_batch_size=int(params["batch"]),
        learning_rate=float(params["rate"]),
        warmup_steps=0.1,  # a share of all
        multi_dataset_batch_sampler="round_robin",
        seed=seed,
        use_cpu=True,
        eval_strategy="steps",
        eval_steps=max(1, steps // looks),
        save_strategy="steps",
        save_steps=max(1, steps // looks),
        save_total_limit=1,
        save_only_model=True,
        load_best_model_at_end=True,
        metric_for_best_model="eval_sequential_score",
        greater_is_better=True,
        logging_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )
    before = judge(model)["sequential_score"]
    trainer = SentenceTransformerTrainer(
        model=model,
        args=arguments,
        train_dataset={task: Dataset.from_list(_named(fit.pairs)) for task, (fit, _) in parts.items()},
        loss={task: made[fit.kind] for task, (fit, _) in parts.items()},
        evaluator=judge,
    )
    for spoken in (ProgressCallback, PrinterCallback):
        trainer.remove_callback(spoken)
    trainer.train()
    logs = [log for log in trainer.state.log_history if "eval_sequential_score" in log]
    return [[0, float(before)], *([log["step"], float(log["eval_sequential_score"])] for log in logs)]


def _named(rows: Sequence[tuple[str, str, float]]) -> list[dict[str, Any]]:
    return [dict(zip(("one", "other", "label"), row, strict=True)) for row in rows]


def _silence() -> None:
    """Silence progress bars and remarks of the libraries."""
    import logging as standard

    import datasets
    from transformers.utils import logging

    datasets.disable_progress_bars()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    standard.getLogger("sentence_transformers").setLevel(standard.ERROR)
