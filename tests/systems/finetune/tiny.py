"""Tiny models of every architecture with random weights; tokenizers; made-up jobs."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from selu.systems.finetune.job import Job, Rows

ENCODERS = ("bert", "roberta", "mpnet", "modernbert")
DECODERS = ("gpt2", "llama", "starcoder2")
FAMILIES = (*ENCODERS, "modernbert-cls", *DECODERS, "t5")
CONTEXT = 48
_SAMPLE_TEXT = (
    "the build fails when a test runs twice and nobody knows why please fix it add new feature for users parser"
    " crashes on empty input return null check value naïve façade 测试 system shall store records open close"
)
WORDS = _SAMPLE_TEXT.split()
ODD = [
    "", "a", "\ud800 x", "\udc00", "\ufeff", "   ", "\n", "\x00", "</s> <pad> [MASK] <|endoftext|>", "\u200b",
    "😀", "w " * 200, "\u0301",
]  # fmt: skip


def text(draw: random.Random, words: int) -> str:
    return " ".join(draw.choices(WORDS, k=words))


def texts(count: int, seed: int = 0, longest: int = 40) -> list[str]:
    """Texts of very different lengths, most of them short."""
    draw = random.Random(seed)
    return [text(draw, max(1, int(longest * draw.random() ** 3))) for _ in range(count)]


def make(family: str, folder: Path, seed: int = 0) -> Path:
    """A folder with a model of this architecture, as it would come from a hub."""
    import torch

    tokenizer = _tokenizer(family)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    model = _model(family, len(tokenizer), tokenizer)
    draw = torch.Generator().manual_seed(seed)
    for parameter in model.parameters():  # larger than at birth, so that what differs is seen
        with torch.no_grad():
            parameter.add_(torch.randn(parameter.shape, generator=draw) * 0.1)
    model.save_pretrained(folder)
    return folder


def _model(family: str, vocabulary: int, tokenizer: Any) -> Any:
    import transformers as t

    size = {"vocab_size": vocabulary, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    wide = {**size, "intermediate_size": 48, "pad_token_id": tokenizer.pad_token_id}
    ends = {
        "bos_token_id": tokenizer.bos_token_id or tokenizer.eos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
    }
    if family == "bert":
        return t.BertForMaskedLM(t.BertConfig(**wide, max_position_embeddings=CONTEXT))
    if family == "roberta":
        config = t.RobertaConfig(**wide, **ends, max_position_embeddings=CONTEXT + 2, type_vocab_size=1)
        return t.RobertaForMaskedLM(config)
    if family == "mpnet":
        config = t.MPNetConfig(**wide, **ends, max_position_embeddings=CONTEXT + 2)
        return t.MPNetForMaskedLM(config)
    if family.startswith("modernbert"):
        config = t.ModernBertConfig(
            **{**wide, "num_hidden_layers": 3}, max_position_embeddings=CONTEXT, local_attention=8,
            global_attn_every_n_layers=2, classifier_pooling="cls" if family.endswith("cls") else "mean",
            cls_token_id=tokenizer.cls_token_id, sep_token_id=tokenizer.sep_token_id,
            bos_token_id=tokenizer.cls_token_id, eos_token_id=tokenizer.sep_token_id,
        )  # fmt: skip
        return t.ModernBertForMaskedLM(config)
    if family == "gpt2":
        config = t.GPT2Config(
            vocab_size=vocabulary, n_embd=32, n_layer=2, n_head=4, n_positions=CONTEXT, **ends
        )
        return t.GPT2LMHeadModel(config)
    if family == "llama":
        config = t.LlamaConfig(**wide, **ends, num_key_value_heads=2, max_position_embeddings=CONTEXT)
        return t.LlamaForCausalLM(config)
    if family == "starcoder2":
        config = t.Starcoder2Config(
            **wide, **ends, num_key_value_heads=2, max_position_embeddings=CONTEXT, sliding_window=6
        )
        return t.Starcoder2ForCausalLM(config)
    config = t.T5Config(
        vocab_size=vocabulary, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4, decoder_start_token_id=0,
        relative_attention_num_buckets=8, relative_attention_max_distance=16,
    )  # fmt: skip
    return t.T5ForConditionalGeneration(config)


def _tokenizer(family: str) -> Any:
    from transformers import PreTrainedTokenizerFast

    own = {"bert": _wordpiece, "t5": _unigram, "mpnet": lambda: _bytes("roberta")}  # both have 1 as padding
    core, special = own.get(family, lambda: _bytes(family))()
    return PreTrainedTokenizerFast(tokenizer_object=core, **special)


def _wordpiece() -> tuple[Any, dict[str, str]]:
    """Half of the words are whole in the vocabulary, the others a beginning and an end.

    The library's trainer breaks ties by the order of a hash table, another in each process: with it no two runs
    of a test would train the same model.
    """
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    normalizer, cut = normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
    words = sorted({word for word, _ in cut.pre_tokenize_str(normalizer.normalize_str(_SAMPLE_TEXT))})
    letters, parted = sorted(set("".join(words))), words[1::2]
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = [*names, *letters, *(f"##{letter}" for letter in letters), *words[::2]]
    pieces += [piece for word in parted for piece in (word[:2], f"##{word[2:]}") if piece != "##"]
    vocabulary = {piece: i for i, piece in enumerate(dict.fromkeys(pieces))}
    core = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    core.normalizer, core.pre_tokenizer = normalizer, cut
    core.add_special_tokens(names)
    core.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, core.token_to_id(name)) for name in ("[CLS]", "[SEP]")],
    )  # fmt: skip
    return core, {
        f"{kind}_token": name for kind, name in zip(("pad", "unk", "cls", "sep", "mask"), names, strict=True)
    }


def _bytes(family: str) -> tuple[Any, dict[str, str]]:
    from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, processors, trainers

    marks = {"unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "pad": "[PAD]", "mask": "[MASK]"}
    special = {
        "roberta": {"bos": "<s>", "pad": "<pad>", "eos": "</s>", "unk": "<unk>", "mask": "<mask>"},
        "gpt2": {"eos": "<|endoftext|>"}, "starcoder2": {"eos": "<|endoftext|>"},
        "llama": {"bos": "<|begin_of_text|>", "eos": "<|end_of_text|>"},
    }.get(family, marks)  # fmt: skip
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=family == "roberta")
    core.train_from_iterator(
        [" ".join(WORDS)] * 3,
        trainers.BpeTrainer(
            vocab_size=330,
            special_tokens=[AddedToken(s, special=True, lstrip="mask" in s.lower()) for s in special.values()],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        ),
    )  # fmt: skip
    around = {
        "roberta": ("<s>", "</s>"),
        "llama": ("<|begin_of_text|>", None),
        "gpt2": (None, None),
        "starcoder2": (None, None),
    }
    before, after = around.get(family, ("[CLS]", "[SEP]"))
    if before is not None:
        names = [name for name in (before, after) if name]
        core.post_processor = processors.TemplateProcessing(
            single=f"{before} $A {after or ''}".strip(),
            special_tokens=[(n, core.token_to_id(n)) for n in names],
        )
    names = {f"{kind}_token": name for kind, name in special.items()}
    if family == "roberta":
        names |= {"cls_token": "<s>", "sep_token": "</s>"}
    return core, names


def _unigram() -> tuple[Any, dict[str, str]]:
    """Letters and, likelier, halves of words and whole ones; not trained, as ``_wordpiece``."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    names, words = ["<pad>", "</s>", "<unk>"], sorted(set(WORDS))
    pieces = [(name, 0.0) for name in names]
    pieces += [(letter, -6.0) for letter in ["▁", *sorted(set("".join(words)))]]
    longer = [f"▁{word}" for word in words[::2]]
    longer += [piece for word in words[1::2] for piece in (f"▁{word[:2]}", word[2:]) if len(piece) > 1]
    pieces += [(piece, -5.0) for piece in dict.fromkeys(longer)]
    core = Tokenizer(models.Unigram(pieces, unk_id=2))
    core.pre_tokenizer = pre_tokenizers.Metaspace()
    core.add_special_tokens(names)
    core.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return core, {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}


