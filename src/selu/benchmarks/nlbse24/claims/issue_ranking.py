"""Who is best in Table 1, by how much, and on what (2.3, 2.4, 4)."""

from __future__ import annotations

from selu.benchmarks.claims import claim, finding, listed, unless_known
from selu.benchmarks.nlbse24 import formulas
from selu.benchmarks.nlbse24.material import LABELS, REPOSITORIES, Material, Track
from selu.vocabulary import Finding

FIRST = "Ebrahim and Joy"
SETFIT = "Kallis and Colavito"


def _spread_of_setfit(m: Material) -> float:
    """How far the two published runs of the SetFit baseline lie apart, in average F1."""
    runs = [m.number("baselines", f"{run}/overall/average", "f1") for run in ("setfit_readme", "setfit_output")]
    return abs(runs[0] - runs[1])


def _above(m: Material, baselines: list[str]) -> Finding:
    submissions = {team: m.issue(team) for team in m.teams(Track.ISSUES, baseline=False)}
    bar = max(m.issue(team) for team in baselines)
    below = [team for team, f1 in submissions.items() if f1 <= bar]
    margin, spread = min(submissions.values()) - bar, _spread_of_setfit(m)
    return finding(
        not below,
        f"{len(submissions) - len(below)} of {len(submissions)} submissions lie above {bar:.3f}, the lowest by "
        f"{margin:.3f}.",
        caveat=f"The two published runs of SetFit lie {spread:.4f} apart, more than that margin."
        if margin < spread
        else None,
        margin=margin,
        spread_of_setfit=spread,
        not_above=below,
    )


@claim("N10", "2.3", "Every submission has a higher average F1 than the SetFit baseline.")
def above_setfit(m: Material) -> Finding:
    """A margin smaller than what two runs of the baseline differ by is a caveat."""
    return _above(m, [SETFIT])


@claim("N11", "2.4", "Every submission has a higher average F1 than each of the three baselines.")
def above_all_baselines(m: Material) -> Finding:
    """As for SetFit, against the best of the three."""
    return _above(m, m.teams(Track.ISSUES, baseline=True))


@claim("N12", "Table 1", "The rows stand in order of falling average F1.")
def sorted_by_f1(m: Material) -> Finding:
    """The order of rows in the table itself."""
    rows = list(dict.fromkeys(row.partition("/")[0] for row, _ in m.tables["table1"]))
    values = [m.issue(team) for team in rows]
    rising = [rows[i + 1] for i in range(len(rows) - 1) if values[i + 1] > values[i]]
    return finding(
        not rising,
        f"{len(rows)} rows fall from {values[0]:.3f} to {values[-1]:.3f}; {len(rising)} stand too low.",
        rows=rows,
        out_of_order=rising,
    )


@claim("N21", "2.4", "RoBERTa with adapters has the best average F1.")
def adapters_are_best(m: Material) -> Finding:
    """The first of the ranking recomputed."""
    order = formulas.ranking(m.issue_f1)
    return finding(
        order[0] == FIRST,
        f"{order[0]} has {m.issue_f1[order[0]]:.3f}, {order[1]} comes next with {m.issue_f1[order[1]]:.3f}.",
        ranking=order,
    )


@claim("N22", "2.4", "GPT-3.5 Turbo and Flan-T5, though much larger, are about as good as SetFit.")
def large_models_like_setfit(m: Material) -> Finding:
    """About as good: no further apart than two runs of SetFit."""
    off = {team: m.issue(team) - m.issue(SETFIT) for team in ("Aracena et al.", "Rejithkumar et al.")}
    largest, spread = max(map(abs, off.values())), _spread_of_setfit(m)
    return finding(
        largest <= spread,
        f"They differ from SetFit by {listed(f'{v:+.3f}' for v in off.values())}; two runs of SetFit differ by "
        f"{spread:.4f}.",
        differences=off,
        spread_of_setfit=spread,
    )


@claim("N23", "2.4", "The submission of Rejithkumar et al. shows that BERT-like models remain viable.")
def bert_like_by_the_cited_team(m: Material) -> Finding:
    """The model that section 2.3 gives to the cited team must be an encoder."""
    cited = m.printed("text", "2.4", "Team of the BERT-like models")
    entrant = m.entrant(cited)
    others = [e.team for e in m.entrants if e.track is Track.ISSUES and e.kind == "encoder" and not e.baseline]
    return finding(
        entrant.kind == "encoder",
        f"{cited} submitted {entrant.model}, a {entrant.kind}; {len(others)} submissions are encoders: "
        f"{listed(others)}.",
        model=entrant.model,
        encoders=others,
    )


