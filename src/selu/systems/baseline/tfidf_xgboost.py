"""TF-IDF features into gradient-boosted trees (SELU section IV-B; scikit-learn's and XGBoost's defaults).

Texts are vectorised once per lesson. A tree is grown on fewer columns than there are words, and is the same
tree: a word that stands in ``n`` train texts can only part at most these ``n`` rows from the rest, because
XGBoost takes what a sparse matrix does not store as missing and sends it all one way. The rows' second
derivatives are at most 1/4 (logistic), 1/2 (softmax as XGBoost scales it) or 1 (squared error) each, so where
``n`` times that bound is below ``min_child_weight``, no split on the word is ever allowed. Such words, most of
a vocabulary, are left out before the trees are grown.

XGBoost (2.1.1 and 3.2.0) treats a matrix that stores every value in another way: it sums in another order, and
takes the values of a row to come in the order of the columns. scikit-learn stores the words of train texts in
another order, so that features would be mixed and memory overwritten. Hence the features are sorted, and what
is cut out is dense only where the whole is. So the trees are those of the plain pipeline, unless every train
text has every word of the vocabulary: there the plain pipeline mixes features, and this one does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from selu.systems.baseline.learning import Answers, Lesson, Params, check

if TYPE_CHECKING:
    import numpy as np
    from scipy.sparse import csr_matrix

KINDS = ("binary", "multi_class", "multi_label", "regression")
PACKAGES = ("numpy", "scipy", "scikit-learn", "xgboost")
_CURVATURE = {"binary": 0.25, "multi_label": 0.25, "multi_class": 0.5, "regression": 1.0}


class TfidfXgboost:
    """Learner with the parameters ``max_depth`` and ``min_child_weight``.

    With ``probabilities``, it keeps those of each label for each question.
    """

    def __init__(self, lesson: Lesson, threads: int = 1) -> None:
        check(lesson)
        self._lesson = lesson
        self.probabilities: list[list[float]] = []
        self._threads = threads
        self._train, self._asked = _features(lesson)

    def answer(self, params: Params) -> Answers:
        """Fit with these parameters and answer the lesson's questions."""
        import numpy as np

        lesson, weight = self._lesson, float(params["min_child_weight"])
        train, asked = self._cut(weight, _CURVATURE[_objective(lesson)])
        settings = {
            "max_depth": int(params["max_depth"]),
            "min_child_weight": weight,
            "random_state": lesson.seed,
            "n_jobs": self._threads,
        }
        targets, wanted = np.asarray(lesson.answers), bool(params.get("probabilities"))
        if lesson.kind == "multi_label":
            each, shares = zip(
                *(_classify(train, targets[:, i], asked, settings, 2 * wanted) for i in range(lesson.labels)),
                strict=True,
            )
            if wanted:
                self.probabilities = np.stack([share[:, 1] for share in shares], axis=1).tolist()
            return [[int(value) for value in row] for row in np.stack(each, axis=1)]
        if lesson.kind == "regression":
            from xgboost import XGBRegressor

            return [float(v) for v in XGBRegressor(**settings).fit(train, targets).predict(asked)]
        answers, shares = _classify(train, targets, asked, settings, lesson.labels * wanted)
        self.probabilities = shares.tolist() if wanted else []
        return [int(value) for value in answers]

    def _cut(self, weight: float, curvature: float) -> tuple[csr_matrix, csr_matrix]:
        """Return the features of train texts and questions that trees need; arguments of ``usable_columns``."""
        columns = usable_columns(self._train, weight, curvature)
        return self._train[:, columns], self._asked[:, columns]


def _objective(lesson: Lesson) -> str:
    """Return the kind whose curvature bounds hold: XGBoost takes two classes as binary, as declared or not."""
    if lesson.kind == "multi_class" and len(set(lesson.answers)) == 2:
        return "binary"
    return lesson.kind


def _features(lesson: Lesson) -> tuple[csr_matrix, csr_matrix]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer()
    train = vectorizer.fit_transform(lesson.texts).tocsr()
    asked = vectorizer.transform(lesson.questions).tocsr()
    train.sort_indices()  # it comes in the order in which words first appear
    asked.sort_indices()
    return train, asked


def usable_columns(features: csr_matrix, weight: float, curvature: float) -> np.ndarray[Any, Any]:
    """List the indices (rising) of the columns that a split could use, and of the one with the fewest values.

    The latter is there so that columns with a value in every row never stand alone where others have gaps.

    Args:
        features: shape (train rows, words); what is not stored counts as missing, a stored zero does not.
        weight: XGBoost's ``min_child_weight``.
        curvature: upper bound of one row's second derivative.
    """
    import numpy as np

    stored = np.bincount(features.indices, minlength=features.shape[1])
    usable = stored * curvature * (1 + 1e-6) >= weight
    usable[stored.argmin()] = True
    return np.flatnonzero(usable)


def _classify(
    train: csr_matrix,
    targets: np.ndarray[Any, Any],
    asked: csr_matrix,
    settings: dict[str, Any],
    labels: int = 0,
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Answers of one classifier, which never gives a class that no train row has.

    And the probabilities of so many labels: shape (questions, labels).
    """
    import numpy as np
    from xgboost import XGBClassifier

    classes, index = np.unique(targets, return_inverse=True)
    shares = np.zeros((asked.shape[0], labels))
    if len(classes) == 1:
        shares[:, classes[0] : classes[0] + 1] = 1.0
        return np.full(asked.shape[0], classes[0]), shares
    trees = XGBClassifier(**settings).fit(train, index)
    if labels:
        shares[:, classes] = trees.predict_proba(asked)
    return classes[trees.predict(asked)], shares
