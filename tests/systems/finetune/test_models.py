"""A network computes what the library computes, however texts lie in its batches."""

from __future__ import annotations

import dataclasses
import random

import pytest
import tiny
import torch
from safetensors.torch import load_file
from torch.nn.utils.rnn import pad_sequence

from selu.systems.finetune import answers, batches, examples, models
from selu.systems.finetune.examples import Example
from selu.systems.finetune.models import Shape
from selu.vocabulary import SeluError

CPU = torch.device("cpu")
OUTPUTS = {"binary": 2, "multi_class": 3, "multi_label": 4, "regression": 1, "entities": 5, "masked": 0}
CELLS = [(family, kind) for family in tiny.FAMILIES for kind in tiny.KINDS if tiny.supports(family, kind)]
# One kind per form of head; the others differ in nothing that a network sees but the width.
FEW = [cell for cell in CELLS if cell[1] in ("multi_class", "entities", "masked")]


class Scene:
    """A network packed and padded, and examples of very different lengths."""

    def __init__(self, folder, kind, head="library", dropout=0.1):
        self.kind, self.tokens = kind, kind in answers.TOKENS
        self.tokenizer = models.load_tokenizer(folder, self.tokens)
        shape = Shape(kind, OUTPUTS[kind], head, dropout)
        self.packed = models.build(folder, self.tokenizer, shape, 1, torch.float32).eval()
        self.padded = models.build(folder, self.tokenizer, shape, 1, torch.float32, packed=False).eval()
        texts = [*tiny.texts(20, 1), "", "a", "x " * 200, "fix"]
        ids, _ = examples.of_texts(self.tokenizer, texts, tiny.CONTEXT)
        draw = random.Random(1)
        wanted = {"multi_label": [1.0, 0.0, 0.0, 1.0], "regression": 2.5}
        self.examples = [
            Example(each, [draw.randrange(5) for _ in each], tuple(range(len(each)))) if self.tokens
            else Example(each, wanted.get(kind, draw.randrange(2))) for each in ids
        ]  # fmt: skip
        self.lengths = [len(each) for each in ids]
        self.rows = range(len(ids))

    def form(self, network, **changed):
        return dataclasses.replace(network.form(CPU), **changed)

    def logits(self, network, size, shuffled=False, **changed):
        """Logits of each example, computed in batches of this size, of like length or ``shuffled``."""
        found, form = {}, self.form(network, **changed)
        ordered = sorted(self.rows, key=lambda row: -self.lengths[row])
        if shuffled:
            random.Random(2).shuffle(ordered)
        for i in range(0, len(ordered), size):
            rows = ordered[i : i + size]
            if form.packed:  # which lays the longest first
                rows.sort(key=lambda row: -self.lengths[row])
            batch = batches.collate(self.examples, rows, form, self.tokens)
            with torch.no_grad():
                counts = [len(self.examples[row].places) if self.tokens else 1 for row in batch.rows]
                found.update(zip(batch.rows, network(batch).split(counts), strict=True))
        return torch.cat([found[row] for row in self.rows])

    def gradient(self, network, budget, **changed):
        """Gradient of the mean loss of all examples, in micro-batches of this budget."""
        network.zero_grad(set_to_none=True)
        size = answers.units(self.examples, self.rows, self.kind)
        form, parts = self.form(network, **changed), 0
        for part in batches.cut(self.lengths, self.rows, budget, form.packed):
            logits = network(batches.collate(self.examples, part, form, self.tokens))
            wanted = answers.targets(self.examples, part, self.kind, CPU)
            (answers.loss(logits, wanted, self.kind) / size).backward()
            parts += 1
        return parts, {name: p.grad for name, p in network.named_parameters() if p.grad is not None}


@pytest.fixture
def scene(model):
    return lambda family, kind, *rest: Scene(model(family), kind, *rest)


@pytest.mark.ci
@pytest.mark.parametrize(("family", "kind"), FEW)
def test_equals_the_librarys_own_forward(scene, family, kind):
    made = scene(family, kind)
    ids = [torch.tensor(each.ids) for each in made.examples]
    mask = pad_sequence([torch.ones_like(each) for each in ids], batch_first=True)
    padded = pad_sequence(ids, batch_first=True, padding_value=made.padded.model.config.pad_token_id)
    with torch.no_grad():
        wanted = made.padded.model(input_ids=padded, attention_mask=mask).logits
    if made.tokens:
        wanted = wanted[mask.bool()]
    found = made.logits(made.packed, 64)
    torch.testing.assert_close(found, wanted, rtol=1e-6, atol=1e-5)
    assert float(wanted.std()) > 1e-3  # weights large enough that texts differ


@pytest.mark.ci
@pytest.mark.parametrize(
    ("family", "kind", "head"),
    [(*cell, "library") for cell in FEW]
    + [(family, "multi_class", "figure3") for family in ("bert", "llama", "t5")]
    + [
        pytest.param(family, kind, "figure3", marks=pytest.mark.slow)
        for family, kind in FEW
        if kind == "entities" or (kind == "multi_class" and family not in ("bert", "llama", "t5"))
    ],
)
def test_logits_know_nothing_of_their_batch(scene, family, kind, head):
    made = scene(family, kind, head)
    alone = made.logits(made.padded, 1)
    ways = {f"packed {size}": (made.packed, size, {}) for size in (1, 2, 7, 64)}
    ways |= {f"padded {size}": (made.padded, size, {}) for size in (2, 7, 64)}
    ways |= {
        f"left {width}": (made.padded, 7, {"left": True, "width": width}) for width in (None, tiny.CONTEXT)
    }
    ways["wide"] = (made.padded, 7, {"width": tiny.CONTEXT})
    ways |= {f"shuffled {size}": (made.padded, size, {"shuffled": True}) for size in (7, 64)}
    ways |= {f"packed, shuffled {size}": (made.packed, size, {"shuffled": True}) for size in (2, 7)}
    for name, (network, size, form) in ways.items():
        found = made.logits(network, size, **form)
        torch.testing.assert_close(
            found, alone, rtol=1e-6, atol=1e-5, msg=lambda text, name=name: f"{name}: {text}"
        )
        top = alone.topk(min(2, alone.shape[1])).values
        clear = (top[:, 0] - top[:, -1]) > 2e-5  # equal but for rounding: either is right
        assert torch.equal(found.argmax(-1)[clear], alone.argmax(-1)[clear]), name
        assert torch.equal((found > 0)[alone.abs() > 1e-5], (alone > 0)[alone.abs() > 1e-5]), name


