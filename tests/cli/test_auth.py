"""A team's daemon on every address of the machine: who gets in from where, with the commands and by hand."""

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cli.program import SETTINGS, Program
from signet.db.driver import connect
from signet.paths import Workspace
from support.processes import PATIENCE_SECONDS, eventually

MISSING = "error: There is no token {}; see: signet auth token list\n"
#: One daemon for the whole file.
TEAM = SETTINGS + "auth: {mode: team, rateLimits: {admin: {max: 100}}}\n"


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    home = tmp_path_factory.mktemp("team")
    program = Program(home=home, workspace=home / "workspace")
    program.workspace.mkdir()
    (program.workspace / "agent.yaml").write_text(TEAM)
    started = program.run("daemon", "start", "--port", str(program.port), SIGNET_BIND="0.0.0.0")
    assert started.status == 0, started.err
    yield program
    assert program.run("daemon", "stop").out == "Daemon stopped\n"


def test_the_address_is_kept_like_the_port(team: Program) -> None:
    def listens() -> str:
        return str(team.run("daemon", "status", "--json").json()["bind"])

    assert ", listens on 0.0.0.0" in team.run("daemon", "status").out
    assert team.run("daemon", "restart").status == 0
    assert listens() == "0.0.0.0"
    assert team.run("daemon", "restart", "--host", "127.0.0.1").status == 0
    assert team.run("daemon", "stop").status == 0
    assert team.run("daemon", "start").status == 0
    assert listens() == "127.0.0.1"
    pid = team.run("daemon", "status", "--json").json()["pid"]
    assert "is not an address" in team.run("daemon", "restart", "--host", "a b").err
    assert "has no address" in team.run("daemon", "restart", "--host", "203.0.113.9").err
    assert team.run("daemon", "status", "--json").json()["pid"] == pid  # not stopped either
    assert team.run("daemon", "restart", "--host", "0.0.0.0").status == 0
    assert listens() == "0.0.0.0"


