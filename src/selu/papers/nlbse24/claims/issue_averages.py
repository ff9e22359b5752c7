"""Table 1: averages, precision and recall against F1, and the runs behind the baselines (2.2 to 2.4)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from selu.boards.rounding import Printing, behind, f1, missing_part, prints_as
from selu.papers.claims import Check, claim, exceptions, finding, listed, portion, rounding, scope
from selu.papers.nlbse24 import formulas, linting
from selu.papers.nlbse24.claims._known import FASTTEXT, TABLES, are_means, inexact, of_rule, shown
from selu.papers.nlbse24.material import LABELS, METRICS, OF_ALL, REPOSITORIES, Material, Track
from selu.stats.rounding import to_digits
from selu.vocabulary import Claim, Finding

QUESTION = TABLES
SAME = 1e-9  # published with 16 digits, so that a computed mean differs in the last of them


@claim(
    "N09",
    "2.2",
    "Models are ranked by the F1 averaged over the three classes, weighted by their size.",
    weight="method",
    quote="The classification performance of a model is measured by the weighted-average F1 score over all "
    "three classes.",
    holds="In the baselines' result files the average of every repository is the weighted mean of its classes, "
    "and the overall number is the mean of the repositories.",
    fails="An average is not the weighted mean, or the overall number not the mean of the repositories.",
)
def ranked_by_weighted_f1(paper: Material) -> Finding:
    """Check the ranking by weighted F1, with sizes from the test file (``issue_rows``) or section 2.1."""
    each = int(paper.text("2.1", "Reports per label, repository and split"))
    weighted, plain, overall = [], [], []
    for team in paper.teams(Track.ISSUES, baseline=True):
        averages = []
        for repository in REPOSITORIES:
            place = f"{paper.entrant(team).results}/{repository}"
            f1 = [paper.number("baselines", f"{place}/{label.lower()}", "f1") for label in LABELS]
            rows = [f"test/{repository}/{label.lower()}" for label in LABELS]
            counted = "issue_rows" in paper.tables
            sizes = [int(paper.number("issue_rows", row, "rows")) if counted else each for row in rows]
            averages.append(paper.number("baselines", f"{place}/average", "f1"))
            weighted.append(abs(formulas.weighted(f1, sizes) - averages[-1]))
            plain.append(abs(formulas.mean(f1) - averages[-1]))
        published = paper.number("baselines", f"{paper.entrant(team).results}/overall/average", "f1")
        overall.append(abs(formulas.mean(averages) - published))
    fit = sum(off < SAME for off in weighted)
    return finding(
        fit == len(weighted) and max(overall) < SAME,
        f"{portion(fit, len(weighted))} averages of a baseline on a repository are the weighted mean of the "
        f"classes, and {sum(off < SAME for off in overall)} of {len(overall)} overall numbers the mean of the "
        "repositories, as section 2.3 says.",
        remark="All classes are equally large, so that the plain mean is the same number."
        if max(plain) < SAME
        else None,
        largest_difference=max(weighted),
        largest_difference_overall=max(overall),
    )


def _averages(paper: Material, metric: str) -> Finding:
    entries = [average for average in linting.averages(paper) if average.row.endswith(f"/{metric}")]
    return are_means(
        entries,
        "are the mean of their three labels",
        "labels",
        lambda entry: f"{entry.row.partition('/')[0]} ({entry.published})",
        {"impossible": shown(linting.impossible(entries)), "by_further_digits": shown(inexact(entries))},
    )


def _mean_of_labels(id: str, name: str) -> Callable[[Check], Claim]:
    return claim(
        id,
        "Table 1",
        f"Average {name} is the mean of the three classes.",
        weight="detail",
        kind="implied",
        holds="Each of the published averages is the mean of its three published labels, rounded or cut off.",
        caveat="Some are only with digits that were left out of the labels.",
        fails="One of them is not, whatever digits were left out.",
    )


@_mean_of_labels("N13", "precision")
def average_precision(paper: Material) -> Finding:
    """Check the average of every row; classes are equally large."""
    return _averages(paper, METRICS[0])


@_mean_of_labels("N14", "recall")
def average_recall(paper: Material) -> Finding:
    """Check the average of every row; classes are equally large."""
    return _averages(paper, METRICS[1])


@_mean_of_labels("N15", "F1")
def average_f1(paper: Material) -> Finding:
    """Check the average of every row; classes are equally large."""
    return _averages(paper, METRICS[2])


@claim(
    "N16",
    "Table 1",
    "No F1 exceeds the mean of its precision and recall.",
    weight="detail",
    kind="our check",
    holds="Each published F1 is at most the harmonic mean of its published precision and recall, which no mean "
    "of F1 over repositories can exceed.",
    caveat="Some are only with digits that were left out.",
    fails="One of them exceeds it, whatever digits were left out.",
)
def f1_below_the_mean(paper: Material) -> Finding:
    """Check F1 against the harmonic mean, the sharper bound, which also holds for means over repositories."""
    entries, wrong = of_rule(linting.f1_of_means(paper), linting.F1_OF_TABLE)
    by_further_digits = inexact(entries)
    places = listed(f"{e.row.partition('/')[0]}, {e.column} ({e.published})" for e in wrong)
    return finding(
        not wrong,
        f"{portion(len(entries) - len(wrong), len(entries))} values of F1 are possible beside their precision "
        f"and recall.{f' These are not: {places}.' if wrong else ''}",
        caveat=rounding(f"{len(by_further_digits)} of them are only with digits that were left out.")
        if by_further_digits
        else None,
        impossible=shown(wrong),
        by_further_digits=shown(by_further_digits),
    )


@claim(
    "N17",
    "Table 1",
    "Fine-tuned GPT-3.5 Turbo reaches an F1 of 0.732 on questions.",
    weight="detail",
    kind="implied",
    holds="The published average and the other two labels leave this value, rounded or cut off.",
    caveat="They leave it only with digits that were left out.",
    fails="They leave only other values.",
)
def gpt_on_questions(paper: Material) -> Finding:
    """Compute the value that the published average and the other two labels leave."""
    team = "Aracena et al."
    row = f"{team}/F1-score"
    texts = [paper.published("table1", row, label) for label in LABELS[:2]]
    average, published = (paper.published("table1", row, label).rstrip(" *") for label in (OF_ALL, LABELS[2]))
    left = missing_part(behind(average, Printing.EITHER), [behind(text, Printing.EITHER) for text in texts])
    exact = 3 * Fraction(average) - sum(map(Fraction, texts), Fraction(0))
    p, r = (paper.issue(team, metric, LABELS[2]) for metric in METRICS[:2])
    harmonic = float(f1(Fraction(repr(p)), Fraction(repr(r))))
    return finding(
        left.meets(behind(published, Printing.EITHER)),
        f"Table 1 has {published}. Its average {average} leaves {float(left.low):.3f} to {float(left.high):.3f}"
        f" for questions, and the harmonic mean of precision {p:.3f} and recall {r:.3f} is {harmonic:.3f}.",
        caveat=None
        if prints_as(exact, published, Printing.EITHER)
        else rounding(f"The published digits alone leave {float(exact):.3f}."),
        published=published,
        implied=[float(end) for end in left],
        harmonic_mean=harmonic,
    )


@claim(
    "N18",
    "Table 1",
    "The rows of the baselines repeat the published result files.",
    weight="detail",
    kind="our check",
    holds="All entries are those of the files at three digits, published in one way: all rounded, or all cut "
    "off.",
    caveat="Each is rounded or cut off, but neither way gives all of them.",
    fails="An entry is neither the rounded nor the cut-off number of its file.",
    thresholds={"three": "the digits of Table 1"},
)
def baselines_repeat(paper: Material) -> Finding:
    """Compare the baselines with their result files at three digits, rounded or cut off."""
    entries, wrong = of_rule(linting.repeated(paper), linting.REPEATED)
    cut = sum(entry.arithmetic.endswith(": truncated") for entry in entries)
    rounded = sum(entry.arithmetic.endswith(": rounded") for entry in entries)
    places = listed(f"{e.row}, {e.column}: {e.published} for {e.arithmetic.partition(':')[0]}" for e in wrong)
    return finding(
        not wrong,
        f"{portion(len(entries) - len(wrong), len(entries))} entries are those of the files, {cut or 'none'} "
        f"of them only if digits are cut off, {rounded or 'none'} only if rounded."
        f"{f' These are not: {places}.' if wrong else ''}",
        caveat=exceptions("Neither way gives all of them.") if cut and rounded else None,
        impossible=shown(wrong),
        only_truncated=cut,
        only_rounded=rounded,
    )


@claim(
    "N20",
    "2.3",
    "The five submissions have average F1 of 0.893, 0.842, 0.832, 0.829 and 0.828.",
    weight="detail",
    quote="Their approach achieved an average F1-score of 0.893.",
    holds="Table 1 has the same five numbers as section 2.3.",
    fails="One of them is another number in Table 1.",
)
def f1_of_the_text(paper: Material) -> Finding:
    """Compare the numbers of section 2.3 with Table 1."""
    teams = paper.teams(Track.ISSUES, baseline=False)
    pairs = {team: [paper.text("2.3", team), paper.issue(team)] for team in teams}
    off = [team for team, (text, table) in pairs.items() if text != table]
    return finding(
        not off,
        f"{portion(len(teams) - len(off), len(teams))} numbers of section 2.3 are those of Table 1.",
        text_and_table=pairs,
    )


@claim(
    "N60",
    "Table 1",
    "The fastText baseline reaches an average F1 of 0.718.",
    weight="detail",
    kind="implied",
    holds="Its result file has this number, rounded or cut off, and our own run lies within 0.01 of the file.",
    caveat="The file has this number, but the baseline was not run again here.",
    fails="The file has another number, or our own run lies further away.",
    thresholds={
        "0.01": "our choice: less than the standard error (0.012) of a share of 0.72 of the 1,500 test reports"
    },
)
def fasttext_average(paper: Material) -> Finding:
    """Compare the average with its result file, and with our own run (``reruns``) if there is one."""
    team = "Kallis et al."
    published = paper.published("table1", f"{team}/F1-score", OF_ALL)
    exact = paper.number("baselines", f"{paper.entrant(team).results}/overall/average", "f1")
    place = f"{FASTTEXT}/overall/{OF_ALL.lower()}"
    run = "reruns" in paper.tables and (place, "f1") in paper.tables["reruns"]
    again = paper.number("reruns", place, "f1") if run else None
    prints = float(published) <= exact < float(published) + 0.001 or to_digits(exact) == published
    return finding(
        prints and (again is None or abs(again - exact) <= 0.01),
        f"The result file has {exact:.4f}, Table 1 {published}"
        + ("." if again is None else f", and our run {again:.4f}."),
        caveat=scope("It was not run again yet.") if again is None else None,
        result_file=exact,
        rerun=again,
    )
