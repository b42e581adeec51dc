"""What was forgotten is found by nobody, what was erased is nowhere, and no way of doing things again brings it back.

Steps: save, derive, index, note, brief, cache, backup, restart, re-import, another agent, export, logs, telemetry.
One daemon lives a day: it saves, derives, indexes, notes, briefs, caches, backs up; then one memory is forgotten and
one erased, the daemon starts anew, and what was exported is imported. The cases of laundering follow in the same one.

Ways back that stand elsewhere over HTTP or the command line:

| way | where |
| --- | --- |
| other words of the same sentence, an import of texts, pieces of a long text | api/test_forgotten.py |
| an export of before, and of another machine | api/test_forgotten.py |
| another agent's copy, another scope | api/test_forgotten.py |
| facts of a forgotten source, an edited one, a superseded one | store/test_derived.py |
| a restored backup | store/test_carry.py |
| every channel of recall with meaning, and recovering | episodes/test_forgotten.py |
| forgetting between a save and its jobs | store/test_any_sequence.py |
"""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from cli.program import PATIENT, Program
from providers.native.cases import Models
from signet.client import Signet
from signet.db import driver
from signet.paths import Workspace
from support.processes import PATIENCE_SECONDS, eventually

#: No copy of the day: it would hold what is said here, or not, as chance has it (worker/test_backup.py).
SETTINGS = "backup: {daily: false}\nmemory: {pipelineV2: {extraction: {provider: rules}}}\n"
FORGOTTEN, ERASED = "quillfeather", "zanzibarite"
SAID = {
    FORGOTTEN: "Nora keeps a Quillfeather model in the attic and dusts it on Sundays.",
    ERASED: "The spare key of the boathouse hangs behind the Zanzibarite clock.",
}
_ECHOED = ("query", "prompt", "entityName", "entity", "error")
#: Documents that the user hands over: one in which it stands on a line with other things, one that says little else.
DOCUMENTS = {
    "Handbook": f"Ropes are coiled. {SAID[FORGOTTEN]} The Lochgoil chandler opens at six. {'Tea is at four. ' * 40}",
    "Card": f"{SAID[FORGOTTEN]} Lochgoil.",
}
COMMIT = f"Walks\n\nOla keeps the chart of the Fionnphort harbour. {' '.join(SAID.values())} Rye bread is for ducks."
PLAIN = "The mill in Tarbert grinds rye on Mondays."
AGENT = {"x-signet-actor-type": "harness"}
PERSON = {"x-signet-actor-type": "operator"}


@dataclass
class Day:
    """A workspace with a daemon, and what was found in its channels."""

    program: Program
    folder: Path
    ids: dict[str, str] = field(default_factory=dict)
    before: dict[str, str] = field(default_factory=dict)
    after: dict[str, str] = field(default_factory=dict)
    held_by: list[str] = field(default_factory=list)
    documents: dict[str, str] = field(default_factory=dict)
    said_by: list[str] = field(default_factory=list)
    bytes_of_erased: list[str] = field(default_factory=list)
    vectors_before: list[str] = field(default_factory=list)
    vectors_of_erased: list[str] = field(default_factory=list)
    restored: dict[str, Any] = field(default_factory=dict)
    refused: dict[str, object] = field(default_factory=dict)

    @property
    def signet(self) -> Signet:
        """Return a client that acts for the person."""
        return Signet(path=str(self.program.workspace), actor_type="operator")

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> httpx.Response:
        """Send a request as the person, or as the headers say."""
        socket = Workspace(self.program.workspace).api_socket
        with httpx.Client(
            transport=httpx.HTTPTransport(uds=str(socket)), timeout=PATIENCE_SECONDS
        ) as client:
            url = f"http://localhost{path}"
            return client.request(method, url, json=body, headers={**PERSON, **headers})

    def run(self, *arguments: str, stdin: str = "") -> str:
        """Run a command that succeeds and return what it printed."""
        done = self.program.run(*arguments, stdin=stdin, **PATIENT)
        assert done.status == 0, (arguments, done.err)
        return done.out

    def hook(self, name: str, key: str, **said: object) -> str:
        """Run a hook as Claude Code does and return what it printed."""
        body = {"session_id": key, "cwd": str(self.folder), **said}
        return self.run("hook", name, "-H", "claude-code", stdin=json.dumps(body))

    def talk(self, key: str, *turns: str) -> Path:
        """Write a transcript as Claude Code does, user and assistant in turns."""
        path = self.folder / f"{key}.jsonl"
        roles = ("user", "assistant")
        path.write_text(
            "\n".join(
                json.dumps(
                    {
                        "type": roles[place % 2],
                        "message": {"role": roles[place % 2], "content": text},
                        "timestamp": f"2026-03-04T09:{place:02}:00Z",
                    }
                )
                for place, text in enumerate(turns)
            )
        )
        return path

    def end(self, key: str, *turns: str) -> None:
        """Hand over a session."""
        self.hook("session-end", key, transcript_path=str(self.talk(key, *turns)), reason="other")

    def rest(self) -> None:
        """Wait until no job is open."""
        states = ("pending", "leased")
        eventually(
            lambda: not any(one["status"] in states for one in self.signet.jobs(limit=500)), 60
        )


