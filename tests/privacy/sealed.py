"""Runs alone: `unshare -rnmpf --mount-proc --kill-child python sealed.py MODELS`, and prints one JSON object.

Inside is a machine without a way out: its only interface is the loopback, which takes every address there is, so that
each packet goes over it and is seen, whoever sends it. Its temporary folders are empty, its homes are made here.
"""

import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from support.processes import eventually

#: Of linux/rtnetlink.h and linux/if_link.h.
_REQUEST_ACK, _CREATE = 0x5, 0x400
_NEW_LINK, _NEW_ROUTE, _OUT_INTERFACE = 16, 24, 4
_LOOPBACK_INDEX, _UP = 1, 1
_TABLE_LOCAL, _BY_BOOT, _SCOPE_HOST, _LOCAL = 255, 3, 254, 2
_EVERY_PROTOCOL = 3

TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm")
ROOM = Path("/mnt")
#: What a name server would be asked at; nobody answers there (TEST-NET-1, RFC 5737).
NAME_SERVER = "192.0.2.53"
#: onnxruntime 1.32 sends its first report 9 s after its import, measured with strace.
REPORTS_AFTER_SECONDS = 12.0
QUESTION = "Where does Mina keep her boat?"
TALK = [
    ("user", "The tide table is wrong after midnight. We decided to store every tide in UTC."),
    ("assistant", "Noted: tides are stored in UTC and shown in local time."),
]


class Ears:
    """Every packet that leaves for another machine, and every question to a name server."""

    def __init__(self) -> None:
        self._socket = socket.socket(
            socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(_EVERY_PROTOCOL)
        )
        self._heard: set[str] = set()
        threading.Thread(target=self._listen, daemon=True).start()

    def heard(self) -> list[str]:
        """Return what was heard so far and forget it; a packet sent before this call is in it."""
        mark = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        mark.sendto(b"mark", ("127.0.0.1", 9))
        mark.close()
        self._marked.wait(30)
        self._marked.clear()
        found, self._heard = sorted(self._heard), set()
        return found

    _marked = threading.Event()

    def _listen(self) -> None:
        while True:
            packet = self._socket.recv(65_535)
            is_v6 = packet[0] >> 4 == 6
            family, at, head = (
                (socket.AF_INET6, slice(24, 40), 40)
                if is_v6
                else (socket.AF_INET, slice(16, 20), (packet[0] & 15) * 4)
            )
            to = socket.inet_ntop(family, packet[at])
            port = (
                struct.unpack("!H", packet[head + 2 : head + 4])[0] if len(packet) > head + 4 else 0
            )
            if packet.endswith(b"mark"):
                self._marked.set()
            elif port == 53 or not (to.startswith("127.") or to in ("::1", "::ffff:127.0.0.1")):
                readable = bytes(c if 32 < c < 127 else 46 for c in packet[head:][:80]).decode()
                self._heard.add(f"{to}:{port} {readable}")


