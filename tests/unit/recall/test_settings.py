from signet.config import settings_from
from signet.domain.recall import settings
from signet.domain.recall.models import RecallSettings


def test_an_empty_file_gives_the_defaults() -> None:
    assert settings.of(settings_from({})[0], embedding_model=None) == RecallSettings()


def test_the_file_can_switch_stages_off() -> None:
    raw: dict[object, object] = {
        "search": {"alpha": 0.7, "rehearsal_enabled": False},
        "pipelineV2": {"traversal": {"enabled": False}, "hints": {"enabled": False}},
    }
    found = settings.of(settings_from(raw)[0], embedding_model="m")
    assert (found.alpha, found.rehearsal_weight, found.embedding_model) == (0.7, 0.0, "m")
    assert not found.traversal
    assert not found.hints


def test_stages_can_be_left_out() -> None:
    found, _ = settings_from({"search": {"hubs": False, "floor": 0}})
    used = settings.of(found, embedding_model=None)
    assert used == RecallSettings(hubs=False, floor=0.0)
