"""Seeded synthetic memories and questions: the same seed gives the same texts on every machine.

Every memory is a distinct text of one or two sentences in a coding agent's style: a person, a component, a habit or a
decision. Questions use the same words, so that recall finds something. Apart from a few function words, no word
occurs in more than a tenth of the texts.
"""

import json
import random
from collections.abc import Iterator

PEOPLE = (
    "Nadia Tomasz Ines Wei Oluchi Farid Greta Mateo Yuki Anselm Priya Joris Salome Dmitri Hana Kofi Leila Bruno "
    "Astrid Chidi Marta Ravi Elin Pavel Aiko Idris Noor Stefan Zola Hugo Ximena Tariq"
).split()
#: A component is an adjective and a noun, so that most are rare, like words in real texts.
KINDS = (
    "billing search deploy login report message image backup rate schema feature audit mobile import webhook session "
    "tenant invoice catalog geocoding payroll telemetry staging consent ledger shipping avatar referral quota sandbox"
).split()
THINGS = (
    "service index pipeline page exporter broker cache job limiter registry flags trail client wizard relay store "
    "gateway scheduler dashboard validator parser mailer proxy crawler linter fixture bundle resolver adapter daemon"
).split()
TOOLS = (
    "PostgreSQL Redis Terraform Kubernetes Svelte FastAPI Grafana Ansible RabbitMQ Playwright Rust Bazel Kafka "
    "Elixir Nginx Prometheus SQLite Tailwind Pulumi Sentry Vite Django Celery Consul Vault Nomad Envoy Loki"
).split()
HABITS = (
    "prefers {tool} over {other} for the {part}|decided to move the {part} to {tool}|"
    "fixed a race in the {part} by locking {tool} rows in id order|always reviews the {part} before a release|"
    "wants short functions and no comments in the {part}|owns the {part} and its {tool} panels|"
    "found that the {part} leaks memory when {tool} restarts|never touches the {part} on a Friday|"
    "uses {tool} to test the {part}|renamed the {part} after the merge with {other}|"
    "keeps the {part} on {tool} version {number}|wrote the guide for the {part}"
).split("|")
REASONS = (
    "because the old way cost a day each month|after the outage in spring|as agreed in the weekly meeting|"
    "until the new office is ready|since customers asked for it twice|so that builds stay under {number} seconds|"
    "while ticket {ticket} is open|for release {number}|at the request of {person}|as {person} had proposed"
).split("|")


class Corpus:
    """An endless supply of texts; `name` separates the texts of two suppliers."""

    def __init__(self, seed: int, name: str = "a") -> None:
        self._random = random.Random(f"{seed}:{name}")
        self._name = name

    def memory(self, number: int) -> str:
        """Return a new text; `number` makes it unique."""
        pick = self._random.choice
        words = {
            "tool": pick(TOOLS),
            "other": pick(TOOLS),
            "part": self._part(),
            "person": pick(PEOPLE),
            "number": self._random.randrange(2, 400),
            "ticket": f"SIG-{self._random.randrange(10_000)}",
        }
        sentence = f"{pick(PEOPLE)} {pick(HABITS)} {pick(REASONS)}".format(**words)
        return f"{sentence}. Noted as {self._name}{number}."

    def question(self) -> str:
        """Return a question about such texts."""
        pick = self._random.choice
        return f"what did {pick(PEOPLE)} decide about the {self._part()} and {pick(TOOLS)}"

    def _part(self) -> str:
        return f"{self._random.choice(KINDS)} {self._random.choice(THINGS)}"

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
