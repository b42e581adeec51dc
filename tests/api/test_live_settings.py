"""agent.yaml changed while the process runs (CF-16): new values are used, a broken file changes nothing."""

from support.http import SETTINGS, Served
from support.processes import eventually

#: One process for the whole file.
FROZEN = "memory:\n  pipelineV2:\n    mutationsFrozen: true\n"


def write(server: Served, settings: str) -> None:
    """Replace agent.yaml as editors do: a new file under the old name."""
    fresh = server.workspace.root / "agent.yaml.new"
    fresh.write_text(SETTINGS + settings, "utf-8")
    fresh.replace(server.workspace.root / "agent.yaml")


def save(server: Served) -> int:
    return server.post("/api/memory/remember", {"content": "Saved again and again."}).status


def test_new_values_are_soon_in_force_and_a_broken_file_changes_nothing(
    server: Served,
) -> None:
    def error() -> str | None:
        found = server.get("/api/status").body["configError"]
        return None if found is None else str(found)

    assert save(server) == 200
    write(server, FROZEN)
    eventually(lambda: save(server) == 503)
    write(server, "memory: [unclosed\n")
    eventually(lambda: error() is not None)
    assert "agent.yaml" in str(error())
    assert save(server) == 503, "the last good values stay"
    write(server, "auth:\n  mode: team\n")
    eventually(lambda: save(server) == 200)
    status = server.get("/api/status").body
    assert (status["configError"], status["restartRequired"]) == (None, ["auth.mode"])
