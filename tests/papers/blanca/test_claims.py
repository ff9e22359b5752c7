from __future__ import annotations

import re

from selu import registry


def test_a_number_that_several_claims_rest_on_is_counted_once(root):
    """Else one number of the paper weighs twice among its conclusions."""
    claims, paper = {claim.id: claim for claim in registry.claims("blanca")}, registry.load(root, "blanca")
    references = {
        id: re.findall(r"same numbers as (B\d\d),", claim.check(paper).because) for id, claim in claims.items()
    }
    names = {id: other for id, (other,) in ((id, found) for id, found in references.items() if found)}
    assert names == {"B42": "B54", "B45": "B47", "B46": "B47"}
    assert {claims[id].weight for id in names} == {"detail"}
    assert {claims[id].weight for id in names.values()} == {"conclusion"}


def test_every_encoder_of_a_table_is_declared_and_every_declared_one_is_in_a_table(root):
    paper = registry.load(root, "blanca")
    declared = {encoder.name for encoder in paper.encoders}
    rows = {row for table in [f"table{number}" for number in range(3, 9)] for row, _ in paper.tables[table]}
    assert declared == rows
    assert {row for row, _ in paper.tables["table1"]} == {encoder.table1 for encoder in paper.bases}
    assert [encoder.name for encoder in paper.bases if encoder.code] == ["BERTOverflow", "CodeBERT"]
