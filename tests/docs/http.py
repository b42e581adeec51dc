"""Record the examples of the HTTP reference: `PYTHONPATH=tests python -m docs.http`.

Each request is sent to a real daemon of the reader of the documentation. `signet_api/examples.json` keeps the answer
for the reference and for `/openapi.json`.
"""

import json
import re
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cli.program import Program
from docs.pages import DOCS
from docs.world import TODAY, a_home, a_session_today, served

EXAMPLES = DOCS.parent / "services" / "api" / "signet_api" / "examples.json"
LARDER = "/home/ana/larder"
#: Routes that the daemon answers only for the proven user.
PROVEN = {"PATCH /api/config"}
#: Longer texts and lists are cut.
CHARS, ITEMS = 240, 1
MINE = {"harness": "myagent", "sessionKey": "5f0c8a4e-3b1d-4f7e-9a55-0d8f6f3c2b11"}
#: Route, path (`{saved}` is the ID of the first answer), and body.
REQUESTS: tuple[tuple[str, str, object], ...] = (
    (
        "POST /api/memory/remember",
        "",
        {
            "content": "Larder is deployed on Thursdays.",
            "type": "decision",
            "project": LARDER,
            "tags": ["deploy"],
        },
    ),
    ("POST /api/memory/recall", "", {"query": "When is Larder deployed?", "limit": 2}),
    ("GET /api/memory/search", "/api/memory/search?q=larder+deployed&limit=1", None),
    (
        "POST /api/memory/context",
        "",
        {"prompt": "An invoice is off by one cent again", "project": LARDER},
    ),
    ("GET /api/memories", "/api/memories?type=decision&limit=1&stats=false", None),
    ("GET /api/memory/{memory_id}", "/api/memory/{saved}", None),
    (
        "PATCH /api/memory/{memory_id}",
        "/api/memory/{saved}",
        {"content": "Larder is deployed on Wednesdays.", "reason": "moved", "if_version": 1},
    ),
    ("GET /api/memory/{memory_id}/history", "/api/memory/{saved}/history", None),
    ("GET /api/memory/{memory_id}/links", "/api/memory/{saved}/links", None),
    ("DELETE /api/memory/{memory_id}", "/api/memory/{saved}", {"reason": "outdated"}),
    ("POST /api/memory/{memory_id}/recover", "/api/memory/{saved}/recover", {"reason": "needed"}),
    ("POST /api/memory/forget", "", {"mode": "preview", "query": "deploys of Larder"}),
    ("POST /api/hooks/session-start", "", {**MINE, "project": LARDER}),
    (
        "POST /api/hooks/user-prompt-submit",
        "",
        {**MINE, "project": LARDER, "userMessage": "An invoice is off by one cent again"},
    ),
    ("POST /api/hooks/pre-compaction", "", {**MINE, "project": LARDER}),
    (
        "POST /api/hooks/compaction-complete",
        "",
        {**MINE, "project": LARDER, "summary": "Invoices sum integer cents now; tests pass."},
    ),
    (
        "POST /api/hooks/session-checkpoint-extract",
        "",
        {
            **MINE,
            "project": LARDER,
            "transcript": "User: Use tabs in Makefiles.\nAssistant: Done.",
        },
    ),
    (
        "POST /api/hooks/session-end",
        "",
        {
            **MINE,
            "project": LARDER,
            "transcript": "User: Use tabs in Makefiles.\nAssistant: Done.",
        },
    ),
    ("GET /api/sessions", "/api/sessions?state=all&limit=1", None),
    ("GET /api/sessions/{session_key}/context", f"/api/sessions/{TODAY}/context", None),
    ("POST /api/sessions/search", "", {"query": "rounding bug", "limit": 1}),
    ("GET /api/projects", "/api/projects", None),
    (
        "POST /api/documents",
        "",
        {"source_type": "text", "title": "Runbook", "content": "Restart the pantry service."},
    ),
    ("GET /api/jobs", "/api/jobs?status=completed&limit=1", None),
    ("GET /api/pipeline/status", "/api/pipeline/status", None),
    ("PATCH /api/config", "", {"set": {"search.alpha": 0.6}}),
    ("GET /api/auth/whoami", "/api/auth/whoami", None),
    ("GET /health", "/health", None),
)


def answers(reader: Program) -> Iterator[dict[str, Any]]:
    """Send every request, and yield it with its status and its answer."""
    saved = ""
    for route, place, body in REQUESTS:
        method, path = route.split(" ")
        path = place.replace("{saved}", saved) or path
        sent = json.dumps(body).replace("/home/ana", str(reader.home))
        token = reader.run("auth", "token", "own").out.strip() if route in PROVEN else ""
        status, answer = _send(reader, method, path, None if body is None else sent, token)
        saved = saved or answer["id"]
        text = json.dumps(answer).replace(str(reader.home), "/home/ana")
        yield {
            "route": route,
            "path": path,
            "body": body,
            "status": status,
            "answer": short(json.loads(text)),
        }


def _send(reader: Program, method: str, path: str, body: str | None, token: str) -> tuple[int, Any]:
    headers = {"content-type": "application/json"}
    if token:
        headers["authorization"] = f"Bearer {token}"
    request = urllib.request.Request(
        f"http://127.0.0.1:{reader.port}{path}",
        data=None if body is None else body.encode(),
        headers=headers,
        method=method,
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{method} {path}: {error.read().decode()}") from error


def short(value: Any) -> Any:
    """Return an answer with long texts and lists cut."""
    if isinstance(value, dict):
        return {name: short(one) for name, one in value.items()}
    if isinstance(value, list):
        return [short(one) for one in value[:ITEMS]]
    if isinstance(value, str) and len(value) > CHARS:
        return f"{value[:CHARS]}…"
    return value


#: Fields whose keys are the kinds of jobs that ended in the last minute.
_BY_KIND = {"byType"}


def difference(written: Any, now: Any) -> str | None:
    """Return the first field that only one of two answers has; the values, and what is null in one, may differ."""
    if isinstance(written, dict) and isinstance(now, dict):
        if other := {name for name in written.keys() ^ now.keys() if not _is_id(name)}:
            return str(min(other))
        for name in written.keys() & now.keys() - _BY_KIND:
            if one := difference(written[name], now[name]):
                return f"{name}.{one}"
    if isinstance(written, list) and isinstance(now, list) and written and now:
        return difference(*(one[0] for one in (written, now)))
    return None


def _is_id(name: str) -> bool:
    return re.fullmatch(r"[0-9a-f-]{32,}", name) is not None


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        reader = a_home(Path(folder) / "ana")
        with served(reader):
            a_session_today(reader)
            found = list(answers(reader))
    EXAMPLES.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
