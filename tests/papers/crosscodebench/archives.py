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


def meta(id, of):
    return to_meta(entry(id), [Instance(**one) for one in of])


def write(folder, id, of, number=1, said=None, one_file=False):
    """Write a task of the 216 with these rows; ``said`` is its meta information, if not what they give."""
    name = f"task_{number:03d}_{id}"
    said = meta(id, of) if said is None else said
    if one_file:
        (folder / f"{name}.json").write_text(json.dumps({**said, "Instances": of}))
    else:
        (folder / f"{name}.meta.json").write_text(json.dumps(said))
        (folder / f"{name}.data.json").write_text(json.dumps({"Instances": of}))
    return name


def write_split(folder, name, tune, evaluated):
    (folder / "split").mkdir(exist_ok=True)
    (folder / "split" / f"{name}.json").write_text(json.dumps({"tune": tune, "eval": evaluated}))
