from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
import yaml
from bucket import CLOSED

from selu.app.reproduce import reproduce
from selu.runs import store
from selu.vocabulary import SeluError


@pytest.fixture
def fork(tmp_path: Path) -> Path:
    """A clone whose results are to be pulled from a bucket instead of the store in it."""
    digest = hashlib.md5(b"7\n").hexdigest()
    stage = {
        "cmd": "echo 7 > seven.txt",
        "outs": [{"path": "seven.txt", "md5": digest, "hash": "md5", "size": 2}],
    }
    declared = {"seven": {"cmd": stage["cmd"], "outs": ["seven.txt"]}}
    lines = f"[core]\n    no_scm = true\n    remote = far\n['remote \"far\"']\n    url = s3://{CLOSED}/far\n"
    texts = {
        "dvc.yaml": yaml.safe_dump({"stages": declared}),
        "dvc.lock": yaml.safe_dump({"schema": "2.0", "stages": {"seven": stage}}),
        ".dvc/config": lines,
        str(store.object_path(Path(), digest)): "7\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("who", "reason"),
    [
        (None, "Unable to locate credentials"),
        ("wrong", "Forbidden: An error occurred (403) when calling the HeadObject operation: Forbidden"),
    ],
)
def test_a_remote_that_gives_nothing_is_one_sentence(fork, sign, monkeypatch, who, reason):
    monkeypatch.setenv("DVC_SITE_CACHE_DIR", str(fork / ".dvc" / "tmp"))
    monkeypatch.setenv("DVC_NO_ANALYTICS", "1")
    sign(who)
    with pytest.raises(SeluError) as caught:
        reproduce(fork, lambda _: None)
    assert str(caught.value) == (
        f"'dvc pull' failed (failed to connect to s3 ({CLOSED}/far/files/md5) - {reason}): "
        "'git status store .dvc' shows what differs from the clone."
    )
    assert not (fork / "seven.txt").exists()
