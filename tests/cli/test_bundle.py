"""`signet import` of the export bundle that the earlier program writes, with a real daemon."""

import json
import os
from contextlib import closing
from pathlib import Path

from cli.program import Program
from signet.db.driver import connect

AT = "2025-03-01T10:00:00.000Z"


def rows(*values: dict[str, object]) -> str:
    return "\n".join(json.dumps(value) for value in values)  # as it writes them: no last line feed


def written(folder: Path) -> Path:
    """Write a bundle in the form of version 0.58.1, odd values included."""
    memory = {
        "type": "fact", "category": None, "confidence": 1, "source_type": "manual", "tags": None,
        "importance": 0.8, "pinned": 0, "who": None, "project": None, "created_at": AT, "updated_at": AT,
    }  # fmt: skip
    entity = {
        "canonical_name": None,
        "description": None,
        "mentions": 2,
        "created_at": AT,
        "updated_at": AT,
    }
    relation = {
        "id": "b-r1", "source_entity_id": "b-e1", "target_entity_id": "b-e2", "relation_type": "has",
        "strength": 1, "mentions": 1, "confidence": 0.7, "metadata": None, "created_at": AT,
    }  # fmt: skip
    files = {
        "manifest.json": json.dumps({"version": "1.0", "exportedAt": AT, "stats": {"memories": 3}}),
        "agent.yaml": "search: {alpha: 0.01}\n",
        "identity/SOUL.md": "# A calm lighthouse keeper\n",
        "memories.jsonl": rows(
            {**memory, "id": "b-1", "content": "The breakwater closes at nine.", "tags": "pier,time", "who": "ada"},
            {**memory, "id": "b-2", "content": "Lamps are lit at dusk.", "pinned": 1, "importance": 1.4},
            {**memory, "id": "b-3", "content": " "},
        ),
        "entities.jsonl": rows(
            {**entity, "id": "b-e1", "name": "Old  Breakwater", "entity_type": "place"},
            {**entity, "id": "b-e2", "name": "Dusk Lamp", "entity_type": "thing", "canonical_name": "dusk lamp"},
        ),
        "relations.jsonl": rows(relation),
        "skills/tides/SKILL.md": "---\nname: tides\ndescription: Reads tide tables\n---\nNever sail at ebb.\n",
        "skills/tides/tables/may.txt": "high 04:10\n",
        "skills/notes.txt": "no skill\n",
    }  # fmt: skip
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "skills" / "away").symlink_to("/etc")
    return folder


def test_a_bundle_is_imported_whole_and_once(served: Program, tmp_path: Path) -> None:
    bundle = str(written(tmp_path / "signet-export-2026-01-01"))
    would = served.run("import", bundle, "--dry-run", "--json").json()
    assert not (served.workspace / "skills" / "tides").exists()
    done = served.run("import", bundle, "--files", "--json")
    found = done.json()
    assert done.status == 1  # one memory is empty, and named
    assert [one["where"] for one in found["reasons"]] == ["memories.jsonl line 3"]
    assert would["kinds"] == found["kinds"]
    assert (found["format"], found["kinds"]) == (
        "bundle",
        {
            kind: {"new": new, "known": 0, "forgotten": 0, "refused": refused}
            for kind, new, refused in (
                ("memory", 2, 1),
                ("entity", 2, 0),
                ("relation", 1, 0),
                ("identity", 1, 0),
                ("skill", 1, 0),
            )
        },
    )
    [hit, *_] = served.run("recall", "breakwater", "--json").json()
    assert (hit["id"], hit["tags"], hit["who"], hit["created_at"]) == (
        "b-1",
        "pier,time",
        "ada",
        AT,
    )
    with closing(connect(served.workspace / "memory" / "memories.db", read_only=True)) as db:
        lamp = db.execute("SELECT pinned, importance FROM memories WHERE id = 'b-2'").fetchone()
        assert tuple(lamp) == (1, 1.0)
        names = db.execute("SELECT canonical_name FROM entities WHERE id GLOB 'b-e*' ORDER BY id")
        assert [row[0] for row in names] == ["old breakwater", "dusk lamp"]
        assert db.execute("SELECT count(*) FROM relations WHERE id = 'b-r1'").fetchone()[0] == 1
    assert "Never sail" not in served.run("memory", "list", "-l", "200").out
    skills = served.workspace / "skills"
    assert (skills / "tides" / "tables" / "may.txt").read_text() == "high 04:10\n"
    assert not (skills / "away").exists() and not (skills / "notes.txt").exists()
    assert "Reads tide tables" in served.run("skill", "list").out
    assert "alpha: 0.01" not in (served.workspace / "agent.yaml").read_text()
    again = served.run("import", bundle, "--json").json()
    assert (again["new"], again["known"], again["refused"]) == (0, 7, 1)


