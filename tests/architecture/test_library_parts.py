"""Private parts of libraries: which we use, where, and the newest version with which that was seen to work.

When a library is updated and one of these fails, its message names the library, the version and our module. Then mend
that module, and move the bound in pyproject.toml together with `KNOWN`.
"""

import ast
import gc
import inspect
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from architecture.sources import ROOT, SOURCES, nodes

#: The newest version of each library with which our use of its private parts was seen to work, and our one module.
KNOWN = {
    "prometheus-client": ("0.26.0", "shared/signet/observe/mapped.py"),
    "supervisor": ("4.3.0", "shared/signet/daemon/tree.py"),
    "starlette": ("1.10.0", "services/api/signet_api/segments.py"),
    "typer": ("0.28.0", "shared/signet/cli/main.py"),
}

#: What is taken from them by a name with an underscore.
TAKEN = {
    "shared/signet/cli/tree.py: _click",  # for the type checker only
}

#: Attributes with an underscore that are public all the same.
PUBLIC = {"_replace", "_make", "_fields", "_field_defaults", "_asdict", "_exit"}


@contextmanager
def parts_of(library: str) -> Iterator[None]:
    """Name the library, its version and our module when something is not as expected."""
    known, module = KNOWN[library]
    try:
        yield
    except (AssertionError, AttributeError, ImportError, TypeError) as error:
        pytest.fail(
            f"{library} {version(library)} changed a private part that {module} uses (it worked with {known}): {error}"
        )


def requirements() -> dict[str, str]:
    """Return what pyproject.toml asks of each library, by name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    found: dict[str, str] = {}
    for line in project["dependencies"]:
        name = re.match(r"[A-Za-z0-9._-]+", line)
        assert name is not None
        found[name[0]] = line.removeprefix(name[0])
    return found


@pytest.mark.parametrize("library", KNOWN)
def test_a_library_with_private_parts_in_use_has_an_upper_bound(library: str) -> None:
    assert "<" in requirements()[library]
    assert (ROOT / KNOWN[library][1]).exists()


def test_prometheus_client_keeps_its_values_in_our_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import prometheus_client.values

    from signet.observe import mapped, metrics

    assert metrics.HTTP_REQUESTS is not None  # made after the files were exchanged
    values: Any = prometheus_client.values  # ships no types
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    with parts_of("prometheus-client"):
        value = values.MultiProcessValue()("counter", "tried", "tried", (), (), "")
        value.inc(2.0)
        (file,) = [
            one
            for one in gc.get_objects()
            if isinstance(one, mapped.MappedValues) and str(tmp_path) in str(vars(one)["_fname"])
        ]
        assert {"_f", "_m", "_capacity", "_positions", "_used"} <= vars(file).keys()
        assert callable(mapped.MmapedDict._init_value)  # type: ignore[attr-defined]  # ships no types
        assert [entry[1] for entry in mapped.MappedValues.read_all_values(file)] == [2.0]  # type: ignore[no-untyped-call]


def test_supervisor_calls_what_we_override() -> None:
    from supervisor import loggers
    from supervisor.medusa import asyncore_25 as asyncore
    from supervisor.options import ServerOptions
    from supervisor.supervisord import Supervisor

    with parts_of("supervisor"):
        assert "runforever" in Supervisor.run.__code__.co_names
        called = Supervisor.runforever.__code__.co_names
        assert {"ordered_stop_groups_phase_1", "ordered_stop_groups_phase_2"} <= set(called)
        assert "stop_groups" in inspect.getsource(Supervisor)
        assert "handleError" in loggers.StreamHandler.emit.__code__.co_names + (
            loggers.Handler.emit.__code__.co_names
        )
        assert "parse_criticals" in ServerOptions.make_logger.__code__.co_names
        assert "make_logger" in Supervisor.main.__code__.co_names + Supervisor.run.__code__.co_names
        assert callable(ServerOptions.close_httpservers)
        assert isinstance(asyncore.socket_map, dict)
        assert issubclass(asyncore.ExitNow, Exception)


def test_starlette_takes_our_segments_for_parameters_without_a_type() -> None:
    from starlette.routing import compile_path

    from signet_api import segments

    segments.install()
    with parts_of("starlette"):
        converter = compile_path("/api/memory/{id}")[2]["id"]
        assert type(converter).__module__ == "signet_api.segments"


def test_typer_takes_the_name_of_a_shell_when_it_may_not_look_for_it() -> None:
    from typer import completion

    with parts_of("typer"):
        constants = completion.get_completion_inspect_parameters.__code__.co_consts
        assert "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION" in constants


@pytest.mark.parametrize(("kept_out", "loaded"), [(True, False), (False, True)])
def test_rich_is_kept_out_of_the_daemon_and_would_come_otherwise(
    kept_out: bool, loaded: bool
) -> None:
    """When structlog and httpx do not load it any more, the line in signet/process/boot.py can go."""
    program = (
        "import sys\n"
        f"if {kept_out}: sys.modules['rich'] = None\n"
        "import structlog, httpx\n"
        "print('rich.console' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ran.stdout.strip(), ran.stderr) == (str(loaded), "")


def test_no_other_module_uses_private_parts_of_a_library() -> None:
    found = {
        f"{path.relative_to(ROOT)}: {part}" for path in SOURCES for part in private_parts(path)
    }
    assert found == TAKEN


def private_parts(path: Path) -> set[str]:
    """Return the names with an underscore that a module takes from another package's modules and objects."""
    found: set[str] = set()
    every = nodes(path)
    own = {node.name for node in every if isinstance(node, ast.FunctionDef)} | {
        node.attr
        for node in every
        if isinstance(node, ast.Attribute)
        and is_private(node.attr)
        and ast.unparse(node.value) in ("self", "cls", "super()")
    }
    for node in every:
        if isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("signet"):
            names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            found.update(name for name in names if is_private(name))
        elif isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in own:
            found.add(node.attr)
    return found - PUBLIC


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")
