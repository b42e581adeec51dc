"""An Ollama server whose answers follow from the question, so that many jobs can ask it at once."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from support.models import (
    OLLAMA,
    Answer,
    FakeServer,
    Request,
    Status,
    Works,
    Wrap,
)

MODELS = ("qwen3:4b", "nomic-embed-text:latest")
UNKNOWN = Status(500, "the script has no answer to this")


def fact(content: str, *, type: str = "fact", confidence: float = 0.9) -> dict[str, object]:
    """Return a fact as a model writes it."""
    return {"content": content, "type": type, "confidence": confidence}


def triple(source: str, relationship: str, target: str) -> dict[str, object]:
    """Return a triple as a model writes it."""
    return {
        "source": source,
        "source_type": "project",
        "relationship": relationship,
        "target": target,
        "target_type": "tool",
        "confidence": 0.8,
    }


def found(*facts: dict[str, object], entities: Sequence[dict[str, object]] = ()) -> str:
    """Return what a model writes about a text."""
    return json.dumps({"facts": facts, "entities": list(entities)})


def decided(action: str, target: str | None = None, reason: str = "because") -> str:
    """Return what a model writes about a fact and its candidates."""
    return json.dumps({"action": action, "targetId": target, "confidence": 0.8, "reason": reason})


class Script:
    """What the server answers; answers to one question are used up one by one, the last repeats."""

    def __init__(self) -> None:
        self._reading: dict[str, list[Answer]] = {}
        self._deciding: dict[str, list[Answer]] = {}

    def reads(self, text: str, *answers: Answer) -> None:
        """Answer so when a text that holds `text` is to be read."""
        self._reading[text] = list(answers)

    def decides(self, content: str, *answers: Answer) -> None:
        """Answer so when it is to be decided about a fact."""
        self._deciding[f"): {content}\n"] = list(answers)

    def answer(self, prompt: str) -> Answer:
        """Return the answer to a question and use it up."""
        for scenes in (self._deciding, self._reading):
            for words, answers in scenes.items():
                if words in prompt:
                    return answers.pop(0) if len(answers) > 1 else answers[0]
        return UNKNOWN


@contextmanager
def scripted(script: Script, *, embeddings: Sequence[Answer] = (Works(),)) -> Iterator[FakeServer]:
    """Run an Ollama server that follows a script."""

    def generate(server: FakeServer, request: Request) -> tuple[Answer, Wrap]:
        answer = script.answer(str(request.body["prompt"]))
        return answer, lambda text: {"response": text, "done": True}

    routes = {**OLLAMA, ("POST", "/api/generate"): generate}
    server = FakeServer(
        routes, ["unused"], path="", models=MODELS, dimensions=768, embeddings=embeddings
    )
    try:
        yield server
    finally:
        server.stop()
