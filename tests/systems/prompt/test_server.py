"""The server that all is tested against sends what the providers publish, and counts what users would pay."""

from __future__ import annotations

import json

import anthropic
import openai
import pydantic
import pytest
from anthropic.types import Message
from anthropic.types.messages import MessageBatch, MessageBatchIndividualResponse
from api_anthropic import VERSION
from api_faults import At, Faults
from api_server import CLAUDE, GPT, Server
from calls import BOTH
from openai.types import Batch, FileObject
from openai.types.chat import ChatCompletion

pytestmark = pytest.mark.filterwarnings("ignore:The model 'claude:DeprecationWarning")
NAMES = [f"row-{number}" for number in range(40)]
CHAT = "/v1/chat/completions"


class Sdk:
    """An official SDK, whose own retries are off, and what it is sent, which has the published shape."""

    def __init__(self, server, protocol, timeout=5.0):
        self.openai = protocol == "openai"
        more = {"max_retries": 0, "timeout": timeout}
        if self.openai:
            self.client = openai.OpenAI(api_key=server.openai_key, base_url=server.openai_url, **more)
            self.alone, self.batches = self.client.chat.completions, self.client.batches
        else:
            more |= {"base_url": server.url, "default_headers": {"anthropic-version": VERSION}}
            self.client = anthropic.Anthropic(api_key=server.anthropic_key, **more)
            self.alone, self.batches = self.client.messages, self.client.messages.batches
        self.shape, self.model = (Batch, GPT) if self.openai else (MessageBatch, CLAUDE)

    def ask(self, **more):
        create = self.alone.with_raw_response.create
        return sent(ChatCompletion if self.openai else Message, create, **asked(self.model, **more))

    def submit(self):
        """A batch."""
        create = self.batches.with_raw_response.create
        if not self.openai:
            requests = [{"custom_id": name, "params": asked(CLAUDE, name)} for name in NAMES]
            return sent(MessageBatch, create, requests=requests)
        rows = [{"custom_id": n, "method": "POST", "url": CHAT, "body": asked(GPT, n)} for n in NAMES]
        content = "\n".join(map(json.dumps, rows)).encode()
        upload = self.client.files.with_raw_response.create
        file = sent(FileObject, upload, file=("rows.jsonl", content), purpose="batch")["id"]
        window = {"completion_window": "24h", "metadata": {"a": "b"}}
        return sent(Batch, create, input_file_id=file, endpoint=CHAT, **window)

    def call(self, name, batch):
        """A call of a batch that is there."""
        return sent(self.shape, getattr(self.batches.with_raw_response, name), batch["id"])

    def results(self, batch):
        """The ids of rows, in order, and whether they are answered."""
        if not self.openai:
            text = self.batches.with_raw_response.results(batch["id"]).http_response.read()
            found = [json.loads(line) for line in text.splitlines()]
            as_published(list[MessageBatchIndividualResponse], found)
            return [(line["custom_id"], line["result"]["type"] == "succeeded") for line in found]
        files = [file for file in (batch["output_file_id"], batch["error_file_id"]) if file]
        texts = [self.client.files.content(file).read() for file in files]
        found = [json.loads(line) for line in b"".join(texts).splitlines()]
        bodies = {line["custom_id"]: (line["response"] or {}).get("body", {}) for line in found}
        as_published(list[ChatCompletion], [body for body in bodies.values() if "choices" in body])
        return [(line["custom_id"], "choices" in bodies[line["custom_id"]]) for line in found]


def asked(model, prompt="is it?", **more):
    return {"model": model, "messages": [{"role": "user", "content": prompt}], "max_tokens": 50, **more}


def sent(shape, call, *of, **more):
    """The answer as it came, not the SDK's reading of it."""
    found = call(*of, **more).http_response.json()
    as_published(shape, found)
    return found


def as_published(shape, found):
    """The published shape has every field that it needs, and knows every field that we send."""
    _all_known(pydantic.TypeAdapter(shape).validate_python(found))


def _all_known(value):
    if isinstance(value, list):
        for one in value:
            _all_known(one)
    elif hasattr(value, "model_fields_set"):
        assert not value.model_extra, (type(value), value.model_extra)
        for name in value.model_fields_set:
            _all_known(getattr(value, name))


@pytest.fixture
def server():
    with Server(lambda prompt: prompt.upper()) as running:
        yield running


@pytest.fixture
def sdk(server, protocol):
    return Sdk(server, protocol)


@BOTH
def test_replies_plain_and_structured(sdk):
    schema = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
    if sdk.openai:
        form = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
        plain, structured = (sdk.ask(**more)["choices"][0] for more in ({}, {"response_format": form}))
        assert plain["message"]["content"] == "IS IT?"
        assert json.loads(structured["message"]["content"]) == {"answer": "IS IT?"}
    else:
        tool = {"type": "tool", "name": "answer"}
        tools = {"tools": [{"name": "answer", "input_schema": schema}], "tool_choice": tool}
        plain, structured = (sdk.ask(**more) for more in ({}, tools))
        assert (plain["stop_reason"], plain["content"][0]["text"]) == ("end_turn", "IS IT?")
        assert structured["stop_reason"] == "tool_use"
        assert structured["content"][0]["input"] == {"answer": "IS IT?"}


@BOTH
@pytest.mark.parametrize(
    ("faults", "cancel", "state", "counts"),  # of rows: paid, in the results, answered there
    [
        ({}, False, "completed", (40, 40, 40)),
        ({"shuffled": 1.0, "foreign": 1.0}, False, "completed", (40, 43, 43)),
        ({"row_lost": At(1, times=5)}, False, "completed", (40, 35, 35)),
        ({"row_doubled": At(1, times=5)}, False, "completed", (40, 45, 45)),
        ({"row_error": At(0.5, times=5)}, False, "completed", (35, 40, 35)),
        ({"batch_expired": 1.0}, False, "expired", None),
        ({}, True, "cancelled", (20, 40, 20)),
    ],
    ids=str,
)
def test_a_batch_is_billed_for_what_was_computed_whoever_asks_for_it(
    server, sdk, protocol, faults, cancel, state, counts
):
    server.polls_to_end, server.faults = 1, Faults(5, **faults)
    batch = sdk.submit()
    sdk.call("retrieve", batch)
    if cancel:
        sdk.call("cancel", batch)
    paid = server.paid  # before it is asked for again
    assert set(paid.values()) == {1}
    ended = sdk.call("retrieve", batch)
    assert ended["status" if sdk.openai else "processing_status"] == (state if sdk.openai else "ended")
    found = sdk.results(ended)
    answered = sum(good for _, good in found)
    assert server.paid == paid
    assert (len(paid), len(found), answered) == (counts or (answered, 40, answered))
    assert answered > 0
    names = [name for name, good in found if good and "else" not in name]
    assert (names == sorted(names, key=NAMES.index)) == ("shuffled" not in faults)
