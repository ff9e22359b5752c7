"""Table 1 on kinds of models, labels and repositories (2.4)."""

from __future__ import annotations

from selu.papers.claims import claim, finding, listed, portion, unless_known
from selu.papers.nlbse24.claims._known import FIRST, MODELS, OPEN, SETFIT, UNIT, spread_of_setfit
from selu.papers.nlbse24.material import LABELS, REPOSITORIES, Material, Track
from selu.vocabulary import Finding

QUESTION = MODELS
LARGE = {"GPT-3.5 Turbo": "Aracena et al.", "Flan-T5": "Rejithkumar et al."}


@claim(
    "N22",
    "2.4",
    "GPT-3.5 Turbo and Flan-T5 are much larger than RoBERTa, but only about as good as SetFit.",
    weight="conclusion",
    if_it_fails="GPT-3.5 Turbo and Flan-T5 would be clearly better than SetFit, so that their size pays, or "
    "clearly worse.",
    quote="approaches based on GPT-3.5-Turbo [4] and Flan-T5 [3], which are much larger models than "
    "RoBERTa, achieved comparable performances to the SetFit baseline",
    holds="The F1 of both differs from SetFit's by no more than the two published runs of SetFit differ.",
    caveat="Whether it does depends on digits that Table 1 leaves out.",
    fails="The F1 of one of them differs by more, whatever digits were left out.",
    thresholds={
        "the two published runs of SetFit": "the competition's repository: its older and its newer result file"
    },
)
def large_models_like_setfit(paper: Material) -> Finding:
    """Check that large models are no further from SetFit than two runs of SetFit are from each other."""
    off = {name: round(paper.issue(team) - paper.issue(SETFIT), 6) for name, team in LARGE.items()}
    largest, spread = max(map(abs, off.values())), spread_of_setfit(paper)
    return finding(
        largest - UNIT < spread,
        f"The F1 differs from SetFit's by {listed(f'{v:+.3f} for {name}' for name, v in off.items())}. Two "
        f"runs of SetFit differ by {spread:.4f}.",
        caveat=OPEN if largest + UNIT > spread else None,
        differences=off,
        spread_of_setfit=spread,
    )


@claim(
    "N23",
    "2.4",
    "BERT-based models remain viable, and the submission of Rejithkumar et al. shows it.",
    weight="detail",
    quote="in general standard BERT-based models, remain a viable option for issue report classification, "
    "as shown by Rejithkumar et al. [47]",
    holds="The team that section 2.4 cites submitted an encoder, as section 2.3 has it.",
    fails="The team that it cites submitted another kind of model.",
)
def bert_like_by_the_cited_team(paper: Material) -> Finding:
    """Check the kind of model that section 2.3 attributes to the cited team."""
    cited = paper.published("text", "2.4", "Team of the BERT-like models")
    entrant = paper.entrant(cited)
    others = [
        e.team for e in paper.entrants if e.track is Track.ISSUES and e.kind == "encoder" and not e.baseline
    ]
    return finding(
        entrant.kind == "encoder",
        f"By section 2.3, {cited} submitted {entrant.model}, a {entrant.kind}. {len(others)} submissions are "
        f"encoders ({listed(others)}).",
        model=entrant.model,
        kind=entrant.kind,
        encoders=others,
    )


