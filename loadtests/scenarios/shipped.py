"""Measure the first page of recall with default settings, over HTTP.

Extraction by the built-in rules is on and long texts are saved in pieces. A fact counts as its source, and a place
that repeats a better one (the same item, or nearly the same words) is wasted. Each store is asked for an ordinary
page and one without the floor. Filled workspaces are cached (`quality.CACHE`); `--count` measures only the first
conversations of each set.
"""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing

from loadtests.evidence import Conversation, conversations
from loadtests.quality import CACHE, Client, filled
from loadtests.report import Options, Report
from loadtests.stack import API, Stack

STORES = (("locomo", "turns"), ("locomo", "sessions"), ("beam-100k", "turns"))
DEPTHS = (5, 10)
MULTI_HOP = "multi-hop"

#: Share of common words from which two texts are the same.
SAME = 0.8


class Tally:
    """Sums over the questions of one store."""

    def __init__(self) -> None:
        self.recall: dict[tuple[int, str], list[float]] = defaultdict(list)
        self.places = Counter[str]()

    def add(self, page: Sequence[tuple[set[str], str]], gold: set[str], category: str) -> None:
        """Count one page: items and text of each place."""
        for depth in DEPTHS:
            found = set[str]().union(*(items for items, _ in page[:depth])) & gold
            for name in ("", category):
                self.recall[depth, name].append(len(found) / len(gold))
        for place, (items, text) in enumerate(page):
            before = page[:place]
            is_repeat = items <= set[str]().union(*(more for more, _ in before)) or any(
                _same(text, other) for _, other in before
            )
            self.places["repeated" if is_repeat else "new"] += 1

    def at(self, depth: int, category: str = "") -> float:
        """Return the mean share of the evidence in the first places, in percent."""
        shares = self.recall[depth, category]
        return 100 * sum(shares) / len(shares) if shares else float("nan")

    def repeats(self) -> float:
        """Return the share of places that repeat a better one, in percent."""
        return 100 * self.places["repeated"] / (self.places.total() or 1)


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(("store", "page", "type", "questions", "R@5", "R@10", "repeats %"))
    for set_, store in STORES:
        told = conversations(options.data, set_, store)[: options.count]
        name = f"shipped-{set_}-{store}" + (f"-{options.count}" if options.count else "")
        CACHE.mkdir(parents=True, exist_ok=True)
        with Stack(CACHE / name) as stack:
            _unused(stack)
            stack.start(API)
            items = filled(stack, told)
            client = Client(stack.port)
            client.await_model()
            for page, asked in (("", {}), ("uncut", {"floor": 0})):
                tally = _asked(client, told, store, items, asked)
                _tell(report, set_, store, page, tally)
    return report


def _unused(stack: Stack) -> None:
    """Reset the uses counted by an earlier run, because frequent use ranks higher."""
    with closing(sqlite3.connect(stack.workspace.database)) as db, db:
        db.execute("UPDATE memories SET access_count = 0, last_accessed = NULL")


def _asked(
    client: Client,
    told: Sequence[Conversation],
    store: str,
    items: Mapping[str, Mapping[str, list[str]]],
    asked: Mapping[str, object],
) -> Tally:
    tally = Tally()
    for conversation in told:
        of = items[conversation.id]
        for question in conversation.questions:
            page = client.results(conversation.id, question["text"], **asked)
            tally.add(
                [(_of(row, of), row["content"]) for row in page],
                set(question["gold"][store]),
                question["category"],
            )
    return tally


def _of(row: Mapping[str, str], of: Mapping[str, list[str]]) -> set[str]:
    """Return the items of a result; a fact belongs to its source memory."""
    is_fact = row["source_type"] == "pipeline-v2"
    return set(of.get(row["id"]) or of.get(row["source_id"] if is_fact else "") or [row["id"]])


def _same(one: str, other: str) -> bool:
    ours, theirs = set(one.lower().split()), set(other.lower().split())
    return len(ours & theirs) >= SAME * len(ours | theirs)


def _tell(report: Report, set_: str, store: str, page: str, tally: Tally) -> None:
    name = "_".join(filter(None, (set_.split("-")[0], store, page)))
    for category in sorted({category for _, category in tally.recall}):
        shares = [tally.at(depth, category) for depth in DEPTHS]
        count = len(tally.recall[DEPTHS[0], category])
        repeats = "" if category else tally.repeats()
        row = (f"{set_} {store}", page or "ordinary", category or "all", count, *shares, repeats)
        report.rows.append(row)
    report.figures |= {f"{name}_r{depth}": tally.at(depth) for depth in DEPTHS}
    if (10, MULTI_HOP) in tally.recall:
        report.figures[f"{name}_multi_hop_r10"] = tally.at(10, MULTI_HOP)
    report.figures[f"{name}_repeats"] = tally.repeats()
