"""Verbs of models: convert."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from selu.cli.app import root_of_clone

verbs = typer.Typer()


@verbs.command()
def convert(
    folder: Annotated[Path, typer.Argument(help="folder of a model whose weights are pytorch_model.bin")],
) -> None:
    """Make safetensors of weights that are there as a pickle alone. No program in them is run."""
    from selu.execution.environments import interpreter
    from selu.systems.finetune import convert as conversion

    record = conversion.convert(folder, interpreter(root_of_clone(), "finetune"))
    ((name, digest),) = record["to"].items()
    typer.echo(f"{digest}  {folder / name}")
