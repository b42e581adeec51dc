"""What goes wrong in a real worker is noted by its code, where the API and the timeline find it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from signet.domain.activity import events, usage
from signet.domain.activity.events import ErrorFilter
from signet.errors import ProviderTimeout
from signet.observe.record import BUFFER
from signet.observe.taxonomy import Code
from signet.providers import ollama
from signet.providers.metered import MeteredEmbedder
from support.models import FakeServer, Hang, Status, Works, fake_ollama
from support.processes import eventually
from worker.home import Home, a_home, manifest
from worker.script import Script, decided, fact, found
from worker.sources import a_connector, started


@pytest.fixture(scope="module")
def home(server: FakeServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with a_home(tmp_path_factory.mktemp("w")) as made:
        tree = manifest(url=server.url, embedding="ollama", timeout_ms=5_000)
        made.configure(tree)
        with made.worker():
            yield made


def noted(home: Home, code: Code, memory_id: str | None = None) -> bool:
    """Return whether an error of this code, of this memory, has been written down."""
    kept = home.db.read(events.newest_errors, ErrorFilter(limit=500))
    return any(
        one["code"] == code and (memory_id is None or one.get("memoryId") == memory_id)
        for one in kept
    )


def counted(home: Home, connector_id: str) -> Mapping[str, int] | None:
    return home.db.read(usage.of_connectors).get(connector_id)


def test_an_answer_that_is_nonsense_and_one_that_never_comes_are_told_apart(
    home: Home, script: Script
) -> None:
    odd = "The odd heron told a story that no model could ever read."
    slow = "The slow heron told a story that no model could ever finish."
    script.reads(odd, "I would rather not say.")
    script.reads(slow, Hang())
    odd_id, slow_id = home.remember(odd, "a"), home.remember(slow, "b", attempts=1)
    eventually(lambda: noted(home, Code.EXTRACTION_PARSE_FAIL, odd_id))
    eventually(lambda: noted(home, Code.EXTRACTION_TIMEOUT, slow_id))
    home.ended(slow_id, status="dead")
    job = home.job(slow_id)
    assert job["last_error_code"] == "provider_timeout" and "timeout" in job["error"]
    assert (home.memory(slow_id)["extraction_status"], home.facts(slow_id)) == ("failed", [])
    event = "SELECT COUNT(DISTINCT event) FROM telemetry_events WHERE event IN (?, ?)"
    eventually(lambda: home.value(event, "llm.generate", "pipeline.error") == 2)
    assert not home.value("SELECT COUNT(*) FROM telemetry_events WHERE properties LIKE '%heron%'")


def test_a_decision_that_names_no_candidate_is_noted(home: Home, script: Script) -> None:
    before = "The dunlin board meets on Monday at noon."
    script.reads(before, found())
    home.ended(home.remember(before, "c"))
    moved = "The dunlin board meets on Tuesday at noon"
    text = f"We heard from the secretary, after long and tiring talks: {moved}."
    script.reads(text, found(fact(moved)))
    script.decides(
        "The dunlin board meets on Tuesday at noon", decided("update", "somebody else's")
    )
    source = home.remember(text, "c")
    eventually(lambda: noted(home, Code.DECISION_INVALID, source))


def test_vectors_that_cannot_be_had_are_noted_with_their_outcome(
    home: Home, script: Script, server: FakeServer
) -> None:
    text = "The plover harbour has four boats."
    script.reads(text, found())
    server.embeddings = [Status(503)]
    home.remember(text, "d")
    eventually(lambda: noted(home, Code.EMBEDDING_PROVIDER_DOWN))
    outcomes = (
        "SELECT COUNT(*) FROM provider_outcomes WHERE kind = 'embedding' AND outcome = 'failure'"
    )
    eventually(lambda: bool(home.value(outcomes)))


def test_a_model_that_never_decides_and_one_that_never_makes_vectors_are_noted_as_late(
    home: Home, script: Script, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = "The turnstone ferry leaves at nine from the north pier."
    script.reads(before, found())
    server.embeddings = [Works()]
    home.ended(home.remember(before, "e"))
    late = "The turnstone ferry leaves at ten from the north pier"
    text = f"We heard from the harbour office, after long and tiring talks: {late}."
    script.reads(text, found(fact(late)))
    script.decides("The turnstone ferry leaves at ten from the north pier", Hang())
    source = home.remember(text, "e")

    monkeypatch.setattr(ollama, "EMBED_SECONDS", 0.2)
    with fake_ollama(embeddings=[Hang()]) as slow, pytest.raises(ProviderTimeout):
        BUFFER.take()
        MeteredEmbedder(ollama.OllamaEmbedder(slow.url, "nomic-embed-text", dimensions=768)).embed(
            ["godwit"]
        )
    seen = BUFFER.take()
    assert [(one.code, one.message) for one in seen.errors] == [
        (
            Code.EMBEDDING_TIMEOUT,
            "ollama:nomic-embed-text: timeout: no complete answer within 0.2 s",
        )
    ]
    assert [one.outcome for one in seen.outcomes] == ["timeout"]
    eventually(lambda: noted(home, Code.DECISION_TIMEOUT, source))


@pytest.mark.own_files
def test_a_sync_that_ends_in_an_error_is_noted_and_counted(home: Home, tmp_path: Path) -> None:
    connector = a_connector(home, tmp_path)
    home.run("UPDATE connectors SET config_json = '{}' WHERE id = ?", connector)
    started(home, connector)
    eventually(lambda: noted(home, Code.CONNECTOR_SYNC_FAIL))
    eventually(
        lambda: counted(home, connector) == {"syncs": 0, "errors": 1, "documentsProcessed": 0}
    )


@pytest.mark.own_files
def test_a_folder_that_cannot_be_read_is_noted_and_counted(home: Home, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    connector = a_connector(home, folder)
    folder.rmdir()
    started(home, connector)
    eventually(lambda: noted(home, Code.CONNECTOR_AUTH_FAIL))
    eventually(
        lambda: counted(home, connector) == {"syncs": 0, "errors": 1, "documentsProcessed": 0}
    )
