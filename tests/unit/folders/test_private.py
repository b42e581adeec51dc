"""Which folders and files are private, however their paths are spelled (CON-11)."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from signet.domain.folders.private import Mount, Places, aliases, find_places
from signet.domain.folders.reading import real_folder
from signet.paths import Workspace

Make = Callable[[str], Path]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home folder with a workspace in its usual place."""
    made = tmp_path / "home"
    made.mkdir()
    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(made))
    workspace = Workspace(made / ".agents")
    workspace.make()
    workspace.secrets_dir.mkdir()
    workspace.database.touch()
    return made


@pytest.fixture
def workspace(home: Path) -> Workspace:
    return Workspace(home / ".agents")


@pytest.fixture
def make(home: Path) -> Make:
    """Return a function that makes a folder in the home with a file in it."""

    def made(path: str) -> Path:
        folder = home / path
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "a.md").write_text("a")
        return folder

    return made


def refused(path: Path | str, workspace: Workspace) -> str:
    """Return why a folder is private, as a connector would be refused; empty if it is not."""
    return find_places(workspace).folder_reason(real_folder(str(path))) or ""


@pytest.mark.parametrize(
    "path",
    [
        ".",
        "..",
        "/",
        "/etc",
        "/proc",
        "/proc/self",
        "/sys",
        "/dev",
        ".agents",
        ".agents/",
        ".agents/.",
        ".agents/.secrets",
        ".agents/.daemon",
        ".agents/.daemon/logs",
        ".agents/memory",
        ".agents/marketplace",
        ".agents/.git/hooks",
        ".agents/../.agents/.secrets",
        ".ssh",
        ".ssh/keys",
        ".gnupg",
        ".aws",
        ".config",
        ".config/x",
        ".config/google-chrome/Default",
        ".local/share/keyrings",
        ".mozilla/firefox/abc.default",
        ".password-store/work",
        ".var/app/org.chromium.Chromium/data",
        "snap/chromium/common/chromium",
        "work/.env.d/notes",
        "mnt/c/Users/u/AppData/Local",
        "copies/.ssh/old",
    ],
)
def test_private_places_are_refused(make: Make, workspace: Workspace, path: str) -> None:
    folder = path if path.startswith("/") else make(path)
    assert refused(folder, workspace)


@pytest.mark.parametrize("path", ["notes", "Documents/notes", ".agents/notes", ".agents/skills/x"])
def test_folders_of_notes_are_not(make: Make, workspace: Workspace, path: str) -> None:
    folder = make(path)
    assert refused(folder, workspace) == ""
    assert find_places(workspace).file_reason(str(folder / "a.md")) is None


def test_the_reason_names_the_private_place(make: Make, home: Path, workspace: Workspace) -> None:
    assert refused(home, workspace) == "it is your home folder"
    assert refused(home.parent, workspace) == f"it contains {home}"
    assert refused(workspace.root, workspace) == "it is the Signet workspace"
    assert refused(make(".config/x"), workspace) == ".config is hidden"


def test_links_count_as_the_folder_they_lead_to(make: Make, workspace: Workspace) -> None:
    notes = make("notes")
    for name, target in (
        ("key", make(".ssh")),
        ("vault", workspace.secrets_dir),
        ("relative", Path(os.path.relpath(make(".aws"), notes))),
        ("root", Path(f"/proc/{os.getpid()}/root/etc")),
    ):
        link = notes / name
        link.symlink_to(target)
        assert refused(link, workspace), name
        assert refused(f"{link}/", workspace), name
    inside = make(".ssh/deep")
    (notes / "chain").symlink_to(notes / "key")
    assert refused(notes / "chain" / inside.name, workspace)