def ask_kernel(kind: int, flags: int, body: bytes) -> None:
    """Send one message to the kernel's routing and raise OSError when it is refused."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as kernel:
        kernel.send(struct.pack("=IHHII", 16 + len(body), kind, _REQUEST_ACK | flags, 1, 0) + body)
        refused = -struct.unpack("=i", kernel.recv(4096)[16:20])[0]
        if refused:
            raise OSError(refused, os.strerror(refused))


def seal() -> None:
    """Let the loopback take every address."""
    up = struct.pack("=BxHiII", socket.AF_UNSPEC, 0, _LOOPBACK_INDEX, _UP, _UP)
    ask_kernel(_NEW_LINK, 0, up)
    for family in (socket.AF_INET, socket.AF_INET6):
        route = struct.pack(
            "=BBBBBBBBI", family, 0, 0, 0, _TABLE_LOCAL, _BY_BOOT, _SCOPE_HOST, _LOCAL, 0
        )
        try:
            ask_kernel(_NEW_ROUTE, _CREATE, route + struct.pack("=HHi", 8, _OUT_INTERFACE, 1))
        except OSError:
            if family == socket.AF_INET:
                raise


def furnish(models: Path) -> dict[str, str]:
    """Make empty temporary folders, a home and the settings of a name server; return the environment."""

    def mount(*arguments: str) -> None:
        subprocess.run(["mount", *arguments], check=True)

    mount("-t", "tmpfs", "ours", str(ROOM))
    for name, text in (
        ("resolv.conf", f"nameserver {NAME_SERVER}\noptions timeout:1 attempts:1\n"),
        ("nsswitch.conf", "hosts: files dns\n"),
    ):
        (ROOM / name).write_text(text)
        if (place := Path("/etc", name)).exists():
            mount("--bind", str(ROOM / name), str(place.resolve()))
    (ROOM / "models").mkdir()
    mount("--bind", str(models), str(ROOM / "models"))
    needed = [Path(part).resolve() for part in (*sys.path, sys.prefix, sys.base_prefix) if part]
    for place in map(Path, TEMPORARY):
        if place.is_dir() and not any(one.is_relative_to(place.resolve()) for one in needed):
            mount("-t", "tmpfs", "empty", str(place))
    home = ROOM / "home"
    home.mkdir()
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "LANG") if name in os.environ}
    return {
        **kept,
        "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "SIGNET_MODEL_DIR": str(ROOM / "models"),
    }


def left(environ: dict[str, str], workspace: Path) -> list[str]:
    """Return what stands in the home and in the temporary folders, except what is ours and what the person made."""
    home = Path(environ["HOME"])
    ours = (home / ".cache" / "signet", home / ".claude" / "projects")
    temporary = [path for path in map(Path, TEMPORARY) if os.path.ismount(path)]
    found = [
        str(path)
        for place in (home, *temporary)
        for path in place.rglob("*")
        if path.is_file() and not any(path.is_relative_to(folder) for folder in ours)
    ]
    # The home of the daemon that quickstart starts is its workspace.
    named = {".daemon", "memory", "MEMORY.md", "SIGNET-ARCHITECTURE.md", "agent.yaml"}
    return sorted(found + [str(path) for path in workspace.iterdir() if path.name not in named])


class Person:
    """Somebody who uses Signet by its commands, its hooks and its interface."""

    def __init__(self, environ: dict[str, str]) -> None:
        self.environ = environ
        self.url = ""

    def signet(self, *arguments: str) -> str:
        """Run one command and return what it printed."""
        command = [sys.executable, "-m", "signet.cli.main", *arguments]
        done = subprocess.run(command, env=self.environ, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{arguments}: {done.stdout}{done.stderr}")
        return done.stdout

    def post(self, path: str, body: dict[str, object]) -> Any:
        """Call the interface of the daemon."""
        request = urllib.request.Request(
            self.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def session(self, home: Path) -> None:
        """Have a session of Claude Code from its start to its end."""
        body: dict[str, object] = {
            "harness": "claude-code",
            "sessionKey": "s1",
            "project": str(home),
        }
        lines = [
            json.dumps({"type": role, "message": {"role": role, "content": text}})
            for role, text in TALK
        ]
        path = home / ".claude" / "projects" / "talk.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text("\n".join(lines))
        self.post("/api/hooks/session-start", body)
        self.post("/api/hooks/user-prompt-submit", {**body, "userPrompt": TALK[0][1]})
        self.post("/api/hooks/session-end", {**body, "transcript": path.read_text()})


def a_day(workspace: Path) -> tuple[dict[str, int], int]:
    """Run what recurs as the scheduler does, over the last day in steps of ten minutes; wait for its jobs.

    Return how often each ran, and how many transcripts there are of the session.
    """
    from signet import config
    from signet.db import Database
    from signet.paths import Workspace
    from signet_scheduler import beats

    place = Workspace(workspace)
    db = Database(place.database)
    settings = config.load(place).settings
    ran: dict[str, int] = {}
    last: dict[str, int] = {}
    end = datetime.now(UTC)
    for step in range(-144, 1):
        now = end + timedelta(minutes=10 * step)
        for beat in beats.due(last, settings, now_ms=int(now.timestamp() * 1000)):
            last[beat.name] = beats.run(db, beat, settings, now)
            ran[beat.name] = ran.get(beat.name, 0) + 1
    open_jobs = "SELECT count(*) AS n FROM memory_jobs WHERE status IN ('pending', 'leased')"
    eventually(lambda: db.read(lambda tx: tx.all(open_jobs))[0]["n"] == 0, seconds=120)
    kept = "SELECT count(*) AS n FROM session_transcripts WHERE session_key = 's1'"
    transcripts = int(db.read(lambda tx: tx.all(kept))[0]["n"])
    db.close()
    return ran, transcripts


def main() -> None:
    """Try the ears, then use Signet as a person would, and print what was heard and what was left."""
    seal()
    environ = furnish(Path(sys.argv[1]))
    ears = Ears()
    found: dict[str, object] = {}

    canary = "import socket\ntry: socket.create_connection(('canary.example', 443), 2)\nexcept OSError: pass\n"
    subprocess.run([sys.executable, "-c", canary], env=environ, check=True)
    found["canary"] = ears.heard()

    person = Person(environ)
    made = json.loads(person.signet("quickstart", "--keep", "--json"))
    workspace, person.url = made["workspace"]["path"], made["daemon"]["url"]
    environ |= {"SIGNET_PATH": workspace, "SIGNET_PORT": person.url.rpartition(":")[2]}
    person.signet("remember", "Mina moors her boat at the north pier.")
    recalled = person.post("/api/memory/recall", {"query": QUESTION})
    loaded_at = time.monotonic()
    found["method"], found["first"] = recalled["method"], recalled["results"][0]["content"]
    found["said"] = person.signet("recall", QUESTION)
    person.session(Path(environ["HOME"]))
    found["ran"], found["transcripts"] = a_day(Path(workspace))
    eventually(lambda: time.monotonic() - loaded_at > REPORTS_AFTER_SECONDS)
    person.signet("daemon", "stop")
    found["heard"] = ears.heard()
    found["left"] = left(environ, Path(workspace))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
