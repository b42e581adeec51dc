"""Save a session: each paragraph with its speaker, and the whole transcript."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from signet.cli.output import ProgressLine
from signet.client import Signet
from signet.domain.memory import wording
from signet.domain.statements import sentences
from signet.domain.transcripts import transcript
from signet.domain.transcripts.transcript import NOTE, Turn
from signet.errors import Invalid

#: Longer paragraphs are split between sentences. Shorter than the daemon's limit, whose pieces would not name the
#: speaker.
PIECE_CHARS = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSession:
    """A transcript and the memories to save from it."""

    text: str
    turns: int
    pieces: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fed:
    """The result: the memories' IDs in order, and how many existed before."""

    source_id: str
    turns: int
    memory_ids: tuple[str, ...]
    deduped: int


def read(path: Path) -> SampleSession:
    """Read a session from a file. Raises Invalid if it is unreadable or contains no messages."""
    try:
        text = path.read_text("utf-8", "replace")
    except OSError as error:
        raise Invalid(f"Cannot read {path}: {error.strerror}") from error
    turns = transcript.parse(text)
    found = tuple(pieces(turns))
    if not found:
        raise Invalid(f"There is no text to save in {path}")
    return SampleSession(text=text, turns=len(turns), pieces=found)


def pieces(turns: list[Turn]) -> Iterator[str]:
    """Yield the memories to save.

    A memory is one line, in which a second speaker or a list item would merge with the text before. So each paragraph
    becomes a separate memory that names its speaker. Code and logs stay in the transcript.
    """
    for turn in turns:
        label = "" if turn.role == NOTE else f"{turn.role[:1].upper()}{turn.role[1:]}: "
        for paragraph in sentences.paragraphs(turn.text):
            for piece in wording.split_text(" ".join(paragraph), PIECE_CHARS):
                yield label + piece


def feed(signet: Signet, session: SampleSession, *, quiet: bool) -> Fed:
    """Save a session; saving it again adds nothing."""
    source_id = hashlib.sha256(session.text.encode()).hexdigest()
    whole: str | None = transcript.normalize(session.text)
    memory_ids: dict[str, None] = {}
    deduped = 0
    with ProgressLine("Remembering", quiet=quiet, unit="paragraphs") as progress:
        for ordinal, piece in enumerate(session.pieces):
            saved = signet.remember(
                piece,
                who="quickstart",
                source_type="session",
                source_id=source_id,
                ordinal=ordinal,
                transcript=whole,
            )
            whole = None
            memory_ids.update(dict.fromkeys([saved["id"], *saved.get("ids", ())]))
            deduped += saved["deduped"]
            progress.count(ordinal + 1, len(session.pieces))
    return Fed(
        source_id=source_id, turns=session.turns, memory_ids=tuple(memory_ids), deduped=deduped
    )