def test_the_current_folder_is_judged_where_it_is(
    make: Make, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(make(".ssh"))
    assert refused("/proc/self/cwd", workspace)
    monkeypatch.chdir(make("notes"))
    assert refused("/proc/self/cwd", workspace) == ""


@pytest.mark.parametrize(
    ("mark", "kind"),
    [
        (".daemon", "a Signet workspace"),
        (".gpg-id", "a password store"),
        ("key4.db", "a browser profile"),
        ("Local State", "a browser profile"),
    ],
)
def test_a_private_folder_is_recognised_where_it_was_copied_to(
    make: Make, workspace: Workspace, mark: str, kind: str
) -> None:
    folder = make("copies/other")
    inner = make("copies/other/deep/er")
    (folder / mark).touch()
    assert refused(folder, workspace) == refused(inner, workspace) == f"{folder} is {kind}"
    assert find_places(workspace).file_reason(str(inner / "a.md"))


@pytest.mark.parametrize("variable", ["GNUPGHOME", "PASSWORD_STORE_DIR", "XDG_DATA_HOME"])
def test_folders_that_variables_name_are_private(
    make: Make, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    inner = make("data/keys")
    monkeypatch.setenv(variable, str(inner.parent))
    assert variable in refused(inner, workspace)


def test_a_database_that_lies_elsewhere_is_private_there(make: Make, workspace: Workspace) -> None:
    elsewhere = make("disk/memory")
    workspace.database.rename(elsewhere / "memories.db")
    workspace.memory_dir.rmdir()
    workspace.memory_dir.symlink_to(elsewhere)
    places = find_places(workspace)
    assert places.file_reason(str(elsewhere / "memories.db")) == "it is the Signet database"
    assert refused(elsewhere, workspace) and refused(elsewhere.parent, workspace)


def test_settings_files_are_private_in_every_folder(make: Make, workspace: Workspace) -> None:
    places = find_places(workspace)
    for name in ("agent.yaml", "AGENT.yaml", "config.yaml"):
        assert places.file_reason(str(make("notes") / name))


def test_another_spelling_of_the_same_folder_is_the_same(
    make: Make, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a disk that ignores case, `Data` and `DATA` have one inode; a hard link shows the same here."""
    data = make("Data")
    monkeypatch.setenv("XDG_DATA_HOME", str(data))
    places = find_places(workspace)
    stat = os.stat

    def insensitive(path: str | int, **options: bool) -> os.stat_result:
        return stat(str(path).replace("/DATA", "/Data"), **options)

    monkeypatch.setattr(os, "stat", insensitive)
    assert "XDG_DATA_HOME" in (places.folder_reason(f"{data.parent}/DATA") or "")


def test_named_folders_may_be_hidden_but_hold_no_keys(make: Make, workspace: Workspace) -> None:
    places = find_places(workspace)

    def named(path: Path) -> str | None:
        return places.named_reason(real_folder(str(path)))

    assert named(make(".claude/projects/x/memory")) is None
    assert named(make("old-agents/memory")) is None
    for path in (".ssh", ".agents/.secrets", ".gnupg/deep", ".agents/.daemon", ".", ".."):
        assert named(make(path)), path


def test_the_other_paths_of_a_bind_mount_are_found_in_the_table(tmp_path: Path) -> None:
    (tmp_path / "ssh").mkdir()
    here = str(tmp_path / "ssh")
    table = [Mount("8:1", "/", "/"), Mount("8:1", here, "/mnt/x"), Mount("8:2", "/", "/mnt")]
    assert aliases("/mnt/x/missing", table) == []
    assert aliases("/mnt/y", table) == []
    assert aliases(here, [Mount("8:1", "/", "/"), Mount("8:1", str(tmp_path), str(tmp_path))]) == []


MOUNTED = """
import os, sys
from pathlib import Path
from signet.domain.folders.private import find_places
from signet.domain.folders.reading import real_folder
from signet.paths import Workspace
home = Path(os.environ["HOME"])
places = find_places(Workspace(home / ".agents"))
for name in sys.argv[1:]:
    print(places.folder_reason(real_folder(str(home / name))) or "allowed")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="bind mounts are of Linux")
def test_a_bind_mount_of_a_private_folder_is_private(make: Make, home: Path) -> None:
    for name in (".ssh/deep", "a", "b c", "d", "e", "notes", ".agents/.secrets"):
        make(name)
    script = (
        'cd "$HOME" && mount --bind .ssh a && mount --bind .ssh/deep "b c" && mount --bind .agents d'
        ' && mount --bind notes e && exec "$0" -c "$1" a "b c" d/.secrets d/memory e'
    )
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, sys.executable, MOUNTED],
        capture_output=True,
        text=True,
        env={**os.environ, "HOME": str(home)},
    )
    if done.returncode and "perm" in done.stderr.lower():
        pytest.skip("this user may not mount")
    assert done.stdout.splitlines() == [
        ".ssh is hidden",
        ".ssh is hidden",
        ".secrets is hidden",
        f"it contains {home}/.agents/memory/memories.db",
        "allowed",
    ], done.stderr


def test_places_that_do_not_exist_are_no_obstacle(tmp_path: Path) -> None:
    places = find_places(Workspace(tmp_path / "none"))
    assert isinstance(places, Places)
    assert places.folder_reason(str(tmp_path / "missing")) is None
