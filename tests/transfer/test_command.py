"""`signet export` and `signet import` with a real daemon, also when one of them dies."""

import bz2
import gzip
import json
import lzma
import os
import shutil
import signal
import subprocess
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from cli.program import Done, Program
from signet.db.driver import connect
from signet.paths import Workspace
from support.http import Served, a_workspace, served
from support.processes import PATIENCE_SECONDS, eventually

#: Many batches of an import.
MANY = 4_000


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return a_workspace(tmp_path / "here")


@pytest.fixture
def api(workspace: Workspace) -> Iterator[Served]:
    with served(workspace) as running:
        yield running


def program(api: Served) -> Program:
    return Program(home=api.workspace.root, workspace=api.workspace.root)


def run(api: Served, *arguments: str, stdin: str = "") -> Done:
    return program(api).run(*arguments, stdin=stdin, SIGNET_PORT=str(api.port))


def count(workspace: Workspace, sql: str, *params: str) -> int:
    with closing(connect(workspace.database, read_only=True)) as connection:
        return int(connection.execute(sql, params).fetchone()[0])


def texts(path: Path, number: int = MANY) -> Path:
    lines = [
        {"record": "text", "content": f"Parcel {n} went to shelf {n % 7}"} for n in range(number)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def is_whole(workspace: Workspace, number: int) -> None:
    """Fail unless each text is there once with its history, and the full text agrees."""
    assert count(workspace, "SELECT count(*) FROM memories") == number
    assert count(workspace, "SELECT count(DISTINCT content) FROM memories") == number
    assert count(workspace, "SELECT count(*) FROM memory_history WHERE event = 'created'") == number
    found = "SELECT count(*) FROM memories_fts WHERE memories_fts MATCH ?"
    assert count(workspace, found, "parcel") == number


def test_what_was_exported_is_imported_elsewhere(api: Served, tmp_path: Path) -> None:
    for text in ("The kiln fires at 1240 degrees", "The ferry leaves at dawn"):
        api.post("/api/memory/remember", {"content": text})
    file = tmp_path / "all.ndjson"
    done = run(api, "export", "--output", str(file))
    assert done.status == 0, done.err
    assert done.out.startswith("Exported ") and f" to {file}\n" in done.out
    assert file.stat().st_mode & 0o777 == 0o600
    first = file.read_text().splitlines()
    assert run(api, "export", "-o", "-").out.splitlines()[1:] == first[1:]
    there = a_workspace(tmp_path / "there")
    keys = Path("signet", "exports")  # the same user has the same key of seals
    shutil.copytree(api.workspace.root / keys, there.root / keys)
    with served(there) as other:
        tried = run(other, "import", str(file), "--dry-run", "--json").json()
        assert tried["dryRun"] and tried["new"] > 0
        assert count(other.workspace, "SELECT count(*) FROM memories") == 0
        done = run(other, "import", str(file), "--json")
        assert (done.status, done.json()) == (0, {**tried, "dryRun": False})
        again = run(other, "import", "-", "--json", stdin=file.read_text()).json()
        for module, ending in ((lzma, "xz"), (bz2, "bz2"), (gzip, "gz")):
            packed = file.with_name(f"packed.{ending}")
            packed.write_bytes(module.compress(file.read_bytes()))
            assert run(other, "import", str(packed), "--json").json() == again
        archive = file.with_name("packed.zip")
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
            made.write(file, "there/here.ndjson")
            made.writestr("__MACOSX/there/._here.ndjson", b"\0\5\x16\7")
        assert run(other, "import", str(archive), "--json").json() == again
        with zipfile.ZipFile(archive, "a") as made:
            made.writestr("more.ndjson", "")
        assert "exactly one file" in run(other, "import", str(archive)).err
        archive.write_bytes(archive.read_bytes()[:-40])
        assert "it was cut off" in run(other, "import", str(archive)).err
        packed.write_bytes(packed.read_bytes()[:-40])
        cut = run(other, "import", str(packed))
        assert cut.status == 1 and "it was cut off" in cut.err
        packed.write_bytes(b"\x28\xb5\x2f\xfd" + bytes(90))
        assert "zstd files cannot be read" in run(other, "import", str(packed)).err
        assert (again["new"], again["known"]) == (0, tried["new"] + tried["known"])
        assert run(other, "export", "-o", "-").out.splitlines()[1:] == first[1:]


def test_broken_lines_are_named_and_the_rest_is_imported(api: Served, tmp_path: Path) -> None:
    file = tmp_path / "mixed.ndjson"
    deep = '{"record":"text","content":' + "[" * 5_000 + "]" * 5_000 + "}"
    good = '{"record":"text","content":"The kiln is hot"}'
    file.write_text(f'{good}\n{{oops\n{{"record":"memory","id":"1"}}\n{deep}\n{good}\n')
    done = run(api, "import", str(file))
    assert done.status == 1
    first, *kinds = done.out.splitlines()
    assert first == "Imported from signet: 1 new, 1 known, 3 refused"
    assert "  text            1 new, 1 known" in kinds
    assert [line.partition(": ")[0] for line in done.err.splitlines()] == [
        "refused line 2",
        "refused line 3",
        "refused line 4",
    ]
    assert "content is missing" in done.err


def test_a_folder_of_notes_is_imported_for_an_agent(api: Served, tmp_path: Path) -> None:
    api.post("/api/agents", {"name": "scout"})
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# Kiln\nIt fires at 1240 degrees.")
    (tmp_path / "notes" / "b.txt").write_text("The glaze is mixed on Fridays.")
    for name in ("c.pdf", "d.pdf", ".hidden"):
        (tmp_path / "notes" / name).write_text("x")
    done = run(api, "import", str(tmp_path / "notes"), "--agent", "ida", "--project", "atlas")
    assert (done.status, done.out.splitlines()[0]) == (
        0,
        "Imported from markdown: 2 new, 0 known, 0 refused",
    )
    assert "Not read: 2 .pdf\n" in done.out
    sql = (
        "SELECT count(*) FROM memories WHERE agent_id = 'ida' AND project = 'atlas' AND source_section = 'Kiln'"
        " AND source_path LIKE '%/notes/a.md' AND ordinal = 0"
    )
    assert count(api.workspace, sql) == 1


def test_another_text_of_the_same_source_is_not_lost(api: Served, tmp_path: Path) -> None:
    long = ["Long story one. " * 100, "Long story two, told anew. " * 100]
    said = ["The gate opens at eight.", "The gate opens at nine.", *long]
    file = tmp_path / "versions.ndjson"
    for number, text in enumerate(said):
        record = {"record": "text", "content": text, "sourceType": "note", "sourceId": "n1"}
        file.write_text(json.dumps(record) + "\n")
        would = run(api, "import", str(file), "--dry-run", "--json").json()
        done = run(api, "import", str(file), "--json").json()
        assert (would["new"], done["new"]) == (1, 1), text[:30]
        again = run(api, "import", str(file), "--json").json()
        assert (again["new"], again["known"]) == (0, 1)
        assert count(api.workspace, "SELECT count(*) FROM memories") >= number + 1
    rows = (
        "SELECT count(*) FROM memories WHERE content LIKE 'The gate opens at%' AND source_id = 'n1'"
    )
    assert count(api.workspace, rows) == 2
    groups = "SELECT count(DISTINCT source_id) FROM memories WHERE source_type = 'chunk'"
    assert count(api.workspace, groups) == 2


def test_wrong_use_is_told_before_anything_is_sent(api: Served, tmp_path: Path) -> None:
    file = texts(tmp_path / "t.ndjson", 1)
    for arguments, status in (
        (("import", str(file), "--from", "word"), 2),
        (("import", str(file), "--agent", "ida"), 2),
        (("import", str(tmp_path / "gone")), 1),
        (("import", "-", "--from", "mem0"), 1),
        (("export", "--since", "soon", "-o", str(tmp_path / "none")), 2),
    ):
        done = run(api, *arguments)
        assert done.status == status, done
        assert done.err.startswith("error: ")
    assert not list(tmp_path.glob("none*"))
    assert count(api.workspace, "SELECT count(*) FROM memories") == 0


@contextmanager
def importing(api: Served, lines: Sequence[str]) -> Iterator["subprocess.Popen[str]"]:
    """Run an import that has been given these lines and waits for more."""
    with subprocess.Popen(
        program(api).command("import", "-"),
        env=program(api).environment(SIGNET_PORT=str(api.port)),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdin is not None
        running.stdin.writelines(lines)
        running.stdin.flush()
        yield running


def test_an_import_that_was_killed_is_finished_by_the_next(api: Served, tmp_path: Path) -> None:
    file = texts(tmp_path / "many.ndjson")
    lines = file.read_text().splitlines(keepends=True)
    started = "SELECT count(*) FROM memories"
    for fed in (MANY // 8, MANY // 2):
        with importing(api, lines[:fed]) as first:
            eventually(lambda: count(api.workspace, started) >= fed // 2)  # noqa: B023
            first.send_signal(signal.SIGKILL)
        assert first.returncode == -signal.SIGKILL
    assert count(api.workspace, started) < MANY
    done = run(api, "import", str(file), "--json").json()
    assert done["new"] + done["known"] == MANY and done["known"] >= MANY // 4
    is_whole(api.workspace, MANY)


def test_a_daemon_that_dies_leaves_whole_rows_and_the_next_run_goes_on(
    workspace: Workspace, tmp_path: Path
) -> None:
    file = texts(tmp_path / "many.ndjson")
    with served(workspace) as first:
        lines = file.read_text().splitlines(keepends=True)
        with importing(first, lines[: MANY // 2]) as running:
            eventually(lambda: count(workspace, "SELECT count(*) FROM memories") >= MANY // 8)
            os.kill(first.process.pid, signal.SIGKILL)
            _, said = running.communicate("".join(lines[MANY // 2 :]), timeout=PATIENCE_SECONDS)
        assert running.returncode == 1
        assert "error: " in said and "again" in said
    left = count(workspace, "SELECT count(*) FROM memories")
    assert left < MANY
    is_whole(workspace, left)
    with served(workspace) as second:
        done = run(second, "import", str(file), "--json").json()
        assert (done["new"], done["known"]) == (MANY - left, left)
    is_whole(workspace, MANY)


def test_progress_is_drawn_on_a_terminal(api: Served, tmp_path: Path) -> None:
    drawn = program(api).on_terminal(
        "import", str(texts(tmp_path / "many.ndjson")), SIGNET_PORT=str(api.port)
    )
    assert "Importing  " in drawn and " KB" in drawn
    assert f"{MANY} new, 0 known, 0 refused" in drawn
