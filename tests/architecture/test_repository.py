"""Promises about the repository itself."""

import ast
import inspect
import re
import tomllib
from pathlib import Path
from typing import get_type_hints

import signet
from architecture.sources import ROOT, SOURCES, nodes
from signet.queue import KINDS


def imported(path: Path) -> set[str]:
    """Return the modules a file imports, with the names taken from packages."""
    found: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def test_the_gate_runs_the_readmes_test_command_word_for_word() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    commands = re.findall(r"^python3 -m venv .*$", readme, re.MULTILINE)
    assert len(commands) == 2, "exactly two set-up commands"
    assert commands[1] in (ROOT / ".ci" / "run").read_text("utf-8").splitlines()


def test_each_job_kind_has_one_actor_of_its_name() -> None:
    from signet_worker import actors

    own = {name: one for name, one in vars(actors).items() if inspect.isfunction(one)}
    public = {name for name in own if not name.startswith("_")}
    here = {name for name in public if own[name].__module__ == actors.__name__}
    assert here - {"actor_of"} == set(KINDS)


def test_each_actor_takes_its_job_and_the_context() -> None:
    from signet.queue.job_context import JobContext
    from signet_worker import actors
    from signet_worker.context import Context

    wanted = {"job": JobContext, "context": Context, "return": type(None)}
    assert all(get_type_hints(actors.actor_of(kind)) == wanted for kind in KINDS)


def test_no_exception_is_raised_into_a_running_thread() -> None:
    """A run over its time limit is asked to stop and its lease is ended (signet_worker/executor.py)."""
    raising = [path for path in SOURCES if "SetAsyncExc" in path.read_text("utf-8")]
    assert raising == []


def test_patterns_match_alike_in_every_python_3_11() -> None:
    """Python 3.11.0 to 3.11.4 match possessive groups wrongly if something inside can backtrack (gh-106052).

    Debian 12 has 3.11.2. A possessive set of characters and a group without a choice are right.
    """
    group = re.compile(r"\)(?:[*+?]|\{\d*,?\d*\})\+")
    without_choice = r"""_INSIDE = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)"""
    texts = [
        node.value if isinstance(node.value, str) else node.value.decode("latin-1")
        for path in SOURCES
        if without_choice not in path.read_text("utf-8")
        for node in nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    ]
    assert len(texts) > 10_000
    assert [text for text in texts if group.search(text)] == []


def test_services_never_touch_a_table() -> None:
    """Routes and actors call functions of a noun; only beats and leader own tables of their own."""
    own = {"beats.py", "leader.py"}
    sql = re.compile(r'"""\s*(SELECT|INSERT|UPDATE|DELETE)|"(SELECT|INSERT|UPDATE|DELETE) ')
    strangers = [
        str(path.relative_to(ROOT))
        for path in SOURCES
        if "services" in path.parts and path.name not in own and sql.search(path.read_text("utf-8"))
    ]
    assert strangers == []


def test_only_one_module_opens_the_database() -> None:
    openers = [
        str(path.relative_to(ROOT))
        for path in SOURCES
        if "sqlite3" in path.read_text("utf-8")
        and imported(path) & {"sqlite3", "pysqlite3", "pysqlite3.dbapi2"}
    ]
    assert openers == ["shared/signet/db/driver.py"]


def test_nothing_commits_but_the_writer_and_the_migration() -> None:
    committers = [
        str(path.relative_to(ROOT))
        for path in SOURCES
        if re.search(r'execute\("COMMIT"\)|\.commit\(\)', path.read_text("utf-8"))
    ]
    # A preview of an import and a state that is restored are files that no one else has open.
    alone = (
        "transfer/take.py",
        "memory/forgotten.py",
        "sessions/forget.py",
        "connectors/registry.py",
    )
    allowed = {"shared/signet/db/writer.py", "shared/signet/db/migrate.py"}
    allowed |= {f"shared/signet/db/postgres/{one}.py" for one in ("connection", "moving")}
    allowed |= {f"shared/signet/domain/{one}" for one in alone}
    assert set(committers) <= allowed


def test_the_wheel_carries_migrations_and_deploy_files_and_no_tests() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    wheel = build["targets"]["wheel"]
    assert wheel["force-include"] == {
        "alembic": "signet/_alembic",
        "deploy": "signet/_deploy",
        "CHANGELOG.md": "signet/_texts/CHANGELOG.md",
    }
    assert not [package for package in wheel["packages"] if "tests" in package]


def test_every_package_is_typed_and_the_changelog_names_the_version() -> None:
    for root in ("shared/signet", "services/api/signet_api"):
        assert (ROOT / root / "py.typed").exists()
    assert f"## {signet.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_alembic_stays_a_folder_of_scripts() -> None:
    """With an `__init__.py` the folder would hide the library of the same name."""
    assert not (ROOT / "alembic" / "__init__.py").exists()


def test_every_file_locked_has_a_hash() -> None:
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    pinned = re.findall(r"^[a-z0-9_.-]+==", lock, re.MULTILINE)
    assert len(pinned) > 20
    assert lock.count("--hash=sha256:") >= len(pinned)
    assert "://" not in re.sub(r"(?m)#.*$", "", lock)
