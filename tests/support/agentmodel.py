"""A model that real harness programs talk to: Anthropic Messages, OpenAI Chat Completions and Responses, and Gemini.

    with fake_agent_model() as model:
        ...run the harness with model.url as its base URL...
        [first] = agent_requests(model, "first prompt")

A prompt that holds `CALL:tool {json}` is answered by a call of that tool, any other by `ANSWER`; streamed when asked
to. Every request is kept in `model.requests`.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

from support.models import Answer, Events, FakeServer, Raw, Request, Route, Wrap

#: What the model says when it is not asked to call a tool.
ANSWER = (
    "Understood. Decision: Atlas keeps Valkey as its cache, and the release train leaves on Tuesdays. "
    "I updated docs/release.md to say so, and the unit tests pass."
)
MODEL = "scripted"
#: A prompt that fills the context of any model, so that a harness compacts it, and how much of it is used then.
FULL, FULL_TOKENS = "Fill the context, please.", 1_000_000
#: The only model of Google's interface, which has it in the path.
GEMINI = "gemini-2.5-flash"
_LISTED = {"id": MODEL, "object": "model", "created": 1, "owned_by": "tests"}
_CALL = re.compile(r"CALL:([\w-]+) (\{.*?\})\s*(?:$|\n|<)", re.S)
_NUMBERS = count(1)

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that is to be called, and its arguments as JSON."""

    name: str
    arguments: str


@contextmanager
def fake_agent_model() -> Iterator[FakeServer]:
    """Run the model; `server.url` is the root, below which `/v1/...` is answered."""
    routes: Mapping[tuple[str, str], Route] = {
        ("GET", "/v1/models"): lambda *_: _same({"object": "list", "data": [_LISTED]}),
        ("POST", "/v1/messages"): _route(_messages),
        ("POST", "/v1/messages/count_tokens"): lambda *_: _same({"input_tokens": 100}),
        ("POST", "/v1/chat/completions"): _route(_chat),
        ("POST", "/v1/responses"): _route(_responses),
        ("POST", f"/v1beta/models/{GEMINI}:generateContent"): _route(_gemini),
        ("POST", f"/v1beta/models/{GEMINI}:streamGenerateContent"): _route(_gemini_stream),
    }
    server = FakeServer(routes, (), path="", models=["*"], dimensions=8, embeddings=())
    try:
        yield server
    finally:
        server.stop()


def agent_requests(server: FakeServer, prompt: str = "") -> list[Request]:
    """Return the requests of the agent itself that hold this prompt, in order.

    What a harness asks for titles, summaries and the like offers no tools.
    """
    return [
        request
        for request in server.requests
        if request.body.get("tools") and prompt in body_text(request)
    ]


def body_text(request: Request) -> str:
    """Return a request's body as text, with line breaks and quotes as they were written."""
    return "\n".join(_strings(request.body))


def tools_of(request: Request) -> list[str]:
    """Return the names of the tools that a request offers to the model, with those in namespaces."""
    return [name for _, name in _tools(request.body)]


def text_of(value: object) -> str:
    """Return the text in a message's content, whichever of the forms it has."""
    match value:
        case str():
            return value
        case list():
            return "\n".join(map(text_of, value))
        case {"text": str(text)}:
            return text
        case {"content": content}:
            return text_of(content)
    return ""


def _route(answer: Callable[[Body], Answer]) -> Route:
    def route(_server: FakeServer, request: Request) -> tuple[Answer, Wrap]:
        return answer(request.body), lambda text: text

    return route


def _messages(body: Body) -> Answer:
    tail = _since_answer(body["messages"])
    has_result = any(part.get("type") == "tool_result" for m in tail for part in _parts(m))
    plan = _plan("\n".join(text_of(m["content"]) for m in tail), body, has_result)
    message = {
        "id": _id("msg"),
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 20},
    }
    if isinstance(plan, ToolCall):
        stop, start = "tool_use", {"type": "tool_use", "id": _id("toolu"), "name": plan.name}
        block: Body = {**start, "input": json.loads(plan.arguments)}
        empty: Body = {**start, "input": {}}
        delta: Body = {"type": "input_json_delta", "partial_json": plan.arguments}
    else:
        stop, block, empty = (
            "end_turn",
            {"type": "text", "text": plan},
            {"type": "text", "text": ""},
        )
        delta = {"type": "text_delta", "text": plan}
    if not body.get("stream"):
        return _json({**message, "content": [block], "stop_reason": stop})
    started: Body = {**message, "content": [], "stop_reason": None}
    ended = {"stop_reason": stop, "stop_sequence": None}
    return _named(
        {"type": "message_start", "message": started},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 20}},
        {"type": "message_stop"},
    )


