"""Small servers: contexts that hold part of a text, failures in the middle of a long job, too little memory."""

import json
from collections.abc import Callable, Iterator

import pytest

from signet import clock
from signet.queue import stats
from support.http import api_over
from support.models import Answer, FakeServer, Status
from support.processes import eventually
from worker.home import Home, a_home, manifest
from worker.script import Script, decided, fact, found
from worker.test_summaries import DECIDED, SAID, ended, facts_of, finished, notes, row, talk

TOO_LONG = Status(400, '{"error": "the request exceeds the available context size", "n_ctx": 2048}')


@pytest.fixture(scope="module")
def home(server: FakeServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with a_home(tmp_path_factory.mktemp("w")) as made:
        made.configure(manifest(url=server.url))
        with made.worker():
            yield made


@pytest.fixture(autouse=True)
def _decisions(script: Script) -> None:
    script.scenes["compared with memories", ""] = [decided("add")]


def within(chars: int, answer: str) -> Callable[[str], Answer]:
    """Answer requests of at most so many characters, and refuse longer ones as llama.cpp does."""
    return lambda prompt: answer if len(prompt) <= chars else TOO_LONG


def test_a_long_session_goes_on_where_a_failure_stopped_it(
    home: Home, script: Script, server: FakeServer
) -> None:
    # First in this file: the errors of the other tests tell the worker how small the context is.
    script.reads("Notes were taken of the parts", notes("The whole dipper"))
    fails = Status(500, "runner has terminated")
    for part in (1, 2, 4):
        script.reads(f"part {part} of 4", notes("Dipper house"))
    script.reads("part 3 of 4", fails, notes("Dipper house"))
    job_id = ended(home, "resumed", talk("dipper house", turns=400))
    eventually(lambda: bool(row(home, job_id)["errors"]))
    [stored] = (home.workspace.daemon_dir / "answers").glob("*.jsonl")
    assert (stored.stem, stored.stat().st_mode & 0o777) == (job_id, 0o600)
    home.hurry()
    finished(home, job_id)
    asked = [prompt for prompt in server.prompts if "of 4 of the session" in prompt]
    assert len(asked) == 5, "only the part that failed was asked about again"
    eventually(lambda: not stored.exists())


def test_a_memory_that_is_too_long_for_the_context_is_read_in_halves(
    home: Home, script: Script, server: FakeServer
) -> None:
    filler = "Somebody talked about the weather in the harbour for a while. " * 6
    text = f"{SAID} {filler} {DECIDED}"
    script.reads("heron service", within(1_700, found(fact(SAID), fact(DECIDED))))
    script.reads("weather in the harbour", within(1_700, found()))
    source = home.remember(text, "long")
    home.ended(source)
    assert {one["content"] for one in home.facts(source)} >= {SAID, DECIDED}
    assert home.job(source)["attempts"] == 1


def test_a_context_that_holds_nothing_leaves_the_text_to_the_rules(
    home: Home, script: Script
) -> None:
    said = "The plover service listens on port 4410."
    script.reads("plover service", within(10, ""))
    source = home.remember(f"{said} Good to know, I would say.", "tiny")
    home.ended(source)
    assert [one["content"] for one in home.facts(source)] == [said]
    assert "EXTRACTION_TOO_LONG" in str(home.proposals(source))
    assert home.memory(source)["extraction_model"] == "rules"


def test_a_session_that_is_too_long_for_the_context_is_noted_in_parts(
    home: Home, script: Script
) -> None:
    told = "The kestrel depot opens its doors at nine."
    script.reads("Notes were taken of the parts", TOO_LONG)
    script.reads("kestrel depot", within(6_000, notes("The Kestrel depot", told)))
    job_id = ended(home, "long", talk("kestrel depot", turns=60, told=[told]))
    assert finished(home, job_id)["saved"] == 1
    assert [one["content"] for one in facts_of(home, "long")] == [told]
    assert row(home, job_id)["attempts"] == 1


def test_a_memory_with_many_facts_goes_on_where_an_outage_stopped_it(
    home: Home, script: Script, server: FakeServer
) -> None:
    known = "The whimbrel ledger closes on Fridays"
    script.reads(known, found())
    home.ended(home.remember(known, "many"))
    facts = [f"The whimbrel ledger closes on day {number} of a month" for number in range(4)]
    text = f"Several people said this in the meeting. {'. '.join(facts)}."
    script.reads(text, found(*map(fact, facts)))
    for one in facts[:3]:
        script.decides(one, decided("add"))
    script.decides(facts[3], Status(503, retry_after="1"), decided("add"))
    source = home.remember(text, "many")
    home.ended(source)
    assert len(home.facts(source)) == 4
    asked = [prompt for prompt in server.prompts if facts[0] in prompt]
    assert len(asked) == 2, "one request for the facts, one for the decision about the first"


def test_a_lack_of_memory_pauses_the_model_with_its_reason(home: Home, script: Script) -> None:
    text = "The turnstone service listens on port 4410."
    script.reads(text, Status(500, '{"error": "model requires more system memory"}'), found())
    source = home.remember(text, "scarce")
    eventually(lambda: bool(home.job(source)["errors"]))
    [held] = home.db.read(stats.breakers)
    assert held.retry_at_ms is not None and "more system memory" in str(held.error)
    failed_at = clock.parse(json.loads(home.job(source)["errors"])[0]["at"])
    assert (clock.ms_to_instant(held.retry_at_ms) - failed_at).total_seconds() > 50
    home.hurry()
    home.ended(source)


def test_a_weak_model_is_named_with_numbers_and_a_way_out(home: Home, script: Script) -> None:
    script.reads(
        "sanderling", found(fact("The owner of Globex likes Zanzibar"), fact("... ... ... ..."))
    )
    sources = [
        home.remember(f"The sanderling house has {n} doors and many windows.", f"weak {n}")
        for n in range(5)
    ]
    for source in sources:
        home.ended(source)
    with api_over(home.workspace) as api:
        told = api.get("/api/diagnostics").body["composite"]["help"]
    way_out = "signet config set memory.pipelineV2.extraction.provider rules"
    [advice] = [one for one in told if one["command"] == way_out]
    assert advice["domain"] == "provider" and "built-in rules" in advice["reason"]
    assert "facts were supported by their text" in advice["reason"]