TALK = (
    SAID[FORGOTTEN],
    f"Noted: {SAID[FORGOTTEN]}",
    SAID[ERASED],
    f"Noted: {SAID[ERASED]}",
    "Decided: the harbour walk begins at seven, never after lunch, and always with the blue lead.",
    "Settled: the harbour walk begins at seven, never after lunch, always with the blue lead.",
)


def ask(day: Day, method: str, path: str, body: object = None) -> str:
    """Return what an answer says, without the question that it repeats."""
    answer = day.ask(method, path, body)
    assert answer.status_code in (200, 202, 404), (path, answer.text)
    is_json = answer.headers["content-type"].startswith("application/json")
    found: Any = answer.json() if is_json else answer.text
    if isinstance(found, dict):
        found = {name: value for name, value in found.items() if name not in _ECHOED}
    return json.dumps(found, ensure_ascii=False)


def channels(day: Day, turn: str) -> dict[str, str]:
    """Return what each channel says of both words, by step and channel."""
    found: dict[str, str] = {}
    for word, said in SAID.items():
        for query in (word, said):
            for mode in ("hybrid", "keyword", "vector"):
                name = f"save: recall {mode} {query[:12]}"
                body = {"query": query, "mode": mode, "limit": 50, "expand": True}
                found[name] = ask(day, "POST", "/api/memory/recall", body)
        found[f"derive: expand {word}"] = ask(
            day, "POST", "/api/knowledge/expand", {"entity": word}
        )
        found[f"index: {word}"] = ask(day, "GET", f"/memory/search?q={word}")
        found[f"brief: prompt {word}"] = day.hook(
            "user-prompt-submit", f"{turn}-{len(found)}", prompt=f"Tell me about {said}"
        )
        found[f"brief: context {word}"] = ask(day, "POST", "/api/memory/context", {"prompt": said})
        found[f"other agent: recall {word}"] = ask(
            day, "POST", "/api/memory/recall", {"query": said, "agentId": "scout"}
        )
        found[f"logs: timeline {word}"] = ask(day, "GET", f"/api/timeline/{day.ids[word]}")
    for step, path in (
        ("save", "/api/memories?limit=1000"),
        ("derive", "/api/knowledge/entities?limit=200"),
        ("derive", "/api/knowledge/constellation"),
        ("index", "/api/sessions/walks/transcript"),
        ("index", "/api/embeddings"),
        ("note", "/api/sessions/summaries"),
        ("note", "/api/checkpoints/walks"),
        ("telemetry", "/api/telemetry/events?limit=1000"),
        ("telemetry", "/api/analytics/usage"),
        ("telemetry", "/api/analytics/errors"),
        ("telemetry", "/metrics"),
        ("logs", "/api/logs?limit=1000"),
        ("logs", "/api/jobs?limit=500"),
    ):
        found[f"{step}: {path}"] = ask(day, "GET", path)
    found["brief: start"] = day.hook("session-start", f"{turn}-start")
    found["note: synthesis"] = ask(day, "POST", "/api/hooks/synthesis", {})
    found["cache: again"] = day.hook("user-prompt-submit", "walks", prompt=" ".join(SAID.values()))
    out = day.folder / f"{turn}.jsonl"
    day.run("export", "-o", str(out))
    found["export: all"] = out.read_text()
    root = day.program.workspace
    for file in (root / "MEMORY.md", *sorted((root / "memory").glob("*.md"))):
        found[f"note: {file.name}"] = file.read_text() if file.is_file() else ""
    for file in sorted(root.rglob("*.log*")):
        found[f"logs: {file.name}"] = file.read_text(errors="replace")
    return found


