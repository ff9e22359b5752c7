"""What readers ask of the paper; the claims of the modules with one question answer it together."""

from __future__ import annotations

ISSUES = "Who leads on issue reports, and by how much?"
MODELS = "What do the results on issue reports say about kinds of models?"
COMMENTS = "Is Dopamin better than the baseline STACC on code comments?"
RULES = "Who took part, and how was the winner decided?"
DATA = "Are the data sets as the paper describes them?"
TABLES = "Are the numbers of the published tables right?"
