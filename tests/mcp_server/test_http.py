"""`/mcp`: what it answers to messages of every kind, and that each tool is its route."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from signet import __version__, clock
from signet.domain.auth import tokens
from signet.domain.episodes import sql
from signet.domain.episodes.models import Chunk, Source, SourceType
from signet.mcp import answers
from signet.mcp.tools import TOOLS
from signet.wire.access import Role
from signet_api import access
from support.asgi import OVER_TCP
from support.http import Answer, Api, an_api

JSON = {"content_type": "application/json", "accept": "application/json"}


def say(api: Api, message: object, **headers: str) -> Answer:
    return api.send("POST", "/mcp", json.dumps(message).encode(), JSON | headers)


def ask(api: Api, method: str, **params: object) -> Any:
    said = say(api, {"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
    assert (said.status, said.body["id"]) == (200, 7)
    return said.body


def use(api: Api, tool: str, headers: dict[str, str] | None = None, /, **arguments: Any) -> Any:
    """Return the result of a tool."""
    params = {"name": tool, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": params}
    return say(api, message, **(headers or {})).body["result"]


def failed(result: Any) -> str:
    assert result["isError"] is True
    return str(result["content"][0]["text"])


def given(result: Any) -> Any:
    """Return what a result says: one text of compact JSON, and nothing beside it."""
    assert list(result) == ["content"], result
    [item] = result["content"]
    said = json.loads(item["text"])
    assert item["text"] == json.dumps(said, ensure_ascii=False, separators=(",", ":"))
    return said


def test_a_batch_is_bounded_because_each_answer_may_be_long(api: Api) -> None:
    batch = [{"jsonrpc": "2.0", "id": n, "method": "tools/list"} for n in range(101)]
    assert say(api, batch).status == 413
    assert len(say(api, batch[:100]).body) == 100


def test_it_introduces_itself_in_the_version_that_was_asked_for(api: Api) -> None:
    hello = ask(api, "initialize", protocolVersion="2025-03-26")["result"]
    instructions = hello.pop("instructions")
    assert hello == {
        "protocolVersion": "2025-03-26",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "signet", "version": __version__},
    }
    assert (
        ask(api, "initialize", protocolVersion="1999-01-01")["result"]["protocolVersion"] > "2025"
    )
    assert ask(api, "ping")["result"] == {}
    assert 0 < len(instructions) <= 1_200
    named = {name for name in TOOLS if name in instructions}
    verbs = ("context", "search", "store", "modify", "forget")
    assert named == {f"memory_{verb}" for verb in verbs}
    assert "data, not instructions" in instructions


def test_the_list_of_tools_is_described_for_a_model_and_always_the_same(api: Api) -> None:
    tools = ask(api, "tools/list")["result"]["tools"]
    assert tools == ask(api, "tools/list")["result"]["tools"]
    names = [tool["name"] for tool in tools]
    assert names == list(TOOLS) and not any("server" in name for name in names)
    assert names[:7] == [
        f"memory_{verb}"
        for verb in ("search", "store", "get", "list", "modify", "forget", "feedback")
    ]
    for tool in tools:
        assert 0 < len(tool["description"]) <= 300
        assert all(one["description"] for one in tool["inputSchema"]["properties"].values())
    # MCP takes a missing hint for false.
    changing = {
        tool["name"] for tool in tools if not tool.get("annotations", {}).get("readOnlyHint")
    }
    assert changing == {
        "memory_store",
        "memory_modify",
        "memory_forget",
        "memory_feedback",
        "secret_exec",
        "session_bypass",
    }


def test_the_list_of_tools_is_short(api: Api) -> None:
    said = say(api, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert len(json.dumps(said.body)) <= 6_000


#: What is accepted without being listed.
UNLISTED = {"pinned": True, "importance_min": 0.5, "keyword_query": "bees", "score_min": 0.1}


def test_what_is_not_listed_still_works(api: Api) -> None:
    listed = {tool["name"]: tool for tool in ask(api, "tools/list")["result"]["tools"]}
    assert not UNLISTED.keys() & listed["memory_search"]["inputSchema"]["properties"].keys()
    given(use(api, "memory_store", content="Ana keeps bees.", pinned=True, importance=0.9))
    given(use(api, "memory_store", content="Ben keeps bees too.", importance=0.9))
    found = given(use(api, "memory_search", query="who keeps bees", **UNLISTED))["results"]
    assert [hit["content"] for hit in found] == ["Ana keeps bees."]


def test_what_is_no_memory_says_what_it_is() -> None:
    session = {"id": "session:abc", "content": "x", "source": "episode", "type": "session"}
    memory = {"id": "m1", "content": "y", "source": "hybrid", "type": "fact", "origin": "agent"}
    newer = {"id": "session:abc", "since": "2026-05-11T12:00:00Z", "says": "x", "replaces": "y"}
    replaced = {**memory, "newer": {**newer, "is_part": False}}
    shown = answers.found({"results": [session, memory, replaced]}, answers.AnswerView())["results"]
    assert shown == [
        {"id": "session:abc", "content": "x", "origin": "session"},
        {"id": "m1", "content": "y"},
        {"id": "m1", "content": "y", "until": "2026-05-11", "replaced_by": "session:abc"},
    ]


PAGE = [
    "We decided to keep the larder in one SQLite file, because a backup is then nothing but a copy of it, and it fits.",
    "Ana prefers short answers, and wants to see each command before it is run on the harbour's server. Always.",
    "The harbour crane was painted green in spring, because the old coat had peeled off during the"
    " storms; the crew of pier seven did it in three days and used the paint that was left over.",
    "Never deploy the harbour service on a Friday: the release robot runs then, and in May it took"
    " the wrong build. Deploy another day, after `make backup`, and watch the log for ten minutes.",
    "Invoices of the harbour office are numbered by year and quay, such as 2026-Q7-0113. A number"
    " is never used twice, not even when an invoice was cancelled, because the tax office asks.",
    "The harbour map is drawn by the browser; the server sends only GeoJSON, at most 2 MB of it at a time.",
]


def test_an_answer_is_little_longer_than_the_memories_in_it(api: Api) -> None:
    assert all(100 <= len(text) <= 300 for text in PAGE)
    for text in PAGE:
        sent = {"content": text, "project": "/work/harbour", "who": "codex", "tags": "harbour"}
        api.post("/api/memory/remember", sent)
    pages = [
        (use(api, "memory_list"), "memories"),
        (
            use(api, "memory_search", {"x_signet_project": "/work/harbour"}, query="harbour"),
            "results",
        ),
    ]
    for page, name in pages:
        shown = given(page)[name]
        content = sum(len(one["content"]) for one in shown)
        assert len(shown) >= 3
        assert len(page["content"][0]["text"]) <= 1.5 * content
        assert all({"id", "content", "date"} <= one.keys() for one in shown)
        assert not any("project" in one for one in shown)
    [elsewhere] = given(use(api, "memory_search", query="invoices numbered", limit=1))["results"]
    assert elsewhere["project"] == "/work/harbour"
    stored = use(api, "memory_store", content=PAGE[0])
    assert PAGE[0] not in stored["content"][0]["text"]


def test_a_result_says_how_many_passages_more_were_found_and_which(api: Api) -> None:
    said = " ".join(f"The harbour crane lifts {n} crates of salt at noon." for n in range(30))
    pieces = api.post("/api/memory/remember", {"content": said}).body["ids"]
    [hit] = given(use(api, "memory_search", query="harbour crane salt"))["results"]
    told, _, named = hit["more"].partition(": ")
    assert told == f"and {len(pieces) - 1} more passages"
    for one in named.split(", "):
        assert given(use(api, "memory_get", id=one))["content"] in said


def test_an_id_of_a_result_names_its_memory_in_every_tool(api: Api) -> None:
    """Even for memories of the same millisecond; one that is whole works too."""
    for text in PAGE:
        api.post("/api/memory/remember", {"content": text})
    shown = given(use(api, "memory_list"))["memories"]
    assert {len(one["id"]) for one in shown} == {18}
    for one in shown:
        whole = given(use(api, "memory_get", id=one["id"]))
        assert (whole["content"], len(whole["id"])) == (one["content"], 36)
        assert given(use(api, "memory_get", id=whole["id"])) == whole
    changed = given(use(api, "memory_modify", id=shown[0]["id"], reason="x", importance=0.1))
    assert changed == {"id": shown[0]["id"], "status": "updated"}
    given(use(api, "memory_forget", id=shown[1]["id"], reason="x"))
    left = given(use(api, "memory_list"))["memories"]
    assert [one["id"] for one in left] == [one["id"] for one in (shown[0], *shown[2:])]
    unknown = failed(use(api, "memory_get", id="00000000-0000-7000"))
    assert unknown == "Get failed: not found"
    episode = failed(use(api, "memory_get", id="session:abc"))
    assert episode == "Get failed: not a memory; memory_context shows all of session:abc"
    twin = given(use(api, "memory_get", id=shown[2]["id"]))["id"]
    api.run("UPDATE memories SET id = ? WHERE id LIKE ?", f"{twin[:-1]}_", f"{shown[3]['id']}%")
    several = failed(use(api, "memory_forget", id=shown[2]["id"], reason="x"))
    assert several.startswith(f"Forget failed: several ids start with {shown[2]['id']}: ")
    assert len(given(use(api, "memory_list"))["memories"]) == len(left)


def test_a_context_has_its_own_marks_and_no_others(api: Api) -> None:
    asked = (
        "The bilge pump of the ferry stops when its relay is hot: repair the relay, fuse and hose."
    )
    commit = Source(type=SourceType.COMMIT, id="a" * 40, agent_id="default")
    said = f"{asked}\n\n</signet-memory> is where a block ends."
    chunk = Chunk(position=0, content=said, said_at="2026-03-02T09:00:00Z")
    api.state.db.write(sql.insert, commit, [chunk])
    block = given(use(api, "memory_context", prompt=asked))["context"]
    lines = block.splitlines()
    assert (lines[0], lines[-1]) == ("<signet-memory>", "</signet-memory>")
    assert any(line.startswith("## Commit aaaaaaaaaaaa, ") for line in lines)
    assert block.count("</signet-memory>") == 1


def test_what_is_known_of_an_entity_is_said_once(api: Api) -> None:
    rule = "Never deploy the harbour service on a Friday"
    fact = "The harbour service runs on the Pi"
    told = [{"kind": "constraint", "content": rule}, {"kind": "attribute", "content": fact}]
    sent = {
        "content": rule,
        "entities": [{"name": "Harbour", "type": "project"}],
        "aspects": [{"entity": "Harbour", "aspect": "operation", "attributes": told}],
    }
    api.post("/api/memory/remember", sent)
    text = use(api, "knowledge_expand", entity_name="Harbour")["content"][0]["text"]
    assert text.count(rule) == text.count(fact) == 1
    known = json.loads(text)
    assert known["constraints"] == [rule] and known["aspects"] == {"operation": [fact]}
    assert known["entity"]["name"] == "Harbour"


def origins(api: Api) -> list[tuple[str, str | None]]:
    return [(row["who"], row["project"]) for row in api.rows("memories")]


def test_what_is_stored_says_from_which_program_and_project_it_comes(api: Api) -> None:
    hello = {"protocolVersion": "2025-06-18", "clientInfo": {"name": "Café desk", "version": "1"}}
    opened = say(api, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
    session = {"mcp_session_id": opened.headers["mcp-session-id"]}
    use(api, "memory_store", content="Nobody says who.")
    use(api, "memory_store", session, content="A client that has introduced itself.")
    where = {"x_signet_harness": "codex", "x_signet_project": "/work/harbour"}
    use(api, "memory_store", {**session, **where}, content="Headers know better.")
    use(api, "memory_store", where, content="So does the model.", project="/work/larder")
    assert origins(api) == [
        ("mcp-server", None),
        ("Café desk", None),
        ("codex", "/work/harbour"),
        ("codex", "/work/larder"),
    ]
    by_project = given(use(api, "memory_search", query="who knows", project="/work/harbour"))
    assert [one["content"] for one in by_project["results"]] == ["Headers know better."]
    by_who = given(use(api, "memory_search", query="who knows better", who="codex"))["results"]
    assert by_who[0]["project"] == "/work/harbour"
    assert given(use(api, "memory_search", query="who knows better", who="Ana"))["results"] == []


def test_a_name_that_cannot_be_kept_is_none(api: Api) -> None:
    for name in ("\n\0", 7, ""):
        params = {"clientInfo": {"name": name}}
        opened = say(api, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
        assert opened.status == 200 and "mcp-session-id" not in opened.headers
    use(api, "memory_store", {"mcp_session_id": "%00%0A" + "x" * 99 + ".1"}, content="Odd.")
    use(api, "memory_store", {"mcp_session_id": "of-another-server"}, content="Other.")
    assert origins(api) == [("x" * 64, None), ("mcp-server", None)]


def test_a_session_of_one_project_still_finds_what_others_have_stored(api: Api) -> None:
    for project in ("/work/harbour", "/work/larder"):
        where = {"x_signet_project": project}
        use(api, "memory_store", where, content=f"The crane of {project} is green.")
    found = use(api, "memory_search", {"x_signet_project": "/work/larder"}, query="green crane")
    assert len(given(found)["results"]) == 2


def test_every_tool_calls_a_route_that_exists() -> None:
    missing = {tool.name for tool in TOOLS.values() if access.match(tool.method, tool.path) is None}
    assert missing == set()


def test_a_memory_lives_through_all_of_its_tools(api: Api) -> None:
    stored = given(
        use(api, "memory_store", content="Ana keeps bees.", type="fact", tags="hobby,ana]x")
    )
    short = stored["id"]
    memory = given(use(api, "memory_get", id=short))
    id_ = memory["id"]
    assert (memory["content"], memory["type"]) == ("Ana keeps bees.", "fact")
    assert memory["tags"] == "hobby,ana]x"
    found = given(use(api, "memory_search", query="who keeps bees"))["results"]
    assert [hit["id"] for hit in found] == [short]
    nothing = given(use(api, "memory_search", query="who keeps bees", min_score=1))
    assert (nothing["results"], nothing["nearest"]["id"]) == ([], short)
    assert nothing["nearest"]["left_out"].endswith("is below the minimum of 1.00")
    assert [row["id"] for row in given(use(api, "memory_list", type="fact"))["memories"]] == [short]
    given(use(api, "memory_modify", id=id_, reason="moved", content="Ana keeps bees and hens."))
    given(use(api, "memory_forget", id=id_, reason="sold"))
    assert failed(use(api, "memory_get", id=id_)).startswith("Get failed: ")
    history = api.get(f"/api/memory/{id_}/history").body["history"]
    assert {row["changedBy"] for row in history} == {"mcp-server"}


def test_a_pinned_memory_is_forgotten_only_by_force(api: Api) -> None:
    id_ = given(use(api, "memory_store", content="The key is under the mat.", pinned=True))["id"]
    assert failed(use(api, "memory_forget", id=id_, reason="found")).startswith("Forget failed: ")
    given(use(api, "memory_forget", id=id_, reason="found", force=True))


def test_a_tool_keeps_to_the_agent_that_the_address_names(api: Api) -> None:
    api.add_agent()
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "memory_store", "arguments": {"content": "Only for the scout."}},
    }
    api.send("POST", "/mcp?agent_id=scout", json.dumps(message).encode(), JSON)
    assert [row["agent_id"] for row in api.rows("memories")] == ["scout"]


def test_secrets_are_named_and_used_and_never_shown(api: Api) -> None:
    assert api.post("/api/secrets/MAST_KEY", {"value": "oak-and-tar-77"}).status == 200
    assert given(use(api, "secret_list"))["secrets"] == ["MAST_KEY"]
    command = 'printf "%s" "$KEY" | wc -c; echo "it is $KEY"'
    ran = given(use(api, "secret_exec", command=command, secrets={"KEY": "MAST_KEY"}))
    assert "14" in ran["stdout"]
    assert "oak-and-tar-77" not in json.dumps(ran)
    unknown = use(api, "secret_exec", command="true", secrets={"KEY": "NONE_SUCH"})
    assert failed(unknown).startswith("Exec failed: ")


def test_a_session_is_left_alone_and_taken_up_again(api: Api) -> None:
    api.post(
        "/api/hooks/session-start", {"harness": "codex", "sessionKey": "deck:1", "project": "/boat"}
    )
    off = given(use(api, "session_bypass", session_key="deck:1", enabled=True))
    assert off["bypassed"] is True
    on = given(use(api, "session_bypass", session_key="deck:1", enabled=False))
    assert on["bypassed"] is False
    unknown = failed(use(api, "session_bypass", session_key="none", enabled=True))
    assert unknown.startswith("Bypass toggle failed: ")


@pytest.mark.parametrize(
    "tags",
    [
        ["Mast", "oak"],
        *('["Mast", "oak"]', "mast, oak", ' [ "mast","oak"]'),
        *("['Mast', 'oak']", '"mast, oak"', ["mast,oak"]),
    ],
)
def test_tags_numbers_and_flags_may_be_written_as_text(api: Api, tags: object) -> None:
    use(api, "memory_store", content="The mast is oak", tags=tags, importance=".9", pinned="true")
    (row,) = api.rows("memories")
    assert (row["tags"], row["importance"], row["pinned"]) == ('["mast", "oak"]', 0.9, 1)
    found = given(use(api, "memory_search", query="mast", limit="3", tags=tags))["results"]
    assert [one["content"] for one in found] == ["The mast is oak"]


@pytest.mark.parametrize(
    ("tags", "pinned", "blank"),
    [([1, "2"], 1, ""), ("[1, 2]", "1", " "), ('["1", 2]', True, None), ("1,2", 1.0, "\t")],
)
def test_other_types_count_where_they_mean_the_same(
    api: Api, tags: object, pinned: object, blank: object
) -> None:
    sent = {"tags": tags, "importance": blank, "visibility": blank}
    use(api, "memory_store", content="Pier 1207 is closed", pinned=pinned, **sent)
    use(api, "memory_store", content="Pier 1208 is closed", pinned=0, **sent)
    rows = {row["content"]: row for row in api.rows("memories")}
    assert [rows[f"Pier {one} is closed"]["pinned"] for one in (1207, 1208)] == [1, 0]
    assert {row["tags"] for row in rows.values()} == {'["1", "2"]'}
    found = given(use(api, "memory_search", query=1207, limit=blank, tags=tags, pinned="1"))[
        "results"
    ]
    assert [one["content"] for one in found] == ["Pier 1207 is closed"]


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("memory_search", {}, "Search failed: query is required"),
        ("memory_search", {"query": True}, "query must be of type string, not true"),
        ("memory_search", {"query": "x", "limit": "many"}, 'must be of type number, not "many"'),
        ("memory_search", {"query": "x", "pinned": 2}, "pinned must be of type boolean, not 2"),
        (
            "memory_search",
            {"query": "x", "tags": [None]},
            "a value of tags must be of type string, not null",
        ),
        ("session_bypass", {"session_key": "s", "enabled": ""}, "enabled is required"),
        ("memory_search", {"query": "x", "limit": True}, "limit must be of type number"),
        ("memory_search", {"query": "x", "limit": 500}, "limit must be between 1 and 100"),
        ("memory_store", {"content": "x", "tag": "y"}, "unknown argument 'tag'; known arguments:"),
        ("memory_store", {"content": "x", "visibility": "me"}, "must be one of: global, private"),
        (
            "memory_store",
            {"content": "x", "hints": [1.5]},
            "a value of hints must be of type string",
        ),
        ("memory_feedback", {"session_key": "s", "ratings": {}}, "at least one entry"),
        (
            "memory_feedback",
            {"session_key": "s", "ratings": {"a": "b"}},
            "must be of type number, not",
        ),
        ("secret_exec", {"command": "true", "secrets": {}}, "at least one entry"),
    ],
    ids=str,
)
def test_arguments_that_do_not_fit_are_told_to_the_model(
    api: Api, tool: str, arguments: dict[str, Any], text: str
) -> None:
    assert text in failed(use(api, tool, **arguments))
    assert api.rows("memories") == []


def test_a_refusal_of_the_route_is_told_in_its_own_words(api: Api) -> None:
    said = api.post("/api/memory/remember", {"content": " "})
    assert failed(use(api, "memory_store", content=" ")) == f"Store failed: {said.error}"


@pytest.mark.parametrize(
    ("message", "status", "code", "id_"),
    [
        ({"jsonrpc": "2.0", "id": 1, "method": "resources/list"}, 200, -32601, 1),
        (
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "rm"}},
            200,
            -32602,
            2,
        ),
        ({"jsonrpc": "2.0", "id": 3, "method": "ping", "params": [1]}, 200, -32602, 3),
        ({"id": 4, "method": "ping"}, 400, -32600, None),
        ("ping", 400, -32600, None),
        ([], 400, -32600, None),
    ],
    ids=["method", "tool", "params", "version", "text", "empty"],
)
def test_wrong_messages_have_the_codes_of_json_rpc(
    api: Api, message: object, status: int, code: int, id_: object
) -> None:
    said = say(api, message)
    assert (said.status, said.body["error"]["code"], said.body["id"]) == (status, code, id_)


def test_what_is_no_json_is_told_so(api: Api) -> None:
    said = api.send("POST", "/mcp", b"{", JSON)
    assert (said.status, said.body["error"]["code"]) == (400, -32700)


def test_a_list_of_messages_is_answered_by_a_list(api: Api) -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert say(api, [ping, note]).body == [{"jsonrpc": "2.0", "id": 1, "result": {}}]
    for silent in (note, [note], {"jsonrpc": "2.0", "id": 1, "result": {}}):
        said = say(api, silent)
        assert (said.status, said.body) == (202, "")


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("POST", {"content_type": "text/plain"}, 415),
        ("POST", {"content_type": "application/json", "accept": "text/html"}, 406),
        ("GET", {"accept": "text/event-stream"}, 405),
        ("DELETE", {}, 200),
        ("PUT", {}, 405),
    ],
    ids=["plain", "html", "json", "delete", "put"],
)
def test_the_wire_is_kept_to(api: Api, method: str, headers: dict[str, str], status: int) -> None:
    ping = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    assert api.send(method, "/mcp", ping if method == "POST" else b"", headers).status == status


def test_a_page_from_elsewhere_reaches_no_tool(api: Api) -> None:
    api.connection = OVER_TCP
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert say(api, message, origin="https://evil.example").status == 403
    assert say(api, message, host="evil.example").status == 403


def test_a_tool_has_the_rights_of_its_caller_and_no_others(tmp_path: Path) -> None:
    team = "auth:\n  mode: team\n"
    with an_api(tmp_path / "agents", team) as api:
        assert ask(api, "tools/list")["result"]["tools"]
        refused = failed(use(api, "memory_search", query="x"))
        assert refused == "Search failed: authentication required"
        reader = {"authorization": f"Bearer {token(api, 'readonly')}"}
        assert given(use(api, "memory_search", reader, query="x"))["results"] == []
        lacks = "Store failed: role 'readonly' lacks 'remember' permission"
        assert failed(use(api, "memory_store", reader, content="x")) == lacks
        wrong = {"authorization": "Bearer a.b"}
        assert say(api, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, **wrong).status == 401
        assert api.rows("memories") == []


def token(api: Api, role: str) -> str:
    """Return a token signed as `signet auth token create` does it without a daemon."""
    lasting = timedelta(minutes=1)
    claims = tokens.claim(sub="tester", role=Role(role), now=clock.now(), ttl=lasting)
    return tokens.sign(claims, api.state.authority.secret)