def _chat(body: Body) -> Answer:
    messages = body["messages"]
    users = [text_of(one["content"]) for one in messages if one["role"] == "user"]
    plan = _plan(users[-1] if users else "", body, messages[-1]["role"] == "tool")
    message: dict[str, object] = {"role": "assistant", "content": plan}
    stop = "stop"
    if isinstance(plan, ToolCall):
        function = {"name": plan.name, "arguments": plan.arguments}
        call = {"index": 0, "id": _id("call"), "type": "function", "function": function}
        message, stop = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
    base: dict[str, object] = {"id": _id("chatcmpl"), "created": 1, "model": body.get("model")}
    said = [one for one in users if not one.startswith("<<<")]  # what OpenClaw adds
    is_full = any(FULL in one and "summar" not in one.lower() for one in said[-1:])
    used = FULL_TOKENS if is_full else 10
    usage = {"prompt_tokens": used, "completion_tokens": 10, "total_tokens": used + 10}
    if not body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": stop}
        return _json({**base, "object": "chat.completion", "choices": [choice], "usage": usage})
    base["object"] = "chat.completion.chunk"
    first = {"index": 0, "delta": message, "finish_reason": None}
    last = {"index": 0, "delta": {}, "finish_reason": stop}
    chunks = [{**base, "choices": [first]}, {**base, "choices": [last], "usage": usage}]
    return Events("".join(f"data: {json.dumps(one)}\n\n" for one in chunks) + "data: [DONE]\n\n")


def _responses(body: Body) -> Answer:
    given = body["input"]
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    users = [text_of(one["content"]) for one in items if one.get("role") == "user"]
    has_result = str(items[-1].get("type")).endswith("_output")
    plan = _plan(users[-1] if users else "", body, has_result)
    events: list[Body] = []
    item: dict[str, object]
    added: Body
    if isinstance(plan, ToolCall):
        item = {"id": _id("fc"), "type": "function_call", "call_id": _id("call"), "name": plan.name}
        item |= {"arguments": plan.arguments, "status": "completed"}
        namespace = next((space for space, name in _tools(body) if name == plan.name), None)
        item |= {"namespace": namespace} if namespace else {}
        added = item
    else:
        part = {"type": "output_text", "text": plan, "annotations": []}
        item = {"id": _id("msg"), "type": "message", "role": "assistant", "status": "completed"}
        added = {**item, "content": []}
        item = {**item, "content": [part]}
        where = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        events.append({"type": "response.output_text.delta", **where, "delta": plan})
    response = {
        "id": _id("resp"),
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": body.get("model"),
        "output": [item],
        "usage": {
            "input_tokens": 10,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 10,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 20,
        },
    }
    if not body.get("stream"):
        return _json(response)
    created = {**response, "status": "in_progress", "output": []}
    return _named(
        {"type": "response.created", "response": created},
        {"type": "response.output_item.added", "output_index": 0, "item": added},
        *events,
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    )


def _gemini(body: Body) -> Answer:
    return _json(_gemini_answer(body))


def _gemini_stream(body: Body) -> Answer:
    return Events(f"data: {json.dumps(_gemini_answer(body))}\n\n")


def _gemini_answer(body: Body) -> Body:
    last = body["contents"][-1]["parts"]
    has_result = any("functionResponse" in part for part in last)
    plan = _plan("\n".join(part.get("text", "") for part in last), body, has_result)
    if isinstance(plan, ToolCall):
        part: Body = {"functionCall": {"name": plan.name, "args": json.loads(plan.arguments)}}
    else:
        part = {"text": plan}
    said = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}
    return {"candidates": [said], "usageMetadata": usage, "modelVersion": GEMINI}


def _plan(prompt: str, body: Body, has_result: bool) -> str | ToolCall:
    """Return what to do about a prompt: a tool's name may stand in the prompt without what a harness puts before it."""
    call = _CALL.search(prompt)
    if call is None or has_result:
        return ANSWER
    names = [name for _, name in _tools(body)]
    fits = [name for name in names if name == call[1]] or [n for n in names if n.endswith(call[1])]
    return ToolCall(fits[0], call[2]) if fits else f"NO TOOL {call[1]}; there are {names}"


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)


def _tools(body: Body) -> Iterator[tuple[str | None, str]]:
    """Yield namespace and name of each tool of a request."""
    for tool in body.get("tools") or ():
        if "functionDeclarations" in tool:
            yield from ((None, one["name"]) for one in tool["functionDeclarations"])
        elif tool.get("type") == "namespace":
            yield from ((tool["name"], one["name"]) for one in tool["tools"])
        elif name := tool.get("name") or tool.get("function", {}).get("name"):
            yield None, name


def _since_answer(messages: Sequence[Body]) -> list[Body]:
    last = max((n for n, one in enumerate(messages) if one["role"] == "assistant"), default=-1)
    return list(messages[last + 1 :])


def _parts(message: Body) -> Iterable[Body]:
    content = message["content"]
    return () if isinstance(content, str) else content


def _id(kind: str) -> str:
    return f"{kind}_{next(_NUMBERS):08}"


def _json(answer: Body) -> Answer:
    return Raw(json.dumps(answer))


def _same(answer: Body) -> tuple[Answer, Wrap]:
    return _json(answer), lambda text: text


def _named(*events: Body) -> Answer:
    return Events("".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events))
