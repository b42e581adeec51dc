"""Folders, files and databases of a stranger: nothing outside of them is read, and nothing hangs or fails."""

import contextlib
import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from signet.db.driver import sqlite
from signet.domain.transfer.sources import choose, markdown
from signet.domain.transfer.sources.formats import Format, ImportOptions
from signet.errors import Invalid, SignetError
from signet.paths import Workspace
from support.database import MADE_AT
from support.http import Api
from transfer.rows import a_memory, imported

DIARY = "a secret diary of the user"
#: For what ends at once: a machine under load is slow, an endless loop is slower.
SECONDS, BYTES = 10, 2 << 30


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a stranger's folder next to a private one."""
    (tmp_path / "private").mkdir()
    for name in ("diary.md", "CLAUDE.md", "s.jsonl"):
        (tmp_path / "private" / name).write_text(DIARY)
    made = tmp_path / "theirs"
    made.mkdir()
    (made / "a.md").write_text("A plain note.")
    return made


def read(path: Path, format: Format | None = None, workspace: Path | None = None) -> list[str]:
    """Return all texts of a source, faults included."""
    place = Workspace(workspace or Path("/nowhere"))
    with choose.open_source(
        str(path), format, ImportOptions(sessions=True), workspace=place, now=MADE_AT
    ) as opened:
        return [str(one.fault or one.value) for one in opened.records]


