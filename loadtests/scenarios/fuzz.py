"""schemathesis asks every operation of a whole daemon in all three modes, as several identities.

Every program runs and nothing is full, so any answer of 500 and above is wrong, 503 too. Install it first:
`pip install schemathesis`. Rows of other owners carry marks that no answer may contain. Operations
of the programs class are left out for an admin, because they would run what chance writes; streams never end.
"""

import importlib.util
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx
from loadtests.report import Options, Report
from loadtests.stack import API, SCHEDULER, SOURCES, WORKER, Stack

from signet.wire import operations
from signet.wire.access import Permission

OWNERS = ("alice", "bob", "user:ines", "user:jorn")
_STREAMS = {"events", "log_stream", "task_stream", "send_mcp"}
_PROGRAMS = {
    id for id, one in operations.BY_ID.items() if one.rule.permission is Permission.PROGRAMS
}


@dataclass(frozen=True, slots=True)
class Who:
    """An identity in a mode, and the owners whose rows it may read; a role None is a call without a token."""

    mode: str
    name: str
    role: str | None
    scope: Mapping[str, str]
    reads: tuple[str, ...]


EVERYBODY = (
    Who("local", "peer", None, {}, OWNERS),
    Who("hybrid", "agent alice", "agent", {"agent": "alice"}, ("alice",)),
    Who("hybrid", "user ines", "operator", {"user": "ines"}, ("user:ines",)),
    Who("hybrid", "peer", None, {}, OWNERS),
    Who("team", "operator", "operator", {}, ("alice", "bob")),
    Who("team", "project", "operator", {"project": "/srv/shed"}, ()),
    Who("team", "readonly", "readonly", {}, ("alice", "bob")),
    Who("team", "admin", "admin", {}, OWNERS),
)


def run(options: Options) -> Report:
    """Fuzz for `seconds` in each mode."""
    if importlib.util.find_spec("schemathesis") is None:
        raise SystemExit("fuzz needs schemathesis: pip install schemathesis")
    report = Report(["mode", "identity", "answers", "2xx", "4xx", "own rows", "wrong"])
    for mode in dict.fromkeys(one.mode for one in EVERYBODY):
        folder = options.folder / mode
        folder.mkdir()
        mine = [one for one in EVERYBODY if one.mode == mode]
        with Stack(folder, settings=_settings(mode)) as stack:
            stack.start(API, WORKER, SCHEDULER)
            with _owner(stack) as client:
                for owner in OWNERS:
                    _save(client, owner)
                # schemathesis waits 10 s for the description, which the API makes at the first request.
                client.get("/openapi.json").raise_for_status()
                tokens = {one.name: _token(client, one) for one in mine}
            for one in mine:
                seconds = options.seconds / len(mine)
                lines = list(_fuzz(stack, one, tokens[one.name], seconds, options.seed))
                _add(report, one, lines)
    report.figures["answers"] = sum(int(str(row[2])) for row in report.rows)
    report.figures["wrong"] = sum(int(str(row[-1])) for row in report.rows)
    return report


def _settings(mode: str) -> str:
    limits = "".join(
        f"    {name}: {{max: 1000000}}\n"
        for name in ("forget", "modify", "batchForget", "forceDelete", "admin")
    )
    return f"embedding:\n  provider: none\nauth:\n  mode: {mode}\n  rateLimits:\n{limits}"


def _owner(stack: Stack) -> httpx.Client:
    transport = httpx.HTTPTransport(uds=str(stack.workspace.api_socket))
    return httpx.Client(transport=transport, base_url="http://localhost", timeout=30.0)


def _mark(owner: str) -> str:
    return f"zxmark{owner.removeprefix('user:')}"


def _save(client: httpx.Client, owner: str) -> None:
    """Store a memory, a document and a session of an owner, with its mark in the texts."""
    mark, project = _mark(owner), "/srv/garden"
    if not owner.startswith("user:"):
        client.post("/api/agents", json={"name": owner}).raise_for_status()
    of = {"agentId": owner, "project": project}
    call = {"harness": "codex", "sessionKey": f"session-{mark[2:]}", **of}
    for path, body in (
        ("/api/memory/remember", {**of, "content": f"The {mark} crane.", "visibility": "private"}),
        ("/api/hooks/session-start", call),
        ("/api/hooks/session-end", {**call, "transcript": f"User: the {mark} crane"}),
    ):
        client.post(path, json=body).raise_for_status()


def _token(client: httpx.Client, who: Who) -> str | None:
    if who.role is None:
        return None
    body = {"role": who.role, "scope": dict(who.scope), "sub": who.name}
    return str(client.post("/api/auth/token", json=body).raise_for_status().json()["token"])


def _fuzz(
    stack: Stack, who: Who, token: str | None, seconds: float, seed: int
) -> Iterator[dict[str, object]]:
    """Yield a line for each answer that an identity got."""
    answers = stack.workspace.root / f"answers-{who.name.replace(' ', '-')}.jsonl"
    left_out = _STREAMS | (_PROGRAMS if who.role == "admin" else set())
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, SOURCES)),
        "SCHEMATHESIS_HOOKS": "loadtests.fuzz_hooks",
        "SIGNET_FUZZ": str(answers),
        "SIGNET_FUZZ_OWN": " ".join(_mark(one) for one in who.reads),
        "SIGNET_FUZZ_FOREIGN": " ".join(_mark(one) for one in OWNERS if one not in who.reads),
    }
    url = f"http://127.0.0.1:{stack.port}"
    command = [str(Path(sys.executable).with_name("st")), "--no-color", "run", f"{url}/openapi.json",
               "--max-time", str(round(seconds)), "--phases", "coverage,fuzzing", "--seed", str(seed),
               "--checks", "not_a_server_error", "--continue-on-failure", "--no-shrink", "--workers", "2",
               "--suppress-health-check", "all", "--warnings", "off", "--request-timeout", "20"]  # fmt: skip
    command += [part for id in left_out for part in ("--exclude-operation-id", id)]
    if token is not None:
        command += ["-H", f"Authorization: Bearer {token}"]
    with (stack.workspace.log_dir / f"{answers.stem}.out").open("wb") as out:
        subprocess.run(
            command, env=environment, cwd=stack.workspace.root, stdout=out, stderr=out, check=False
        )
    if not answers.exists():
        raise SystemExit(f"schemathesis has sent nothing: see {stack.workspace.log_dir}")
    for line in answers.read_text("utf-8").splitlines():
        yield json.loads(line)


def _add(report: Report, who: Who, lines: list[dict[str, object]]) -> None:
    by_class = Counter(int(str(line["status"])) // 100 for line in lines)
    own = sum(bool(line["own"]) for line in lines)
    wrong = [line for line in lines if "wrong" in line]
    report.rows.append((who.mode, who.name, len(lines), by_class[2], by_class[4], own, len(wrong)))
    seen = dict.fromkeys(f"{line['asked']} -> {line['wrong']}"[:600] for line in wrong[:20])
    report.notes += [f"{who.mode} {who.name}: {one}" for one in seen]
