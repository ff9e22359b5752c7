"""Which models are best at which task (section 5.1, Table 4): the three rankings and Finding 1."""

from __future__ import annotations

from selu.papers.claims import claim, exceptions, finding, listed
from selu.papers.faun_eval.claims._known import CONCLUSION, DETAIL, TOP, joined_scores, names, placed, portion
from selu.papers.faun_eval.material import AVERAGE, MEAN, TASKS, Material
from selu.vocabulary import Finding

QUESTION = "Which models are best at which task (RQ1)?"
FL, CE = TASKS["fault localization"], TASKS["code editing"]


def _best(paper: Material, metric: str, what: str) -> Finding:
    """Find that the models that the text names are the best of a metric."""
    named, best = names(paper, "5.1", what), paper.ranked(metric)[:TOP]
    scores = {model: paper.scores(metric)[model] for model in best}
    because = f"The best {TOP} by {metric} are {joined_scores(scores)}."
    return finding(set(named) == set(best), because, named=named, best=best)


@claim(
    "F04",
    "1",
    "Gemini-1.5-Pro and GPT-4o excel in fault localization, DeepSeek-Coder-V2 in code editing.",
    holds="The two are first and second by exact match, and the other is first by CodeBLEU.",
    caveat="The model named for code editing is second.",
    fails="One of the three is further behind.",
    weight=CONCLUSION,
    quote="such as Gemini-1.5-Pro and GPT-4o for fault localization, and DeepSeek-Coder-V2 for code editing",
    if_it_fails="Another model would be the one to take for finding the faulty file or for editing code.",
)
def leaders(paper: Material) -> Finding:
    """Rank the models by both metrics."""
    locators = names(paper, "1", "Best at fault localization")
    editor = paper.published("text", "1", "Best at code editing")
    first, place = paper.ranked(FL)[:2], placed(paper.scores(CE), editor)
    because = f"The first 2 by exact match are {listed(first)}; {editor} is number {place} by CodeBLEU."
    ahead = exceptions(f"{paper.ranked(CE)[0]} is ahead of it.") if place == 2 else None
    return finding(set(locators) == set(first) and place <= 2, because, caveat=ahead, first=first, place=place)


@claim(
    "F05",
    "1",
    "Closed models are not consistently better than open ones.",
    holds="In one of the three tasks or more an open model is above a closed one.",
    fails="In every task all closed models are above all open ones.",
    weight=CONCLUSION,
    quote="models do not consistently outperform open-source ones",
    if_it_fails="An open model would never be the better choice: in each task all closed models would be "
    "ahead.",
)
def closed_and_open(paper: Material) -> Finding:
    """Compare the best open with the worst closed model of each task."""
    found = {}
    for task, metric in TASKS.items():
        scores = paper.scores(metric)
        found[task] = (
            max(score for model, score in scores.items() if paper.open_source(model)),
            min(score for model, score in scores.items() if not paper.open_source(model)),
        )
    above = [task for task, (free, closed) in found.items() if free > closed]
    because = f"In {portion(len(above), len(found)).lower()} tasks an open model is above a closed one."
    return finding(bool(above), because, best_open_and_worst_closed=found)


@claim(
    "F23",
    "5.1",
    "The best three in question answering are Gemini-1.5-Pro, Gemini-1.5-Flash and CodeQwen-1.5-Chat.",
    holds="They have the three highest averages of the four metrics.",
    fails="Another model is among the best three.",
    weight=CONCLUSION,
    quote="strongest overall performance are Gemini-1.5-Pro, Gemini-1.5-Flash, and CodeQwen-1.5-Chat",
    if_it_fails="Another model would be among the candidates for answering issues, and CodeQwen-1.5-Chat with "
    "its 7B parameters perhaps not.",
)
def best_at_answering(paper: Material) -> Finding:
    """Rank by the average of question answering."""
    return _best(paper, MEAN, "Best at QA")


