"""Questions that readers have about the paper; modules with the same question answer it together."""

from __future__ import annotations

ISSUES = "Who leads on issue reports, and by how much?"
MODELS = "What do the results on issue reports say about kinds of models?"
COMMENTS = "Is Dopamin better than the baseline STACC on code comments?"
RULES = "Who took part, and how was the winner decided?"
DATA = "Are the data sets as the paper describes them?"
TABLES = "Are the numbers of the published tables right?"