KINDS = ("binary", "multi_class", "multi_label", "regression", "entities", "masked")
LABELS = {
    "binary": ["no", "yes"],
    "multi_class": ["a", "b", "c"],
    "multi_label": ["a", "b", "c"],
    "entities": ["A", "B"],
}
PARAMS: dict[str, Any] = {
    "batch": 4, "epochs": 3, "evaluations": 6, "patience": 9, "learning_rate": 1e-3, "warmup": 0.1,
    "weight_decay": 0.01, "clip": 1.0, "dropout": 0.1, "mask_probability": 0.5, "precision": "fp32",
    "head": "figure3", "criterion": "score", "threads": 1,
}  # fmt: skip


def supports(family: str, kind: str) -> bool:
    """Whether the paper trains this architecture for this kind of task."""
    return (
        family not in DECODERS
        if kind == "entities"
        else family.startswith(ENCODERS)
        if kind == "masked"
        else True
    )


def rows(kind: str, count: int, seed: int) -> Rows:
    """Texts and random answers of a kind."""
    draw, some = random.Random(seed), texts(count, seed)
    if kind in ("entities", "masked"):
        names = ("O", "O", "B-A", "I-A", "B-B") if kind == "entities" else ("VERB", "NOUN", "ADJ")
        words = [text.split() for text in some]
        return Rows(words, [[draw.choice(names) for _ in row] for row in words])
    answer: dict[str, Callable[[], Any]] = {
        "binary": lambda: draw.randrange(2), "multi_class": lambda: draw.randrange(3),
        "multi_label": lambda: [draw.randrange(2) for _ in range(3)], "regression": lambda: draw.uniform(1, 9),
    }  # fmt: skip
    return Rows(some, [answer[kind]() for _ in some])


def job(folder: Path, kind: str, *, train: int = 13, seed: int = 7, **params: Any) -> Job:
    """A training of the model in a folder on few rows."""
    asked = rows(kind, 6, 3)
    return Job(
        "made-up", kind, LABELS.get(kind, []), folder.name, "of any", CONTEXT, seed,
        {"folder": str(folder), "revision": "r1"}, rows(kind, train, 1), rows(kind, 7, 2), asked.texts,
        {**PARAMS, **params}, asked.answers if kind == "masked" else (),
    )  # fmt: skip
