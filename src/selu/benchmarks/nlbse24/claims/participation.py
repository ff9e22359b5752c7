"""Who took part, and with how many models (abstract, 2.2, 2.3, 3.3)."""

from __future__ import annotations

from selu.benchmarks.claims import claim, finding, listed
from selu.benchmarks.nlbse24.material import OF_ALL, REPOSITORIES, Material, Track
from selu.vocabulary import Finding


def _rows(m: Material, track: Track) -> list[str]:
    """Submissions among the rows of a track's table."""
    table = "table1" if track is Track.ISSUES else "table3"
    names = dict.fromkeys(row.partition("/")[0] for row, _ in m.tables[table])
    return [name for name in names if name in m.teams(track, baseline=False)]


def _marked(m: Material) -> list[str]:
    """Teams whose average F1 carries the mark of a single model."""
    return [t for t in m.teams(Track.ISSUES) if m.printed("table1", f"{t}/F1-score", OF_ALL).endswith("*")]


@claim("N03", "Abstract", "Six teams entered the two tracks.")
def six_teams(m: Material) -> Finding:
    """Submissions of Table 1 and of Table 3, against the number of the abstract."""
    issues, comments = _rows(m, Track.ISSUES), _rows(m, Track.COMMENTS)
    stated = m.text("Abstract", "Teams")
    return finding(
        len(issues) + len(comments) == stated,
        f"Table 1 has {len(issues)} submissions and Table 3 {len(comments)}; the abstract says {stated:.0f}.",
        issues=issues,
        comments=comments,
    )


@claim("N19", "Table 1", "The marked rows are those whose team trained one model for all repositories.")
def marks_are_single_models(m: Material) -> Finding:
    """The asterisks of Table 1 against what section 2.3 says of each team."""
    marked = _marked(m)
    single = [entrant.team for entrant in m.entrants if entrant.single]
    return finding(
        marked == single,
        f"{len(marked)} rows are marked ({listed(marked)}); section 2.3 says so of {listed(single)}.",
        marked=marked,
        single=single,
    )


@claim("N29", "2.2", "Each team submitted five classifiers, one for each repository.")
def five_classifiers(m: Material) -> Finding:
    """Fails as soon as one submission is marked as a single model."""
    submissions = m.teams(Track.ISSUES, baseline=False)
    marked = [team for team in _marked(m) if team in submissions]
    return finding(
        not marked,
        f"{len(marked)} of {len(submissions)} submissions are one model for all {len(REPOSITORIES)} "
        f"repositories: {listed(marked)}.",
        single=marked,
        submissions=submissions,
    )


@claim("N45", "3.3", "One team entered the comment track.")
def one_comment_team(m: Material) -> Finding:
    """Submissions of Table 3 against the text."""
    found, stated = _rows(m, Track.COMMENTS), m.text("3.3", "Teams")
    return finding(
        len(found) == stated, f"Table 3 has {len(found)} submission: {listed(found)}.", submissions=found
    )
