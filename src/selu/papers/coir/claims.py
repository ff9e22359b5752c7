"""The paper's statements on Table 3, what the table suggests, and whether MTEB's results agree."""

from __future__ import annotations

from selu.papers.coir.sources import TWINS, far_from_solved, mostly_higher, same_order, same_scores, within
from selu.papers.shapes import ahead_on_most, beats, best_mean, claim, means_agree, most_firsts, on, order
from selu.papers.table_shapes import counts, hardest, none_best_everywhere, variance

QUESTION = "Which models retrieve code best, and do the paper and MTEB say the same?"
_TOP = ("Voyage-Code-002", "E5-Mistral", "E5-Base", "OpenAI-Ada-002", "BGE-Base", "BGE-M3")
_MTEB = "MTEB results"
_TABLES = "Table 3, MTEB results"

tasks = claim(
    "CR01",
    "Abstract",
    "CoIR consists of ten data sets.",
    counts("tasks", 10),
    weight="method",
    quote="CoIR consists of ten meticulously curated code datasets",
)
systems = claim(
    "CR02",
    "Abstract",
    "Ten retrieval models are evaluated.",
    counts("systems", 10),
    weight="method",
    quote="we evaluate ten widely used retrieval models using CoIR",
)
difficult = claim(
    "CR03",
    "Abstract",
    "Even the best systems have significant difficulties with code retrieval.",
    far_from_solved(100),
    weight="conclusion",
    quote="significant difficulties in performing code retrieval tasks even with state-of-the-art systems",
    if_it_fails="The benchmark would be nearly solved by the systems that it was published with.",
)
still_difficult = claim(
    "CR04",
    _MTEB,
    "The best system of MTEB's results has significant difficulties, too.",
    on("mteb", far_from_solved(1)),
)
first = claim("CR05", "Table 3", "Voyage-Code-002 has the best mean.", best_mean(_TOP[0]))
top = claim(
    "CR06", "Table 3", f"The means of {', '.join(_TOP[:-1])} and {_TOP[-1]} fall in this order.", order(*_TOP)
)
proprietary = claim(
    "CR07", "Table 3", "Voyage-Code-002 is better than OpenAI-Ada-002 on each task.", beats(_TOP[0], _TOP[3])
)
firsts = claim(
    "CR08", "Table 3", "Voyage-Code-002 is best on more tasks than any other system.", most_firsts(_TOP[0])
)
means = claim("CR09", "Table 3", "Each published mean follows from the scores.", means_agree())
nowhere = claim("CR10", "Table 3", "No system is best on each task.", none_best_everywhere())
apps = claim("CR11", "Table 3", "APPS is the hardest task.", hardest("APPS"))
widest = claim(
    "CR12",
    "Table 3",
    "Voyage-Code-002 has the highest variance over the tasks.",
    variance(_TOP[0], is_highest=True),
)
narrowest = claim(
    "CR13", "Table 3", "BGE-M3 has the lowest variance over the tasks.", variance("BGE-M3", is_highest=False)
)
size = claim(
    "CR14",
    "Table 3",
    "E5-Mistral, of 7 billion parameters, is better than E5-Base on most tasks.",
    ahead_on_most("E5-Mistral", "E5-Base"),
)
code_model = claim(
    "CR15",
    "Table 3",
    "E5-Base, trained on text, is better than UniXcoder, trained on code, on most tasks.",
    ahead_on_most("E5-Base", "UniXcoder"),
)
lexical = claim(
    "CR16", "Table 3", "UniXcoder is better than BM25 on most tasks.", ahead_on_most("UniXcoder", "BM25")
)
mteb_first = claim(
    "CR17", _MTEB, "F2LLM-v2-14B has the best mean.", on("mteb", best_mean("codefuse-ai/F2LLM-v2-14B"))
)
mteb_firsts = claim(
    "CR18",
    _MTEB,
    "F2LLM-v2-14B is best on more tasks than any other system.",
    on("mteb", most_firsts("codefuse-ai/F2LLM-v2-14B")),
)
mteb_nowhere = claim("CR19", _MTEB, "No system is best on each task.", on("mteb", none_best_everywhere()))
mteb_hardest = claim("CR20", _MTEB, "APPS is the hardest task.", on("mteb", hardest("AppsRetrieval")))
e5_base, bge_base, e5_mistral, bge_m3 = (
    claim(
        f"CR{number}",
        _TABLES,
        f"{system} has the same scores in the paper and in MTEB.",
        same_scores(system, twin),
    )
    for number, (system, twin) in enumerate(TWINS.items(), 21)
)
near = claim(
    "CR25", _TABLES, "The scores of a model in the paper and in MTEB differ by at most 5 of 100.", within(5)
)
higher = claim(
    "CR26", _TABLES, "Where the scores of a model differ, MTEB's is the higher one.", mostly_higher()
)
orders = claim(
    "CR27",
    _TABLES,
    "E5-Mistral, E5-Base and BGE-Base have the same order in both.",
    same_order("E5-Mistral", "E5-Base", "BGE-Base"),
)
