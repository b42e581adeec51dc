"""What each format is read as."""

import io
import json
import os
import tracemalloc
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from signet.domain.transfer.records import SourceRecord
from signet.domain.transfer.sources import choose, formats, markdown
from signet.domain.transfer.sources.formats import Format, ImportOptions, ImportSource
from signet.errors import Invalid, NotFound
from signet.paths import Workspace
from support.database import MADE_AT

NOTES = """\
---
tags: [House, garden]
created: 2025-03-04
---
Before any heading.

# Heating
The boiler is served in October
by Ortega.

- Thermostat at 19
- [ ] Never above 22!

```sh
# no heading
boiler status
```

## Radiators ##
Bleed them in September.

# Empty
# Critical: frost
Open the tap below zero.
<!-- not
# for the reader -->
"""

NOWHERE = Workspace(Path("/nowhere"))


def values(source: ImportSource) -> list[Mapping[str, Any]]:
    """Return what a source holds; fails for what it could not read."""
    found = list(source.records)
    assert [one.fault for one in found if one.fault] == []
    assert not found or found[-1].done == source.total
    return [one.value for one in found]


def faults(found: list[SourceRecord]) -> list[tuple[str, str | None]]:
    return [(one.where, one.fault) for one in found if one.fault]


def wrote(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_each_section_is_a_text_with_its_place(tmp_path: Path) -> None:
    path = wrote(tmp_path / "notes.md", NOTES)
    found = values(markdown.read(tmp_path, ImportOptions(agent_id="ida", project="atlas")))
    assert [one["content"] for one in found] == [
        "Before any heading.",
        "# Heating\n\nThe boiler is served in October\nby Ortega.\n\n- Thermostat at 19\n- [ ] Never above 22!\n\n"
        "```sh\n# no heading\nboiler status\n```",
        "## Radiators ##\n\nBleed them in September.",
        "# Critical: frost\n\nOpen the tap below zero.",
    ]
    assert [one.get("source_section") for one in found] == [
        None,
        "Heating",
        "Heating › Radiators",
        "Critical: frost",
    ]
    assert [one["ordinal"] for one in found] == [0, 1, 2, 3]
    assert len({one["sourceId"] for one in found}) == 1
    for one in found:
        assert one["source_path"] == path.as_posix()
        assert (one["agentId"], one["project"]) == ("ida", "atlas")
        assert (one["tags"], one["createdAt"]) == (["House", "garden"], "2025-03-04T00:00:00.000Z")


def test_a_place_names_the_line_of_the_heading_behind_the_front_matter(tmp_path: Path) -> None:
    path = wrote(tmp_path / "notes.md", NOTES)
    found = list(markdown.read(path, ImportOptions()).records)
    lines = NOTES.splitlines()
    assert [one.where for one in found][1:] == [
        f"{path}:{lines.index(heading) + 1}"
        for heading in ("# Heating", "## Radiators ##", "# Critical: frost")
    ]


def test_a_long_section_is_cut_between_sentences_and_loses_no_word() -> None:
    text = "# Log\n" + "\n\n".join(f"Day {n} was dry. " + "It was warm. " * 20 for n in range(9))
    pieces = [piece.content for piece in markdown.section_pieces(text)]
    assert len(pieces) > 3 and max(map(len, pieces)) <= markdown.PIECE_CHARS + len("# Log\n\n")
    joined = " ".join(piece.removeprefix("# Log") for piece in pieces)
    assert joined.split() == text.removeprefix("# Log").split()


def test_a_file_that_is_no_text_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    bad = wrote(tmp_path / "a.md", b"\xff\xfe\x00")
    wrote(tmp_path / "b" / "b.markdown", "---\n: : [\n---\nKept.")
    wrote(tmp_path / ".hidden" / "c.md", "Not read.")
    wrote(tmp_path / "node_modules" / "d.md", "Not read.")
    found = list(markdown.read(tmp_path, ImportOptions()).records)
    assert faults(found) == [(str(bad), "is not UTF-8")]
    assert [one.value["content"] for one in found if not one.fault] == ["Kept."]


def test_links_to_other_files_and_pipes_are_left_out(tmp_path: Path) -> None:
    wrote(tmp_path / "elsewhere" / "CLAUDE.md", "Kept elsewhere.")
    wrote(tmp_path / "elsewhere" / "id_rsa", "a secret key")
    root = tmp_path / "notes"
    root.mkdir()
    wrote(root / "kept" / "note.md", "Kept by dotfiles.")
    (root / "a.md").symlink_to(root / "kept" / "note.md")
    (root / "out.md").symlink_to(tmp_path / "elsewhere" / "CLAUDE.md")
    (root / "b.md").symlink_to(tmp_path / "elsewhere" / "id_rsa")
    (root / "c.md").symlink_to(tmp_path / "gone.md")
    (root / "d.jsonl").symlink_to(tmp_path / "elsewhere" / "id_rsa")
    os.mkfifo(root / "e.md")
    os.mkfifo(root / "f.jsonl")
    found = list(markdown.read(root, ImportOptions()).records)
    assert [one.value["content"] for one in found if not one.fault] == ["Kept by dotfiles."] * 2
    [fault] = [str(one.fault) for one in found if one.fault]
    assert fault.startswith(f"leads to {tmp_path}/elsewhere/CLAUDE.md")
    assert list(choose.read_claude_code(root, ImportOptions(sessions=True)).records) == []


def test_claude_code_files_are_told_from_other_markdown(tmp_path: Path) -> None:
    wrote(tmp_path / "CLAUDE.md", "# Rules\nUse uv.")
    wrote(tmp_path / "README.md", "Not a memory.")
    wrote(tmp_path / ".claude" / "rules" / "sql.md", "Write SQL by hand.")
    notes = tmp_path / ".claude" / "projects" / "-srv-atlas"
    wrote(notes / "memory" / "db.md", "---\ntype: feedback\n---\nStaging is wiped on Mondays.")
    turns = [
        {"type": "user", "message": {"role": "user", "content": "I moved the cron to five."},
         "timestamp": "2025-04-07T09:00:00.250Z"},
        {"type": "assistant", "message": {"role": "assistant", "content": "Noted, it runs at five."}},
    ]  # fmt: skip
    wrote(notes / "s1.jsonl", "\n".join(json.dumps(turn) for turn in turns))
    found = values(choose.read_claude_code(tmp_path, ImportOptions()))
    assert {one["content"]: one.get("project") for one in found} == {
        "# Rules\n\nUse uv.": tmp_path.as_posix(),
        "Write SQL by hand.": None,
        "Staging is wiped on Mondays.": "-srv-atlas",
    }
    [note] = [one for one in found if one["sourceType"] == "claude-project-memory"]
    assert note["tags"] == ["project:-srv-atlas", "feedback"]
    said = values(choose.read_claude_code(tmp_path, ImportOptions(sessions=True)))[3:]
    assert [one["content"] for one in said] == [
        "User: I moved the cron to five.",
        "Assistant: Noted, it runs at five.",
    ]
    assert {(one["sourceType"], one["sourceId"], one["harness"]) for one in said} == {
        ("session", "s1", "claude-code")
    }
    assert [one.get("transcript") is not None for one in said] == [True, False]
    assert [one.get("createdAt") for one in said] == ["2025-04-07T09:00:00Z", None]


def test_a_file_without_a_date_is_of_the_day_in_its_name_or_of_its_last_change(
    tmp_path: Path,
) -> None:
    changed = wrote(tmp_path / "garden.md", "Quinces are ripe in October.")
    wrote(tmp_path / "2025-04-07-ledger.md", "Postgres it is.")
    os.utime(changed, (0, 1_700_000_000))
    found = values(markdown.read(tmp_path, ImportOptions()))
    assert {one["content"]: one["createdAt"] for one in found} == {
        "Quinces are ripe in October.": "2023-11-14T22:13:20.000Z",
        "Postgres it is.": "2025-04-07T12:00:00.000Z",
    }


MEMORIES: list[dict[str, object]] = [
    {
        "id": "1", "memory": "Likes quinces", "hash": "ab", "user_id": "ida", "run_id": "r1",
        "metadata": {"category": "food", "project": "pantry"}, "updated_at": None,
        "created_at": "2024-07-20T01:30:36.275141-07:00",
    },
    {"id": "2", "memory": "Rides a red bicycle", "categories": ["sport"]},
]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"results": MEMORIES, "relations": [{"source": "ida"}]}),
        json.dumps({"count": 2, "next": None, "memories": MEMORIES}, indent=2),
        json.dumps(MEMORIES),
        "\n".join(json.dumps(one) for one in MEMORIES),
        json.dumps({"pad": "x" * 200_000, "n": [1, {"a": []}], "results": MEMORIES}),
    ],
)
def test_every_form_of_a_mem0_export_gives_its_memories(tmp_path: Path, text: str) -> None:
    path = wrote(tmp_path / "export.json", text)
    assert choose.detect(path) is Format.MEM0
    first, second = (one.value for one in choose.read_mem0(path, ImportOptions()).records)
    assert first == {
        "record": "text", "content": "Likes quinces", "sourceType": "mem0", "sourceId": first["sourceId"],
        "who": "ida", "createdAt": MEMORIES[0]["created_at"], "sessionKey": "r1", "project": "pantry",
        "tags": ["food"],
    }  # fmt: skip
    assert str(first["sourceId"]).startswith("1@")
    assert (second["content"], second["tags"]) == ("Rides a red bicycle", ["sport"])


