"""Names of routed tools, what counts as recent, and what a search finds."""

from datetime import UTC, datetime, timedelta

from signet.domain.marketplace import naming
from signet.domain.marketplace.expose import MAX_CONTEXTS, MAX_RECENT, Recent, search
from signet.domain.marketplace.models import Context, Program, Server, Tool

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
HERE = Context(harness="codex")


def server(id_: str) -> Server:
    return Server(id=id_, name=id_.title(), config=Program(command="x"), enabled=True)


def tool(name: str, description: str = "") -> Tool:
    return Tool(name=name, description=description, input_schema={}, hints={})


def test_a_search_counts_for_half_an_hour_and_the_latest_comes_first() -> None:
    recent = Recent()
    recent.note(HERE, ["a", "b"], now=NOON)
    recent.note(HERE, ["c", "b"], now=NOON + timedelta(minutes=20))
    assert recent.of(HERE, now=NOON + timedelta(minutes=29)) == ["c", "b", "a"]
    assert recent.of(HERE, now=NOON + timedelta(minutes=31)) == ["c", "b"]
    assert recent.of(HERE, now=NOON + timedelta(minutes=51)) == []
    assert recent.of(Context(harness="other"), now=NOON) == []


def test_what_is_remembered_of_searches_is_bounded() -> None:
    recent = Recent()
    recent.note(HERE, [f"tool-{n}" for n in range(MAX_RECENT + 5)], now=NOON)
    kept = recent.of(HERE, now=NOON)
    assert (len(kept), kept[0], kept[-1]) == (MAX_RECENT, "tool-0", f"tool-{MAX_RECENT - 1}")
    for n in range(MAX_CONTEXTS):
        recent.note(Context(channel=str(n)), ["x"], now=NOON)
    assert recent.of(HERE, now=NOON) == []


def test_a_name_is_as_long_as_models_take_and_no_other_tool_has_it() -> None:
    long = "a" * 100
    tools = {"box": [tool(long), tool(long + "b"), tool("É/x")], "box-2": [tool("e")]}
    found = naming.routed([server("box-2"), server("box")], tools, {"signet_box___x"})
    names = [one.own_name for one in found]
    assert names == [
        "signet_box_" + "a" * 53,
        "signet_box_" + "a" * 51 + "_2",
        "signet_box___x_2",
        "signet_box_2_e",
    ]


def test_a_word_counts_most_in_a_name_and_less_where_it_only_begins_one() -> None:
    every = [tool("readFile"), tool("list", "Read a file's name"), tool("reader"), tool("move")]
    found = search(naming.routed([server("disk")], {"disk": every}, ()), "read file", 5)
    assert [(one.tool.name, score) for one, score in found] == [
        ("readFile", 1.0),
        ("list", 0.25),
        ("reader", 0.25),
    ]
    assert search([], "…", 5) == []
