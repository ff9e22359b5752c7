"""Heads by themselves; that the library's are reached rightly is seen in test_models.py."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from selu.systems.finetune import heads


def test_figure_3_is_dropout_and_one_linear_layer():
    torch.manual_seed(1)
    head = heads.Figure3(32, 3, 0.5, 0.02)
    hidden = torch.randn(2000, 32)
    assert 0.015 < float(head.linear.weight.detach().std()) < 0.025
    assert not head.linear.bias.any()
    exact = hidden @ head.linear.weight.T
    torch.testing.assert_close(head.eval()(hidden), exact)
    dropped = head.train()(hidden)
    assert not torch.allclose(dropped, exact)
    torch.testing.assert_close(dropped.mean(0), exact.mean(0), rtol=0, atol=0.02)


@given(st.lists(st.integers(1, 20), min_size=1, max_size=9), st.sampled_from([torch.float32, torch.bfloat16]))
def test_the_mean_of_each_text(lengths, dtype):
    hidden = torch.randn(sum(lengths), 4, generator=torch.Generator().manual_seed(1)).to(dtype)
    texts = torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(lengths))
    wanted = torch.stack([part.float().mean(0) for part in hidden.split(lengths)])
    found = heads.mean(hidden, texts, len(lengths))
    assert found.dtype == dtype
    torch.testing.assert_close(
        found, wanted.to(dtype), rtol=1e-5 if dtype == torch.float32 else 0.01, atol=1e-6
    )