def holding(root: Path, word: str, but: list[str]) -> list[str]:
    """Return the files below a folder that have a word in them, without the ones that are named."""
    return [
        str(path.relative_to(root))
        for path in sorted(root.rglob("*"))
        if path.is_file()
        and not path.is_symlink()
        and not any(path == Path(one) or Path(one) in path.parents for one in but)
        and word.encode() in path.read_bytes().lower()
    ]


def vector_of(day: Day, memory_id: str) -> list[bytes]:
    """Return the stored vector of a memory in pieces, because one may be cut by the end of a page."""
    with closing(driver.connect(day.program.workspace / "memory" / "memories.db")) as db:
        asked = "SELECT vector FROM embeddings WHERE source_type = 'memory' AND source_id = ?"
        [(vector,)] = db.execute(asked, (memory_id,)).fetchall()
    return [vector[place : place + 64] for place in range(0, len(vector), 64)]


def with_vector(day: Day, pieces: list[bytes]) -> list[str]:
    """Return the files of the database that have a piece of a vector."""
    folder = day.program.workspace / "memory"
    return [
        path.name
        for path in sorted(folder.glob("memories.db*"))
        if path.is_file() and any(piece in path.read_bytes() for piece in pieces)
    ]


def git(folder: Path, *arguments: str) -> None:
    """Run git in a folder."""
    who = ("-c", "user.name=Nora", "-c", "user.email=nora@example.com")
    done = subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stderr)


def pull(day: Day, name: str, text: str) -> None:
    """Bring a file in with `git pull`, as from another machine."""
    root, remote, other = day.program.workspace, day.folder / "remote.git", day.folder / "other"
    git(day.folder, "init", "-q", "--bare", "-b", "main", str(remote))
    git(day.folder, "clone", "-q", str(remote), str(other))
    (other / name).parent.mkdir(parents=True, exist_ok=True)
    (other / name).write_text(text)
    git(other, "add", ".")
    git(other, "commit", "-q", "-m", "notes")
    git(other, "push", "-q", "origin", "HEAD:main")
    git(root, "init", "-q", "-b", "main")
    git(root, "pull", "-q", str(remote), "main")


