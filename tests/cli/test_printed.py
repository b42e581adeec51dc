"""Commands that Signet prints: each one exists, and what setup ends with works in a shell that knows nothing of us."""

import ast
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.program import ROOT, SOURCES, Program
from docs.pages import is_generated
from signet.cli import output
from support.printed import commands, fault

TEXTS = (
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(ROOT.glob("docs/*.md")),
    *sorted(ROOT.glob("docs/[!d]*/*.md")),
)


def literals(path: Path) -> Iterator[str]:
    """Yield the texts in a Python file; what a text takes in at run time stands as a zero."""
    module = ast.parse(path.read_text("utf-8"))
    inside: set[ast.AST] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.JoinedStr):
            inside.update(node.values)
            parts = [str(v.value) if isinstance(v, ast.Constant) else "\0" for v in node.values]
            yield "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in inside:
            yield node.value


def printed() -> list[tuple[str, str]]:
    """Return every command that a source, a template or the README holds, with where it stands."""
    found = []
    for path in (one for source in SOURCES for one in sorted(source.rglob("*.py"))):
        if not re.search("signet[ \"']", path.read_text("utf-8")):
            continue
        for text in literals(path):
            found += [(str(path.relative_to(ROOT)), said) for said in commands(text)]
    templates = ROOT / "shared" / "signet" / "templates"
    for path in (*TEXTS, *sorted(templates.rglob("*.md"))):
        if is_generated(path):
            continue
        found += [(str(path.relative_to(ROOT)), said) for said in commands(path.read_text("utf-8"))]
    return found


def test_every_command_that_is_printed_exists() -> None:
    found = printed()
    assert len(found) > 300
    assert [(where, said, why) for where, said in found if (why := fault(said)) is not None] == []


@pytest.mark.parametrize(
    ("said", "is_wrong"),
    [
        ("doctor --fix", False),
        ("harness install codex", False),
        ("memory lisst", True),
        ("status --everything", True),
        ("harnesses install", True),
        ("hook session-start -H codex", False),
        ("hook session-begin", True),
    ],
)
def test_a_command_that_is_not_there_is_found(said: str, is_wrong: bool) -> None:
    assert (fault(said) is not None) is is_wrong


def typed(program: Program, command: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a command as it was printed, in a shell with a bare PATH."""
    given = {**bare(program), **environ}
    return subprocess.run(
        ["/bin/sh", "-c", command], env=given, cwd=program.home, capture_output=True, text=True
    )


def bare(program: Program) -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "HOME": str(program.home)}


def test_what_setup_ends_with_works_in_a_bare_shell(tmp_path: Path) -> None:
    (tmp_path / ".codex").mkdir()
    program = Program(home=tmp_path, workspace=tmp_path / "else where")
    flags = ("--non-interactive", "--embedding-provider", "none", "--extraction-provider", "rules")
    where = ["-p", str(program.workspace), "--port", str(program.port), "--skip-git"]
    own = Path(sys.executable).with_name("signet")
    try:
        done = typed(program, shlex.join([str(own), "setup", *flags, *where]))
        assert done.returncode == 0, done.stderr
        *_, connect, remember = done.stdout.splitlines()
        assert typed(program, connect.partition("Connect with: ")[2]).returncode == 0
        assert (tmp_path / ".codex" / "hooks.json").exists()
        said = typed(program, remember.removeprefix("Try: "))
        assert said.returncode == 0, said.stderr
        assert "tabs" in program.run("memory", "list").out
    finally:
        program.run("daemon", "stop")


def test_what_quickstart_ends_with_works_in_a_bare_shell(tmp_path: Path) -> None:
    (tmp_path / ".codex").mkdir()
    program = Program(home=tmp_path, workspace=tmp_path / ".agents")
    own = shlex.quote(str(Path(sys.executable).with_name("signet")))
    environ = {"SIGNET_MODEL_DIR": str(tmp_path / "models")}
    tried = typed(program, f"{own} quickstart --no-model", **environ)
    assert tried.returncode == 0, tried.stderr
    [step, text] = tried.stdout.splitlines()[-1].strip().split("  ")
    assert text.startswith("set up your own memory") and not program.workspace.exists()
    flags = "--non-interactive --embedding-provider none --extraction-provider rules --no-daemon"
    made = typed(program, f"{step} {flags}")
    assert made.returncode == 0, made.stderr
    assert program.workspace.exists()
    *_, start, connect, remember = made.stdout.splitlines()
    try:
        assert typed(program, connect.partition("Connect with: ")[2]).returncode == 0
        assert (tmp_path / ".codex" / "hooks.json").exists()
        begin = start.partition(": ")[2]
        assert typed(program, begin, SIGNET_PORT=str(program.port)).returncode == 0
        assert typed(program, remember.removeprefix("Try: ")).returncode == 0
        assert "tabs" in program.run("memory", "list").out
    finally:
        program.run("daemon", "stop")


def test_the_next_step_of_signet_alone_works_in_a_bare_shell(tmp_path: Path) -> None:
    program = Program(home=tmp_path, workspace=tmp_path / ".agents")
    own = Path(sys.executable).with_name("signet")
    shown = typed(program, str(own)).stdout
    step = next(line for line in shown.splitlines() if line.startswith("Next: "))
    assert typed(program, f"{step.removeprefix('Next: ')} --help").returncode == 0


def spelled(cwd: Path, program: Path, path: str) -> str:
    """Return how a program calls itself that was started so."""
    code = "import sys; sys.argv = sys.argv[1:]; from signet.cli import output; print(output.program())"
    environ = {"PATH": path, "PYTHONPATH": os.pathsep.join(map(str, SOURCES))}
    done = subprocess.run(
        [sys.executable, "-c", code, str(program)],
        cwd=cwd,
        env=environ,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_program_is_called_as_the_shell_finds_it(tmp_path: Path) -> None:
    own, other = tmp_path / "my env/bin/signet", tmp_path / "other/signet"
    for one in (own, other):
        one.parent.mkdir(parents=True)
        one.write_text("#!/bin/sh\n")
        one.chmod(0o755)
    link = tmp_path / "links/signet"
    link.parent.mkdir()
    link.symlink_to(own)
    assert spelled(tmp_path / "other", own, str(own.parent)) == "signet"
    assert spelled(tmp_path / "other", own, str(link.parent)) == "signet"
    assert spelled(tmp_path / "other", own, str(other.parent)) == shlex.quote(str(own))
    assert spelled(tmp_path, own, "/usr/bin") == "'my env/bin/signet'"
    assert spelled(own.parent, own, "/usr/bin") == "./signet"


def test_only_commands_are_written_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "program", lambda: "X")
    bold = output.Ink(on=True)
    assert output.runnable(
        f"Try: {bold.bold('signet status')}, {bold.name('signet daemon stop')}"
    ) == ("Try: \x1b[1mX status\x1b[0m, \x1b[36mX daemon stop\x1b[0m")
    for text in ("/opt/signet status", "my-signet status", "the signet.", "~/.signet x"):
        assert output.runnable(text) == text
