"""The command line: one verb per job. Heavy libraries are imported by the verb that needs them."""

from selu.cli import checking, choosing, data, looking, models, package, runs
from selu.cli.app import app, main

__all__ = ["app", "main"]

for part in (checking, looking, choosing, data, runs, models, package):  # the order of --help
    app.add_typer(part.verbs)
