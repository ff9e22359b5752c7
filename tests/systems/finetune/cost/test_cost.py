from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from typing import Any

import pytest

from selu import registry
from selu.cost.pace import shapes
from selu.systems.finetune import cost
from selu.systems.finetune.cost import Meter, peak_flops, shape_of
from selu.systems.finetune.cost.memory import activations, training
from selu.systems.finetune.cost.shape import Shape, from_config
from selu.vocabulary import SeluError

SMALL = Shape(2, 32, 4, 4, 8, 64, 100)
COUNTED = [
    *(s for s in registry.systems("selu") if s.parameters_counted),
    *(extra.system for extra in registry.other_systems()),
]
# model_type -> a tiny model; windows are wider than its texts, whose squares the oracle counts.
_PLAIN = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 80}
TINY: dict[str, dict[str, Any]] = {
    "bert": _PLAIN,
    "roberta": _PLAIN,
    "mpnet": _PLAIN,
    "modernbert": {**_PLAIN, "num_hidden_layers": 4, "local_attention": 128},
    "gpt2": {"n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": 64},
    "llama": {**_PLAIN, "num_key_value_heads": 2},
    "starcoder2": {**_PLAIN, "num_key_value_heads": 2},
    "t5": {"d_model": 32, "num_layers": 3, "num_decoder_layers": 2, "num_heads": 4, "d_kv": 16, "d_ff": 72},
}
T5 = {"model_type": "t5", "vocab_size": 9, "d_model": 8, "num_layers": 2, "num_heads": 1, "d_kv": 8, "d_ff": 8}


@pytest.mark.parametrize("system", COUNTED, ids=lambda system: system.id)
def test_declared_shapes_have_the_published_number_of_parameters(system):
    assert len(shapes()) == len(COUNTED)  # and no other system has one
    assert shapes()[system.id].parameters == pytest.approx(system.parameters_counted, rel=0.002)
    if shapes()[system.id].positions and system.context:
        assert shapes()[system.id].positions - system.context in (0, 2)


def _model(kind: str) -> Any:
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    config = transformers.AutoConfig.for_model(
        kind, vocab_size=120, pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2,
        **TINY[kind],
    )  # fmt: skip
    torch.manual_seed(0)
    return transformers.AutoModel.from_config(config, attn_implementation="eager", dtype=torch.float32)


@pytest.mark.ci
@pytest.mark.parametrize("kind", TINY)
def test_operations_agree_with_those_that_torch_counts(kind):
    torch = pytest.importorskip("torch")
    from torch.utils.flop_counter import FlopCounterMode

    model = _model(kind)
    shape = shape_of(json.loads(model.config.to_json_string()))
    assert shape is not None
    for texts, length in ((3, 40), (2, 7)):
        ids = torch.randint(3, 100, (texts, length))
        options = {"decoder_input_ids": ids} if kind == "t5" else {}
        if kind not in ("t5", "bert", "mpnet"):
            options["use_cache"] = False
        for backward in (False, True):
            with FlopCounterMode(display=False) as counter:
                hidden = model(input_ids=ids, **options).last_hidden_state
                if backward:
                    hidden.sum().backward()
            counted = shape.flops([length] * texts, backward=backward)
            assert counted == pytest.approx(counter.get_total_flops(), rel=0.03)


def test_a_text_takes_what_it_takes_alone():
    assert SMALL.flops([5, 9, 9]) == SMALL.flops([5]) + 2 * SMALL.flops([9])
    assert SMALL.flops([18]) > SMALL.flops([9, 9])
    assert SMALL.flops([]) == 0
    assert SMALL.flops([7], backward=True) == 3 * SMALL.flops([7])
    by_hand = 2 * 2 * (4 * 32 * 32 + 2 * 32 * 64) * 9 + 2 * 4 * 32 * 9 * 9
    assert SMALL.flops([9]) == by_hand
    assert SMALL.flops([9], asked=2) == by_hand + 2 * 32 * 100 * 2


def test_local_layers_see_their_window_only():
    wide = Shape(4, 8, 1, 1, 8, 8, 9)
    local, mixed = replace(wide, window=16), replace(wide, window=16, global_every=3)
    assert wide.flops([16]) == local.flops([16]) == mixed.flops([16])
    square, band = 4 * 8 * 64 * 64, 4 * 8 * 64 * 16
    assert wide.flops([64]) - local.flops([64]) == 4 * (square - band)
    assert wide.flops([64]) - mixed.flops([64]) == 2 * (square - band)  # layers 0 and 3 see everything


def test_modernbert_names_its_layers_in_either_way():
    known = {"model_type": "modernbert", "vocab_size": 9, "hidden_size": 8, "num_hidden_layers": 6}
    known |= {"num_attention_heads": 2, "intermediate_size": 8, "local_attention": 128}
    kinds = ["full_attention" if i % 3 == 0 else "sliding_attention" for i in range(6)]
    other = from_config({**known, "global_attn_every_n_layers": 3})
    assert from_config({**known, "layer_types": kinds}) == other


