"""Send one request to a model server, and map every HTTP outcome to a result or an error.

| outcome | error | why |
| --- | --- | --- |
| no connection | ProviderDown | nothing was sent |
| 429, 502, 503, 504, 529 | ProviderDown | it asks to wait; Retry-After gives the time |
| 401, 403 | ProviderDown, for long | a wrong key must not use up the attempts of every job |
| no complete answer in time | ProviderTimeout | the request itself may be too large |
| connection or stream cut in an answer | ProviderCut | a request that kills the server must run out of attempts |
| a 4xx about the context, 413 | ProviderTooLong | the caller splits its text |
| 5xx about memory | ProviderExhausted | the server pauses for a minute |
| any other 4xx | ProviderRefused | the server rejects this request |
| a web page, nothing, another format | ProviderNonsense | another program answers there |
| any other status that is not 2xx, an error as answer | ProviderFailed | with the status and the start of the body |

For the last five, the results of other jobs decide whether provider or request is at fault
(queue/circuit_breaker.py).
"""

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from email.utils import parsedate_to_datetime

from signet import clock
from signet.errors import (
    ProviderCut,
    ProviderDown,
    ProviderExhausted,
    ProviderFailed,
    ProviderNonsense,
    ProviderRefused,
    ProviderTimeout,
    ProviderTooLong,
)
from signet.net import http
from signet.providers import vectors
from signet.providers.ports import Completion
from signet.text.json_text import Json, an_object, as_object, as_text, first_object

#: Short, so that work resumes within five seconds of a local server's return.
UNREACHABLE_SECONDS = 3.0
#: Default wait after a rate limit; most count per minute.
LIMITED_SECONDS = 20.0
#: Wait after a refused key, which only a person can change.
REFUSED_SECONDS = 900.0
#: Maximum wait accepted from a server.
LONGEST_WAIT_SECONDS = 86_400.0
#: Characters of an error page to quote (PIP-61), and to read for that.
EXCERPT_CHARS, READ_CHARS = 200, 2_000

LIMITED = 429
REFUSED = frozenset({401, 403})
TOO_LARGE = 413
#: How Ollama, llama.cpp, LM Studio, vLLM, OpenAI and Anthropic report a request longer than the context.
_TOO_LONG = re.compile(
    rb"context[ _](?:size|length|window)|exceed_context|context overflow|prompt is too long|input is too long",
    re.IGNORECASE,
)
#: How llama.cpp and vLLM (and OpenAI) state the size of the context.
_CONTEXT_TOKENS = re.compile(rb'"n_ctx"\s*:\s*(\d{3,8})|maximum context length is (\d{3,8})')
#: How Ollama and llama.cpp report too little memory for a model.
_NO_MEMORY = re.compile(
    rb"(?:out of|insufficient|not enough|more system) memory|cudaMalloc|(?:failed|unable) to allocate",
    re.IGNORECASE,
)
OVERLOADED = frozenset({502, 503, 504, 529})
#: Statuses for an unknown field.
UNKNOWN_FIELD = frozenset({400, 422})
#: Seconds to omit a refused field; the server may be updated meanwhile.
UNKNOWN_SECONDS = 3600.0

#: Number of optional fields that a server and model refuse, and until when (monotonic) this is assumed.
_unknown: dict[tuple[str, str], tuple[int, float]] = {}