def bounded(work: Callable[[], None]) -> None:
    """Do the work in a process with little time and memory, and fail when it is not enough."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
            work()
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    assert status == 0, signal.strsignal(os.WTERMSIG(status)) or status


def test_links_out_of_a_folder_are_named_and_not_followed(folder: Path) -> None:
    (folder / "link.md").symlink_to("../private/diary.md")
    (folder / "inside.md").symlink_to("a.md")
    (folder / "linked").symlink_to("../private")
    texts = read(folder)
    assert [text for text in texts if DIARY in text] == []
    assert any("outside of" in text and "import that file by its path" in text for text in texts)
    assert sum("A plain note" in text for text in texts) == 2
    assert DIARY in read(folder / "link.md")[0], "a file that the user names is read"


def test_links_out_of_a_project_of_claude_code_are_not_followed(folder: Path) -> None:
    (folder / "CLAUDE.md").symlink_to("../private/CLAUDE.md")
    (folder / ".claude").mkdir()
    (folder / ".claude" / "rules").symlink_to("../../private")
    (folder / "x.jsonl").symlink_to("../private/s.jsonl")
    texts = read(folder, Format.CLAUDE_CODE)
    assert [text for text in texts if DIARY in text] == []
    assert sum("outside of" in text for text in texts) == 2


@pytest.mark.parametrize("name", [".ssh", ".gnupg", "w/.secrets", "w/.daemon", "w", "."])
def test_private_folders_are_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    place = tmp_path / name
    place.mkdir(parents=True, exist_ok=True)
    (place / "a.md").write_text(DIARY)
    with pytest.raises(Invalid, match="is private"):
        read(place, workspace=tmp_path / "w")
    with pytest.raises(Invalid, match="is private"):
        read(place, Format.MARKDOWN, workspace=tmp_path / "w")


def test_a_hidden_folder_that_the_user_names_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "CLAUDE.md").write_text("Use uv.")
    assert "Use uv." in read(tmp_path / ".claude")[0]


BOMB = (
    "---\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
    + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 9))
    + "tags: *a8\n---\nThe body.\n"
)


@pytest.mark.parametrize(
    "text",
    [
        BOMB,
        "---\ntags: &t [*t]\n---\nThe body.\n",
        f"---\ntags: {'[' * 8_000}\n---\nThe body.\n",
        f"---\ntags: {'[' * 8_000}{']' * 8_000}\n---\nThe body.\n",
        f"---\ncreated: {'9' * 8_000}\n---\nThe body.\n",
        "---\n" + "a: b\n" * 100_000 + "---\nThe body.\n",
        "---\ntags: !!python/object/apply:os.system [id]\n---\nThe body.\n",
    ],
    ids=["bomb", "loop", "deep", "nested", "number", "long", "object"],
)
def test_front_matter_cannot_stop_an_import(folder: Path, text: str) -> None:
    (folder / "a.md").write_text(text)

    def work() -> None:
        assert any("The body." in one for one in read(folder))

    bounded(work)


@pytest.mark.parametrize(
    "text",
    [
        "<!--" * 200_000,
        "# a" + " " * 200_000 + "x",
        "# " + " #" * 200_000,
        "# a\n" * 50_000,
        "[" * 500_000,
        "- " * 200_000,
        "```\n" * 200_000,
        "\n" * 1_000_000,
        "---\n" * 200_000,
    ],
)
def test_the_worst_markdown_takes_little_time(text: str) -> None:
    def work() -> None:
        for _ in markdown.section_pieces(text):
            pass

    bounded(work)


def test_comments_and_closed_headings_are_read_as_before() -> None:
    text = "# Title ##\nSeen <!-- not\nseen --> again.\n# C#\nA language.\n# a <!-- open\nStays."
    found = [(one.line, one.section, one.content) for one in markdown.section_pieces(text)]
    assert found == [
        (1, "Title", "# Title ##\n\nSeen \n again."),
        (4, "C#", "# C#\n\nA language."),
        (6, "a <!-- open", "# a <!-- open\n\nStays."),
    ]


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE VIEW memories AS WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)"
        " SELECT 'id' || n AS id, 'c' AS content FROM r",
        "CREATE TABLE memories (id TEXT PRIMARY KEY, content TEXT, created_at TEXT, updated_at TEXT);"
        " INSERT INTO memories VALUES ('1', 'one', '2025', '2025');"
        " CREATE TRIGGER t AFTER UPDATE ON memories BEGIN"
        " INSERT INTO memories SELECT hex(randomblob(8)), 'more', '', '' FROM memories; END",
        "CREATE TABLE memories (id, content); INSERT INTO memories VALUES (randomblob(8), randomblob(9)),"
        " (1, 2), (NULL, NULL), ('x', char(0) || 'y')",
        "CREATE VIRTUAL TABLE memories USING fts5(id, content); INSERT INTO memories VALUES ('1', 'x')",
        "CREATE TABLE memories (id TEXT, content TEXT GENERATED ALWAYS AS (id || 'x'), created_at TEXT,"
        " updated_at TEXT); INSERT INTO memories (id) VALUES ('1')",
        "CREATE TABLE memories (id TEXT, content TEXT); CREATE INDEX i ON memories (abs(content))",
        "CREATE TABLE something (id)",
    ],
    ids=["view", "trigger", "blobs", "virtual", "generated", "index", "nothing"],
)
def test_a_strange_database_ends_in_records_or_in_words(folder: Path, sql: str) -> None:
    with contextlib.closing(sqlite.connect(folder / "memories.db")) as made:
        made.executescript(sql)

    def work() -> None:
        with contextlib.suppress(SignetError):
            assert len(read(folder / "memories.db")) < 100

    bounded(work)


def test_names_of_files_command_no_terminal(folder: Path) -> None:
    """The command prints the places that a source names through `output.plain`."""
    (folder / "a\x1b[2J.md").write_bytes(b"\xff\xfe")
    [fault] = [one for one in markdown.read(folder, ImportOptions()).records if one.fault]
    assert "\x1b" in fault.where
    from signet.cli import output

    assert "\x1b" not in output.plain(fault.where)


ODD: list[object] = [
    None, True, -1, 2**70, 1.5, "", "x" * 100_000, "\0", "\ud800", [], [[]], {}, {"a": 1}, "../x",
    "9999-99-99", "\x1b[2J", "null",
]  # fmt: skip


@pytest.mark.parametrize(
    "kind",
    "forgotten_value agent memory history hint community entity mention aspect attribute dependency relation pin"
    " task skill document chunk transcript summary".split(),
)
def test_records_with_values_of_any_type_are_refused_one_by_one(empty: Api, kind: str) -> None:
    """No record costs more than itself, and none is answered with a fault of the daemon."""
    columns = {
        "id", "content", "agent_id", "visibility", "scope", "created_at", "updated_at", "tags", "importance", "pinned",
        "type", "origin", "review", "version", "memory_id", "entity_id", "name", "canonical_name", "source_type",
        "source_url", "status", "metadata_json", "is_deleted", "superseded_by", "seal", "part", "value_hash", "why",
        "session_key", "read_policy", "document_id", "hint", "entity_type", "key",
    }  # fmt: skip
    records = [
        {**a_memory(f"{kind}-{number}", "Fine."), "record": kind, column: odd}
        for number, (column, odd) in enumerate((one, odd) for one in sorted(columns) for odd in ODD)
    ]
    for first in range(0, len(records), 50):
        answer = empty.post("/api/import", {"records": records[first : first + 50]})
        assert answer.status < 500, answer.body
    assert imported(empty, [a_memory("last", "The last one is taken.")])[0] == 1
    assert empty.get("/api/memories").status == 200
    assert empty.get("/api/export?everything=true").status == 200


def test_a_row_reaches_no_file_of_the_machine(empty: Api, tmp_path: Path) -> None:
    """A document of a file is queued and read by the rule of private places, not by the word of the file (CON-11)."""
    row = {
        "record": "document", "id": "d", "source_type": "file", "source_url": "/etc/passwd", "status": "queued",
        "created_at": "2025-01-01", "updated_at": "2025-01-01", "agent_id": "default",
    }  # fmt: skip
    assert imported(empty, [row])[0] == 1
    [stored] = empty.rows("documents")
    assert (stored["raw_content"], stored["connector_id"]) == (None, None)


def test_claude_code_logs_of_any_form_are_read(folder: Path) -> None:
    deep = '{"type":"user","message":{"role":"user","content":' + "[" * 50_000 + "]" * 50_000 + "}}"
    odd = '{"type":"user","message":{"role":["user"],"content":{"a":1}},"timestamp":{"b":2}}'
    good = '{"type":"user","message":{"role":"user","content":"Hello there"}}'
    (folder / "s.jsonl").write_text("\n".join([deep, odd, "null", "[]", "{", "\0", good]))
    found = list(choose.read_claude_code(folder / "s.jsonl", ImportOptions(sessions=True)).records)
    assert "Hello there" in str(found[-1].value)