@pytest.mark.parametrize(
    "text",
    [
        '{"results": [{"memory": "Kept"}, {"mem',
        "[1, 2",
        '{"a" 1}',
        "{",
        pytest.param("[" * 100_000 + "]" * 100_000, id="deep"),
    ],
)
def test_mem0_json_that_is_cut_off_is_named(tmp_path: Path, text: str) -> None:
    found = list(choose.read_mem0(wrote(tmp_path / "x.json", text), ImportOptions()).records)
    assert "is not JSON" in str(found[-1].fault)


def test_broken_lines_of_an_export_are_named_with_their_number() -> None:
    lines = [
        b'{"record":"memory","id":"1"}',
        b"{oops",
        b"",
        b'"text"',
        b"\xff",
        b'{"a":NaN}',
        b'{"a":1e999}',
    ]
    found = list(formats.read_export(io.BytesIO(b"\n".join(lines)), 0).records)
    assert [one.value for one in found if not one.fault] == [{"record": "memory", "id": "1"}]
    assert faults(found) == [
        ("line 2", "is not JSON"),
        ("line 4", "is not a JSON object"),
        ("line 5", "is not UTF-8"),
        ("line 6", "is not JSON"),
        ("line 7", "is not JSON"),
    ]


def test_an_export_that_was_cut_off_is_named_and_one_of_a_later_version_refused() -> None:
    cut = b'{"record":"signet","version":1}\n{"record":"memory","id":"1"}\n'
    found = list(formats.read_export(io.BytesIO(cut), len(cut)).records)
    assert faults(found) == [("line 3", "the file ends before its last line, it was cut off")]
    assert not faults(list(formats.read_export(io.BytesIO(cut + b'{"record":"end"}'), 0).records))
    with pytest.raises(Invalid, match="version 2"):
        formats.read_export(io.BytesIO(b'{"record":"signet","version":2}\n'), 0)


