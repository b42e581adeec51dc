"""Every rule about what agent.yaml may say."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signet.config import (
    Settings,
    as_public_dict,
    fields,
    restart_required,
    settings_from,
    with_secrets,
)
from signet.config.fields import SettingsSection
from signet.config.sections import EmbeddingProvider

Raw = dict[object, object]


def nest(dotted: str, value: object) -> Raw:
    """Return `{"a": {"b": value}}` for `a.b`."""
    for key in reversed(dotted.split(".")):
        value = {key: value}
    assert isinstance(value, dict)
    return value


def shown(raw: Raw, dotted: str) -> tuple[object, tuple[str, ...]]:
    """Return the effective value of a key and the warnings."""
    found, warnings = settings_from(raw)
    value: object = as_public_dict(found)
    for key in dotted.split("."):
        assert isinstance(value, dict)
        value = value[key]
    return value, warnings


BOUNDS = [
    ("search.alpha", 0.7, 0, 1),
    ("search.top_k", 20, 1, 200),
    ("search.min_score", 0.1, 0, 1),
    ("memory.session_budget", 2_000, 200, 20_000),
    ("memory.decay_rate", 0.95, 0, 1),
    ("retention.batchLimit", 500, 1, 10_000),
    ("pipelineV2.semanticContradictionTimeoutMs", 45_000, 5_000, 300_000),
    ("pipelineV2.extraction.timeout", 90_000, 5_000, 300_000),
    ("pipelineV2.extraction.minConfidence", 0.7, 0, 1),
    ("pipelineV2.extraction.escalation.maxNewEntitiesPerChunk", 10, 1, 100),
    ("pipelineV2.extraction.escalation.maxNewAttributesPerEntity", 20, 1, 200),
    ("pipelineV2.extraction.escalation.level2MaxEntities", 5, 1, 50),
    ("pipelineV2.worker.maxRetries", 3, 1, 10),
    ("pipelineV2.worker.leaseTimeoutMs", 300_000, 10_000, 600_000),
    ("pipelineV2.traversal.maxDependencyHops", 10, 1, 200),
    ("pipelineV2.autonomous.maintenanceIntervalMs", 1_800_000, 60_000, 86_400_000),
    ("pipelineV2.repair.dedupSemanticThreshold", 0.92, 0, 1),
    ("pipelineV2.documents.maxContentBytes", 10_485_760, 1_024, 104_857_600),
    ("pipelineV2.guardrails.maxContentChars", 800, 50, 100_000),
    ("pipelineV2.continuity.retentionDays", 7, 1, 90),
    ("pipelineV2.embeddingTracker.pollMs", 5_000, 1_000, 60_000),
    ("pipelineV2.synthesis.maxTokens", 8_000, 1_000, 32_000),
    ("pipelineV2.procedural.enrichMinDescription", 30, 10, 500),
    ("pipelineV2.structural.dependencyBatchSize", 5, 1, 10),
    ("pipelineV2.feedback.decayRate", 0.005, 0, 1),
    ("pipelineV2.significance.minEntityOverlap", 1, 0, 100),
    ("pipelineV2.predictor.driftResetWindow", 10, 1, 100),
    ("pipelineV2.modelRegistry.refreshIntervalMs", 3_600_000, 60_000, 86_400_000),
    ("hooks.sessionStart.recallLimit", 10, 1, 200),
    ("hooks.sessionStart.maxInjectChars", 24_000, 1_000, 200_000),
    ("hooks.userPromptSubmit.minScore", 0.4, 0, 1),
    ("hooks.preCompaction.memoryLimit", 5, 0, 50),
    ("hooks.sessionEnd.idleMinutes", 30, 5, 230),
    ("git.syncInterval", 300, 60, 86_400),
    ("updates.check_interval", 21_600, 300, 604_800),
]


@pytest.mark.parametrize(("key", "default", "low", "high"), BOUNDS)
def test_a_number_outside_its_bounds_goes_to_the_nearest_one(
    key: str, default: float, low: float, high: float
) -> None:
    assert shown({}, key) == (default, ())
    assert shown(nest(key, low), key) == (low, ())
    assert shown(nest(key, high), key) == (high, ())
    for value, bound in ((low - 1, low), (-(10**400), low), (high + 1, high), (10**400, high)):
        used, warnings = shown(nest(key, value), key)
        assert used == bound
        assert len(warnings) == 1 and warnings[0].startswith(f"{key}: ")


@pytest.mark.parametrize(("key", "default", "low", "high"), BOUNDS)
@pytest.mark.parametrize("value", [True, [], {}, "many", float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_becomes_the_default(
    key: str, default: float, low: float, high: float, value: object
) -> None:
    used, warnings = shown(nest(key, value), key)
    assert used == default
    assert len(warnings) == 1 and warnings[0].startswith(f"{key}: ")


@pytest.mark.parametrize(
    ("key", "value", "used"),
    [
        ("pipelineV2.embeddingTracker.pollMs", 2_000.5, 2_001),
        ("pipelineV2.embeddingTracker.pollMs", 2_000.4, 2_000),
        ("search.top_k", 2.5, 3),
        ("retention.intervalMs", 90_000.4, 90_000),
    ],
)
def test_counts_and_lengths_of_time_are_rounded(key: str, value: float, used: int) -> None:
    found, warnings = shown(nest(key, value), key)
    assert (found, type(found), warnings) == (used, int, ())


@pytest.mark.parametrize(
    ("key", "text", "used"),
    [
        ("search.alpha", "0.7", 0.7),
        ("search.top_k", " 12 ", 12),
    ],
)
def test_numbers_as_text_are_read_in_search(key: str, text: str, used: float) -> None:
    assert shown(nest(key, text), key) == (used, ())


def test_a_number_as_text_is_read_in_dimensions() -> None:
    found, warnings = settings_from({"embedding": {"provider": "ollama", "dimensions": "512"}})
    assert (found.embedding.dimensions, warnings) == (512, ())


@pytest.mark.parametrize("key", ["memory.decay_rate", "pipelineV2.embeddingTracker.pollMs"])
def test_numbers_as_text_are_refused_elsewhere(key: str) -> None:
    used, warnings = shown(nest(key, "0.5"), key)
    assert used == shown({}, key)[0]
    assert len(warnings) == 1


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ("30d", 30 * 86_400_000),
        ("12h", 12 * 3_600_000),
        ("90m", 90 * 60_000),
        ("1.5d", 129_600_000),
        ("2w", 14 * 86_400_000),
    ],
)
def test_retention_reads_lengths_of_time_as_text(text: str, used: int) -> None:
    key = "retention.tombstoneRetentionMs"
    assert shown(nest(key, text), key) == (used, ())


def test_retention_clamps_a_length_of_time_as_text() -> None:
    used, warnings = shown(
        nest("retention.deadJobRetentionMs", "5m"), "retention.deadJobRetentionMs"
    )
    assert used == 3_600_000
    assert len(warnings) == 1


@pytest.mark.parametrize("text", ["30", "d", "-3d", "3 years", "", "9" * 50 + "d"])
def test_retention_refuses_other_text(text: str) -> None:
    used, warnings = shown(nest("retention.intervalMs", text), "retention.intervalMs")
    assert used == 21_600_000
    assert len(warnings) == (1 if text else 0)


@pytest.mark.parametrize("value", [None, "", "  "])
@pytest.mark.parametrize("key", ["search.alpha", "embedding.provider", "git.enabled", "auth.mode"])
def test_null_and_blank_count_as_unset(key: str, value: object) -> None:
    assert shown(nest(key, value), key) == shown({}, key)


@pytest.mark.parametrize("value", ["yes", 1, 0, [], "true"])
def test_only_true_and_false_are_truth_values(value: object) -> None:
    used, warnings = shown(nest("git.autoSync", value), "git.autoSync")
    assert used is True
    assert warnings == ("git.autoSync: true or false is expected; using true",)


@pytest.mark.parametrize("section", ["search", "pipelineV2", "hooks", "auth", "embedding"])
@pytest.mark.parametrize("value", [3, "x", [1], True])
def test_a_section_that_is_none_takes_its_defaults_with_one_warning(
    section: str, value: object
) -> None:
    found, warnings = settings_from({section: value})
    assert found == Settings()
    assert warnings == (f"{section}: expected a section; using its defaults",)


@pytest.mark.parametrize(
    ("raw", "warning"),
    [
        ({"serach": {}}, 'serach: unknown key, ignored; did you mean "search"?'),
        (nest("search.alhpa", 1), 'search.alhpa: unknown key, ignored; did you mean "alpha"?'),
        (
            nest("memory.pipelinev2", {}),
            'memory.pipelinev2: unknown key, ignored; did you mean "pipelineV2"?',
        ),
        (
            nest("memory.pipelineV2.workerPolMs", 1),
            'memory.pipelineV2.workerPolMs: unknown key, ignored; did you mean "workerPollMs"?',
        ),
        (nest("git.zzzzzz", 1), "git.zzzzzz: unknown key, ignored"),
        ({7: 1}, "a key that is not text: unknown key, ignored"),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest_known_one(raw: Raw, warning: str) -> None:
    found, warnings = settings_from(raw)
    assert found == Settings()
    assert [text[: len(warning)] for text in warnings] == [warning]


def test_many_unknown_keys_are_counted_and_not_all_named() -> None:
    _, warnings = settings_from({f"x{n}": n for n in range(5_000)})
    assert len(warnings) == 21
    assert warnings[-1] == "agent.yaml: 4980 more unknown keys"


def test_warnings_never_repeat_a_value() -> None:
    raw = nest("embedding.provider", "sk-very-secret") | nest("auth.mode", "sk-very-secret")
    _, warnings = settings_from(raw)
    assert len(warnings) == 2
    assert "sk-very-secret" not in "".join(warnings)


@pytest.mark.parametrize(
    ("flat", "nested_key", "value"),
    [
        ("workerMaxRetries", "worker.maxRetries", 7),
        ("leaseTimeoutMs", "worker.leaseTimeoutMs", 20_000),
        ("extractionTimeout", "extraction.timeout", 6_000),
        ("extractionBaseUrl", "extraction.endpoint", "http://localhost:1"),
        ("extractionEndpoint", "extraction.endpoint", "http://localhost:1"),
        ("minFactConfidenceForWrite", "extraction.minConfidence", 0.3),
        ("graphEnabled", "graph.enabled", False),
        ("autonomousEnabled", "autonomous.enabled", False),
        ("autonomousFrozen", "autonomous.frozen", True),
        ("allowUpdateDelete", "autonomous.allowUpdateDelete", True),
        ("maintenanceIntervalMs", "autonomous.maintenanceIntervalMs", 70_000),
        ("maintenanceMode", "autonomous.maintenanceMode", "observe"),
        ("repairReembedHourlyBudget", "repair.reembedHourlyBudget", 3),
        ("repairDedupBatchSize", "repair.dedupBatchSize", 30),
        ("documentChunkSize", "documents.chunkSize", 900),
        ("documentChunkOverlap", "documents.chunkOverlap", 30),
        ("documentMaxContentBytes", "documents.maxContentBytes", 3_000),
    ],
)
def test_a_flat_name_is_read_and_the_nested_one_wins(
    flat: str, nested_key: str, value: object
) -> None:
    key = f"pipelineV2.{nested_key}"
    default, _ = shown({}, key)
    assert value != default
    assert shown({"pipelineV2": {flat: value}}, key) == (value, ())
    section, name = nested_key.split(".")
    both: Raw = {"pipelineV2": {flat: default, section: {name: value}}}
    assert shown(both, key) == (value, ())


PAIRS = [
    (
        {"extractionProvider": "codex", "extraction": {"provider": "ollama", "model": "m"}},
        "codex",
        "gpt-5.3-codex",
    ),
    (
        {
            "extractionProvider": "codex",
            "extractionModel": "f",
            "extraction": {"provider": "ollama", "model": "m"},
        },
        "codex",
        "f",
    ),
    ({"extractionModel": "f", "extraction": {"provider": "ollama", "model": "m"}}, "ollama", "m"),
    ({"extractionModel": "f", "extraction": {"provider": "ollama"}}, "ollama", "qwen3:4b"),
    ({"extractionModel": "f", "extraction": {"model": "m"}}, "auto", "f"),
    ({"extractionProvider": "ollama", "extraction": {"model": "m"}}, "ollama", "qwen3:4b"),
    (
        {"extractionProvider": " ", "extraction": {"provider": "ollama", "model": "m"}},
        "ollama",
        "m",
    ),
    ({"extraction": {"provider": "claude-code"}}, "claude-code", "haiku"),
    ({}, "auto", "qwen3:4b"),
]


@pytest.mark.parametrize(("pipeline", "provider", "model"), PAIRS)
def test_provider_and_model_of_extraction_come_from_one_place(
    pipeline: Raw, provider: str, model: str
) -> None:
    found, warnings = settings_from({"pipelineV2": pipeline})
    assert (found.pipeline.extraction.provider, found.pipeline.extraction.model) == (
        provider,
        model,
    )
    assert warnings == ()


def test_the_flat_strength_wins() -> None:
    raw: Raw = {"pipelineV2": {"extractionStrength": "high", "extraction": {"strength": "medium"}}}
    assert shown(raw, "pipelineV2.extraction.strength") == ("high", ())


def test_the_default_extraction_is_never_a_remote_one() -> None:
    assert Settings().pipeline.extraction.provider == "auto"
    used, warnings = shown(
        nest("pipelineV2.extraction.provider", "gpt"), "pipelineV2.extraction.provider"
    )
    assert (used, len(warnings)) == ("auto", 1)


def test_the_pipeline_is_read_under_memory_first() -> None:
    raw: Raw = {
        "memory": {"pipelineV2": {"shadowMode": True}},
        "pipelineV2": {"mutationsFrozen": True},
    }
    found, warnings = settings_from(raw)
    assert (found.pipeline.shadow_mode, found.pipeline.mutations_frozen) == (True, False)
    assert warnings == ("pipelineV2: ignored, because of memory.pipelineV2",)


def test_a_warning_names_the_key_where_the_file_has_it() -> None:
    _, warnings = settings_from({"memory": {"pipelineV2": {"hints": {"max": 99}}}})
    assert warnings[0].startswith("memory.pipelineV2.hints.max: ")


@pytest.mark.parametrize("key", ["embedding", "embeddings", "memory.embeddings"])
def test_embedding_has_two_other_names(key: str) -> None:
    found, warnings = settings_from(nest(f"{key}.provider", "none"))
    assert (found.embedding.provider, warnings) == (EmbeddingProvider.NONE, ())


@pytest.mark.parametrize(
    ("raw", "model", "dimensions"),
    [
        ({}, "all-MiniLM-L6-v2", 384),
        ({"provider": "ollama"}, "nomic-embed-text", 768),
        ({"provider": "openai"}, "text-embedding-3-small", 1536),
        ({"provider": "openai", "model": "text-embedding-3-large"}, "text-embedding-3-large", 3072),
        (
            {"provider": "ollama", "model": "mxbai-embed-large:latest"},
            "mxbai-embed-large:latest",
            1024,
        ),
        ({"provider": "ollama", "model": "library/all-minilm"}, "library/all-minilm", 384),
        ({"provider": "ollama", "dimensions": 512}, "nomic-embed-text", 512),
        ({"provider": "ollama", "dimensions": 0}, "nomic-embed-text", 1),
        ({"model": "nomic-embed-text-v1.5", "dimensions": 768}, "all-MiniLM-L6-v2", 384),
    ],
)
def test_model_and_dimensions_follow_the_embedding_provider(
    raw: Raw, model: str, dimensions: int
) -> None:
    found, _ = settings_from({"embedding": raw})
    assert (found.embedding.model, found.embedding.dimensions) == (model, dimensions)


@pytest.mark.parametrize("name", ["base_url", "endpoint"])
def test_an_address_must_be_http(name: str) -> None:
    good, warnings = settings_from({"embedding": {name: "http://localhost:8080/"}})
    assert (good.embedding.base_url, warnings) == ("http://localhost:8080", ())
    for bad in ("file:///etc/passwd", "localhost 8080", "http://", "http://[x", "http://a:99999"):
        found, warnings = settings_from({"embedding": {name: bad}})
        assert found.embedding.base_url is None
        assert len(warnings) == 1


@pytest.mark.parametrize("value", [0, -5, "1h"])
def test_a_token_life_or_limit_that_is_not_positive_becomes_its_own_default(value: object) -> None:
    auth = {"sessionTokenTtlSeconds": value, "rateLimits": {"batchForget": {"max": value}}}
    found, warnings = settings_from({"auth": auth})
    assert found.auth.session_token_ttl_seconds == 86_400
    assert found.auth.rate_limits.batch_forget.max == 5
    assert [text.rpartition(" ")[2] for text in warnings] == ["86400", "5"]


def test_each_limited_operation_has_its_own_default() -> None:
    limits = Settings().auth.rate_limits
    names = ("forget", "modify", "batch_forget", "force_delete", "admin")
    assert [getattr(limits, name).max for name in names] == [30, 60, 5, 3, 10]
    found, _ = settings_from(nest("auth.rateLimits.admin.windowMs", 5_000))
    assert found.auth.rate_limits.admin.max == 10
    assert found.auth.rate_limits.admin.window_ms == 5_000


def test_values_that_depend_on_each_other_are_fitted_with_a_warning() -> None:
    documents, warnings = settings_from(
        {"pipelineV2": {"documents": {"chunkSize": 300, "chunkOverlap": 300}}}
    )
    assert documents.pipeline.documents.chunk_overlap == 299
    assert len(warnings) == 1 and "chunkOverlap" in warnings[0]
    feedback, warnings = settings_from(
        {"pipelineV2": {"feedback": {"minAspectWeight": 0.9, "maxAspectWeight": 0.4}}}
    )
    assert feedback.pipeline.feedback.min_aspect_weight == 0.4
    assert len(warnings) == 1 and "minAspectWeight" in warnings[0]


def test_a_small_chunk_shortens_the_default_overlap_in_silence() -> None:
    found, warnings = settings_from(nest("pipelineV2.documents.chunkSize", 200))
    assert (found.pipeline.documents.chunk_overlap, warnings) == (199, ())


def test_synthesis_uses_what_extraction_uses_unless_it_is_told() -> None:
    extraction = {"provider": "ollama", "model": "m", "endpoint": "http://localhost:1"}
    found, _ = settings_from({"pipelineV2": {"extraction": extraction}})
    same = found.pipeline.synthesis
    assert (same.provider, same.model, same.endpoint) == ("ollama", "m", "http://localhost:1")
    found, _ = settings_from(
        {"pipelineV2": {"extraction": extraction, "synthesis": {"provider": "codex"}}}
    )
    other = found.pipeline.synthesis
    assert (other.provider, other.model, other.endpoint) == ("codex", "gpt-5.3-codex", None)


def test_a_hooks_block_keeps_the_other_defaults() -> None:
    found, warnings = settings_from(nest("hooks.sessionStart.recallLimit", 3))
    assert found.hooks.session_start.recall_limit == 3
    assert found.hooks.session_start.include_recent_context is True
    assert found.hooks.user_prompt_submit == Settings().hooks.user_prompt_submit
    assert warnings == ()


def test_telemetry_addresses_are_accepted_and_ignored() -> None:
    found, warnings = settings_from(nest("pipelineV2.telemetry.posthogApiKey", "k"))
    assert (found, warnings) == (Settings(), ())


def test_the_roster_skips_agents_without_a_usable_name() -> None:
    names: list[object] = ["ada", "default", "Ada", "-x", 3, "ada", "a b"]
    found, warnings = settings_from({"agents": {"roster": [{"name": name} for name in names]}})
    assert [agent.name for agent in found.agents.roster] == ["ada"]
    assert sum("skipped" in text for text in warnings) == 6
    assert "agents.roster[1]: " in "\n".join(warnings)


def test_a_group_policy_needs_a_group() -> None:
    roster = [
        {"name": "a", "read_policy": "group"},
        {"name": "b", "read_policy": "group", "policy_group": "g", "skills": ["x"]},
        {"name": "c"},
    ]
    found, warnings = settings_from({"agents": {"roster": roster}})
    assert [agent.read_policy for agent in found.agents.roster] == ["isolated", "group", "isolated"]
    assert [agent.skills for agent in found.agents.roster] == [None, ("x",), None]
    assert len(warnings) == 1 and warnings[0].startswith("agents.roster[0].read_policy: ")


def test_features_keep_truth_values() -> None:
    found, warnings = settings_from({"features": {"a": True, "b": "x"}})
    assert (found.features, warnings) == ({"a": True}, ())


def test_keys_of_the_typescript_product_without_a_meaning_here_are_accepted() -> None:
    raw: Raw = {
        "version": 1,
        "schema": "signet/v1",
        "configVersion": 2,
        "owner": {"address": "0x0", "ens": "me.eth"},
        "install": {"primary_package_manager": "bun", "source": "npm"},
        "identity": {"soul": "SOUL.md"},
        "trust": {"verification": "none"},
        "agent": {"name": "Heron", "updated": "2026-01-02"},
        "memory": {"synthesis": {"harness": "openclaw", "model": "sonnet"}},
    }
    found, warnings = settings_from(raw)
    assert (found.agent.name, warnings) == ("Heron", ())


def test_mode_and_dimensions_need_a_restart_and_alpha_does_not() -> None:
    old = Settings()
    new, _ = settings_from(nest("auth.mode", "team") | nest("embedding.provider", "ollama"))
    other, _ = settings_from(nest("search.alpha", 0.2))
    assert restart_required(old, new) == ["auth.mode", "embedding.dimensions"]
    assert restart_required(old, other) == restart_required(old, old) == []


def test_the_public_form_masks_secrets_and_passwords() -> None:
    found, _ = settings_from(
        {
            "embedding": {"api_key": "sk-1", "base_url": "https://me:sk-2@host/v1"},
            "pipelineV2": {"extraction": {"apiKey": "sk-3"}},
        }
    )
    assert found.embedding.api_key == "sk-1"
    assert found.pipeline.extraction.api_key == "sk-3"
    text = str(as_public_dict(found))
    assert "sk-" not in text
    assert "https://***@host/v1" in text
    assert "sk-1" not in repr(found) and "sk-3" not in repr(found)


def test_the_public_form_shows_which_secret_is_meant() -> None:
    assert shown(nest("embedding.api_key", "$secret:OPENAI"), "embedding.api_key") == (
        "$secret:OPENAI",
        (),
    )


def test_secret_references_are_replaced_wherever_text_stands() -> None:
    raw = nest("embedding.api_key", "$secret:A") | nest("agent.name", "$secret:B")
    found, _ = settings_from(raw | nest("pipelineV2.extraction.apiKey", "$secret:GONE"))
    made, missing = with_secrets(found, {"A": "1", "B": "2"}.get)
    assert (made.embedding.api_key, made.agent.name) == ("1", "2")
    assert made.pipeline.extraction.api_key is None
    assert missing == ("pipelineV2.extraction.apiKey: the vault has no such secret",)


def names_of(section: type[SettingsSection]) -> list[str]:
    """Return every key that a section and those below it know."""
    found: list[str] = []
    for _, key, rule in section.DECLARED:
        found += [key, *rule.also, *rule.flat, *(names_of(rule.section) if rule.section else [])]
    return found


def filled(section: type[SettingsSection], draw: st.DrawFn, odd: st.SearchStrategy[object]) -> Raw:
    """Return a section with some of its keys, flat names included, set to anything."""
    made: Raw = {}
    for _, key, rule in section.DECLARED:
        if rule.section and draw(st.integers(0, 3)):
            made[key] = filled(rule.section, draw, odd)
        else:
            for name in (key, *rule.also):
                if not draw(st.integers(0, 2)):
                    made[name] = draw(odd)
    return made


ODD: st.SearchStrategy[object] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from(
        [10**400, -(10**400), 0, 1, 7, 1e308, -0.0, "auto", "group", "openai", "local"]
    ),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(["30d", "0.5", "http://x", "codex", "team", "$secret:A", "nan", "9" * 400]),
    st.lists(st.text(max_size=3), max_size=2),
    st.dictionaries(st.one_of(st.text(max_size=3), st.integers()), st.booleans(), max_size=2),
    st.lists(
        st.dictionaries(st.sampled_from(["name", "read_policy"]), st.text(), max_size=2), max_size=2
    ),
)


@st.composite
def files(draw: st.DrawFn) -> Raw:
    """Return a file of known sections with values of any kind."""
    raw = filled(Settings, draw, ODD)
    pipeline = raw.get("pipelineV2")
    if isinstance(pipeline, dict):
        for flat in draw(st.lists(st.sampled_from(FLAT), max_size=4)):
            pipeline[flat] = draw(ODD)
    if draw(st.booleans()) and isinstance(raw.get("memory"), dict):
        raw["memory"] |= {"pipelineV2": raw.pop("pipelineV2", None)}  # type: ignore[operator]  # a dict
    return raw


FLAT = [flat for _, _, rule in Settings.DECLARED if rule.section for flat in names_of(rule.section)]


@settings(max_examples=40, deadline=None)
@given(files())
def test_any_values_under_known_keys_give_settings_within_bounds(raw: Raw) -> None:
    check(raw)


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(st.one_of(st.sampled_from(names_of(Settings)), st.text(), st.integers()), ODD)
)
def test_any_mapping_gives_settings_within_bounds(raw: Mapping[object, object]) -> None:
    check(raw)


def test_what_secrets_may_be_given_to_means_the_same_when_read_again() -> None:
    check({"secrets": {"execAllow": {"KEY": ["gh"], "ONE": "git push", "BAD": False}}})


def check(raw: Mapping[object, object]) -> None:
    """What was made of the file is itself a file without faults, which means the same."""
    found, _ = settings_from(raw)
    public = as_public_dict(found)
    again, warnings = settings_from({str(key): value for key, value in public.items()})
    assert as_public_dict(again) == public
    assert warnings == ()


@pytest.mark.parametrize("key", sorted(fields.IGNORED - {"memory.pipelineV2", "memory.embeddings"}))
def test_a_key_of_the_earlier_product_is_accepted_by_name(key: str) -> None:
    settings, warnings = settings_from(nest(key, "memory/memories.db"))
    assert settings == Settings() and warnings == ()


def test_another_place_of_the_database_is_reported() -> None:
    _, [warning] = settings_from(nest("memory.database", "memory/other.db"))
    assert warning.startswith("memory.database: has no effect; the database is always memory/")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("127.0.0.1:1234/v1", "http://127.0.0.1:1234/v1"),
        ("localhost:1234", "http://localhost:1234"),
        ("localhost/v1/", "http://localhost/v1"),
        ("mini:11434", "http://mini:11434"),
        ("192.168.1.5", "http://192.168.1.5"),
        ("api.example.com/openai/v1", "https://api.example.com/openai/v1"),
        ("https://api.example.com/v1", "https://api.example.com/v1"),
        ("ftp://api.example.com", None),
        ("http:/127.0.0.1", None),
        ("my server", None),
    ],
)
def test_a_model_address_may_lack_its_scheme(written: str, read: str | None) -> None:
    settings, warnings = settings_from(nest("memory.pipelineV2.extraction.endpoint", written))
    assert settings.pipeline.extraction.endpoint == read
    assert bool(warnings) == (read is None)
