"""The examples of the HTTP reference are requests of a real client, and their answers those of a real daemon."""

import json
from pathlib import Path

from docs.http import EXAMPLES, REQUESTS, answers, difference
from docs.world import a_home, a_session_today, served


def test_every_example_is_answered_as_written(tmp_path: Path) -> None:
    reader = a_home(tmp_path / "ana")
    with served(reader):
        a_session_today(reader)
        found = list(answers(reader))
    written = json.loads(EXAMPLES.read_text("utf-8"))
    assert [(one["route"], one["body"]) for one in written] == [
        (route, body) for route, _, body in REQUESTS
    ]
    for one, now in zip(written, found, strict=True):
        assert one["status"] == now["status"], one["route"]
        assert difference(one["answer"], now["answer"]) is None, one["route"]
