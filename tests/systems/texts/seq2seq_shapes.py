"""Tiny models of the shapes of encoders with a decoder that are tuned."""

from __future__ import annotations

from pathlib import Path

import tiny
import torch


def make(shape: str, folder: Path, positions: int = 64) -> Path:
    """CodeT5 and Tk-Instruct are T5; PLBART is a BART with a norm more."""
    tiny.make("t5", folder)
    if shape == "plbart":
        import transformers

        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        for weights in folder.glob("*.safetensors"):
            weights.unlink()
        torch.manual_seed(3)
        model = transformers.PLBartForConditionalGeneration(
            transformers.PLBartConfig(
                vocab_size=len(tokenizer), d_model=16, encoder_layers=1, decoder_layers=1, encoder_ffn_dim=16,
                decoder_ffn_dim=16, encoder_attention_heads=2, decoder_attention_heads=2, dropout=0.0,
                max_position_embeddings=positions, pad_token_id=tokenizer.pad_token_id,
                eos_token_id=tokenizer.eos_token_id,
                bos_token_id=tokenizer.eos_token_id, decoder_start_token_id=tokenizer.eos_token_id,
                forced_eos_token_id=None,
            )
        )  # fmt: skip
        model.save_pretrained(folder)
    return folder
