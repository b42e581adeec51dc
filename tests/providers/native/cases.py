"""What the session's fixtures hand out."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A text, its ids after the `tokenizers` package and, for some, its vector after torch."""

    text: str
    ids: list[int]
    vector: list[float] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """A model folder and what the processes that filled it at the same time said."""

    home: Path
    said: list[str]
