"""Files that a request names as the log of a session: who may have which of them read (HK-73)."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from signet.domain.transcripts.log_files import LogFile
from signet_api import hook
from support.asgi import OVER_SOCKET, OVER_TCP, Connection
from support.http import Api, an_api
from support.tokens import a_token, bearer

SAID = "User: Where is the heron?\nAssistant: On the mast of the ketch."
SECRET = "User: The vault opens with 4711.\nAssistant: Noted."
CLAUDE = ".claude/projects/-work-heron/s.jsonl"
LOGS = [
    CLAUDE,
    ".codex/sessions/2026/11/29/rollout-x.jsonl",
    ".codex/archived_sessions/rollout-x.jsonl",
    ".gemini/tmp/heron/chats/session-1.json",
    ".cursor/projects/heron/agent-transcripts/a.jsonl",
    ".openclaw/agents/main/sessions/s.jsonl",
]
OTHERS = [
    "notes.txt",
    ".ssh/id_ed25519",
    ".claude/settings.json",
    ".claude/projects-of-others/s.jsonl",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".gemini/tmp/heron/shell_history",
    ".openclaw/agents/main/agent/auth-profiles.json",
    ".agents/.secrets/secrets.enc",
    ".agents/.daemon/token",
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCLAW_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for named in (*LOGS, *OTHERS):
        place = tmp_path / "home" / named
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(SAID if named in LOGS else SECRET, "utf-8")
    return tmp_path / "home"


def kept(api: Api, path: object, headers: dict[str, str] | None = None) -> str:
    """Return the transcript that is stored of a session with this log."""
    key = f"s{len(api.rows('session_transcripts'))}"
    body = {"harness": "codex", "sessionKey": key, "transcriptPath": str(path), "transcript": "x"}
    ended = api.post("/api/hooks/session-end", body, **(headers or {}))
    assert ended.status == 200, ended.body
    [row] = [one for one in api.rows("session_transcripts") if one["session_key"] == key]
    return str(row["content"])


@pytest.mark.parametrize("connection", [OVER_SOCKET, OVER_TCP], ids=["owner", "peer"])
def test_logs_of_harnesses_are_read_for_the_user(
    api: Api, home: Path, connection: Connection
) -> None:
    api.connection = connection
    for named in LOGS:
        assert kept(api, home / named) == SAID, named
        assert kept(api, f"~/{named}") == SAID, named


def test_other_files_are_read_for_the_owner_alone(
    api: Api, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        hook, "LOOKS", (0.0,)
    )  # seconds until the log of an ended session is read again
    read = [kept(api, home / named) for named in OTHERS]
    assert read == [SECRET] * len(OTHERS)
    api.connection = OVER_TCP
    for number, named in enumerate(OTHERS):
        assert kept(api, home / named) == "x", named
        body = {"harness": "codex", "sessionKey": f"p{number}", "userPrompt": "Where?"}
        api.post("/api/hooks/user-prompt-submit", {**body, "transcriptPath": str(home / named)})
        api.post("/api/hooks/session-checkpoint-extract", {**body, "transcriptPath": f"~/{named}"})
    api.settle()
    assert "4711" not in str(api.rows("session_transcripts")[len(OTHERS) :])


def _link(home: Path) -> Path:
    place = home / CLAUDE
    place.unlink()
    place.symlink_to(home / "notes.txt")
    return place


def _hard_link(home: Path) -> Path:
    place = home / CLAUDE
    place.unlink()
    os.link(home / "notes.txt", place)
    return place


def _linked_folder(home: Path) -> Path:
    place = home / ".claude/projects/linked"
    place.symlink_to(home, target_is_directory=True)
    return place / "notes.txt"


def _above(home: Path) -> Path:
    return home / ".claude/projects/../../notes.txt"


def _through_proc(home: Path) -> Path:
    return Path(f"/proc/{os.getpid()}/cwd{home}/notes.txt")


@pytest.mark.parametrize("trick", [_link, _hard_link, _linked_folder, _above, _through_proc])
def test_no_name_leads_a_peer_out_of_the_log_folders(
    api: Api, home: Path, trick: Callable[[Path], Path]
) -> None:
    api.connection = OVER_TCP
    assert kept(api, trick(home)) == "x"


def test_log_folders_that_are_links_themselves_are_followed(api: Api, home: Path) -> None:
    (home / ".claude").rename(home / "dotfiles")
    (home / ".claude").symlink_to(home / "dotfiles", target_is_directory=True)
    api.connection = OVER_TCP
    assert kept(api, home / CLAUDE) == SAID


@pytest.mark.parametrize(
    "path",
    [
        "/proc/self/environ",
        "/proc/self/status",
        "/proc/self/../self/cmdline",
        "/sys/kernel/uevent_seqnum",
        "/dev/zero",
        "/dev/stdin",
        "/dev/tty",
        "/dev/shm",
    ],
)
def test_state_of_the_kernel_is_no_log_for_anybody(api: Api, tmp_path: Path, path: str) -> None:
    link = tmp_path / "log.jsonl"
    link.symlink_to(path)
    for connection in (OVER_SOCKET, OVER_TCP):
        api.connection = connection
        assert (kept(api, path), kept(api, link)) == ("x", "x")


def test_pipes_and_sockets_are_no_logs_and_hold_nobody_up(api: Api, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        for named in ("pipe", "s", ".", "none"):
            assert kept(api, tmp_path / named) == "x"


def test_a_link_that_changes_after_the_check_is_not_followed(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, real_open = home / CLAUDE, os.open

    def swapped(path: str, flags: int) -> int:
        place.parent.rename(home / "moved")
        place.parent.symlink_to(home, target_is_directory=True)
        (home / place.name).write_text(SECRET, "utf-8")
        return real_open(path, flags)

    monkeypatch.setattr(os, "open", swapped)
    with LogFile(str(place), lambda: [home / ".claude/projects"]).opened() as file:
        assert file is None


@pytest.mark.parametrize("mode", ["team", "hybrid"])
def test_a_token_with_a_role_has_no_file_read(tmp_path: Path, home: Path, mode: str) -> None:
    with an_api(tmp_path / "agents", f"auth:\n  mode: {mode}\n") as api:
        for role in ("admin", "agent"):
            assert kept(api, home / CLAUDE, bearer(a_token(api, role))) == "x"
        if mode == "hybrid":
            assert kept(api, home / CLAUDE) == SAID
            assert kept(api, home / "notes.txt") == "x"
