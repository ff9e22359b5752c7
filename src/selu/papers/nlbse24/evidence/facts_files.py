"""Facts of NLBSE'24's data files, counted into ``reports/nlbse24/data/facts``: they decide claims."""

from __future__ import annotations

from collections.abc import Mapping

from selu.papers.evidence import Evidence, Progress
from selu.papers.nlbse24.evidence.counted import FACTS_FOLDER
from selu.papers.nlbse24.evidence.frames import frames


def facts(evidence: Evidence, progress: Progress) -> Mapping[str, str]:
    """Count the data files into a CSV (row, column, value) per fact table.

    Every departure from what the paper says of the data is told to ``progress`` and is a row of
    ``data_mismatches.csv``.

    Raises:
        SeluError: a data file is missing, or so damaged that it can't be counted.
    """
    from selu.papers.nlbse24 import facts as counting
    from selu.papers.nlbse24.material import read

    material = read(evidence.tables())  # not ``printed``: damaged facts must not block their own repair
    progress("facts: counting the data files of NLBSE'24")
    tables = counting.tables(frames(evidence), material)
    for _, _, sentence in tables[counting.MISMATCHES]:
        progress(sentence)
    return {f"{FACTS_FOLDER}/{name}.csv": counting.to_csv(table) for name, table in tables.items()}
