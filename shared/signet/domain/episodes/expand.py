"""The whole of an episode, page by page, after a prompt received a passage of it."""

import re
from dataclasses import dataclass

from signet import ids
from signet.db import ReadTx
from signet.db.visibility import Reader
from signet.domain.episodes import brief, fence, sql
from signet.domain.episodes.models import COMMIT_CHARS, Source, SourceType
from signet.errors import Invalid, NotFound

#: Characters of a page: about 2,000 tokens. A page ends at the end of a line.
PAGE_CHARS = 8_000
_EVERY = 1_000_000
#: As in a heading (`Session abc`), or as an ID (`session:abc`).
_ID = re.compile(r"(?:#{1,6} )?(session|commit|memory|document)(?::| ++)(\S.*)", re.IGNORECASE)
#: A unique ID prefix: of a commit as in headings, of a session as `signet why` accepts it.
_SHORT = {
    SourceType.COMMIT: re.compile(rf"[0-9a-f]{{{COMMIT_CHARS},39}}"),
    SourceType.SESSION: re.compile(r"[0-9a-f]{8}[0-9a-f-]{0,27}"),
}


class UnknownEpisode(NotFound):
    """No such episode. Ids are in the headings of injected context, as in session:abc."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePage:
    """One page of a source, verbatim but cleaned; pages count from 1."""

    source: Source
    text: str
    page: int
    pages: int


def names_one(id: str) -> bool:
    """Return whether an ID has the form of an episode's."""
    return _ID.fullmatch(id.strip()) is not None


def page(
    tx: ReadTx, id: str, number: int, *, reader: Reader, project: str | None = None
) -> SourcePage:
    """Return one page of the source with this ID.

    Raises Invalid for a malformed or ambiguous ID, or a page out of range; UnknownEpisode if it does not exist or
    belongs to another reader.
    """
    read = _ID.fullmatch(id.strip())
    if read is None:
        raise Invalid("id must name an episode, as in session:abc or commit:0123456789ab")
    type_, named = SourceType(read[1].lower()), read[2].strip('"')
    short = _SHORT.get(type_)
    is_short = ids.is_short(named) if short is None else short.fullmatch(named) is not None
    found = sql.named(tx, type_, named, is_short=is_short, reader=reader, project=project)
    found = [one for one in found if one.id == named] or found
    if not found:
        raise UnknownEpisode
    if len({one.id for one in found}) > 1:
        raise Invalid(f"several ids start with {named}")
    whole = brief.around(tx, found[0], 0, _EVERY, reader=reader)
    is_talk = type_ is SourceType.SESSION
    pages = _pages(fence.clean(whole) if is_talk else fence.quoted(whole))
    if not 1 <= number <= len(pages):
        raise Invalid(f"page must be from 1 to {len(pages)}")
    return SourcePage(source=found[0], text=pages[number - 1], page=number, pages=len(pages))


def _pages(text: str) -> list[str]:
    pages = [""]
    for line in text.splitlines(keepends=True):
        for start in range(0, len(line), PAGE_CHARS):
            piece = line[start : start + PAGE_CHARS]
            if pages[-1] and len(pages[-1]) + len(piece) > PAGE_CHARS:
                pages.append(piece)
            else:
                pages[-1] += piece
    return [page.rstrip("\n") for page in pages]
