"""The file that is read is the file that was checked, whatever happens to its path meanwhile (CON-11)."""

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from signet.domain.folders.private import is_below
from signet.domain.folders.reading import (
    Check,
    NotAFile,
    NotAllowed,
    opened,
    opened_folder,
    real_folder,
)

SECRET, NOTE = b"a private key", b"a note"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Return a folder with a file `in/a.md`, next to a private folder with another `a.md`."""
    for folder, text in (("private", SECRET), ("notes/in", NOTE)):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.md").write_bytes(text)
    return tmp_path / "notes"


def below(folder: Path, then: Callable[[], None] = lambda: None) -> Check:
    """Return a check that a path is below a folder, which runs `then` after the first call."""
    calls: list[str] = []

    def check(real: str) -> str | None:
        found = None if is_below(real, str(folder)) else f"{real} is outside"
        calls.append(real)
        if len(calls) == 1:
            then()
        return found

    return check


def test_a_file_and_a_link_inside_are_read(notes: Path) -> None:
    (notes / "link.md").symlink_to("in/a.md")
    for name in ("in/a.md", "link.md", "in/../in/a.md"):
        with opened(notes / name, below(notes)) as file:
            assert file.read() == NOTE


@pytest.mark.parametrize(
    "target", ["../private/a.md", "/proc/self/cwd", "..", "in/../../private/a.md"]
)
def test_a_link_out_is_refused(notes: Path, target: str) -> None:
    (notes / "out.md").symlink_to(target)
    with pytest.raises(NotAllowed, match="outside"), opened(notes / "out.md", below(notes)):
        pass


def test_a_folder_that_becomes_a_link_between_check_and_read_is_refused(notes: Path) -> None:
    def swap() -> None:
        (notes / "in").rename(notes / "old")
        (notes / "in").symlink_to(notes.parent / "private")

    with (
        pytest.raises(NotAllowed, match=r"private/a\.md is outside"),
        opened(notes / "in" / "a.md", below(notes, swap)),
    ):
        pass


def test_a_file_that_becomes_a_link_between_check_and_read_is_refused(notes: Path) -> None:
    def swap() -> None:
        (notes / "in" / "a.md").unlink()
        (notes / "in" / "a.md").symlink_to(notes.parent / "private" / "a.md")

    with pytest.raises(OSError), opened(notes / "in" / "a.md", below(notes, swap)):
        pass


def test_a_root_that_becomes_a_link_between_check_and_read_is_refused(notes: Path) -> None:
    other = notes.parent / "private" / "in"
    other.mkdir()
    (other / "a.md").write_bytes(SECRET)

    def swap() -> None:
        notes.rename(notes.with_name("old"))
        notes.symlink_to(notes.parent / "private")

    with pytest.raises(NotAllowed), opened(notes / "in" / "a.md", below(notes, swap)):
        pass


def test_no_swap_wins_in_a_race(notes: Path) -> None:
    """Another thread exchanges the folder and a link to the private one without a pause."""
    stop = threading.Event()
    (notes / "link").symlink_to(notes.parent / "private")

    def exchange() -> None:
        while not stop.is_set():
            (notes / "in").rename(notes / "away")
            (notes / "link").rename(notes / "in")
            (notes / "in").rename(notes / "link")
            (notes / "away").rename(notes / "in")

    thread = threading.Thread(target=exchange)
    thread.start()
    read = set()
    try:
        for _ in range(3_000):
            try:
                with opened(notes / "in" / "a.md", below(notes)) as file:
                    read.add(file.read())
            except (NotAllowed, OSError):
                continue
    finally:
        stop.set()
        thread.join()
    assert read == {NOTE}


def test_a_file_that_is_replaced_while_it_is_read_keeps_its_name(notes: Path) -> None:
    def replace() -> None:
        (notes / "new").write_bytes(b"newer")

    with opened(notes / "in" / "a.md", below(notes, replace)) as file:
        (notes / "in" / "a.md").unlink()
        assert file.read() == NOTE


@pytest.mark.parametrize("kind", ["pipe", "folder", "socket", "device"])
def test_only_regular_files_are_read(notes: Path, kind: str) -> None:
    path = notes / "odd.md"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        import socket

        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(path))
    else:
        path = Path("/dev/null")
    before = [*Path("/proc/self/fd").iterdir()]
    with pytest.raises((NotAFile, OSError)), opened(path, lambda real: None):
        pass
    assert [*Path("/proc/self/fd").iterdir()] == before


def test_a_folder_is_listed_only_where_it_is(notes: Path) -> None:
    with opened_folder(str(notes / "in")) as handle:
        assert [one.name for one in os.scandir(handle)] == ["a.md"]
    (notes / "link").symlink_to("in")
    with pytest.raises(OSError), opened_folder(str(notes / "link")):
        pass
    (notes / "up").symlink_to(".")
    with pytest.raises(NotAllowed, match="leads to"), opened_folder(str(notes / "up" / "in")):
        pass
    assert real_folder(str(notes / "up" / "link")) == str(notes / "in")
    shutil.rmtree(notes)
    with pytest.raises(FileNotFoundError):
        real_folder(str(notes))
