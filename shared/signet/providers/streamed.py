"""Answers in pieces: what a server streams although it was asked not to.

Two forms are known, told apart by the body (content types lie): a JSON object on each line, as Ollama streams, and
server-sent events, as OpenAI-compatible servers and Anthropic do. The pieces are joined to the answer that the same
server gives when it does not stream. Pure.
"""

import re
from collections.abc import Iterator, Sequence

from signet.providers.loose import Json, as_object, as_text, first_object
from signet.text.json_text import an_object

DONE = "[DONE]"


class Cut(ValueError):
    """The stream ended before the answer was complete."""


def joined(body: bytes) -> Json | None:
    """Return the answer that a stream adds up to, None when the body is no stream; raises Cut."""
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
    """Yield what each line or event holds."""
    # Not splitlines: the line separators of Unicode may stand in a JSON text.
    lines = [line for line in re.split(r"[\r\n]+", text) if line.strip()]
    if not any(line.startswith("data:") for line in lines):
        yield from lines
        return
    yield from (line[5:].strip() for line in lines if line.startswith("data:"))


def _is_last(piece: Json) -> bool:
    """Return whether a piece says that nothing comes after it, or is a whole answer itself."""
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
        return {
            "choices": [{"message": {"content": "".join(map(as_text, said))}}],
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
