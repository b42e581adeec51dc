"""The context for a prompt as text for a model: fenced, dated, within a size, never as instructions."""

from collections.abc import Sequence
from dataclasses import dataclass

from signet.client.answers import ContextSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A text for a system prompt, empty without memories, and its sources in order."""

    text: str
    sources: Sequence[ContextSource]

    def __str__(self) -> str:
        return self.text
