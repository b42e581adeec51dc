from signet.config import settings_from
from signet.domain.recall import models
from signet.domain.recall.models import RecallSettings


def test_an_empty_file_gives_the_defaults() -> None:
    assert models.settings_of(settings_from({})[0], embedding_model=None) == RecallSettings()


def test_the_file_can_switch_stages_off() -> None:
    raw: dict[object, object] = {
        "search": {"top_k": 7},
        "pipelineV2": {"traversal": {"enabled": False}, "hints": {"enabled": False}},
    }
    found = models.settings_of(settings_from(raw)[0], embedding_model="m")
    assert (found.top_k, found.embedding_model) == (7, "m")
    assert not found.traversal
    assert not found.hints


def test_the_floor_can_be_switched_off() -> None:
    found, _ = settings_from({"search": {"floor": 0}})
    assert models.settings_of(found, embedding_model=None) == RecallSettings(floor=0.0)


def test_weights_of_the_typescript_product_are_ignored_by_name() -> None:
    raw: dict[object, object] = {
        "search": {"rehearsal_enabled": False, "rehearsal_weight": 0.3},
        "pipelineV2": {
            "graphBoostWeight": 0.9,
            "graph": {"boostTimeoutMs": 60},
            "traversal": {"primary": False},
        },
    }
    found, warnings = settings_from(raw)
    assert models.settings_of(found, embedding_model=None) == RecallSettings()
    assert not warnings
