"""Files that batches leave at a provider, removed once their replies are on the disk.

No reply depends on it: what can't be removed now, as with a key that may not, is tried again the next time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from selu.systems.prompt.journal import Journal, Sending
from selu.systems.prompt.providers import LaterError, Provider
from selu.vocabulary import SeluError


class Tidy:
    """Removes the files of a journal's sendings, and notes that in it."""

    def __init__(self, journal: Journal, provider: Provider) -> None:
        self._journal, self._provider = journal, provider
        self._vain: set[str] = set()

    def ended(self) -> None:
        """Remove the files of batches that ended, but of those where that was in vain before."""
        for sending in self._left():
            if sending.batch is not None and sending.tag not in self._vain:
                self._remove([sending], self._provider.tidy, sending.batch)

    def all(self) -> None:
        """Remove the files of all batches, and those that no batch took: nothing is on its way any more."""
        self._vain.clear()
        self.ended()
        alone = [sending for sending in self._left() if sending.batch is None]
        if alone:
            tags, since = [sending.tag for sending in alone], min(sending.announced for sending in alone)
            self._remove(alone, self._provider.sweep, tags, since)

    def _left(self) -> list[Sending]:
        return self._journal.untidy() if self._provider.keeps_files else []

    def _remove(self, sendings: Sequence[Sending], remove: Callable[..., None], *what: object) -> None:
        tags = [sending.tag for sending in sendings]
        try:
            remove(*what)
        except (LaterError, SeluError):
            self._vain.update(tags)
        else:
            self._journal.tidied(tags)
