"""What is told of the pieces of documents: nothing that a person has forgotten (MEM-66).

A document stays as it is. Other memories stand for themselves.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from signet.db import ReadTx, Row
from signet.db.visibility import Reader
from signet.domain.memory.models import Memory
from signet.domain.memory.origin import DOCUMENT_CHUNK
from signet.domain.transcripts import withheld


def texts(tx: ReadTx, found: Sequence[tuple[str, str]], *, reader: Reader) -> list[str]:
    """Return texts, each given behind the type of its memory, as this reader may be told them; empty for nothing."""
    if not any(type == DOCUMENT_CHUNK for type, _ in found):
        return [text for _, text in found]
    known = withheld.of(tx, reader.agent_id)
    return [
        withheld.without(text, known) if type == DOCUMENT_CHUNK else text for type, text in found
    ]


def memories(tx: ReadTx, found: Sequence[Memory], *, reader: Reader) -> list[Memory]:
    """Return memories as this reader may be told them."""
    said = texts(tx, [(one.type, one.content) for one in found], reader=reader)
    return [
        one if one.content == text else replace(one, content=text)
        for one, text in zip(found, said, strict=True)
    ]


def rows(tx: ReadTx, found: Sequence[Row], *, reader: Reader) -> list[dict[str, Any]]:
    """Return rows with type and content as this reader may be told them."""
    said = texts(tx, [(row["type"], row["content"]) for row in found], reader=reader)
    return [{**dict(row), "content": text} for row, text in zip(found, said, strict=True)]
