"""Pull and push between real repositories: what is only here is never lost."""

from pathlib import Path

import pytest

from signet import clock
from signet.config.sections import Git
from signet.domain.gitsync import sync
from signet.domain.gitsync.repository import alone
from signet.paths import Workspace
from signet.wire.git import GitDone
from support.repositories import Trio, lonely, needs_git, trio

pytestmark = needs_git

SETTINGS = Git()


def no_secret(name: str) -> str | None:
    """Know no secret."""
    return None


@pytest.fixture
def three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trio:
    lonely(monkeypatch, tmp_path / "home")
    return trio(tmp_path, Workspace(tmp_path / "agents"))


def pull(three: Trio, settings: Git = SETTINGS) -> GitDone:
    """Pull into the workspace."""
    return sync.pull(three.workspace, settings, no_secret)


def push(three: Trio, settings: Git = SETTINGS) -> GitDone:
    """Push from the workspace."""
    return sync.push(three.workspace, settings, no_secret)


def arrives(three: Trio, name: str, text: str) -> None:
    """Let somebody else push a change."""
    three.there.commit(name, text)
    three.there.git("push", "--quiet", "origin", "main")


def test_what_is_new_comes_and_goes(three: Trio) -> None:
    assert pull(three) == GitDone(success=True, message="Already up to date", changes=0)
    assert push(three) == GitDone(success=True, message="Nothing to push", changes=0)
    arrives(three, "USER.md", "Ada\n")
    assert pull(three) == GitDone(success=True, message="Pulled 1 commits", changes=1)
    assert (three.here.root / "USER.md").read_text() == "Ada\n"
    three.here.commit("SOUL.md", "Calmer.\n")
    standing = sync.standing(three.workspace, SETTINGS, no_secret)
    assert (standing["unpushedCommits"], standing["unpulledCommits"]) == (1, 0)
    now = clock.now()
    done = sync.sync(three.workspace, SETTINGS, no_secret, now=now)
    assert done == GitDone(success=True, message="Sync complete", pulled=0, pushed=1)
    assert sync.last_sync(three.workspace) == clock.to_text(now)
    three.there.git("pull", "--quiet")
    assert (three.there.root / "SOUL.md").read_text() == "Calmer.\n"


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("memory/memories.db", "memory/memories.db"),
        (".secrets/secrets.enc", ".secrets/secrets.enc"),
        (".daemon/auth-secret", ".daemon/auth-secret"),
        # Other spellings of these are the same file on many disks.
        (".Daemon/auth-secret", ".Daemon/auth-secret"),
        (".secre\u200dts/key", ".secrets/key"),
        ("Memory/MEMORIES.db-wal", "Memory/MEMORIES.db-wal"),
        # Git would delete the folder, because it ignores everything in it.
        ("memory", "memory/memories.db"),
    ],
)
def test_data_and_secrets_of_this_machine_are_not_replaced_by_the_remote(
    three: Trio, name: str, own: str
) -> None:
    mine = three.here.write(own, "only here\n")
    three.there.write(name, "theirs\n")
    three.there.git("add", "--force", name)
    arrives(three, "USER.md", "Ada\n")
    done = pull(three)
    assert not done["success"] and name in done["message"]
    assert mine.read_text() == "only here\n" and not (three.here.root / "USER.md").exists()
    three.there.git("rm", "--quiet", name)
    arrives(three, "USER.md", "Ada B.\n")
    assert pull(three) == GitDone(success=True, message="Pulled 2 commits", changes=2)
    assert mine.read_text() == "only here\n"


def test_other_ignored_files_are_not_replaced_either(three: Trio) -> None:
    three.here.commit(".gitignore", ".env\n/agent.yaml\n")
    three.here.git("push", "--quiet", "origin", "main")
    three.there.git("pull", "--quiet")
    mine = three.here.write(".env", "only here\n")
    three.there.write(".env", "theirs\n")
    three.there.git("add", "--force", ".env")
    arrives(three, "USER.md", "Ada\n")
    assert "would be overwritten" in pull(three)["message"]
    assert mine.read_text() == "only here\n"


@pytest.mark.parametrize(
    ("target", "is_pulled"),
    [
        ("/etc/passwd", False),
        ("../other/x", False),
        ("skills/../../x", False),
        (".daemon/token", False),
        ("./.SECRETS/key", False),
        ("memory/memories.db", False),
        (".", False),
        ("SOUL.md", True),
    ],
)
def test_a_link_to_a_private_place_or_out_of_the_workspace_is_not_pulled(
    three: Trio, target: str, is_pulled: bool
) -> None:
    (three.there.root / "AGENTS.md").symlink_to(target)
    arrives(three, "USER.md", "Ada\n")
    done = pull(three)
    assert done["success"] == is_pulled and ("AGENTS.md by a link" in done["message"]) != is_pulled
    assert (three.here.root / "AGENTS.md").is_symlink() == is_pulled


