"""SetFit by its authors' library: an encoder trained on pairs of texts, then a logistic regression.

NLBSE'24's baseline of issues (one epoch, twenty iterations, the default head) and STACC, that of comments
(section 3.2). The loss is the library's default: the cosine similarity of two texts against 1 where their
classes are the same and 0 elsewhere. Which pairs there are is drawn by the library with a seed of its own, 42;
the lesson's seed decides their order and the dropout. On a CPU the same lesson gives the same bytes.
"""

from __future__ import annotations

import math
import tempfile
import warnings
from collections.abc import Sequence
from typing import Any

from selu.systems.baseline.classifying import check_classes, timed
from selu.systems.baseline.learning import Answers, Lesson, Params

PACKAGES = (
    "setfit", "sentence-transformers", "transformers", "tokenizers", "torch", "numpy", "scipy", "scikit-learn",
)  # fmt: skip


class SetFit:
    """Learner with the parameters ``iterations``, ``epochs``, ``batch_embedding``, ``batch_head``,
    ``learning_rate`` (the library's where it is None), ``max_tokens``, ``head`` (arguments of the logistic
    regression), and those of ``timed``. The encoder is that of ``weights.folder_of``.
    """

    def __init__(self, lesson: Lesson) -> None:
        check_classes(lesson)
        self._lesson = lesson
        self.seconds: list[float] = []

    def answer(self, params: Params) -> Answers:
        """Fit with these parameters and answer the lesson's questions."""
        model = _untrained(params)
        with tempfile.TemporaryDirectory(dir=self._lesson.folder) as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a head that has not converged, of memory that is not pinned
            _train(model, self._lesson, params, folder)

        def ask(texts: Sequence[str]) -> Answers:
            found = model.predict(list(texts), as_numpy=True, use_labels=False, show_progress_bar=False)
            return [int(label) for label in found]

        answers, self.seconds = timed(ask, self._lesson.questions, params)
        return answers


def steps(params: Params, rows: int) -> int:
    """Count the steps of the training: per row and epoch ``iterations`` pairs of like and of unlike texts."""
    pairs = 2 * int(params["iterations"]) * rows
    return int(params["epochs"]) * math.ceil(pairs / int(params["batch_embedding"]))


def _untrained(params: Params) -> Any:
    import torch
    from sentence_transformers import SentenceTransformer
    from setfit import SetFitModel
    from sklearn.linear_model import LogisticRegression

    from selu.systems.embed.weights import check_tokens, folder_of

    _silence()
    torch.set_num_threads(1)  # the order of additions depends on it
    body: Any = SentenceTransformer(
        str(folder_of(params)), local_files_only=True, model_kwargs={"use_safetensors": True}
    )
    check_tokens(int(params["max_tokens"]), body[0].auto_model.config)
    body.max_seq_length = int(params["max_tokens"])
    return SetFitModel(model_body=body, model_head=LogisticRegression(**params.get("head", {})))


def _train(model: Any, lesson: Lesson, params: Params, folder: str) -> None:
    """Train in both phases.

    Steps are given beside the epochs, though they come to the same: the library then lists as many pairs as it
    needs, and not the square of the rows."""
    from setfit import Trainer, TrainingArguments
    from transformers import PrinterCallback, ProgressCallback

    rate = params.get("learning_rate")
    given = {} if rate is None else {"body_learning_rate": float(rate)}
    arguments = TrainingArguments(
        output_dir=folder,
        batch_size=(int(params["batch_embedding"]), int(params["batch_head"])),
        num_epochs=int(params["epochs"]),
        max_steps=steps(params, len(lesson.texts)),
        num_iterations=int(params["iterations"]),
        seed=lesson.seed,
        report_to="none",
        logging_strategy="no",
        logging_first_step=False,
        save_strategy="no",
        show_progress_bar=False,
        **given,
    )
    trainer = Trainer(model=model, args=arguments)
    for spoken in (ProgressCallback, PrinterCallback):
        trainer.remove_callback(spoken)
    texts, labels = list(lesson.texts), list(lesson.answers)
    trainer.train_embeddings(texts, labels, args=arguments)
    trainer.train_classifier(texts, labels, args=arguments)


def _silence() -> None:
    """Silence progress bars and remarks of the libraries."""
    import datasets
    from setfit import logging as setfits
    from transformers.utils import logging

    datasets.disable_progress_bars()
    setfits.set_verbosity_error()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
