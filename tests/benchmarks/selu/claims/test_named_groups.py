from __future__ import annotations

from selu.benchmarks.selu.claims._large_group import large_group
from selu.benchmarks.selu.claims._tiers import named_tiers
from selu.benchmarks.selu.material import Material
from selu.vocabulary import Approach


def test_the_group_is_what_the_printed_means_say(quick: Material) -> None:
    group = large_group(quick)
    assert len(group) == 18
    assert set(group) < set(quick.names(approach=Approach.FINETUNED))
    assert len(large_group(quick.with_printed("table4", "BERT base", "M", "0.708"))) == 17


def test_tiers_are_the_ones_the_paper_names(quick: Material) -> None:
    first, second, third, fourth = named_tiers(quick)
    assert {quick.system(name).series for name in first} == {"GPT-2", "Llama 3.2"}
    assert [len(names) for names in (first, second, third, fourth)] == [6, 12, 2, 8]
    assert third == ["starcoder2-7b", "tfidf-xgboost"]
    assert {"bert-large", "roberta-large", "t5-small", "fasttext"} < set(fourth)
    assert [*first, *second, *third, *fourth] == quick.order
