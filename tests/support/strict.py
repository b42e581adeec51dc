"""Model servers as strict as real ones: they refuse unknown fields, wrong types, long prompts, missing keys and models.

    with strict("llama.cpp", "an answer", limits=Limits(context=2048)) as server:
        OpenAIModel(server.url, MODEL).generate(…)

The answers are those of `support.models`. `server.context` is the size of the context, counted in words of a prompt
divided by `WORDS_PER_TOKEN`; `server.most_at_once` the largest number of open requests, and `server.sizes` the
context sizes that Ollama was asked for.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from support.models import Answer, FakeServer, Raw, Request, Route, Status, Works, Wrap

MODEL = "strict:1b"
KEY = "sk-strict"
CHARS_PER_TOKEN = 3
Fields = Mapping[str, type | tuple[type, ...]]

_GENERATE: Fields = {
    "model": str,
    "prompt": str,
    "stream": bool,
    "think": bool,
    "truncate": bool,
    "shift": bool,
    "options": dict,
    "format": (dict, str),
    "keep_alive": (str, int),
}
_OPTIONS: Fields = {"num_predict": int, "num_ctx": int, "temperature": (int, float)}
_CHAT: Fields = {
    "model": str,
    "messages": list,
    "max_tokens": int,
    "stream": bool,
    "temperature": (int, float),
    "response_format": dict,
    "stream_options": dict,
}
_MESSAGES: Fields = {
    "model": str,
    "max_tokens": int,
    "messages": list,
    "temperature": (int, float),
}


@dataclass
class Limits:
    """What a strict server has, and what it has seen."""

    #: Tokens of a request and its answer; None for a server without that limit.
    context: int | None = 8192
    #: Whether a lookup tells the context size.
    tells: bool = True
    #: Ollama: the largest context for which there is memory, the size the model is loaded with, and whether the server
    #: is an older one that cuts long prompts.
    affordable: int = 1 << 30
    loaded: int = 0
    cuts: bool = False
    needs_key: bool = False
    slots: int = 1
    sizes: list[int] = field(default_factory=list)
    most_at_once: int = 0
    _open: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def call(self) -> Iterator[None]:
        with self._lock:
            self._open += 1
            self.most_at_once = max(self.most_at_once, self._open)
        try:
            yield
        finally:
            with self._lock:
                self._open -= 1


class StrictServer(FakeServer):
    """A fake server with limits."""

    limits: Limits


def tokens(text: str) -> int:
    """Return the number of tokens of a text, as these servers count."""
    return len(text) // CHARS_PER_TOKEN


@contextmanager
def strict(
    kind: str,
    *answers: Answer,
    limits: Limits | None = None,
    answer: Callable[[str], Answer] | None = None,
    models: Sequence[str] = (MODEL,),
) -> Iterator[StrictServer]:
    """Run a server of a kind ("ollama", "openai", "llama.cpp", "anthropic"); `answer` chooses by the prompt."""
    routes, path = KINDS[kind]
    server = StrictServer(
        {place: _guarded(route, answer) for place, route in routes.items()},
        answers or ("ok",),
        path=path,
        models=models,
        dimensions=8,
        embeddings=(Works(),),
    )
    server.limits = limits or Limits()
    try:
        yield server
    finally:
        server.stop()


class _Refused(Exception):
    def __init__(self, status: Status) -> None:
        self.status = status


def _guarded(route: "Call", answer: Callable[[str], Answer] | None) -> Route:
    def handle(server: FakeServer, request: Request) -> tuple[Answer, Wrap]:
        assert isinstance(server, StrictServer)
        with server.limits.call():
            try:
                told = route(server, request)
            except _Refused as refused:
                return refused.status, str
            if not isinstance(told, Asked):
                return Raw(json.dumps(told)), str
            found = server.next_answer() if answer is None else answer(told.prompt)
            if callable(found):
                found = found(told.prompt)
            return found, told.wrap

    return handle


@dataclass(frozen=True)
class Asked:
    """A request that is well formed: its prompt, and how the answer is sent."""

    prompt: str
    wrap: Wrap


Call = Callable[[StrictServer, Request], Asked | Mapping[str, object]]


def _checked(body: Mapping[str, object], fields: Fields, refuse: Callable[[str], Status]) -> None:
    for name, value in body.items():
        if name not in fields:
            raise _Refused(refuse(f"unknown field {name!r}"))
        if not isinstance(value, fields[name]):
            raise _Refused(refuse(f"field {name!r} has the wrong type"))


def _cut(text: str, most: int) -> tuple[str, bool]:
    """Return the text of at most so many tokens, and whether it was cut there."""
    return text[: most * CHARS_PER_TOKEN], tokens(text) > most


def _ollama_error(status: int) -> Callable[[str], Status]:
    return lambda message: Status(status, json.dumps({"error": message}))


def _generate(server: StrictServer, request: Request) -> Asked:
    body, limits = request.body, server.limits
    _checked(body, _GENERATE, _ollama_error(400))
    options = body.get("options", {})
    assert isinstance(options, dict)
    _checked(options, _OPTIONS, _ollama_error(400))
    size = options.get("num_ctx", 4096)
    limits.sizes.append(size)
    if size > limits.affordable:
        need = "model requires more system memory (9.1 GiB) than is available (3.2 GiB)"
        raise _Refused(_ollama_error(500)(need))
    size = min(size, limits.context or size)
    prompt = str(body["prompt"])
    read = tokens(prompt)
    if read > size and not limits.cuts and body.get("truncate") is False:
        raise _Refused(_ollama_error(400)("the input length exceeds the context length"))
    read, most = min(read, size), options.get("num_predict", 128)

    def wrap(text: str) -> object:
        said, is_cut = _cut(text, min(most, max(size - read, 1)))
        return {
            "model": body["model"],
            "response": said,
            "done": True,
            "done_reason": "length" if is_cut else "stop",
            "prompt_eval_count": read,
            "eval_count": tokens(said),
        }

    return Asked(prompt, wrap)


def _show(server: StrictServer, request: Request) -> Mapping[str, object]:
    _checked(request.body, {"model": str}, _ollama_error(400))
    if not server.limits.tells:
        return {"details": {}}
    return {"model_info": {"general.architecture": "x", "x.context_length": server.limits.context}}


def _ps(server: StrictServer, request: Request) -> Mapping[str, object]:
    size = server.limits.loaded
    return {"models": [{"name": MODEL, "context_length": size}] if size else []}


def _tags(server: StrictServer, request: Request) -> Mapping[str, object]:
    return {"models": [{"name": name} for name in server.models]}


def _openai_error(status: int, kind: str) -> Callable[[str], Status]:
    return lambda message: Status(
        status, json.dumps({"error": {"message": message, "type": kind, "code": kind}})
    )


def _text_of(body: Mapping[str, object]) -> str:
    messages = body.get("messages")
    assert isinstance(messages, list)
    return "\n".join(str(one["content"]) for one in messages)


def _has_key(server: StrictServer, given: str | None, refuse: Callable[[str], Status]) -> None:
    if server.limits.needs_key and given != KEY:
        raise _Refused(refuse("invalid key"))


def _chat(server: StrictServer, request: Request, too_long: Callable[[int, int], Status]) -> Asked:
    body, limits = request.body, server.limits
    _has_key(
        server,
        (request.headers.get("authorization") or "").removeprefix("Bearer "),
        _openai_error(401, "invalid_api_key"),
    )
    _checked(body, _CHAT, _openai_error(400, "invalid_request_error"))
    prompt = _text_of(body)
    read, most = tokens(prompt), body.get("max_tokens", 512)
    assert isinstance(most, int)
    if limits.context is not None and read + 1 > limits.context:
        raise _Refused(too_long(read, limits.context))
    room = most if limits.context is None else min(most, limits.context - read)

    def wrap(text: str) -> object:
        said, is_cut = _cut(text, room)
        return {
            "model": body["model"],
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": said},
                    "finish_reason": "length" if is_cut else "stop",
                }
            ],
            "usage": {"prompt_tokens": read, "completion_tokens": tokens(said)},
        }

    return Asked(prompt, wrap)


def _openai_chat(server: StrictServer, request: Request) -> Asked:
    """OpenAI and vLLM count the requested answer in."""
    most = request.body.get("max_tokens", 0)
    assert isinstance(most, int)

    def too_long(read: int, context: int) -> Status:
        message = f"This model's maximum context length is {context} tokens. However, you requested {read} tokens."
        return _openai_error(400, "context_length_exceeded")(message)

    context = server.limits.context
    read = tokens(_text_of(request.body))
    if context is not None and read + most > context:
        raise _Refused(too_long(read + most, context))
    return _chat(server, request, too_long)


def _llama_chat(server: StrictServer, request: Request) -> Asked:
    def too_long(read: int, context: int) -> Status:
        error = {
            "code": 400,
            "message": "the request exceeds the available context size. try increasing it",
            "type": "exceed_context_size_error",
            "n_prompt_tokens": read,
            "n_ctx": context,
        }
        return Status(400, json.dumps({"error": error}))

    return _chat(server, request, too_long)


def _openai_models(server: StrictServer, request: Request) -> Mapping[str, object]:
    bearer = (request.headers.get("authorization") or "").removeprefix("Bearer ")
    _has_key(server, bearer, _openai_error(401, "invalid_api_key"))
    size = {"max_model_len": server.limits.context} if server.limits.tells else {}
    return {"object": "list", "data": [{"id": name, **size} for name in server.models]}


def _llama_models(server: StrictServer, request: Request) -> Mapping[str, object]:
    return {"data": [{"id": name, "meta": {"n_ctx_train": 131_072}} for name in server.models]}


def _props(server: StrictServer, request: Request) -> Mapping[str, object]:
    if not server.limits.tells:
        raise _Refused(Status(501, '{"error": {"code": 501, "message": "not supported"}}'))
    settings = {"n_ctx": server.limits.context}
    return {"default_generation_settings": settings, "total_slots": server.limits.slots}


def _anthropic_error(status: int, kind: str) -> Callable[[str], Status]:
    return lambda message: Status(
        status, json.dumps({"type": "error", "error": {"type": kind, "message": message}})
    )


def _messages(server: StrictServer, request: Request) -> Asked:
    body, context = request.body, server.limits.context or 200_000
    _has_key(
        server, request.headers.get("x-api-key"), _anthropic_error(401, "authentication_error")
    )
    refuse = _anthropic_error(400, "invalid_request_error")
    if "anthropic-version" not in request.headers or "max_tokens" not in body:
        raise _Refused(refuse("a required field is missing"))
    _checked(body, _MESSAGES, refuse)
    prompt = _text_of(body)
    read, most = tokens(prompt), body["max_tokens"]
    assert isinstance(most, int)
    if read > context:
        raise _Refused(refuse(f"prompt is too long: {read} tokens > {context} maximum"))

    def wrap(text: str) -> object:
        said, is_cut = _cut(text, most)
        return {
            "type": "message",
            "content": [{"type": "text", "text": said}],
            "stop_reason": "max_tokens" if is_cut else "end_turn",
            "usage": {"input_tokens": read, "output_tokens": tokens(said)},
        }

    return Asked(prompt, wrap)


def _anthropic_models(server: StrictServer, request: Request) -> Mapping[str, object]:
    return {"data": [{"id": name, "type": "model"} for name in server.models]}


KINDS: Mapping[str, tuple[Mapping[tuple[str, str], Call], str]] = {
    "ollama": (
        {
            ("GET", "/api/tags"): _tags,
            ("GET", "/api/ps"): _ps,
            ("POST", "/api/show"): _show,
            ("POST", "/api/generate"): _generate,
        },
        "",
    ),
    "openai": (
        {("GET", "/v1/models"): _openai_models, ("POST", "/v1/chat/completions"): _openai_chat},
        "/v1",
    ),
    "llama.cpp": (
        {
            ("GET", "/v1/models"): _llama_models,
            ("GET", "/props"): _props,
            ("POST", "/v1/chat/completions"): _llama_chat,
        },
        "/v1",
    ),
    "anthropic": (
        {("GET", "/v1/models"): _anthropic_models, ("POST", "/v1/messages"): _messages},
        "",
    ),
}
