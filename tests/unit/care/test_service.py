"""Start at login, and taking everything out again: exactly what was put there, and nothing of anybody else."""

import plistlib
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from signet import clock
from signet.care import service, uninstall
from signet.cli.main import main
from signet.domain.backup import kept
from signet.domain.harnesses import registry
from signet.domain.harnesses.models import Site
from signet.errors import Conflict, Invalid
from signet.paths import Workspace


class Manager:
    """Hears commands instead of running them."""

    def __init__(self, refuses: str = "") -> None:
        self.heard: list[str] = []
        self._refuses = refuses

    def __call__(self, command: Sequence[str]) -> str | None:
        self.heard.append(shlex.join(command))
        return "no bus" if self._refuses and self._refuses in command else None


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path


def test_the_unit_starts_this_interpreter_on_this_workspace(home: Path) -> None:
    place = home / 'work 100% "x"'
    found = service.planned(Workspace(place), port=4000, environ={}, platform="linux")
    assert found.path == home / ".config/systemd/user/signet.service"
    (line,) = [line for line in found.text.splitlines() if line.startswith("ExecStart=")]
    words = shlex.split(line.removeprefix("ExecStart=").replace("%%", "%"))
    assert words[:4] == [sys.executable, "-P", "-m", "signet.cli.main"]
    assert words[4:] == ["daemon", "start", "--foreground", "--path", str(place), "--port", "4000"]
    assert "%h" not in line


def test_the_agent_of_launchd_does_the_same(home: Path) -> None:
    found = service.planned(Workspace(home / "w & x"), environ={}, platform="darwin")
    assert found.path == home / "Library/LaunchAgents/ai.signet.daemon.plist"
    agent = plistlib.loads(found.text.encode())
    assert agent["ProgramArguments"][-2:] == ["--path", str(home / "w & x")]
    assert agent["ProgramArguments"][0] == sys.executable
    assert agent["Label"] == "ai.signet.daemon"


#: Folders as people have them; the last two are none that a service can use.
FOLDERS = [
    "/home/ana/.local/bin",
    '/opt/100% $HOME/my "bin"',
    "/usr/bin",
    "/usr/bin",
    "bin",
    "/new\nline",
]
KEPT = ":".join(FOLDERS[:3])


def test_the_unit_finds_the_programs_that_its_installer_finds(home: Path) -> None:
    environ = {"PATH": ":".join(FOLDERS)}
    found = service.planned(Workspace(home / "w"), environ=environ, platform="linux")
    service.install(found, Manager())
    lines = found.path.read_text().splitlines()
    (line,) = [line for line in lines if line.startswith("Environment=")]
    assert lines.index("[Service]") < lines.index(line) < lines.index("[Install]")
    assert shlex.split(line.removeprefix("Environment=").replace("%%", "%")) == [f"PATH={KEPT}"]
    assert shutil.which("systemd-analyze") is None or "Unknown" not in _analysed(found.path)


def _analysed(unit: Path) -> str:
    """Return what systemd itself says of a unit."""
    command = ["systemd-analyze", "--user", "verify", str(unit)]
    return subprocess.run(command, capture_output=True, text=True).stderr


def test_so_does_the_agent_of_launchd(home: Path) -> None:
    environ = {"PATH": ":".join(FOLDERS)}
    found = service.planned(Workspace(home / "w"), environ=environ, platform="darwin")
    service.install(found, Manager())
    agent = plistlib.loads(found.path.read_bytes())
    assert agent["EnvironmentVariables"] == {"PATH": KEPT}


def test_installing_twice_writes_once_and_removing_leaves_nothing(home: Path) -> None:
    manager = Manager()
    found = service.planned(Workspace(home / "w"), environ={}, platform="linux")
    assert service.install(found, manager) == (True, [])
    assert service.install(found, manager) == (False, [])
    assert "systemctl --user enable --now signet.service" in manager.heard
    assert service.remove(found, manager) == (True, [])
    assert service.remove(found, manager) == (False, [])
    assert manager.heard[-2:] == [
        "systemctl --user disable --now signet.service",
        "systemctl --user daemon-reload",
    ]
    assert not [*found.path.parent.iterdir()]


