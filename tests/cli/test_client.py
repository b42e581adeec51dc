"""The Python client with a whole daemon; everything else about it is in `tests/client`."""

import pytest

from cli.program import Program
from signet.client import Signet
from signet.errors import NotFound


def test_the_client_does_what_the_interface_does(served: Program) -> None:
    signet = Signet(path=str(served.workspace), environ={})
    saved = signet.remember(
        "Marta prefers quiet trains.", who="Marta", tags=["travel"], source_id="t1", ordinal=0
    )
    assert signet.wait_for_jobs().open == 0
    assert signet.get(saved["id"])["source_id"] == "t1"
    events = [change["event"] for change in signet.history(saved["id"])]
    assert events[0] == "created"
    assert signet.history(saved["id"])[0]["changedBy"] == "python"
    assert signet.recall("quiet trains", tags=["travel"])["results"][0]["id"] == saved["id"]
    assert signet.memories(limit=1)["stats"]["total"] >= 1
    assert signet.pipeline_status()["paused"] is False
    with pytest.raises(NotFound, match=r"(?i)not found"):
        signet.get("no/such id?")


def test_documents_are_handed_over_and_read(served: Program) -> None:
    signet = Signet(path=str(served.workspace), environ={})
    made = signet.add_document("A long note on lighthouses. " * 20, title="Lighthouses")
    signet.wait_for_jobs()
    assert signet.document(made["id"])["status"] == "done"
    assert "lighthouses" in signet.chunks(made["id"])[0]["content"]
    assert made["id"] in [one["id"] for one in signet.documents()["documents"]]
    assert signet.add_document("A long note on lighthouses. " * 20)["deduplicated"] is True


def test_the_documentation_page_is_served_and_needs_nothing_else(served: Program) -> None:
    from urllib.request import urlopen

    page = urlopen(f"http://127.0.0.1:{served.port}/docs").read().decode()
    assert "/openapi.json" in page
    for outside in ("http://", "https://", "@import", "<script src", 'rel="stylesheet"'):
        assert outside not in page
