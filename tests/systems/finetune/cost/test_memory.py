"""What layers keep for their backward pass, as counted for plans, against what the library's layers do keep."""

from __future__ import annotations

import pytest
import torch
import transformers
from torch.nn import functional

from selu.systems.finetune import batches, models
from selu.systems.finetune.attention import packing
from selu.systems.finetune.cost import memory
from selu.systems.finetune.cost.shape import from_config
from selu.systems.finetune.examples import Example

CPU, TOKENS = torch.device("cpu"), (40, 104)
WIDE = {"hidden_size": 160, "num_hidden_layers": 6, "num_attention_heads": 5, "intermediate_size": 400}
ENDS = {"vocab_size": 30, "num_labels": 3, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
DROPPED = {
    "residual_dropout": 0.1,
    "embedding_dropout": 0.1,
    "attention_dropout": 0.1,
}  # as the published one has
SIZES = {
    "bert": WIDE,
    "roberta": {**WIDE, "max_position_embeddings": 600},
    "mpnet": {**WIDE, "max_position_embeddings": 600},
    "modernbert": {**WIDE, "classifier_pooling": "mean", "cls_token_id": 1, "sep_token_id": 2},
    "gpt2": {"n_embd": 160, "n_layer": 6, "n_head": 5, "n_inner": 400},
    "llama": {**WIDE, "num_key_value_heads": 1},
    "starcoder2": {**WIDE, **DROPPED, "num_key_value_heads": 1, "sliding_window": 64},
    "t5": {
        "d_model": 160,
        "d_kv": 32,
        "d_ff": 400,
        "num_layers": 6,
        "num_heads": 5,
        "decoder_start_token_id": 0,
    },
}


class Kernel(torch.autograd.Function):
    """Keeps what a GPU's kernel for packed texts keeps: q, k, v, its output, a number a head and token."""

    @staticmethod
    def forward(ctx, q, k, v):
        out = torch.zeros_like(q)
        ctx.save_for_backward(q, k, v, out, torch.zeros(q.shape[1], q.shape[0]))
        return out


def attend(q, k, v):
    half = torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else q.dtype
    return Kernel.apply(*(x[0].transpose(0, 1).to(half).contiguous() for x in (q, k, v))).to(q.dtype)[None]


@pytest.fixture
def as_on_a_gpu(monkeypatch):
    """Dropout that keeps a bit a value, as a byte, and attention by a kernel; both are so on GPUs alone."""

    def dropout(x, p=0.5, training=True, inplace=False):
        return torch.native_dropout(x, p, True)[0] if training and p else x

    monkeypatch.setattr(functional, "dropout", dropout)
    monkeypatch.setattr(packing, "attention", lambda _, q, k, v, *arguments, **options: (attend(q, k, v), None))
    monkeypatch.setattr(
        functional, "scaled_dot_product_attention", lambda q, k, v, **options: attend(q, k, v).transpose(1, 2)
    )
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)  # for GPT-2's activation
    yield
    monkeypatch.undo()
    packing.register()


def kept(family, precision, tokens):
    """Bytes that a whole network keeps for the backward pass of one text, its own weights left out."""
    packing.register()
    packed = family in models.PACKABLE
    config = transformers.AutoConfig.for_model(family, **SIZES[family], **ENDS)
    for name, value in models.fused(config.to_dict()).items():
        setattr(config, name, value)
    model = transformers.AutoModelForSequenceClassification.from_config(
        config, dtype=models.DTYPES[precision], attn_implementation=packing.NAME if packed else "sdpa"
    )
    network = models.Network(model, models.Shape("multi_class", 3, "library", 0.1), packed).train()
    batch = batches.collate([Example([5] * tokens, 0)], [0], network.form(CPU), False)
    own = {x.untyped_storage().data_ptr() for x in (*network.parameters(), *network.buffers())}
    found, held = {}, []

    def keep(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            found[storage.data_ptr()] = storage.nbytes()
            held.append(tensor)  # so that its place is not given away
        return tensor

    mixed = torch.autocast("cpu", torch.bfloat16, enabled=precision == "mixed")
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor), mixed:
        network(batch)
    return sum(found.values()), config.to_dict()


@pytest.mark.ci
@pytest.mark.parametrize("precision", ["bf16", "mixed", "fp32"])
@pytest.mark.parametrize("family", models.FAMILIES)
@pytest.mark.usefixtures("as_on_a_gpu")
def test_a_token_takes_as_much_as_planned(family, precision):
    """Planned too low, a training dies hours after its start; too high, it takes twice the GPUs."""
    (low, config), (high, _) = (kept(family, precision, tokens) for tokens in TOKENS)
    measured = (high - low) / (TOKENS[1] - TOKENS[0])
    assert memory.activations(from_config(config), precision) == pytest.approx(measured, rel=0.1)


@pytest.mark.usefixtures("as_on_a_gpu")
def test_gpt2s_gelu_is_the_same_function_in_one_kernel():
    """The published model's scores stay what they are: nothing but rounding differs."""
    from transformers.activations import ACT2FN

    (name,) = models.fused({"model_type": "gpt2"}).values()
    assert models.fused({"model_type": "gpt2", "activation_function": "relu"}) == {}
    points = torch.linspace(-12, 12, 100_001, dtype=torch.float64)
    assert float((ACT2FN[name](points) - ACT2FN["gelu_new"](points)).abs().max()) < 1e-14
    single = points.float()
    assert float((ACT2FN[name](single) - ACT2FN["gelu_new"](single)).abs().max()) < 1e-6


def test_on_a_cpu_gpt2_stays_as_it_is():
    assert models.fused({"model_type": "gpt2"}) == {}
