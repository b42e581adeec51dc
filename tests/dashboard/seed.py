"""A workspace fit to be seen: what Mira's agents learned over some weeks. The same for tests and for pictures."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

#: Text, who said it, project, how many hours ago, and other fields of the request.
SAID: tuple[tuple[str, str, str | None, float, dict[str, Any]], ...] = (
    ("The team decided to use SQLite for Larder instead of Postgres.", "Mira", "larder", 2, {}),
    ("Mira prefers tabs over spaces in Go and Python.", "Mira", None, 3, {"pinned": True}),
    ("Always run `make backup` before a deploy of Larder.", "Mira", "larder", 5, {}),
    ("The deploy target of Larder runs on a Raspberry Pi called shelf.", "Jonas", "larder", 9, {}),
    ("Jonas reviews every change to the billing module.", "Jonas", "atlas", 28, {}),
    ("Caddy terminates TLS for atlas.example on port 443.", "Jonas", "atlas", 31, {}),
    ("Atlas stores its maps as PMTiles, one file for each region.", "Mira", "atlas", 52, {}),
    ("We met Ada Winter, who lives in Port Ellen and paints.", "Mira", None, 76, {}),
    ("The nightly import of Larder takes nine minutes since May.", "Mira", "larder", 99, {}),
    ("Release notes are written in plain English, newest first.", "Mira", "atlas", 150, {}),
    ("Nobody deploys on Fridays after noon.", "Jonas", None, 200, {"importance": 0.9}),
    ("The token of the map service expires every ninety days.", "Jonas", "atlas", 260, {}),
    ("Larder warns three days before something is past its date.", "Mira", "larder", 320, {}),
    ("Mira's desk is by the window on the second floor.", "Mira", None, 500, {}),
)
#: What strangers may have written: it must be shown as the text that it is.
HOSTILE = (
    "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>",
    "[press here](javascript:document.title='owned') and ![p](https://example.com/p.png)",
    "\u202eevil\u202c stands in \u2067another\u2069 direction",
    "A nul \x00 and a bell \x07 in the middle of a word",
    "w" * 4_000,
)
TURNS = (
    (
        "Which database does Larder use? I want to add a table for shopping lists.",
        "Larder uses SQLite: the team decided to use it instead of Postgres. A table for shopping "
        "lists would need the name of the list, the household that it belongs to, and the date "
        "until which it is kept.",
    ),
    (
        "How do I deploy Larder when the table is there?",
        "Run `make backup` first, as always before a deploy, then deploy it to the Raspberry Pi "
        "called shelf. The migration runs by itself when the program starts, and takes seconds.",
    ),
    (
        "Is Friday afternoon a good time for that?",
        "No: nobody deploys on Fridays after noon. Thursday is better, because Jonas is there.",
    ),
    (
        "Decision: a shopping list is kept for ninety days.",
        "Noted, the migration has that column. Open: who may delete a list.",
    ),
)
#: A session that was over before there was a memory to give to it.
READ = "atlas-0"
READ_TEXT = """User (2026-05-09T12:00:00Z): Why is the tile of the harbour grey?

Assistant (2026-05-09T12:01:00Z): Its region was still being drawn. Ask for it again in a minute."""


def fill(client: httpx.Client, *, with_hostile: bool = True) -> dict[str, str]:
    """Save it all and return the ids of the memories by their texts."""
    now = datetime.now(UTC)
    ids = {
        text: _save(client, body) for text, body in _memories(now, HOSTILE if with_hostile else ())
    }
    for key, harness in (("larder-1", "claude-code"), ("larder-2", "codex")):
        _session(client, key, harness)
    before = {"harness": "codex", "sessionKey": READ, "project": "/home/mira/atlas"}
    _post(client, "/api/hooks/session-end", {**before, "transcript": READ_TEXT})
    correction = "Mira prefers four spaces in Python, and tabs in Go."
    supersedes = [ids["Mira prefers tabs over spaces in Go and Python."]]
    ids[correction] = _save(
        client, {"content": correction, "who": "Mira", "supersedes": supersedes}
    )
    return ids


def _memories(now: datetime, hostile: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for text, who, project, hours, more in SAID:
        at = (now - timedelta(hours=hours)).isoformat()
        home = f"/home/mira/{project}" if project else None
        yield text, {"content": text, "who": who, "project": home, "createdAt": at, **more}
    for text in hostile:
        at = (now - timedelta(hours=1)).isoformat()
        yield text, {"content": text, "who": "<b>bold</b>", "tags": ["<i>"], "createdAt": at}


def _session(client: httpx.Client, key: str, harness: str) -> None:
    call = {"harness": harness, "sessionKey": key, "project": "/home/mira/larder"}
    _post(client, "/api/hooks/session-start", call)
    for prompt, _ in TURNS:
        _post(client, "/api/hooks/user-prompt-submit", {**call, "userPrompt": prompt})
    said = "\n\n".join(f"User: {prompt}\n\nAssistant: {answer}" for prompt, answer in TURNS)
    if harness == "claude-code":
        _post(client, "/api/hooks/session-end", {**call, "transcript": said})


def _save(client: httpx.Client, body: dict[str, Any]) -> str:
    return str(_post(client, "/api/memory/remember", body)["id"])


def _post(client: httpx.Client, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = client.post(path, json=body)
    assert answer.is_success, (path, answer.text)
    return dict(answer.json())