def test_data_that_the_remote_has_deleted_stays_here(three: Trio) -> None:
    three.here.git("add", "--force", str(three.here.write("memory/memories.db", "only here\n")))
    three.here.commit("USER.md", "Ada\n")
    three.here.git("push", "--quiet", "origin", "main")
    three.there.git("pull", "--quiet")
    three.there.git("rm", "--quiet", "--cached", "memory/memories.db")
    arrives(three, "USER.md", "Ada B.\n")
    assert "memory/memories.db" in pull(three)["message"]
    assert (three.here.root / "memory/memories.db").read_text() == "only here\n"


def test_changes_that_were_not_committed_survive_a_pull(three: Trio) -> None:
    three.here.commit("AGENTS.md", "".join(f"line {n}\n" for n in range(30)))
    three.here.git("push", "--quiet", "origin", "main")
    three.there.git("pull", "--quiet")
    arrives(three, "AGENTS.md", "first\n" + "".join(f"line {n}\n" for n in range(1, 30)))
    text = three.here.root / "AGENTS.md"
    text.write_text(text.read_text() + "my last line\n")
    three.here.write("new.md", "not known to git\n")
    assert pull(three)["message"] == "Pulled 1 commits"
    assert text.read_text().startswith("first\nline 1\n")
    assert text.read_text().endswith("line 29\nmy last line\n")
    assert (three.here.root / "new.md").read_text() == "not known to git\n"
    assert three.here.git("stash", "list") == ""


@pytest.mark.parametrize("name", ["SOUL.md", "fresh.md"])
def test_changes_that_do_not_fit_stay_and_nothing_else_changes(three: Trio, name: str) -> None:
    three.here.write(name, "mine\n")
    three.here.write("beside.md", "also mine\n")
    before = three.here.git("rev-parse", "HEAD")
    arrives(three, name, "theirs\n")
    done = pull(three)
    assert not done["success"]
    assert done["message"].startswith("Pull failed: local changes conflict")
    assert (three.here.root / name).read_text() == "mine\n"
    assert (three.here.root / "beside.md").read_text() == "also mine\n"
    assert three.here.git("rev-parse", "HEAD") == before
    assert three.here.git("stash", "list") == ""
    # Once it is committed, it is for a person to put together.
    three.here.commit(name, "mine\n")
    assert "both sides have new commits (1 commit here, 1 commit there)" in pull(three)["message"]
    refused = push(three)
    assert not refused["success"] and refused["message"].startswith("Push failed: ")
    assert (three.here.root / name).read_text() == "mine\n"


def test_a_merge_that_is_under_way_is_left_alone(three: Trio) -> None:
    arrives(three, "SOUL.md", "theirs\n")
    (three.here.root / ".git" / "MERGE_HEAD").write_text(three.here.git("rev-parse", "HEAD"))
    assert pull(three)["message"] == "Pull failed: a merge or rebase is in progress"


def test_another_branch_is_not_touched(three: Trio) -> None:
    arrives(three, "USER.md", "Ada\n")
    three.here.git("checkout", "--quiet", "-b", "trial")
    assert pull(three, Git(branch="main"))["message"] == (
        "Pull failed: trial is checked out, not main"
    )
    # Without a setting, and without a word of the remote, the current branch is meant.
    assert pull(three)["message"] == "Already up to date"
    assert push(three)["message"] == "Pushed 1 commits"


def test_the_first_push_makes_the_branch(three: Trio) -> None:
    three.here.git("checkout", "--quiet", "-b", "fresh")
    three.here.commit("USER.md", "Ada\n")
    assert push(three)["message"] == "Pushed 2 commits"
    assert "fresh" in three.here.git("ls-remote", "--heads", "origin")


@pytest.mark.parametrize(
    "path", ["memory/memories.db", ".secrets/secrets.enc", ".daemon/logs/a.log"]
)
def test_a_commit_with_what_must_stay_is_not_pushed(three: Trio, path: str) -> None:
    three.here.write(path, "private")
    three.here.git("add", "--force", path)
    three.here.git("commit", "--quiet", "--message", "oops")
    three.here.git("rm", "--quiet", "--cached", path)
    three.here.git("commit", "--quiet", "--message", "taken out again")
    done = push(three)
    assert not done["success"]
    assert done["message"].startswith(f"Push failed: an unpushed commit contains {path}")
    assert "oops" not in three.there.git("ls-remote", "origin")


def test_what_is_missing_is_said(three: Trio, tmp_path: Path) -> None:
    nowhere = Workspace(tmp_path / "plain")
    nowhere.root.mkdir()
    assert sync.pull(nowhere, SETTINGS, no_secret) == GitDone(
        success=False, message="Not a git repository"
    )
    unknown = Git(remote="backup")
    assert pull(three, unknown) == GitDone(
        success=True, message="No remote 'backup' configured — skipping pull"
    )
    assert push(three, unknown)["message"] == "No remote 'backup' configured — skipping push"
    three.here.git("remote", "set-url", "origin", str(tmp_path / "gone.git"))
    assert pull(three)["message"].startswith("Fetch failed: ")
    with alone(three.workspace):
        assert pull(three) == GitDone(success=False, message="Sync already in progress")