@pytest.mark.ci
@pytest.mark.parametrize(("family", "kind"), FEW)
def test_gradients_add_up_to_that_of_one_padded_batch(scene, family, kind):
    made = scene(family, kind)
    padded_parts, wanted = made.gradient(made.padded, 10**9)
    packed_parts, found = made.gradient(made.packed, 100)
    _, left = made.gradient(made.padded, 150, left=True)
    assert padded_parts == 1
    assert packed_parts > 4
    assert found.keys() == wanted.keys() == left.keys()
    whole = torch.cat([wanted[name].flatten() for name in wanted])
    for other in (found, left):
        apart = torch.cat([other[name].flatten() for name in wanted]) - whole
        assert float(apart.norm() / whole.norm()) < 1e-5


@pytest.mark.parametrize(
    ("family", "head", "seen"),
    [
        ("gpt2", "library", {0: True, 24: True, -1: True}),
        ("llama", "figure3", {0: True, 24: True, -1: True}),
        ("starcoder2", "library", {0: False, 24: False, -5: True, -1: True}),  # two layers with windows of 6
        ("modernbert", "library", {0: True, 24: True, -1: True}),
    ],
)
def test_what_a_texts_answer_depends_on(scene, family, head, seen):
    made = scene(family, "multi_class", head)
    long = max(made.rows, key=lambda row: made.lengths[row])
    ids = made.examples[long].ids
    before = made.logits(made.packed, 64)
    for place, moves in seen.items():
        changed = list(ids)
        changed[place] = 5 if changed[place] != 5 else 6
        made.examples[long] = dataclasses.replace(made.examples[long], ids=changed)
        apart = (made.logits(made.packed, 64) - before).abs().amax(1)
        assert (float(apart[long]) > 1e-6) == moves, place
        assert not apart[[row for row in made.rows if row != long]].any()


def test_a_new_head_is_drawn_from_the_seed_alone(model):
    tokenizer = models.load_tokenizer(model("bert"))
    made = {}
    for head in ("library", "figure3"):
        for seed in (1, 1, 2):
            torch.manual_seed(seed * len(made))  # whatever was drawn before
            shape = Shape("binary", 2, head, 0.1)
            made.setdefault((head, seed), []).append(
                models.build(model("bert"), tokenizer, shape, seed, torch.float32)
            )
        (first, again), (other,) = made[head, 1], made[head, 2]
        name = "own.linear.weight" if head == "figure3" else "model.classifier.weight"
        states = [network.state_dict() for network in (first, again, other)]
        assert torch.equal(states[0][name], states[1][name])
        assert not torch.equal(states[0][name], states[2][name])
        backbone = [n for n in states[0] if "encoder" in n]
        assert all(torch.equal(states[0][n], states[2][n]) for n in backbone)


@pytest.mark.parametrize("family", tiny.FAMILIES)
def test_the_folders_weights_are_all_loaded(model, family):
    """Nothing but a head is drawn again."""
    folder = model(family)
    network = models.build(
        folder, models.load_tokenizer(folder), Shape("binary", 2, "figure3", 0.1), 1, torch.float32
    )
    given = {name.split(".", 1)[-1]: tensor for name, tensor in load_file(folder / "model.safetensors").items()}
    given |= load_file(folder / "model.safetensors")
    drawn = [
        n
        for n, tensor in network.model.state_dict().items()
        if n not in given or not torch.equal(given[n], tensor)
    ]
    assert [n for n in drawn if "embed_tokens" not in n] == []  # T5 ties its own to `shared`


class TestFolders:
    @pytest.mark.parametrize(
        ("config", "weights", "words"),
        [
            ("", "model.safetensors", r"holds no model: its config\.json is missing"),
            ("{", "model.safetensors", "missing or not JSON"),
            ('{"model_type": "bert", "auto_map": {"AutoModel": "x.Y"}}', "model.safetensors", "never run"),
            ('{"model_type": "mamba"}', "model.safetensors", r"'mamba'; known are bert, .*t5"),
            ('{"model_type": "bert"}', "pytorch_model.bin", r"holds no \*\.safetensors"),
        ],
    )
    def test_what_is_no_model_of_ours(self, tmp_path, config, weights, words):
        if config:
            (tmp_path / "config.json").write_text(config)
        (tmp_path / weights).touch()
        with pytest.raises(SeluError, match=words):
            models.check_folder(tmp_path)

    @pytest.mark.parametrize("family", [*tiny.DECODERS, "t5"])
    def test_masked_tokens_need_an_encoder(self, model, family):
        with pytest.raises(SeluError, match="encoder-only"):
            models.build(model(family), None, Shape("masked", 0, "library", 0.1), 1, torch.float32)
