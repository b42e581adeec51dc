"""Seeded synthetic memories and questions: the same seed gives the same texts on every machine.

Every memory is a different text of one or two sentences, as a coding agent saves them: a person, a component, a
habit or a decision. The words of a question come from the same lists, so that recall finds something.
"""

import json
import random
from collections.abc import Iterator

PEOPLE = "Nadia Tomasz Ines Wei Oluchi Farid Greta Mateo Yuki Anselm Priya Joris Salome Dmitri Hana Kofi".split()
PARTS = (
    "billing service|search index|deploy pipeline|login page|report exporter|message broker|image cache|"
    "nightly backup|rate limiter|schema registry|feature flags|audit trail|mobile client|import wizard|"
    "webhook relay|session store"
).split("|")
TOOLS = "PostgreSQL Redis Terraform Kubernetes Svelte FastAPI Grafana Ansible RabbitMQ Playwright Rust Bazel".split()
HABITS = (
    "prefers {tool} over anything else for the {part}|decided to move the {part} to {tool}|"
    "fixed a race in the {part} by locking {tool} rows in id order|always reviews the {part} before a release|"
    "wants short functions and no comments in the {part}|owns the {part} and its {tool} dashboards|"
    "found that the {part} leaks memory when {tool} restarts|never deploys the {part} on a Friday"
).split("|")
REASONS = (
    "because the old way cost a day each month|after the outage in spring|as agreed in the weekly meeting|"
    "until the new office is ready|since customers asked for it twice|so that the tests stay under a minute"
).split("|")


class Corpus:
    """An endless supply of texts; `name` keeps the texts of two suppliers apart."""

    def __init__(self, seed: int, name: str = "a") -> None:
        self._random = random.Random(f"{seed}:{name}")
        self._name = name

    def memory(self, number: int) -> str:
        """Return a new text; `number` makes it unique."""
        pick = self._random.choice
        habit = pick(HABITS).format(tool=pick(TOOLS), part=pick(PARTS))
        return f"{pick(PEOPLE)} {habit} {pick(REASONS)}. Noted as {self._name}{number}."

    def question(self) -> str:
        """Return a question about such texts."""
        pick = self._random.choice
        return f"what did {pick(PEOPLE)} decide about the {pick(PARTS)} and {pick(TOOLS)}"

    def remember_bodies(self) -> Iterator[bytes]:
        """Yield request bodies for remember."""
        number = 0
        while True:
            number += 1
            yield json.dumps({"content": self.memory(number)}).encode()

    def recall_bodies(self) -> Iterator[bytes]:
        """Yield request bodies for recall."""
        while True:
            yield json.dumps({"query": self.question()}).encode()
