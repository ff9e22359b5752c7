"""The command that installs a missing library: that of this package's first extra that names it."""

from __future__ import annotations

import re
from importlib import metadata

# Extras of pyproject.toml, those first that more people have, with what installs them.
INSTALLED_BY = {
    "verify": "make install",
    "data": "make data",
    "baselines": "make environments",
    "finetune-libraries": "make finetune-environment",
    "finetune-cpu": "make finetune-environment",
    "prompt": "make prompt-environment",
    "local": "make local-environment",
    "sweep": "make sweep-environment",
    "remotes": "make remotes-environment",
    "text-metrics": "make text-metrics-environment",
    "pipeline": "make pipeline-environment",
    "cuda": "make finetune-environment FINETUNE=finetune",
    "dev": "make test",
}
# Libraries whose module has another name.
_DISTRIBUTIONS = {
    "bs4": "beautifulsoup4",
    "fasttext": "fasttext-wheel",
    "github": "pygithub",
    "iterstrat": "iterative-stratification",
    "llama-cpp": "llama-cpp-python",
    "sklearn": "scikit-learn",
    "xgboost": "xgboost-cpu",
    "yaml": "pyyaml",
}


def remedy(module: str) -> str:
    """Write the command that installs the library of a module, as the end of a sentence."""
    name = module.partition(".")[0].replace("_", "-").lower()
    name = _DISTRIBUTIONS.get(name, name)
    named = re.compile(rf"{re.escape(name)}(?![\w.-])[^;]*;.*extra == '(?P<extra>[\w-]+)'", re.IGNORECASE)
    try:
        extras = {
            found["extra"]
            for line in metadata.requires(__name__.partition(".")[0]) or ()
            if (found := named.match(line))
        }
    except metadata.PackageNotFoundError:
        extras = set()
    command = next((command for extra, command in INSTALLED_BY.items() if extra in extras), None)
    return f"'{command}' installs it" if command else "install it in the Python that runs selu"
