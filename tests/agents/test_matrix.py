"""Three policies, three visibilities, own and others' memories: the same answer on every path that reads (HN-73)."""

import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import pytest

from support.http import Api, an_api, taken

ROSTER = """agents:
  roster:
    - {name: alone, read_policy: isolated}
    - {name: open, read_policy: shared}
    - {name: member, read_policy: group, policy_group: crew}
    - {name: mate, read_policy: group, policy_group: crew}
    - {name: other, read_policy: isolated}
"""
AGENTS = ("alone", "open", "member", "mate", "other")
VISIBILITIES = ("global", "private", "archived")
#: Whose global memories each reader sees besides all of its own that are not archived (HN-72).
SEES = {
    "alone": {"alone"},
    "open": set(AGENTS),
    "member": {"member", "mate"},
    "mate": {"member", "mate"},
    "nobody": set(),
}
#: Every read of the interface is asked with these, whatever it looks at.
QUESTIONS = (
    "q=harbour&limit=1000&explain=true&expand=true&entities=true&cards=true&id={id}&prefix={prefix}",
    "query=harbour&distinct=who&vectors=true&dimensions=3&floor=0&q=Zebulon",
)
OF_SESSIONS = ("/api/home", "/api/projects")
READS = ("/api/memory/recall", "/api/hooks/recall", "/api/knowledge/expand", "/api/graph/impact")
_MARK = re.compile(r"mark-([a-z]+)-([a-z]+)", re.IGNORECASE)


def mark(agent: str, visibility: str) -> str:
    return f"mark-{agent}-{visibility}"


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """Give an app in which each agent has a memory of each visibility, marked wherever it can be."""
    folder: Path = tmp_path_factory.mktemp("matrix") / "agents"
    with an_api(folder, ROSTER) as opened:
        for agent, visibility in product(AGENTS, VISIBILITIES):
            sign = mark(agent, visibility)
            body = {
                "content": f"The harbour gate of {sign} is opened by Zebulon",
                "who": sign,
                "tags": [sign],
                "project": sign,
                "hints": [f"who opens the harbour gate of {sign}?"],
                "entities": [
                    {"source": "Zebulon", "relationship": "opens", "target": f"{sign} gate"}
                ],
                "aspects": [{"entity": "Zebulon", "aspect": f"{sign} keys", "content": sign}],
                "transcript": f"A talk about the harbour and {sign}",
                "sourceType": "session",
                "sourceId": sign,
                "agentId": agent,
                "visibility": "private" if visibility == "private" else "global",
            }
            saved = opened.post("/api/memory/remember", body)
            assert saved.status == 200, saved.body
            if visibility == "archived":
                opened.run(
                    "UPDATE memories SET visibility = 'archived' WHERE id = ?", saved.body["id"]
                )
        yield opened


def allowed(reader: str) -> set[tuple[str, str]]:
    own = {(reader, "global"), (reader, "private")} if reader in AGENTS else set()
    return own | {(agent, "global") for agent in SEES[reader]}


def shown(body: object) -> set[tuple[str, str]]:
    return {(agent.lower(), kind.lower()) for agent, kind in _MARK.findall(json.dumps(body))}


def ids(api: Api) -> dict[tuple[str, str], str]:
    found = {}
    for row in api.rows("memories"):
        if (marks := shown(row["content"])) and row["who"]:
            found[marks.pop()] = str(row["id"])
    return found


@pytest.mark.parametrize("reader", SEES)
def test_the_main_reads_show_exactly_what_the_policy_allows(api: Api, reader: str) -> None:
    wanted = allowed(reader)
    recalled = {"query": "the harbour gate opened by Zebulon", "agentId": reader, "limit": 50}
    found = api.post("/api/memory/recall", recalled).body["results"]
    assert shown([hit["content"] for hit in found]) == wanted
    for path in (
        "/api/memory/search?q=harbour&limit=100",
        "/memory/search?q=harbour&limit=100",
        "/memory/search?distinct=who",
        "/api/memories?limit=1000",
    ):
        assert shown(api.get(f"{path}&agent_id={reader}").body) == wanted, path
    known = ids(api)
    assert len(known) == len(AGENTS) * len(VISIBILITIES)
    for owner, memory_id in known.items():
        for path in (f"/api/memory/{memory_id}", f"/api/memory/{memory_id}/history"):
            status = api.get(path, x_signet_agent_id=reader).status
            assert status == (200 if owner in wanted else 404), (path, owner)
    changed = {
        owner
        for owner, memory_id in known.items()
        if api.send(
            "PATCH",
            f"/api/memory/{memory_id}",
            b'{"reason": "x", "pinned": true, "if_version": 99}',
            {"x_signet_agent_id": reader},
        ).status
        != 404
    }
    assert changed == wanted


@pytest.mark.parametrize("reader", SEES)
def test_no_read_shows_more_than_the_policy_allows(api: Api, reader: str) -> None:
    wanted = allowed(reader)
    known = ids(api)
    as_reader = {"x_signet_agent_id": reader}
    description = api.get("/openapi.json").body
    paths = [path for path, ways in description["paths"].items() if "get" in ways]
    asked = 0
    for path in paths:
        if path.endswith("/stream") or path in ("/mcp", "/api/events"):  # have no end
            continue
        owners = known if "{memory_id}" in path else {("other", "global"): known["other", "global"]}
        for memory_id in owners.values():
            whole = path.replace("{memory_id}", memory_id).replace("{", "").replace("}", "")
            for question in QUESTIONS:
                named = dict(parse_qsl(question.format(id=memory_id, prefix=memory_id[:8])))
                named["agent_id"] = reader
                sent = f"{whole}?{urlencode(taken(description, 'get', path, named))}"
                answer = api.get(sent, **as_reader)
                # The session that an archived memory came from is still its agent's.
                own = {(reader, "archived")} if path in OF_SESSIONS else set()
                assert shown(answer.body) <= wanted | own, sent
                asked += 1
    assert asked > 100
    flags = dict.fromkeys(("expand", "entities", "cards", "explain"), True)
    entity = dict.fromkeys(("entity", "entityName", "entityId"), "Zebulon")
    body = {"query": "the harbour gate of Zebulon", "harness": "x", "floor": 0, **entity, **flags}
    for path in READS:
        answer = api.post(path, taken(description, "post", path, body), **as_reader)
        assert answer.status in (200, 404), (path, answer.body)
        assert shown(answer.body) <= wanted, path
