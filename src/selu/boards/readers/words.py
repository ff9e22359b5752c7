"""Names of columns and rows in tables of scores, and what they mean."""

from __future__ import annotations

import re

from selu.boards.readers.numbers import plain


def _names(text: str) -> frozenset[str]:
    return frozenset(" ".join(name.split()) for name in text.split(","))


SYSTEM = _names(
    """system, systems, model, models, method, methods, approach, name, team, teams, encoder, encoders,
    tool, technique, classifier, algorithm, llm, agent, submission, participant, baseline, learner,
    model_name, model_id, system_name, model name, system name, team name, method name, model id, system id"""
)
TASK = _names(
    """task, tasks, dataset, datasets, data set, data sets, test set, benchmark, probe, problem, project,
    repository, corpus, task_name, task name, dataset_name, evaluation, evaluation_name"""
)
SCORE = _names("score, scores, value, result, main_score, main score, performance, published")
SEED = _names("seed, random_seed, random seed, run, fold, trial, repetition, replicate, iteration")
PART = _names(
    """metric, measure, split, subset, hf_subset, language, lang, category, label, setting, shots, protocol,
    type, config"""
)
ROWS = _names(
    """rows, n, pairs, instances, support, samples, examples, items, n_rows, n_test, num_samples, num_rows,
    #rows,
    #instances, #samples, #examples, #test, row count, test rows, test size, number of rows, # rows, # samples,
    # examples, # instances"""
)
VERSION = _names(
    "revision, model_revision, model revision, version, model_version, checkpoint, commit, mteb_version"
)
NAMELESS = _names("score, scores, value, published, result")  # heads of a column that name no system
NUMBERED = SEED | VERSION | {"", "id", "index", "unnamed: 0"}  # columns whose whole numbers may be names
SPREAD = _names("median, min, max, sd, std, se, stdev, variance")
RANK = _names("rank, place, position, ranking, pos, pos., #, no, no.")
MEAN = _names(
    """mean, avg, avg., average, overall, m, ø, mean_score, avg_score, mean score, average score, overall
    score, macro average, macro avg, macro avg., macro mean"""
)
OTHER = _names(
    """params, parameters, size, year, dim, dims, dimension, dimensions, context, layers, time, cost, price,
    memory, sd, std, se, ci, low, high, median, min, max, date, epochs, latency, speed, throughput, mean
    rank, average rank, avg rank, avg. rank, memory usage, embedding dimensions, max tokens, model size,
    context length, # params, number of parameters, # parameters, #params, release date, training time,
    evaluation_seconds, evaluation time, zero-shot, win rate, ci lower, ci upper"""
)
EMPHASIS = re.compile(r"(\*\*|\*|__|`|~~)(.+)\1")
_LOWER = re.compile(r"↓|\((?:lower|the lower)(?: is better)?\)|lower is better|\\downarrow", re.IGNORECASE)
ARROWS = re.compile(
    r"[↑↓]|\(?(?:the )?(?:lower|higher) is better\)?|\((?:lower|higher)\)|\\(?:up|down)arrow", re.IGNORECASE
)
_ERRORS = re.compile(
    r"(?:^|[\s_(/])(?:loss|wer|cer|perplexity|ppl|rmse|mae|mse|smape|mape|ece|brier|error rate|latency)"
    r"[)\]]*(?:\s*[(\[][^()\[\]]*[)\]])?$",
    re.IGNORECASE,
)
OF_OTHER = re.compile(r".*[ _-](?:std|sd|stdev|stderr|se|ci|variance|low|high|lower|upper)")
# Metrics that are no share of the rows, so that any number can be one.
_NO_SHARE = re.compile(
    r"f[-_ ]?1|f[-_ ]?score|f0\.5|auc|roc|mrr|ndcg|map\b|map@|bleu|rouge|meteor|mcc|matthews|kappa|pearson|"
    r"bert[-_ ]?score|spearman|correlation|smape|mae|mse|mape|r2|r²|perplexity|loss|macro|precision|balanced|"
    r"chrf|wer|cer",
    re.IGNORECASE,
)


def called(text: str) -> str:
    """Return what a column is called: small letters, no markup, no unit in brackets, no arrow."""
    bare = ARROWS.sub("", plain(text)).strip().lower()
    return re.sub(r"\s*[(\[][^()\[\]]*[)\]]$", "", bare).strip() or bare


def name_of(text: str) -> str:
    """Return the name of a system or task: as written, without markup and signs that do not print."""
    bare = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    while found := EMPHASIS.fullmatch(bare):
        bare = found[2].strip()
    return bare


def task_name(text: str) -> str:
    """Return the name of a task: without the arrow that says which scores are better."""
    return " ".join(ARROWS.sub("", name_of(text)).split()) or name_of(text)


def kind_of(text: str, of_task: bool) -> str:
    """Return what a column or row holds beside scores: "mean", "rank", "rows", "other", or an empty text.

    Args:
        of_task: whether it would else be a task; a system may be called ``tiny-se``.
    """
    name = called(text)
    if name in MEAN:
        return "mean"
    if name in (OTHER | PART if of_task else SPREAD) or (of_task and OF_OTHER.fullmatch(name)):
        return "other"
    return "rank" if name in RANK else "rows" if name in ROWS else ""


def is_lower_better(text: str) -> bool:
    """Return whether a lower score of a task is better: its name says so, or names an error."""
    return _LOWER.search(text) is not None or is_error(text)


def is_error(text: str) -> bool:
    """Return whether a task is named after an error, where lower is better, and no arrow gives a direction."""
    return ARROWS.search(text) is None and _ERRORS.search(name_of(text)) is not None


def is_share(task: str) -> bool:
    """Return whether the scores of a task can be shares of its rows: its name is not another metric's."""
    return _NO_SHARE.search(task) is None
