"""Which command installs a library that is missing: the one whose lock names it."""

from __future__ import annotations

import re
from pathlib import Path

from selu.project import find_root
from selu.vocabulary import SeluError

# Names of locks, those first that more people have, with what installs them.
INSTALLED_BY = {
    "verify": "make reproduce",
    "data": "make data",
    "baselines": "make environments",
    "finetune-cpu": "make finetune-environment",
    "prompt": "make prompt-environment",
    "local": "make local-environment",
    "sweep": "make sweep-environment",
    "remotes": "make remotes-environment",
    "text-metrics": "make text-metrics-environment",
    "pipeline": "make pipeline-environment",
    "finetune": "make finetune-environment FINETUNE=finetune",
    "dev": "make test",
}
# Libraries whose module has another name.
_DISTRIBUTIONS = {
    "bs4": "beautifulsoup4",
    "fasttext": "fasttext-wheel",
    "iterstrat": "iterative-stratification",
    "llama-cpp": "llama-cpp-python",
    "sklearn": "scikit-learn",
    "xgboost": "xgboost-cpu",
    "yaml": "pyyaml",
}


def remedy(start: Path | None, module: str) -> str:
    """Write the command that installs the library of a module, as the end of a sentence."""
    name = module.partition(".")[0].replace("_", "-").lower()
    named = re.compile(rf"^{re.escape(_DISTRIBUTIONS.get(name, name))}==", re.MULTILINE | re.IGNORECASE)
    try:
        locks = find_root(start) / "locks"
    except SeluError:
        return "install it in the Python that runs selu"
    for lock, command in INSTALLED_BY.items():
        path = locks / f"{lock}.txt"
        if path.is_file() and named.search(path.read_text("utf-8")):
            return f"'{command}' installs it"
    return "no lock names it: install it in the Python that runs selu"
