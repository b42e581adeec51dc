"""An Ollama server whose answers follow from the question, so that many jobs can ask it at once."""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
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


def filed(*aspects: str, kind: str = "attribute", entity_type: str = "project") -> str:
    """Return what a model writes about the aspects of numbered facts; an empty aspect is passed over."""
    results = [
        {"i": number, "aspect": aspect, "kind": kind, "new": True}
        for number, aspect in enumerate(aspects, 1)
        if aspect
    ]
    return json.dumps({"results": results, "entity_type": entity_type})


def depends(*targets: str | None, type: str = "uses") -> str:
    """Return what a model writes about the dependencies in numbered facts; None is passed over."""
    results = [
        {"i": number, "dependencies": [{"target": target, "type": type, "reason": "it says so"}]}
        for number, target in enumerate(targets, 1)
        if target is not None
    ]
    return json.dumps({"results": results})


#: An answer, or what makes one of the request.
Scene = Answer | Callable[[str], Answer]


class Script:
    """What the server answers; answers to one question are used up one by one, the last repeats."""

    #: Words that only the request of one sort holds; what holds none of them is to be read.
    SORTS = ("compared with memories", "months later", "File each", "it depends", "contradict each")

    def __init__(self) -> None:
        self.scenes: dict[tuple[str, str], list[Scene]] = {}
        self._lock = threading.Lock()

    def reads(self, text: str, *answers: Scene) -> None:
        """Answer so when a text that holds `text` is to be read."""
        self.scenes["", text] = list(answers)

    def decides(self, content: str, *answers: Answer) -> None:
        """Answer so when it is to be decided about a fact."""
        self.scenes["compared with memories", f"): {content}\n"] = list(answers)

    def hints(self, text: str, *answers: Answer) -> None:
        """Answer so when hints are wanted on a text that holds `text`."""
        self.scenes["months later", text] = list(answers)

    def files(self, words: str, *answers: Answer) -> None:
        """Answer so when facts that hold `words` are to be filed under aspects."""
        self.scenes["File each", words] = list(answers)

    def depends(self, words: str, *answers: Answer) -> None:
        """Answer so when dependencies are looked for in facts that hold `words`."""
        self.scenes["it depends", words] = list(answers)

    def contradicts(self, words: str, *answers: Answer) -> None:
        """Answer so when statements that hold `words` are compared."""
        self.scenes["contradict each", words] = list(answers)

    def answer(self, prompt: str) -> Answer:
        """Return the answer to a question and use it up; a text of no scene has nothing in it."""
        asked = self.sort(prompt)
        # Each request has a thread of its own, and the test adds scenes meanwhile.
        for (sort, words), answers in list(self.scenes.items()):
            if sort == asked and words in prompt:
                with self._lock:
                    scene = answers.pop(0) if len(answers) > 1 else answers[0]
                return scene(prompt) if callable(scene) else scene
        # Else the texts that a test has no interest in would make the server look ill, and the others wait for it.
        return UNKNOWN if asked else found()

    @classmethod
    def sort(cls, prompt: str) -> str:
        """Return which of `SORTS` a request is, empty when a text is to be read."""
        return next((sort for sort in cls.SORTS if sort in prompt), "")


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
