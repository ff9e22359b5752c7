"""Random evidence for the claims of NLBSE'24: tables of random answers, now and then misprinted."""

from __future__ import annotations

import numpy as np
from tests.papers.redrawn import Draw, Place, some_share

from selu.papers.nlbse24.material import LABELS, LANGUAGES, METRICS, PARTS, REPOSITORIES, Material, Track

KEYS = ("precision", "recall", "f1")
PLACES = [label.lower() for label in LABELS] + ["average"]
GROUPS = [f"{part}/{r}/{label.lower()}" for part in ("train", "test") for r in REPOSITORIES for label in LABELS]


def cut_or_rounded(value: float, digits: int, cut: bool) -> str:
    return f"{np.floor(value * 10**digits + 1e-9) / 10**digits:.{digits}f}" if cut else f"{value:.{digits}f}"


def misprinted(places: dict[Place, str], rng: np.random.Generator) -> dict[Place, str]:
    """A random share of the numbers replaced by others nearby."""
    share, width = some_share(rng, 1e-4) * rng.choice([0.0, 1.0]), rng.uniform(0.01, 0.1)
    found = dict(places)
    for place, text in places.items():
        if rng.random() < share:
            digits, mark = len(text.rstrip(" *").partition(".")[2]), text[len(text.rstrip(" *")) :]
            value = min(max(float(text.rstrip(" *")) + rng.uniform(-width, width), 0.001), 0.999)
            found[place] = f"{value:.{digits}f}{mark}"
    return found


def issue_results(paper: Material, rng: np.random.Generator) -> Material:
    """Table 1, the baselines' files and the text, from random precision and recall in each repository."""
    teams, cut = paper.teams(Track.ISSUES), bool(rng.random() < 0.5)
    table: dict[Place, str] = {}
    files: dict[Place, str] = {}
    step, noise = rng.uniform(0, 0.1), rng.uniform(0, 0.05) * rng.choice([0.0, 1.0])
    levels = rng.uniform(0.8, 0.9) - step * np.sort(rng.random(len(teams))) * rng.choice([-1, 1, 1])
    harder, spread = rng.normal(0, 0.05), rng.uniform(0, 0.05)
    for team, level in zip(teams, levels, strict=True):
        sizes = np.full((len(REPOSITORIES), len(LABELS)), 100)
        own = level + rng.normal(0, noise / 5) + spread * rng.random() * np.array([0, 0.2, harder * 20 - 1])
        p, r = (np.clip(own + rng.normal(0, noise, sizes.shape), 0.02, 0.98) for _ in range(2))
        cube = np.stack([p, r, 2 * p * r / (p + r)])  # metric, repository, label
        cube = np.concatenate([cube, cube.mean(axis=2, keepdims=True)], axis=2)
        for k, metric in enumerate(METRICS):
            for j, label in enumerate((*LABELS, "Average")):
                value = cut_or_rounded(cube[k, :, j].mean(), 3, cut)
                table["table1", f"{team}/{metric}", label] = value
        if results := paper.entrant(team).results:
            for run in sorted({results, "setfit_output" if results == "setfit_readme" else results}):
                shift = rng.normal(0, 0.01) * (run != results)
                for k, key in enumerate(KEYS):
                    for j, place in enumerate(PLACES):
                        for i, name in enumerate(REPOSITORIES):
                            files["baselines", f"{run}/{name}/{place}", key] = repr(
                                float(cube[k, i, j] + shift)
                            )
                        value = float(cube[k, :, j].mean() + shift)
                        files["baselines", f"{run}/overall/{place}", key] = repr(value)
    for team in paper.teams(Track.ISSUES, baseline=False):
        place = ("table1", f"{team}/F1-score", "Average")
        table["text", "2.3", team] = table[place]
        if rng.random() < 0.3:
            table[place] += " *"
    again = float(files["baselines", "fasttext_output/overall/average", "f1"]) + rng.normal(0, 0.01)
    files["reruns", "fasttext-lines/overall/average", "f1"] = f"{again:.6f}"
    return paper.with_places(misprinted(table, rng) | files)


