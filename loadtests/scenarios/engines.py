"""Compare what SQLite and PostgreSQL answer, result by result, over the same rows.

Conversations of LoCoMo (`--count`, 2 by default) are stored twice in a file: as sessions, and each turn as a memory.
The code of `storage move` copies the rows to a server. Then each question is asked on both, as a recall and as the
first prompt of a new session, and each project is started once. Results may change places only if their scores are
equal. `--rounds` limits the prompts of each form and conversation.
"""

import math
import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from loadtests.evidence import Conversation, conversations
from loadtests.postgres_server import serving
from loadtests.quality import READER, Client
from loadtests.report import Options, Report
from loadtests.scenarios import delivery
from loadtests.scenarios.asked import REQUEST, hand_over, project_of
from loadtests.stack import API, SCHEDULER, WORKER, Stack

from signet import clock, config
from signet.db import Database
from signet.db.postgres import moving
from signet.domain.recall.models import Filters, Query, RecallSettings, settings_of
from signet.domain.recall.recall import recall
from signet.providers.native.encoder import NativeEmbedder

CONVERSATIONS = 2
#: Scores that differ by less than this are equal: the engines add numbers in different orders.
EQUAL = 1e-9
#: Pages that are asked of each question: a usual one, one of memories only, a filtered one, one with a type.
PAGES: dict[str, dict[str, Any]] = {
    "usual": {"limit": 10},
    "memories only": {"limit": 30, "floor": 0.0},
    "all projects": {"limit": 10, "filters": Filters()},
    "facts": {"limit": 10, "filters": Filters(type="fact")},
}
COLUMNS = ("what", "asked", "results", "differ")
#: A prompt that finds the model slow is answered by words alone, so one that differs is asked again in a new session.
TRIES = 3
#: Differences that are printed in full.
SHOWN = 5

Page = list[tuple[str, float, str]]


def run(options: Options) -> Report:
    """Store, move, ask, compare."""
    report = Report(COLUMNS)
    told = conversations(options.data, "locomo", "turns")[: options.count or CONVERSATIONS]
    with serving() as server, Stack(options.folder / "file") as file:
        _store(file, options, told)
        url = server.database()
        with Stack(options.folder / "server", url=url) as served:
            with closing(moving.opened(url)) as target:
                moving.load_file(file.workspace.database, target)
            _compare_pages(report, file, served, options, told)
            _copy_files(file, served)
            for stack in (file, served):
                stack.start(API)
                Client(stack.port).await_model()
            _compare_hooks(report, file, served, options, told)
    return report


def _store(file: Stack, options: Options, told: Sequence[Conversation]) -> None:
    file.start(API, WORKER, SCHEDULER)
    client = Client(file.port)
    for talk in told:
        project = project_of(options, talk)
        hand_over(file, project, talk)
        for item in talk.items:
            client.post(
                "/api/memory/remember",
                {"content": item["text"], "project": str(project), "who": item["who"] or None},
            )
    delivery.await_rest(file)
    for module in (SCHEDULER, WORKER, API):
        file.stop(module)


def _copy_files(file: Stack, served: Stack) -> None:
    """Copy MEMORY.md and other texts, which each host has as files, and which starts quote."""
    for path in file.workspace.root.rglob("*.md"):
        copy = served.workspace.root / path.relative_to(file.workspace.root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)


def _compare_pages(
    report: Report, file: Stack, served: Stack, options: Options, told: Sequence[Conversation]
) -> None:
    """Ask in this process, so that both engines get the same time and the same vector of a question."""
    engines = [Database(stack.workspace.database) for stack in (file, served)]
    embedder, now = NativeEmbedder(), clock.now()
    loaded = config.load(file.workspace, {}).settings
    settings = settings_of(loaded, embedding_model=embedder.model)
    vectors: dict[str, bytes] = {}
    for name, more in PAGES.items():
        asked = results = differ = 0
        for talk in told:
            filters = Filters(project=str(project_of(options, talk)))
            for question in talk.questions:
                text = question["text"]
                if text not in vectors:
                    vectors[text] = embedder.embed([text])[0]
                query = Query(text=text, reader=READER, **{"filters": filters, **more})
                pages = [_page(db, query, vectors[text], settings, now) for db in engines]
                asked, results = asked + 1, results + len(pages[0])
                if not is_same(*pages):
                    differ += 1
                    _tell(report, f"{name}: {text}", *map(str, pages))
        report.rows.append([f"page, {name}", asked, results, differ])
        for figure, number in (("pages", asked), ("pages_differ", differ)):
            report.figures[figure] = report.figures.get(figure, 0.0) + number
    for db in engines:
        db.close()


def _page(
    db: Database, query: Query, vector: bytes, settings: RecallSettings, now: datetime
) -> Page:
    found = db.read(recall, query, query_vector=lambda _: vector, settings=settings, now=now)
    return [(hit.id, hit.score, hit.content) for hit in found.hits]


def is_same(one: Page, other: Page) -> bool:
    """Return whether two pages have the same results with the same scores, in the same order except ties."""
    if len(one) != len(other):
        return False
    if not all(_is_equal(a[1], b[1]) for a, b in zip(one, other, strict=True)):
        return False
    return all(
        sorted((row[0], row[2]) for row in one[first:last])
        == sorted((row[0], row[2]) for row in other[first:last])
        for first, last in _ties(one)
    )


def _is_equal(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=EQUAL, abs_tol=EQUAL)


def _ties(page: Page) -> Iterator[tuple[int, int]]:
    """Yield the first and the last place, exclusive, of each group of equal scores."""
    ends = [at for at, (a, b) in enumerate(pairwise(page), 1) if not _is_equal(a[1], b[1])]
    yield from pairwise([0, *ends, len(page)])


def _compare_hooks(
    report: Report, file: Stack, served: Stack, options: Options, told: Sequence[Conversation]
) -> None:
    for name, forms in (("starts", ()), ("prompts", ("{}", REQUEST))):
        asked = characters = differ = 0
        for talk in told:
            project = project_of(options, talk)
            for key, fields in _calls(name, talk, forms, options.rounds):
                for turn in range(TRIES):
                    call = f"{turn}-{key}", fields
                    texts = [_injected(stack, project, *call) for stack in (file, served)]
                    if texts[0] == texts[1]:
                        break
                asked, characters = asked + 1, characters + len(texts[0])
                if texts[0] != texts[1]:
                    differ += 1
                    _tell(report, f"{name}: {fields}", *texts)
        report.rows.append([name, asked, characters, differ])
        report.figures |= {name: float(asked), f"{name}_differ": float(differ)}


def _calls(
    name: str, talk: Conversation, forms: Sequence[str], most: int | None
) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the session and the fields of each call."""
    if name == "starts":
        yield f"start-{talk.id}", {"source": "startup"}
    for number, form in enumerate(forms):
        for question in talk.questions[:most]:
            yield f"{number}-{question['id']}", {"userPrompt": form.format(question["text"])}


def _injected(stack: Stack, project: Path, key: str, fields: dict[str, object]) -> str:
    hook = "user-prompt-submit" if "userPrompt" in fields else "session-start"
    return delivery.Session(stack, project, key).call(hook, **fields)


def _tell(report: Report, what: str, one: str, other: str) -> None:
    if len(report.notes) < SHOWN:
        report.notes.append(f"{what}\n  file:   {one[:1500]}\n  server: {other[:1500]}")
