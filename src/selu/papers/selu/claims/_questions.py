"""Questions that readers have about the paper; modules with the same question answer it together."""

from __future__ import annotations

LEADERS = "Which systems lead, and how clearly?"
TIERS = "Do the systems form four tiers, and why?"
CERTAINTY = "How firm is the statistical comparison of the systems?"
PROMPTING = "Is fine-tuning better than prompting, and prompting better than classical baselines?"
SIZE = "Do larger models or certain architectures perform better?"
ADAPTATION = "Does pre-training on code help on these tasks?"
TASKS = "Does performance depend on the task or on the model?"
NUMBERS = "Are the published scores and tables computed as the paper says?"
PROCEDURE = "Were the experiments run as the paper says?"
CONTENT = "What does the benchmark contain?"
CITED = "Are the numbers that the paper takes from other works right?"
