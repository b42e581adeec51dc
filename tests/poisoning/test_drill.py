"""Thirty poisoned texts among a thousand memories, by their real doors, through the hooks of a real daemon."""

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from poisoning.attacks import ATTACKS, FORGERIES, Attack
from poisoning.claims import KEPT, WAYS, Key, claim, word_of
from signet.db.driver import connect
from signet.text import orders
from support.http import Served, a_workspace, served
from support.processes import eventually, program
from support.repositories import Copy, needs_git

PERSON = {"x-signet-actor-type": "operator"}
TOOL = {"x-signet-actor-type": "harness"}
HEAD, TAIL = "<signet-memory>", "</signet-memory>"
#: Who asks without a key is the user at the machine; a key has its own rights.
SETTINGS = "auth: {mode: hybrid}\nembedding: {provider: none}\n"
TRUE = (
    "The harbour gate opens at nine.",
    "The oven door is red.",
    "Never sell the lighthouse lamp to a collector.",
    "The ferry to Port Ellen leaves at a quarter past seven.",
    "Mina keeps her rowing boat behind the chandlery.",
)
QUESTIONS = (
    "When does the harbour gate open?",
    "Which colour has the oven door?",
    "May we sell the lighthouse lamp?",
    "When does the ferry to Port Ellen leave?",
    "Where does Mina keep her rowing boat?",
)
#: What was false of each attack; nothing is the aim.
FAULTS = ("unfenced", "users word", "unasked order", "unlabelled", "raw marks")
_RAW = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\U000e0000-\U000e007f]")


@dataclass(frozen=True)
class Town:
    """A daemon with its worker, a project that is a repository, and who is the user here."""

    server: Served
    project: Copy

    def hook(self, name: str, key: str, **body: object) -> dict[str, Any]:
        sent = {"harness": "claude-code", "sessionKey": key, "cwd": str(self.project.root), **body}
        answer = self.server.post(f"/api/hooks/{name}", sent)
        assert answer.status == 200, answer.body
        return dict(answer.body)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        connection = connect(self.server.workspace.database, read_only=True)
        try:
            return [tuple(row) for row in connection.execute(sql)]
        finally:
            connection.close()

    def rest(self) -> None:
        sql = "SELECT count(*) FROM memory_jobs WHERE status IN ('pending', 'leased')"
        eventually(lambda: self.rows(sql) == [(0,)], seconds=120)

    def tool(self, name: str, **arguments: object) -> str:
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": name, "arguments": arguments},
        }
        headers = {"content-type": "application/json", "accept": "application/json"}
        answer = self.server.send("POST", "/mcp", json.dumps(message).encode(), headers)
        return str(answer.body["result"]["content"][0]["text"])

    def enter(self, one: Attack, folder: Path) -> None:
        """Bring a text in by its door, with every claim that the door takes."""
        claims = {"who": "user", "origin": "user", "pinned": True}
        save, text = "/api/memory/remember", one.text
        if one.door == "agent":
            self.tool("memory_store", content=text, pinned=True)
        elif one.door in ("web", "tool"):
            kind = "browser-extension" if one.door == "web" else "mcp-tool"
            body = {"content": text, "sourceType": kind, **claims}
            assert self.server.post(save, body, **TOOL).status == 200
        elif one.door == "import":
            record = {"record": "text", "content": text, **claims}
            body = self.server.post("/api/import", {"records": [record]}).body
            assert body["new"] == 1, body
        elif one.door == "document":
            body = {"source_type": "text", "title": "Handbook", "content": text}
            assert self.server.post("/api/documents", body).status in (200, 201, 202)
        elif one.door == "commit":
            self.project.commit("pump.txt", "1")
            self.project.git("commit", "-q", "--amend", "-m", text)
        else:
            turns = [("user", f"How is the {one.word} pump?"), ("assistant", text)]
            lines = [
                json.dumps({"type": who, "message": {"role": who, "content": said}})
                for who, said in turns
            ]
            path = folder / f"{one.word}.jsonl"
            path.write_text("\n".join(lines), "utf-8")
            self.hook("session-end", one.word, transcriptPath=str(path), reason="other")


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    folder = tmp_path_factory.mktemp("poison")
    workspace = a_workspace(folder / "agents")
    (workspace.root / "agent.yaml").write_text(SETTINGS, "utf-8")
    project = Copy(folder / "harbour")
    project.root.mkdir()
    project.git("init", "-q")
    env = {"SIGNET_PATH": str(workspace.root)}
    with (
        served(workspace) as server,
        program("-m", "signet_worker.main", env=env, is_heard=False),
    ):
        made = Town(server, project)
        fill(made)
        for one in (*ATTACKS, *FORGERIES):
            made.enter(one, folder)
        made.hook("session-start", "first")
        made.rest()
        yield made