def test_files_of_a_person_stay_unless_they_are_given_up(served: Program, tmp_path: Path) -> None:
    bundle = str(written(tmp_path / "bundle"))
    soul = served.workspace / "SOUL.md"
    soul.write_text("# Mine\n")
    for flags in ([], ["--conflict", "merge"], ["--conflict", "overwrite", "--dry-run"]):
        served.run("import", bundle, *flags)
        assert soul.read_text() == "# Mine\n"
    served.run("import", bundle, "--conflict", "overwrite", "--no-files")
    assert soul.read_text() == "# Mine\n"
    served.run("import", bundle, "--conflict", "overwrite", "--files")
    assert soul.read_text() == "# A calm lighthouse keeper\n"
    assert served.run("import", str(tmp_path), "--from", "bundle").status == 1


def test_files_that_decide_what_agents_do_are_asked_about(served: Program, tmp_path: Path) -> None:
    bundle, skill = str(written(tmp_path / "bundle")), served.workspace / "skills" / "tides"
    for path in (served.workspace / "SOUL.md", skill / "SKILL.md", skill / "tables" / "may.txt"):
        path.unlink(missing_ok=True)
    for folder in (skill / "tables", skill):
        if folder.exists():
            folder.rmdir()
    refused = served.run("import", bundle)
    assert "refused SOUL.md: not copied; to copy it, pass --files" in refused.err
    assert not skill.exists()
    seen = served.on_terminal("import", bundle, answers=[("[y/N]", "n\n")])
    assert "identity  SOUL.md" in seen and "skill     skills/tides" in seen
    assert not skill.exists()
    served.on_terminal("import", bundle, answers=[("[y/N]", "y\n")])
    assert (skill / "SKILL.md").exists()


def test_nothing_of_a_hostile_bundle_lands_elsewhere(served: Program, tmp_path: Path) -> None:
    outside, bundle = tmp_path / "private", tmp_path / "bundle"
    outside.mkdir()
    (outside / "DIARY.md").write_text("a secret diary")
    (outside / "memories.jsonl").write_text('{"id": "h-1", "content": "a secret diary"}')
    (bundle / "skills" / "pipe").mkdir(parents=True)
    (bundle / "manifest.json").write_text("{}")
    (bundle / "memories.jsonl").symlink_to(outside / "memories.jsonl")
    (bundle / "identity").symlink_to(outside)
    (bundle / "skills" / "pipe" / "SKILL.md").write_text("---\nname: pipe\n---\n")
    os.mkfifo(bundle / "skills" / "pipe" / "pipe")
    for name, target in (("out", "/etc"), ("up", "../../..")):
        (bundle / "skills" / name).mkdir()
        (bundle / "skills" / name / "SKILL.md").write_text("---\nname: x\n---\n")
        (bundle / "skills" / name / "link").symlink_to(target)
    (bundle / "skills" / "git" / ".git" / "hooks").mkdir(parents=True)
    (bundle / "skills" / "git" / ".git" / "hooks" / "post-commit").write_text("id")
    (bundle / "skills" / "git" / "SKILL.md").write_text("---\nname: git\n---\n")
    done = served.run("import", str(bundle), "--files", "--json")
    reasons = {one["where"]: one["reason"] for one in done.json()["reasons"]}
    assert "outside of" in reasons["memories.jsonl"]
    assert "not a regular file" in reasons["skills/pipe"]
    assert "link to outside" in reasons["skills/out"] and "link to outside" in reasons["skills/up"]
    skills = served.workspace / "skills"
    assert sorted(path.name for path in (skills / "git").iterdir()) == ["SKILL.md"]
    assert not (served.workspace / "DIARY.md").exists()
    assert not [path for path in skills.iterdir() if path.name in ("pipe", "out", "up")]
    assert "a secret diary" not in served.run("memory", "list", "-l", "200").out
