"""Scores of runs as records of Every Eval Ever, schema 0.3.0 (https://github.com/evaleval/every_eval_ever).

A record is one system under one protocol and seed, with a result for each task. Its identifier and file name
come from the identities of its runs, so that the same runs give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from selu import __version__, registry
from selu.files import JsonObject, to_json
from selu.names import DATA
from selu.package.run_scores import RunScore, read
from selu.vocabulary import Kind, System

VERSION = "0.3.0"
LIBRARY = "selu"


def records(root: Path, benchmark: str, systems: Sequence[str], organisation: str) -> Mapping[str, JsonObject]:
    """Build the records of a paper's runs, each with its place ``data/BENCHMARK/DEVELOPER/SYSTEM/UUID.json``.

    Args:
        systems: only these, or all where it is empty.
        organisation: who provides the data.

    Raises:
        SeluError: as ``run_scores.read``.
    """
    runs: dict[tuple[str, str], list[RunScore]] = {}
    for score in read(root, benchmark, systems):
        runs.setdefault((score.system, score.run["fields"]["run"]), []).append(score)
    known = {declared.id: declared for declared in registry.systems(benchmark)}
    known |= {other_system.id: other_system.system for other_system in registry.other_systems()}
    made = {}
    for (system, run), scores in runs.items():
        whole = hashlib.sha256("".join(score.run["identity"] for score in scores).encode()).digest()
        name = uuid.UUID(bytes=whole[:16], version=4)
        place = f"data/{benchmark}/{LIBRARY}/{system}/{name}.json"
        made[place] = _record(benchmark, run, scores, known.get(system), organisation)
    return made


def _record(
    benchmark: str, run: str, scores: list[RunScore], system: System | None, organisation: str
) -> JsonObject:
    started = {score.run["identity"]: _seconds(score.run["started"]) for score in scores}
    latest = max(started.values())
    name = scores[0].system
    return {
        "schema_version": VERSION,
        "evaluation_id": f"{benchmark}/{LIBRARY}_{name}/{run}/{latest}",
        "evaluation_timestamp": latest,
        "retrieved_timestamp": latest,
        "source_metadata": {
            "source_name": registry.benchmark(benchmark).name,
            "source_type": "evaluation_run",
            "source_organization_name": organisation,
            "evaluator_relationship": "third_party",
        },
        "eval_library": {"name": LIBRARY, "version": __version__},
        "model_info": {
            "name": system.name if system else name,
            "id": f"{LIBRARY}/{name}",
            "developer": LIBRARY,
            "additional_details": _model(scores[0].run["fields"].get("model") or {}, system),
        },
        "evaluation_results": [_result(score, started[score.run["identity"]]) for score in scores],
    }


def _seconds(text: str) -> str:
    """Return a UTC time as seconds since 1970, as a text of ten digits that sorts."""
    return f"{int(datetime.fromisoformat(text).timestamp()):010d}"


def _model(model: JsonObject, system: System | None) -> Mapping[str, str]:
    """Return where the model ran, whether its weights are open, and which model it derives from."""
    is_api = model.get("provider") not in (None, "local")
    weights = model.get("weights") or {}
    base = weights.get("publisher") if isinstance(weights, Mapping) else None
    base, has_weights = base or (system.hub if system else None), bool(weights or model.get("revision"))
    about = {
        "deployment_type": "externally_managed" if is_api else "self_deployed",
        "model_availability": "closed_weights" if is_api else "open_weights" if has_weights else "unknown",
        "approach": str(system.approach) if system else None,
        "base_model": base,
        "base_model_revision": model.get("revision"),
    }
    return {key: str(value) for key, value in about.items() if value}


def _result(score: RunScore, started: str) -> JsonObject:
    fields, limits = score.run["fields"], score.limits
    ends: JsonObject = {}
    if score.between:
        ends = {"score_type": "continuous", "min_score": score.between[0], "max_score": score.between[1]}
    samples = {"num_samples": score.rows} if score.task.kind != Kind.MASKED else {}  # which scores tokens
    about = {
        "protocol": score.protocol,
        "checkpoint_picked_on": score.run["picked_on"],
        "seed": fields["seed"],
        "run_identity": score.run["identity"],
    }
    return {
        "evaluation_name": score.task.id + (f" ({', '.join(limits)})" if limits else ""),
        "evaluation_timestamp": started,
        "source_data": {
            "source_type": "other",
            "dataset_name": score.task.id,
            "additional_details": {
                "rows": DATA[score.run["standing"]],
                "rows_sha256": str(fields["data"]["rows"]),
                "split_sha256": str(fields["data"]["parts"]),
            },
        },
        "metric_config": {
            "evaluation_description": score.task.question,
            "metric_id": score.metric,
            "metric_name": score.metric,
            "lower_is_better": score.is_lower_better,
            **ends,
        },
        "score_details": {
            "score": score.value,
            "details": {key: str(value) for key, value in about.items()},
            "uncertainty": {
                "confidence_interval": {
                    "lower": score.low,
                    "upper": score.high,
                    "confidence_level": score.settings["level"],
                    "method": "percentile bootstrap over test rows",
                },
                "num_bootstrap_samples": score.settings["draws"],
                **samples,
            },
        },
    }


def lines(made: Mapping[str, JsonObject]) -> str:
    """Write records as JSON, one a line."""
    return "".join(
        json.dumps(json.loads(to_json(record)), ensure_ascii=False) + "\n" for record in made.values()
    )
