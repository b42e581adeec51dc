"""Export and import: records in the format of `signet export`, one JSON object each."""

from collections.abc import Mapping, Sequence
from typing import Any

from signet.client.method import asks
from signet.wire import transfer as wire


class TransferCalls:
    """Export and import: records in the format of `signet export`, one JSON object each."""

    @asks(wire.EXPORT)
    def export_page(
        self,
        *,
        cursor: str | None = None,
        since: str | None = None,
        vectors: bool = False,
        everything: bool = False,
        agent_id: str | None = None,
    ) -> wire.ExportPage:
        """Return a page of records, and under `next` the `cursor` of the following ones.

        Contains what the agent may read; with `everything` also private memories of all agents. `since` omits records
        unchanged since then, `vectors` adds vectors.
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
        """Import up to 1,000 records and return the result of each; importing one twice adds nothing.

        `vectors`: the file contains vectors, so none are created. All requests of a dry run, which writes nothing,
        have the same name under `preview`, and its last one sets `last`.
        """
