"""The cost of prompting the paper's models again: one price, for every page that names it."""

from __future__ import annotations

from typing import NamedTuple

from selu.papers.costs import AskingCost

_OFFERED = "gpt-4o"  # ids of the systems that can still be asked begin so


class Price(NamedTuple):
    """At most so many USD for ``requests`` of ``systems`` systems on ``tasks`` tasks."""

    usd: float
    requests: int
    systems: int
    tasks: int


def price(prices: AskingCost, prefix: str = "") -> Price:
    """Sum what asking about each test row once costs, of the systems whose ids begin with ``prefix``.

    Args:
        prices: tracked part ``prices`` of the report; its tasks are those whose rows are available.
    """
    systems = [row for row in prices["systems"] if row["system"].startswith(prefix)]
    usd, requests = sum(row["usd_at_most"] for row in systems), sum(row["requests"] for row in systems)
    return Price(usd, requests, len(systems), max((row["cells"] for row in systems), default=0))


def describe(prices: AskingCost) -> str:
    """Describe the price of all systems and of those still offered, with the tasks that it covers."""
    every, offered = price(prices), price(prices, _OFFERED)
    return (
        f"{every.usd:,.0f} USD at most for {every.requests:,} requests of {every.systems} systems on the "
        f"{every.tasks} tasks with rows here ({offered.usd:,.0f} for the {offered.systems} of GPT-4o), at "
        f"prices of {prices['priced']}"
    )
