"""The official SDKs against the local server, and the requests that its tests send."""

from __future__ import annotations

import json

import anthropic
import openai

GPT, CLAUDE = "gpt-4o-2024-08-06", "claude-3-7-sonnet-20250219"
CHAT = "/v1/chat/completions"


def gpt_of(server, **more):
    """OpenAI's SDK; its own retries are off."""
    return openai.OpenAI(api_key=server.openai_key, base_url=server.openai_url, max_retries=0, **more)


def claude_of(server, **more):
    """Anthropic's SDK; its own retries are off."""
    return anthropic.Anthropic(api_key=server.anthropic_key, base_url=server.url, max_retries=0, **more)


def chat(prompt="is it?", **more):
    return {"model": GPT, "messages": [{"role": "user", "content": prompt}], "max_tokens": 50, **more}


def message(prompt="is it?", **more):
    return {"model": CLAUDE, "messages": [{"role": "user", "content": prompt}], "max_tokens": 50, **more}


def row(name, **more):
    """A line of OpenAI's input file."""
    return {"custom_id": name, "method": "POST", "url": CHAT, "body": chat(f"prompt {name}"), **more}


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def gpt_batch(gpt, content, **more):
    """A batch of a file's bytes, or of the rows with these names."""
    content = content if isinstance(content, bytes) else lines(map(row, content))
    file = gpt.files.create(file=("rows.jsonl", content), purpose="batch")
    return gpt.batches.create(input_file_id=file.id, endpoint=CHAT, completion_window="24h", **more)


def claude_batch(claude, names, **more):
    requests = [{"custom_id": name, "params": message(f"prompt {name}", **more)} for name in names]
    return claude.messages.batches.create(requests=requests)


def rows_of(gpt, file):
    return [json.loads(line) for line in gpt.files.content(file).iter_lines()]


def said_of(gpt, batch):
    """What the rows of an ended batch are answered, in the order of its file."""
    found = rows_of(gpt, batch.output_file_id)
    return [(row["custom_id"], row["response"]["body"]["choices"][0]["message"]["content"]) for row in found]


def raw(call, **given):
    """The answer as it came, not the SDK's reading of it."""
    return call.with_raw_response.create(**given).http_response


def as_published(model, found):
    """The published shape has every field that it needs, and knows every field that we send."""
    _all_known(model.model_validate(found))


def _all_known(value):
    if isinstance(value, list):
        for one in value:
            _all_known(one)
    elif hasattr(value, "model_fields_set"):
        assert not value.model_extra, (type(value), value.model_extra)
        for name in value.model_fields_set:
            _all_known(getattr(value, name))
