"""Remember a session: who said what, one paragraph at a time, and the transcript as a whole."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from signet.cli.output import Progress
from signet.client import Signet
from signet.domain.extraction import rules_sentences
from signet.domain.memory import chunks
from signet.domain.transcripts import transcript
from signet.domain.transcripts.transcript import NOTE, Turn
from signet.errors import Invalid

#: Longer paragraphs are split where a sentence ends. Below the length from which the daemon would split them
#: itself, because its pieces would no longer say who spoke.
PIECE_CHARS = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A transcript and what is to be remembered of it."""

    text: str
    turns: int
    pieces: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fed:
    """What became of a session: the ids of its memories in order, and how many were known before."""

    source_id: str
    turns: int
    memory_ids: tuple[str, ...]
    deduped: int


def read(path: Path) -> Session:
    """Return the session in a file. Raises Invalid when it cannot be read or nobody says anything in it."""
    try:
        text = path.read_text("utf-8", "replace")
    except OSError as error:
        raise Invalid(f"Cannot read {path}: {error.strerror}") from error
    turns = transcript.parse(text)
    found = tuple(pieces(turns))
    if not found:
        raise Invalid(f"There is no text to save in {path}")
    return Session(text=text, turns=len(turns), pieces=found)


def pieces(turns: list[Turn]) -> Iterator[str]:
    """Yield what is to be remembered.

    A memory is one line of text, in which a second speaker or a list item would run into what stands before it.
    So each paragraph is a memory of its own, and each says who spoke. Code and logs stay in the transcript.
    """
    for turn in turns:
        label = "" if turn.role == NOTE else f"{turn.role[:1].upper()}{turn.role[1:]}: "
        for sentences in rules_sentences.paragraphs(turn.text):
            for piece in chunks.split(" ".join(sentences), PIECE_CHARS):
                yield label + piece


def feed(signet: Signet, session: Session, *, quiet: bool) -> Fed:
    """Remember a session; the same one again adds nothing."""
    source_id = hashlib.sha256(session.text.encode()).hexdigest()
    whole: str | None = transcript.normalize(session.text)
    memory_ids: dict[str, None] = {}
    deduped = 0
    with Progress("Remembering", quiet=quiet, unit="paragraphs") as progress:
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
