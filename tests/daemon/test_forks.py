"""A fork of the supervisor is the program that its command line names, as if it had been started anew."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.processes import PYTHONPATH

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere programs are no forks")

PROGRAM = """
import json, os, signal, sys
from pathlib import Path
found = {}
for name in os.listdir("/proc/self/fd"):
    try:
        found[int(name)] = os.readlink(f"/proc/self/fd/{name}")
    except OSError:
        pass
print(json.dumps({
    "name": __name__,
    "argv": sys.argv[1:],
    "shown": Path("/proc/self/cmdline").read_bytes().rstrip(b"\\0").decode().split("\\0")[1:],
    "environ": dict(os.environ),
    "files": [path for number, path in found.items() if number > 2],
    "term": signal.getsignal(signal.SIGTERM) == signal.SIG_DFL,
    "wakes": signal.set_wakeup_fd(-1),
}))
END
"""
#: A supervisor with a private and a shared file, a signal handler, and one fork.
SUPERVISOR = """
import os, signal, sys
from signet.daemon import forks
private, shared = open(sys.argv[1]), open(sys.argv[2])
os.set_inheritable(shared.fileno(), True)
ours, theirs = os.pipe()
os.set_blocking(theirs, False)
signal.set_wakeup_fd(theirs)
signal.signal(signal.SIGTERM, lambda *_: None)
if (pid := os.fork()) == 0:
    forks.become([sys.executable, "-P", "-m", "a_program", "one", "two"], {"ONLY": "this"})
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def run(folder: Path, end: str) -> "subprocess.CompletedProcess[str]":
    (folder / "a_program.py").write_text(PROGRAM.replace("END", end))
    for name in ("private", "shared"):
        (folder / name).touch()
    return subprocess.run(
        [sys.executable, "-c", SUPERVISOR, str(folder / "private"), str(folder / "shared")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), PYTHONPATH))},
        capture_output=True,
        text=True,
    )


def test_a_fork_has_what_a_new_program_has_and_no_more(tmp_path: Path) -> None:
    ran = run(tmp_path, "")
    found = json.loads(ran.stdout)
    assert ran.returncode == 0, ran.stderr
    assert found == {
        "name": "__main__",
        "argv": ["one", "two"],
        "shown": ["-P", "-m", "a_program", "one", "two"],
        "environ": {"ONLY": "this"},
        "files": [str(tmp_path / "shared")],
        "term": True,
        "wakes": -1,
    }


@pytest.mark.parametrize(
    ("end", "status", "told"),
    [
        ("", 0, ""),
        ("sys.exit()", 0, ""),
        ("sys.exit(7)", 7, ""),
        ("sys.exit('no disk')", 1, "no disk\n"),
        ("raise OSError('no disk')", 1, "OSError: no disk\n"),
        ("os.kill(os.getpid(), signal.SIGTERM)", -15, ""),
    ],
)
def test_a_fork_ends_as_a_new_program_does(
    tmp_path: Path, end: str, status: int, told: str
) -> None:
    ran = run(tmp_path, end)
    assert ran.returncode in (status, status % 256)
    assert ran.stderr.endswith(told) and bool(ran.stderr) == bool(told)


def test_common_modules_are_loaded_without_files_threads_and_heavy_libraries(
    tmp_path: Path,
) -> None:
    code = (
        "import json, os, sys, threading\n"
        "before = {*os.listdir('/proc/self/fd')}\n"
        "from signet.daemon import forks\n"
        "forks.load()\n"
        "heavy = {'numpy', 'onnxruntime', 'pydantic', 'fastapi', 'rich', 'sqlalchemy', 'yaml'}\n"
        "print(json.dumps({\n"
        "    'missing': [name for name in forks.MODULES if name not in sys.modules],\n"
        "    'heavy': [name for name in heavy if sys.modules.get(name)],\n"
        "    'threads': threading.active_count(),\n"
        "    'files': [*{*os.listdir('/proc/self/fd')} - before],\n"
        "    'folder': os.environ['PROMETHEUS_MULTIPROC_DIR'],\n"
        "}))\n"
    )
    env = {
        **os.environ,
        "PYTHONPATH": PYTHONPATH,
        "PROMETHEUS_MULTIPROC_DIR": str(tmp_path),
    }
    ran = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert json.loads(ran.stdout or "0") == {
        "missing": [],
        "heavy": [],
        "threads": 1,
        "files": [],
        "folder": str(tmp_path),
    }, ran.stderr
    assert [*tmp_path.iterdir()] == []
