"""The organisers' and teams' statements on code comments, checked against what their numbers allow."""

from __future__ import annotations

from selu.papers import claims
from selu.papers.claims import finding, unless_known
from selu.papers.nlbse25.counts import (
    MISSING,
    f1_follows,
    gain,
    in_readme,
    recall_of_these_rows,
    same_as_notebook,
    submission_score,
    submitted,
)
from selu.papers.scores import Scores
from selu.papers.shapes import beats, best_mean, claim, means_agree, most_firsts, order
from selu.papers.table_shapes import counts, hardest, none_best_everywhere, variance
from selu.vocabulary import Finding

QUESTION = "Which classifier of code comments is best, and are all scores of the same test rows?"
SYSTEMS = {
    "Baseline": "the baseline",
    "GRAPHiC": "GRAPHiC",
    "Supervised Spaghetti": "Supervised Spaghetti",
    "DataDogs": "DataDogs",
    "UniXcoder, best of 952 runs": "the UniXcoder run",
    "CodeBERT, best of 803 runs": "the CodeBERT run",
}
_FILES = "Result files"
_MOCK = "Mock et al., abstract"

categories = claim(
    "NC01",
    "README",
    "There are 19 categories: 7 of Java, 5 of Python and 7 of Pharo.",
    counts("tasks", 19),
    weight="method",
)
first = claim("NC02", _FILES, "GRAPHiC has the best mean F1.", best_mean("GRAPHiC"))
top = claim(
    "NC03",
    _FILES,
    "The means of GRAPHiC, Supervised Spaghetti and the baseline fall in this order.",
    order("GRAPHiC", "Supervised Spaghetti", "Baseline"),
)
baseline = claim(
    "NC04", _FILES, "GRAPHiC is better than the baseline in each category.", beats("GRAPHiC", "Baseline")
)
firsts = claim("NC05", _FILES, "GRAPHiC is best in more categories than any other.", most_firsts("GRAPHiC"))
mean = claim("NC06", "GRAPHiC's result file", "The mean F1 of GRAPHiC follows from its scores.", means_agree())
nowhere = claim("NC07", _FILES, "No classifier is best in each category.", none_best_everywhere())
rational = claim("NC08", _FILES, "Rational, of Java, is the hardest category.", hardest("Java: rational"))
steady = claim(
    "NC09",
    _FILES,
    "GRAPHiC has the lowest variance over the categories.",
    variance("GRAPHiC", is_highest=False),
)
f1_0, f1_1, f1_2, f1_3, f1_4, f1_5 = (
    claim(f"NC{number}", _FILES, f"The F1 of {named} follow from its precision and recall.", f1_follows(system))
    for number, (system, named) in enumerate(SYSTEMS.items(), 13)
)
rows_0, rows_1, rows_2, rows_3, rows_4, rows_5 = (
    claim(f"NC{number}", _FILES, f"The recalls of {named} are of the test rows.", recall_of_these_rows(system))
    for number, (system, named) in enumerate(SYSTEMS.items(), 19)
)
notebook = claim(
    "NC25",
    "GRAPHiC's repository",
    "GRAPHiC's result file and notebook have the same F1.",
    same_as_notebook("GRAPHiC"),
)
score_datadogs = claim(
    "NC26",
    "DataDogs' notebook",
    "The submission score of DataDogs follows.",
    submission_score("DataDogs", "DataDogs"),
)
score_mock = claim(
    "NC27",
    "Mock et al., README",
    "The submission score of Mock et al. follows.",
    submission_score("Mock et al."),
)
gain_mock = claim(
    "NC28",
    _MOCK,
    "The model of Mock et al. has an average F1 that is 8.9 per cent above the baseline's.",
    gain(submitted),
    weight="conclusion",
    quote="outperforms the STACC baseline by 8.9 per cent on the NLBSE'25 Tool Competition dataset",
    if_it_fails="The gain that the abstract names would be another one.",
)
gain_readme = claim(
    "NC30",
    "Mock et al., README",
    "The F1 in the README has the gain that the abstract states.",
    gain(in_readme),
)


@claims.claim(
    "NC29",
    _MOCK,
    "The model of Mock et al. is better than the baseline in 17 of 19 categories.",
    holds="Its F1 is above the baseline's in as many categories as are stated.",
    fails="It is above in more or fewer.",
    weight="conclusion",
    quote="exceeding the baseline approach in 17 out of 19 cases",
    if_it_fails="The gain would come from other categories than the abstract says.",
)
def cases(scores: Scores) -> Finding:
    """Count the categories."""
    if missing := unless_known(scores, "mock", MISSING):
        return missing
    name, stated = "Mock et al.", scores.number("text", "Mock et al.", "categories above the baseline")
    above = sum(
        scores.number("mock", name, task) > scores.number("scores", "Baseline", task)
        for task in scores.board.tasks
    )
    return finding(
        above == stated, f"It is above in {above} of {len(scores.board.tasks)} categories.", above=above
    )
