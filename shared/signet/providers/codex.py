"""A model behind the Codex program: `codex exec`."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from signet.providers.command import Command
from signet.providers.loose import as_object
from signet.providers.ports import Completion, Shape
from signet.text import json_text


class CodexModel:
    """A language model of the `codex` on the PATH, with read-only access to this machine."""

    def __init__(self, model: str) -> None:
        self.name = f"codex:{model}"
        self._model = model
        self._command = Command(
            provider=self.name,
            executable="codex",
            extra={"SIGNET_CODEX_BYPASS_WRAPPER": "1"},
            excerpt_chars=500,
        )

    def generate(
        self, prompt: str, *, timeout_seconds: float, max_tokens: int, shape: Shape | None = None
    ) -> Completion:
        """Return the agent's joined messages; the program sets its own token limit."""
        arguments = ["exec", "--skip-git-repo-check", "--json", "--sandbox", "read-only"]
        place = ["-C", str(Path.home()), "--model", self._model, "-"]
        out = self._command.run([*arguments, *place], prompt, timeout_seconds=timeout_seconds)
        return self._completion(out)

    def available(self) -> bool:
        """Return whether the program exists; never raises."""
        return self._command.answers()

    def _completion(self, out: str) -> Completion:
        texts: list[str] = []
        read = written = 0
        failed = ""
        for event in _events(out):
            kind, item = event.get("type"), as_object(event.get("item"))
            if kind == "item.completed" and item.get("type") == "agent_message":
                texts.append(str(item.get("text") or ""))
            elif kind == "turn.completed":
                usage = as_object(event.get("usage"))
                read += _count(usage.get("input_tokens"))
                written += _count(usage.get("output_tokens"))
            elif kind in ("turn.failed", "error"):
                error = as_object(event.get("error"))
                failed = str(error.get("message") or event.get("message") or "the turn failed")
        text = "\n".join(text for text in texts if text.strip())
        if not text:
            said = " ".join(failed.split())[: self._command.excerpt_chars]
            raise self._command.failure(said or "the answer is empty", said)
        return Completion(text=text, input_tokens=read, output_tokens=written)


def _events(out: str) -> Iterator[Mapping[str, object]]:
    """Yield the JSON objects among the lines of output."""
    for line in out.splitlines():
        if (event := json_text.an_object(line)) is not None:
            yield event


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0
