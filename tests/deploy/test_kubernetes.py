"""The Kubernetes files, as far as they can be tested without a cluster: every name in them, and what their pods do."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import pytest
from ruamel.yaml import YAML

from signet import config
from signet.domain.auth import tokens
from signet.paths import Workspace
from signet.wire import access
from signet.wire.status import HEALTH
from storage.hosts import rows
from support import postgres
from support.ports import free_port
from support.processes import PYTHONPATH, eventually, program

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "kubernetes"
GUIDE = ROOT / "docs" / "guides" / "postgresql.md"
PROGRAMS = ("api", "worker", "scheduler")
#: Of the library that connects to the server.
LIBPQ = {"PGPASSWORD"}


@cache
def read(name: str) -> Any:
    return YAML(typ="safe").load((FOLDER / name).read_text("utf-8"))


def pod(name: str) -> Any:
    return read(f"{name}.yaml")["spec"]["template"]["spec"]


def container(name: str) -> Any:
    [found] = pod(name)["containers"]
    return found


def image() -> str:
    return (ROOT / "deploy" / "container" / "Containerfile").read_text("utf-8")


def image_variables() -> dict[str, str]:
    """Return the variables that the image sets."""
    [text] = re.findall(r"^ENV ((?:.*\\\n)*.*)$", image(), re.MULTILINE)
    return dict(part.split("=", 1) for part in text.replace("\\\n", " ").split())


def volumes(of: Any) -> dict[str, Any]:
    return {one["name"]: one for one in of["volumes"]}


def test_each_file_is_named_and_each_name_is_a_file() -> None:
    found = read("kustomization.yaml")
    named = [*found["resources"], *(one["path"] for one in found["patches"])]
    named += [file for one in found["configMapGenerator"] for file in one["files"]]
    assert sorted([*named, "kustomization.yaml"]) == sorted(one.name for one in FOLDER.iterdir())
    assert [one["target"] for one in found["patches"]] == [{"kind": "Deployment"}]
    images = {one["image"] for name in (*PROGRAMS, "pod") for one in containers(name)}
    assert images == {one["name"] for one in found["images"]}


def containers(name: str) -> list[Any]:
    found = [*pod(name).get("initContainers", []), *pod(name)["containers"]]
    return [one for one in found if "image" in one]


def test_pods_run_the_programs_of_the_procfile() -> None:
    procfile = dict(
        line.split(": ", 1) for line in (ROOT / "Procfile").read_text("utf-8").splitlines()
    )
    assert {name: " ".join(container(name)["command"]) for name in PROGRAMS} == procfile
    assert all(find_spec(container(name)["command"][-1]) for name in PROGRAMS)
    # The patch names the same container.
    assert {container(name)["name"] for name in (*PROGRAMS, "pod")} == {"program"}
    for name in ("api", "worker"):
        [model] = pod(name)["initContainers"]
        assert model["command"] == ["signet", "models", "install"]


def test_the_service_leads_to_the_port_on_which_the_api_listens() -> None:
    [port] = read("service.yaml")["spec"]["ports"]
    [listens] = container("api")["ports"]
    default = config.load(Workspace(FOLDER), image_variables()).address
    assert port["targetPort"] == listens["name"]
    assert port["port"] == listens["containerPort"] == default.port
    assert f"EXPOSE {default.port}" in image() and default.bind == "0.0.0.0"
    chosen = read("service.yaml")["spec"]["selector"].items()
    assert chosen <= read("api.yaml")["spec"]["template"]["metadata"]["labels"].items()
    for name in PROGRAMS:
        spec = read(f"{name}.yaml")["spec"]
        assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"]


def test_probes_ask_what_answers_without_a_key() -> None:
    probes = [container("api")[f"{kind}Probe"] for kind in ("startup", "liveness", "readiness")]
    assert {one["httpGet"]["path"] for one in probes} == {HEALTH.path}
    assert {one["httpGet"]["port"] for one in probes} == {container("api")["ports"][0]["name"]}
    assert HEALTH.rule is access.OPEN


def test_pods_have_no_rights_and_write_only_where_a_volume_is() -> None:
    shared = pod("pod")
    [user] = re.findall(r"useradd --uid (\d+)", image())
    rights = shared["securityContext"]
    assert rights["runAsNonRoot"] and rights["runAsUser"] == rights["fsGroup"] == int(user)
    limited = [*shared["initContainers"], *shared["containers"]]
    limited += [one for name in PROGRAMS for one in pod(name).get("initContainers", [])]
    for one in limited:
        assert one["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        }
        places = {mount["name"]: mount for mount in one["volumeMounts"]}
        assert places.keys() <= volumes(shared).keys()
        for name, mount in places.items():
            assert mount.get("readOnly", False) != ("emptyDir" in volumes(shared)[name])
    written = [mount["mountPath"] for mount in container("pod")["volumeMounts"]]
    kept = ("HOME", "SIGNET_PATH", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR")
    for name in kept:
        place = Path(image_variables()[name])
        assert any(place.is_relative_to(one) for one in written), name


def test_the_guide_makes_the_secret_that_pods_read() -> None:
    read_keys = {one["valueFrom"]["secretKeyRef"]["key"] for one in container("pod")["env"]}
    names = {one["valueFrom"]["secretKeyRef"]["name"] for one in container("pod")["env"]}
    secret = volumes(pod("pod"))["secret"]["secret"]
    read_keys |= {one["key"] for one in secret["items"]}
    guide = GUIDE.read_text("utf-8")
    assert set(re.findall(r"--from-literal=([\w-]+)=", guide)) == read_keys
    assert names == {secret["secretName"]} == set(re.findall(r"create secret generic (\w+)", guide))
    assert "apply -k deploy/kubernetes" in guide
    deployments = {read(f"{one}.yaml")["metadata"]["name"] for one in PROGRAMS}
    assert set(re.findall(r"exec deploy/(\S+) -c program", guide)) <= deployments
    known = tomllib.loads((ROOT / "docs/reference/environment.toml").read_text("utf-8"))
    variables = {one["name"] for one in container("pod")["env"]}
    assert variables - LIBPQ <= {name for part in known.values() for name in part}


@dataclass(frozen=True)
class Pod:
    """What runs in one pod, with a file system of its own."""

    workspace: Workspace
    environ: dict[str, str]


def made(folder: Path, url: str) -> Pod:
    """Make the workspace of a pod with the commands of its first container."""
    folder.mkdir()
    settings, secret = FOLDER, folder / "secret"
    secret.mkdir()
    (secret / "auth-secret").write_text("5ec4e7" * 11)
    environ = {
        **{name: value for name, value in os.environ.items() if not name.startswith("SIGNET_")},
        "HOME": str(folder),
        "SIGNET_PATH": str(folder / "agents"),
        "SIGNET_MODEL_DIR": str(folder / "models"),
        "SIGNET_PORT": str(free_port()),
        "SIGNET_STORAGE_URL": url,
    }
    [workspace] = pod("pod")["initContainers"]
    shell, options, script = workspace["command"]
    for mount, place in (("/etc/signet", settings), ("/run/secrets/signet", secret)):
        assert mount in {one["mountPath"] for one in workspace["volumeMounts"]}
        script = script.replace(mount, str(place))
    subprocess.run([shell, options, script], env=environ, check=True)
    return Pod(Workspace(folder / "agents"), environ)


@pytest.fixture(scope="module")
def pods(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Pod]]:
    """Run each program in a pod of its own, and the API in two."""
    url, folder = postgres.empty(), tmp_path_factory.mktemp("pods")
    with ExitStack() as stack:
        stack.callback(postgres.drop, url)
        found = {}
        for name in ("api", "api2", "worker", "scheduler"):
            found[name] = made(folder / name, url)
            module = container(name.removesuffix("2"))["command"][-1]
            stack.enter_context(program("-m", module, env=found[name].environ, is_heard=False))
        yield found


def ask(pod: Pod, method: str, path: str, **more: Any) -> httpx.Response:
    base = f"http://127.0.0.1:{pod.environ['SIGNET_PORT']}"
    return httpx.request(method, base + path, timeout=30, **more)


def given(pod: Pod) -> str:
    """Return the key that the guide's command gives in a pod."""
    [told] = re.findall(r"exec deploy/\S+ -c program -- signet (.*)", GUIDE.read_text("utf-8"))
    command = [sys.executable, "-m", "signet.cli.main", *told.split(), "--json"]
    environ = {**pod.environ, "PYTHONPATH": PYTHONPATH}
    done = subprocess.run(command, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return str(json.loads(done.stdout)["token"])


def is_healthy(pod: Pod) -> bool:
    try:
        answer = ask(pod, "GET", HEALTH.path)
    except httpx.TransportError:
        return False
    return answer.status_code == 200 and answer.json()["status"] == "healthy"


def test_the_settings_are_read_and_want_keys() -> None:
    loaded = config.load(Workspace(FOLDER), {})
    assert not loaded.warnings and loaded.error is None
    assert loaded.settings.auth.mode == "team"


def test_a_pod_has_only_private_files(pods: dict[str, Pod]) -> None:
    workspace = pods["api"].workspace
    assert tokens.read_secret(workspace.auth_secret) == b"5ec4e7" * 11
    assert workspace.daemon_dir.stat().st_mode & 0o077 == 0


def test_programs_in_pods_of_their_own_are_one_daemon(pods: dict[str, Pod]) -> None:
    """A key that one API gave is good at the other, and what is saved at one is read by the worker elsewhere."""
    here, there = pods["api"], pods["api2"]
    eventually(lambda: is_healthy(here) and is_healthy(there))
    refused = ask(there, "POST", "/api/memory/recall", json={"query": "tern"})
    assert refused.status_code == 401
    key = {"Authorization": f"Bearer {given(here)}"}
    text = "We decided that the tern papers stay in the copper chest because of the damp."
    saved = ask(here, "POST", "/api/memory/remember", json={"content": text}, headers=key)
    assert saved.status_code == 200, saved.text
    found = ask(there, "POST", "/api/memory/recall", json={"query": "tern papers"}, headers=key)
    assert [one["id"] for one in found.json()["results"]][:1] == [saved.json()["id"]]
    url = here.environ["SIGNET_STORAGE_URL"]
    waiting = (
        "SELECT count(*) FROM memory_jobs WHERE job_type = 'extract' AND status <> 'completed'"
    )
    eventually(lambda: rows(url, waiting) == [(0,)])
