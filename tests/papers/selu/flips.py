"""What turns each claim of SELU: an alteration of what the paper prints, and the verdict then."""

from __future__ import annotations

from tests.papers.selu.claims import draws, on_groups, on_ranking, on_scripts, on_systems, on_tasks

_BY_SUBJECT = (on_tasks, on_systems, on_ranking, on_groups, on_scripts)
FLIPS = {id: flip for part in _BY_SUBJECT for id, flip in part.FLIPS.items()}
PARTS = [flip for part in _BY_SUBJECT for flip in part.OTHERS]  # further ones, of declared records, too
DRAWS = {id: draw for part in _BY_SUBJECT for id, draw in part.DRAWS.items()}  # where numbers belong together
SHARED = draws.shared  # of claims that read Table VI
