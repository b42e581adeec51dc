"""A plain folder on a drive of Windows is one project, however clients spell it."""

from itertools import permutations
from urllib.parse import urlencode
from uuid import uuid4

import pytest

from support.http import Api

SPELLINGS = (
    r"C:\Work\{0}",
    r"c:\work\{0}",
    "c:/Work/{0}/",
    r"\\?\C:\work\{0}",
    "/mnt/c/WORK/{0}",
    "/c:/work/{0}",
    "file:///c%3A/Work/{0}",
    r"\\wsl.localhost\Ubuntu\mnt\c\work\{0}",
    "vscode-remote://wsl%2Bubuntu/mnt/c/work/{0}",
)


@pytest.mark.parametrize("saved", SPELLINGS)
def test_a_memory_is_in_its_folder_under_every_spelling(api: Api, saved: str) -> None:
    name = uuid4().hex
    text = f"The kiln {name} is fired on Tuesdays."
    first = api.post("/api/memory/remember", {"content": text, "project": saved.format(name)})
    assert first.status == 200, first.body
    for asked in SPELLINGS:
        query = {"query": f"kiln {name}", "project": asked.format(name)}
        found = api.post("/api/memory/recall", query).body["results"]
        assert [one["content"] for one in found] == [text], asked
        other = {"query": f"kiln {name}", "project": asked.format(f"{name}-two")}
        assert not api.post("/api/memory/recall", other).body["results"], asked


def test_a_session_in_another_spelling_is_filed_there_too(api: Api) -> None:
    for first, second in permutations((r"C:\Work\{0}", r"c:\work\{0}"), 2):
        name = uuid4().hex
        for key, folder in enumerate((first, second)):
            said = f"User: Decision: the kiln {name}{key} stays cold."
            body = {"sessionKey": f"{name}{key}", "harness": "codex", "transcript": said}
            sent = {**body, "project": folder.format(name), "cwd": folder.format(name)}
            assert api.post("/api/hooks/session-end", sent).status == 200
        rows = api.get(
            f"/api/sessions?{urlencode({'state': 'all', 'project': second.format(name)})}"
        ).body
        assert len(rows["sessions"]) == 2, rows


def test_folders_of_other_file_systems_differ_by_case(api: Api) -> None:
    name = uuid4().hex
    body = {"content": f"The kiln {name} is blue.", "project": f"/home/ana/{name}"}
    assert api.post("/api/memory/remember", body).status == 200
    query = {"query": f"kiln {name}", "project": f"/home/Ana/{name}"}
    assert not api.post("/api/memory/recall", query).body["results"]
