"""Which repository a folder belongs to, in real repositories of git."""

import os
import shutil
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from signet.domain.projects import folder
from signet.domain.projects.folder import locate, spelled
from support.repositories import Copy, a_repository, needs_git

pytestmark = needs_git


@pytest.fixture
def atlas(tmp_path: Path) -> Copy:
    """A repository with a subfolder, a symbolic link and linked worktrees."""
    copy = a_repository(tmp_path / "atlas")
    (copy.root / "client" / "src").mkdir(parents=True)
    (tmp_path / "al").symlink_to(copy.root)
    copy.git("worktree", "add", "--quiet", ".claude/worktrees/fix", "-b", "fix")
    copy.git("worktree", "add", "--quiet", "../atlas-two", "-b", "two")
    (copy.root / ".claude/worktrees/fix/client").mkdir()
    return copy


@pytest.mark.parametrize(
    ("path", "sub_path"),
    [
        ("atlas", ""),
        ("atlas/", ""),
        ("al", ""),
        ("al/client", "client"),
        ("atlas/client/src", "client/src"),
        ("atlas/.claude/worktrees/fix", ""),
        ("atlas/.claude/worktrees/fix/client", "client"),
        ("atlas/.claude/worktrees/gone/client", "client"),
        ("atlas-two", ""),
        ("atlas/gone/deeper", "gone/deeper"),
    ],
)
def test_folders_of_a_repository_belong_to_it(atlas: Copy, path: str, sub_path: str) -> None:
    found = locate(f"{atlas.root.parent}/{path}")
    assert (found.project, found.sub_path) == (str(atlas.root), sub_path)
    assert found.is_repository


def test_worktrees_with_relative_links_and_of_bare_repositories_belong_to_them(
    tmp_path: Path, atlas: Copy
) -> None:
    for name in (".git", "two"):
        (atlas.root / ".git/worktrees/atlas-two/gitdir").write_text("../../../../atlas-two/.git\n")
        (tmp_path / "atlas-two/.git").write_text("gitdir: ../atlas/.git/worktrees/atlas-two\n")
        assert locate(str(tmp_path / "atlas-two")).project == str(atlas.root), name
    bare = tmp_path / "shop" / ".bare"
    atlas.git("clone", "--quiet", "--bare", str(atlas.root), str(bare))
    Copy(bare).git("worktree", "add", "--quiet", "../main", "main")
    assert locate(str(tmp_path / "shop/main")).project == str(bare)
    (tmp_path / "shop/.git").write_text("gitdir: ./.bare\n")
    assert locate(str(tmp_path / "shop/main")).project == str(tmp_path / "shop")
    assert locate(str(tmp_path / "shop")).project == str(tmp_path / "shop")