def _elsewhere() -> str:
    """Return an address of this machine that is not loopback; skips where there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            pytest.skip("no network interface beside loopback")
        address = str(probe.getsockname()[0])
    if address.startswith("127."):
        pytest.skip("no network interface beside loopback")
    return address


def _ask(address: str, port: int, path: str, **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection(address, port, timeout=PATIENCE_SECONDS)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read()).get("error", "")
    finally:
        connection.close()


def _token(program: Program, *options: str) -> str:
    made = program.run("auth", "token", "create", *options)
    assert made.status == 0, made.err
    return made.out.strip()


def test_the_owner_of_the_secret_needs_no_token(team: Program) -> None:
    assert team.run("auth", "whoami").out.startswith("owner of this daemon · mode team\n")
    assert "agent" not in team.run("remember", "The gate is green").out
    assert "The gate is green" in team.run("recall", "gate").out
    with closing(connect(Workspace(team.workspace).database)) as rows:
        told = rows.execute("SELECT DISTINCT changed_by, actor_type FROM memory_history").fetchall()
    assert ("cli", "operator") in map(tuple, told)


def test_a_token_of_the_environment_says_who_calls(team: Program) -> None:
    reader = _token(team, "--role", "readonly", "--sub", "bob")
    me = team.run("auth", "whoami", SIGNET_TOKEN=reader)
    assert me.out == "bob · readonly · mode team\nmay: recall\n"
    refused = team.run("remember", "No", SIGNET_TOKEN=reader)
    assert (refused.status, refused.err) == (
        1,
        "error: role 'readonly' lacks 'remember' permission\n",
    )
    assert team.run("recall", "gate", SIGNET_TOKEN="nonsense").err == "error: malformed token\n"
    secret = team.run("remember", "The gate opens to the north.", "--json").json()["id"]
    assert team.run("memory", "forget", secret, "--reason", "moved", "--yes").status == 0
    assert "(your key may not read it)" in team.run("forgotten", SIGNET_TOKEN=reader).out
    assert "to the north" in team.run("forgotten").out


def test_a_token_is_listed_without_itself_and_taken_back(team: Program) -> None:
    token = _token(team, "--sub", "cato", "--agent", "cato", "--days", "2")
    assert team.run("recall", "gate", SIGNET_TOKEN=token).status == 0
    saved = team.run("remember", "The gate squeaks.", "--agent", "cato", SIGNET_TOKEN=token)
    assert "Saved as an agent's words" in saved.out, saved
    listed = team.run("auth", "token", "list", "--json")
    assert token not in listed.out
    [found] = [one for one in listed.json()["tokens"] if one["sub"] == "cato"]
    assert (found["role"], found["scope"]) == ("agent", {"agent": "cato"})
    assert (
        f"{found['jti']}  agent  cato  agent=cato  until " in team.run("auth", "token", "list").out
    )
    eventually(lambda: "  seen 2" in team.run("auth", "token", "list").out)
    assert team.run("auth", "token", "revoke", "cato").out == (f"Revoked {found['jti']} of cato\n")
    assert team.run("recall", "gate", SIGNET_TOKEN=token).err == "error: token revoked\n"
    assert "revoked" in team.run("auth", "token", "list").out
    assert team.run("auth", "token", "revoke", "none").err == MISSING.format("none")
    short = json.loads(team.run("auth", "token", "create", "--user", "dora", "--json").out)["jti"]
    assert team.run("auth", "token", "revoke", short[:7]).err == MISSING.format(short[:7])
    assert team.run("auth", "token", "revoke", short[:8]).out == f"Revoked {short} of dora\n"
    first, second = _token(team, "--user", "dora"), _token(team, "--user", "dora", "--sub", "pad")
    assert team.run("auth", "token", "revoke", "--user", "dora").out.count("Revoked ") == 2
    for gone in (first, second):
        assert team.run("recall", "gate", SIGNET_TOKEN=gone).err == "error: token revoked\n"
    assert "Revoked nothing" in team.run("auth", "token", "revoke", "--user", "dora").out
    assert team.run("auth", "token", "revoke").status == 2


def test_from_another_address_only_a_token_opens(team: Program) -> None:
    address, port = _elsewhere(), team.port
    assert _ask(address, port, "/health") == (200, "")
    for host in (f"{address}:{port}", "localhost", "127.0.0.1"):
        refused = _ask(address, port, "/api/status", Host=host)
        assert refused == (401, "authentication required"), host
    token = _token(team, "--role", "readonly")
    assert _ask(address, port, "/api/status", Authorization=f"Bearer {token}") == (200, "")
    foreign = _ask(address, port, "/health", Origin="http://evil.example")
    assert (foreign[0], "signet trust origin add" in foreign[1]) == (403, True)
    own = f"http://{address}:{port}"
    assert _ask(address, port, "/health", Host=f"{address}:{port}", Origin=own) == (200, "")


def test_a_client_of_another_daemon_is_not_shown_the_secret_s_token(
    team: Program, alone: Program
) -> None:
    """The workspace has a secret, but the address is that of somebody else."""
    alone.workspace.mkdir()
    secret = alone.workspace / ".daemon" / "auth-secret"
    secret.parent.mkdir()
    secret.write_bytes(b"s" * 32)
    secret.chmod(0o600)
    refused = alone.run("recall", "gate", SIGNET_DAEMON_URL=f"http://127.0.0.1:{team.port}")
    assert refused.err == "error: authentication required\n"


def test_the_first_token_is_signed_without_a_daemon(alone: Program) -> None:
    refused = alone.run("auth", "token", "create")
    assert refused.status == 1 and "has no token secret" in refused.err
    secret = alone.workspace / ".daemon" / "auth-secret"
    secret.parent.mkdir(parents=True)
    secret.write_bytes(b"s" * 32)
    secret.chmod(0o600)
    made = alone.run("auth", "token", "create", "--role", "admin", "--json").json()
    assert made["token"].count(".") == 1 and made["jti"]
    secret.chmod(0o644)
    refused = alone.run("auth", "token", "create")
    assert refused.status == 1 and "is readable by other users" in refused.err


@pytest.mark.parametrize(
    ("mode", "bind", "words"),
    [
        ("local", "0.0.0.0", "Refusing to listen on 0.0.0.0"),
        ("local", "192.0.2.9", "Refusing to listen on 192.0.2.9"),
        ("team", "203.0.113.9", "This machine has no address 203.0.113.9"),
        ("hybrid", "::", "IPv4 addresses only"),
        ("tema", "127.0.0.1", "local, team, hybrid"),
    ],
)
def test_a_daemon_that_would_be_open_does_not_start(
    alone: Program, mode: str, bind: str, words: str
) -> None:
    alone.workspace.mkdir()
    (alone.workspace / "agent.yaml").write_text(f"{SETTINGS}auth: {{mode: {mode}}}\n")
    refused = alone.run("daemon", "start", "--port", str(alone.port), SIGNET_BIND=bind)
    assert refused.status == 1
    assert words in refused.err
    assert not (alone.workspace / ".daemon" / "state.json").exists()


def test_a_secret_that_others_may_read_stops_the_start(alone: Program) -> None:
    alone.workspace.mkdir()
    (alone.workspace / "agent.yaml").write_text(TEAM)
    secret: Path = alone.workspace / ".daemon" / "auth-secret"
    secret.parent.mkdir()
    secret.write_bytes(b"s" * 32)
    secret.chmod(0o644)
    refused = alone.run("daemon", "start", "--port", str(alone.port))
    assert refused.status == 1
    assert "is readable by other users" in refused.err


def test_a_key_is_for_a_person_or_an_agent_and_its_name_is_its_own(team: Program) -> None:
    own = team.run("auth", "token", "create", "--name", "desk", "--own").out.strip()
    assert "desk · operator" in team.run("auth", "whoami", SIGNET_TOKEN=own).out
    assert "may: " in team.run("auth", "whoami", SIGNET_TOKEN=own).out
    saved = json.loads(team.run("remember", "Mine.", "--json", SIGNET_TOKEN=own).out)["id"]
    assert team.run("memory", "show", saved, "--json").json()["origin"] == "user"
    taken = team.run("auth", "token", "create", "--name", "desk", "--json")
    assert (taken.status, taken.json()["code"]) == (1, "name_taken")
    assert team.run("auth", "token", "revoke", "desk").status == 0
    agents = _token(team, "--name", "desk")
    assert "desk · agent" in team.run("auth", "whoami", SIGNET_TOKEN=agents).out
    for options, words in (
        (("--user", "eve", "--role", "admin"), "--user does not fit"),
        (("--user", "eve", "--role", "monitor"), "--user does not fit"),
        (("--project", "nowhere"), "no folder and no project"),
        (("--user", "eve", "--space", "nosuch:read"), "no space is called 'nosuch'"),
    ):
        refused = team.run("auth", "token", "create", *options)
        assert refused.status and words in " ".join(refused.err.split()), refused.err
    both = team.run("auth", "token", "create", "--own", "--role", "readonly")
    assert both.status == 2 and "choose one of" in both.err
    create = ("auth", "token", "create", "--name", "asked")
    drawn = team.on_terminal(*create, typed="y\n", after="machine of your own")
    assert "Revoke it with" in drawn
    listed = team.run("auth", "token", "list").out
    assert "operator  asked" in listed


def test_a_monitor_reads_metrics_and_no_memory(team: Program) -> None:
    made = team.run("auth", "token", "create", "--name", "prometheus", "--role", "monitor")
    assert made.status == 0, made.err
    headers = {"Authorization": f"Bearer {made.out.strip()}"}
    connection = http.client.HTTPConnection("127.0.0.1", team.port, timeout=PATIENCE_SECONDS)
    try:
        connection.request("GET", "/metrics", headers=headers)
        answer = connection.getresponse()
        assert answer.status == 200 and b"signet_jobs" in answer.read()
    finally:
        connection.close()
    for path in ("/api/memories", "/api/evaluation/sessions", "/api/logs"):
        assert _ask("127.0.0.1", team.port, path, **headers)[0] == 403
