"""Every command and every program of the documentation works, and prints what its page says."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli.program import Program
from docs.pages import (
    DOCS,
    PROGRAMS,
    ROOT,
    Block,
    arguments,
    blocks,
    difference,
    is_generated,
    masked,
)
from docs.world import a_home, a_session_today, served
from support.printed import fault

#: Pages whose commands are run. The reference is made from the product, rules and decisions have none.
CLIENT = ROOT / "clients" / "javascript"
PAGES = [
    ROOT / "README.md",
    CLIENT / "README.md",
    *sorted(path for path in DOCS.glob("*.md") if path.name != "index.md"),
    *(
        path
        for folder in ("start", "concepts", "guides", "troubleshooting", "reference")
        for path in sorted((DOCS / folder).glob("*.md"))
    ),
]
PAGES = [page for page in PAGES if not is_generated(page)]
#: It starts a daemon.
TUTORIAL = DOCS / "start" / "index.md"
#: Pages about a session that received something.
AFTER_A_SESSION = {"README.md", "why.md"}
#: Commands that are not run wherever they are, and why.
NOT_RUN = {
    "npm ": "installs into the reader's folder; tests/client packs and installs it",
    "signet daemon start            ": "it runs",
    "uv ": "installs into the reader's environment",
    "python3 -m venv": "tests/quickstart runs the quickstart",
    "signet setup             ": "asks; the tutorial runs it without questions",
    "signet secret put": "asks for a value",
    "signet secret exec": "needs the program of the example",
    "signet connect": "needs a second machine",
    "signet dashboard": "opens a browser",
    "signet restore FILE": "replaces the workspace",
    "cp ": "a place-holder",
}
#: The line after which a real session of Claude Code is played.
CLAUDE = "claude -p"
#: Tests have no model and need none.
ADDED = {"setup": ("--no-model", "--embedding-provider", "none", "--extraction-provider", "rules")}


def typed(page: Path) -> list[Block]:
    """Return what a reader of a page types."""
    languages = ("sh", "console", "powershell", *PROGRAMS)
    return [block for block in blocks(page) if block.language in languages]


def needs_daemon(page: Path) -> bool:
    """Return whether a page calls a daemon that it does not start itself."""
    return page != TUTORIAL and any(
        block.language in PROGRAMS or any(not is_local(command) for command, _ in block.commands())
        for block in typed(page)
        if not block.why_not
    )


def is_local(command: str) -> bool:
    return command.startswith(("signet harness", "signet config", "signet models", "signet paths"))


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    program = a_home(tmp_path / "ana")
    monkeypatch.chdir(program.home / "larder")
    return program


@pytest.mark.parametrize(
    "page", [*filter(needs_daemon, PAGES)], ids=lambda page: str(page.relative_to(ROOT))
)
def test_a_page_works_as_written(page: Path, reader: Program) -> None:
    with served(reader, next((block.mode for block in typed(page) if block.mode), "local")):
        if page.name in AFTER_A_SESSION:
            a_session_today(reader)
        play(page, reader)


def test_pages_that_need_no_daemon_work_as_written(reader: Program) -> None:
    reader.run("setup", "--yes", "--no-daemon", "--skip-git", *ADDED["setup"])
    (reader.home / ".openclaw").mkdir()
    (reader.home / ".openclaw" / "openclaw.json").write_text("{}")
    for page in PAGES:
        if page != TUTORIAL and not needs_daemon(page):
            play(page, reader)


def test_the_tutorial_works_as_written(reader: Program) -> None:
    try:
        play(TUTORIAL, reader)
    finally:
        reader.run("daemon", "stop")


def play(page: Path, reader: Program) -> None:
    for block in typed(page):
        run(page, block, reader)


def run(page: Path, block: Block, reader: Program) -> None:
    if block.language in PROGRAMS:
        program(page, block, reader)
        return
    for command, promised in block.commands():
        place = f"{page.relative_to(ROOT)}:{block.line}: {command}"
        if block.why_not or command.startswith(tuple(NOT_RUN)):
            if command.startswith(CLAUDE):
                a_session_today(reader)
            for said in re.findall(r"^signet (.*?)(?:  #.*)?$", command):
                assert fault(said) is None, f"{place}: {fault(said)}"
            continue
        status, printed, hints = ran(command, reader)
        assert status == 0, f"{place}\n{printed}{hints}"
        if promised is not None:
            wrong = compared(promised, printed, block, reader)
            if wrong and hints:
                wrong = compared(promised, printed + hints, block, reader)
            assert wrong is None, f"{place}\npromised {masked(wrong)!r}; printed\n{printed}{hints}"


def compared(promised: list[str], printed: str, block: Block, reader: Program) -> str | None:
    lines = printed.replace(str(reader.home), "/home/ana").splitlines()
    return difference(
        [line for line in promised if line.strip()],
        [line for line in lines if line.strip()],
        block.differs,
    )


#: Hooks do not give up on a busy machine.
PATIENT = dict.fromkeys(("SIGNET_SESSION_START_TIMEOUT", "SIGNET_PROMPT_SUBMIT_TIMEOUT"), "60000")


def ran(command: str, reader: Program) -> tuple[int, str, str]:
    """Run a command, in a shell if it needs one, and return its status, its output and its hints."""
    words = arguments(command)
    if words is None:
        environ = reader.environment(SIGNET_PORT=str(reader.port), **PATIENT)
        said = command.replace("/home/ana", str(reader.home))
        typed = subprocess.run(["sh", "-c", said], env=environ, capture_output=True, text=True)
        return typed.returncode, typed.stdout, typed.stderr
    home = str(reader.home)
    words = [re.sub(r"^~(?=/|$)", home, word).replace("/home/ana", home) for word in words]
    done = reader.run(*words, *ADDED.get(words[0], ()), SIGNET_PORT=str(reader.port), **PATIENT)
    return done.status, done.out, done.err


def program(page: Path, block: Block, reader: Program) -> None:
    commands = {"python": [sys.executable, "-c"], "js": in_node(reader)}
    command = commands[block.language]
    if block.why_not or command is None:
        return
    text = "\n".join(block.text).replace("/home/ana", str(reader.home))
    done = subprocess.run(
        [*command, text],
        env=reader.environment(SIGNET_PORT=str(reader.port)),
        capture_output=True,
        text=True,
    )
    place = f"{page.relative_to(ROOT)}:{block.line}"
    assert done.returncode == 0, f"{place}\n{done.stderr}"
    if block.output is not None:
        wrong = compared(block.output, done.stdout, block, reader)
        assert wrong is None, f"{place}\npromised {wrong!r}; printed\n{done.stdout}"


def in_node(reader: Program) -> list[str] | None:
    """Return the command for a program that finds the client where npm installs it; None without Node."""
    place = reader.home / "node_modules" / "@signetai" / "client"
    if not place.exists():
        place.parent.mkdir(parents=True)
        place.symlink_to(CLIENT)
    node = shutil.which("node")
    return [node, "--input-type=module", "-e"] if node else None


@pytest.mark.parametrize(
    ("promised", "found", "is_same"),
    [
        (["Saved: 01a22a31-7742-759a-8863-d6abefd9522f"], ["Saved: 01a22b00-0000-7000-8000-0123456789ab"], True),
        (["2026-11-30 [100%] Tabs"], ["2027-01-02 [46%] Tabs"], True),
        (["one", "…", "four"], ["one", "two", "three", "four"], True),
        (["one", "…"], ["one"], True),
        (["a … b"], ["a long way to b"], True),
        (["one"], ["two"], False),
        (["one"], ["one", "two"], False),
        (["one", "two"], ["one"], False),
    ],
)  # fmt: skip
def test_outputs_are_compared_without_digits_and_ids(
    promised: list[str], found: list[str], is_same: bool
) -> None:
    assert (difference(promised, found) is None) is is_same