@claim(
    "F24",
    "5.1",
    "The best three in fault localization are GPT-4o, Gemini-1.5-Pro and Mistral-large-2.",
    holds="They have the three highest shares of exact matches.",
    fails="Another model is among the best three.",
    weight=CONCLUSION,
    quote="Gemini-1.5-Pro, and Mistral-large-2 emerge as the top performers",
    if_it_fails="Another model would be among the candidates for finding the faulty file, and the open "
    "Mistral-large-2 perhaps not.",
)
def best_at_localization(paper: Material) -> Finding:
    """Rank by exact match."""
    return _best(paper, FL, "Best at fault localization")


@claim(
    "F25",
    "5.1",
    "The best three in code editing are Gemini-1.5-Flash, DeepSeek-Coder-V2 and CodeQwen-1.5-Chat.",
    holds="They have the three highest CodeBLEU scores.",
    fails="Another model is among the best three.",
    weight=CONCLUSION,
    quote="the leading models are Gemini-1.5-Flash, DeepSeek-Coder-V2 and CodeQwen-1.5-Chat",
    if_it_fails="Another model would be among the candidates for editing code, and the two open ones perhaps "
    "not.",
)
def best_at_editing(paper: Material) -> Finding:
    """Rank by CodeBLEU."""
    return _best(paper, CE, "Best at code editing")


@claim(
    "F26",
    "5.1",
    "Six models are among the best three of a task.",
    holds="The best three of the three tasks are as many different models.",
    fails="They are another number of models.",
    weight=DETAIL,
    quote="A total of six models achieved top-three performance across three tasks",
)
def models_in_a_top_three(paper: Material) -> Finding:
    """Find the best three models of each task."""
    best = sorted({model for metric in TASKS.values() for model in paper.ranked(metric)[:TOP]})
    number = paper.count("text", "5.1", "Models in a top three")
    because = f"{len(best)} models are among the best {TOP}; the text says {number}."
    return finding(len(best) == number, because, best=best, text=number)


@claim(
    "F27",
    "5.1",
    "Gemini-1.5-Pro is among the first two in answering and localization, and in the lower half in editing.",
    holds="It is first or second in the two tasks, and in editing its place is beyond half of the models.",
    fails="One of its places is another.",
    thresholds={"half": "the plain meaning of the bottom half: of ten models, place six or lower"},
    weight=DETAIL,
    quote="Gemini-1.5-Pro, which ranks among the top two in both QA and Fault Localization, falls into the "
    "bottom half",
)
def places_of_gemini_pro(paper: Material) -> Finding:
    """Find the model's place in each task."""
    places = {task: placed(paper.scores(metric), "Gemini-1.5-Pro") for task, metric in TASKS.items()}
    *others, editing = places.values()
    because = f"It is number {listed(f'{place} in {task}' for task, place in places.items())}."
    return finding(max(others) <= 2 and 2 * editing > len(paper.models), because, places=places)


@claim(
    "F28",
    "5.1",
    "GPT-4 is worse in fault localization than open models: Mistral-large-2 and DeepSeek-Coder-V2.",
    holds="Its share of exact matches is below those of both.",
    fails="It is not below both.",
    weight=CONCLUSION,
    quote="GPT-4, a proprietary model, underperforms in fault localization compared to open-source models",
    if_it_fails="GPT-4 would be no example of a closed model that finds fewer faulty files than open ones.",
)
def gpt4_in_localization(paper: Material) -> Finding:
    """Compare three scores."""
    scores, other = paper.scores(FL), paper.published("text", "5.1", "Mistral's name")
    found = {model: scores[model] for model in ("GPT-4", "Mistral-large-2", "DeepSeek-Coder-V2")}
    mine, *others = found.values()
    remark = None if other in paper.models else f"The text names {other}, which is not a model of Table 3."
    return finding(mine < min(others), f"EM: {joined_scores(found)}.", remark=remark, scores=found, name=other)


