from __future__ import annotations

import numpy as np
import pytest
from sklearn import config_context
from sklearn.metrics import precision_recall_fscore_support

AVERAGES = {"micro": "micro", "macro": "macro", "per_class": None}


@pytest.fixture(scope="session")
def agreed():
    """Whether an average's precision, recall and F1 are scikit-learn's with all labels declared, to the bit."""

    def compare(scores, truth, predicted, labels, average):
        with config_context(skip_parameter_validation=True, assume_finite=True):
            theirs = precision_recall_fscore_support(
                truth, predicted, labels=range(labels), average=AVERAGES[average], zero_division=0
            )
        return all(
            np.array_equal(scores[f"{measure}_{average}"], value)
            for measure, value in zip(("precision", "recall", "f1"), theirs[:3], strict=True)
        )

    return compare
