"""The examples as a person runs them, each with its framework, a daemon and a scripted model over HTTP.

`SIGNET_TEST_FRAMEWORKS` names the Python programs that have the frameworks, separated by `:`; they cannot all be in one
environment, and none is needed by Signet. An example without its framework is skipped.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import httpx
import pytest

from cli.program import ROOT
from support.agentmodel import ANSWER, agent_requests, body_text, fake_agent_model
from support.http import Served, a_workspace, served
from support.models import FakeServer

MEMORY = "Atlas uses Valkey as its cache since the Redis licence changed."
ASKED = "Which cache does Atlas use?"
CALL = ' CALL:memory_search {"query": "Atlas cache"}'
#: What each example imports beside Signet.
NEEDS = {
    "openai_client": "openai",
    "anthropic_client": "anthropic",
    "openai_agents_sdk": "agents",
    "pydantic_ai_agent": "pydantic_ai",
    "langgraph_store": "langgraph",
    "llama_index_memory": "llama_index.core.agent.workflow",
}
SECONDS = 120


@dataclass(frozen=True, slots=True)
class Place:
    """A daemon that remembers something, and a model."""

    server: Served
    model: FakeServer

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    def run(self, name: str, *more: str) -> str:
        """Run an example, or code after it, and return what it prints; skips the test without its framework."""
        python = python_with(NEEDS[name])
        environment = {
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            "HOME": str(self.server.workspace.root.parent),
            "PYTHONPATH": f"{ROOT / 'shared'}:{ROOT / 'examples'}",
            "SIGNET_DAEMON_URL": self.url,
            "OPENAI_API_KEY": "test",
            "OPENAI_BASE_URL": f"{self.model.url}/v1",
            "OPENAI_API_BASE": f"{self.model.url}/v1",
            "ANTHROPIC_API_KEY": "test",
            "ANTHROPIC_BASE_URL": self.model.url,
            "NO_PROXY": "127.0.0.1,localhost",
        }
        done = subprocess.run(
            [python, *more]
            if more
            else [python, str(ROOT / "examples" / f"{name}.py"), ASKED + CALL],
            env=environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout


@cache
def python_with(package: str) -> str:
    """Return a Python program that can import a package; skips the test when there is none."""
    for python in os.environ.get("SIGNET_TEST_FRAMEWORKS", "").split(":"):
        if python and not subprocess.run([python, "-c", f"import {package}"]).returncode:
            return python
    pytest.skip(f"SIGNET_TEST_FRAMEWORKS names no Python program with {package}")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    if not os.environ.get("SIGNET_TEST_FRAMEWORKS"):
        pytest.skip("SIGNET_TEST_FRAMEWORKS names no Python programs")
    with (
        served(a_workspace(tmp_path_factory.mktemp("served") / "agents")) as server,
        fake_agent_model() as model,
    ):
        body = {"content": MEMORY, "importance": 0.9, "tags": ["langgraph:notes"]}
        assert (
            httpx.post(f"http://127.0.0.1:{server.port}/api/memory/remember", json=body).status_code
            == 200
        )
        yield Place(server, model)


@pytest.mark.parametrize("name", [one for one in NEEDS if one != "langgraph_store"])
def test_an_example_answers_with_what_is_remembered(place: Place, name: str) -> None:
    place.model.requests.clear()
    assert ANSWER in place.run(name)
    first, *later = agent_requests(place.model, ASKED)
    assert MEMORY in body_text(first), "what is remembered, unasked"
    assert later and MEMORY in body_text(later[-1]).replace(body_text(first), "")
    assert "data" in body_text(first)


def test_a_talk_that_is_handed_over_is_kept(place: Place) -> None:
    place.run("openai_client")
    reply = httpx.get(f"{place.url}/api/sessions", params={"state": "all"}).json()
    kept = [one for one in reply["sessions"] if one["harness"] == "openai-client"]
    found = httpx.get(f"{place.url}/api/sessions/{kept[0]['key']}/transcript").json()
    assert re.search(
        f"User: {re.escape(ASKED)}.*\nAssistant: {re.escape(ANSWER)}", found["content"]
    )


STORE = """
import asyncio
from langgraph_store import SignetStore
from signet.client import Signet

store = SignetStore(Signet())
store.put(("users", "ana"), "style", {"text": "Ana writes with tabs."})
store.put(("users", "ben"), "style", {"text": "Ana writes with tabs."})
store.put(("users", "ana"), "boat", {"name": "Kestrel", "sails": 2})
assert store.get(("users", "ana"), "style").value == {"text": "Ana writes with tabs."}
assert store.get(("users", "ben"), "style").key == "style"
assert store.get(("users", "ana"), "boat").value == {"name": "Kestrel", "sails": 2}
assert store.get(("users", "ana"), "none") is None
store.put(("users", "ana"), "style", {"text": "Ana writes with four blanks."})
assert store.get(("users", "ana"), "style").value["text"].endswith("four blanks.")
found = store.search(("users", "ana"), query="which boat has Ana")
assert found[0].key == "boat" and found[0].namespace == ("users", "ana") and found[0].score > 0
assert {one.key for one in store.search(("users", "ana"))} == {"style", "boat"}
assert len(store.search(("users",))) == 3
assert [one.key for one in store.search(("users",), filter={"name": "Kestrel"})] == ["boat"]
assert store.list_namespaces(prefix=("users",)) == [("users", "ana"), ("users", "ben")]
assert store.list_namespaces(suffix=("ben",), max_depth=2) == [("users", "ben")]
store.delete(("users", "ana"), "style")
assert store.get(("users", "ana"), "style") is None
store.put(("files",), "src/main.py", {"text": "It starts the daemon."})
assert store.get(("files",), "src/main.py").key == "src/main.py"
assert asyncio.run(store.aget(("users", "ana"), "boat")).value["sails"] == 2
print("all of it")
"""


def test_a_store_of_langgraph_keeps_what_it_promises(place: Place) -> None:
    assert place.run("langgraph_store", "-c", STORE) == "all of it\n"


def test_a_graph_asks_with_what_its_store_holds(place: Place) -> None:
    put = (
        "from langgraph_store import SignetStore\nfrom signet.client import Signet\n"
        "SignetStore(Signet()).put(('notes',), 'cache', {'text': 'Atlas caches with Valkey.'})\n"
    )
    place.run("langgraph_store", "-c", put)
    place.model.requests.clear()
    assert "NO TOOL" in place.run("langgraph_store"), "a graph without tools"
    assert "Atlas caches with Valkey." in body_text(place.model.requests[0])