@claim(
    "F29",
    "5.1",
    "GPT-4 is below the average in code editing.",
    holds="Its CodeBLEU is below the average of Table 4.",
    fails="It is not.",
    weight=CONCLUSION,
    quote="it does not meet the average performance level in code editing tasks",
    if_it_fails="GPT-4 would edit code at least as well as the average model, and be no example against closed "
    "models.",
)
def gpt4_in_editing(paper: Material) -> Finding:
    """Compare with the average."""
    mine, average = paper.scores(CE)["GPT-4"], paper.number("table4", CE, AVERAGE)
    because = f"Its CodeBLEU is {mine:.4f}, the average {average:.4f}."
    return finding(mine < average, because, score=mine, average=average)


@claim(
    "F30",
    "5.1",
    "DeepSeek-Coder-V2, the largest and newest of its series, excels in localization and editing, not in QA.",
    holds="It is the largest and newest of its series, its best in both tasks, and below both others in QA.",
    caveat="Another model of the series is as new, or three models or more are above it in one of both tasks.",
    fails="It is not the largest or newest, not the best of its series, or above one of the two in QA.",
    thresholds={"three": "our choice: the text calls the best three of a task its top performers"},
    weight=CONCLUSION,
    quote="excels in fault localization and code editing but is outperformed by its smaller counterparts, 33B "
    "and 6.7B, in QA tasks",
    if_it_fails="The DeepSeek series would not show that its largest model can be strong in two tasks and "
    "behind smaller ones in the third.",
)
def deepseek_series(paper: Material) -> Finding:
    """Compare within the series in Tables 3 and 4."""
    name, series = "DeepSeek-Coder-V2", [model for model in paper.models if model.startswith("DeepSeek")]
    times = {model: paper.published("table3", model, "Time") for model in series}
    smaller = [f"DeepSeek-Coder {size}" for size in names(paper, "5.1", "Smaller and better in QA")]
    answers = paper.scores(MEAN)
    holds = (
        paper.size(name) == max(paper.size(model) for model in series)
        and times[name] == max(times.values())
        and all(
            paper.scores(metric)[name] == max(paper.scores(metric)[model] for model in series)
            for metric in (FL, CE)
        )
        and all(answers[name] < answers[model] for model in smaller)
    )
    places = {metric: placed(paper.scores(metric), name) for metric in (FL, CE)}
    as_new = [model for model in series if model != name and times[model] == times[name]]
    notes = [f"{model} is as new" for model in as_new]
    notes += [f"it is number {place} by {metric}" for metric, place in places.items() if place > TOP]
    below = {model: answers[model] for model in (name, *smaller)}
    because = f"It has {paper.size(name):g}B parameters and is of {times[name]}; in QA {joined_scores(below)}."
    caveat = exceptions(f"But {listed(notes)}.") if notes else None
    return finding(holds, because, caveat=caveat, places=places, times=times, answers=below)


@claim(
    "F31",
    "5.1, Finding 1",
    "The best models vary by task; closed and larger models are not always better.",
    holds="Not one model is best everywhere, an open model beats a closed one, and a smaller one a larger one.",
    fails="One of the three is not so.",
    weight=CONCLUSION,
    quote="The top-performing models vary by task",
    if_it_fails="One model could be taken for all tasks, or a closed or larger one without a look at the "
    "scores.",
)
def finding_1(paper: Material) -> Finding:
    """Look for a task with each of the three."""
    best = {task: paper.ranked(metric)[0] for task, metric in TASKS.items()}
    pairs = [(model, other, task) for task in TASKS for model in paper.models for other in paper.models]
    above = [(a, b) for a, b, task in pairs if paper.scores(TASKS[task])[a] > paper.scores(TASKS[task])[b]]
    free = sum(paper.open_source(higher) and not paper.open_source(lower) for higher, lower in above)
    smaller = sum(paper.size(higher) < paper.size(lower) for higher, lower in above)
    because = (
        f"{len(set(best.values()))} models are best in a task. {free} times an open model is above a closed "
        f"one, and {smaller} times a smaller above a larger one."
    )
    return finding(
        len(set(best.values())) > 1 and free > 0 and smaller > 0, because, best=best, smaller=smaller
    )
