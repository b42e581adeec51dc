"""What every test shares: names of parameters, Ctrl-C for its programs, no timing by Hypothesis, no traces."""

from __future__ import annotations

import fcntl
import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from providers.native.cases import Models
from signet.domain import memory_followers
from support.database import ENGINES, RUN

TESTS = Path(__file__).parent

#: Prints whether the install found the model there already.
INSTALL = "from signet.providers.native import install as i; print(i.install(lambda *_: None)[1])"


#: A slow machine is no fault of what is tested, and what chance finds is no fault of whoever changes something else:
#: the examples are the same in each run, and half of the usual number. Others are tried with
#: `--hypothesis-profile=default`.
settings.register_profile(
    "signet",
    deadline=None,
    derandomize=True,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("signet")

NO_CONSTANTS = Constants()

#: As each process does when it starts.
memory_followers.register()

#: A shell gives what it runs in the background no Ctrl-C, and programs inherit that: some tests end theirs with it.
signal.signal(signal.SIGINT, signal.default_int_handler)


#: Folders whose files take longest. A process gets a whole file, so that one which began last would end alone.
SLOW = {"worker", "quickstart", "scheduler", "transfer", "dashboard", "harnesses", "identities"}

#: Tests that a run without `--engine` does on both engines. None of them may use a database of a fixture that several
#: tests share.
BOTH_ENGINES = (
    "api/test_forgotten.py",
    "api/test_jobs.py",
    "api/test_recall.py",
    "api/test_remember.py",
    "api/test_session_end.py",
    "db/test_writer.py",
    "queue/test_claim.py",
    "recall/test_visibility.py",
    "store/test_changes.py",
    "store/test_derived.py",
    "store/test_retention.py",
    "store/test_supersede.py",
    "unit/care/",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a run be on one engine: `pytest --engine postgres tests/store`."""
    text = "run all tests on this engine, without those about SQLite's file on the other"
    parser.addoption("--engine", choices=("sqlite", "postgres"), help=text)


def pytest_configure(config: pytest.Config) -> None:
    """Name the process whose end is the end of the run: the controller of pytest-xdist's workers, or this one.

    What programs leave in the temporary folder goes with the run, such as the runtime folder of a workspace whose path
    is too long for a socket.
    """
    if RUN not in os.environ:
        os.environ[RUN] = str(os.getpid())
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())
        os.environ.pop("XDG_RUNTIME_DIR", None)
        temporary = tempfile.mkdtemp(prefix="s")  # short: sockets have long names in it
        Path(temporary).chmod(0o711)  # some programs are another user's
        os.environ["TMPDIR"] = tempfile.tempdir = temporary
        config.add_cleanup(lambda: shutil.rmtree(temporary, ignore_errors=True))
    ENGINES.on_postgres = config.getoption("engine") == "postgres"
    what = "sqlite_file: is about SQLite's file, plans or locks, which PostgreSQL does not have"
    config.addinivalue_line("markers", what)
    what = "own_files: reads files of one machine into the memory, which hosts that share a server refuse"
    config.addinivalue_line("markers", what)
    if config.getoption("--hypothesis-profile") is None:
        # Else Hypothesis tries the constants of those of our modules that are loaded, too: the examples of a test
        # would depend on the other tests of the run and on every line of the product. And to read them takes each
        # process of a fresh clone four seconds.
        providers._get_local_constants = lambda: NO_CONSTANTS


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give each test its engine, or both."""
    chosen = metafunc.config.getoption("engine")
    path = metafunc.definition.path.relative_to(TESTS).as_posix()
    if chosen is None and path.startswith(BOTH_ENGINES):
        engines = ["sqlite"] if is_of_sqlite(metafunc.definition) else ["sqlite", "postgres"]
        metafunc.parametrize("engine", engines, indirect=True)


def is_of_sqlite(test: pytest.Item | pytest.Function) -> bool:
    """Return whether a test has no sense on a server."""
    return any(test.get_closest_marker(one) is not None for one in ("sqlite_file", "own_files"))


@pytest.fixture(autouse=True)
def engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """Choose the engine of a test's databases, and remove those it made on a server."""
    chosen = getattr(request, "param", None) or request.config.getoption("engine") or "sqlite"
    if chosen == "postgres" and is_of_sqlite(request.node):
        pytest.skip("about SQLite's file, or files of one machine")
    with ENGINES.during(on_postgres=chosen == "postgres"):
        yield chosen


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without looking for cycles, and look no more at what was collected: it stays until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let each worker of pytest-xdist read the files in an order of its own.

    In a fresh clone each would compile all of them at the same time; now one compiles a file and the others find it.
    """
    report = yield
    if isinstance(collector, pytest.Directory):
        Random(os.environ.get("PYTEST_XDIST_WORKER", "")).shuffle(report.result)
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the slow folders; all else is in the order of its paths."""
    items.sort(key=lambda item: (SLOW.isdisjoint(item.path.parts), item.path))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes by their argument and not by what is in them.

    The workers of pytest-xdist each collect the tests and must find the same names: bytes that hold a time (gzip's
    header does) or chance would differ between them.
    """
    return argname if isinstance(val, bytes | bytearray) else None


@pytest.fixture(scope="session", autouse=True)
def _own_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the user's own settings and keys out of tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _closed_kernel_table() -> Iterator[None]:
    """Close the socket that a process of the API keeps until its end, where tests were one."""
    yield
    peer_uid = sys.modules.get("signet_api.peer_uid")
    was_asked = peer_uid is not None and peer_uid._netlink.cache_info().currsize
    if peer_uid is not None and was_asked and (table := peer_uid._netlink()) is not None:
        table.close()


@pytest.fixture(scope="session")
def models() -> Models:
    """Install with two processes at once, so that one download serves every test of the run."""
    home = Path(tempfile.gettempdir()) / "models"
    said = home.with_suffix(".json")
    with home.with_suffix(".lock").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if not said.exists():
            said.write_text(json.dumps(_install(home)), "utf-8")
    return Models(home=home, said=json.loads(said.read_text("utf-8")))


def _install(home: Path) -> list[str]:
    environ = {
        **os.environ,
        "SIGNET_MODEL_DIR": str(home),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    command = [sys.executable, "-c", INSTALL]
    both = [
        subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    return [process.communicate(timeout=200)[0].strip() for process in both]
