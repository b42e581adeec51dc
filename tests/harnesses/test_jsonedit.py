"""One place of a JSON text changes and nothing else does, whatever the text looks like."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signet.domain.harnesses import jsonedit, records
from signet.domain.harnesses.jsonedit import ConfigUnreadable, parse

KEYS = st.sampled_from(["a", "hooks", "deep key", "ü", "signet"])
LEAVES = (
    st.none() | st.booleans() | st.integers(-99, 99) | st.sampled_from(["x", 'q"q', "// no", "ü"])
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
GAPS = st.sampled_from(["", " ", "\n", "\n    ", "\t", "/* c */", " // c\n", "\r\n  "])


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """Write a value as people do: with gaps and comments anywhere, keys bare, quotes single, commas at the end."""

    def gap() -> str:
        return draw(GAPS)

    def text(one: Any) -> str:
        if isinstance(one, dict):
            entries = [f"{gap()}{key(k)}{gap()}:{gap()}{text(v)}{gap()}" for k, v in one.items()]
            return "{" + ",".join(entries) + tail(entries) + "}"
        if isinstance(one, list):
            entries = [f"{gap()}{text(each)}{gap()}" for each in one]
            return "[" + ",".join(entries) + tail(entries) + "]"
        return json.dumps(one, ensure_ascii=draw(st.booleans()))

    def key(name: str) -> str:
        is_bare = re.fullmatch(r"[a-z]+", name) and draw(st.booleans())
        return name if is_bare else draw(st.sampled_from([json.dumps(name), f"'{name}'"]))

    def tail(entries: list[str]) -> str:
        return (draw(st.sampled_from([",", ""])) if entries else "") + gap()

    return gap() + text(value) + gap()


TEXTS = st.dictionaries(KEYS, VALUES, max_size=4).flatmap(
    lambda value: st.tuples(st.just(value), written(value))
)


def comments(text: str) -> int:
    return len(re.findall(r"// c|/\* c \*/", text))


@settings(max_examples=120, deadline=None)
@given(TEXTS)
def test_what_is_written_is_read(pair: tuple[Any, str]) -> None:
    value, text = pair
    assert parse(text).value == value


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.lists(KEYS, min_size=1, max_size=3), VALUES)
def test_putting_changes_one_value_and_dropping_takes_it_back(
    pair: tuple[Any, str], path: list[str], value: Any
) -> None:
    before, text = pair
    wanted = json.loads(json.dumps(before))
    at = wanted
    for name in path[:-1]:
        at = at.setdefault(name, {}) if isinstance(at, dict) else None
    if not isinstance(at, dict):
        with pytest.raises(ConfigUnreadable):
            jsonedit.put(text, path, value)
        return
    was_there = path[-1] in at
    at[path[-1]] = value
    changed = jsonedit.put(text, path, value)
    assert parse(changed).value == wanted
    assert jsonedit.put(changed, path, value) == changed
    undo = records.undo(text, changed, {})
    assert undo.earlier(changed) == text
    if not was_there:
        assert comments(changed) >= comments(text)
        dropped = jsonedit.drop(changed, path)
        del at[path[-1]]
        assert parse(dropped).value == wanted
        assert comments(dropped) == comments(text)


@settings(max_examples=120, deadline=None)
@given(st.lists(LEAVES, max_size=4).flatmap(lambda v: st.tuples(st.just(v), written({"list": v}))))
def test_items_are_appended_and_taken_out(pair: tuple[Any, str]) -> None:
    values, text = pair
    changed = jsonedit.append(text, ("list",), {"ours": 1})
    assert parse(changed).value == {"list": [*values, {"ours": 1}]}
    left = jsonedit.drop_items(changed, ("list",), lambda one: isinstance(one, dict))
    assert parse(left).value == {"list": values}
    assert comments(left) == comments(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("{", 1),
        ('{"a": 1,, "b": 2}', 1),
        ('{\n"a": "x\n"}', 2),
        ('{"a": 1}\n}', 2),
        ('{"a" 1}', 1),
        ('{"a": 01x}', 1),
        ('{"a": tru}', 1),
        ('{"a": "\\u12"}', 1),
        ("{/* }", 1),
        ("[" * 300, 1),
    ],
    ids=[
        "empty",
        "open",
        "commas",
        "text",
        "after",
        "colon",
        "number",
        "word",
        "escape",
        "comment",
        "deep",
    ],
)
def test_what_does_not_parse_is_told_with_its_line(text: str, line: int) -> None:
    with pytest.raises(ConfigUnreadable) as told:
        parse(text)
    assert told.value.facts["line"] == line


def test_json5_is_read() -> None:
    text = "\ufeff{a: 'it\\'s', b: +0x1F, c: .5, d: -Infinity, e: 'x\\\ny', f: 5., $g: '\\u00e9\\x41',}"
    assert parse(text).value == {
        "a": "it's",
        "b": 31,
        "c": 0.5,
        "d": float("-inf"),
        "e": "xy",
        "f": 5.0,
        "$g": "éA",
    }


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"a":1}', '{"a":1, "mcp": {"x": 1}}'),
        ("{}", '{\n  "mcp": {\n    "x": 1\n  }\n}'),
        ('{\n\t"a": 1 // one\n}\n', '{\n\t"a": 1, // one\n\t"mcp": {\n\t\t"x": 1\n\t}\n}\n'),
        (
            '{\r\n    "a": 1,\r\n}',
            '{\r\n    "a": 1,\r\n    "mcp": {\r\n        "x": 1\r\n    },\r\n}',
        ),
        ('{\n  "mcp": {\n    "y": 2\n  }\n}', '{\n  "mcp": {\n    "y": 2,\n    "x": 1\n  }\n}'),
    ],
    ids=["flat", "empty", "tabs", "windows", "beside"],
)
def test_what_is_put_in_looks_like_the_rest(text: str, wanted: str) -> None:
    changed = jsonedit.put(text, ("mcp", "x"), 1)
    assert changed == wanted
    if "a" in text or "y" in text:
        assert jsonedit.prune(jsonedit.drop(changed, ("mcp", "x")), ("mcp",)) == text