@claim(
    "N24",
    "2.4",
    "Questions are hardest for all submissions but that of Ebrahim and Joy, which is balanced.",
    weight="conclusion",
    if_it_fails="Questions would not be the label where submissions fail, or the winner would fail there as "
    "well.",
    quote="all the approaches struggle to classify issues belonging to the Question class, except for the "
    "approach implemented by Ebrahim and Joy [17]",
    holds="The other four have their lowest F1 on questions. The three labels of Ebrahim and Joy lie within "
    "0.02 of F1, and closer together than those of any other.",
    caveat="Whether this is so depends on digits that Table 1 leaves out.",
    fails="Another label is lower for one of the four, or the labels of Ebrahim and Joy lie further apart, "
    "whatever digits were left out.",
    thresholds={"0.02": "our choice: below twice the standard error (0.013) of a share of 0.9 of 500 reports"},
)
def questions_are_hardest(paper: Material) -> Finding:
    """Compare the labels of each submission; a difference of published numbers is off by less than a unit."""
    table = {
        team: {label: paper.issue(team, label=label) for label in LABELS}
        for team in paper.teams(Track.ISSUES, baseline=False)
    }
    lead = {team: min(f1[LABELS[0]], f1[LABELS[1]]) - f1[LABELS[2]] for team, f1 in table.items()}
    spread = {team: round(max(f1.values()) - min(f1.values()), 6) for team, f1 in table.items()}
    others = [team for team in table if team != FIRST]
    hardest = [team for team in others if lead[team] >= 0]
    least = min(spread[team] for team in others)
    room = min(0.02 - spread[FIRST], (least - spread[FIRST]) / 2)  # what digits left out would have to make up
    return finding(
        len(hardest) == len(others) and room > -UNIT,
        f"{portion(len(hardest), len(others))} others have their lowest F1 on questions. The labels of {FIRST} "
        f"lie {spread[FIRST]:.3f} apart, those of the others {least:.3f} or more.",
        caveat=OPEN if room < UNIT or not all(lead[team] for team in others) else None,
        lowest_label={team: min(f1, key=lambda label: f1[label]) for team, f1 in table.items()},
        spread=spread,
    )


@claim(
    "N25",
    "2.4",
    "The adapters are equally good on all repositories but TensorFlow, where they are a little worse.",
    weight="conclusion",
    if_it_fails="The winner would be less reliable on some repositories than the paper says.",
    quote="the proposed approach performs consistently also across repositories, except for the "
    '"Tensorflow" repository, for which it achieves a slightly worse performance',
    holds="Their F1 is lowest on TensorFlow and lies within 0.05 on the other four, once scores per repository "
    "are known.",
    fails="It is lower on another repository, or lies further apart on the other four.",
    thresholds={
        "0.05": "our choice: twice the standard error (0.024) of the difference of two shares of 0.9, of "
        "300 test reports each"
    },
)
def equal_over_repositories(paper: Material) -> Finding:
    """Compare the F1 of each repository; needs team_repositories.csv: rows TEAM/REPOSITORY, column f1."""
    missing = "The paper has no scores of this team for each of the 5 repositories"
    if not_checkable := unless_known(paper, "team_repositories", missing):
        return not_checkable
    f1 = {name: paper.number("team_repositories", f"{FIRST}/{name}", "f1") for name in REPOSITORIES}
    rest = [value for name, value in f1.items() if name != "tensorflow"]
    return finding(
        f1["tensorflow"] < min(rest) and max(rest) - min(rest) <= 0.05,
        f"TensorFlow has {f1['tensorflow']:.3f}, the others {min(rest):.3f} to {max(rest):.3f}.",
        f1=f1,
    )


@claim(
    "N59",
    "2.4",
    "Training SetFit takes 7 minutes and 17.4 GB of GPU memory.",
    weight="detail",
    quote="Training and fine-tuning of the SetFit baseline lasted 7 minutes, and GPU memory usage peaked "
    "at 17.4 GB.",
    holds="Both are within half more or less of these numbers on the GPU that the paper names (RTX 3090), once "
    "it is run there.",
    fails="One of them is further away.",
    thresholds={
        "half": "our choice: other versions of the libraries change time and memory by tens of percent",
        "3090": "section 2.4",
    },
)
def setfit_cost(paper: Material) -> Finding:
    """Compare SetFit's cost; needs timings.csv: row SetFit, columns minutes and GB."""
    if missing := unless_known(paper, "timings", "It was not run on the named GPU, an RTX 3090"):
        return missing
    stated = paper.text("2.4", "SetFit: training"), paper.text("2.4", "SetFit: GPU memory")
    found = paper.number("timings", "SetFit", "minutes"), paper.number("timings", "SetFit", "GB")
    near = all(0.5 * s <= f <= 1.5 * s for s, f in zip(stated, found, strict=True))
    return finding(near, f"It takes {found[0]:.1f} minutes and {found[1]:.1f} GB.", found=list(found))