def test_clones_submodules_and_plain_folders_are_projects_of_their_own(
    tmp_path: Path, atlas: Copy
) -> None:
    clone, plain = tmp_path / "clone", tmp_path / "plain" / "deeper"
    atlas.git("clone", "--quiet", str(atlas.root), str(clone))
    plain.mkdir(parents=True)
    outer = a_repository(tmp_path / "outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(clone), "lib")
    outer.git("-C", "lib", "worktree", "add", "--quiet", str(tmp_path / "lib-fix"), "-b", "x")
    for path in (clone, plain, outer.root, outer.root / "lib"):
        assert locate(str(path)).project == str(path)
    assert locate(str(tmp_path / "lib-fix")).project == str(outer.root / "lib")
    assert not locate(str(plain)).is_repository


def _points_at_worktree(evil: Path, victim: Path) -> None:
    (evil / ".git").write_text(f"gitdir: {victim}/.git/worktrees/fix\n")


def _points_at_repository(evil: Path, victim: Path) -> None:
    (evil / ".git").write_text(f"gitdir: {victim}/.git\n")


def _names_itself_a_worktree(evil: Path, victim: Path) -> None:
    own = evil / "git"
    own.mkdir()
    (own / "commondir").write_text(f"{victim}/.git\n")
    (own / "gitdir").write_text(f"{evil}/.git\n")
    (evil / ".git").write_text(f"gitdir: {own}\n")


def _has_a_common_folder(evil: Path, victim: Path) -> None:
    shutil.copytree(victim / ".git", evil / ".git")
    (evil / ".git" / "commondir").write_text(f"{victim}/.git\n")


def _links_to_repository(evil: Path, victim: Path) -> None:
    (evil / ".git").symlink_to(victim / ".git")


def _claims_its_tree(evil: Path, victim: Path) -> None:
    shutil.copytree(victim / ".git", evil / ".git")
    (evil / ".git/config").write_text(f"[core]\n\tworktree = {victim}\n")


def _never_ends(evil: Path, victim: Path) -> None:
    os.mkfifo(evil / ".git")


@pytest.mark.parametrize(
    "prepare",
    [
        _points_at_worktree,
        _points_at_repository,
        _names_itself_a_worktree,
        _has_a_common_folder,
        _links_to_repository,
        _claims_its_tree,
        _never_ends,
    ],
)
def test_a_prepared_folder_never_becomes_another_project(
    tmp_path: Path, atlas: Copy, prepare: Callable[[Path, Path], None]
) -> None:
    evil = tmp_path / "evil"
    evil.mkdir()
    prepare(evil, atlas.root)
    assert locate(str(evil)).project == str(evil)


def test_a_repository_of_another_user_above_counts_for_nothing(
    tmp_path: Path, atlas: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = atlas.root / "mine"
    mine.mkdir()
    before, stranger = os.stat, (atlas.root / ".git").stat().st_uid + 1

    def stat(path: str | Path) -> os.stat_result:
        found = before(path)
        is_strange = str(path) == str(atlas.root / ".git")
        return os.stat_result([*found[:4], stranger, *found[5:10]]) if is_strange else found

    monkeypatch.setattr(os, "stat", stat)
    assert locate(str(mine)).project == str(mine)


def test_names_that_no_file_can_have_and_deep_folders_are_looked_up(
    tmp_path: Path, atlas: Copy
) -> None:
    for odd in ("/a\0b", "/\ud800x", f"/{'y' * 5_000}", "", "~"):
        assert locate(odd).project == odd
    deep = atlas.root / "/".join("d" * 90)
    deep.mkdir(parents=True)
    assert locate(str(deep)).project == str(atlas.root)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert locate(f"{tmp_path}/loop/x").project == f"{tmp_path}/loop/x"


def test_unicode_forms_of_a_name_are_one(tmp_path: Path) -> None:
    name = "büro-東京"
    a_repository(tmp_path / unicodedata.normalize("NFD", name))
    for form in ("NFC", "NFD"):
        found = locate(f"{tmp_path}/{unicodedata.normalize(form, name)}")
        assert found.project == unicodedata.normalize("NFC", f"{tmp_path}/{name}")
        assert found.is_repository
    below = tmp_path / unicodedata.normalize("NFD", name) / "übung"
    below.mkdir()
    for spelling in (unicodedata.normalize("NFC", str(below)), str(below)):
        found = locate(f"{spelling}/gone")
        assert found.project == unicodedata.normalize("NFC", f"{tmp_path}/{name}")


def test_a_worktree_moved_by_hand_stays_and_a_later_copy_of_it_does_not(
    tmp_path: Path, atlas: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = tmp_path / "moved"
    (tmp_path / "atlas-two").rename(moved)
    assert locate(f"{moved}/src").project == str(atlas.root)
    monkeypatch.setattr(folder, "_MOMENT_SECONDS", -1)  # the files are not of one moment
    assert locate(str(moved)).project == str(moved)


@pytest.mark.parametrize(
    ("named", "one"),
    [
        (r"C:\work\atlas", "/mnt/c/work/atlas"),
        ("c:/work/atlas/", "/mnt/c/work/atlas"),
        (r"\\?\C:\work\atlas", "/mnt/c/work/atlas"),
        ("/mnt/c/work/atlas", "/mnt/c/work/atlas"),
        ("/c:/work/atlas", "/mnt/c/work/atlas"),
        ("file:///c%3A/work/atlas", "/mnt/c/work/atlas"),
        ("FILE:///C:/work/atlas/", "/mnt/c/work/atlas"),
        ("vscode-remote://wsl%2Bubuntu/mnt/c/work/atlas", "/mnt/c/work/atlas"),
        ("file:///home/ana/my%20atlas", "/home/ana/my atlas"),
        (r"\\wsl$\Ubuntu\home\ana\atlas", "/home/ana/atlas"),
        (r"\\wsl.localhost\Debian\home\ana\atlas", "/home/ana/atlas"),
        ("//wsl.localhost/Debian/home/ana/atlas", "/home/ana/atlas"),
        ("/home/ana//atlas/./", "/home/ana/atlas"),
        ("atlas", "atlas"),
        (" atlas/ ", "atlas"),
        ("org/atlas", "org/atlas"),
    ],
)
def test_spellings_of_windows_and_wsl_are_one_path(named: str, one: str) -> None:
    assert spelled(named) == one
    assert spelled(one) == one


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("git@github.com:org/atlas.git", "github.com/org/atlas"),
        ("https://GitHub.com/org/atlas", "github.com/org/atlas"),
        ("https://ana:secret@github.com/org/atlas.git/", "github.com/org/atlas"),
        ("ssh://git@github.com:22/org/atlas.git", "github.com/org/atlas"),
        ("/srv/git/atlas.git", None),
        ("file:///srv/git/atlas.git", None),
        ("../atlas", None),
        (r"C:\git\atlas", None),
        ("", None),
    ],
)
def test_addresses_of_a_remote_are_one(address: str, name: str | None) -> None:
    assert folder.remote_name(address) == name
