"""A model on this machine: what its server saves by computing once what prompts begin with alike.

The same real rows are asked of two servers in turn, twice: one that remembers, as runs do, with several
requests in flight, and one that computes each prompt as a whole, one after the other. Both are llama-cpp-python
on one thread. Prints rows a minute, and processor seconds a row, which hardly depend on what else the machine
does. Ends with an error where an answer differs.

    SELU_MODELS=FOLDER python speed/local_model.py --task security_requirement --rows 40
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))

from selu.execution.prompt import prompts  # noqa: E402
from selu.execution.prompt.plan import pin_of, settings_of  # noqa: E402
from selu.project import find_root  # noqa: E402
from selu.registry import task_of  # noqa: E402
from selu.sources.models import find_weights  # noqa: E402
from selu.systems.prompt import own_server, wire  # noqa: E402
from selu.systems.prompt.hiding import Hidden  # noqa: E402
from selu.systems.prompt.provider_local import Local  # noqa: E402

FORGETS = "from selu.systems.prompt import serve; serve.remembered = lambda *_: 0; serve.main(serve.llama)"
COMMANDS = {"remembers": own_server.COMMAND, "forgets": (sys.executable, "-c", FORGETS)}


def main() -> None:
    """Measure, and compare the answers."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--task", default="security_requirement")
    options.add_argument("--model", default="qwen2.5-coder-0.5b")
    options.add_argument("--rows", type=int, default=40)
    options.add_argument("--shots", type=int, default=0)
    given = options.parse_args()
    root = find_root()
    settings = settings_of(root)
    model = settings.models[given.model]
    pin = pin_of(root, model)
    assert pin is not None
    folder = find_weights(pin, Path(os.environ["SELU_MODELS"]), root / ".selu" / "weights", print)
    settings = {
        "file": str(folder / pin.weights.name),
        "model": model.model,
        "context": model.context,
        "threads": 1,
        "seed": settings.seed,
    }
    rows = [
        text
        for _, text in islice(prompts.requests_of(root, task_of(root, given.task), given.shots), given.rows)
    ]
    params = {"temperature": 0.0, "max_tokens": settings.max_tokens, "seed": settings.seed}
    bodies = [wire.body("openai", model.model, text, params) for text in rows]
    answers: dict[str, list[str | None]] = {}
    spent: dict[str, float] = dict.fromkeys(COMMANDS, 0.0)
    for number in range(4):
        name = list(COMMANDS)[number % 2]
        own_server.COMMAND = COMMANDS[name]
        with own_server.OwnServer(settings, root / ".selu" / "server.log") as server:
            provider = Local(server.key, server.url(), 600.0, Hidden([server.key]), model.model, "", server)
            process = server._process
            assert process is not None
            began, used = time.monotonic(), seconds_of(process.pid)
            at_once = settings.at_once if name == "remembers" else 1  # else one after the other
            with ThreadPoolExecutor(at_once) as pool:
                replies = [wire.read("openai", body) for body in pool.map(provider.ask, bodies)]
            wall, cpu = time.monotonic() - began, seconds_of(process.pid) - used
        spent[name] += cpu
        asked = sum(reply.asked for reply in replies) / len(replies)
        each = f"{60 * len(rows) / wall:.0f} rows a minute, {cpu / len(rows):.3f} processor seconds a row"
        print(f"{name}: {each}, {asked:.0f} tokens a prompt", flush=True)
        found = [reply.text for reply in replies]
        if answers.setdefault("all", found) != found:
            raise SystemExit("the two servers give other answers")
    print(
        f"{spent['forgets'] / spent['remembers']:.1f} times the rows for the same processor time, same answers"
    )


def seconds_of(pid: int) -> float:
    """Processor seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
