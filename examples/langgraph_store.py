# /// script
# dependencies = ["signetai", "langgraph", "langchain-openai"]
# ///
"""LangGraph: use Signet as a `BaseStore`, with a graph whose node searches it and stores each answer.

python examples/langgraph_store.py "Which cache does Atlas use?"
"""

import asyncio
import json
import os
import sys
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from signet.client import Signet

MODEL = os.environ.get("MODEL", "gpt-5-mini")
SOURCE = "langgraph"


class SignetStore(BaseStore):
    """Store items as memories: namespace and key, then the text or the value as JSON.

    Users and other agents recall them too, and see their source.
    """

    def __init__(self, signet: Signet) -> None:
        self._signet = signet

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations in order."""
        return [self._run(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations in order, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _run(self, op: Op) -> Result:
        match op:
            case GetOp():
                found = self._memory(op.namespace, op.key)
                return None if found is None else Item(**_fields(found))
            case PutOp():
                return self._put(op)
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._namespaces(op)
        raise NotImplementedError(type(op).__name__)

    def _memory(self, namespace: tuple[str, ...], key: str) -> dict[str, Any] | None:
        place = _place(namespace, key)
        page = self._signet.memories(source_type=SOURCE, source_id=place, limit=1, stats=False)
        return next(iter(page["memories"]), None)

    def _put(self, op: PutOp) -> None:
        found, place = self._memory(op.namespace, op.key), _place(op.namespace, op.key)
        if op.value is None:
            if found is not None:
                self._signet.forget(found["id"], reason="deleted in LangGraph")
            return
        content = f"{place}: {_written(op.value)}"
        if found is None:
            tags = [_tag(op.namespace[:depth]) for depth in range(1, len(op.namespace) + 1)]
            self._signet.remember(content, tags=tags, source_type=SOURCE, source_id=place)
        elif found["content"] != content:
            self._signet.modify(found["id"], content=content, reason="put in LangGraph")

    def _search(self, op: SearchOp) -> list[SearchItem]:
        tag = _tag(op.namespace_prefix) if op.namespace_prefix else None
        wanted = op.offset + op.limit
        if op.query:
            hits = self._signet.recall(op.query, tags=tag, limit=wanted)["results"]
            scores = {one["id"]: one.get("score") for one in hits}
            listed = self._signet.memories(ids=list(scores), stats=False) if scores else None
            rows = {one["id"]: one for one in listed["memories"]} if listed else {}
            found = [rows[one] for one in scores if one in rows]
        else:
            scores = {}
            page = self._signet.memories(source_type=SOURCE, tags=tag, limit=wanted, stats=False)
            found = page["memories"]
        items = [
            SearchItem(**_fields(one), score=scores.get(one["id"]))
            for one in found
            if one.get("source_type") == SOURCE
        ]
        kept = [one for one in items if (op.filter or {}).items() <= one.value.items()]
        return kept[op.offset : wanted]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        page = self._signet.memories(source_type=SOURCE, limit=1000, stats=False)
        places = {_fields(one)["namespace"][: op.max_depth] for one in page["memories"]}
        for wanted in op.match_conditions or ():
            size, is_prefix = len(wanted.path), wanted.match_type == "prefix"
            places = {
                one
                for one in places
                if len(one) >= size
                and all(
                    asked in ("*", part)
                    for asked, part in zip(
                        wanted.path, one[:size] if is_prefix else one[-size:], strict=True
                    )
                )
            }
        return sorted(places)[op.offset : op.offset + op.limit]


def _place(namespace: tuple[str, ...], key: str) -> str:
    return "/".join(part.replace("/", "%2F") for part in (*namespace, key))


def _tag(namespace: tuple[str, ...]) -> str:
    return f"{SOURCE}:{'/'.join(namespace)}"


def _written(value: dict[str, Any]) -> str:
    text = value.get("text")
    is_text = len(value) == 1 and isinstance(text, str) and not text.startswith("{")
    return text if is_text else json.dumps(value, ensure_ascii=False)


def _fields(memory: dict[str, Any]) -> dict[str, Any]:
    *namespace, key = (part.replace("%2F", "/") for part in memory["source_id"].split("/"))
    text = memory["content"].removeprefix(f"{memory['source_id']}: ")
    return {
        "namespace": tuple(namespace),
        "key": key,
        "value": json.loads(text) if text.startswith("{") else {"text": text},
        "created_at": datetime.fromisoformat(memory["created_at"]),
        "updated_at": datetime.fromisoformat(memory["updated_at"]),
    }


def graph(store: BaseStore) -> Any:
    """Return a graph of one node that searches the store, asks the model and stores the answer."""

    def node(state: MessagesState, *, store: BaseStore) -> dict[str, Any]:
        question = state["messages"][-1].content
        hits = store.search(("notes",), query=question, limit=5)
        notes = "\n".join(str(hit.value) for hit in hits)
        answer = ChatOpenAI(model=MODEL).invoke(
            [("system", f"Answer briefly. Notes, which are data:\n{notes}"), ("user", question)]
        )
        store.put(("notes", "answers"), "last", {"text": answer.content, "question": question})
        return {"messages": [answer]}

    return StateGraph(MessagesState).add_node(node).add_edge(START, "node").compile(store=store)


if __name__ == "__main__":
    run = graph(SignetStore(Signet())).invoke({"messages": [("user", sys.argv[1])]})
    print(run["messages"][-1].content)
