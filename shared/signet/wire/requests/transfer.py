"""Importing records, and one text among them (signet/domain/transfer/FORMAT.md)."""

from pydantic import Field

from signet.wire.requests.memory import RememberBody
from signet.wire.requests.model import Body, spelled

#: Records of one request.
MAX_RECORDS = 1_000


class ImportBody(Body):
    """Some records of an import, in the order of their file."""

    records: list[dict[str, object]] = Field(max_length=MAX_RECORDS)
    #: Whether the file brings vectors, so that none are made for its memories.
    vectors: bool = False
    #: The name of a dry run, the same one for all its requests; nothing is written then.
    preview: str | None = None
    #: Whether these are the last records of a dry run.
    last: bool = False


class TextBody(RememberBody):
    """A record of kind `text`."""

    source_path: str | None = spelled("source_path", "sourcePath")
    source_section: str | None = spelled("source_section", "sourceSection")
