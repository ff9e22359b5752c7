"""A model that anybody can run: a server that speaks OpenAI's chat protocol, at an address or started here."""

from __future__ import annotations

import contextlib

from selu.files import JsonObject
from selu.systems.prompt.hiding import Hidden
from selu.systems.prompt.own_server import OwnServer
from selu.systems.prompt.provider_openai import OpenAI
from selu.systems.prompt.providers import LaterError, RawResponse, UnconfirmedError, listed, record_of
from selu.systems.prompt.serve import taken
from selu.vocabulary import MachineError

# Where servers report their version, by the root of their address: vLLM, Ollama, llama.cpp.
_VERSIONS = (("version", "version"), ("api/version", "version"), ("props", "build_info"))
_LONGEST = 10.0  # seconds for an answer about itself
_MEND = "start it with that model, or correct params.yaml"


class Local(OpenAI):
    """A server that is asked for one model, and is held to it.

    Args:
        model: the name under which requests ask for it.
        version: of the server, where it is known beforehand.
        own: the server of our own at that address, if it is one.
    """

    keeps_files = False

    def __init__(
        self, key: str, base_url: str, timeout: float, hidden: Hidden, model: str,
        version: str | None = None, own: OwnServer | None = None,
    ) -> None:  # fmt: skip
        super().__init__(key, base_url, timeout, hidden)
        self._model, self._own = model, own
        self.version = version if own else self._held_to(version)
        self._check_served()

    def ask(self, body: JsonObject) -> JsonObject:
        """Send one request, as ``Provider.ask``.

        Raises:
            MachineError: another model answers, so that nothing is kept; or our own server dies ever again.
        """
        own = self._own
        at = own.url() if own else None
        if at:
            self._client.base_url = at
        try:
            found = super().ask(body)
        except (LaterError, UnconfirmedError):
            if own and not own.serves(at):  # so that no answer is on its way
                raise LaterError("its server ended", 0.0) from None
            raise
        model = found.get("model")
        if isinstance(model, str) and model != self._model:
            raise MachineError(f"{self._at} answers as {self._shown(model)}, not as {self._model}: {_MEND}.")
        if own:
            own.answered()
        return found

    def _asked(self, body: JsonObject) -> RawResponse:
        known = taken(body) if self._own and not self._own.takes_schemas else dict(body)
        extra = {"grammar": known.pop("grammar")} if "grammar" in known else None  # which the SDK does not know
        return self._create(**known, extra_body=extra)

    @property
    def _at(self) -> str:
        return f"the server at {str(self._client.base_url).rstrip('/')}"

    def _check_served(self) -> None:
        """Raise MachineError unless the server says that it serves the model."""
        try:
            with self._translated():
                names = [str(model.id) for model in listed(self._client.models.list())]
        except LaterError as error:
            raise MachineError(f"{self._at} does not answer ({error}): start it, and run it again.") from None
        if self._model not in names:
            reported = self._shown(", ".join(names)) or "no model"
            raise MachineError(f"{self._at} serves {reported}, not {self._model}: {_MEND}.")

    def _held_to(self, version: str | None) -> str | None:
        """Return the version that the server tells, where it tells one; refuses another than this."""
        reported = self._tells()
        if version is not None and reported is not None and reported != version:
            raise MachineError(
                f"{self._at} is of version {reported}, and params.yaml has {version}: start that one, or write "
                "the other, which makes other runs."
            )
        return reported

    def _tells(self) -> str | None:
        root = str(self._client.base_url).rstrip("/").removesuffix("/v1")
        for path, field in _VERSIONS:
            with contextlib.suppress(LaterError, MachineError), self._translated():
                answer = self._http.get(f"{root}/{path}", timeout=_LONGEST)
                found = record_of(answer.content).get(field) if answer.is_success else None
                if isinstance(found, str) and found:
                    return self._shown(found)
        return None
