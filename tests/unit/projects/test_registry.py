"""What is known of repositories: worktrees that are gone, repositories that moved or lie on another machine."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from signet.db import Database
from signet.domain.projects import folder, registry
from signet.domain.projects.registry import Elsewhere
from support.database import fresh_database
from support.repositories import Copy, a_repository, needs_git

pytestmark = needs_git
ADDRESS = "git@example.org:org/atlas.git"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    db = Database(fresh_database(tmp_path / "memories.db"))
    yield db
    db.close()


@pytest.fixture
def atlas(tmp_path: Path) -> Copy:
    copy = a_repository(tmp_path / "atlas")
    copy.git("remote", "add", "origin", ADDRESS)
    return copy


def project(db: Database, path: Path | str) -> str:
    return registry.find(db, str(path)).project


def clone(of: Copy, path: Path, address: str = ADDRESS) -> Copy:
    of.git("clone", "--quiet", str(of.root), str(path))
    copy = Copy(path)
    copy.git("remote", "set-url", "origin", address)
    return copy


def seen_from(machine: str, path: Path, at: str) -> Elsewhere:
    """Return what a client on another machine says of a repository that lies at another path there."""
    place = folder.locate(str(path))
    return Elsewhere(machine, place._replace(project=at, root=at, tree=at), folder.evidence(place))


def test_worktrees_that_are_gone_belong_to_their_repository(
    db: Database, tmp_path: Path, atlas: Copy
) -> None:
    atlas.git("worktree", "add", "--quiet", "../fix", "-b", "fix")
    assert project(db, atlas.root) == str(atlas.root)
    atlas.git("worktree", "remove", "../fix")
    assert project(db, tmp_path / "fix") == str(atlas.root)
    assert project(db, tmp_path / "fix/src") == str(atlas.root)
    assert project(db, tmp_path / "other") == str(tmp_path / "other")
    codex = tmp_path / ".codex/worktrees/3f2a"
    assert project(db, codex / "atlas/src") == str(atlas.root)
    assert project(db, codex / "borealis") == str(codex / "borealis")


@pytest.mark.parametrize("is_moved", [False, True], ids=["made apart", "moved apart"])
@pytest.mark.parametrize("first", ["atlas", "fix"])
def test_worktrees_of_a_repository_whose_git_folder_is_elsewhere_belong_to_it(
    db: Database, tmp_path: Path, atlas: Copy, is_moved: bool, first: str
) -> None:
    (tmp_path / "gits").mkdir()
    if not is_moved:
        shutil.rmtree(atlas.root / ".git")
    atlas.git("init", "--quiet", "--separate-git-dir", str(tmp_path / "gits/atlas.git"))
    (atlas.root / "src").mkdir()
    atlas.commit("src/main.py", "print(1)")
    atlas.commit("setup.cfg", "[x]")
    atlas.git("worktree", "add", "--quiet", "../fix", "-b", "fix")
    (tmp_path / "evil").mkdir()
    shutil.copy2(atlas.root / ".git", tmp_path / "evil/.git")
    shutil.copy2(atlas.root / "setup.cfg", tmp_path / "evil/setup.cfg")
    own = project(db, tmp_path / first)
    assert {project(db, tmp_path / one) for one in ("fix", "atlas", "atlas/src")} == {own}
    assert project(db, tmp_path / "evil") == str(tmp_path / "evil")
    assert folder.evidence(folder.locate(str(atlas.root))).commits
    atlas.git("worktree", "remove", "../fix")
    (atlas.root / "setup.cfg").write_text("[changed]")
    (atlas.root / "README").write_text("changed")
    assert {project(db, tmp_path / one) for one in ("fix", "atlas")} == {own}


def test_the_folder_of_claude_code_for_a_project_is_the_project(db: Database, atlas: Copy) -> None:
    folder_of_notes = re.sub("[^A-Za-z0-9]", "-", str(atlas.root))
    assert project(db, folder_of_notes) == folder_of_notes
    project(db, atlas.root)
    assert project(db, folder_of_notes) == str(atlas.root)


def test_a_repository_that_moved_stays_its_project(
    db: Database, tmp_path: Path, atlas: Copy
) -> None:
    before = project(db, atlas.root)
    atlas.root.rename(tmp_path / "moved")
    assert project(db, tmp_path / "moved") == before
    assert project(db, tmp_path / "moved/src") == before


def test_two_clones_on_one_machine_are_two_projects(
    db: Database, tmp_path: Path, atlas: Copy
) -> None:
    assert project(db, atlas.root) == str(atlas.root)
    second = clone(atlas, tmp_path / "second")
    assert project(db, second.root) == str(second.root)


def test_the_same_repository_on_another_machine_is_one_project(
    db: Database, tmp_path: Path, atlas: Copy
) -> None:
    assert project(db, atlas.root) == str(atlas.root)
    there = clone(atlas, tmp_path / "there")
    there.commit("new", "made on the other machine")
    told = seen_from("laptop", there.root, "/Users/ana/atlas")
    assert registry.find(db, "", elsewhere=told).project == str(atlas.root)
    # A second clone on that machine is separate there, too.
    again = seen_from("laptop", there.root, "/Users/ana/atlas2")
    assert registry.find(db, "", elsewhere=again).project == "/Users/ana/atlas2"
    # Without evidence a folder of the machine is known by its name.
    assert project(db, "/Users/ana/atlas/src") == str(atlas.root)


def test_case_does_not_tell_folders_of_a_windows_drive_apart(db: Database, atlas: Copy) -> None:
    for at in ("/mnt/c/Users/Ana/Atlas", "/mnt/c/users/ana/atlas"):
        told = seen_from("laptop", atlas.root, at)
        assert registry.find(db, "", elsewhere=told).project == "/mnt/c/Users/Ana/Atlas"
    assert project(db, r"c:\users\ana\atlas\src") == "/mnt/c/Users/Ana/Atlas"
    others = [seen_from("desktop", atlas.root, at) for at in ("/home/Ana/a", "/home/ana/a")]
    named = [registry.find(db, "", elsewhere=one).project for one in others]
    assert named == ["/mnt/c/Users/Ana/Atlas", "/home/ana/a"]


@pytest.mark.parametrize("what", ["same address, no commit", "same commits, other address"])
def test_a_claim_alone_makes_no_repository_the_same(
    db: Database, tmp_path: Path, atlas: Copy, what: str
) -> None:
    project(db, atlas.root)
    if what == "same address, no commit":
        evil = a_repository(tmp_path / "evil")
        evil.git("remote", "add", "origin", ADDRESS)
    else:
        evil = clone(atlas, tmp_path / "evil", "git@example.org:fork/atlas.git")
    told = seen_from("laptop", evil.root, "/tmp/evil")
    assert registry.find(db, "", elsewhere=told).project == "/tmp/evil"


def test_another_repository_at_the_same_path_elsewhere_has_a_name_of_its_own(
    db: Database, tmp_path: Path, atlas: Copy
) -> None:
    project(db, atlas.root)
    other = a_repository(tmp_path / "other")
    told = seen_from("laptop", other.root, str(atlas.root))
    assert registry.find(db, "", elsewhere=told).project == f"{atlas.root} (laptop)"


def test_who_may_not_register_changes_nothing(db: Database, atlas: Copy) -> None:
    registry.find(db, str(atlas.root), may_register=False)
    assert db.read(lambda tx: tx.value("SELECT count(*) FROM project_folders")) == 0
