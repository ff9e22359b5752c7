"""The command line: one verb per job. Heavy libraries are imported by the verb that needs them."""

from selu.cli import app, data, looking, package, runs
from selu.cli.app import main

__all__ = ["main"]

for part in (looking, data, runs, package):  # the order of --help
    app.app.add_typer(part.verbs)