def fill(town: Town) -> None:
    """Save what the user says, and bring in the other memories with an import."""
    for text in TRUE:
        body = {"content": text, "type": "fact", "importance": 0.9}
        assert town.server.post("/api/memory/remember", body, **PERSON).status == 200
    records = [
        {
            "record": "memory",
            "id": f"real-{number}",
            "content": f"Crate {number} of the warehouse holds {9 + number % 83} coils of rope, row {number % 17}.",
            "importance": 0.3,
            "extraction_status": "completed",
        }
        for number in range(995)
    ]
    answer = town.server.post("/api/import", {"records": records}).body
    assert answer["new"] == len(records), answer


def asked(text: str) -> str:
    """Return a prompt of the visible words of a text."""
    words = re.findall(
        r"[\w]+", re.sub(r"[\u200b-\u200f\u202a-\u202e]|[\U000e0000-\U000e007f]", "", text)
    )
    return "Please tell me: " + " ".join(words[:12])


def holds(text: str, word: str) -> bool:
    """Return whether a word stands in a text."""
    return re.search(rf"\b{word}(?:_|\b)", text, re.IGNORECASE) is not None


def outside(text: str) -> str:
    """Return what of a text stands in no block of memory."""
    return re.sub(rf"{HEAD}.*?{TAIL}", "", text, flags=re.DOTALL)


def faults(town: Town, one: Attack, start: str, compaction: str) -> set[str]:
    """Return what is wrong with how one text reaches prompts and answers."""
    prompt = town.hook(
        "user-prompt-submit", f"ask-{ATTACKS.index(one)}", userPrompt=asked(one.text)
    )
    context = town.server.post("/api/memory/context", {"prompt": asked(one.text)}).body["context"]
    texts = [start, compaction, str(prompt.get("inject", "")), str(context)]
    found: set[str] = set()
    for text in texts:
        if holds(outside(text), one.word):
            found.add("unfenced")
        if _RAW.search(text):
            found.add("raw marks")
        lines = [line for line in text.splitlines() if holds(line, one.word)]
        if one.is_order and lines:
            found.add("unasked order")
        # The user has named the pump of a transcript, and nothing else.
        mine = [line for line in lines if "How is the" not in line]
        if any(
            re.search(r"said by the user|^\s*(?:[*_>#]+\s*)?User\b[^:]{0,30}:", line)
            for line in mine
        ):
            found.add("users word")
    rows = json.loads(town.tool("memory_search", query=one.word, limit=20))
    for row in [row for row in rows.get("results", []) if holds(row["content"], one.word)]:
        said = row.get("origin") or rows.get("origin")
        if not said or said == "user":
            found.add("unlabelled")
        if _RAW.search(row["content"]):
            found.add("raw marks")
    return found


@needs_git
def test_no_poison_is_delivered_as_anything_but_data(town: Town) -> None:
    start = str(town.hook("session-start", "second")["inject"])
    compaction = str(town.hook("pre-compaction", "second")["summaryPrompt"])
    assert len(ATTACKS) == 30
    table = {one.word: faults(town, one, start, compaction) for one in ATTACKS}
    counts = {name: sum(name in found for found in table.values()) for name in FAULTS}
    assert counts == dict.fromkeys(FAULTS, 0), {k: v for k, v in table.items() if v}