def test_configs_that_say_too_little():
    with pytest.raises(SeluError, match="model_type is 'mamba'; known: bert, "):
        from_config({"model_type": "mamba"})
    with pytest.raises(SeluError, match="of a t5 model has no 'd_kv'"):
        from_config({name: value for name, value in T5.items() if name != "d_kv"})
    assert shape_of({"model_type": "mamba"}) is None
    whole, encoder = shape_of(T5), shape_of(T5, decoder=False)
    assert whole is not None
    assert encoder == whole.without_decoder()
    assert whole.decoder_layers == 2


@pytest.mark.parametrize(
    ("device", "precision", "expected"),
    [
        ("NVIDIA A100-SXM4-80GB", "bf16", 312e12),
        ("NVIDIA A100-SXM4-80GB", "fp32", 19.5e12),
        ("Tesla T4", "fp32", 8.1e12),
        ("Tesla T4", "bf16", None),
        ("NVIDIA A100-SXM4-40GB MIG 3g.20gb", "bf16", None),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", "bf16", None),
        ("cpu", "fp32", None),
    ],
)
def test_a_peak_is_known_or_none(device, precision, expected):
    assert peak_flops(device, precision) == expected


def test_memory_follows_the_published_formulas():
    """16 bytes a parameter and its shares (ZeRO)."""
    shape = Shape(5, 64, 8, 8, 8, 256, 1000)
    layer = 34 * 64 + 4 * 8  # Korthikanti et al.'s, and attention's sums
    assert activations(shape, "bf16") == 5 * layer
    assert activations(shape, "bf16", checkpointed=True) == 5 * 2 * 64 + layer
    n = shape.parameters
    assert training(shape, "fp32", 0) == 16 * n
    assert training(shape, "bf16", 0) == 18 * n
    assert training(shape, "mixed", 0) == 18 * n
    assert training(shape, "mixed", 10, processes=4) == (6 + 1 + 3) * n + 10 * activations(shape, "mixed")
    # without autocast's copies in 16 bits
    assert training(shape, "fp32", 0, processes=4) == (4 + 1 + 3) * n


@pytest.mark.slow
def test_shared_memory_of_bf16_weights_is_what_deepspeed_reckons():
    zero = pytest.importorskip("deepspeed.runtime.zero.stage_1_and_2")
    for processes in (2, 4, 8):
        _, expected = zero.estimate_zero2_model_states_mem_needs(SMALL.parameters, processes, cpu_offload=False)
        found = training(SMALL, "bf16", 0, processes=processes)
        assert found == pytest.approx(expected, abs=2)


def test_a_meter_counts_and_goes_on_after_an_interruption():
    meter = Meter(SMALL, "cpu", 1e9)
    meter.add([3, 5], 10, backward=True)
    before = json.loads(json.dumps(meter.state()))
    after = Meter(SMALL, "cpu", 1e9)
    after.restore(before)
    after.add([4], 4, backward=False)
    found = after.result()
    assert set(found) == {*before, "utilisation"}
    assert (found["useful_tokens"], found["computed_tokens"]) == (12, 14)
    assert found["flops"] == SMALL.flops([3, 5], backward=True) + SMALL.flops([4])
    assert found["seconds"] > before["seconds"] > 0
    assert found["cpu"] >= before["cpu"] >= 0
    assert found["utilisation"] == pytest.approx(found["flops"] / (found["seconds"] * 1e9))
    json.dumps(found)
    assert Meter(SMALL, "cpu", None).result()["utilisation"] is None
    unknown = Meter(None, "cpu", 1e9)
    unknown.add([3], 3, backward=True)
    assert (unknown.result()["flops"], unknown.result()["utilisation"]) == (None, None)


def test_processes_side_by_side_are_one_cost():
    first, other = Meter(SMALL, "cpu", 1e6), Meter(SMALL, "cpu", 1e6)
    first.add([8], 8, backward=True)
    other.add([4], 6, backward=True)
    beside = {**other.state(), "seconds": 100.0, "peak_memory_bytes": 1 << 50}
    found = first.result([beside])
    assert (found["useful_tokens"], found["computed_tokens"]) == (12, 14)
    assert (found["seconds"], found["peak_memory_bytes"]) == (100.0, 1 << 50)
    assert found["utilisation"] == pytest.approx(SMALL.flops([8, 4], backward=True) / (100 * 2e6))


def test_processor_seconds_and_memory_are_those_of_the_process(tmp_path, monkeypatch):
    meter = Meter(None, "cpu", None)
    until = time.process_time() + 0.05
    held = bytearray(os.urandom(1 << 20)) * 30
    while time.process_time() < until:
        pass
    assert meter.result()["cpu"] >= 0.05
    assert meter.result()["peak_memory_bytes"] > len(held)
    monkeypatch.setattr(cost, "_STATUS", tmp_path / "none")  # where the system does not tell the peak
    assert cost.peak_memory("cpu") > len(held)


@pytest.mark.skipif(not cost._REFERENCES.exists(), reason="the system keeps one peak for a process's life")
def test_memory_of_an_earlier_training_is_not_counted_again():
    first = Meter(None, "cpu", None)
    held = bytearray(os.urandom(1 << 20)) * 400
    most = first.result()["peak_memory_bytes"]
    del held
    second = Meter(None, "cpu", None)
    assert second.result()["peak_memory_bytes"] < most - (300 << 20)
