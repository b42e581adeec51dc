"""`signet connector …` through a daemon that runs."""

from pathlib import Path

import pytest

from cli.program import Program

pytestmark = pytest.mark.own_files


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("Apples ripen in autumn.")
    (folder / "b.txt").write_text("Bees sleep in winter.")
    (folder / "c.rst").write_text("Cherries come first.")
    return folder


def test_a_folder_from_its_registration_to_its_removal(served: Program, notes: Path) -> None:
    done = served.run("connector", "add", str(notes), "--name", "garden", "--sync")
    assert (done.status, done.out) == (0, "garden: 2 files, 2 new\n"), done.err
    [listed] = served.run("connector", "list", "--json").json()["connectors"]
    assert (listed["display_name"], listed["status"]) == ("garden", "idle")
    line = served.run("connector", "list").out
    assert line.startswith(f"{listed['id'][:8]}  garden  {notes}  idle  2")
    (notes / "b.txt").unlink()
    (notes / "a.md").write_text("Apples ripen in late autumn.")
    (notes / "d.md").write_bytes(b"x" * 1_100_000)
    again = served.run("connector", "sync", "garden").out
    assert again.splitlines()[0] == "garden: 1 file, 1 changed, 1 gone, 1 skipped"
    assert "skipped     " in again and "larger than" in again
    health = served.run("connector", "health", listed["id"][:8]).out
    assert health.splitlines()[1].startswith("  last sync   2") and "documents" in health
    known = served.run("connector", "health", "garden", "--json").json()
    assert known["documentCount"] == 1
    removed = served.run("connector", "remove", "garden", "--documents")
    assert removed.out == "Removed garden and its documents\n"
    assert served.run("connector", "list").out == "No connectors\n"
    assert served.run("connector", "sync").out == "No connectors\n"


def test_a_folder_that_is_gone_fails_with_what_to_read(served: Program, notes: Path) -> None:
    made = served.run("connector", "add", str(notes), "--pattern", "**/*.rst", "--json").json()
    try:
        for file in notes.iterdir():
            file.unlink()
        notes.rmdir()
        failed = served.run("connector", "sync", made["id"])
        assert failed.status == 1 and "cannot be read" in failed.err
        assert "cannot be read" in served.run("connector", "health", made["id"]).out
        started = served.run("connector", "sync", made["id"], "--no-wait", "--json")
        assert started.json()["connectors"][0]["status"] == "syncing"
    finally:
        assert served.run("connector", "remove", made["id"]).status == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("sync", "nobody"), "There is no connector nobody"),
        (("health", "nobody"), "There is no connector nobody"),
        (("remove", "nobody"), "There is no connector nobody"),
        (("add", "/nowhere/at/all"), "cannot be read"),
    ],
    ids=["sync", "health", "remove", "add"],
)
def test_what_cannot_be_done_fails_with_one(
    served: Program, arguments: tuple[str, ...], words: str
) -> None:
    failed = served.run("connector", *arguments)
    assert (failed.status, failed.out) == (1, "")
    assert words in failed.err
