"""Readers of the data sets that the collection is made of: raw files in, the rows of all their tasks out.

Inputs and outputs are taken as published; classification labels become words, pairs of inputs are joined.
Every reader is pure, and which text is given and which is wanted follows from the task alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from selu.names import nearest
from selu.papers.api import Raw, TaskRows
from selu.papers.crosscodebench.collection.instances import Text, joined
from selu.vocabulary import SeluError, Task

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("id", "task", "part", "input", "label", "group", "source")
PARTS = ("train", "valid", "test")
_WORDS = {"0": "No", "1": "Yes"}


class Row(NamedTuple):
    """An instance of a task, the published part that it is in, and its place in the files."""

    task: str
    part: str
    input: Text
    output: Text
    place: str


def _lines(raw: Raw, *names: str) -> Iterator[tuple[str, ...]]:
    """Read files whose lines belong together.

    Raises:
        SeluError: they have unequal numbers of lines.
    """
    files: list[Sequence[str]] = [raw[name] for name in names]
    sizes = [len(lines) for lines in files]
    if len(set(sizes)) > 1:
        raise SeluError(f"{' and '.join(names)} have {sizes} lines, which must be equal: fetch them again.")
    yield from zip(*files, strict=True)


def _both_ways(raw: Raw, part: str, names: tuple[str, str], tasks: Sequence[str]) -> Iterator[Row]:
    """Read two parallel files as a task, and as a second one in the other direction where there is one."""
    for task, turned in zip(tasks, (False, True), strict=False):
        for number, (a, b) in enumerate(_lines(raw, *names), start=1):
            given, wanted = (b, a) if turned else (a, b)
            yield Row(task, part, given, wanted, f"{names[turned]}:{number}")


def _code_trans(raw: Raw) -> Iterator[Row]:
    for part in PARTS:
        names = (f"{part}-java", f"{part}-cs")
        yield from _both_ways(raw, part, names, ("code_trans_java_cs", "code_trans_cs_java"))


def _bfp(raw: Raw) -> Iterator[Row]:
    for size in ("small", "medium"):
        for part in PARTS[1:]:
            names = (f"{size}-{part}-buggy", f"{size}-{part}-fixed")
            yield from _both_ways(raw, part, names, (f"bfp_{size}",))


def _trans_coder(raw: Raw) -> Iterator[Row]:
    file = "gfg_functions"
    functions = [_json(line, file) for line in raw[file]]
    for given in ("cpp", "java", "python"):
        for wanted in ("cpp", "java", "python"):
            for number, function in enumerate(functions, start=1):
                if given != wanted and given in function and wanted in function:
                    task = f"trans_coder_{given}_{wanted}"
                    yield Row(task, "test", function[given], function[wanted], f"{file}:{number}")


def _code_docstring(raw: Raw) -> Iterator[Row]:
    for part in PARTS[1:]:
        kinds = ("declarations", "descriptions", "bodies", "declbodies")
        names = [f"{kind}-{part}" for kind in kinds]
        rows = list(_lines(raw, *names))
        for number, (declaration, description, body, _) in enumerate(rows, start=1):
            place = f"{names[2]}:{number}"
            yield Row("code_docstring_corpus_gen", part, [declaration, description], body, place)
        for number, (_, description, _, whole) in enumerate(rows, start=1):
            yield Row("code_docstring_corpus_sum", part, whole, description, f"{names[3]}:{number}")


def _concode(raw: Raw) -> Iterator[Row]:
    file = "dev"  # the answers of its test part are withheld
    for number, line in enumerate(raw[file], start=1):
        record = _json(line, file)
        yield Row("concode", "valid", record["nl"], record["code"], f"{file}:{number}")


def _conala(raw: Raw) -> Iterator[Row]:
    for task, given, wanted in (("conala_gen", "intent", "snippet"), ("conala_sum", "snippet", "intent")):
        for part in ("train", "test"):
            file = f"conala-{part}"
            for number, record in enumerate(_json("\n".join(raw[file]), file), start=1):
                yield Row(task, part, record[given], record[wanted], f"{file}:{number}")


def _pseudo_gen(raw: Raw) -> Iterator[Row]:
    yield from _both_ways(raw, "all", ("all-anno", "all-code"), ("pseudo_source_gen", "pseudo_gen"))


def _ncs(raw: Raw) -> Iterator[Row]:
    file = "287_android_questions"
    for number, record in enumerate(_json("\n".join(raw[file]), file), start=1):
        yield Row("ncs", "all", record["question"], record["answer"], f"{file}:{number}")


def _nl_2_bash(raw: Raw) -> Iterator[Row]:
    yield from _both_ways(raw, "all", ("all-nl", "all-cm"), ("nl_2_bash_gen", "nl_2_bash_sum"))


def _regex(raw: Raw) -> Iterator[Row]:
    yield from _both_ways(raw, "all", ("KB13_src", "KB13_targ"), ("kb13",))
    yield from _both_ways(raw, "all", ("NL-RX-Turk_src", "NL-RX-Turk_targ"), ("nl_rx",))


def _shell_code(raw: Raw) -> Iterator[Row]:
    file = "Shellcode_IA32"
    for number, line in enumerate(raw[file][1:], start=2):
        snippet, intent = _fields(line, 2, file, number)
        yield Row("shell_code_ia32", "all", intent, snippet, f"{file}:{number}")


def _evil(raw: Raw) -> Iterator[Row]:
    for name in ("encoder", "decoder"):
        for part, file in (("train", "train"), ("valid", "dev"), ("test", "test")):
            names = (f"{name}-{file}-in", f"{name}-{file}-out")
            yield from _both_ways(raw, part, names, (f"evil_{name}",))


def _commit_gen(raw: Raw) -> Iterator[Row]:
    for part in PARTS[1:]:
        yield from _both_ways(raw, part, (f"{part}-diff", f"{part}-msg"), ("commit_gen",))


def _tl_code_sum(raw: Raw) -> Iterator[Row]:
    for task, kind in (("tl_code_sum_code", "code"), ("tl_code_sum_api", "api")):
        for part in PARTS[1:]:
            names = (f"{part}-{kind}", f"{part}-nl")
            for number, pair in enumerate(_lines(raw, *names), start=1):
                (given_row, given), (wanted_row, wanted) = (_fields(line, 2, names[0], number) for line in pair)
                if given_row != wanted_row:
                    raise SeluError(
                        f"{names[0]}, line {number} is row {given_row}, in {names[1]} {wanted_row}: fetch both."
                    )
                yield Row(task, part, given, wanted, f"{names[0]}:{number}")


def _codenn(raw: Raw) -> Iterator[Row]:
    for language in ("csharp", "sql", "python"):
        for part in PARTS[1:]:
            file = f"{language}_{part}"
            for number, line in _records(raw[file], 5):
                _, _, title, code, _ = _fields(line, 5, file, number)
                yield Row(f"codenn_{language}", part, code, title, f"{file}:{number}")


def _records(lines: Sequence[str], fields: int) -> Iterator[tuple[int, str]]:
    """Yield records with the lines they begin in: a carriage return within a field ends no record."""
    begun, whole = 0, ""
    for number, line in enumerate(lines, start=1):
        begun, whole = (begun, f"{whole}\n{line}") if whole else (number, line)
        if whole.count("\t") >= fields - 1:
            yield begun, whole
            whole = ""
    if whole:
        yield begun, whole


def _buffer_overrun(raw: Raw) -> Iterator[Row]:
    """Cut functions out of files: a label belongs to the line in which its function ends."""
    for file in ("training_100", *(f"test_{number}_100" for number in range(1, 5))):
        part = "train" if file.startswith("train") else "test"
        ends = [line.split(":=:") for line in raw[f"{file}_labels"]]
        places = [0, *(int(end) for end, _ in ends)]
        if places[-1] > len(raw[file]) or any(a >= b for a, b in pairwise(places)):
            raise SeluError(f"{file}_labels does not fit the lines of {file}: fetch both again.")
        for (start, end), (_, label) in zip(pairwise(places), ends, strict=True):
            function = "\n".join(raw[file][start:end])
            yield Row("buffer_overrun", part, function, _WORDS[label], f"{file}:{start + 1}")


def _cosqa(raw: Raw) -> Iterator[Row]:
    file = "cosqa-dev"
    for number, record in enumerate(_json("\n".join(raw[file]), file), start=1):
        answer = _WORDS[str(record["label"])]
        yield Row("cosqa", "valid", [record["doc"], record["code"]], answer, f"{file}:{number}")


READERS: Mapping[str, Callable[[Raw], Iterator[Row]]] = {
    "cosqa": _cosqa,
    "buffer_overrun": _buffer_overrun,
    "code_trans": _code_trans,
    "trans_coder": _trans_coder,
    "bfp": _bfp,
    "code_docstring_corpus": _code_docstring,
    "concode": _concode,
    "conala": _conala,
    "pseudo_gen": _pseudo_gen,
    "ncs": _ncs,
    "nl_2_bash": _nl_2_bash,
    "deep_regex": _regex,
    "shell_code": _shell_code,
    "evil_exploits": _evil,
    "nngen": _commit_gen,
    "tl_code_sum": _tl_code_sum,
    "codenn": _codenn,
}


def _json(text: str, file: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise SeluError(f"{file} is not JSON ({error}): fetch the file again.") from None


def _fields(line: str, number: int, file: str, place: int) -> list[str]:
    fields = line.split("\t")
    if len(fields) != number:
        raise SeluError(
            f"{file}, line {place} has {len(fields)} fields instead of {number}: fetch the file again."
        )
    return fields


def read(reader: str, raw: Raw, set_: str) -> pd.DataFrame:
    """Read all rows of a set, of each of its tasks in the published order.

    Raises:
        SeluError: there is no such reader, or a file is damaged.
    """
    import pandas as pd

    if reader not in READERS:
        raise nearest(reader, READERS, f"reader, named by the pin of {set_},")
    plain = {name.partition(".")[0]: table for name, table in raw.items()}
    rows, counts = [], dict[str, int]()
    for row in READERS[reader](plain):
        number = counts.get(row.task, 0)
        counts[row.task] = number + 1
        source = f"{row.part}/{row.place}"
        rows.append((f"p{number:06d}", row.task, row.part, joined(row.input), joined(row.output), "", source))
    return pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)


def cut_rows(task: Task, sets: Mapping[str, pd.DataFrame]) -> TaskRows:
    """Cut the rows of a task out of its set; the test part is the published one, where there are others."""
    (table,) = sets.values()
    own = table[table["task"] == task.id].reset_index(drop=True)
    test = (own["part"] == "test").tolist()
    rows = own[["id", "input", "label", "group", "source"]]
    return TaskRows(rows, None if all(test) or not any(test) else test)
