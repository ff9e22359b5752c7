"""Small archives in the published form, written for tests."""

from __future__ import annotations

import json

from selu.papers.crosscodebench.collection.instances import Instance
from selu.papers.crosscodebench.collection.meta import to_meta
from selu.papers.crosscodebench.collection.tasks import entry


def rows(given="call f with", wanted="f ( {} ) ;", number=12):
    return [
        {"input": f"{given} {at}", "output": wanted.format(at), "split": "train", "idx": at}
        for at in range(number)
    ]


def meta(id, instances):
    return to_meta(entry(id), [Instance(**instance) for instance in instances])


def write(folder, id, instances, number=1, meta_fields=None, one_file=False):
    """Write a task of the 216 with these rows; ``meta_fields`` describe it, if not as the rows give."""
    name = f"task_{number:03d}_{id}"
    meta_fields = meta(id, instances) if meta_fields is None else meta_fields
    if one_file:
        (folder / f"{name}.json").write_text(json.dumps({**meta_fields, "Instances": instances}))
    else:
        (folder / f"{name}.meta.json").write_text(json.dumps(meta_fields))
        (folder / f"{name}.data.json").write_text(json.dumps({"Instances": instances}))
    return name


def write_split(folder, name, tune, evaluated):
    (folder / "split").mkdir(exist_ok=True)
    (folder / "split" / f"{name}.json").write_text(json.dumps({"tune": tune, "eval": evaluated}))
