"""A model that answers anything: no answer of it loses, replaces or outranks what a person said.

`SIGNET_FUZZ_CALLS=500 pytest -n0 tests/worker/test_fuzzed_model.py` asks more; `SIGNET_FUZZ_SEED` draws others.
"""

import json
import os
import random
import re
import threading
from collections import Counter
from pathlib import Path

import pytest

from signet import clock
from signet.domain.memory.models import Actor
from signet.domain.synthesis import run as synthesis
from signet.wire.origin import Origin
from support.http import Api, api_over
from support.models import Answer, Cut, Raw, Status
from support.processes import eventually
from support.strict import MODEL, Limits, StrictServer, strict
from worker.home import Home, manifest
from worker.test_summaries import ended as session_ended

CALLS = int(os.environ.get("SIGNET_FUZZ_CALLS", "80"))
SEED = int(os.environ.get("SIGNET_FUZZ_SEED", "7"))
PERSON = Actor(name="cli", origin=Origin.USER, may_claim=Origin.USER)

#: Statements of the user with a question and the word that its answer contains.
SAID = {
    "I work at Initech.": ("Which company do I work at?", "Initech"),
    "I live in Berlin.": ("In which city do I live?", "Berlin"),
    "The port of the heron service is 3850.": ("What is the port of the heron service?", "3850"),
    "We deploy the ledger on Thursdays.": ("On what day do we deploy the ledger?", "Thursdays"),
    "The search runs on OpenSearch.": ("What does the search run on?", "OpenSearch"),
    "My daughter is called Mina.": ("What is my daughter called?", "Mina"),
}
INVENTED = (
    "The user works at Globex.",
    "I work at Globex.",
    "The user lives in Zanzibar.",
    "The user no longer lives in Berlin.",
    "The port of the heron service is 9944.",
    "Ledger deploys happen on Mondays instead of Thursdays at Globex.",
    "The search runs on Solr 9.",
    "The user's daughter is called Xanthippe.",
)
#: What a model writes instead of what it read.
SWAPPED = {
    "Initech": "Globex",
    "Berlin": "Zanzibar",
    "3850": "9944",
    "Thursdays": "Mondays",
    "OpenSearch": "Solr",
    "Mina": "Xanthippe",
}
#: Words that only inventions contain.
FOREIGN = ("globex", "zanzibar", "9944", "solr", "xanthippe", "mondays")
#: Where else words of a model are stored.
DERIVED = (
    ("memory_hints", "hint"),
    ("entities", "canonical_name"),
    ("session_summaries", "content"),
)
GERMAN = (
    "Der Nutzer arbeitet bei Globex und wohnt in Zanzibar.",
    "用户住在桑给巴尔，在环球公司工作。",
)
ID = re.compile(r"\bid ([0-9a-f][\w-]{10,})")
MARKED = re.compile(r"^<([a-z-]+-[0-9a-f]{16})>\n(.*?)\n</\1>", re.DOTALL | re.MULTILINE)