def live(day: Day) -> None:
    """Save, derive, index, note, brief, cache and back up two statements."""
    git(day.folder, "init", "-q")
    git(day.folder, "commit", "-q", "--allow-empty", "-m", COMMIT)
    day.signet.remember(PLAIN)
    for word, said in SAID.items():
        hint = f"Where is the {word}?"
        aspect = {"entity": word.title(), "aspect": "place", "attributes": [{"content": said}]}
        body = {"content": said, "hints": [hint], "aspects": [aspect], "sessionKey": "walks"}
        day.ids[word] = day.ask("POST", "/api/memory/remember", body).json()["id"]
    for title, text in DOCUMENTS.items():
        day.documents[title] = day.signet.add_document(text, title=title)["id"]
    day.rest()
    day.hook("session-start", "walks")
    day.hook("user-prompt-submit", "walks", prompt=" ".join(SAID.values()))
    day.hook("pre-compaction", "walks", session_context="\n".join(SAID.values()))
    day.hook("compaction-complete", "walks", summary="\n".join(f"- {one}" for one in SAID.values()))
    day.end("walks", *TALK)
    day.rest()
    ask(day, "POST", "/api/synthesis/trigger", {})
    day.rest()
    day.before = channels(day, "before")
    day.run("backup", "--json")


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Iterator[Day]:
    folder = tmp_path_factory.mktemp("drill")
    program = Program(home=folder / "home", workspace=folder / "home" / "workspace")
    program.workspace.mkdir(parents=True)
    (program.home / "models").symlink_to(models.home)
    (program.workspace / "agent.yaml").write_text(SETTINGS)
    day = Day(program, folder)
    port = ("--port", str(program.port))
    day.run("daemon", "start", *port)
    try:
        live(day)
        asked = ("memory", "forget", day.ids[FORGOTTEN], "--reason", "private")
        [gone] = json.loads(day.run(*asked, "--yes", "--json"))["results"]
        day.said_by = gone["heldBy"]
        pieces = vector_of(day, day.ids[ERASED])
        day.vectors_before = with_vector(day, pieces)
        erased = json.loads(day.run("memory", "erase", day.ids[ERASED], "--yes", "--json"))
        day.held_by = erased["heldBy"]
        day.rest()
        day.bytes_of_erased = holding(program.workspace, ERASED, day.held_by)
        day.vectors_of_erased = with_vector(day, pieces)
        day.restored = json.loads(day.run("restore", *day.held_by, "--yes", "--json"))
        day.rest()
        prepare(day)
        day.run("daemon", "stop")
        bury(day, "dead job")
        day.end("spooled", said("spooled"), "Noted.")
        day.run("daemon", "start", *port)
        day.run("import", str(folder / "before.jsonl"))
        day.rest()
        day.after = channels(day, "after")
        day.refused = {way: launder(day) for way, launder in LAUNDER.items()}
        day.rest()
        yield day
    finally:
        program.run("daemon", "stop")


def word_of(way: str) -> str:
    """Return the word that only one case of laundering has: a name of letters alone."""
    return "Lax" + "".join(letter for letter in way if letter.isalpha())


def said(way: str) -> str:
    """Return what a case forgets and tries to bring back."""
    return f"The {word_of(way)} crate stands in the third bay of the store."


def prepare(day: Day) -> None:
    """Save and forget what the cases are about; some begin before they are forgotten."""
    saved = {way: day.signet.remember(said(way))["id"] for way in WAYS}
    day.ids |= saved
    day.end("again", said("session handed over again"), "Noted.")
    day.rest()
    day.end("pending", said("session that waits to be read"), "Noted.")
    for memory_id in saved.values():
        day.signet.forget(memory_id, reason="wrong")
    day.rest()


def save(day: Day, way: str, **body: object) -> int:
    """Save as an agent does and return the status."""
    sent = {"content": said(way), **body}
    return day.ask("POST", "/api/memory/remember", sent, **AGENT).status_code