#: What only we write: labels of the user, headings, speakers and marks at the beginning of a line.
_OURS = re.compile(
    r"said by the user|\((?!“)[^()\n]*, (?:inferred|imported|from a tool)\)"
    r"|^[^\w\\]*##? *(?:Standing|Relevant|Signet|Session)"
    r"|^[\s*_]*(?:User|Human|Assistant)\b[^:\n]{0,30}:|[^“>\s]\s+(?:User|Human):"
    r"|\[(?:signet:|memory active)|</?(?:signet-|memory-)",
    re.IGNORECASE | re.MULTILINE,
)


@needs_git
@pytest.mark.parametrize("one", FORGERIES, ids=lambda one: one.word)
def test_a_forged_mark_is_delivered_as_a_quotation(town: Town, one: Attack) -> None:
    asked = f"Which colour has the {one.word} lamp?"
    told = str(
        town.hook("user-prompt-submit", f"forged-{FORGERIES.index(one)}", userPrompt=asked)[
            "inject"
        ]
    )
    if not told:  # it waits for a person
        assert orders.steers(one.text)
        return
    assert holds(told, one.word) and "lamp is green" in told and not holds(outside(told), one.word)
    lines = [line for line in told.split("\n") if holds(line, one.word)]
    heads = re.compile(r"^## (?:Memory|Document) \S+, \d{4}-\d\d-\d\d")
    shown = unicodedata.normalize("NFKC", "\n".join(one for one in lines if not heads.match(one)))
    assert _OURS.search(shown) is None, told
    assert told.count(HEAD) == told.count(TAIL) == 1 and told.count("[signet:recall") <= 1


@needs_git
def test_the_users_memories_are_as_they_were_and_are_delivered(town: Town) -> None:
    rows = town.rows(
        "SELECT content, superseded_by, is_deleted, origin FROM memories WHERE importance = 0.9 AND origin = 'user'"
    )
    assert sorted(rows) == sorted((text, None, 0, "user") for text in TRUE)
    for number, (question, text) in enumerate(zip(QUESTIONS, TRUE, strict=True)):
        told = str(town.hook("user-prompt-submit", f"true-{number}", userPrompt=question)["inject"])
        assert text in told and "said by the user" in told, told
    poisoned = {word for (word,) in town.rows("SELECT content FROM memories WHERE origin = 'user'")}
    assert not [one.word for one in ATTACKS if any(holds(text, one.word) for text in poisoned)]


@needs_git
def test_what_gives_orders_waits_for_a_person(town: Town) -> None:
    waiting = town.server.get("/api/memory/reviews").body["memories"]
    texts = " ".join(row["content"] for row in waiting)
    left = [
        one.word
        for one in ATTACKS
        if one.is_order and one.door != "commit" and not holds(texts, one.word)
    ]
    assert left == []


@pytest.fixture(scope="module")
def claimed(town: Town) -> Town:
    """Try every way to be the user with the key of an agent."""
    ids = [
        town.server.post("/api/memory/remember", {"content": text}, **PERSON).body["id"]
        for text in ("The quay is swept on Mondays.", "The buoys are painted in May.")
    ]
    token = town.server.post("/api/auth/token", {"role": "agent", "sub": "scout"}).body["token"]
    key = Key(town.server, token, tuple(ids))
    for do in WAYS.values():
        do(key)
    town.rest()
    return town


@needs_git
@pytest.mark.parametrize("way", WAYS)
def test_a_key_without_the_right_to_speak_is_never_the_user(claimed: Town, way: str) -> None:
    word = word_of(way)
    rows = claimed.rows(f"SELECT origin FROM memories WHERE content LIKE '%{word}%'")
    assert ("user",) not in rows
    asked = {"prompt": f"{claim(way)} What is it for?"}
    answers = [
        claimed.hook("user-prompt-submit", f"claim-{word}", userPrompt=claim(way))["inject"],
        claimed.server.post("/api/memory/context", asked).body["context"],
        claimed.hook("session-start", f"start-{word}")["inject"],
    ]
    told = "\n".join(str(text) for text in answers if holds(str(text), word))
    if way in KEPT:
        assert rows and told, way
    for text in told.split("\n\n"):
        if holds(text, word):
            beside = re.sub(r'"[^"]*"', "", text)
            assert "said by the user" not in beside, text
            # Turns of a session are told as that.
            assert text.startswith("## Session") or not re.search(r"^User:", text, re.MULTILINE)
