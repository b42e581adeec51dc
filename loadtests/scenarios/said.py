"""Measure whether recall finds the session of a statement, by default settings: a passage of it, or a fact.

The engineers' conversations of `talk/` are stored as sessions; `talk_questions.json` asks for one detail of each in
its words (natural) and in others (paraphrase). Questions of `everyday/` are unrelated (absent). With the evaluation
data also among the 140 conversations of `sde`.
"""

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from loadtests.quality import Client
from loadtests.report import Options, Report
from loadtests.scenarios import delivery, everyday
from loadtests.stack import API, SCHEDULER, WORKER, Stack
from loadtests.tasks import Decoy, Turn

from signet.domain.transcripts import transcript

TALK = Path(__file__).parent.parent / "talk"
QUESTIONS = TALK.parent / "talk_questions.json"
COLUMNS = ("store", "questions", "found", "by a passage", "passages each")


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(COLUMNS)
    talks = [talk(path.stem, path.read_text()) for path in sorted(TALK.glob("*.txt"))]
    others: list[Decoy] = []
    data = options.data / "sde" / "sde.json.gz"
    if data.exists():
        with gzip.open(data, "rt") as stream:
            others = json.load(stream)["decoys"]
    for store, decoys in (("alone", []), ("beside", others)):
        if decoys or store == "alone":
            _measure(report, options, store, [*talks, *decoys])
    return report


def talk(name: str, text: str) -> Decoy:
    """Return a conversation that is written with `User:` and `Assistant:`."""
    turns = transcript.parse(text)
    said: list[Turn] = [{"role": one.role, "text": one.text} for one in turns]
    return {"id": name, "topic": name, "turns": said}


def _measure(report: Report, options: Options, store: str, talks: Sequence[Decoy]) -> None:
    with Stack(options.folder / store) as stack:
        project = options.folder / f"project-{store}"
        project.mkdir()
        stack.start(API, WORKER, SCHEDULER)
        delivery.hand_over(stack, project, talks, [])
        client = Client(stack.port)
        client.await_model()
        # The session names of `hand_over`.
        names = {one["id"]: f"talk-{number}" for number, one in enumerate(talks)}
        asked = json.loads(QUESTIONS.read_text())
        for kind in ("natural", "paraphrase"):
            answers = [_results(client, one[kind]) for one in asked]
            keys = [names[one["talk"]] for one in asked]
            pairs = list(zip(keys, answers, strict=True))
            found = sum(_has(rows, key) for key, rows in pairs) / len(pairs)
            alone = sum(_has(_passages(rows), key) for key, rows in pairs) / len(pairs)
            each = sum(len(_passages(rows)) for rows in answers) / len(answers)
            report.rows.append([f"{store}, {kind}", len(pairs), found, alone, each])
            report.figures[f"{store}_{kind}"] = found
        absent = [
            _passages(_results(client, question))
            for person in everyday.people().values()
            if person["language"] == "en"
            for question in person["absent"]
        ]
        each = sum(map(len, absent)) / len(absent)
        report.rows.append([f"{store}, absent", len(absent), "-", "-", each])
        report.figures[f"{store}_absent"] = each


def _results(client: Client, question: str) -> list[Mapping[str, object]]:
    results = client.post("/api/memory/recall", {"query": question})["results"]
    assert isinstance(results, list)
    return results


def _passages(rows: Sequence[Mapping[str, object]]) -> list[Mapping[str, object]]:
    return [row for row in rows if row["source"] == "episode"]


def _has(rows: Sequence[Mapping[str, object]], key: str) -> bool:
    """Return whether a page contains a passage or fact of a session."""
    return any(row["source_id"] == key for row in rows)
