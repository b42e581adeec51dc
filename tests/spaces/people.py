"""People with keys for spaces, and what they do through HTTP."""

import json
from collections.abc import Mapping

from signet.domain.auth.tokens import TokenScope
from signet.wire.access import Verb
from support.http import Answer, Api
from support.tokens import a_token, bearer

HERS = "The invoice server of Larder runs on port 4711."
ALL = ("read", "write", "promote")
Key = Mapping[str, str]


def admin(api: Api) -> Key:
    return bearer(a_token(api, "admin", sub="root"))


def key(api: Api, user: str, role: str = "agent", **spaces: tuple[str, ...]) -> Key:
    """Return the header of a person's key with these verbs by space."""
    pairs = frozenset((name, Verb(verb)) for name, verbs in spaces.items() for verb in verbs)
    scope = TokenScope(user=user, spaces=pairs)
    return bearer(a_token(api, role, sub=user, scope=scope, jti=f"jti-{user}"))


def saved(api: Api, of: Key, content: str = HERS, **more: object) -> str:
    """Return the ID of a memory that a key saves."""
    answer = api.post("/api/memory/remember", {"content": content, **more}, **of)
    assert answer.status == 200, answer.body
    return str(answer.body["id"])


def share(api: Api, memory_id: str, of: Key, space: str = "billing", **more: object) -> Answer:
    return api.post(f"/api/memory/{memory_id}/share", {"space": space, **more}, **of)


def withdraw(api: Api, memory_id: str, of: Key) -> Answer:
    return api.post(f"/api/memory/{memory_id}/withdraw", {}, **of)


def change(api: Api, memory_id: str, of: Key, **fields: object) -> int:
    """Change a memory; return the status."""
    body = json.dumps({**fields, "reason": "x"}).encode()
    return api.send("PATCH", f"/api/memory/{memory_id}", body, of).status


def remove(api: Api, path: str, of: Key) -> int:
    """Send DELETE; return the status."""
    return api.send("DELETE", path, b"", of).status


def texts(api: Api, of: Key) -> set[str]:
    """Return what a key sees: all that recall finds is in the list too."""
    listed = {one["content"] for one in api.get("/api/memories?limit=100", **of).body["memories"]}
    asked = {
        "query": "which port does the invoice server use",
        "limit": 50,
        "floor": 0,
        "touch": False,
    }
    found = api.post("/api/memory/recall", asked, **of).body
    assert {one["content"] for one in found["results"]} <= listed
    return listed


def row(api: Api, memory_id: str) -> Mapping[str, object]:
    """Return a memory's row without the counts of uses, which are written later."""
    [found] = [one for one in api.rows("memories") if one["id"] == memory_id]
    return {name: found[name] for name in found if name not in ("access_count", "last_accessed")}
