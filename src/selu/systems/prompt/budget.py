"""The cost of requests: a bound before they are sent, and the price by the usage that replies report."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass

from selu.systems.prompt.settings import ModelSettings
from selu.systems.prompt.wire import Reply
from selu.vocabulary import SeluError


@dataclass(frozen=True, slots=True)
class Prices:
    """USD per token asked and answered."""

    asked: float
    answered: float

    def cost(self, reply: Reply) -> float:
        """Return what a reply cost."""
        return reply.asked * self.asked + reply.answered * self.answered

    def bound(self, asked: int, answered: int) -> float:
        """Return the maximum price of this many tokens."""
        return asked * self.asked + answered * self.answered


def prices(model: ModelSettings, batched: bool = True) -> Prices:
    """Return prices of a model, in batches where it has them and they are used."""
    share = model.batch_price if batched and model.batched else 1.0
    return Prices(share * model.usd_in / 1e6, share * model.usd_out / 1e6)


class Budget:
    """The remaining budget in USD for all that a command sends; bounds of open requests count as spent."""

    def __init__(self, limit: float = math.inf) -> None:
        self._left, self._lock = limit, threading.Lock()

    def take(self, bound: float) -> bool:
        """Set so much aside; False where there is not so much left."""
        with self._lock:
            if bound > self._left:
                return False
            self._left -= bound
            return True

    def give(self, rest: float) -> None:
        """Return the unspent part of a reservation to the budget."""
        with self._lock:
            self._left += rest


def limited(max_cost: float | None) -> Budget:
    """Return the budget of a command whose user names a limit in USD, or none.

    Raises:
        SeluError: it is negative, or no number.
    """
    if max_cost is None:
        return Budget()
    if not max_cost >= 0:
        raise SeluError("--max-cost takes an amount of 0 or more USD.")
    return Budget(max_cost)


def tokens(text: str, bytes_per_token: float) -> int:
    """Return tokens of a text, on the safe side: no tokenizer of a provider is available."""
    return math.ceil(len(text.encode("utf-8", "replace")) / bytes_per_token) + 8  # of the message around it
