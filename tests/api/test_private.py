"""What one agent keeps to itself is on no path that another reader can ask (MEM-42)."""

import json
from urllib.parse import parse_qsl, urlencode

import pytest

from support.http import Api, taken

#: In everything that must not be seen.
MARK = "canary"
#: Every read of the interface is asked with these, whatever it looks at.
QUESTIONS = (
    "q=gate&limit=1000&explain=true&expand=true&entities=true&cards=true&id={id}&prefix={prefix}",
    "query=gate&distinct=who&vectors=true&dimensions=3&floor=0&q=zebulon",
)
#: Those that are asked with POST.
READS = (
    "/api/memory/recall",
    "/api/hooks/recall",
    "/api/memory/forget",
    "/api/knowledge/expand",
    "/api/knowledge/expand/session",
    "/api/graph/impact",
)


def _hidden(api: Api) -> str:
    """Save a memory that has a mark wherever a memory can have one."""
    body = {
        "content": f"The gate code is {MARK}1 for Zebulon",
        "who": f"{MARK}2",
        "tags": [f"{MARK}3"],
        "project": f"{MARK}4",
        "hints": [f"what is the {MARK}5 gate code?"],
        "entities": [{"source": "Zebulon", "relationship": "opens", "target": f"{MARK}6 gate"}],
        "aspects": [{"entity": "Zebulon", "aspect": f"{MARK}7", "content": f"{MARK}8 gate"}],
        "sourceType": "session",
        "sourceId": f"{MARK}9",
        "transcript": f"A talk about the gate and {MARK}10",
        "agentId": "alice",
        "visibility": "private",
    }
    return str(api.post("/api/memory/remember", body).body["id"])


@pytest.mark.parametrize("reader", ["default", "mallory"])
def test_no_read_shows_what_another_agent_keeps_to_itself(api: Api, reader: str) -> None:
    api.add_agent()
    hidden = _hidden(api)
    seen = api.post("/api/memory/remember", {"content": "The gate is green, says Zebulon."}).body
    api.post("/api/memory/remember", {"content": "The gate is green.", "agentId": reader})
    as_reader = {"x_signet_agent_id": reader}
    description = api.get("/openapi.json").body
    paths = [path for path, way in description["paths"].items() if "get" in way]
    assert len(paths) > 30
    asked = 0
    for path in paths:
        if path.endswith("/stream") or path in ("/mcp", "/api/events"):  # have no end
            continue
        for memory_id in (hidden, str(seen["id"])):
            whole = path.replace("{memory_id}", memory_id).replace("{", "").replace("}", "")
            for question in QUESTIONS:
                named = dict(parse_qsl(question.format(id=memory_id, prefix=memory_id[:8])))
                named["agent_id"] = reader
                sent = f"{whole}?{urlencode(taken(description, 'get', path, named))}"
                answer = api.get(sent, **as_reader)
                assert answer.status != 500, sent
                assert MARK not in json.dumps(answer.body).lower(), sent
                asked += 1
    assert asked > 100
    body = {
        "query": "the gate code of Zebulon",
        "harness": "x",
        "entity": "Zebulon",
        "entityName": "Zebulon",
        "entityId": "Zebulon",
        **dict.fromkeys(("expand", "entities", "cards", "explain"), True),
        "floor": 0,
    }
    for path in READS:
        for more in ({}, {"as_of": "2999-01-01"}, {"ids": [hidden]}, {"scope": "bench"}):
            sent_body = taken(description, "post", path, body | more)
            answer = api.post(path, sent_body, **as_reader)
            assert answer.status in (200, 404), (path, answer.body)
            assert MARK not in json.dumps(answer.body).lower(), (path, more)
            assert hidden not in json.dumps(answer.body), (path, more)
    for method, change in (
        ("PATCH", {"reason": "x", "content": "mine now"}),
        ("DELETE", {"reason": "x"}),
    ):
        answer = api.send(method, f"/api/memory/{hidden}", json.dumps(change).encode(), as_reader)
        assert answer.status == 404
