"""What stops the start: listening too widely, and security settings that cannot be read."""

from pathlib import Path

import pytest

from signet.config import Loaded, check_start, load
from signet.config.env import is_loopback
from signet.config.manifest import set_values
from signet.config.sections import AuthMode
from signet.config.security import UnsafeSettings
from signet.errors import Invalid
from signet.paths import Workspace

#: Contents of agent.yaml, and what the refusal names. Each was ignored with a warning, or in silence, before.
UNSAFE = [
    ("auth: {mode: taem}", "auth.mode: one of local, team, hybrid"),
    ("auth: {mode: Team}", "auth.mode: one of local, team, hybrid"),
    ("auth: {mode: true}", "auth.mode: one of local, team, hybrid"),
    ("auth: {mode: [team]}", "auth.mode: one of local, team, hybrid"),
    ("authMode: taem", "authMode: one of local, team, hybrid"),
    ("authMode: team\nauth: {mode: hybrid}", "authMode: conflicts with auth.mode"),
    ("auth: team", "auth: expected a section"),
    ("auth_mode: team", "auth_mode: unknown key"),
    ("Auth: {mode: team}", "Auth: unknown key"),
    ("autth: {mode: team}", "autth: unknown key"),
    ("auth.mode: team", "auth.mode: unknown key"),
    ("auth: {Mode: team}", "auth.Mode: unknown key"),
    ("agent: {authMode: team}", "agent.authMode"),
    ("daemon: {server: {authMode: team}}", "daemon.server.authMode: has no effect here"),
    ("security: {trusted_origins: []}", "security.trusted_origins: has no effect here"),
    ("trustedOrigins: [tauri://localhost]", "trustedOrigins: unknown key"),
    ("auth: {trustedOrigins: tauri://localhost}", "auth.trustedOrigins: a list"),
    ("auth: {trustedOrigins: ['*']}", "auth.trustedOrigins: entry 1"),
    ("auth: {trusted_origins: []}", "auth.trusted_origins: unknown key"),
    ("auth: {sessionTokenTtlSeconds: 0}", "auth.sessionTokenTtlSeconds: a whole number"),
    ("auth: {defaultTokenTtlSeconds: 1h}", "auth.defaultTokenTtlSeconds: a whole number"),
    ("auth: {rateLimits: {forget: {max: -1}}}", "auth.rateLimits.forget.max: a whole number"),
    ("auth: {rateLimits: {forgot: {max: 1}}}", "auth.rateLimits.forgot: unknown key"),
    ("auth: {rateLimits: 5}", "auth.rateLimits: expected a section"),
    ("secrets: {allowRead: 'no'}", "secrets.allowRead: true or false"),
    ("secrets: {execAllow: {KEY: 5}}", "secrets.execAllow.KEY"),
    ("memory: {mask_secrets: 'on'}", "memory.mask_secrets: true or false"),
    ("auth: {mode: team", "agent.yaml line"),
    ("auth:\n  mode: team\nauth:\n", "duplicate key"),
]


def _loaded(folder: Path, text: str = "", **environ: str) -> tuple[Loaded, Workspace]:
    workspace = Workspace(folder)
    workspace.make()
    (folder / "agent.yaml").write_text(text, "utf-8")
    return load(workspace, environ), workspace


@pytest.mark.parametrize("bind", ["127.0.0.1", "127.9.9.9", "localhost", "::1"])
def test_local_mode_may_listen_on_loopback(tmp_path: Path, bind: str) -> None:
    check_start(*_loaded(tmp_path, SIGNET_BIND=bind))
    assert is_loopback(bind)


@pytest.mark.parametrize("bind", ["0.0.0.0", "::", "10.0.0.5", "example.org", "127.0.0.1.example"])
def test_local_mode_refuses_to_listen_beyond_loopback(tmp_path: Path, bind: str) -> None:
    with pytest.raises(Invalid, match=r"Refusing to listen on") as error:
        check_start(*_loaded(tmp_path, SIGNET_BIND=bind))
    assert bind in error.value.message


