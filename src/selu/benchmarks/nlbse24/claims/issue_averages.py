"""Table 1: averages, precision and recall against F1, and what stands behind the baselines (2.2 to 2.4)."""

from __future__ import annotations

from selu.benchmarks.claims import claim, finding, listed
from selu.benchmarks.nlbse24 import formulas, linting
from selu.benchmarks.nlbse24.claims._known import FASTTEXT, known, of_rule, shown
from selu.benchmarks.nlbse24.material import LABELS, METRICS, OF_ALL, PER_LABEL, Material, Track
from selu.stats import linter
from selu.stats.linter import Printing, behind
from selu.stats.rounding import as_printed
from selu.vocabulary import Finding


@claim("N09", "2.2", "Models are ranked by the F1 averaged over the three classes, weighted by their size.")
def ranked_by_weighted_f1(m: Material) -> Finding:
    """2.2 weights by class, 2.3 takes the plain mean over repositories: equal for equal classes."""
    off = []
    for team in m.teams(Track.ISSUES, baseline=True):
        place = f"{m.entrant(team).results}/overall"
        labels = [m.number("baselines", f"{place}/{label.lower()}", "f1") for label in LABELS]
        weighted = formulas.weighted(labels, [PER_LABEL] * len(labels))
        off.append(abs(weighted - m.number("baselines", f"{place}/average", "f1")))
    return finding(
        max(off) < 1e-9,
        f"In the result files of {len(off)} baselines the weighted mean differs from the published average by "
        f"{max(off):.0e} at most.",
        caveat="Section 2.3 ranks by another mean, over the repositories; the two agree only because "
        f"every class has {PER_LABEL} reports.",
        largest_difference=max(off),
    )


def _averages(m: Material, metric: str) -> Finding:
    entries = [e for e in linting.averages(m) if e.row.endswith(f"/{metric}")]
    wrong = linting.impossible(entries)
    teams = listed(f"{e.row.partition('/')[0]} ({e.printed})" for e in wrong)
    return finding(
        not wrong,
        f"{len(entries) - len(wrong)} of {len(entries)} averages are the mean of their three labels within "
        f"rounding; not so: {teams}.",
        impossible=shown(wrong),
    )


@claim("N13", "Table 1", "Average precision is the mean of the three classes.")
def average_precision(m: Material) -> Finding:
    """Of every row; classes are equally large."""
    return _averages(m, METRICS[0])


@claim("N14", "Table 1", "Average recall is the mean of the three classes.")
def average_recall(m: Material) -> Finding:
    """Of every row; classes are equally large."""
    return _averages(m, METRICS[1])


@claim("N15", "Table 1", "Average F1 is the mean of the three classes.")
def average_f1(m: Material) -> Finding:
    """Of every row; classes are equally large."""
    return _averages(m, METRICS[2])


@claim("N16", "Table 1", "No F1 exceeds the mean of its precision and recall.")
def f1_below_the_mean(m: Material) -> Finding:
    """Held to the sharper bound, the harmonic mean, which holds for means over repositories, too."""
    entries, wrong = of_rule(linting.f1_of_means(m), linting.F1_OF_TABLE)
    places = listed(f"{e.row.partition('/')[0]}, {e.column} ({e.printed})" for e in wrong)
    return finding(
        not wrong,
        f"{len(entries) - len(wrong)} of {len(entries)} values of F1 are possible beside their precision and "
        f"recall; not so: {places}.",
        impossible=shown(wrong),
    )


@claim("N17", "Table 1", "Fine-tuned GPT-3.5 Turbo reaches an F1 of 0.732 on questions.")
def gpt_on_questions(m: Material) -> Finding:
    """The value that the printed average and the other two labels leave for it."""
    team = "Aracena et al."
    row = f"{team}/F1-score"
    others = [behind(m.printed("table1", row, label), Printing.EITHER) for label in LABELS[:2]]
    average = behind(m.printed("table1", row, OF_ALL), Printing.EITHER)
    left = linter.missing_part(average, others)
    p, r = (m.issue(team, metric, LABELS[2]) for metric in METRICS[:2])
    printed = m.printed("table1", row, LABELS[2])
    return finding(
        left.meets(behind(printed, Printing.EITHER)),
        f"{printed} is printed; the average {m.printed('table1', row, OF_ALL)} leaves {float(left.low):.3f} to "
        f"{float(left.high):.3f}, and precision and recall of {p:.3f} and {r:.3f} have a harmonic mean of "
        f"{2 * p * r / (p + r):.3f}.",
        printed=printed,
        implied=[float(end) for end in left],
        harmonic_mean=2 * p * r / (p + r),
    )


@claim("N18", "Table 1", "The rows of the baselines repeat the published result files.")
def baselines_repeat(m: Material) -> Finding:
    """At three digits, rounded or cut off."""
    entries, wrong = of_rule(linting.repeated(m), linting.REPEATED)
    cut = sum(entry.arithmetic.endswith(": truncated") for entry in entries)
    rounded = sum(entry.arithmetic.endswith(": rounded") for entry in entries)
    places = listed(f"{e.row}, {e.column}: {e.printed} for {e.arithmetic.partition(':')[0]}" for e in wrong)
    return finding(
        not wrong,
        f"{len(entries) - len(wrong)} of {len(entries)} entries are those of the files ({cut} only if digits "
        f"are cut off, {rounded} only if rounded); not so: {places}.",
        impossible=shown(wrong),
        only_truncated=cut,
        only_rounded=rounded,
    )


@claim("N20", "2.3", "The five submissions have average F1 of 0.893, 0.842, 0.832, 0.829 and 0.828.")
def f1_of_the_text(m: Material) -> Finding:
    """The numbers of section 2.3 against Table 1."""
    teams = m.teams(Track.ISSUES, baseline=False)
    pairs = {team: [m.text("2.3", team), m.issue(team)] for team in teams}
    off = [team for team, (text, table) in pairs.items() if text != table]
    return finding(
        not off, f"{len(teams) - len(off)} of {len(teams)} numbers are those of Table 1.", text_and_table=pairs
    )


@claim("N60", "Table 1", "The fastText baseline reaches an average F1 of 0.718.")
def fasttext_average(m: Material) -> Finding:
    """Its result file, and our own run (``reruns``) where there is one: within 0.01."""
    team = "Kallis et al."
    printed = m.printed("table1", f"{team}/F1-score", OF_ALL)
    exact = m.number("baselines", f"{m.entrant(team).results}/overall/average", "f1")
    place = f"{FASTTEXT}/overall/{OF_ALL.lower()}"
    run = known(m, "reruns") and (place, "f1") in m.tables["reruns"]
    again = m.number("reruns", place, "f1") if run else None
    prints = float(printed) <= exact < float(printed) + 0.001 or as_printed(exact) == printed
    return finding(
        prints and (again is None or abs(again - exact) <= 0.01),
        f"The result file has {exact:.4f}, Table 1 {printed}"
        + ("." if again is None else f", and our run {again:.4f}."),
        caveat="It was not run again yet." if again is None else None,
        result_file=exact,
        rerun=again,
    )
