"""What a repair that is not looked at tells: it is counted, and the settings hold when its turn comes."""

from pathlib import Path

import pytest

from signet import clock
from signet.config import settings_from
from signet.domain.memory.models import Actor
from signet.domain.repair import run
from signet.domain.repair.catalog import BY_PATH
from signet.domain.repair.models import RefusalReason, RepairOrder
from signet.domain.repair.steps import NoModels
from signet.errors import Frozen
from signet.observe import metrics
from signet.queue import transitions
from signet.queue.job_context import JobContext
from worker.home import Home, Tree

SAVED = (
    "INSERT INTO memories (id, content, created_at, updated_at) VALUES ('m', 'Old words.', '', '')"
)


def an_order(path: str, tree: Tree | None = None) -> RepairOrder:
    action = BY_PATH[path]
    settings, _ = settings_from(tree or {})
    options = {
        option.name: option.default for option in action.options if option.default is not None
    }
    return RepairOrder(
        action=action,
        settings=settings,
        actor=Actor(name="ada", type="operator"),
        now=clock.now(),
        monotonic_ms=clock.monotonic_ms(),
        options=options,
    )


def counted(action: str) -> dict[str, float]:
    found = metrics.values("signet_repairs_total")["signet_repairs_total"]
    return {labels["outcome"]: value for labels, value in found if labels["action"] == action}


def claimed(home: Home) -> JobContext:
    (held,) = home.db.write(
        transitions.claim,
        "repairs",
        1,
        owner="me",
        now=clock.now(),
        monotonic_ms=clock.monotonic_ms(),
        lease_ms=60_000,
    )
    return JobContext(lease=held, db=home.db)


def test_each_repair_is_counted_once_by_what_came_of_it(home: Home) -> None:
    before = counted("releaseStaleLeases")
    for _ in range(2):
        run.now(home.db, an_order("release-leases"), home.workspace)
    after = counted("releaseStaleLeases")
    assert {name: after[name] - before.get(name, 0) for name in after} == {"done": 1, "refused": 1}


def test_a_repair_by_a_worker_is_counted_where_it_ends(home: Home) -> None:
    before = counted("relinkEntities").get("done", 0)
    order = an_order("relink-entities")
    home.db.write(run.begin, order)
    assert counted("relinkEntities").get("done", 0) == before
    run.in_worker(claimed(home), order.settings, home.workspace, NoModels())
    assert counted("relinkEntities")["done"] == before + 1


def test_a_repair_that_waited_is_not_done_when_nothing_may_be_changed_by_then(home: Home) -> None:
    home.run(SAVED)
    home.db.write(run.begin, an_order("relink-entities"))
    frozen = an_order("relink-entities", {"pipelineV2": {"mutationsFrozen": True}}).settings
    before = home.dump()
    with pytest.raises(Frozen):
        run.in_worker(claimed(home), frozen, home.workspace, NoModels())
    assert home.dump() == before
    assert home.value("SELECT COUNT(*) FROM repair_runs") == 0


def test_a_repair_that_the_settings_rule_out_is_refused_and_no_fault_of_ours(home: Home) -> None:
    home.run(
        "INSERT INTO entities (id, name, canonical_name, entity_type, created_at, updated_at)"
        " VALUES ('e', 'Fog', 'fog', 'extracted', '', '')"
    )
    for path in ("reclassify-entities", "structural-backfill"):
        off: Tree = {"pipelineV2": {"structural": {"enabled": False}}}
        result = run.now(home.db, an_order(path, off), home.workspace)
        assert (result.success, result.reason) == (False, RefusalReason.DISABLED), result.message


@pytest.fixture(autouse=True)
def unscraped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Count in this process alone."""
    monkeypatch.delenv(metrics.SHARED_FOLDER, raising=False)
