"""Where the numbers that rules name come from, and words that several rules share."""

from __future__ import annotations

COHEN = "Cohen 1988, as in the last column of Table IV"
GROUP = "section V-A: the lowest mean of the large group"
OUTPERFORMS = "section IV-D: the probability from which a system outperforms another"
OFF_BY = "Table VI: scores have three digits, so that each of two means may be off by .0005"
ROUNDING = {".001": OFF_BY}
ORDER = "the rounding of the scores (.001), where Table IV's ranks do not settle the order,"
NEAR = {"three Monte-Carlo errors": "our choice: a normal estimate is further off in 1 of 370 cases"}
DECIDED = {".95": OUTPERFORMS, **NEAR}
BEYOND = "our choice: beyond three standard errors chance plays no part (p = .003)"
ALPHA = {".05": "section IV-D: 95 % confidence"}
NEARLY_ALL = 0.95
MOST = {"95 of 100": "our choice: IV-D leaves as much doubt in one pair"}
NO_TIERS = "Or the published means leave fewer than two systems in one of the four tiers."
CHANCE = "Pairs within three Monte-Carlo errors of the threshold can turn the verdict."
