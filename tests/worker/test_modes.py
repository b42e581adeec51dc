"""How far the pipeline may go and who reads, changed while one worker runs (CF-16, PIP-19, CF-30)."""

from collections.abc import Iterator

import pytest

from signet import clock
from signet.db import WriteTx
from signet.queue import NewJob, enqueue
from support.models import FakeServer, fake_openai
from support.processes import eventually
from worker.home import Home, Tree, a_home, manifest
from worker.script import Script, fact, found

PLAIN = (
    "We decided to use Postgres instead of MySQL. Anna prefers tabs over spaces. "
    "The gannet invoices, by the way, are sent in autumn, whatever the office says."
)


@pytest.fixture(scope="module")
def script() -> Script:
    made = Script()
    made.reads("", found(fact("The gannet invoices are sent in autumn")))
    return made


@pytest.fixture(scope="module")
def home(server: FakeServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with a_home(tmp_path_factory.mktemp("w")) as made:
        made.configure(manifest("rules"))
        with made.worker({"OPENAI_API_KEY": "sk-of-the-environment"}):
            yield made


def _watching(url: str, switch: str) -> Tree:
    return manifest(
        url=url,
        shadowMode=switch == "shadowMode",
        mutationsFrozen=switch == "mutationsFrozen",
    )


@pytest.mark.parametrize("switch", ["shadowMode", "mutationsFrozen"])
def test_what_is_only_watched_changes_no_memory(
    home: Home, server: FakeServer, switch: str
) -> None:
    home.configure_live(manifest(url=server.url))
    home.run("INSERT INTO queue_control VALUES ('all', 1, '', '')")
    source = home.remember(
        f"The gannet office sends its invoices late, in autumn mostly: {switch}.", switch
    )
    before = home.dump()
    home.configure_live(_watching(server.url, switch))
    home.run("DELETE FROM queue_control")
    result = home.ended(source)
    assert (result["facts"], result["writeMode"]) == (1, "shadow")
    assert home.dump() == before
    [proposal] = home.proposals(source)
    assert (proposal["by"], proposal["shadow"]) == ("pipeline-shadow", True)
    assert (proposal["proposedAction"], proposal["createdMemoryId"]) == ("add", None)


def test_the_rules_need_no_server(home: Home, server: FakeServer) -> None:
    home.configure_live(manifest("rules", server.url))
    source = home.remember(PLAIN, "rules")
    home.ended(source)
    contents = [row["content"] for row in home.facts(source)]
    assert any("Postgres" in content for content in contents), contents
    assert {row["extraction_model"] for row in home.facts(source)} == {"rules"}
    assert home.memory(source)["extraction_status"] == "completed"
    assert not any(PLAIN in prompt for prompt in server.prompts)


def test_auto_takes_the_model_that_answers_and_else_the_rules(
    home: Home, server: FakeServer
) -> None:
    home.configure_live(manifest("auto", server.url))
    source = home.remember(PLAIN, "auto")
    home.ended(source)
    assert home.memory(source)["extraction_model"] == "ollama:qwen3:4b"
    home.configure_live(manifest("auto", "http://127.0.0.1:9"))
    source = home.remember(PLAIN, "auto alone")
    home.ended(source)
    assert home.memory(source)["extraction_model"] == "rules"
    assert home.facts(source)


def test_a_compatible_server_is_told_its_own_key_only(home: Home) -> None:
    with fake_openai(found(fact("The fulmar brewery closes on Sundays"))) as server:
        for agent, key in (("keyless", None), ("keyed", "sk-of-the-file")):
            home.configure_live(manifest("openai", server.url, api_key=key))
            source = home.remember("Of all the breweries only fulmar is closed on Sundays.", agent)
            home.ended(source)
            assert home.memory(source)["extraction_model"] == "openai:gpt-4o-mini"
            assert len(home.facts(source)) == 1
        told = [request.headers.get("authorization") for request in server.requests]
    assert told == [None, "Bearer sk-of-the-file"]


def test_none_queues_nothing_and_skips_what_was_queued_before(home: Home) -> None:
    home.configure_live(manifest("none"))
    source = home.remember("The puffin lamp is blue.", "none")
    assert home.rows("SELECT * FROM memory_jobs WHERE memory_id = ?", source) == []
    assert home.memory(source)["extraction_status"] == "none"

    def queue(tx: WriteTx) -> None:
        enqueue(tx, NewJob(kind="extract", memory_id=source), now=clock.now())

    home.db.write(queue)
    assert home.ended(source) == {"skipped": "extraction_off"}
    assert home.proposals(source) == []


def test_a_disabled_pipeline_skips_what_was_queued_before(home: Home, server: FakeServer) -> None:
    home.configure_live(manifest("rules"))
    home.run("INSERT INTO queue_control VALUES ('all', 1, '', '')")
    source = home.remember(PLAIN, "disabled")
    home.configure_live(manifest("rules", enabled=False))
    home.run("DELETE FROM queue_control")
    assert home.ended(source) == {"skipped": "extraction_off"}
    assert home.facts(source) == []


def test_a_broken_file_changes_nothing(home: Home) -> None:
    home.configure_live(manifest("rules"))
    before = home.logged("config.unreadable")
    fresh = home.workspace.root / "agent.new"
    fresh.write_text("memory: [", "utf-8")
    fresh.replace(home.workspace.root / "agent.yaml")
    eventually(lambda: home.logged("config.unreadable") > before)
    source = home.remember(PLAIN, "broken")
    home.ended(source)
    assert home.memory(source)["extraction_model"] == "rules"