def class_sizes(paper: Material, rng: np.random.Generator) -> Material:
    """Classes of other sizes in the test file, and averages of the baselines' files weighted by them or not."""
    paper = issue_results(paper, rng)
    width = rng.choice([0, 50])
    sizes = {row: 100 + int(rng.integers(-width, width + 1)) for row in GROUPS}
    places = {("issue_rows", row, "rows"): str(size) for row, size in sizes.items()}
    weighted = rng.random() < 0.7
    for team in paper.teams(Track.ISSUES, baseline=True):
        results, averages = paper.entrant(team).results, []
        for name in REPOSITORIES:
            f1 = [paper.number("baselines", f"{results}/{name}/{place}", "f1") for place in PLACES[:3]]
            weights = [sizes[f"test/{name}/{place}"] for place in PLACES[:3]]
            averages.append(float(np.average(f1, weights=weights if weighted else None)))
            places["baselines", f"{results}/{name}/average", "f1"] = repr(averages[-1])
        places["baselines", f"{results}/overall/average", "f1"] = repr(float(np.mean(averages)))
    return paper.with_places(places)


def distribution(paper: Material, rng: np.random.Generator) -> Material:
    """Table 2 of random sentences split in random shares, with misprints, and files that are near it."""
    least, noise, share = (
        rng.uniform(10, 200),
        some_share(rng, 1e-4) / 5,
        rng.choice([0.8, rng.uniform(0.6, 0.9)]),
    )
    rows: dict[str, np.ndarray] = {}
    for language in LANGUAGES:
        total, own = int(rng.integers(1000, 12000)), paper.categories_of(language)
        for row in own:
            positives = int(rng.uniform(least, total / 2))
            sizes = np.array([positives, total - positives])
            train = np.clip(np.rint(sizes * (share + rng.normal(0, noise, 2))), 1, sizes - 1).astype(int)
            parts = np.stack([train, sizes - train, sizes])
            rows[row] = np.concatenate([parts, parts.sum(axis=1, keepdims=True)], axis=1)
        rows[f"{language}/Total"] = np.sum([rows[row] for row in own], axis=0)
    columns = [(i, j, f"{part}: {c}") for i, part in enumerate(PARTS) for j, c in enumerate(CLASSES)]
    true = {(row, column): int(counts[i, j]) for row, counts in rows.items() for i, j, column in columns}
    wrong, off = some_share(rng) * rng.choice([0, 1]), some_share(rng) * rng.choice([0, 1])
    shown = {place: n + int(rng.integers(1, 9)) * bool(rng.random() < wrong) for place, n in true.items()}
    files = {place: n + int(rng.integers(1, 3)) * bool(rng.random() < off) for place, n in true.items()}
    both_tables = (("table2", shown), ("comment_rows", files))
    return paper.with_places(
        {(name, *place): str(n) for name, counts in both_tables for place, n in counts.items()}
    )


CLASSES = ("Positive", "Negative", "Total")


