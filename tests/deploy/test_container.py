"""The container, as far as it can be tested without one: its first start, and its files."""

import os
import subprocess
from pathlib import Path

from ruamel.yaml import YAML

from cli.program import Program

CONTAINER = Path(__file__).parents[2] / "deploy" / "container"


#: Starts no daemon and fetches no model.
STAND_IN = """#!/bin/sh
[ "$1 $2" = "daemon start" ] && echo "runs: $@" && exit
[ "$1" = setup ] && set -- "$@" --no-model
exec {program} "$@"
"""


def test_the_first_start_makes_a_workspace_that_wants_keys(tmp_path: Path) -> None:
    signet = Program(home=tmp_path, workspace=tmp_path / "agents")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "signet").write_text(STAND_IN.format(program=" ".join(signet.command())))
    (programs / "signet").chmod(0o755)
    environ = signet.environment()
    environ["PATH"] = os.pathsep.join((str(programs), environ["PATH"]))
    for start in range(2):  # the second start finds what the first made, and was killed over
        if start:
            signet.run("config", "set", "auth.mode", "local")
        done = subprocess.run(
            ["sh", str(CONTAINER / "start")], env=environ, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert "runs: daemon start --foreground" in done.stdout
    assert signet.run("config", "get", "auth.mode").out.strip().endswith("team")


def test_prometheus_and_grafana_get_the_shipped_files_and_listen_on_this_machine() -> None:
    services = YAML(typ="safe").load((CONTAINER / "monitoring.yaml").read_text("utf-8"))["services"]
    for service in services.values():
        assert all(port.startswith("127.0.0.1:") for port in service["ports"])
        sources = [one.partition(":")[0] for one in service["volumes"] if one.startswith(".")]
        assert sources and all((CONTAINER / source).exists() for source in sources)
    mounted = {one.split(":")[0]: one.split(":")[1] for one in services["grafana"]["volumes"]}
    board = Path(mounted["../grafana.json"])
    provider = YAML(typ="safe").load(
        (CONTAINER / mounted_source(mounted, "dashboards") / "signet.yml").read_text("utf-8")
    )["providers"][0]
    assert Path(provider["options"]["path"]) == board.parent


def mounted_source(mounted: dict[str, str], name: str) -> str:
    return next(source for source in mounted if source.endswith(name))


def test_it_is_not_root_read_only_and_looked_after() -> None:
    image, compose = (
        (CONTAINER / name).read_text("utf-8") for name in ("Containerfile", "compose.yaml")
    )
    assert image.index("USER signet") < image.index("ENTRYPOINT")
    assert "HEALTHCHECK" in image and "VOLUME /data" in image
    for promise in ("read_only: true", "cap_drop: [ALL]", '"127.0.0.1:3850:3850"', "signet:/data"):
        assert promise in compose
