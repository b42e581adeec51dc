"""Fetch the source of a document, and cut its text into chunks."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from signet.domain.documents import readers
from signet.domain.documents.readers.files import Raw
from signet.domain.documents.records import DocumentRules, DocumentSource
from signet.domain.folders.private import find_places, is_below
from signet.domain.folders.reading import NotAFile, NotAllowed, check_local, opened
from signet.errors import PermanentJobError, Unavailable
from signet.net import fetch
from signet.net.addresses import PrivateAddress
from signet.paths import Workspace
from signet.wire.documents import StoredDocument

#: A heading in Markdown.
_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)")
_FENCE = ("```", "~~~")
#: Headings are cut to this length; six levels still leave most of a chunk to its text.
HEADING_CHARS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heading:
    place: int
    level: int
    title: str


def windows(text: str, size: int, overlap: int) -> list[str]:
    """Return windows of at most `size` characters, each overlapping the previous one; no blank ones.

    The last window ends with the text. The overlap is at most half a window, so that every step advances.
    """
    return [window for _, window in _windows(text, size, overlap)]


def sections(text: str, size: int, overlap: int) -> list[str]:
    """Return such windows of a Markdown text, each after its headings: `Guide › Setup: …`."""
    found: list[str] = []
    path: list[_Heading] = []
    headings = _headings(text)
    ahead = next(headings, None)
    for start, window in _windows(text, size, overlap):
        first = start + len(window) - len(window.lstrip())
        while ahead and ahead.place < first:
            path = [*_above(path, ahead), ahead]
            ahead = next(headings, None)
        # The heading at the beginning of the window need not be repeated.
        above = _above(path, ahead) if ahead and ahead.place == first else path
        titles = " › ".join(heading.title for heading in above)
        found.append(f"{titles}: {window}" if titles else window)
    return found


def _windows(text: str, size: int, overlap: int) -> Iterator[tuple[int, str]]:
    step = size - min(overlap, size // 2)
    last = max(len(text) - size, 0)
    for start in range(0, last + step, step):
        window = text[start : start + size]
        if window.strip():
            yield start, window


def _above(path: list[_Heading], heading: _Heading) -> list[_Heading]:
    return [outer for outer in path if outer.level < heading.level]


def _headings(text: str) -> Iterator[_Heading]:
    place, fence = 0, ""
    for line in text.splitlines(keepends=True):
        mark = line.lstrip()[:3]
        if mark in _FENCE and fence in ("", mark):
            fence = "" if fence else mark
        elif not fence and (found := _HEADING.match(line)):
            title = found[2].rstrip().rstrip("#").rstrip()
            yield _Heading(place=place, level=len(found[1]), title=title[:HEADING_CHARS])
        place += len(line)


#: For one page with all its redirects (DOC-9).
FETCH_SECONDS = 30.0
#: Code of files that cannot become documents.
UNREADABLE = "file_unreadable"


def raw(
    document: StoredDocument, rules: DocumentRules, workspace: Workspace, connected: Sequence[str]
) -> Raw:
    """Return the bytes of a page, or of a file in the workspace or one of the `connected` folders.

    Raises PermanentJobError if retrying is useless, else HttpError or Unavailable.
    """
    address = document["source_url"] or ""
    said = document["content_type"] or ""
    if document["source_type"] != DocumentSource.URL:
        data = _file(address, workspace, connected, rules.max_bytes)
        return Raw(data=data, content_type=said, name=address)
    wanted = fetch.FetchRequest(
        max_bytes=rules.max_bytes,
        seconds=FETCH_SECONDS,
        accepts=readers.accepts,
        may_be_private=rules.may_be_private,
    )
    try:
        page = fetch.fetch(address, wanted)
    except PrivateAddress as error:
        setting = "memory.pipelineV2.documents.allowPrivateNetworks"
        raise PrivateAddress(
            f"{error.message}. To read pages of your own network, set {setting}: true in agent.yaml"
        ) from error
    return Raw(data=page.body, content_type=page.content_type, name=urlsplit(page.url).path)


def _file(path: str, workspace: Workspace, connected: Sequence[str], max_bytes: int) -> bytes:
    """Return the bytes of a file; a symbolic link counts as its target."""
    check_local(workspace)
    places = find_places(workspace)

    def check(real: str) -> str | None:
        is_connected = is_below(real, places.workspace) or any(
            is_below(real, root) and places.folder_reason(root) is None for root in connected
        )
        return places.file_reason(real) if is_connected else "it lies in no connected folder"

    try:
        with opened(path, check) as file:
            data = file.read(max_bytes + 1)
    except NotAllowed as error:
        raise PermanentJobError(
            f"path not allowed: {error.message}. Add it as a text: signet document add FILE",
            "path_not_allowed",
        ) from error
    except NotAFile as error:
        raise PermanentJobError("not a file", UNREADABLE) from error
    except (FileNotFoundError, NotADirectoryError) as error:
        raise PermanentJobError("file not found", UNREADABLE) from error
    except (PermissionError, IsADirectoryError) as error:
        raise PermanentJobError(f"the file cannot be read: {error.strerror}", UNREADABLE) from error
    except OSError as error:
        raise Unavailable(f"the file cannot be read: {error.strerror}", "disk_trouble") from error
    if len(data) > max_bytes:
        raise PermanentJobError(f"the file is larger than {max_bytes} bytes", UNREADABLE)
    return data