@pytest.mark.parametrize("place", ["uv/archive-v0/wTmaa", "pipx/.cache/0a1b"])
def test_a_temporary_environment_gets_no_service(
    home: Path,
    place: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.prefix", str(home / place))
    assert main(["daemon", "install", "--path", str(home / "w")]) == 1
    assert "uv tool install signetai" in capsys.readouterr().err
    assert not [*home.iterdir()]


def test_what_the_manager_refuses_is_told(home: Path) -> None:
    found = service.planned(Workspace(home / "w"), environ={}, platform="linux")
    assert service.install(found, Manager("enable")) == (
        True,
        ["systemctl --user enable --now signet.service: no bus"],
    )
    assert found.is_written


def test_a_unit_of_somebody_else_is_left_alone(home: Path) -> None:
    found = service.planned(Workspace(home / "w"), environ={}, platform="linux")
    found.path.parent.mkdir(parents=True)
    found.path.write_text("[Service]\nExecStart=/bin/true\n")
    with pytest.raises(Conflict):
        service.install(found, Manager())
    assert service.remove(found, Manager()) == (False, [])
    assert "/bin/true" in found.path.read_text()


def test_uninstalling_takes_out_what_was_put_in_and_leaves_the_workspace(home: Path) -> None:
    workspace = Workspace(home / "w")
    workspace.make()
    workspace.database.write_bytes(b"1")
    environ: dict[str, str] = {}
    service.install(service.planned(workspace, environ=environ), Manager())
    script = home / ".bash_completions" / "signet.sh"
    script.parent.mkdir()
    script.write_text("complete")
    rc = home / ".bashrc"
    rc.write_text(f"alias ll='ls -l'\nsource '{script}'\nexport A=1\n")
    site = Site(workspace=workspace, home=home)
    assert registry.connect(site, "codex").success

    def run(*, purge: bool = False) -> list[str]:
        steps = uninstall.steps(workspace, Manager(), purge=purge, environ=environ)
        assert {step.run() for step in steps} <= {(True, "")}
        # Sockets lie elsewhere only where the path of the workspace is too long for them.
        return [step.what for step in steps if not step.what.startswith("sockets")]

    assert [what.split()[0] for what in run()] == ["the", "codex:", "shell", "shell"]
    assert rc.read_text() == "alias ll='ls -l'\nexport A=1\n"
    assert not script.exists()
    assert not registry.HARNESSES["codex"].is_installed(site)
    assert workspace.database.exists()
    assert run() == []
    assert uninstall.delete_command(workspace) == f"rm -rf {shlex.quote(str(workspace.root))}"
    (what,) = run(purge=True)
    assert "backups" in what
    assert not workspace.root.exists()


def test_a_purge_names_the_backups_that_it_leaves(home: Path) -> None:
    workspace = Workspace(home / ".agents")
    workspace.backups_dir.mkdir(parents=True)
    far, near = home / "far.zip", workspace.backups_dir / "signet-20260301T000000Z-daily.zip"
    for path in (far, near):
        path.write_bytes(b"zip")
    kept.note(workspace, far, clock.now())
    assert {one.path for one in kept.backups(workspace)} == {far, near}
    assert uninstall.far_backups(workspace) == [far]


def test_a_purge_that_would_be_a_mistake_is_refused(home: Path) -> None:
    for root in (home, home.parent, Path("/")):
        with pytest.raises(Invalid, match="is not deleted"):
            uninstall.steps(Workspace(root), Manager(), purge=True, environ={})
    thesis = home / "thesis"
    thesis.mkdir()
    (thesis / "chapter.md").write_text("One.")
    with pytest.raises(Invalid, match="does not look like a workspace"):
        uninstall.steps(Workspace(thesis), Manager(), purge=True, environ={})


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/home/n/.local/share/uv/tools/signetai", "uv tool uninstall signetai"),
        ("/home/n/.local/share/pipx/venvs/signetai", "pipx uninstall signetai"),
        ("/home/n/venv", f"{sys.executable} -m pip uninstall signetai"),
    ],
    ids=["uv", "pipx", "pip"],
)
def test_the_program_is_removed_by_what_installed_it(prefix: str, command: str) -> None:
    assert uninstall.program_command(prefix) == command
