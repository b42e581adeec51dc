"""One question to a model server and its answer as JSON; the only place that says what an HTTP outcome means.

| outcome | error | why |
| --- | --- | --- |
| no connection | ProviderDown | nothing was asked |
| 429, 502, 503, 504, 529 | ProviderDown | it asks for patience; Retry-After says how long |
| 401, 403 | ProviderDown, for long | a wrong key must not use up the attempts of every job |
| no complete answer in time | ProviderTimeout | the question itself may be too much |
| connection cut in an answer | ProviderFailed | a question that kills the server must run out of attempts |
| any other status that is not 2xx, nonsense | ProviderFailed | with the status and the start of the body |
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from email.utils import parsedate_to_datetime

from signet import clock
from signet.errors import ProviderDown, ProviderFailed, ProviderTimeout
from signet.net import http
from signet.providers import vectors
from signet.providers.ports import Completion

#: Short, so that work starts again within five seconds of a local server's return (design/queue.md F-15).
UNREACHABLE_SECONDS = 3.0
#: For a rate limit that does not say how long it lasts; most count by the minute.
LIMITED_SECONDS = 20.0
#: For a refused key: only a person can change that.
REFUSED_SECONDS = 900.0
#: The longest wait that a server may ask for.
LONGEST_WAIT_SECONDS = 86_400.0
#: How much of an error page is repeated (PIP-61).
EXCERPT_CHARS = 200

LIMITED = 429
REFUSED = frozenset({401, 403})
OVERLOADED = frozenset({502, 503, 504, 529})


class Exchange:
    """A model server that speaks JSON; `provider` is the name used in errors."""

    def __init__(
        self,
        provider: str,
        base_url: str,
        *,
        api_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """`headers` replace the bearer token that a key usually is."""
        self.provider = provider
        self._api_key = api_key
        bearer = {"authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = http.Client(base_url, headers=bearer if headers is None else headers)

    def post(
        self, path: str, payload: Mapping[str, object], *, timeout_seconds: float
    ) -> Mapping[str, object]:
        """Return the JSON object that answers a JSON object."""
        return self._object(self._ask("POST", path, payload, timeout_seconds))

    def get(self, path: str, *, timeout_seconds: float) -> Mapping[str, object]:
        """Return the JSON object at a path."""
        return self._object(self._ask("GET", path, None, timeout_seconds))

    def get_list(self, path: str, *, timeout_seconds: float) -> Sequence[object]:
        """Return the JSON array at a path."""
        answer = self._ask("GET", path, None, timeout_seconds)
        if not isinstance(answer, list):
            raise self._failed(f"the answer is not a JSON array: {str(answer)[:EXCERPT_CHARS]}")
        return answer

    def delete(self, path: str, *, timeout_seconds: float) -> None:
        """Ask the server to delete what is at a path."""
        self._ask("DELETE", path, None, timeout_seconds)

    def completion(self, text: object, input_tokens: object, output_tokens: object) -> Completion:
        """Return what the model wrote; raises ProviderFailed when that is not text or nothing."""
        if not isinstance(text, str) or not text.strip():
            raise self._failed("the answer is empty")
        return Completion(
            # Half of an emoji, where the answer was cut, can be neither stored nor sent.
            text=text.encode("utf-8", "replace").decode(),
            input_tokens=input_tokens if isinstance(input_tokens, int) else None,
            output_tokens=output_tokens if isinstance(output_tokens, int) else None,
        )

    def vectors(self, rows: object, *, count: int, dimensions: int) -> list[bytes]:
        """Return the rows as stored vectors; raises ProviderFailed when they are not what was asked for."""
        try:
            return vectors.pack_all(rows, count=count, dimensions=dimensions)
        except ValueError as error:
            raise self._failed(str(error)) from error

    def close(self) -> None:
        """Close the connections; a later question opens new ones."""
        self._client.close()

    def _ask(
        self, method: str, path: str, payload: Mapping[str, object] | None, seconds: float
    ) -> object:
        if self._api_key is not None and not _is_header_text(self._api_key):
            raise self._down("the key holds characters that no key has", REFUSED_SECONDS)
        try:
            reply = self._client.send(method, path, json=payload, timeout_seconds=seconds)
        except http.Unreachable as error:
            raise self._down(error.message, UNREACHABLE_SECONDS) from error
        except http.TimedOut as error:
            raise ProviderTimeout(
                f"{self.provider}: {error.message}", provider=self.provider
            ) from error
        except http.Broken as error:
            raise self._failed(error.message) from error
        self._check(reply)
        return self._parse(reply.body)

    def _check(self, reply: http.Reply) -> None:
        status = reply.status
        if 200 <= status < 300:
            return
        if status in REFUSED:
            raise self._down(f"the key was refused (HTTP {status})", REFUSED_SECONDS, status)
        reason = f"HTTP {status}: {excerpt(reply.body)}"
        if status == LIMITED or status in OVERLOADED:
            asked = retry_after(reply.headers.get("retry-after"), clock.now())
            usual = LIMITED_SECONDS if status == LIMITED else UNREACHABLE_SECONDS
            raise self._down(reason, usual if asked is None else asked, status)
        raise self._failed(reason, status)

    def _parse(self, body: bytes) -> object:
        try:
            answer: object = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise self._failed(f"the answer is not JSON: {excerpt(body)}") from error
        return answer

    def _object(self, answer: object) -> Mapping[str, object]:
        if not isinstance(answer, dict):
            raise self._failed(f"the answer is not a JSON object: {str(answer)[:EXCERPT_CHARS]}")
        return answer

    def _failed(self, what: str, status: int | None = None) -> ProviderFailed:
        return ProviderFailed(f"{self.provider}: {what}", provider=self.provider, status=status)

    def _down(self, reason: str, seconds: float, status: int | None = None) -> ProviderDown:
        return ProviderDown(
            f"{self.provider}: {reason}",
            retry_after_seconds=seconds,
            provider=self.provider,
            status=status,
        )


def retry_after(value: str | None, now: datetime) -> float | None:
    """Return the seconds that a Retry-After header asks for, 0 to LONGEST_WAIT_SECONDS; None when it says nothing."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            instant = clock.parse(parsedate_to_datetime(value).isoformat())
        except ValueError:
            return None
        seconds = (instant - now).total_seconds()
    return min(max(seconds, 0.0), LONGEST_WAIT_SECONDS) if seconds == seconds else None


def excerpt(body: bytes) -> str:
    """Return the start of a body as one line of printable text."""
    text = " ".join(body.decode("utf-8", "replace").split())
    return "".join(c for c in text if c.isprintable())[:EXCERPT_CHARS]


def _is_header_text(text: str) -> bool:
    return text.isascii() and text.isprintable()
