"""Time the requests of a page: `reads.py [--count 10000] [--turns 40] [PATH ...]`.

The product's API serves a workspace with `count` memories, spread over a year, some forgotten and some superseded, to
one client. Prints requests, p50 and p95 in milliseconds and bytes for each address.
"""

import argparse
import http.client
import tempfile
import time
from datetime import timedelta
from pathlib import Path

from loadtests import fill, measure
from loadtests.corpus import Corpus
from loadtests.stack import API, Stack

from signet import clock
from signet.db import Database, WriteTx
from signet.paths import Workspace

PATHS = (
    "/api/memories?limit=100",
    "/api/memories?limit=100&stats=0",
    "/api/memories?limit=100&stats=0&q=backup",
    "/api/memories?limit=100&stats=0&state=active",
    "/api/memories?limit=100&stats=0&state=forgotten",
    "/api/memories?limit=100&stats=0&type=decision",
    "/api/memories?limit=100&stats=0&tag=ops",
    "/api/memories?limit=100&stats=0&sort=updated",
    "/api/memories?limit=100&stats=0&sort=importance",
    "/api/memories?limit=100&stats=0&as_of={then}",
    "/api/memories?limit=100&stats=0&total=1",
    "/api/memories?limit=100&stats=0&facets=type",
    "/api/memories?limit=100&stats=0&facets=type,who,project,tag,source_type,state",
)
_SPREAD = """
UPDATE memories SET
  created_at = strftime('%Y-%m-%dT%H:%M:%fZ', ?1, '-' || (abs(random()) % 31536000) || ' seconds'),
  type = CASE seq % 5 WHEN 0 THEN 'decision' WHEN 1 THEN 'preference' ELSE 'fact' END,
  project = CASE seq % 3 WHEN 0 THEN 'larder' WHEN 1 THEN 'pier' END,
  tags = CASE seq % 4 WHEN 0 THEN '["ops", "backup"]' WHEN 1 THEN '["home"]' END,
  importance = (seq % 97) / 97.0, who = 'user' || (seq % 7)"""
_FORGET = "UPDATE memories SET is_deleted = 1, deleted_at = ?1 WHERE seq % 20 = 0"
_REPLACE = """
UPDATE memories SET superseded_by = (SELECT id FROM memories m WHERE m.seq = memories.seq + 1), valid_to = ?1
WHERE seq % 20 = 1"""


def main() -> None:
    """Fill, request, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=40)
    parser.add_argument("paths", nargs="*", default=PATHS)
    asked = parser.parse_args()
    then = clock.to_text(clock.now() - timedelta(days=90))
    with (
        tempfile.TemporaryDirectory() as folder,
        Stack(Path(folder), settings=fill.NO_MODEL) as stack,
    ):
        fill.memories(stack.workspace, Corpus(1), asked.count, jobs=True, vectors=True)
        _spread(stack.workspace)
        stack.start(API)
        for path in asked.paths:
            _measure(stack.port, path.format(then=then), asked.turns)


def _spread(workspace: Workspace) -> None:
    def rows(tx: WriteTx) -> None:
        for statement in (_SPREAD, _FORGET, _REPLACE):
            tx.run(statement, (clock.to_text(clock.now()),) if "?1" in statement else ())

    db = Database(workspace.database)
    db.write(rows)
    db.close()


def _measure(port: int, path: str, turns: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    times, size = [], 0
    for _ in range(turns):
        begun = time.perf_counter()
        connection.request("GET", path)
        answer = connection.getresponse()
        size = len(answer.read())
        times.append((time.perf_counter() - begun) * 1_000)
        assert answer.status == 200, (path, answer.status)
    p50, p95 = measure.percentile(times, 50), measure.percentile(times, 95)
    print(f"{p50:8.1f} {p95:8.1f} {min(times):8.1f} {size / 1000:8.1f} kB  {path}", flush=True)


if __name__ == "__main__":
    main()
