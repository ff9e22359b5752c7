"""TF-IDF+XGBoost with trees grown on squared error instead of the logistic loss, for two classes.

The authors' older run of the binary tasks was made so: incivility's published scores and matrices come out
to the last digit with it, and not with the classifier's default (docs/measurements/published_scores.txt).
"""

from __future__ import annotations

from selu.systems.baseline.learning import Answers, Params
from selu.systems.baseline.tfidf_xgboost import TfidfXgboost


class TfidfSquaredError(TfidfXgboost):
    """Learner with the parameters ``max_depth`` and ``min_child_weight``, for binary tasks."""

    def answer(self, params: Params) -> Answers:
        """Fit with these parameters and answer the lesson's questions."""
        from xgboost import XGBClassifier

        weight = float(params["min_child_weight"])
        train, asked = self._cut(weight, curvature=1.0)
        trees = XGBClassifier(
            objective="reg:squarederror",
            max_depth=int(params["max_depth"]),
            min_child_weight=weight,
            random_state=self._lesson.seed,
            n_jobs=self._threads,
        )
        trees.fit(train, list(self._lesson.answers))
        if params.get("probabilities"):  # values fitted to 0 and 1 may be slightly outside
            self.probabilities = trees.predict_proba(asked).clip(0, 1).tolist()
        return [int(value) for value in trees.predict(asked)]
