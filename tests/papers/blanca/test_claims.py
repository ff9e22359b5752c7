from __future__ import annotations

import re

from selu import registry


def test_a_number_that_several_claims_rest_on_is_counted_once(root):
    """Else one number of the paper weighs twice among its conclusions."""
    claims, paper = {claim.id: claim for claim in registry.claims("blanca")}, registry.load(root, "blanca")
    said = {id: re.findall(r"same numbers as (B\d\d),", one.check(paper).because) for id, one in claims.items()}
    names = {id: other for id, (other,) in ((id, found) for id, found in said.items() if found)}
    assert names == {"B42": "B54", "B45": "B47", "B46": "B47"}
    assert {claims[id].weight for id in names} == {"detail"}
    assert {claims[id].weight for id in names.values()} == {"conclusion"}
