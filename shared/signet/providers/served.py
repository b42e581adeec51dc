"""Common part of server models: name, key, connections, and probing."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from signet.errors import (
    ModelMissing,
    ProviderDown,
    ProviderExhausted,
    ProviderFailed,
    ProviderRefused,
    ProviderTooLong,
)
from signet.providers import capacity, track, vectors
from signet.providers.capacity import Capacity
from signet.providers.exchange import REFUSED_SECONDS, Exchange
from signet.providers.ports import Reading
from signet.providers.vectors import batches
from signet.text.json_text import as_object

#: Statuses of a model or an address that the server does not have, and the wait until a person has corrected it.
MISSING = frozenset({404, 405})
MISSING_SECONDS = 60.0
LIST_SECONDS = 5.0


class Served(ABC):
    """A model of a server. `needs_key` describes the required key; None if it works without one."""

    #: The path of the list of models.
    LIST = "/models"

    def __init__(
        self,
        kind: str,
        url: str,
        model: str,
        *,
        api_key: str | None = None,
        headers: Mapping[str, str] | None = None,
        needs_key: str | None = None,
    ) -> None:
        self.model = model
        self.name = f"{kind}:{model}"
        self.exchange = Exchange(self.name, url, api_key=api_key, headers=headers)
        self.api_key = api_key
        self.lacks_key = None if api_key else needs_key
        self.server = capacity.ModelServer(url.rstrip("/"), self.name)

    def available(self) -> bool:
        return self.fault() is None

    def fault(self) -> str | None:
        try:
            return self.lacks_key or self.probe()
        except (ProviderDown, ProviderFailed) as error:
            return error.message

    def advice(self) -> str:
        """Return what to do about a missing model."""
        return "the server has no such model or address; to find out which: signet doctor"

    @abstractmethod
    def probe(self) -> str | None:
        """Return why the server cannot be used, None if it can; raises ProviderDown or ProviderFailed."""

    def capacity(self) -> Capacity:
        """Query the server's limits for one request; never raises."""
        return self.server.capacity(self._told)

    def room(self, prompt: str, max_tokens: int) -> int:
        """Return the tokens an answer may have; raises ProviderTooLong for a prompt that leaves too few."""
        tokens = self.server.tokens(prompt)
        if tokens + max_tokens <= capacity.SMALL_TOKENS:
            return max_tokens
        context = self.capacity().context_tokens
        if context is None:
            return max_tokens
        room = capacity.answer_room(context, tokens, max_tokens)
        if room is None:
            raise ProviderTooLong(
                f"{self.name}: a request of about {tokens} tokens does not fit its context of {context} tokens",
                provider=self.name,
            )
        return room

    def silence(self, prompt: str, max_tokens: int) -> float:
        """Return the seconds after which a server that sends nothing hangs."""
        tokens, streams = capacity.estimate(prompt), self.exchange.has_streamed
        return track.silence(self.name, tokens, max_tokens, streams=streams)

    def names(self) -> list[str]:
        """Return the models that the server lists; raises ProviderDown or ProviderFailed."""
        listed = self.exchange.get(self.LIST, timeout_seconds=LIST_SECONDS).get("data")
        rows = map(as_object, listed) if isinstance(listed, list) else ()
        return [str(row.get("id")) for row in rows]

    def _told(self) -> Capacity:
        try:
            return self.ask_capacity()
        except (ProviderDown, ProviderFailed):
            return Capacity()

    def ask_capacity(self) -> Capacity:
        """Ask the server what it has for one request; raises ProviderDown or ProviderFailed."""
        return Capacity()

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        self.exchange.close()

    def post(
        self,
        path: str,
        payload: Mapping[str, object],
        *,
        timeout_seconds: float,
        silence_seconds: float | None = None,
        wishes: Sequence[Mapping[str, object]] = (),
    ) -> Mapping[str, object]:
        """Post a request to this model; raises ProviderDown without the key, ModelMissing without the model."""
        if self.lacks_key is not None:
            raise ProviderDown(
                f"{self.name}: {self.lacks_key}",
                retry_after_seconds=REFUSED_SECONDS,
                provider=self.name,
            )
        body = {"model": self.model, **payload}
        try:
            return self.exchange.post(
                path,
                body,
                timeout_seconds=timeout_seconds,
                silence_seconds=silence_seconds,
                wishes=wishes,
            )
        except ProviderTooLong as error:
            size = error.facts.get("context_tokens")
            self.server.refused(size if isinstance(size, int) else None)
            raise
        except ProviderRefused as error:
            status = error.facts.get("status")
            if status not in MISSING:
                raise
            self.server.forget()
            raise ModelMissing(
                f"{error.message}; {self.advice()}",
                retry_after_seconds=MISSING_SECONDS,
                provider=self.name,
                status=status,
            ) from error


class ServedEmbedder(Served):
    """An embedding model of a server."""

    dimensions: int

    def embed(self, texts: Sequence[str], *, are_queries: bool = False) -> list[bytes]:
        """Return one vector for each text, in the same order, in batches."""
        known = vectors.prompts_of(self.model)
        prompt = known.query if are_queries else known.passage
        texts = [prompt + text for text in texts]
        found: list[bytes] = []
        for batch in batches(texts):
            try:
                rows = self.rows(batch)
            except ProviderExhausted as error:  # these texts are too large, others may not be
                raise ProviderFailed(error.message, **error.facts) from error
            found += self.exchange.vectors(rows, count=len(batch), dimensions=self.dimensions)
        return found

    def question(self, text: str) -> Reading:
        """Return a reading of a question that ignores word weights."""
        (vector,) = self.embed([text], are_queries=True)
        return lambda _: vector

    @abstractmethod
    def rows(self, texts: list[str]) -> object:
        """Return the numbers of each text's vector, in order."""
