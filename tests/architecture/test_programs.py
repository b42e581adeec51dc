"""No operation reaches a program, or a write of what decides who is trusted, unless it is in the programs class.

What each handler can reach is found in its code, so that a new operation, or a new call in an old one, needs no entry
here to be noticed. Tools of the model context protocol call these operations in their caller's name.
"""

import asyncio
import multiprocessing
import os
import pty
import re
import subprocess
from collections.abc import Iterator, Mapping
from functools import partial
from types import FunctionType

import pytest

from architecture.reach import Named, Reach, name_of
from signet.wire import operations
from signet.wire.access import Permission
from signet_api.routes import ROUTER

#: What starts a program.
STARTS = frozenset(
    {
        subprocess.Popen,
        subprocess.run,
        subprocess.call,
        subprocess.check_call,
        subprocess.check_output,
        subprocess.getoutput,
        asyncio.create_subprocess_exec,
        asyncio.create_subprocess_shell,
        multiprocessing.Process,
        pty.spawn,
        *(
            getattr(os, name)
            for name in dir(os)
            if re.fullmatch(
                r"system|popen|fork|forkpty|exec[lv]p?e?|posix_spawnp?|spawn[lv]p?e?", name
            )
        ),
    }
)
#: Statements that decide what runs, which folders are read, or who is trusted.
DECIDES = re.compile(r"\b(INTO|UPDATE|FROM)\s+(scheduled_tasks|connectors|agents)\b", re.IGNORECASE)
#: Jobs that run a program or read a folder.
JOBS = frozenset({"task_run", "connector_sync"})
#: Writers of files that decide the same, and of tokens.
WRITERS = frozenset(
    {
        "signet.config.manifest.rewrite",
        "signet.domain.identity.files.write",
        "signet.domain.secrets.vault.Vault.put",
        "signet.domain.secrets.vault.Vault.delete",
        "signet.domain.harnesses.files.apply",
        "signet.domain.auth.tokens.sign",
    }
)
#: Functions that start a program which no caller chooses or gives a word to.
FIXED: Mapping[str, str] = {
    "signet.domain.secrets.keys._mac": "ioreg names this machine, on macOS",
    "signet.process.kernel._shown": "ps shows a process of ours, on macOS",
}
_GIT = "runs git with fixed arguments in the workspace, to read"
_VAULT = "names the vault, of which it only reads"
#: What operations outside of the class reach nevertheless, and why that is safe.
SAFE: Mapping[tuple[str, str], str] = {
    ("change_config", "signet.config.manifest.rewrite"): "consent.check_settings stands before it",
    ("write_config", "signet.domain.identity.files.write"): "checks the consent itself",
    ("exchange", "signet.domain.auth.tokens.sign"): "for a code that only the user could sign",
    ("git_status", "signet.domain.gitsync.guarded._gh_knows"): "runs gh with fixed arguments",
    ("git_status", "signet.domain.gitsync.repository.Repository.run"): _GIT,
    ("forget", "signet.domain.gitsync.repository.Repository.run"): _GIT,
    ("git_settings", "signet.domain.gitsync.repository.Repository.run"): _GIT,
    **{
        (id, "signet.providers.command.Command._run"): "names the class, and asks only if it exists"
        for id in ("status", "overview")
    },
    **{
        (id, f"signet.domain.secrets.vault.Vault.{method}"): _VAULT
        for id in ("start_session", "git_status", "secrets")
        for method in ("put", "delete")
    },
}


def _sinks(name: str, named: Named) -> Iterator[str]:
    yield from (str(one) for one in named.foreign & STARTS)
    yield from (one for one in named.texts if _decides(one))
    yield from named.texts & JOBS
    if name in WRITERS:
        yield "write"


def _decides(text: str) -> bool:
    return any(
        match[1].upper() != "FROM" or re.search(r"DELETE\s+$", text[: match.start()], re.IGNORECASE)
        for match in DECIDES.finditer(text)
    )


def _reached(reach: Reach, start: object) -> set[str]:
    return {
        name_of(function)
        for function, named in reach.of(start)
        for _ in _sinks(name_of(function), named)
    }


@pytest.fixture(scope="module")
def reached() -> Mapping[str, set[str]]:
    """Map each operation to the functions with a sink that its handler reaches."""
    ids = {(one.method, one.path): id for id, one in operations.BY_ID.items()}
    reach = Reach()
    return {
        ids[method, getattr(route, "path", "")]: _reached(reach, getattr(route, "endpoint", None))
        for route in ROUTER.routes
        for method in getattr(route, "methods", ())
    }


def test_only_the_programs_class_reaches_programs_and_what_decides(
    reached: Mapping[str, set[str]],
) -> None:
    assert set(reached) == set(operations.BY_ID)
    outside = {
        (id, function)
        for id, functions in reached.items()
        for function in functions - set(FIXED)
        if operations.BY_ID[id].rule.permission is not Permission.PROGRAMS
    }
    assert outside - set(SAFE) == set(), "give the operation access.programs(...) (wire/access.py)"
    assert set(SAFE) - outside == set(), "these are not reached any more"


@pytest.mark.parametrize(
    ("id", "function"),
    [
        ("add_task", "signet.domain.tasks.scheduled.add"),
        ("run_task", "signet.domain.tasks.run._start"),
        ("add_connector", "signet.domain.connectors.registry.register"),
        ("sync_connector", "signet.domain.connectors.registry.start"),
        ("run_with_secrets", "signet.domain.secrets.use.run"),
        ("put_secret", "signet.domain.secrets.vault.Vault.put"),
        ("git_pull", "signet.domain.gitsync.repository.Repository.run"),
        ("change_git_settings", "signet.config.manifest.rewrite"),
        ("change_update_settings", "signet.config.manifest.rewrite"),
        ("install_update", "signet.domain.updates.install._install"),
        ("add_agent", "signet.config.manifest.rewrite"),
        ("issue_token", "signet.domain.auth.tokens.sign"),
        ("regenerate_harnesses", "signet.domain.harnesses.files.apply"),
    ],
)
def test_the_finder_sees_what_these_do(
    reached: Mapping[str, set[str]], id: str, function: str
) -> None:
    assert function in reached[id]


def _by_local_import() -> None:
    from subprocess import run as start

    start(["true"])


def _by_module() -> None:
    import os as system

    system.execv("/bin/true", [])


class _Program:
    def begin(self) -> None:
        subprocess.Popen(["true"])


def _by_instance() -> None:
    program = _Program()
    program.begin()


def _by_table() -> None:
    _TABLE["x"]()


async def _by_thread() -> None:
    await asyncio.to_thread(partial(_by_instance))


def _by_closure() -> None:
    def inner() -> None:
        _by_module()

    inner()


_TABLE = {"x": _by_local_import}


@pytest.mark.parametrize(
    "function",
    [_by_local_import, _by_module, _by_instance, _by_table, _by_thread, _by_closure],
)
def test_the_finder_sees_through_the_ways_of_calling(
    function: FunctionType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("architecture.reach._OURS", (f"{__name__}.",))
    assert _reached(Reach(), function)
