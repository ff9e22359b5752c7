"""The command line: one verb per job. Heavy libraries are imported by the verb that needs them."""

from selu.cli import choosing, data, looking, package, runs
from selu.cli.app import app, main

__all__ = ["app", "main"]

for part in (looking, choosing, data, runs, package):  # the order of --help
    app.add_typer(part.verbs)
