"""OpenClaw has one memory at a time: ours, in every settings file it may read, however it was before."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harnesses.home import OPENCLAW, Home, a_home
from signet.domain.harnesses import jsonedit, openclaw, registry
from signet.domain.harnesses.jsonedit import parse
from signet.domain.harnesses.models import ConnectOptions

CONFIG = ".openclaw/openclaw.json"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return a_home(tmp_path)


def settings(home: Home, name: str = CONFIG) -> Any:
    return parse(home.read(name)).value


def told(home: Home) -> list[str]:
    return [one.text for one in registry.find("openclaw").problems(home.site)]


def test_the_plugin_takes_the_slot_and_everything_else_stays(home: Home) -> None:
    assert registry.connect(home.site, "openclaw").success
    found = settings(home)
    assert found["plugins"] == {
        "slots": {"memory": "signet-memory-openclaw"},
        "entries": {
            "memory-lancedb": {"enabled": True},
            "telegram": {"enabled": True},
            "signet-memory-openclaw": {"enabled": True},
        },
    }
    assert found["hooks"]["internal"]["entries"]["signet-memory"] == {"enabled": False}
    assert found["agents"]["defaults"] == {
        "model": "opus",
        "memorySearch": {"enabled": False, "provider": "local"},
        "workspace": str(home.site.workspace.root),
    }
    assert "// Where the crab lives." in home.read(CONFIG) and "// dear" in home.read(CONFIG)
    assert (home.path / ".openclaw/extensions/signet-memory-openclaw/index.js").is_file()


def test_the_legacy_path_is_taken_on_request_and_kept_until_another_is_asked_for(
    home: Home,
) -> None:
    assert registry.connect(home.site, "openclaw", ConnectOptions(legacy=True)).success
    found = settings(home)
    assert found["hooks"]["internal"]["entries"]["signet-memory"] == {"enabled": True}
    assert openclaw.PLUGIN not in found["plugins"]["entries"]
    assert found["agents"]["defaults"]["memorySearch"]["enabled"] is False
    handler = home.site.workspace.root / "hooks/agent-memory/handler.js"
    assert handler.is_file()
    assert not registry.connect(home.site, "openclaw").has_changed
    assert registry.connect(home.site, "openclaw", ConnectOptions(legacy=False)).success
    found = settings(home)
    assert found["plugins"]["slots"]["memory"] == openclaw.PLUGIN
    assert found["hooks"]["internal"]["entries"]["signet-memory"] == {"enabled": False}
    assert registry.connect(home.site, "openclaw", ConnectOptions(legacy=True)).success
    found = settings(home)
    assert found["plugins"]["slots"]["memory"] != openclaw.PLUGIN
    registry.disconnect(home.site, "openclaw")
    assert home.read(CONFIG) == OPENCLAW and not handler.exists()


def test_two_memories_at_once_are_told_and_mended(home: Home) -> None:
    assert registry.connect(home.site, "openclaw").success
    text = jsonedit.put(home.read(CONFIG), openclaw.HOOK, True)
    text = jsonedit.put(text, openclaw.OLD_SEARCH, True)
    home.write(CONFIG, jsonedit.put(text, openclaw.SLOT, "memory-core"))
    assert told(home) == [
        "plugin and legacy hook are both active",
        "the memory slot is used by memory-core",
        "OpenClaw's own memory search is active too",
    ]
    assert registry.mend(home.site)["openclaw"].has_changed
    assert told(home) == []
    assert settings(home)["hooks"]["internal"]["entries"]["signet-memory"] == {"enabled": False}


def test_older_shapes_are_brought_into_the_present_one(home: Home) -> None:
    home.write(
        CONFIG,
        '{"signet": {"x": 1}, "plugins": ["telegram", {"id": "signet-memory", "enabled": true}]}',
    )
    assert registry.connect(home.site, "openclaw").success
    found = settings(home)
    assert "signet" not in found
    assert set(found["plugins"]["entries"]) == {"telegram", openclaw.PLUGIN, openclaw.CORE}
    assert found["plugins"]["slots"]["memory"] == openclaw.PLUGIN


def test_a_list_of_allowed_plugins_gets_ours(home: Home) -> None:
    home.write(CONFIG, '{"plugins": {"allow": ["telegram"]}}')
    assert registry.connect(home.site, "openclaw").success
    assert settings(home)["plugins"]["allow"] == ["telegram", openclaw.PLUGIN]


@pytest.mark.parametrize(
    ("claim", "wanted"), [(False, "/srv/crab"), (True, None)], ids=["kept", "set"]
)
def test_another_workspace_is_replaced_only_when_it_is_asked_for(
    home: Home, claim: bool, wanted: str | None
) -> None:
    home.write(CONFIG, '{"agents": {"defaults": {"workspace": "/srv/crab"}}}')
    done = registry.connect(home.site, "openclaw", ConnectOptions(claim_workspace=claim))
    assert settings(home)["agents"]["defaults"]["workspace"] == (
        wanted or str(home.site.workspace.root)
    )
    assert any("/srv/crab" in one for one in done.warnings) is not claim


def test_a_temporary_folder_is_not_given_as_workspace(home: Home) -> None:
    site = replace(home.site, temporary=(home.path,))
    done = registry.connect(site, "openclaw")
    assert "workspace" not in settings(home)["agents"]["defaults"]
    assert any("temporary" in one for one in done.warnings)


def test_every_settings_file_is_found_once(home: Home) -> None:
    names = (
        ".clawdbot/clawdbot.json",
        ".config/moltbot/moltbot.json5",
        ".local/state/openclaw/openclaw.json",
    )
    for name in (*names, "own/my.json", "state/openclaw.json5"):
        home.write(name, "{}\n")
    home.write(".openclaw/exec-approvals.json", "{}\n")
    (home.path / ".moldbot").symlink_to(home.path / ".openclaw")
    environ = {
        "PATH": "",
        "OPENCLAW_CONFIG_PATH": "~/own/my.json:/none.json",
        "OPENCLAW_STATE_DIR": str(home.path / "state"),
    }
    site = replace(home.site, environ=environ)
    before = home.seen()
    assert registry.connect(site, "openclaw").success
    for name in (CONFIG, *names, "own/my.json", "state/openclaw.json5"):
        assert settings(home, name)["plugins"]["slots"]["memory"] == openclaw.PLUGIN
    assert home.read(".openclaw/exec-approvals.json") == "{}\n"
    registry.disconnect(site, "openclaw")
    assert home.seen() == before


def test_without_a_record_uninstalling_leaves_openclaws_own_memory(home: Home) -> None:
    assert registry.connect(home.site, "openclaw").success
    (home.site.workspace.daemon_dir / "harnesses.json").unlink()
    registry.disconnect(home.site, "openclaw")
    found = settings(home)
    assert found["plugins"]["slots"]["memory"] == "memory-core"
    assert found["plugins"]["entries"][openclaw.PLUGIN]["enabled"] is False
    assert found["agents"]["defaults"]["memorySearch"]["enabled"] is True
    assert found["hooks"]["internal"]["entries"]["signet-memory"] == {"enabled": False}


def test_what_was_changed_after_us_stays_and_what_stood_before_comes_back(home: Home) -> None:
    assert registry.connect(home.site, "openclaw").success
    home.write(CONFIG, home.read(CONFIG).replace("18789", "20000"))
    registry.disconnect(home.site, "openclaw")
    found, before = settings(home), parse(OPENCLAW).value
    assert isinstance(before, dict)
    assert found == {**before, "gateway": {"port": 20000, "mode": "local"}}


def test_without_openclaw_there_is_nothing_to_connect(home: Home) -> None:
    (home.path / CONFIG).unlink()
    refused = registry.connect(home.site, "openclaw")
    assert not refused.success and "OPENCLAW_CONFIG_PATH" in refused.message


OFF = {"enabled": False}
_SEARCH: Any = {"search": {"properties": {"enabled": {}}}}
SCHEMA = f"""#!/bin/sh
[ "$1 $2" = "config schema" ] && echo '{json.dumps({"properties": {"memory": {"properties": _SEARCH}}})}'
exit 0
"""


def fresh(home: Home, version: str | None, more: str = "") -> None:
    """Write settings as OpenClaw of this version leaves them."""
    meta = f'"meta": {{"lastTouchedVersion": "{version}"}}' if version else '"env": {}'
    home.write(CONFIG, f"{{{meta}{more}}}\n")


@pytest.mark.parametrize(
    ("version", "more", "new", "old"),
    [
        ("2026.9.6", "", OFF, None),
        ("2026.6.11", "", None, OFF),
        (None, "", None, None),
        (None, ', "memory": {"search": {"provider": "local"}}', {"provider": "local", **OFF}, None),
        (None, ', "memory": {"search": {"enabled": true}}', OFF, None),
    ],
)
def test_memory_search_is_switched_off_where_this_version_has_it(
    home: Home, version: str | None, more: str, new: object, old: object
) -> None:
    fresh(home, version, more)
    before = home.seen()
    assert registry.connect(home.site, "openclaw").success
    found = settings(home)
    assert found.get("memory", {}).get("search") == new
    assert found["agents"]["defaults"].get("memorySearch") == old
    core = found["plugins"]["entries"].get("memory-core")
    assert core == (None if new or old else OFF), "of an unknown version the whole plugin"
    registry.disconnect(home.site, "openclaw")
    assert home.seen() == before


def test_the_program_knows_best_where_memory_search_is(home: Home, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "openclaw"
    program.parent.mkdir()
    program.write_text(SCHEMA)
    program.chmod(0o755)
    fresh(home, "2026.6.11")
    site = replace(home.site, environ={"PATH": str(program.parent)})
    assert registry.connect(site, "openclaw", ConnectOptions(conversations=True)).success
    found = settings(home)
    assert found["memory"]["search"] == OFF and "memorySearch" not in found["agents"]["defaults"]
    assert "hooks" not in found["plugins"]["entries"][openclaw.PLUGIN], "it knows no consent"


def test_what_an_earlier_install_wrote_at_the_old_place_goes(home: Home) -> None:
    fresh(home, "2026.9.6", ', "agents": {"defaults": {"memorySearch": {"enabled": false}}}')
    assert registry.connect(home.site, "openclaw").success
    found = settings(home)
    assert found["memory"]["search"] == OFF and "memorySearch" not in found["agents"]["defaults"]


def test_consent_is_written_as_it_was_given_and_kept(home: Home) -> None:
    fresh(home, "2026.9.6")
    before = home.seen()
    asked = registry.connect(home.site, "openclaw")
    assert any(openclaw.TO_ALLOW in one for one in asked.warnings)
    assert any(openclaw.TO_ALLOW in one for one in told(home))
    for answer in (True, False):
        wishes = ConnectOptions(conversations=answer)
        done = registry.connect(home.site, "openclaw", wishes)
        assert done.success and not any(openclaw.TO_ALLOW in one for one in done.warnings)
        assert registry.connect(home.site, "openclaw").success
        registry.connect(home.site, "openclaw")
        entry = settings(home)["plugins"]["entries"][openclaw.PLUGIN]
        assert entry["hooks"] == {"allowConversationAccess": answer}
        assert told(home) == []
    registry.disconnect(home.site, "openclaw")
    assert home.seen() == before


def test_older_versions_are_not_asked_for_what_they_do_not_know(home: Home) -> None:
    fresh(home, "2026.4.20")
    done = registry.connect(home.site, "openclaw", ConnectOptions(conversations=True))
    assert done.success and "hooks" not in settings(home)["plugins"]["entries"][openclaw.PLUGIN]
    assert told(home) == []


def test_no_tool_has_a_name_of_openclaws_own(home: Home) -> None:
    assert registry.connect(home.site, "openclaw").success
    folder = f".openclaw/extensions/{openclaw.PLUGIN}"
    manifest = json.loads(home.read(f"{folder}/openclaw.plugin.json"))
    names = manifest["contracts"]["tools"]
    assert len(names) == 7 and all(one.startswith("signet_memory_") for one in names)
    assert list(manifest["toolMetadata"]) == names