@pytest.mark.parametrize(
    ("name", "text", "format"),
    [
        ("x.ndjson", '{"record":"signet","version":1}', Format.SIGNET),
        ("x.ndjson", '{"record":"text","content":"Rain"}', Format.SIGNET),
        ("x.db", b"SQLite format 3\0", Format.UPSTREAM),
        ("workspace/memory/memories.db", b"SQLite format 3\0", Format.UPSTREAM),
        ("CLAUDE.md", "Rain", Format.CLAUDE_CODE),
        ("projects/-x/memory/a.md", "Rain", Format.CLAUDE_CODE),
        ("s.jsonl", '{"type":"user","message":{}}', Format.CLAUDE_CODE),
        ("a.md", "Rain", Format.MARKDOWN),
        ("x.json", "[]", Format.MEM0),
        ("x.bin", b"\x00\x01", None),
        ("x.txt", "Rain", Format.MARKDOWN),
        ("x.txt", '{"record":"text","content":"Rain"}', Format.SIGNET),
        ("x.rain", "Rain", None),
    ],
)  # fmt: skip
def test_the_format_of_a_file_is_found_out(
    tmp_path: Path, name: str, text: str | bytes, format: Format | None
) -> None:
    assert choose.detect(wrote(tmp_path / name, text)) is format


def test_the_format_of_a_folder_is_found_out(tmp_path: Path) -> None:
    wrote(tmp_path / "notes" / "a.md", "Rain")
    wrote(tmp_path / "code" / "CLAUDE.md", "Rain")
    wrote(tmp_path / "signet" / "memory" / "memories.db", b"")
    (tmp_path / "nothing").mkdir()
    found = {path.name: choose.detect(path) for path in tmp_path.iterdir()}
    assert found == {
        "notes": Format.MARKDOWN,
        "code": Format.CLAUDE_CODE,
        "signet": Format.UPSTREAM,
        "nothing": None,
    }


def test_a_source_that_is_not_there_or_none_is_refused(tmp_path: Path) -> None:
    for name, error in (("gone", NotFound), (str(tmp_path), Invalid)):
        with (
            pytest.raises(error),
            choose.open_source(name, None, ImportOptions(), workspace=NOWHERE, now=MADE_AT),
        ):
            pass
    broken = wrote(tmp_path / "x.db", b"SQLite format 3\0 and nothing else")
    with (
        pytest.raises(Invalid),
        choose.open_source(str(broken), None, ImportOptions(), workspace=NOWHERE, now=MADE_AT),
    ):
        pass


def test_of_a_session_only_what_was_said_is_held(tmp_path: Path) -> None:
    """The tools of a session answer with hundreds of megabytes that nobody said."""
    seen = [{"type": "tool_result", "content": "x" * 200_000}]
    tool = json.dumps({"type": "user", "message": {"role": "user", "content": seen}})
    said = json.dumps(
        {"type": "user", "message": {"role": "user", "content": "We ship on Monday."}}
    )
    session = tmp_path / "s1.jsonl"
    session.write_text(
        "\n".join([said, *[tool] * 100, "{broken", said.replace("Monday", "Friday")])
    )
    tracemalloc.start()
    found = values(choose.read_claude_code(session, ImportOptions()))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [one["content"] for one in found] == [
        "User: We ship on Monday.",
        "User: We ship on Friday.",
    ]
    assert found[0]["transcript"] == "User: We ship on Monday.\nUser: We ship on Friday."
    assert peak < session.stat().st_size / 8
