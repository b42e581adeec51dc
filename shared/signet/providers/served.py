"""Common part of server models: name, key, connections, and probing."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from signet.errors import ProviderDown, ProviderFailed
from signet.providers.exchange import REFUSED_SECONDS, Exchange
from signet.providers.ports import Reading
from signet.providers.vectors import batches


class Served(ABC):
    """A model of a server. `needs_key` describes the required key; None if it works without one."""

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
        self.lacks_key = None if api_key else needs_key

    def available(self) -> bool:
        return self.fault() is None

    def fault(self) -> str | None:
        try:
            return self.lacks_key or self.probe()
        except (ProviderDown, ProviderFailed) as error:
            return error.message

    @abstractmethod
    def probe(self) -> str | None:
        """Return why the server cannot be used, None if it can; raises ProviderDown or ProviderFailed."""

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        self.exchange.close()

    def post(
        self,
        path: str,
        payload: Mapping[str, object],
        *,
        timeout_seconds: float,
        wishes: Sequence[Mapping[str, object]] = (),
    ) -> Mapping[str, object]:
        """Post a request to this model; raises ProviderDown without the required key."""
        if self.lacks_key is not None:
            raise ProviderDown(
                f"{self.name}: {self.lacks_key}",
                retry_after_seconds=REFUSED_SECONDS,
                provider=self.name,
            )
        body = {"model": self.model, **payload}
        return self.exchange.post(path, body, timeout_seconds=timeout_seconds, wishes=wishes)


class ServedEmbedder(Served):
    """An embedding model of a server."""

    dimensions: int

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector for each text, in the same order, in batches."""
        return [
            vector
            for batch in batches(texts)
            for vector in self.exchange.vectors(
                self.rows(batch), count=len(batch), dimensions=self.dimensions
            )
        ]

    def question(self, text: str) -> Reading:
        """Return a reading of a question that ignores word weights."""
        (vector,) = self.embed([text])
        return lambda _: vector

    @abstractmethod
    def rows(self, texts: list[str]) -> object:
        """Return the numbers of each text's vector, in order."""
