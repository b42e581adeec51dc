"""What programs need that call a model themselves: a context, tools, and examples that hold."""

import doctest
from uuid import uuid4

import pytest

import signet.client
from client.speaking import Speaker
from client.test_calls import at
from signet.client import Invalid, Signet, anthropic_tools, openai_tools, tools
from signet.domain.episodes import fence
from signet.mcp.tools import TOOLS
from support.http import Served


def test_what_is_remembered_becomes_a_text_with_its_sources(
    server: Served, speaker: type[Speaker]
) -> None:
    client = at(server, speaker)
    word = uuid4().hex
    saved = {"who": "Ben", "project": word}
    old = client.do("remember", f"The {word} is moored at pier 3.\nSince May.", **saved)["id"]
    context = client.do("context_for", f"where is the {word} moored", project=word)
    [head, *_, line, more, note, tail] = context.text.split("\n")
    assert (head, tail) == (fence.HEAD, fence.TAIL) and str(context) == context.text
    assert (line, more) == (f"- The {word} is moored at pier 3.", "  Since May.")
    assert note.startswith("  (") and note.endswith(", saved by agent Ben)")
    assert [source["id"] for source in context.sources] == [old]
    moved = f"The {word} is moored at pier 9."
    new = client.do("remember", moved, supersedes=old, project=word)["id"]
    now = client.do("context_for", f"where is the {word} moored", project=word)
    assert [source["id"] for source in now.sources] == [new]
    nothing = client.do("context_for", f"where is the {word} moored", project="elsewhere")
    assert (nothing.text, nothing.sources) == ("", [])


def test_a_context_keeps_to_its_size(server: Served, speaker: type[Speaker]) -> None:
    client = at(server, speaker)
    word = uuid4().hex
    for number in range(8):
        text = f"Buoy {number} of the {word} is {'very ' * 12}red."
        client.do("remember", text, project=word)
    asked = f"buoys of the {word}"
    context = client.do("context_for", asked, project=word, max_chars=500)
    assert 0 < len(context.sources) < 8 and len(context.text) <= 500
    assert client.do("context_for", asked, project=word, max_chars=50).text == ""


def test_tools_are_those_of_the_protocol_and_by_default_only_about_memory() -> None:
    names = [tool["function"]["name"] for tool in openai_tools()]
    assert names == [tool["name"] for tool in anthropic_tools()]
    assert {"memory_search", "memory_store", "knowledge_expand"} <= set(names)
    assert not {"secret_exec", "session_bypass"} & set(names)
    [search] = openai_tools(["memory_search"])
    assert search["function"]["parameters"] == TOOLS["memory_search"].described["inputSchema"]
    assert [tool["name"] for tool in anthropic_tools(["secret_list"])] == ["secret_list"]
    with pytest.raises(Invalid, match="Unknown tool: rm"):
        openai_tools(["rm"])


def test_a_tool_that_a_model_calls_is_run_and_told(server: Served, speaker: type[Speaker]) -> None:
    client = at(server, speaker)
    word = uuid4().hex
    assert '"id"' in client.do("run_tool", "memory_store", {"content": f"The {word} is blue."})
    found = client.do("run_tool", "memory_search", f'{{"query": "{word}"}}')
    assert f"The {word} is blue." in found
    for name, arguments, text in (
        ("rm", {}, "Unknown tool: rm"),
        ("memory_get", {"id": "none"}, "Get failed: not found"),
        ("memory_get", "{", "Get failed: arguments are not JSON"),
        ("memory_get", "[]", "Get failed: arguments must be an object"),
        ("memory_get", None, "Get failed: id is required"),
        ("memory_get", "", "Get failed: id is required"),
    ):
        assert client.do("run_tool", name, arguments) == text


def test_the_examples_of_the_docstrings_hold(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNET_DAEMON_URL", f"http://127.0.0.1:{server.port}")
    told = {"signet.client": signet.client.__doc__ or ""}
    told |= {name: getattr(Signet, name).__doc__ or "" for name in dir(Signet) if name[0] != "_"}
    told |= {name: getattr(tools, name).__doc__ or "" for name in dir(tools) if "_tools" in name}
    names = {**vars(tools), "Signet": Signet, "signet": Signet()}
    runner, tried = doctest.DocTestRunner(), []
    for name, text in told.items():
        example = doctest.DocTestParser().get_doctest(text, dict(names), name, None, None)
        if example.examples:
            assert runner.run(example).failed == 0, name
            tried.append(name)
    assert {"signet.client", "context_for", "run_tool", "openai_tools"} <= set(tried)
