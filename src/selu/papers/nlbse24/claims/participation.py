"""Who took part, and with how many models (abstract, 2.2, 2.3, 3.2, 3.3)."""

from __future__ import annotations

from selu.papers.claims import claim, exceptions, finding, listed, portion
from selu.papers.nlbse24.claims._known import RULES
from selu.papers.nlbse24.material import OF_ALL, REPOSITORIES, Material, Track
from selu.vocabulary import Finding

QUESTION = RULES


def _rows(paper: Material, track: Track) -> list[str]:
    """List the submissions among the rows of a track's table."""
    table = "table1" if track is Track.ISSUES else "table3"
    names = dict.fromkeys(row.partition("/")[0] for row, _ in paper.tables[table])
    return [name for name in names if name in paper.teams(track, baseline=False)]


def _marked(paper: Material) -> list[str]:
    """List the teams whose average F1 has the mark of a single model."""
    return [
        team
        for team in paper.teams(Track.ISSUES)
        if paper.published("table1", f"{team}/F1-score", OF_ALL).endswith("*")
    ]


@claim(
    "N03",
    "Abstract",
    "Six teams entered the two tracks.",
    weight="detail",
    quote="six teams submitted multiple classification models to automatically classify issue reports and "
    "code comments",
    holds="Table 1 and Table 3 have together as many submissions as the abstract has teams.",
    fails="They have more or fewer.",
)
def six_teams(paper: Material) -> Finding:
    """Count the rows of both tables, without baselines."""
    issues, comments = _rows(paper, Track.ISSUES), _rows(paper, Track.COMMENTS)
    stated = paper.text("Abstract", "Teams")
    return finding(
        len(issues) + len(comments) == stated,
        f"Table 1 has {len(issues)} submissions and Table 3 has {len(comments)}; the abstract says "
        f"{stated:.0f} teams.",
        issues=issues,
        comments=comments,
    )


@claim(
    "N19",
    "Table 1",
    "The marked rows are those whose team trained one model for all repositories.",
    weight="detail",
    quote="Submissions marked with * have trained a single model over all repositories",
    holds='Table 1 marks (*) the teams of which section 2.3 says "A single model was trained for all '
    'repositories", and no other.',
    fails="It marks another team, or leaves one of them out.",
)
def marks_are_single_models(paper: Material) -> Finding:
    """Compare the asterisks of Table 1 with what section 2.3 says of each team."""
    marked = _marked(paper)
    single = [entrant.team for entrant in paper.entrants if entrant.single]
    same = marked == single
    return finding(
        same,
        f"Section 2.3 says so of {len(single)} teams, {listed(single)}, and Table 1 marks "
        + ("just these." if same else f"{listed(marked)} instead."),
        marked=marked,
        single=single,
    )


@claim(
    "N29",
    "2.2",
    "The participants had to train five models, one for each repository.",
    weight="method",
    quote="The participants had to train and tune their five classification models using the training set",
    holds="No submission in Table 1 is marked as a single model for all repositories.",
    caveat="Some are marked, but no more than half of the submissions: the paper itself names the exceptions "
    "to its rule.",
    fails="More than half of the submissions are marked, so that no such rule can have been in force.",
    thresholds={"half": "our choice: what most submissions do not follow is no rule"},
)
def five_classifiers(paper: Material) -> Finding:
    """Count the marks in Table 1."""
    submissions = paper.teams(Track.ISSUES, baseline=False)
    marked = [team for team in _marked(paper) if team in submissions]
    follow = len(submissions) - len(marked)
    return finding(
        2 * len(marked) <= len(submissions),
        f"{portion(follow, len(submissions))} submissions in Table 1 carry no mark of a single model.",
        caveat=exceptions(
            f"Table 1 marks {listed(marked)}, with one model for all {len(REPOSITORIES)} repositories."
        )
        if marked
        else None,
        single=marked,
        submissions=submissions,
    )


@claim(
    "N45",
    "3.3",
    "One team entered the comment track.",
    weight="detail",
    quote="Hai and Bui [21] were the single team that participated in the competition",
    holds="Table 3 has as many submissions as section 3.3 has teams.",
    fails="It has more or fewer.",
)
def one_comment_team(paper: Material) -> Finding:
    """Count the rows of Table 3, without the baseline."""
    found, stated = _rows(paper, Track.COMMENTS), paper.text("3.3", "Teams")
    return finding(
        len(found) == stated,
        f"Table 3 has {len(found)} submission, that of {listed(found)}; section 3.3 says {stated:.0f}.",
        submissions=found,
    )


@claim(
    "N54",
    "3.2",
    "The baselines are 19 binary classifiers, one for each category.",
    weight="method",
    quote="We trained and tested 19 binary classifiers (one for each category)",
    holds="The published sheet of the baseline has one row for each category of Table 2, as many as stated.",
    fails="It lacks a category, or has another one.",
)
def nineteen_baselines(paper: Material) -> Finding:
    """Compare the rows of the baseline's published sheet with the categories."""
    rows = {row for row, _ in paper.tables["stacc"]}
    stated = paper.text("3.1", "Categories")
    return finding(
        rows == set(paper.categories.values()) and len(rows) == stated,
        f"The sheet has {len(rows)} rows, Table 2 {len(paper.categories)} categories.",
        rows=len(rows),
    )
