"""Export and import."""

from typing import Any, NotRequired, TypedDict

from signet.wire import access
from signet.wire.operation import Operation


class ExportPage(TypedDict):
    """Some records, and the cursor of those behind them; None behind the last."""

    records: list[dict[str, Any]]
    next: str | None


class Imported(TypedDict):
    """What became of the records of one request; `masked` names the kinds of secrets that were replaced in them."""

    new: int
    known: int
    #: What somebody has forgotten here; it is not taken in.
    forgotten: int
    refused: int
    kinds: dict[str, dict[str, int]]
    reasons: list[dict[str, Any]]
    masked: NotRequired[list[str]]


EXPORT = Operation("GET", "/api/export", access.RECALL, ExportPage)
IMPORT = Operation(
    "POST",
    "/api/import",
    access.programs("import records, agents and their read policies included", "signet import"),
    Imported,
)