def mcp_save(day: Day, way: str) -> object:
    """Save with the tool of agents."""
    call = {"name": "memory_store", "arguments": {"content": said(way)}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    accept = {"accept": "application/json, text/event-stream"}
    return day.ask("POST", "/mcp", message, **accept).status_code


def edit(day: Day, way: str) -> int:
    """Let an agent write it into another memory."""
    other = day.signet.remember(f"The crate of {way} is empty.")["id"]
    body = {"content": said(way), "reason": "more"}
    return day.ask("PATCH", f"/api/memory/{other}", body, **AGENT).status_code


def connect(day: Day, way: str) -> None:
    """Let a folder be read whose file says it, and once more."""
    folder = day.folder / "shelf"
    folder.mkdir()
    (folder / "crates.md").write_text(said(way))
    added = day.signet.add_connector(settings={"rootPath": str(folder)})["id"]
    day.signet.sync_connector(added)
    day.rest()
    day.signet.sync_connector(added, full=True)


def note(day: Day, way: str) -> None:
    """Pull a note with git, and wait until it was read, by a line that nobody has forgotten."""
    ropes = "# Ropes\n\nThe long ropes hang in the Oban loft.\n"
    pull(day, "memory/2026-03-05.md", f"# Crates\n\n{said(way)}\n\n{ropes}")
    eventually(lambda: "Oban" in ask(day, "GET", "/api/memories?limit=1000"), 30)


def bury(day: Day, way: str) -> None:
    """Leave the reading of a memory as one that has failed too often, while no daemon runs."""
    with closing(driver.connect(day.program.workspace / "memory" / "memories.db")) as db:
        died = (
            "UPDATE memory_jobs SET status = 'dead', failed_at = completed_at, completed_at = NULL"
            " WHERE memory_id = ? AND job_type = 'extract'"
        )
        assert db.execute(died, (day.ids[way],)).rowcount == 1
        db.commit()


def retry(day: Day, way: str) -> None:
    """Let a dead job be tried again."""
    [job] = day.signet.jobs(status="dead", memory_id=day.ids[way])
    day.run("jobs", "retry", job["id"])


def upload(day: Day, way: str) -> None:
    """Hand over a document, twice."""
    day.signet.add_document(said(way), title="Crates")
    day.rest()
    day.signet.add_document(f"{said(way)}\n", title="Crates again")


LAUNDER: dict[str, Callable[[Day], object]] = {
    "session handed over afterwards": lambda day: day.end(
        "late", said("session handed over afterwards"), "Noted."
    ),
    "session handed over again": lambda day: day.end(
        "again", said("session handed over again"), "Noted.", "Ropes are long.", "Yes, they are."
    ),
    "third person": lambda day: day.end(
        "third", "What of it?", f"You said that {said('third person')}"
    ),
    "among other sentences": lambda day: day.end(
        "among", f"Ropes are long. {said('among other sentences')} Tea is at four.", "Noted."
    ),
    "summary of a compaction": lambda day: (
        day.ask(
            "POST",
            "/api/hooks/compaction-complete",
            {"harness": "codex", "sessionKey": "c", "summary": said("summary of a compaction")},
        ).status_code
    ),
    "line in a summary of a compaction": lambda day: day.hook(
        "compaction-complete",
        "d",
        summary=f"- Ropes.\n- {said('line in a summary of a compaction')}",
    ),
    "before a compaction": lambda day: day.hook(
        "pre-compaction", "e", session_context=said("before a compaction")
    ),
    "agent saves": lambda day: save(day, "agent saves"),
    "agent saves as the user": lambda day: save(day, "agent saves as the user", origin="user"),
    "agent saves other words": lambda day: save(
        day, "agent saves other words", content=f"Note that {said('agent saves other words')}"
    ),
    "agent saves a transcript": lambda day: save(
        day,
        "agent saves a transcript",
        content="The talk of Tuesday was long.",
        transcript=f"User: {said('agent saves a transcript')}",
        sourceId="tuesday",
    ),
    "tool of agents": lambda day: mcp_save(day, "tool of agents"),
    "agent edits": lambda day: edit(day, "agent edits"),
    "document": lambda day: upload(day, "document"),
    "connector": lambda day: connect(day, "connector"),
    "note that git brings": lambda day: note(day, "note that git brings"),
    "import": lambda day: day.signet.import_records(
        [{"record": "text", "content": said("import")}]
    ),
    "dead job": lambda day: retry(day, "dead job"),
    "hints": lambda day: ask(day, "POST", "/api/repair/backfill-hints", {}),
}
#: What begins before the daemon starts anew.
WAYS = [*LAUNDER, "session that waits to be read", "spooled"]
STEPS = "save derive index note brief cache export logs telemetry".split()


@pytest.mark.parametrize("step", [*STEPS, "other agent"])
def test_what_was_forgotten_or_erased_is_in_no_channel(day: Day, step: str) -> None:
    found = {name: text.lower() for name, text in day.after.items() if name.startswith(step)}
    assert found
    if step == "export":
        # What can be recovered is in it, so that it can be where it is imported; and so are documents.
        rows = [json.loads(line) for line in day.after["export: all"].splitlines()]
        memories = [row for row in rows if row.get("record") == "memory"]
        kept = [row for row in memories if row["type"] != "document_chunk"]
        assert all(row["is_deleted"] for row in kept if FORGOTTEN in str(row).lower())
        assert not any(ERASED in str(row).lower() for row in rows if row.get("content"))
        return
    assert {name for name, text in found.items() if FORGOTTEN in text} == set()
    assert {name for name, text in found.items() if ERASED in text} == set()


def test_they_were_in_the_channels_before(day: Day) -> None:
    for word in SAID:
        said = {name for name, text in day.before.items() if word in text.lower()}
        assert {name.partition(":")[0] for name in said} >= set(STEPS) - {"logs", "telemetry"}
        assert "tarbert" in day.after["save: /api/memories?limit=1000"].lower()
        assert "blue lead" in day.after["index: /api/sessions/walks/transcript"].lower()


def test_documents_stay_as_they_are_and_are_named_and_told_without_it(day: Day) -> None:
    named = [f"document:{id} {title}" for title, id in day.documents.items()]
    assert sorted(day.said_by) == sorted(named)
    for title, id in day.documents.items():
        kept = day.ask("GET", f"/api/documents/{id}").json()
        assert kept["raw_content"] == DOCUMENTS[title], kept
    for body in ({"query": "Lochgoil chandler"}, {"query": "When does the chandler open?"}):
        assert "lochgoil" in ask(day, "POST", "/api/memory/recall", body).lower()
    page = {"id": f"document:{day.documents['Handbook']}"}
    told = ask(day, "POST", "/api/memory/context", page).lower()
    assert "chandler" in told
    assert FORGOTTEN not in told


def test_commits_are_read_again_without_it(day: Day) -> None:
    asked = {"query": "Who keeps the chart of the Fionnphort harbour?", "type": "commit"}
    found = ask(day, "POST", "/api/memory/recall", asked).lower()
    assert "for ducks" in found
    assert not any(word in found for word in SAID)


def test_no_byte_of_what_was_erased_is_outside_of_the_copies_that_were_named(day: Day) -> None:
    assert len(day.held_by) == 1
    assert day.bytes_of_erased == []
    assert "memories.db" in day.vectors_before
    assert day.vectors_of_erased == []


def test_the_backup_of_before_was_put_back_and_forgot_it_again(day: Day) -> None:
    assert day.restored["restored"] is True
    assert day.restored["forgotten"] >= len(SAID)


@pytest.mark.parametrize("way", WAYS)
def test_no_way_brings_it_back(day: Day, way: str) -> None:
    word = word_of(way).lower()
    for path, body in (
        ("/api/memory/recall", {"query": said(way), "limit": 50, "expand": True}),
        ("/api/memory/recall", {"query": word}),
        ("/api/memory/context", {"prompt": said(way)}),
        ("/api/hooks/user-prompt-submit", {"harness": "x", "sessionKey": way, "userPrompt": word}),
    ):
        assert word not in ask(day, "POST", path, body).lower(), path
    assert word not in ask(day, "GET", "/api/memories?limit=1000").lower()


@pytest.mark.parametrize("way", ["agent saves", "agent saves other words", "agent edits"])
def test_an_agent_is_refused_and_a_person_is_not(day: Day, way: str) -> None:
    assert day.refused[way] == 409