class Fuzz:
    """Answers by chance, the same for the same seed and order of requests."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.modes: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._ways = (
            (self._honest, 8),
            (self._invents, 8),
            (self._changes, 8),
            (self._denies, 4),
            (self._echoes, 4),
            (self._loops, 4),
            (self._truncates, 4),
            (self._speaks_foreign, 3),
            (self._thinks, 4),
            (self._wrong, 4),
            (lambda prompt: "", 2),
            (lambda prompt: Raw("<html>Sign in</html>"), 1),
            (lambda prompt: Cut(), 1),
            (lambda prompt: Status(500, '{"error": "model requires more system memory"}'), 1),
            (lambda prompt: Status(404, '{"error": "model not found"}'), 1),
            (lambda prompt: Status(400, '{"error": "exceeds the context length"}'), 1),
            (lambda prompt: Status(503), 1),
        )

    def __call__(self, prompt: str) -> Answer:
        with self._lock:
            ways, weights = zip(*self._ways, strict=True)
            way = self.chance.choices(ways, weights)[0]
            self.modes[getattr(way, "__name__", "")] += 1
            found: Answer = way(prompt)
            return found

    def _answer(self, prompt: str, statements: list[str]) -> str:
        """Return statements in the form that a request asks for."""
        sure = {"confidence": self.chance.choice(["high", 0.95, "medium"])}
        if "compared with memories" in prompt:
            ids = ID.findall(prompt) or [""]
            action = self.chance.choice(["add", "none", "update", "delete"])
            return json.dumps(
                {
                    "action": action,
                    "targetId": self.chance.choice(ids),
                    "reason": statements[0],
                    **sure,
                }
            )
        if "MEMORY.md" in prompt:
            return "# Memory\n\n" + "\n".join(f"- {one}" for one in statements)
        if "months later" in prompt:
            return "\n".join(f"What about this: {one}?" for one in statements)
        if "consecutive work sessions" in prompt:
            return f"# {statements[0]}\n\n" + "\n".join(f"- {one}" for one in statements)
        if "File each" in prompt or "it depends" in prompt:
            targets = [{"target": "Globex", "type": "uses", "reason": statements[0]}]
            targets += [{"target": "Heron", "type": "depends_on", "reason": statements[0]}]
            placed = {"i": 1, "aspect": "work", "kind": "constraint", "new": True}
            return json.dumps({"results": [{**placed, "dependencies": targets}]})
        if '"summary"' in prompt:
            listed = [{"content": one, "type": "decision", "importance": 0.9} for one in statements]
            summary = f"# Session Notes\n\n## {statements[0]}\n\n" + "\n".join(statements)
            return json.dumps({"summary": summary, "facts": listed})
        facts = [{"content": one, "type": "fact", **sure} for one in statements]
        entity = {"source": "Globex", "source_type": "project", "relationship": "owns"}
        entity |= {"target": "Zanzibar", "target_type": "project"}
        return json.dumps({"facts": facts, "entities": [entity], "results": [{"i": 1}]})

    def _honest(self, prompt: str) -> Answer:
        return self._answer(prompt, self._read(prompt))

    def _changes(self, prompt: str) -> Answer:
        """Return what was read with other values."""
        return self._answer(
            prompt,
            [
                re.sub("|".join(SWAPPED), lambda found: SWAPPED[found[0]], one)
                for one in self._read(prompt)
            ],
        )

    def _denies(self, prompt: str) -> Answer:
        """Return the opposite of what was read."""
        read = [
            re.sub(r"\b(work|live|deploy|is|runs)\b", r"\1 not", one) for one in self._read(prompt)
        ]
        return self._answer(prompt, read)

    def _read(self, prompt: str) -> list[str]:
        data = MARKED.search(prompt)
        text = data[2] if data else prompt
        lines = [
            re.sub(r"^(?:- |\[\w+\] |User: |Assistant: )+", "", one) for one in text.splitlines()
        ]
        return [one for one in lines if len(one) > 10][:20] or ["nothing"]

    def _invents(self, prompt: str) -> Answer:
        return self._answer(prompt, self.chance.sample(INVENTED, 4))

    def _echoes(self, prompt: str) -> Answer:
        lines = [one for one in prompt.splitlines() if len(one) > 10]
        return self.chance.choice(
            [prompt, self._answer(prompt, self.chance.sample(lines, min(4, len(lines))))]
        )

    def _loops(self, prompt: str) -> Answer:
        line = self.chance.choice(INVENTED)
        return self.chance.choice(
            ["the " * 900, self._answer(prompt, [f"{line} " * 30]), "{" * 3000]
        )

    def _truncates(self, prompt: str) -> Answer:
        whole = self._answer(prompt, self.chance.sample(INVENTED, 3))
        return whole[: self.chance.randrange(len(whole))]

    def _speaks_foreign(self, prompt: str) -> Answer:
        return self._answer(prompt, list(GERMAN))

    def _thinks(self, prompt: str) -> Answer:
        thought = f"<think>{self._answer(prompt, list(INVENTED[:2]))}"
        return (
            thought if self.chance.random() < 0.5 else f"{thought}</think>\n{self._honest(prompt)}"
        )

    def _wrong(self, prompt: str) -> Answer:
        return self.chance.choice(
            [
                '{"facts": "none", "entities": 7, "summary": ["x"], "action": null}',
                '{"facts": [{"content": {"content": "The user works at Globex."}}], "results": 3}',
                "[1, 2, 3]",
                '{"action": "delete", "targetId": "everything", "reason": "Globex"}',
                '{"summary": "", "facts": []}',
            ]
        )


def talk(number: int) -> str:
    """Return a session that says nothing about the user's statements but their subjects."""
    asked = f"User: Please look at the heron ledger report number {number}, and tell me what is open in it."
    answer = "Assistant: The report lists four open points, and the second of them concerns the search of the shop."
    return "\n".join(f"{asked} Step {step}.\n{answer}" for step in range(4))


