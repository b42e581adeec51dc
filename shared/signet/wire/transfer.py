"""Export and import."""

from typing import Any, NotRequired, TypedDict

from signet.wire import access
from signet.wire.operation import get, post


class ExportPage(TypedDict):
    """A page of records, and the cursor of the next one; None after the last."""

    records: list[dict[str, Any]]
    next: str | None


class Imported(TypedDict):
    """The result for the records of one request; `masked` names kinds of masked secrets."""

    new: int
    known: int
    #: Forgotten values, which are not imported.
    forgotten: int
    refused: int
    kinds: dict[str, dict[str, int]]
    reasons: list[dict[str, Any]]
    masked: NotRequired[list[str]]


EXPORT = get("/api/export", access.RECALL, ExportPage)
IMPORT = post(
    "/api/import",
    access.programs("import records, agents and their read policies included", "signet import"),
    Imported,
)