def comment_results(paper: Material, rng: np.random.Generator) -> Material:
    """Categories of both systems from random counts of test rows, Table 3 and the text on them."""
    swapped, wrong = bool(rng.random() < 0.3), some_share(rng, 1e-3) * rng.choice([0.0, 1.0])
    levels = rng.uniform(0.5, 0.9, len(paper.categories))
    places: dict[Place, str] = {}
    f1s: dict[str, np.ndarray] = {}
    words_of = {"stacc": ("Al-Kaswan et al.", "STACC", 2), "dopamin": ("Hai and Bui", "Dopamin", 4)}
    gain = np.abs(rng.normal(0, 0.1)) * rng.choice([0.0, 1.0, 1.0])
    for results, (team, name, digits) in words_of.items():
        scores, cut = [], bool(rng.random() < 0.2)
        for (row, place), level in zip(paper.categories.items(), levels, strict=True):
            positives = paper.distribution(row, "Testing", "Positive")
            own = np.clip(level + gain * (results == "dopamin") + rng.normal(0, 0.03, 2), 0.05, 0.98)
            tp = max(1, int(rng.binomial(positives, own[0])))
            fp = int(tp * (1 - own[1]) / own[1])
            p, r, time = tp / (tp + fp), tp / positives, rng.uniform(0.001, 0.004)
            scores.append((p, r, 2 * p * r / (p + r), time))
            pair = (r, p) if swapped else (p, r)
            for key, value, places_of in zip(KEYS, (*pair, scores[-1][2]), (2, 2, digits), strict=True):
                places[results, place, key] = cut_or_rounded(value, places_of, cut)
            places[results, place, "avg_runtime_s"] = f"{time:.4f}"
        means = np.mean(scores, axis=0)[[1, 0, 2, 3] if swapped else [0, 1, 2, 3]]
        f1s[results] = np.array([float(places[results, place, "f1"]) for place in paper.categories.values()])
        time = means[3] * rng.choice([1.0, rng.uniform(0.9, 1.1)])
        for what, value in zip(("Precision", "Recall", "F1-score"), means[:3], strict=True):
            off = rng.normal(0, 0.02) * bool(rng.random() < wrong)
            text = f"{min(max(value + off, 0), 1):.2f}"
            places["table3", team, f"Average {what}"] = text
            away = rng.normal(0, 0.02) * bool(rng.random() < wrong)
            places["text", "3.4", f"{what.removesuffix('-score')}: {name}"] = f"{float(text) + away:.2f}"
        places["table3", team, "Avg. Inference Runtime (secs.)"] = f"{time:.5f}"
        f1 = rng.choice([means[2], float(f"{means[2]:.2f}")]) + rng.normal(0, 0.02) * bool(rng.random() < wrong)
        places["table3", team, "Ranking Score"] = f"{paper.formula.compute(f1, float(f'{time:.5f}')):.3f}"
    won = int((f1s["dopamin"] > f1s["stacc"]).sum()) + int(rng.integers(-1, 2)) * bool(rng.random() < wrong)
    places["table3", "Hai and Bui", "Outperformed Categories"] = f"{won}/{len(paper.categories)}"
    places["text", "3.4", "Categories won"] = str(won)
    places["text", "3.4", "Categories not won"] = str(len(paper.categories) - won)
    return paper.with_places(places)


def sheet_with_f1(paper: Material, rng: np.random.Generator) -> Material:
    """STACC's sheet with an F1 of its published precision and recall, or of what they were before rounding."""
    paper, places = comment_results(paper, rng), {}
    if rng.random() < 0.5:
        for place in paper.categories.values():
            p, r = (paper.number("stacc", place, key) for key in KEYS[:2])
            places["stacc", place, "f1"] = f"{2 * p * r / (p + r):.2f}"
    return paper.with_places(misprinted(places, rng))


def memberships(paper: Material, rng: np.random.Generator) -> Material:
    """The most categories among random sentences, some of them without any, and what a paper would state."""
    belongs, none, places = rng.random(), some_share(rng, 1e-7), {}
    for language in LANGUAGES:
        sentences, n = int(paper.number("sentence_ids", language, "unique")), len(paper.categories_of(language))
        most = 1 + int(rng.binomial(n - 1, belongs, sentences).max())
        places["sentence_categories", language, "most"] = str(most)
        places["sentence_categories", language, "in 0"] = str(rng.binomial(sentences, none))
    low = int(rng.choice([5, 5, rng.integers(1, 8)]))
    stated = f"{low} to {int(rng.choice([7, 7, rng.integers(low, 9)]))}"
    return paper.with_places(places | {("text", "3.1", "Most categories of a sentence"): stated})


def columns_of_files(paper: Material, rng: np.random.Generator) -> Material:
    """Each column by its name, by a longer one or not at all, and further ones."""
    share, names = some_share(rng, 1e-3), []
    for name in ("ID", "class", "sentence", "partition", "category"):
        way = rng.choice(["as named", "longer", "absent"], p=[1 - share, share / 2, share / 2])
        names += {"as named": [name], "longer": [f"comment_{name}"], "absent": []}[str(way)]
    names += [name for name in ("instance_type", "project") if rng.random() < share]
    return paper.with_places({("comment_columns", "all", "columns"): ", ".join(names) or "row"})


# Of claims that need numbers which belong together; the others' evidence is drawn place by place.
DRAWS: dict[str, Draw] = {
    "N09": class_sizes,
    **dict.fromkeys(
        (f"N{number}" for number in (*range(10, 19), 20, 21, 22, 24, 26, 27, 28, 60)), issue_results
    ),
    **dict.fromkeys(["N33", "N35", "N41", "N42", "N43", "N44"], distribution),
    "N34": memberships,
    "N37": columns_of_files,
    **dict.fromkeys(["N46", "N47", "N48", "N49", "N50", "N51", "N53", "N55", "N56", "N57"], comment_results),
    "N58": sheet_with_f1,
}