def drained(home: Home) -> None:
    """Wait until every job has ended, without the waits between attempts."""
    waits = "SELECT COUNT(*) FROM memory_jobs WHERE status IN ('pending', 'leased')"

    def is_over() -> bool:
        home.hurry()
        return not home.value(waits)

    eventually(is_over)


def is_valid(text: str) -> None:
    """Fail for a MEMORY.md that is worse than the list of the memories."""
    assert not re.search(r"</?[a-z][a-z-]*-[0-9a-f]{4,}>", text), "markers of the request"
    assert "You keep the file" not in text and "At most" not in text, "the request itself"
    assert [word for word in FOREIGN if word in text.lower()] == [], "an invention"
    held = [one for one in SAID if SAID[one][1] in text]
    assert len(held) >= len(SAID) / 2, text
    listed = [one for one in text.splitlines() if one.startswith("- ")]
    assert not any(one.endswith((" a", " the", " and", ",")) for one in listed), "a line is cut"


@pytest.mark.parametrize("kind", ["ollama", "llama.cpp"])
def test_no_answer_replaces_forgets_or_outranks_what_the_user_said(home: Home, kind: str) -> None:
    fuzz = Fuzz(SEED)
    with strict(kind, answer=fuzz, limits=Limits(context=8192)) as server:
        home.configure(settings(kind, server))
        said = {text: home.remember(text, actor=PERSON) for text in SAID}
        path = home.workspace.root / "MEMORY.md"
        with home.worker(), api_over(home.workspace) as api:
            number = 0
            while len(server.prompts) < CALLS / 2:
                number += 1
                for kept in SAID:
                    subject = kept.split()[-1].rstrip(".")
                    text = f"Note {number}: we talked about {subject} and about rainy weather for an hour."
                    home.remember(text, actor=PERSON)
                session_ended(home, f"s{number}", talk(number))
                drained(home)
                home.db.write(synthesis.queue, "default", now=clock.now())
                drained(home)
                if path.exists():  # both attempts of the first run may have met errors
                    is_valid(path.read_text("utf-8"))
            is_valid(path.read_text("utf-8"))
            assert_safe(home, api, said)
    assert sum(fuzz.modes.values()) >= CALLS / 2 and len(fuzz.modes) >= 7, fuzz.modes


def settings(kind: str, server: StrictServer) -> dict[object, object]:
    """Return settings in which a model may do the most."""
    tree = manifest(
        "ollama" if kind == "ollama" else "openai",
        server.url,
        autonomous={"allowUpdateDelete": True},
        hints={"enabled": True},
        structural={"enabled": True},
    )
    memory = tree["memory"]
    assert isinstance(memory, dict)
    pipeline = memory["pipelineV2"]
    provider = dict(pipeline["extraction"]) | {"model": MODEL}
    pipeline["extraction"] = provider
    pipeline["synthesis"] = dict(provider)
    tree["embedding"] = {"provider": "none"}
    return tree


def assert_safe(home: Home, api: Api, said: dict[str, str]) -> None:
    """Fail when a statement of the user was lost, or an invention is found in its place."""
    for text, memory_id in said.items():
        memory = home.memory(memory_id)
        state = (
            memory["superseded_by"],
            memory["valid_to"],
            memory["is_deleted"],
            memory["review"],
        )
        assert state == (None, None, 0, None), text
        question, word = SAID[text]
        found = api.post("/api/memory/recall", {"query": question, "limit": 5}).body["results"]
        assert found and word in found[0]["content"], (question, [one["content"] for one in found])
    stored = home.rows(
        "SELECT content FROM memories WHERE is_deleted = 0 AND review IS NOT 'waiting'"
    )
    texts = " ".join(str(one["content"]) for one in stored).lower()
    assert [word for word in FOREIGN if word in texts] == []
    assert " not " not in texts
    for table, column in DERIVED:
        told = " ".join(str(row[0]) for row in home.rows(f"SELECT {column} FROM {table}")).lower()
        assert [word for word in FOREIGN if word in told] == [], table
    files: list[Path] = list(home.workspace.memory_dir.glob("*.md"))
    notes = " ".join(path.read_text("utf-8") for path in files).lower()
    assert [word for word in FOREIGN if word in notes] == []