def test_a_folder_above_that_is_a_repository_is_not_ours(three: Trio, tmp_path: Path) -> None:
    inner = Workspace(three.here.root / "inner")
    inner.root.mkdir()
    assert sync.push(inner, SETTINGS, no_secret)["message"] == "Not a git repository"
    found = sync.standing(inner, SETTINGS, no_secret)
    assert (found["isRepo"], found["branch"], found["authMethod"]) == (False, None, "none")


@pytest.fixture
def shared(three: Trio) -> Trio:
    """Give the three, which keep agent.yaml in step, too."""
    arrives(three, ".gitignore", "/.daemon/\n/memory/memories.db*\n")
    assert pull(three)["success"]
    return three


def automatic(shared: Trio) -> GitDone:
    return sync.sync(shared.workspace, SETTINGS, no_secret, now=clock.now(), is_automatic=True)


DECISIVE = {
    "agent.yaml": "git: {remote: evil}\n",
    "AGENT.yaml": "services: {openclaw: {restart_command: id}}\n",
    "config.yaml": "auth: {trustedOrigins: ['https://evil.example']}\n",
}


@pytest.mark.parametrize("name", DECISIVE)
@pytest.mark.parametrize("before", [None, "search: {alpha: 0.4}\n"])
def test_an_automatic_pull_never_changes_what_runs_or_who_is_trusted(
    shared: Trio, name: str, before: str | None
) -> None:
    """TK-26: whatever name the file has, and whether one is there already."""
    if before is not None:
        arrives(shared, name, before)
        assert pull(shared)["success"]
    arrives(shared, name, DECISIVE[name])
    refused = automatic(shared)
    assert not refused["success"]
    assert "it would change settings: " in refused["message"]
    path = shared.here.root / name
    assert (path.read_text() if path.exists() else None) == before
    assert pull(shared)["success"], "a person may take them over"
    assert path.read_text() == DECISIVE[name]


def test_an_automatic_pull_takes_every_other_file_and_the_same_settings(shared: Trio) -> None:
    arrives(shared, "agent.yaml", "# mine\nsearch: {}\n")
    arrives(shared, "USER.md", "Ada\n")
    assert automatic(shared)["success"]
    assert (shared.here.root / "agent.yaml").read_text() == "# mine\nsearch: {}\n"


@pytest.mark.parametrize("text", ["auth: [", "auth: {mode: nonsense}\n", "- a list\n"])
def test_settings_that_cannot_be_read_are_not_pulled_automatically(shared: Trio, text: str) -> None:
    arrives(shared, "agent.yaml", text)
    assert not automatic(shared)["success"]
    assert not (shared.here.root / "agent.yaml").exists()


def test_a_settings_file_that_a_pull_uncovers_counts(shared: Trio) -> None:
    arrives(shared, "agent.yaml", "search: {alpha: 0.4}\n")
    assert pull(shared)["success"]
    shared.here.write(".git/info/exclude", "config.yaml\n")
    shared.here.write("config.yaml", DECISIVE["config.yaml"])
    shared.there.git("rm", "--quiet", "agent.yaml")
    arrives(shared, "USER.md", "Ada\n")
    assert "auth.trustedOrigins" in automatic(shared)["message"]
    assert (shared.here.root / "agent.yaml").exists()


def test_settings_under_another_spelling_are_not_pulled_automatically(shared: Trio) -> None:
    arrives(shared, "Agent.YAML", "auth: {mode: team}\n")
    assert "Agent.YAML" in automatic(shared)["message"]


def test_settings_that_git_would_write_otherwise_are_not_pulled_automatically(shared: Trio) -> None:
    """In UTF-7 a quotation mark is `+ACI-`, so that what is a text in the commit becomes a setting on the disk."""
    shared.there.write(".gitattributes", "agent.yaml working-tree-encoding=UTF-7\n")
    arrives(
        shared,
        "agent.yaml",
        "x: +ACI\nauth:\n  trustedOrigins:\n  - https://evil.example\ny: +ACI\n",
    )
    assert 'x: "' in shared.there.git("show", "HEAD:agent.yaml")
    assert ".gitattributes" in automatic(shared)["message"]
    assert not (shared.here.root / ".gitattributes").exists()


def test_a_link_in_place_of_the_settings_is_not_pulled_automatically(shared: Trio) -> None:
    (shared.there.root / "agent.yaml").symlink_to("evil.yaml")
    arrives(shared, "evil.yaml", DECISIVE["agent.yaml"])
    assert not automatic(shared)["success"]
    assert not (shared.here.root / "agent.yaml").is_symlink()
