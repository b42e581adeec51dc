"""Everything out, and in again: records as `signet export` writes them, one JSON object each."""

from collections.abc import Mapping, Sequence
from typing import Any

from signet.client.method import asks
from signet.wire import transfer as wire


class TransferCalls:
    """Everything out, and in again: records as `signet export` writes them, one JSON object each."""

    @asks(wire.EXPORT, names={"agent_id": "agentId"})
    def export_page(
        self,
        *,
        cursor: str | None = None,
        since: str | None = None,
        vectors: bool = False,
        everything: bool = False,
        agent_id: str | None = None,
    ) -> wire.ExportPage:
        """Return some records, and under `next` the `cursor` of those behind them.

        What the agent may read; private memories of all agents too with `everything`. `since` leaves out what has not
        changed, `vectors` adds vectors.
        """

    @asks(wire.IMPORT, is_safe=True)
    def import_records(
        self,
        records: Sequence[Mapping[str, Any]],
        *,
        vectors: bool = False,
        preview: str | None = None,
        last: bool = False,
    ) -> wire.Imported:
        """Take up to 1,000 records in and return what became of them; the same ones again add nothing.

        `vectors` says that the file brings vectors, so that none are made. All requests of a dry run, which writes
        nothing, have the same name under `preview`, and its last one says `last`.
        """