class Exchange:
    """A model server that speaks JSON; `provider` is its name in errors."""

    def __init__(
        self,
        provider: str,
        base_url: str,
        *,
        api_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """`headers` replace the bearer token of the key."""
        self.provider = provider
        self._api_key = api_key
        self.has_streamed = False
        bearer = {"authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = http.Client(base_url, headers=bearer if headers is None else headers)

    def post(
        self,
        path: str,
        payload: Mapping[str, object],
        *,
        timeout_seconds: float,
        silence_seconds: float | None = None,
        wishes: Sequence[Mapping[str, object]] = (),
    ) -> Mapping[str, object]:
        """Post a JSON object and return the JSON object of the answer.

        `silence_seconds` is the longest time without a part of an answer.
        `wishes` are optional fields that the server may not know: if it refuses, they are removed one by one, and
        omitted for an hour.
        """
        until = time.monotonic() + timeout_seconds
        server = (self._client.base_url, self.provider)
        known, known_until = _unknown.get(server, (0, 0.0))
        left_out = known if time.monotonic() < known_until else 0
        while True:
            body = dict(payload)
            for wish in wishes[left_out:]:
                body |= wish
            try:
                answer = self._object(
                    self._ask("POST", path, body, timeout_seconds, silence_seconds), body
                )
            except ProviderTooLong:
                raise
            except ProviderRefused as error:
                if left_out >= len(wishes) or error.facts.get("status") not in UNKNOWN_FIELD:
                    raise
                left_out += 1
                timeout_seconds = max(until - time.monotonic(), 0.01)
                continue
            if left_out > known or (left_out and time.monotonic() >= known_until):
                _unknown[server] = (left_out, time.monotonic() + UNKNOWN_SECONDS)
            return answer

    def get(self, path: str, *, timeout_seconds: float) -> Mapping[str, object]:
        return self._object(self._ask("GET", path, None, timeout_seconds), None)

    def get_list(self, path: str, *, timeout_seconds: float) -> Sequence[object]:
        answer = self._ask("GET", path, None, timeout_seconds)
        if not isinstance(answer, list):
            raise self._nonsense(f"the answer is not a JSON array: {str(answer)[:EXCERPT_CHARS]}")
        return answer

    def delete(self, path: str, *, timeout_seconds: float) -> None:
        self._ask("DELETE", path, None, timeout_seconds)

    def completion(
        self, text: object, input_tokens: object, output_tokens: object, *, end: object = None
    ) -> Completion:
        """Return the model's text; raises ProviderFailed if it is empty. `end` is the server's reason for its end."""
        is_cut = end in ("length", "max_tokens")
        if not isinstance(text, str) or not text.strip():
            limit = " (the limit of tokens was reached before any text)" if is_cut else ""
            raise self._nonsense(f"the answer is empty{limit}")
        return Completion(
            # A truncated emoji can be neither stored nor sent.
            text=text.encode("utf-8", "replace").decode(),
            input_tokens=input_tokens if isinstance(input_tokens, int) else None,
            output_tokens=output_tokens if isinstance(output_tokens, int) else None,
            is_cut=is_cut,
        )

    def vectors(self, rows: object, *, count: int, dimensions: int) -> list[bytes]:
        """Return the rows as packed vectors; raises ProviderFailed for the wrong number or length."""
        try:
            return vectors.pack_all(rows, count=count, dimensions=dimensions)
        except ValueError as error:
            raise self._nonsense(str(error)) from error

    def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        self._client.close()

    def _ask(
        self,
        method: str,
        path: str,
        payload: Mapping[str, object] | None,
        seconds: float,
        silence: float | None = None,
    ) -> object:
        if self._api_key is not None and not _is_header_text(self._api_key):
            raise self._down("the key contains invalid characters", REFUSED_SECONDS)
        try:
            reply = self._client.send(
                method, path, json=payload, timeout_seconds=seconds, silence_seconds=silence
            )
        except http.Unreachable as error:
            raise self._down(error.message, UNREACHABLE_SECONDS) from error
        except http.TimedOut as error:
            raise ProviderTimeout(
                f"{self.provider}: {error.message}", provider=self.provider
            ) from error
        except http.Broken as error:
            raise self._cut(error.message) from error
        self._check(reply, payload)
        return self._parse(reply.body, payload)

    def _check(self, reply: http.Reply, asked: object) -> None:
        status = reply.status
        if 200 <= status < 300:
            return
        if status in REFUSED:
            raise self._down(f"the key was refused (HTTP {status})", REFUSED_SECONDS, status)
        reason = f"HTTP {status}: {excerpt(reply.body, asked)}"
        if status == LIMITED or status in OVERLOADED:
            asked = retry_after(reply.headers.get("retry-after"), clock.now())
            usual = LIMITED_SECONDS if status == LIMITED else UNREACHABLE_SECONDS
            raise self._down(reason, usual if asked is None else asked, status)
        text, start = f"{self.provider}: {reason}", reply.body[:READ_CHARS]
        facts: dict[str, object] = {"provider": self.provider, "status": status}
        if 400 <= status < 500 and (status == TOO_LARGE or _TOO_LONG.search(start)):
            size = _CONTEXT_TOKENS.search(start)
            raise ProviderTooLong(
                text, context_tokens=int(size[1] or size[2]) if size else None, **facts
            )
        if 400 <= status < 500:
            raise ProviderRefused(text, **facts)
        raise (ProviderExhausted if _NO_MEMORY.search(start) else ProviderFailed)(text, **facts)

    def _parse(self, body: bytes, asked: object) -> object:
        """Return the JSON of a body, or the sum of its streamed parts."""
        try:
            answer: object = json.loads(body)
            return answer
        except (ValueError, RecursionError):
            pass
        try:
            found = joined(body)
        except Cut as error:
            raise self._cut(str(error)) from error
        if found is None:
            what = "is empty" if not body.strip() else f"is not JSON: {excerpt(body, asked)}"
            raise self._nonsense(f"the answer {what}")
        self.has_streamed = True
        return found

    def _object(self, answer: object, asked: object) -> Mapping[str, object]:
        if not isinstance(answer, dict):
            raise self._nonsense(f"the answer is not a JSON object: {excerpt(str(answer), asked)}")
        if said := answer.get("error"):
            text = f"{self.provider}: the answer is an error: {excerpt(str(said), asked)}"
            raise ProviderFailed(text, provider=self.provider)
        return answer

    def _nonsense(self, what: str) -> ProviderNonsense:
        return ProviderNonsense(f"{self.provider}: {what}", provider=self.provider)

    def _cut(self, what: str) -> ProviderCut:
        return ProviderCut(f"{self.provider}: {what}", provider=self.provider)

    def _down(self, reason: str, seconds: float, status: int | None = None) -> ProviderDown:
        return ProviderDown(
            f"{self.provider}: {reason}",
            retry_after_seconds=seconds,
            provider=self.provider,
            status=status,
        )


def retry_after(value: str | None, now: datetime) -> float | None:
    """Return the seconds of a Retry-After header, 0 to LONGEST_WAIT_SECONDS; None if missing or invalid."""
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


def excerpt(body: bytes | str, asked: object) -> str:
    """Return the start of a body as one printable line, without repetitions of the prompt; model names stay."""
    start = body[:READ_CHARS]
    text = start if isinstance(start, str) else start.decode("utf-8", "replace")
    printable = "".join(c for c in " ".join(text.split()) if c.isprintable())
    if isinstance(asked, dict):
        asked = {name: value for name, value in asked.items() if name != "model"}
    question = json.dumps(asked, ensure_ascii=False)
    return without_echo(printable, question)[:EXCERPT_CHARS]


def _is_header_text(text: str) -> bool:
    return text.isascii() and text.isprintable()


DONE = "[DONE]"


class Cut(ValueError):
    """The stream ended before the answer was complete."""


def joined(body: bytes) -> Json | None:
    """Return the joined answer of a stream, None if the body is not a stream; raises Cut."""
    texts = list(_texts(body.decode("utf-8-sig", "replace")))
    pieces = [piece for text in texts if text != DONE and (piece := an_object(text)) is not None]
    whole = len(pieces) == len(texts) - texts.count(DONE)
    if not pieces or not (whole or an_object(texts[0])):
        return None
    for piece in pieces:
        if piece.get("error"):
            return piece
    if not whole or not (DONE in texts or any(map(_is_last, pieces))):
        raise Cut("the stream broke off")
    return _whole(pieces)


def _texts(text: str) -> Iterator[str]:
    """Yield the content of each line or event."""
    # Not splitlines: Unicode line separators may occur in a JSON text.
    lines = [line for line in re.split(r"[\r\n]+", text) if line.strip()]
    if not any(line.startswith("data:") for line in lines):
        yield from lines
        return
    yield from (line[5:].strip() for line in lines if line.startswith("data:"))


def _is_last(piece: Json) -> bool:
    """Return whether a part ends the stream, or is a complete answer."""
    choice = first_object(piece.get("choices"))
    return (
        piece.get("done") is True
        or piece.get("type") in ("message_stop", "message")
        or bool(choice.get("finish_reason") or choice.get("message"))
    )


def _whole(pieces: Sequence[Json]) -> Json:
    last = pieces[-1]
    if "response" in last or ("choices" not in pieces[0] and "type" not in pieces[0]):  # Ollama
        return {**last, "response": "".join(as_text(piece.get("response")) for piece in pieces)}
    if "choices" in pieces[0]:
        parts = [first_object(piece.get("choices")) for piece in pieces]
        said = [
            as_object(part.get("delta") or part.get("message")).get("content") for part in parts
        ]
        usage: Json = {}
        for piece in pieces:
            usage = as_object(piece.get("usage")) or usage
        ends = [end for part in parts if (end := part.get("finish_reason"))]
        choice = {"message": {"content": "".join(map(as_text, said))}, "finish_reason": None}
        return {
            "choices": [{**choice, **({"finish_reason": ends[-1]} if ends else {})}],
            "usage": usage,
        }
    usage = {}
    for piece in pieces:
        usage = {
            **usage,
            **as_object(as_object(piece.get("message")).get("usage")),
            **as_object(piece.get("usage")),
        }
    texts = [as_text(as_object(piece.get("delta")).get("text")) for piece in pieces]
    return {"content": [{"type": "text", "text": "".join(texts)}], "usage": usage}


#: Consecutive common words that count as a repetition.
RUN = 4
LEFT_OUT = "[…]"
_ECHO_WORD = re.compile(r"\w+")


def without_echo(said: str, asked: str) -> str:
    """Return the message without_echo runs of words that occur in the prompt."""
    theirs = [word.casefold() for word in _ECHO_WORD.findall(asked)]
    known = {tuple(theirs[at : at + RUN]) for at in range(len(theirs) - RUN + 1)}
    found = list(_ECHO_WORD.finditer(said))
    words = [word[0].casefold() for word in found]
    kept: list[str] = []
    end = at = 0
    while at < len(words):
        last = at
        while tuple(words[last : last + RUN]) in known:
            last += 1
        if last > at:
            last += RUN - 1
            kept += (said[end : found[at].start()], LEFT_OUT)
            end = found[last - 1].end()
        at = max(last, at + 1)
    return "".join([*kept, said[end:]])
