"""The scrape, the alerts and the board that are shipped speak of metrics and commands that exist."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from prometheus_client.metrics import MetricWrapperBase
from ruamel.yaml import YAML

from signet.cli.main import main
from signet.observe import metrics
from signet.resources import deploy_dir
from support.http import Api, an_api

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
needs_promtool = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="promtool is not installed"
)

#: Every metric that is promised, with its labels.
PROMISED = {
    "signet_http_requests_total": {"method", "route", "status"},
    "signet_http_request_seconds": {"method", "route"},
    "signet_jobs": {"queue", "status"},
    "signet_job_seconds": {"job_type"},
    "signet_job_outcomes_total": {"job_type", "outcome"},
    "signet_provider_calls_total": {"provider", "outcome"},
    "signet_health_score": {"domain"},
    "signet_repairs_total": {"action", "outcome"},
    "signet_errors_total": {"stage", "code"},
    "signet_process_up": {"process"},
    "signet_backup_timestamp_seconds": set(),
    "signet_captured_timestamp_seconds": {"harness"},
    "signet_memories_without_vector": set(),
}
_PARTS = re.compile(r"_(bucket|sum|count)$")


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with an_api(tmp_path_factory.mktemp("deploy") / "agents") as opened:
        opened.post("/api/memory/remember", {"content": "Bees dance."})
        said = {"harness": "codex", "sessionKey": "s-1", "transcript": "User: Bees dance."}
        assert opened.post("/api/hooks/session-end", said).status < 300
        yield opened


@pytest.fixture(scope="module")
def labels_of(api: Api) -> dict[str, set[str]]:
    """The names that a scrape shows, and the labels that each may have."""
    declared = {
        f"{one._name}{'_total' if one._type == 'counter' else ''}": set(one._labelnames)
        for one in vars(metrics).values()
        if isinstance(one, MetricWrapperBase)
    }
    for line in api.get("/metrics").body.splitlines():
        found = re.match(r"(signet_\w+)(?:\{(.*)\})? ", line)
        if found and not found[1].endswith("_created"):
            name = found[1] if found[1] in declared else _PARTS.sub("", found[1])
            declared.setdefault(name, set()).update(re.findall(r"(\w+)=", found[2] or ""))
    return declared


@cache
def rules() -> list[dict[str, object]]:
    loaded = YAML(typ="safe").load((deploy_dir() / "alerts.yml").read_text("utf-8"))
    return [rule for group in loaded["groups"] for rule in group["rules"]]


def expressions() -> list[str]:
    board = json.loads((deploy_dir() / "grafana.json").read_text("utf-8"))
    panels = [target["expr"] for panel in board["panels"] for target in panel.get("targets", ())]
    return [*panels, *(str(rule["expr"]) for rule in rules())]


def test_a_scrape_shows_what_is_promised(labels_of: dict[str, set[str]]) -> None:
    for name, labels in PROMISED.items():
        assert labels <= labels_of[name], name


def test_no_label_can_be_an_id_a_path_or_a_text(labels_of: dict[str, set[str]]) -> None:
    allowed = set().union(*PROMISED.values()) | {
        "file", "by", "why", "beat", "stage", "version", "direction", "le", "operation", "engine",
    }  # fmt: skip
    assert set().union(*labels_of.values()) <= allowed
    assert all(re.fullmatch(r"signet_[a-z_]+", name) for name in labels_of)


def test_board_and_alerts_ask_for_metrics_and_labels_that_exist(
    labels_of: dict[str, set[str]],
) -> None:
    known = set().union(*labels_of.values()) | {"job", "le"}
    for expression in expressions():
        for name in re.findall(r"\bsignet_\w+", expression):
            assert name in labels_of or _PARTS.sub("", name) in labels_of, expression
        named = re.findall(r"(\w+)(?:=~|!=|!~|=)\"", expression)
        named += [
            word
            for group in re.findall(r"by \(([^)]*)\)", expression)
            for word in group.split(", ")
        ]
        assert set(named) <= known, expression


def test_the_board_shows_every_metric_that_is_told(labels_of: dict[str, set[str]]) -> None:
    shown = " ".join(expressions())
    left_out = [
        name for name in labels_of if not re.search(rf"\b{name}(_bucket|_sum|_count)?\b", shown)
    ]
    assert left_out == []


def test_panels_do_not_lie_on_each_other_and_have_ids_of_their_own() -> None:
    panels = json.loads((deploy_dir() / "grafana.json").read_text("utf-8"))["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (x, y)
        for panel in panels
        for at in (panel["gridPos"],)
        for x in range(at["x"], at["x"] + at["w"])
        for y in range(at["y"], at["y"] + at["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) < 24


def test_panels_of_counters_show_zero_before_the_first_event() -> None:
    panels = json.loads((deploy_dir() / "grafana.json").read_text("utf-8"))["panels"]
    counters = [
        panel
        for panel in panels
        if any(re.search(r"rate\(|increase\(", one["expr"]) for one in panel.get("targets", ()))
    ]
    assert counters
    assert {panel["fieldConfig"]["defaults"]["noValue"] for panel in counters} == {"0"}


def test_every_alert_has_a_runbook() -> None:
    page = (ROOT / "docs" / "troubleshooting" / "runbooks.md").read_text("utf-8")
    sections = re.findall(r"^## (\w+)$", page, re.MULTILINE)
    assert sorted(sections) == sorted(str(rule["alert"]) for rule in rules())


def test_a_scrape_reports_backups_captures_and_missing_vectors(api: Api) -> None:
    before = values(api)
    assert before["signet_backup_timestamp_seconds"] == 0
    assert before["signet_memories_without_vector"] == 0
    assert before["signet_captured_timestamp_seconds"] > 1_700_000_000
    folder = api.state.workspace.backups_dir
    folder.mkdir(parents=True)
    made = folder / "signet-20260102T030405Z-daily.zip"
    made.touch()
    assert values(api)["signet_backup_timestamp_seconds"] == 1_767_323_045


def values(api: Api) -> dict[str, float]:
    found = re.findall(r"^(signet_\w+)(?:\{.*\})? (\S+)$", api.get("/metrics").body, re.MULTILINE)
    return {name: float(value) for name, value in found}


def test_every_alert_says_what_to_do_in_commands_that_exist(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for rule in rules():
        annotations = rule["annotations"]
        assert isinstance(annotations, dict) and annotations["summary"]
        for command in annotations["runbook"].split("; "):
            program, *words = command.split()
            assert program == "signet"
            path = [
                word
                for n, word in enumerate(words)
                if not any(w.startswith("-") for w in words[: n + 1])
            ]
            assert main([*path, "--help"]) == 0, command
            described = capsys.readouterr().out
            for option in (word for word in words if word.startswith("-")):
                assert re.search(rf"(^|[\s,]){option}\b", described), command


@needs_promtool
@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "config", "prometheus.yml"),
        # The key is a secret of the container.
        ("check", "config", "--syntax-only", "container/prometheus.yml"),
        ("check", "rules", "alerts.yml"),
        ("test", "rules", str(HERE / "alerts_test.yml")),
    ],
    ids=["config", "container", "rules", "series"],
)
def test_promtool_accepts_what_is_shipped(arguments: tuple[str, ...]) -> None:
    done = subprocess.run(
        ["promtool", *arguments], cwd=deploy_dir(), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr


@needs_promtool
def test_promtool_accepts_a_scrape(api: Api) -> None:
    done = subprocess.run(
        ["promtool", "check", "metrics"],
        input="".join(
            line + "\n" for line in api.get("/metrics").body.splitlines() if "signet_" in line
        ),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