@claim("N24", "2.4", "Questions are hardest for all submissions but the balanced one of Ebrahim and Joy.")
def questions_are_hardest(m: Material) -> Finding:
    """Lowest F1 on questions for the others; balanced: the smallest spread over labels, under 0.02."""
    table = {
        team: {label: m.issue(team, label=label) for label in LABELS}
        for team in m.teams(Track.ISSUES, baseline=False)
    }
    lowest = {team: min(values, key=lambda label: values[label]) for team, values in table.items()}
    spread = {team: max(values.values()) - min(values.values()) for team, values in table.items()}
    other = [team for team, label in lowest.items() if team != FIRST and label != LABELS[2]]
    least = min(value for team, value in spread.items() if team != FIRST)
    balanced = spread[FIRST] == min(spread.values()) and spread[FIRST] < 0.02
    return finding(
        not other and balanced,
        f"{len(table) - 1 - len(other)} of {len(table) - 1} others have their lowest F1 on questions; labels "
        f"of {FIRST} lie {spread[FIRST]:.3f} apart, of the others {least:.3f} or more.",
        lowest_label=lowest,
        spread=spread,
    )


@claim("N25", "2.4", "The adapters are equally good on all repositories, but for a little less on TensorFlow.")
def equal_over_repositories(m: Material) -> Finding:
    """TensorFlow lowest, the others within 0.05 of each other."""
    if missing := unless_known(m, "team_repositories", "Scores per repository of this team are not printed"):
        return missing
    f1 = {name: m.number("team_repositories", f"{FIRST}/{name}", "f1") for name in REPOSITORIES}
    rest = [value for name, value in f1.items() if name != "tensorflow"]
    return finding(
        f1["tensorflow"] < min(rest) and max(rest) - min(rest) <= 0.05,
        f"TensorFlow has {f1['tensorflow']:.3f}, the others {min(rest):.3f} to {max(rest):.3f}.",
        f1=f1,
    )


def _field(m: Material) -> tuple[float, float]:
    """The lead of the first submission, and the range of the other four."""
    others = [m.issue(team) for team in m.teams(Track.ISSUES, baseline=False) if team != FIRST]
    return m.issue(FIRST) - max(others), max(others) - min(others)


@claim("N26", "4", "Ebrahim and Joy lead by a considerable margin.")
def considerable_lead(m: Material) -> Finding:
    """Considerable: more than the whole range of the other submissions."""
    lead, rest = _field(m)
    return finding(
        lead > rest,
        f"They lead by {lead:.3f}; the others lie within {rest:.3f}.",
        lead=lead,
        range_of_others=rest,
    )


@claim("N27", "4", "Most of the other submissions are about equally good.")
def others_are_comparable(m: Material) -> Finding:
    """All but the first within 0.02, a step of which the paper ranks none as better."""
    lead, rest = _field(m)
    return finding(
        rest <= 0.02, f"The other four lie within {rest:.3f} of average F1.", range_of_others=rest, lead=lead
    )


@claim("N28", "2.4", "The rank order of five teams and three baselines is as listed.")
def rank_order(m: Material) -> Finding:
    """The list of section 2.4, which is the declared order, against the average F1 of Table 1."""
    listed_order, order = m.teams(Track.ISSUES), formulas.ranking(m.issue_f1)
    moved = [team for a, team in zip(listed_order, order, strict=True) if a != team]
    return finding(
        not moved, f"{len(order) - len(moved)} of {len(order)} places are those of the list.", ranking=order
    )


@claim("N59", "2.4", "Training SetFit takes 7 minutes and 17.4 GB of GPU memory.")
def setfit_cost(m: Material) -> Finding:
    """Within a half more or less of the printed, on the GPU that the paper names."""
    if missing := unless_known(m, "timings", "It was not run on the named GPU"):
        return missing
    stated = m.text("2.4", "SetFit: training"), m.text("2.4", "SetFit: GPU memory")
    found = m.number("timings", "SetFit", "minutes"), m.number("timings", "SetFit", "GB")
    near = all(0.5 * s <= f <= 1.5 * s for s, f in zip(stated, found, strict=True))
    return finding(near, f"It takes {found[0]:.1f} minutes and {found[1]:.1f} GB.", found=list(found))