@pytest.mark.parametrize("text", ["auth: {mode: team}", "auth: {mode: hybrid}", "authMode: team"])
def test_a_mode_that_needs_tokens_may_listen_anywhere(tmp_path: Path, text: str) -> None:
    for bind in ("127.0.0.1", "0.0.0.0", "10.0.0.5"):
        check_start(*_loaded(tmp_path, text, SIGNET_BIND=bind))


@pytest.mark.parametrize(("text", "named"), UNSAFE, ids=[text for text, _ in UNSAFE])
def test_an_unreadable_security_setting_stops_the_start(
    tmp_path: Path, text: str, named: str
) -> None:
    loaded, workspace = _loaded(tmp_path, text)
    with pytest.raises(UnsafeSettings, match=r"Refusing to start") as error:
        check_start(loaded, workspace)
    assert named in error.value.message
    assert "; using" not in error.value.message and "ignored" not in error.value.message
    assert loaded.error == loaded.unsafe
    with pytest.raises(UnsafeSettings):
        _ = loaded.safe


@pytest.mark.parametrize("name", ["SIGNET_BIND", "SIGNET_HOST"])
def test_an_unreadable_address_stops_the_start(tmp_path: Path, name: str) -> None:
    loaded, workspace = _loaded(tmp_path, **{name: "10.0.0.5 0.0.0.0"})
    with pytest.raises(UnsafeSettings, match=name):
        check_start(loaded, workspace)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "author: Mira",
        "oauth: {client: x}",
        "features: {auth: true}",
        "identity: {auth: notes/auth.md}",
        "auth:",
        "auth: {mode: }",
        "search: {alpha: 7}",
        "agent: {name: Mira",
        "author: [",
        "authMode: team\nauth: {mode: team}",
    ],
)
def test_other_keys_and_problems_do_not_stop_the_start(tmp_path: Path, text: str) -> None:
    check_start(*_loaded(tmp_path, text))


def test_a_broken_file_stops_the_start_of_a_workspace_with_tokens(tmp_path: Path) -> None:
    loaded, workspace = _loaded(tmp_path, "agent: {name: Mira")
    check_start(loaded, workspace)
    workspace.auth_secret.write_bytes(b"k" * 32)
    with pytest.raises(UnsafeSettings, match=r"agent\.yaml line 1"):
        check_start(loaded, workspace)


def test_the_auth_mode_has_upstreams_name_too(tmp_path: Path) -> None:
    loaded, workspace = _loaded(tmp_path, "authMode: team\n")
    assert (loaded.settings.auth.mode, loaded.warnings) == (AuthMode.TEAM, ())
    set_values(workspace, {"auth.mode": "hybrid"})
    assert (tmp_path / "agent.yaml").read_text() == "authMode: hybrid\n"
    (tmp_path / "agent.yaml").write_text("auth: {mode: team}\n")
    set_values(workspace, {"authMode": "local"})
    assert (tmp_path / "agent.yaml").read_text() == "auth: {mode: local}\n"


def test_a_running_daemon_keeps_the_last_good_settings(tmp_path: Path) -> None:
    loaded, workspace = _loaded(tmp_path, "auth: {mode: team}\nsearch: {alpha: 0.2}")
    (tmp_path / "agent.yaml").write_text("auth: {mode: locla}\nsearch: {alpha: 0.9}", "utf-8")
    later = load(workspace, {}, last_good=loaded.settings)
    assert later.settings == loaded.settings
    assert later.error is not None and "auth.mode" in later.error


def test_aliases_that_form_a_loop_are_walked_once(tmp_path: Path) -> None:
    lines = ["a0: &a0 {authMode: team}"]
    for number in range(1, 30):
        lines.append(f"a{number}: &a{number} {{x: *a{number - 1}, y: *a{number - 1}}}")
    loaded, _ = _loaded(tmp_path, "\n".join(lines) + "\nloop: &loop {inner: *loop}\n")
    assert loaded.unsafe is not None and "a0.authMode" in loaded.unsafe
