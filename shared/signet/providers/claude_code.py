"""A model behind the Claude Code program: `claude -p`."""

from signet.providers.command import Command
from signet.providers.ports import Completion, Shape
from signet.text import json_text


class ClaudeCodeModel:
    """A language model of the `claude` on the PATH, paid by its account."""

    def __init__(self, model: str) -> None:
        self.name = f"claude-code:{model}"
        self._model = model
        self._command = Command(provider=self.name, executable="claude")

    def generate(
        self, prompt: str, *, timeout_seconds: float, max_tokens: int, shape: Shape | None = None
    ) -> Completion:
        """Return the final text; the program sets its own token limit."""
        arguments = ["-p", "--model", self._model, "--no-session-persistence"]
        out = self._command.run(
            [*arguments, "--output-format", "json"], prompt, timeout_seconds=timeout_seconds
        )
        return self._completion(out)

    def available(self) -> bool:
        """Return whether the program exists; never raises."""
        return self._command.answers()

    def _completion(self, out: str) -> Completion:
        answer = json_text.an_object(out)
        if answer is None:
            return Completion(text=out, input_tokens=None, output_tokens=None)
        text = answer.get("result")
        if answer.get("is_error") or not isinstance(text, str) or not text.strip():
            said = str(text or answer.get("subtype") or "an answer without text")
            said = " ".join(said.split())[: self._command.excerpt_chars]
            raise self._command.failure(said, said)
        usage = answer.get("usage")
        counts = usage if isinstance(usage, dict) else {}
        read, written = counts.get("input_tokens"), counts.get("output_tokens")
        return Completion(
            text=text,
            input_tokens=read if isinstance(read, int) else None,
            output_tokens=written if isinstance(written, int) else None,
        )
