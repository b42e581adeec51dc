"""A model whose context is too small: the text is split, and the rules read what still does not fit."""

from collections.abc import Callable, Iterator

import pytest

from support.models import Answer, FakeServer, Status
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
